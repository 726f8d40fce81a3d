//! The kernels, written once for all vector units.
//!
//! Functions here are generic over the registers and always inlined, so that they are compiled with the
//! instructions of the `#[target_feature]` function that calls them; [`kernels`] makes those functions.
//! Memory is reached through references only. What is unsafe is using instructions that the processor
//! might lack.

use super::{Block, LayerWeights, MAX_HIDDEN, Products, activate_first, output};
pub(super) use super::{LANES, Row};

/// Blocks of an accumulator of 512 neurons, the built-in network's. The kernels are compiled once more for this
/// length: knowing it, the compiler writes their loops out without counting and without checks.
const USUAL_LENGTH: usize = 16;

/// The registers that hold one block.
///
/// # Safety
/// All methods need a processor that has the instructions of the implementation.
pub(super) trait Registers: Copy {
    /// Sums of 32 bits, to be added up at the end.
    type Sums: Copy;
    /// Blocks that are kept in registers while rows are added to them.
    const TILE: usize;

    unsafe fn load(block: &Block) -> Self;
    unsafe fn store(self, block: &mut Block);
    /// Lane by lane, wrapping around.
    unsafe fn add(self, other: Self) -> Self;
    /// Lane by lane, wrapping around.
    unsafe fn subtract(self, other: Self) -> Self;
    unsafe fn zero_sums() -> Self::Sums;
    /// Adds `weights * clamp(self, 0, 255)^2` to the sums. The product of weight and clamped number fits
    /// 16 bits, so it is taken there, and the second product widens to 32 bits while it adds neighbours.
    unsafe fn activate(self, weights: Self, sums: Self::Sums) -> Self::Sums;
    unsafe fn total(sums: [Self::Sums; 2]) -> i32;

    /// Sixteen sums of 32 bits, each in its lane.
    type Outputs: Copy;

    /// Writes `clamp(self, 0, 255) * clamp(other, 0, 255) / 512`, rounded to the nearest, lane by lane.
    unsafe fn products(self, other: Self, to: &mut [u8; LANES]);
    unsafe fn load_outputs(sums: &[i32; 16]) -> Self::Outputs;
    unsafe fn store_outputs(outputs: Self::Outputs, sums: &mut [i32; 16]);
    unsafe fn add_outputs(outputs: Self::Outputs, others: Self::Outputs) -> Self::Outputs;
    /// Adds to each output the products of four inputs, up to 127, and its four weights of the row, of magnitudes up
    /// to 127: two of them fit 16 bits.
    unsafe fn add_fours(outputs: Self::Outputs, inputs: [u8; 4], row: &Row) -> Self::Outputs;
    /// Adds to each output the products of two inputs and its two weights of the block.
    unsafe fn add_pairs(outputs: Self::Outputs, inputs: [i16; 2], weights: &Block) -> Self::Outputs;
}

/// See [`Kernels::update`](super::Kernels::update).
#[inline(always)]
pub(super) unsafe fn update<R: Registers, const ADDED: usize, const REMOVED: usize>(
    to: &mut [Block],
    from: &[Block],
    added: [&[Block]; ADDED],
    removed: [&[Block]; REMOVED],
) {
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        match to.len() {
            USUAL_LENGTH => update_blocks::<R, ADDED, REMOVED>(USUAL_LENGTH, to, from, added, removed),
            length => update_blocks::<R, ADDED, REMOVED>(length, to, from, added, removed),
        }
    }
}

/// The same for accumulators of `length` blocks.
#[inline(always)]
unsafe fn update_blocks<R: Registers, const ADDED: usize, const REMOVED: usize>(
    length: usize,
    to: &mut [Block],
    from: &[Block],
    added: [&[Block]; ADDED],
    removed: [&[Block]; REMOVED],
) {
    let to = &mut to[..length];
    // Slices of one length need no further checks in the loop.
    let from = &from[..length];
    let (added, removed) = (added.map(|row| &row[..length]), removed.map(|row| &row[..length]));
    for index in 0..length {
        // SAFETY: the caller vouches for the instructions.
        unsafe {
            let mut sum = R::load(&from[index]);
            for row in added {
                sum = sum.add(R::load(&row[index]));
            }
            for row in removed {
                sum = sum.subtract(R::load(&row[index]));
            }
            sum.store(&mut to[index]);
        }
    }
}

