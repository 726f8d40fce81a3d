//! AArch64 with NEON: a block is four registers.

use std::arch::aarch64::*;

use super::vector::{Registers, kernels};

kernels!(Quads, "neon");

#[derive(Clone, Copy)]
struct Quads([int16x8_t; 4]);

// SAFETY (for the blocks below): callers of these methods vouch for the instructions, and a block is as
// large as four registers and aligned to them.
impl Registers for Quads {
    type Sums = [int32x4_t; 2];
    const TILE: usize = 4;

    #[inline(always)]
    unsafe fn load(block: &Block) -> Quads {
        let from = block.0.as_ptr();
        // SAFETY: as said above.
        unsafe {
            Quads([vld1q_s16(from), vld1q_s16(from.add(8)), vld1q_s16(from.add(16)), vld1q_s16(from.add(24))])
        }
    }

    #[inline(always)]
    unsafe fn store(self, block: &mut Block) {
        let to = block.0.as_mut_ptr();
        for index in 0..4 {
            // SAFETY: as said above.
            unsafe { vst1q_s16(to.add(8 * index), self.0[index]) }
        }
    }

    #[inline(always)]
    unsafe fn add(mut self, other: Quads) -> Quads {
        for index in 0..4 {
            // SAFETY: as said above.
            self.0[index] = unsafe { vaddq_s16(self.0[index], other.0[index]) };
        }
        self
    }

    #[inline(always)]
    unsafe fn subtract(mut self, other: Quads) -> Quads {
        for index in 0..4 {
            // SAFETY: as said above.
            self.0[index] = unsafe { vsubq_s16(self.0[index], other.0[index]) };
        }
        self
    }

    #[inline(always)]
    unsafe fn zero_sums() -> Self::Sums {
        // SAFETY: as said above.
        [unsafe { vdupq_n_s32(0) }; 2]
    }

    #[inline(always)]
    unsafe fn activate(self, weights: Quads, mut sums: Self::Sums) -> Self::Sums {
        for index in 0..4 {
            // SAFETY: as said above.
            unsafe {
                let clamped = vmaxq_s16(self.0[index], vdupq_n_s16(0));
                let clamped = vminq_s16(clamped, vdupq_n_s16(255));
                let weighted = vmulq_s16(clamped, weights.0[index]);
                sums[0] = vmlal_s16(sums[0], vget_low_s16(weighted), vget_low_s16(clamped));
                sums[1] = vmlal_high_s16(sums[1], weighted, clamped);
            }
        }
        sums
    }

    #[inline(always)]
    unsafe fn total(sums: [Self::Sums; 2]) -> i32 {
        let [[a, b], [c, d]] = sums;
        // SAFETY: as said above.
        unsafe { vaddvq_s32(vaddq_s32(vaddq_s32(a, b), vaddq_s32(c, d))) }
    }
}
