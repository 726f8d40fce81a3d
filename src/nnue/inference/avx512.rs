//! x86-64 with AVX-512 F and BW: a block is one register.

use std::arch::x86_64::*;

use super::vector::{Registers, kernels};

kernels!(Zmm, "avx512f,avx512bw");

#[derive(Clone, Copy)]
struct Zmm(__m512i);

// SAFETY (for the blocks below): callers of these methods vouch for the instructions, and a block is as
// large as a register and aligned to it.
impl Registers for Zmm {
    type Sums = __m512i;
    const TILE: usize = 8;

    #[inline(always)]
    unsafe fn load(block: &Block) -> Zmm {
        // SAFETY: as said above.
        Zmm(unsafe { _mm512_load_si512(block.0.as_ptr().cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, block: &mut Block) {
        // SAFETY: as said above.
        unsafe { _mm512_store_si512(block.0.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn add(self, other: Zmm) -> Zmm {
        // SAFETY: as said above.
        Zmm(unsafe { _mm512_add_epi16(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn subtract(self, other: Zmm) -> Zmm {
        // SAFETY: as said above.
        Zmm(unsafe { _mm512_sub_epi16(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn zero_sums() -> __m512i {
        // SAFETY: as said above.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    unsafe fn activate(self, weights: Zmm, sums: __m512i) -> __m512i {
        // SAFETY: as said above.
        unsafe {
            let clamped = _mm512_max_epi16(self.0, _mm512_setzero_si512());
            let clamped = _mm512_min_epi16(clamped, _mm512_set1_epi16(255));
            let weighted = _mm512_mullo_epi16(clamped, weights.0);
            _mm512_add_epi32(sums, _mm512_madd_epi16(weighted, clamped))
        }
    }

    #[inline(always)]
    unsafe fn total(sums: [__m512i; 2]) -> i32 {
        // SAFETY: as said above.
        unsafe { _mm512_reduce_add_epi32(_mm512_add_epi32(sums[0], sums[1])) }
    }
}
