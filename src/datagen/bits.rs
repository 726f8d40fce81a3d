//! Numbers as bits, the lowest bit first, packed into bytes without gaps.

use bitstream_io::{BitRead, BitWrite, LittleEndian};

/// Appends bits to bytes.
pub(super) struct BitWriter<'a>(bitstream_io::BitWriter<&'a mut Vec<u8>, LittleEndian>);

impl BitWriter<'_> {
    pub(super) fn new(bytes: &mut Vec<u8>) -> BitWriter<'_> {
        BitWriter(bitstream_io::BitWriter::new(bytes))
    }

    /// Writes the low `bits` (at most 32) bits of a value that has no others.
    pub(super) fn put(&mut self, value: u32, bits: u32) {
        debug_assert!(bits <= 32 && u64::from(value) < 1 << bits);
        // Memory takes everything.
        let _ = self.0.write_unsigned_var(bits, value);
    }

    /// Writes a number below 2^24 in an exponential Golomb code: cheap up to about 2^`order`, two bits more for
    /// each doubling beyond.
    pub(super) fn put_number(&mut self, value: u32, order: u32) {
        let shifted = value + (1 << order);
        let extra = shifted.ilog2() - order;
        let _ = self.0.write_unary::<0>(extra);
        self.put(shifted - (1 << (order + extra)), order + extra);
    }

    /// Fills the last byte with zeros.
    pub(super) fn finish(mut self) {
        let _ = self.0.byte_align();
    }
}

/// Reads what [`BitWriter`] wrote. All methods give `None` where the bytes end too early.
pub(super) struct BitReader<'a>(bitstream_io::BitReader<&'a [u8], LittleEndian>);

impl<'a> BitReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> BitReader<'a> {
        BitReader(bitstream_io::BitReader::new(bytes))
    }

    /// Reads a value of `bits` (at most 32) bits.
    pub(super) fn take(&mut self, bits: u32) -> Option<u32> {
        self.0.read_unsigned_var(bits).ok()
    }

    /// Reads a number in the exponential Golomb code of [`BitWriter::put_number`]; `None` also for one of 2^24
    /// or more.
    pub(super) fn take_number(&mut self, order: u32) -> Option<u32> {
        let length = order + self.0.read_unary::<0>().ok()?;
        if length > 24 {
            return None;
        }
        Some(self.take(length)? + (1 << length) - (1 << order))
    }

    /// Ends at the next whole byte and returns the bytes from there; `None` when the bits skipped are not zero.
    pub(super) fn finish(mut self) -> Option<&'a [u8]> {
        while !self.0.byte_aligned() {
            if self.0.read_bit().ok()? {
                return None;
            }
        }
        Some(self.0.into_reader())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_round_trip() {
        let mut bytes = vec![0xAB];
        let mut writer = BitWriter::new(&mut bytes);
        for bits in 0..=32 {
            writer.put(((1u64 << bits) - 1) as u32, bits);
            writer.put(0, bits);
        }
        writer.finish();
        assert_eq!(bytes.len(), 1 + (32 * 33usize).div_ceil(8));
        let mut reader = BitReader::new(&bytes[1..]);
        for bits in 0..=32 {
            assert_eq!(reader.take(bits), Some(((1u64 << bits) - 1) as u32));
            assert_eq!(reader.take(bits), Some(0));
        }
        assert_eq!(reader.finish(), Some(&[][..]));
    }

    #[test]
    fn numbers_round_trip_in_the_promised_length() {
        for order in [0, 4, 7] {
            for value in (0..300).chain([1000, 65_535, 131_071, (1 << 24) - 1 - (1 << order)]) {
                let mut bytes = Vec::new();
                let mut writer = BitWriter::new(&mut bytes);
                writer.put_number(value, order);
                writer.finish();
                let bits = (value + (1 << order)).ilog2() * 2 + 1 - order;
                assert_eq!(bytes.len(), bits.div_ceil(8) as usize, "{value} in order {order}");
                let mut reader = BitReader::new(&bytes);
                assert_eq!(reader.take_number(order), Some(value));
                assert_eq!(reader.finish(), Some(&[][..]));
            }
        }
    }

    /// Files hold these bits, so they stay what they are.
    #[test]
    fn the_lowest_bit_comes_first() {
        let mut bytes = Vec::new();
        let mut writer = BitWriter::new(&mut bytes);
        writer.put(0b01, 2);
        writer.put(0b1, 1);
        // Two ones and the zero that ends them, then 9 + 2 - 8 in three bits.
        writer.put_number(9, 1);
        writer.put(0xABC, 12);
        writer.finish();
        assert_eq!(bytes, [0b1101_1101, 0b0111_1000, 0b0001_0101]);
    }

    #[test]
    fn bad_input_is_refused() {
        assert_eq!(BitReader::new(&[1]).take(9), None);
        assert_eq!(BitReader::new(&[0xFF; 9]).take_number(4), None);
        assert_eq!(BitReader::new(&[0x0F]).take_number(4), None);
        let mut reader = BitReader::new(&[0b101]);
        assert_eq!(reader.take(1), Some(1));
        assert_eq!(reader.finish(), None);
    }
}
