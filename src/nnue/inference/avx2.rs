//! x86-64 with AVX2: a block is two registers.

use std::arch::x86_64::*;

use super::vector::{LANES, Registers, Row, kernels};

kernels!(Ymm, "avx2");

#[derive(Clone, Copy)]
struct Ymm(__m256i, __m256i);

// SAFETY (for the blocks below): callers of these methods vouch for the instructions, and a block is as
// large as two registers and aligned to them.
impl Registers for Ymm {
    type Sums = __m256i;
    const TILE: usize = 4;

    #[inline(always)]
    unsafe fn load(block: &Block) -> Ymm {
        let from = block.0.as_ptr().cast::<__m256i>();
        // SAFETY: as said above.
        unsafe { Ymm(_mm256_load_si256(from), _mm256_load_si256(from.add(1))) }
    }

    #[inline(always)]
    unsafe fn store(self, block: &mut Block) {
        let to = block.0.as_mut_ptr().cast::<__m256i>();
        // SAFETY: as said above.
        unsafe {
            _mm256_store_si256(to, self.0);
            _mm256_store_si256(to.add(1), self.1);
        }
    }

    #[inline(always)]
    unsafe fn add(self, other: Ymm) -> Ymm {
        // SAFETY: as said above.
        unsafe { Ymm(_mm256_add_epi16(self.0, other.0), _mm256_add_epi16(self.1, other.1)) }
    }

    #[inline(always)]
    unsafe fn subtract(self, other: Ymm) -> Ymm {
        // SAFETY: as said above.
        unsafe { Ymm(_mm256_sub_epi16(self.0, other.0), _mm256_sub_epi16(self.1, other.1)) }
    }

    #[inline(always)]
    unsafe fn zero_sums() -> __m256i {
        // SAFETY: as said above.
        unsafe { _mm256_setzero_si256() }
    }

    #[inline(always)]
    unsafe fn activate(self, weights: Ymm, sums: __m256i) -> __m256i {
        // SAFETY: as said above.
        unsafe {
            let first = weighted_squares(self.0, weights.0);
            let second = weighted_squares(self.1, weights.1);
            _mm256_add_epi32(sums, _mm256_add_epi32(first, second))
        }
    }

    #[inline(always)]
    unsafe fn total(sums: [__m256i; 2]) -> i32 {
        // SAFETY: as said above.
        unsafe {
            let sum = _mm256_add_epi32(sums[0], sums[1]);
            let sum = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
            let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b01_00_11_10>(sum));
            let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b10_11_00_01>(sum));
            _mm_cvtsi128_si32(sum)
        }
    }

    type Outputs = [__m256i; 2];

    #[inline(always)]
    unsafe fn products(self, other: Ymm, to: &mut [u8; LANES]) {
        // SAFETY: as said above; the destination need not be aligned.
        unsafe {
            let first = products(self.0, other.0);
            let second = products(self.1, other.1);
            // Packing works within the halves of the registers, so the quarters come out as 0, 2, 1, 3.
            let packed = _mm256_packus_epi16(first, second);
            let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
            _mm256_storeu_si256(to.as_mut_ptr().cast(), packed);
        }
    }

    #[inline(always)]
    unsafe fn load_outputs(sums: &[i32; 16]) -> Self::Outputs {
        let from = sums.as_ptr().cast::<__m256i>();
        // SAFETY: as said above; the source need not be aligned.
        unsafe { [_mm256_loadu_si256(from), _mm256_loadu_si256(from.add(1))] }
    }

    #[inline(always)]
    unsafe fn store_outputs([low, high]: Self::Outputs, sums: &mut [i32; 16]) {
        let to = sums.as_mut_ptr().cast::<__m256i>();
        // SAFETY: as said above; the destination need not be aligned.
        unsafe {
            _mm256_storeu_si256(to, low);
            _mm256_storeu_si256(to.add(1), high);
        }
    }

    #[inline(always)]
    unsafe fn add_outputs(outputs: Self::Outputs, others: Self::Outputs) -> Self::Outputs {
        // SAFETY: as said above.
        unsafe { [0, 1].map(|half| _mm256_add_epi32(outputs[half], others[half])) }
    }

    #[inline(always)]
    unsafe fn add_fours(outputs: Self::Outputs, inputs: [u8; 4], row: &Row) -> Self::Outputs {
        let weights = row.0.as_ptr().cast::<__m256i>();
        // SAFETY: as said above; a row is as large as two registers and aligned to them.
        unsafe {
            let inputs = _mm256_set1_epi32(i32::from_le_bytes(inputs));
            [0, 1].map(|half| {
                let pairs = _mm256_maddubs_epi16(inputs, _mm256_load_si256(weights.add(half)));
                _mm256_add_epi32(outputs[half], _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
            })
        }
    }

    #[inline(always)]
    unsafe fn add_pairs(outputs: Self::Outputs, [first, second]: [i16; 2], weights: &Block) -> Self::Outputs {
        let inputs = i32::from(first as u16) | i32::from(second) << 16;
        let weights = weights.0.as_ptr().cast::<__m256i>();
        // SAFETY: as said above.
        unsafe {
            let inputs = _mm256_set1_epi32(inputs);
            [0, 1].map(|half| {
                let products = _mm256_madd_epi16(inputs, _mm256_load_si256(weights.add(half)));
                _mm256_add_epi32(outputs[half], products)
            })
        }
    }
}

/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn products(first: __m256i, second: __m256i) -> __m256i {
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        let (zero, most) = (_mm256_setzero_si256(), _mm256_set1_epi16(255));
        let first = _mm256_min_epi16(_mm256_max_epi16(first, zero), most);
        let second = _mm256_min_epi16(_mm256_max_epi16(second, zero), most);
        _mm256_srli_epi16::<9>(_mm256_add_epi16(_mm256_mullo_epi16(first, second), _mm256_set1_epi16(256)))
    }
}

/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn weighted_squares(numbers: __m256i, weights: __m256i) -> __m256i {
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        let clamped = _mm256_max_epi16(numbers, _mm256_setzero_si256());
        let clamped = _mm256_min_epi16(clamped, _mm256_set1_epi16(255));
        _mm256_madd_epi16(_mm256_mullo_epi16(clamped, weights), clamped)
    }
}
