//! x86-64 with AVX-512 F and BW: a block is one register.

use std::arch::x86_64::*;

use super::vector::{LANES, Registers, Row, kernels};

kernels!(Zmm<false>, "avx512f,avx512bw");

/// A register, and whether VNNI's products of bytes may be used too.
#[derive(Clone, Copy)]
pub(super) struct Zmm<const VNNI: bool>(__m512i);

// SAFETY (for the blocks below): callers of these methods vouch for the instructions, and a block is as
// large as a register and aligned to it.
impl<const VNNI: bool> Registers for Zmm<VNNI> {
    type Sums = __m512i;
    const TILE: usize = 8;

    #[inline(always)]
    unsafe fn load(block: &Block) -> Self {
        // SAFETY: as said above.
        Zmm(unsafe { _mm512_load_si512(block.0.as_ptr().cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, block: &mut Block) {
        // SAFETY: as said above.
        unsafe { _mm512_store_si512(block.0.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: as said above.
        Zmm(unsafe { _mm512_add_epi16(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn subtract(self, other: Self) -> Self {
        // SAFETY: as said above.
        Zmm(unsafe { _mm512_sub_epi16(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn zero_sums() -> __m512i {
        // SAFETY: as said above.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    unsafe fn activate(self, weights: Self, sums: __m512i) -> __m512i {
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

    type Outputs = __m512i;

    #[inline(always)]
    unsafe fn products(self, other: Self, to: &mut [u8; LANES]) {
        // SAFETY: as said above; the destination need not be aligned.
        unsafe {
            let (zero, most) = (_mm512_setzero_si512(), _mm512_set1_epi16(255));
            let first = _mm512_min_epi16(_mm512_max_epi16(self.0, zero), most);
            let second = _mm512_min_epi16(_mm512_max_epi16(other.0, zero), most);
            let products = _mm512_add_epi16(_mm512_mullo_epi16(first, second), _mm512_set1_epi16(256));
            let products = _mm512_srli_epi16::<9>(products);
            _mm256_storeu_si256(to.as_mut_ptr().cast(), _mm512_cvtepi16_epi8(products));
        }
    }

    #[inline(always)]
    unsafe fn load_outputs(sums: &[i32; 16]) -> __m512i {
        // SAFETY: as said above; the source need not be aligned.
        unsafe { _mm512_loadu_si512(sums.as_ptr().cast()) }
    }

    #[inline(always)]
    unsafe fn store_outputs(outputs: __m512i, sums: &mut [i32; 16]) {
        // SAFETY: as said above; the destination need not be aligned.
        unsafe { _mm512_storeu_si512(sums.as_mut_ptr().cast(), outputs) }
    }

    #[inline(always)]
    unsafe fn add_outputs(outputs: __m512i, others: __m512i) -> __m512i {
        // SAFETY: as said above.
        unsafe { _mm512_add_epi32(outputs, others) }
    }

    #[inline(always)]
    unsafe fn add_fours(outputs: __m512i, inputs: [u8; 4], row: &Row) -> __m512i {
        // SAFETY: as said above; a row is as large as a register and aligned to it.
        unsafe {
            let inputs = _mm512_set1_epi32(i32::from_le_bytes(inputs));
            let weights = _mm512_load_si512(row.0.as_ptr().cast());
            if VNNI {
                _mm512_dpbusd_epi32(outputs, inputs, weights)
            } else {
                let pairs = _mm512_maddubs_epi16(inputs, weights);
                _mm512_add_epi32(outputs, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))
            }
        }
    }

    #[inline(always)]
    unsafe fn add_pairs(outputs: __m512i, [first, second]: [i16; 2], weights: &Block) -> __m512i {
        let inputs = i32::from(first as u16) | i32::from(second) << 16;
        // SAFETY: as said above.
        unsafe {
            let weights = _mm512_load_si512(weights.0.as_ptr().cast());
            _mm512_add_epi32(outputs, _mm512_madd_epi16(_mm512_set1_epi32(inputs), weights))
        }
    }
}
