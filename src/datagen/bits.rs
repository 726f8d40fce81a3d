//! Numbers as bits, the lowest bit first, packed into bytes without gaps.

/// Appends bits to bytes.
pub(super) struct BitWriter<'a> {
    bytes: &'a mut Vec<u8>,
    /// Bits not yet written out, fewer than 8 between calls.
    pending: u64,
    pending_bits: u32,
}

impl BitWriter<'_> {
    pub(super) fn new(bytes: &mut Vec<u8>) -> BitWriter<'_> {
        BitWriter { bytes, pending: 0, pending_bits: 0 }
    }

    /// Writes the low `bits` (at most 32) bits of a value that has no others.
    pub(super) fn put(&mut self, value: u32, bits: u32) {
        debug_assert!(bits <= 32 && u64::from(value) < 1 << bits);
        self.pending |= u64::from(value) << self.pending_bits;
        self.pending_bits += bits;
        while self.pending_bits >= 8 {
            self.bytes.push(self.pending as u8);
            self.pending >>= 8;
            self.pending_bits -= 8;
        }
    }

    /// Writes a number below 2^24 in an exponential Golomb code: cheap up to about 2^`order`, two bits more for
    /// each doubling beyond.
    pub(super) fn put_number(&mut self, value: u32, order: u32) {
        let shifted = value + (1 << order);
        let extra = shifted.ilog2() - order;
        self.put((1 << extra) - 1, extra + 1);
        self.put(shifted - (1 << (order + extra)), order + extra);
    }

    /// Fills the last byte with zeros.
    pub(super) fn finish(self) {
        if self.pending_bits > 0 {
            self.bytes.push(self.pending as u8);
        }
    }
}

/// Reads what [`BitWriter`] wrote. All methods give `None` where the bytes end too early.
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    pending: u64,
    pending_bits: u32,
}

impl<'a> BitReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> BitReader<'a> {
        BitReader { bytes, pending: 0, pending_bits: 0 }
    }

    /// Reads a value of `bits` (at most 32) bits.
    pub(super) fn take(&mut self, bits: u32) -> Option<u32> {
        while self.pending_bits < bits {
            let (&first, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            self.pending |= u64::from(first) << self.pending_bits;
            self.pending_bits += 8;
        }
        let value = self.pending & ((1 << bits) - 1);
        self.pending >>= bits;
        self.pending_bits -= bits;
        Some(value as u32)
    }

    /// Reads a number in the exponential Golomb code of [`BitWriter::put_number`]; `None` also for one of 2^24
    /// or more.
    pub(super) fn take_number(&mut self, order: u32) -> Option<u32> {
        let mut extra = 0;
        while self.take(1)? == 1 {
            extra += 1;
            if order + extra > 24 {
                return None;
            }
        }
        Some(self.take(order + extra)? + (1 << (order + extra)) - (1 << order))
    }

    /// Ends at the next whole byte and returns the bytes from there; `None` when the bits skipped are not zero.
    pub(super) fn finish(self) -> Option<&'a [u8]> {
        // Less than a byte can be pending, since bytes are fetched only on need.
        debug_assert!(self.pending_bits < 8);
        (self.pending == 0).then_some(self.bytes)
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
