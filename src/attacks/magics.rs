//! Magic numbers, and the search that found them.
//!
//! A magic number multiplies the blockers of a slider so that every attack set gets its own index in
//! the top bits of the product. [`find_magic`] is the finder; a test runs it again for all squares
//! and compares the result with the numbers below. To replace them, change the seed there, run
//! `cargo test magics -- --nocapture` and paste what it prints.

use super::lines::{line_attacks, relevant_occupancy};
use crate::types::{Bitboard, Square};

/// Finds a magic number for a rook (`diagonal` false) or bishop on `square` by trying sparse random
/// numbers (CPW: "Looking for Magics"). The same arguments always give the same number.
pub fn find_magic(diagonal: bool, square: Square) -> u64 {
    let mask = relevant_occupancy(diagonal, square).0;
    let bits = mask.count_ones();
    let mut subsets = Vec::with_capacity(1 << bits);
    let mut subset = 0u64;
    loop {
        subsets.push((subset, line_attacks(diagonal, square, Bitboard(subset)).0));
        subset = subset.wrapping_sub(mask) & mask;
        if subset == 0 {
            break;
        }
    }

    let seed = (square as u64 + 1).wrapping_mul(0xD1B5_4A32_D192_ED03) ^ diagonal as u64;
    let mut random = XorShift(0x9E37_79B9_7F4A_7C15 ^ seed);
    // Slots remember in which attempt they were written, which spares clearing them.
    let mut slots = vec![(0u32, 0u64); 1 << bits];
    for attempt in 1.. {
        let magic = random.sparse();
        let fits = subsets.iter().all(|&(blockers, attacks)| {
            let slot = &mut slots[(blockers.wrapping_mul(magic) >> (64 - bits)) as usize];
            if slot.0 != attempt {
                *slot = (attempt, attacks);
            }
            slot.1 == attacks
        });
        if fits {
            return magic;
        }
    }
    unreachable!("the attempts do not end before a magic number is found")
}

struct XorShift(u64);

impl XorShift {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// About eight bits set, which is what good magics look like.
    fn sparse(&mut self) -> u64 {
        self.next() & self.next() & self.next()
    }
}

/// `[square]`
#[cfg_attr(target_feature = "bmi2", allow(dead_code))]
pub(super) const ROOK_MAGICS: [u64; 64] = [
    0x1880_0016_80C0_0521,
    0x08C0_1000_C009_2000,
    0x0480_0C60_0180_1000,
    0x0880_0802_8010_0004,
    0x0200_0820_94B0_0200,
    0x0080_0200_4C00_8003,
    0x0780_0A00_0100_0080,
    0x6080_0920_4080_0100,
    0x0000_8000_2440_0080,
    0x1080_8020_0240_0080,
    0x0002_8020_0080_3000,
    0x0016_0040_1008_2200,
    0x8011_0010_0801_0004,
    0x2102_0010_0419_0200,
    0x8200_8005_0080_0200,
    0x0022_8000_4100_0080,
    0x0040_0080_0060_8440,
    0x0030_C940_1000_A000,
    0x2702_0200_1080_A041,
    0x2121_0100_2210_0018,
    0x0000_0500_1008_0100,
    0x0002_0080_3400_2280,
    0x0002_2400_1001_1208,
    0x3080_0200_04C0_8104,
    0x0016_4000_8007_2490,
    0x2004_2009_8040_0180,
    0x1000_6001_0040_1500,
    0x4008_0108_8010_0180,
    0x0001_8800_8080_0400,
    0x0020_4400_8080_0200,
    0x2101_0009_0042_0004,
    0x0210_0142_0002_8904,
    0x0181_4200_8200_2100,
    0x0020_1000_2240_04C0,
    0x1002_0840_6200_1080,
    0x0840_0800_8280_1000,
    0x0520_4400_8080_0800,
    0x0222_0004_0080_8002,
    0x0005_0810_0400_0211,
    0x0030_8001_4080_0900,
    0x0080_1044_2008_4000,
    0x0200_4020_1000_4000,
    0x8030_0080_2004_8010,
    0x8000_A910_0101_0020,
    0x1000_0800_9501_0010,
    0x0002_0002_0400_8080,
    0x4012_0007_9812_0024,
    0x0800_0081_08D2_0024,
    0x4000_4080_0021_0100,
    0x0400_A014_4004_8080,
    0x8C00_8020_0010_0080,
    0x0806_0020_4841_5200,
    0x0011_8008_0004_0080,
    0x1006_0014_0890_0200,
    0x0180_1003_0A08_0400,
    0x0000_0840_B104_0200,
    0x0201_0023_1040_8009,
    0x0598_8102_00E0_40DA,
    0x0901_0020_0608_4011,
    0x0021_0008_0C21_1001,
    0x0003_0008_0006_0411,
    0x0525_0004_000A_0801,
    0x3000_0210_0840_8504,
    0x8010_D021_1401_4082,
];

