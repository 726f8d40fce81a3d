//! Magic numbers, and the search that found them.
//!
//! A magic number multiplies the blockers of a slider so that every attack set gets its own index in
//! the top bits of the product. [`find_magic`] is the finder; a test runs it again for all squares
//! and compares the result with the numbers below. To replace them, change the seed there, run
//! `cargo test magics -- --nocapture` and paste what it prints.

use super::lines::{line_attacks, relevant_occupancy};
use crate::types::{Bitboard, SplitMix64, Square};

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

    let mut random = SplitMix64::new(square as u64, u64::from(diagonal));
    // Slots remember in which attempt they were written, which spares clearing them.
    let mut slots = vec![(0u32, 0u64); 1 << bits];
    for attempt in 1.. {
        // About eight bits set, which is what good magics look like.
        let magic = random.next() & random.next() & random.next();
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

/// `[square]`
#[cfg_attr(target_feature = "bmi2", allow(dead_code))]
pub(super) const ROOK_MAGICS: [u64; 64] = [
    0x9080_0120_8040_0318,
    0x21C0_0890_01C0_E000,
    0x1280_1000_2000_0880,
    0xC080_0800_8005_5000,
    0x8100_0500_1002_A800,
    0x4200_0154_0802_0010,
    0x0100_0082_000C_4100,
    0x0200_0084_2401_1042,
    0x0041_8002_2140_0080,
    0x2010_4004_2000_5004,
    0x0C08_8020_0010_0080,
    0x1048_8030_0080_A800,
    0x0001_0008_0100_1054,
    0x8022_0008_1004_4200,
    0x4002_0008_8412_0001,
    0x0082_0000_85E1_0204,
    0x8000_8080_0040_0061,
    0x2050_0840_0020_0048,
    0x0001_2200_5042_0180,
    0x4010_0040_0804_0040,
    0x0148_0080_4904_0080,
    0x4003_8080_3A00_1400,
    0x4100_0400_1001_9832,
    0x4800_1200_0101_A044,
    0x0A40_0282_8003_4425,
    0x0181_4000_4020_1000,
    0x0240_1841_0020_0100,
    0x8046_0800_8010_0080,
    0x1000_4400_8008_0180,
    0x0004_0002_0200_0810,
    0x0000_9004_0008_0502,
    0x0000_0046_000C_8114,
    0x0002_4000_8080_0220,
    0x0010_0020_0040_4001,
    0x0021_2001_8180_1001,
    0x1000_5000_8480_0800,
    0x0060_8004_0080_0800,
    0x2000_800C_0080_0200,
    0x4024_02A1_0400_0810,
    0x0200_8105_4200_0084,
    0x0008_A088_4000_8001,
    0x0049_0042_8602_0028,
    0x0000_2000_9103_0042,
    0x0810_0080_0800_8010,
    0x0083_0C08_0101_0010,
    0x0011_0084_0019_0002,
    0x0008_1102_1004_0008,
    0x0000_0402_8042_0009,
    0x0008_8001_A840_0880,
    0x0030_0020_0240_02C0,
    0x0000_6018_8200_4200,
    0x1004_1810_C200_2200,
    0x0081_8004_0208_0180,
    0x0882_0010_181C_8200,
    0x0480_1002_1508_0400,
    0x0010_8000_4700_2080,
    0x0000_8000_3900_4021,
    0x0038_4000_1120_8101,
    0x0010_6000_0A40_9101,
    0x2C00_602D_0028_1001,
    0x030A_0020_4510_0842,
    0x8089_0008_2A04_0011,
    0x0200_1018_2201_0184,
    0x0212_0300_8240_2402,
];

/// `[square]`
#[cfg_attr(target_feature = "bmi2", allow(dead_code))]
pub(super) const BISHOP_MAGICS: [u64; 64] = [
    0x0008_4801_9812_0420,
    0x2410_3431_0052_0004,
    0x0442_4401_4080_0200,
    0x0A20_9200_4002_0010,
    0x00C9_1040_0010_0820,
    0x0002_0104_2202_5204,
    0x0022_080B_0410_0100,
    0x0020_8124_0520_0804,
    0x0600_1004_0808_004C,
    0x1032_D002_1284_0098,
    0x0100_2111_4302_000A,
    0x9000_1820_8020_8000,
    0x1020_2410_4400_8000,
    0x0081_0444_0640_0000,
    0x4200_0042_1014_6004,
    0x8458_02A4_1412_0801,
    0x3208_0042_10A4_0084,
    0x1002_0008_1003_4212,
    0x0008_0004_0800_5590,
    0x0483_201C_0408_8000,
    0x0105_8064_00E0_0800,
    0x9311_0000_8043_4020,
    0x0104_0202_0104_0600,
    0x4201_0481_C108_0180,
    0xAA98_0408_418C_1840,
    0x0011_2100_08A8_0104,
    0x8000_2400_8204_0402,
    0x0110_0401_1040_1020,
    0x0009_0100_0270_C000,
    0x0A04_0100_0808_A209,
    0x1002_3440_0A0D_1006,
    0x0056_0040_0205_0080,
    0x9008_0888_0856_2000,
    0x0401_1010_0028_0105,
    0x0000_2808_0204_0820,
    0x4000_0200_8008_0280,
    0x1340_0041_0000_5100,
    0x0820_0400_4120_8800,
    0x0081_0802_0001_8210,
    0xA004_2040_4000_8400,
    0x8804_0420_6408_2800,
    0x0084_1909_1000_1800,
    0x4432_0104_0300_0200,
    0x0101_1020_1100_0805,
    0x4A14_2024_1044_0400,
    0x0007_0610_8105_0200,
    0x8142_1011_0100_C220,
    0x0002_6802_1021_0280,
    0x0062_0110_4806_0500,
    0x2401_0C22_0202_0102,
    0x4040_8205_0088_0400,
    0x2100_0000_8404_0020,
    0xC000_0320_8424_0081,
    0x2840_0420_0842_4401,
    0x0214_09D0_0C00_8030,
    0x0020_4A01_A208_8400,
    0x0020_A082_1003_2010,
    0x2400_0C41_5808_0880,
    0x0804_1009_6402_0800,
    0x0850_0001_4042_0A00,
    0x0884_6480_4048_3200,
    0x0800_4108_1010_0220,
    0x0508_5810_0414_A418,
    0xA004_CC04_0C04_2200,
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
