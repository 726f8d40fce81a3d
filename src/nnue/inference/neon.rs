//! AArch64 with NEON: a block is four registers.

use std::arch::aarch64::*;

use super::vector::{LANES, Registers, Row, kernels};

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

    type Outputs = [int32x4_t; 4];

    #[inline(always)]
    unsafe fn products(self, other: Quads, to: &mut [u8; LANES]) {
        let to = to.as_mut_ptr();
        for index in 0..4 {
            // SAFETY: as said above.
            unsafe {
                let clamped = |numbers: int16x8_t| {
                    vreinterpretq_u16_s16(vminq_s16(vmaxq_s16(numbers, vdupq_n_s16(0)), vdupq_n_s16(255)))
                };
                let products = vmulq_u16(clamped(self.0[index]), clamped(other.0[index]));
                // The shift rounds.
                vst1_u8(to.add(8 * index), vmovn_u16(vrshrq_n_u16::<9>(products)));
            }
        }
    }

    #[inline(always)]
    unsafe fn load_outputs(sums: &[i32; 16]) -> Self::Outputs {
        // SAFETY: as said above.
        [0, 4, 8, 12].map(|start| unsafe { vld1q_s32(sums.as_ptr().add(start)) })
    }

    #[inline(always)]
    unsafe fn store_outputs(outputs: Self::Outputs, sums: &mut [i32; 16]) {
        for (quad, outputs) in outputs.into_iter().enumerate() {
            // SAFETY: as said above.
            unsafe { vst1q_s32(sums.as_mut_ptr().add(4 * quad), outputs) }
        }
    }

    #[inline(always)]
    unsafe fn add_outputs(mut outputs: Self::Outputs, others: Self::Outputs) -> Self::Outputs {
        for (sum, other) in outputs.iter_mut().zip(others) {
            // SAFETY: as said above.
            *sum = unsafe { vaddq_s32(*sum, other) };
        }
        outputs
    }

    #[inline(always)]
    unsafe fn add_fours(mut outputs: Self::Outputs, inputs: [u8; 4], row: &Row) -> Self::Outputs {
        for (quad, sum) in outputs.iter_mut().enumerate() {
            // SAFETY: as said above; inputs up to 127 are the same with a sign.
            unsafe {
                let inputs = vreinterpretq_s8_u32(vdupq_n_u32(u32::from_le_bytes(inputs)));
                let weights = vld1q_s8(row.0.as_ptr().add(16 * quad));
                let low = vmull_s8(vget_low_s8(inputs), vget_low_s8(weights));
                let high = vmull_high_s8(inputs, weights);
                // Two products of an output lie beside each other, and two of them still fit 16 bits.
                *sum = vpadalq_s16(*sum, vpaddq_s16(low, high));
            }
        }
        outputs
    }

    #[inline(always)]
    unsafe fn add_pairs(
        mut outputs: Self::Outputs,
        [first, second]: [i16; 2],
        weights: &Block,
    ) -> Self::Outputs {
        let inputs = u32::from(first as u16) | u32::from(second as u16) << 16;
        for (quad, sum) in outputs.iter_mut().enumerate() {
            // SAFETY: as said above.
            unsafe {
                let inputs = vreinterpretq_s16_u32(vdupq_n_u32(inputs));
                let weights = vld1q_s16(weights.0.as_ptr().add(8 * quad));
                let low = vmull_s16(vget_low_s16(inputs), vget_low_s16(weights));
                let high = vmull_high_s16(inputs, weights);
                *sum = vaddq_s32(*sum, vpaddq_s32(low, high));
            }
        }
        outputs
    }
}