/// `[square]`
#[cfg_attr(target_feature = "bmi2", allow(dead_code))]
pub(super) const BISHOP_MAGICS: [u64; 64] = [
    0x0084_0D04_0C14_0940,
    0x0003_4808_0B00_4000,
    0x0018_3801_0268_0000,
    0x0008_1608_4400_0402,
    0x4804_0420_0600_0046,
    0x106A_0814_0400_000A,
    0x0042_0710_1211_0400,
    0x1000_4022_1006_2010,
    0x0404_080A_B002_0602,
    0x2200_1818_0104_0820,
    0x0010_4C15_0A02_0802,
    0x0002_0404_0080_1480,
    0x0000_5405_0408_1040,
    0x0900_1202_0A22_0000,
    0x8408_0100_8820_6802,
    0x0001_0A00_8208_5241,
    0x0010_0020_208A_4086,
    0x0090_000A_1006_00B8,
    0x0088_0090_2280_2028,
    0x804C_00A0_4102_2000,
    0x0802_0014_020A_0008,
    0x2002_0043_0A90_0402,
    0x0010_4064_1104_5086,
    0x0800_8007_2284_1000,
    0x0088_0C01_C02C_0829,
    0x000C_0242_2428_4800,
    0x0600_3000_8A00_8202,
    0x0030_0400_0844_0088,
    0x0091_0100_8410_4000,
    0x0010_0262_0D00_8800,
    0x8022_0401_0844_4A20,
    0x4404_0080_0020_8400,
    0x0944_2008_40A0_4220,
    0x2201_1360_2870_0400,
    0x4004_2090_1008_0221,
    0x0028_4600_8048_0180,
    0x1110_0B82_0000_2200,
    0x004A_0081_0042_0042,
    0x0004_1800_4408_9400,
    0x0000_9900_420A_0200,
    0x0409_0420_2004_0640,
    0x5000_8804_0200_1000,
    0x0002_0010_4408_0801,
    0xC002_0040_1048_0202,
    0xC000_4010_0904_A480,
    0x800E_0210_0301_8A08,
    0x0204_0801_C100_8400,
    0x0483_4401_0204_0040,
    0x0240_4208_0440_00C0,
    0x2600_2412_1210_0011,
    0x00A0_5A01_0098_0203,
    0x2000_9441_0488_0004,
    0x0912_01A0_E04D_0110,
    0x2404_4460_2405_0050,
    0x0048_1004_00C4_0000,
    0x0020_2210_8121_0001,
    0x8400_2A00_C420_0801,
    0x1044_004A_0801_1800,
    0x004C_0000_8420_8802,
    0x8108_0020_4120_8806,
    0x2000_0084_F002_0221,
    0x0008_0448_2008_0C84,
    0x0820_5004_4802_9412,
    0x0048_A001_0049_0100,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn magics_come_from_the_finder() {
        for (diagonal, numbers) in [(false, &ROOK_MAGICS), (true, &BISHOP_MAGICS)] {
            let found: Vec<u64> = Square::all().map(|square| find_magic(diagonal, square)).collect();
            if found != numbers {
                for magic in &found {
                    println!("    {magic:#018x},");
                }
            }
            assert_eq!(found, numbers, "diagonal: {diagonal}");
        }
    }
}
