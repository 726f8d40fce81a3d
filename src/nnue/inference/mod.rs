//! The arithmetic of the network on the instructions that the processor has.
//!
//! `scalar` says in plain loops what is computed. `vector` says the same once for all vector units, in
//! terms of its trait `Registers`; `avx2`, `avx512` and `neon` tell what those are. All give the same result
//! to the last bit, since sums of integers do not depend on their order. Which one runs is decided at run
//! time, so that one program serves every machine of its family.

// Vector instructions are the one place where speed cannot be had otherwise: the compiler's own
// vectorisation of the output layer is two to nine times slower.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_vnni;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod vector;

use std::fmt;
use std::str::FromStr;

use once_cell::sync::Lazy;

/// Outputs of the first layer.
pub const FIRST_LAYER: usize = 16;
/// Outputs of the second layer.
pub const SECOND_LAYER: usize = 32;
/// Inputs of the second layer: two activations of each output of the first.
pub const SECOND_INPUTS: usize = 2 * FIRST_LAYER;
/// One, in the units of the second layer's and the output's weights and of the activations.
pub const LAYER_UNIT: i32 = 1024;

/// One, in the units of the accumulators; the activation is clamped to 0..=`QA`.
pub const QA: i32 = 255;
/// Numbers in a block.
pub const LANES: usize = 32;

/// Neighbouring numbers of 16 bits that fill a cache line: the unit in which accumulators and weights are
/// stored and computed with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Block(pub [i16; LANES]);

impl Block {
    /// All numbers 0.
    pub const ZERO: Block = Block([0; LANES]);

    /// Packs a list. Numbers that do not fill a block are left out.
    pub fn from_numbers(numbers: &[i16]) -> Box<[Block]> {
        numbers.as_chunks().0.iter().copied().map(Block).collect()
    }

    /// The numbers in a plain list.
    pub fn to_numbers(blocks: &[Block]) -> Vec<i16> {
        blocks.iter().flat_map(|block| block.0).collect()
    }
}

/// Weights of 8 bits that fill a cache line: those from four inputs to 16 outputs, four for each output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Row(pub [i8; 64]);

/// The weights of the layers of one output bucket, laid out for the kernels. What they mean is told in
/// `layers.rs`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LayerWeights {
    /// `[four inputs][output][input of the four]`, within -127..=127.
    pub first: Box<[Row]>,
    /// `[output]`
    pub first_bias: [i32; FIRST_LAYER],
    /// `[two inputs][half of the outputs][output][input of the two]`, within -8192..=8192.
    pub second: [[Block; 2]; SECOND_INPUTS / 2],
    /// `[half of the outputs][output]`
    pub second_bias: [[i32; 16]; 2],
    /// `[output of the second layer]`, within -8192..=8192.
    pub output: [i16; SECOND_LAYER],
    /// The bias of the output.
    pub output_bias: i32,
}

/// Largest number of hidden neurons a side.
pub const MAX_HIDDEN: usize = 1024;

/// The products of pairs of neurons: inputs of the first layer. The pairs of both sides are as many as a side's neurons.
#[repr(C, align(64))]
struct Products([u8; MAX_HIDDEN]);

/// An implementation that this processor can run. That is the promise on which all unsafe calls below
/// rest: only [`Kernels::available`] makes values of this type, after asking the processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kernels(Instructions);

/// Instruction sets, best first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Instructions {
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "aarch64")]
    Neon,
    Scalar,
}