/// See [`Kernels::refresh`](super::Kernels::refresh).
#[inline(always)]
pub(super) unsafe fn refresh<R: Registers>(
    cached: &mut [Block],
    to: &mut [Block],
    rows: &[Block],
    added: &[u16],
    removed: &[u16],
) {
    let length = cached.len();
    let mut start = 0;
    while start < length {
        let left = length - start;
        // SAFETY: the caller vouches for the instructions.
        unsafe {
            start += if left >= 8 && R::TILE >= 8 {
                refresh_tile::<R, 8>(cached, to, rows, added, removed, start)
            } else if left >= 4 {
                refresh_tile::<R, 4>(cached, to, rows, added, removed, start)
            } else if left >= 2 {
                refresh_tile::<R, 2>(cached, to, rows, added, removed, start)
            } else {
                refresh_tile::<R, 1>(cached, to, rows, added, removed, start)
            };
        }
    }
}

/// Adds all rows to the blocks from `start` on, which stay in registers, and returns their number.
#[inline(always)]
unsafe fn refresh_tile<R: Registers, const TILE: usize>(
    cached: &mut [Block],
    to: &mut [Block],
    rows: &[Block],
    added: &[u16],
    removed: &[u16],
    start: usize,
) -> usize {
    let length = cached.len();
    let cached = &mut cached[start..][..TILE];
    let to = &mut to[start..][..TILE];
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        let mut sums = [R::load(&cached[0]); TILE];
        for index in 1..TILE {
            sums[index] = R::load(&cached[index]);
        }
        for &row in added {
            let row = &rows[usize::from(row) * length + start..][..TILE];
            for index in 0..TILE {
                sums[index] = sums[index].add(R::load(&row[index]));
            }
        }
        for &row in removed {
            let row = &rows[usize::from(row) * length + start..][..TILE];
            for index in 0..TILE {
                sums[index] = sums[index].subtract(R::load(&row[index]));
            }
        }
        for index in 0..TILE {
            sums[index].store(&mut cached[index]);
            sums[index].store(&mut to[index]);
        }
    }
    TILE
}

/// See [`Kernels::activate`](super::Kernels::activate).
#[inline(always)]
pub(super) unsafe fn activate<R: Registers>(
    own: &[Block],
    own_weights: &[Block],
    enemy: &[Block],
    enemy_weights: &[Block],
) -> i32 {
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        match own.len() {
            USUAL_LENGTH => activate_blocks::<R>(USUAL_LENGTH, own, own_weights, enemy, enemy_weights),
            length => activate_blocks::<R>(length, own, own_weights, enemy, enemy_weights),
        }
    }
}

/// The same for accumulators of `length` blocks.
#[inline(always)]
unsafe fn activate_blocks<R: Registers>(
    length: usize,
    own: &[Block],
    own_weights: &[Block],
    enemy: &[Block],
    enemy_weights: &[Block],
) -> i32 {
    let (own, own_weights) = (&own[..length], &own_weights[..length]);
    let (enemy, enemy_weights) = (&enemy[..length], &enemy_weights[..length]);
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        // Two chains of additions, so that one need not wait for the other.
        let mut sums = [R::zero_sums(); 2];
        for index in 0..length {
            sums[0] = R::load(&own[index]).activate(R::load(&own_weights[index]), sums[0]);
            sums[1] = R::load(&enemy[index]).activate(R::load(&enemy_weights[index]), sums[1]);
        }
        R::total(sums)
    }
}

/// See [`Kernels::layers`](super::Kernels::layers).
#[inline(always)]
pub(super) unsafe fn layers<R: Registers>(own: &[Block], enemy: &[Block], weights: &LayerWeights) -> i32 {
    let mut products = Products([0; MAX_HIDDEN]);
    let inputs = &mut products.0[..own.len() * LANES];
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        multiply::<R>(own, enemy, inputs);
        let first = first_layer::<R>(inputs, weights);
        let second = second_layer::<R>(&activate_first(&first), weights);
        output(&second, weights)
    }
}

