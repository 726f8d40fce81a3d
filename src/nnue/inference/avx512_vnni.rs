//! x86-64 with AVX-512 F, BW and VNNI, which multiplies and adds bytes in one instruction.

use super::avx512::Zmm;
use super::vector::kernels;

kernels!(Zmm<true>, "avx512f,avx512bw,avx512vnni");