/// Calls the same function of the module that the value names.
macro_rules! dispatch {
    ($kernels:expr, $function:ident($($argument:expr),*)) => {
        match $kernels.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a value with this variant exists only where the processor has AVX-512 F, BW and VNNI.
            Instructions::Avx512Vnni => unsafe { avx512_vnni::$function($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a value with this variant exists only where the processor has AVX-512 F and BW.
            Instructions::Avx512 => unsafe { avx512::$function($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a value with this variant exists only where the processor has AVX2.
            Instructions::Avx2 => unsafe { avx2::$function($($argument),*) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: a value with this variant exists only where the processor has NEON.
            Instructions::Neon => unsafe { neon::$function($($argument),*) },
            Instructions::Scalar => scalar::$function($($argument),*),
        }
    };
}

impl Kernels {
    /// All implementations that this processor can run, fastest first. The last is the scalar one.
    pub fn available() -> Vec<Kernels> {
        let mut available = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
                if is_x86_feature_detected!("avx512vnni") {
                    available.push(Kernels(Instructions::Avx512Vnni));
                }
                available.push(Kernels(Instructions::Avx512));
            }
            if is_x86_feature_detected!("avx2") {
                available.push(Kernels(Instructions::Avx2));
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            available.push(Kernels(Instructions::Neon));
        }
        available.push(Kernels(Instructions::Scalar));
        available
    }

    /// The fastest implementation that this processor can run.
    pub fn best() -> Kernels {
        // The answer stays the same, and the list is allocated.
        static BEST: Lazy<Kernels> =
            Lazy::new(|| Kernels::available().first().copied().unwrap_or(Kernels(Instructions::Scalar)));
        *BEST
    }

    /// Computes an accumulator from another by rows that are added and rows that are taken away. All
    /// are of one length. Sums wrap around, but those of a board cannot reach that far.
    #[inline]
    pub fn update<const ADDED: usize, const REMOVED: usize>(
        self,
        to: &mut [Block],
        from: &[Block],
        added: [&[Block]; ADDED],
        removed: [&[Block]; REMOVED],
    ) {
        dispatch!(self, update(to, from, added, removed));
    }

    /// Changes `cached` by any number of rows, given by their index in `rows`, and writes the result to
    /// `to` as well.
    #[inline]
    pub fn refresh(
        self,
        cached: &mut [Block],
        to: &mut [Block],
        rows: &[Block],
        added: &[u16],
        removed: &[u16],
    ) {
        dispatch!(self, refresh(cached, to, rows, added, removed));
    }

    /// The weighted sum of the squares of all neurons, each clamped to 0..=255. The first half of the
    /// weights, which lie within -128..=128, is for `own`, the second for `enemy`.
    #[inline]
    pub fn activate(self, own: &[Block], enemy: &[Block], weights: &[Block]) -> i32 {
        let (own_weights, enemy_weights) = weights.split_at(own.len());
        dispatch!(self, activate(own, own_weights, enemy, enemy_weights))
    }

    /// The output of the layers in units of 1/1024^2, for a network whose neurons of a side are a multiple of 64.
    /// There are a quarter as many rows of weights of the first layer.
    #[inline(always)]
    pub fn layers(self, own: &[Block], enemy: &[Block], weights: &LayerWeights) -> i32 {
        dispatch!(self, layers(own, enemy, weights))
    }
}

/// Both activations of the first layer.
#[inline(always)]
fn activate_first(sums: &[i32; FIRST_LAYER]) -> [i16; SECOND_INPUTS] {
    let mut inputs = [0; SECOND_INPUTS];
    for (place, sum) in sums.iter().enumerate() {
        let clamped = (sum >> 5).clamp(-LAYER_UNIT, LAYER_UNIT);
        inputs[place] = clamped.max(0) as i16;
        inputs[FIRST_LAYER + place] = ((clamped * clamped) >> 10) as i16;
    }
    inputs
}

/// The output by the second layer before activation.
#[inline(always)]
fn output(sums: &[[i32; 16]; 2], weights: &LayerWeights) -> i32 {
    let mut output = weights.output_bias;
    for (sum, &weight) in sums.as_flattened().iter().zip(&weights.output) {
        let clamped = (sum >> 10).clamp(0, LAYER_UNIT);
        output += ((clamped * clamped) >> 10) * i32::from(weight);
    }
    output
}

/// This processor has no instruction set of that name. The text lists those that it has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this processor has {0}")]
pub struct UnknownKernels(String);

/// Finds an implementation by the name of its instruction set; hyphens and case do not matter.
impl FromStr for Kernels {
    type Err = UnknownKernels;

    fn from_str(name: &str) -> Result<Kernels, UnknownKernels> {
        let plain = |name: &str| name.replace('-', "").to_ascii_lowercase();
        let available = Kernels::available();
        let found = available.iter().find(|kernels| plain(&kernels.to_string()) == plain(name)).copied();
        found.ok_or_else(|| {
            let names: Vec<String> = available.iter().map(Kernels::to_string).collect();
            UnknownKernels(names.join(", "))
        })
    }
}

/// The name of the instruction set.
impl fmt::Display for Kernels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512Vnni => "AVX-512 VNNI",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => "AVX2",
            #[cfg(target_arch = "aarch64")]
            Instructions::Neon => "NEON",
            Instructions::Scalar => "scalar",
        })
    }
}

#[cfg(test)]
mod tests;