#[inline(always)]
unsafe fn multiply<R: Registers>(own: &[Block], enemy: &[Block], products: &mut [u8]) {
    let (of_own, of_enemy) = products.split_at_mut(products.len() / 2);
    for (side, products) in [(own, of_own), (enemy, of_enemy)] {
        let (first, second) = side.split_at(side.len() / 2);
        let pairs = first.iter().zip(second).zip(products.as_chunks_mut().0);
        for ((first, second), to) in pairs {
            // SAFETY: the caller vouches for the instructions.
            unsafe { R::load(first).products(R::load(second), to) }
        }
    }
}

#[inline(always)]
unsafe fn first_layer<R: Registers>(inputs: &[u8], weights: &LayerWeights) -> [i32; 16] {
    let (inputs, _) = inputs.as_chunks::<4>();
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        // Four chains of additions, so that one need not wait for the others.
        let zero = R::load_outputs(&[0; 16]);
        let mut sums = [R::load_outputs(&weights.first_bias), zero, zero, zero];
        for (inputs, rows) in inputs.as_chunks::<4>().0.iter().zip(weights.first.as_chunks::<4>().0) {
            for chain in 0..4 {
                sums[chain] = R::add_fours(sums[chain], inputs[chain], &rows[chain]);
            }
        }
        let [a, b, c, d] = sums;
        let mut first = [0; 16];
        R::store_outputs(R::add_outputs(R::add_outputs(a, b), R::add_outputs(c, d)), &mut first);
        first
    }
}

#[inline(always)]
unsafe fn second_layer<R: Registers>(inputs: &[i16; 32], weights: &LayerWeights) -> [[i32; 16]; 2] {
    let mut second = [[0; 16]; 2];
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        let zero = R::load_outputs(&[0; 16]);
        // Two chains for each half of the outputs.
        let mut sums = weights.second_bias.map(|bias| [R::load_outputs(&bias), zero]);
        for (number, (inputs, blocks)) in inputs.as_chunks::<2>().0.iter().zip(&weights.second).enumerate() {
            for (sums, block) in sums.iter_mut().zip(blocks) {
                let sum = &mut sums[number % 2];
                *sum = R::add_pairs(*sum, *inputs, block);
            }
        }
        for ([a, b], to) in sums.into_iter().zip(&mut second) {
            R::store_outputs(R::add_outputs(a, b), to);
        }
    }
    second
}

/// Compiles the kernels for the registers and instructions named.
macro_rules! kernels {
    ($registers:ty, $features:literal) => {
        use super::{Block, LayerWeights, vector};

        /// See [`Kernels::update`](super::Kernels::update).
        #[target_feature(enable = $features)]
        pub(super) fn update<const ADDED: usize, const REMOVED: usize>(
            to: &mut [Block],
            from: &[Block],
            added: [&[Block]; ADDED],
            removed: [&[Block]; REMOVED],
        ) {
            // SAFETY: the attribute above makes callers vouch for the instructions.
            unsafe { vector::update::<$registers, ADDED, REMOVED>(to, from, added, removed) }
        }

        /// See [`Kernels::refresh`](super::Kernels::refresh).
        #[target_feature(enable = $features)]
        pub(super) fn refresh(
            cached: &mut [Block],
            to: &mut [Block],
            rows: &[Block],
            added: &[u16],
            removed: &[u16],
        ) {
            // SAFETY: the attribute above makes callers vouch for the instructions.
            unsafe { vector::refresh::<$registers>(cached, to, rows, added, removed) }
        }

        /// See [`Kernels::activate`](super::Kernels::activate).
        #[target_feature(enable = $features)]
        pub(super) fn activate(
            own: &[Block],
            own_weights: &[Block],
            enemy: &[Block],
            enemy_weights: &[Block],
        ) -> i32 {
            // SAFETY: the attribute above makes callers vouch for the instructions.
            unsafe { vector::activate::<$registers>(own, own_weights, enemy, enemy_weights) }
        }

        /// See [`Kernels::layers`](super::Kernels::layers).
        #[target_feature(enable = $features)]
        pub(super) fn layers(own: &[Block], enemy: &[Block], weights: &LayerWeights) -> i32 {
            // SAFETY: the attribute above makes callers vouch for the instructions.
            unsafe { vector::layers::<$registers>(own, enemy, weights) }
        }
    };
}

pub(super) use kernels;
