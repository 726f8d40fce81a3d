//! Network files.
//!
//! ```text
//! offset  bytes
//!  0      8       "QuilNNUE"
//!  8      2       version of this layout, 1
//! 10      2       architecture, squared clipped ReLU: 1: (768hm -> H) x 2 -> 1
//!                                                   2: (768x4hm -> H) x 2 -> 1, four king buckets
//!                                                   3, 4: the same with layers, (16 -> 32 -> 1)
//! 12      2       H, hidden neurons a side
//! 14      2       output buckets
//! 16      2+2     units of the first and of the output layer, 255 and 64
//! 20      2       internal units for an output of one, 50 to 1000
//! 22      2       length of the name in bytes
//! 24      4       CRC-32 of everything but these four bytes
//! 28              the name in UTF-8
//!                 feature weights, feature bias, output weights (i16), output bias (i32), or in place of the latter
//!                 two, layer by layer, weights (i8, i16, i16) and bias (i32)
//! ```
//! All numbers are little-endian; the order of weights is that of [`NetworkParts`].

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use super::bounds::{LoadError, NetworkError, QB};
use super::features::FEATURES;
use super::inference::{MAX_HIDDEN, QA};
use super::layers::LayerParts;
use super::network::{Network, NetworkParts};

const MAGIC: [u8; 8] = *b"QuilNNUE";
/// The version written and read.
const VERSION: u16 = 1;
/// The number of each architecture, its king buckets, and whether it has layers.
const ARCHITECTURES: [(u16, usize, bool); 4] = [(1, 1, false), (2, 4, false), (3, 1, true), (4, 4, true)];
const MOST_KING_BUCKETS: usize = 4;
/// Where the checksum stands.
const CHECKSUM_AT: usize = 24;
const HEADER_BYTES: usize = 28;
/// No file of this version is longer.
const MAX_FILE_BYTES: u64 =
    (HEADER_BYTES + u16::MAX as usize + 2 * (MOST_KING_BUCKETS * FEATURES + 1) * MAX_HIDDEN) as u64
        + MAX_OUTPUT_BYTES;
/// What the output takes at most, be it with layers: 16 bytes a neuron, or without: 4.
const MAX_OUTPUT_BYTES: u64 = (8 * (16 * MAX_HIDDEN + 4096)) as u64;

impl Network {
    /// The network as the contents of a file. A name of more than 65535 bytes is cut.
    pub fn to_bytes(&self) -> Vec<u8> {
        let parts = self.to_parts();
        let mut end = parts.name.len().min(u16::MAX.into());
        while !parts.name.is_char_boundary(end) {
            end -= 1;
        }
        let name = &parts.name.as_bytes()[..end];
        let (architecture, ..) = architecture(|(_, kings, layered)| {
            kings == parts.king_buckets && layered == parts.layers.is_some()
        })
        .unwrap_or_default();
        let mut bytes = MAGIC.to_vec();
        for number in [
            VERSION,
            architecture,
            parts.hidden as u16,
            parts.buckets as u16,
            QA as u16,
            QB as u16,
            parts.scale as u16,
            end as u16,
        ] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(name);
        for list in [&parts.feature_weights, &parts.feature_bias, &parts.output_weights] {
            bytes.extend(list.iter().flat_map(|number| number.to_le_bytes()));
        }
        bytes.extend(parts.output_bias.iter().flat_map(|number| number.to_le_bytes()));
        if let Some(layers) = &parts.layers {
            layers.write(&mut bytes);
        }
        let checksum = checksum(&bytes);
        bytes[CHECKSUM_AT..HEADER_BYTES].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads the contents of a file.
    ///
    /// # Errors
    /// When the bytes are not an unharmed network of this version, or its numbers could overflow.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(NetworkError::Magic);
        }
        if bytes.len() < HEADER_BYTES {
            return Err(NetworkError::Truncated { found: bytes.len(), expected: HEADER_BYTES });
        }
        let number = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let (version, hidden, buckets) = (number(8), usize::from(number(12)), usize::from(number(14)));
        if version != VERSION {
            return Err(NetworkError::Version { found: version, known: VERSION });
        }
        let [first_unit, output_unit, scale] = [16, 18, 20].map(|at| i32::from(number(at)));
        let (_, king_buckets, layered) =
            architecture(|(known, ..)| known == number(10)).ok_or(NetworkError::Architecture(number(10)))?;
        if [first_unit, output_unit] != [QA, QB] {
            return Err(NetworkError::Units);
        }
        let name_length = usize::from(number(22));
        let direct = usize::from(!layered);
        let lengths = [king_buckets * FEATURES * hidden, hidden, direct * 2 * buckets * hidden];
        let output = if layered { LayerParts::bytes(hidden, buckets) } else { 4 * buckets };
        let expected = HEADER_BYTES + name_length + 2 * lengths.iter().sum::<usize>() + output;
        if bytes.len() < expected {
            return Err(NetworkError::Truncated { found: bytes.len(), expected });
        }
        if bytes.len() > expected {
            return Err(NetworkError::TooLong(bytes.len() - expected));
        }
        if checksum(bytes).to_le_bytes() != bytes[CHECKSUM_AT..HEADER_BYTES] {
            return Err(NetworkError::Checksum);
        }
        let (name, mut rest) = bytes[HEADER_BYTES..].split_at(name_length);
        let mut list = |length: usize| -> Vec<i16> {
            let (numbers, tail) = rest.split_at(2 * length);
            rest = tail;
            numbers.as_chunks().0.iter().copied().map(i16::from_le_bytes).collect()
        };
        let [feature_weights, feature_bias, output_weights] = lengths.map(&mut list);
        Network::new(NetworkParts {
            name: std::str::from_utf8(name).map_err(|_| NetworkError::Name)?.to_owned(),
            hidden,
            king_buckets,
            buckets,
            scale,
            feature_weights,
            feature_bias,
            output_weights,
            output_bias: match layered {
                true => Vec::new(),
                false => rest.as_chunks().0.iter().copied().map(i32::from_le_bytes).collect(),
            },
            layers: layered.then(|| LayerParts::read(hidden, buckets, rest)),
        })
    }

    /// Writes the network into a new file, forces it to the disk and returns the number of bytes. After an error there
    /// is no new file: a part of a network is of no use.
    ///
    /// # Errors
    /// When there is a file of this name already, or it cannot be written.
    pub fn save_new(&self, path: &Path) -> io::Result<usize> {
        let bytes = self.to_bytes();
        let mut file = File::create_new(path)?;
        let written = file.write_all(&bytes).and_then(|()| file.sync_all());
        written.map(|()| bytes.len()).inspect_err(|_| {
            let _ = fs::remove_file(path);
        })
    }

    /// Reads a file. What is no regular file, such as a pipe, is refused, since it might never end.
    ///
    /// # Errors
    /// When the file cannot be read or [`Network::from_bytes`] refuses its contents.
    pub fn load(path: &Path) -> Result<Network, LoadError> {
        if !path.metadata()?.is_file() {
            return Err(LoadError::Io(io::Error::other("not a regular file")));
        }
        let mut bytes = Vec::new();
        File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
        Ok(Network::from_bytes(&bytes)?)
    }
}

/// The architecture for which this holds.
fn architecture(is_it: impl Fn((u16, usize, bool)) -> bool) -> Option<(u16, usize, bool)> {
    ARCHITECTURES.into_iter().find(|&architecture| is_it(architecture))
}

/// CRC-32 of a file without its own place.
fn checksum(bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&bytes[..CHECKSUM_AT]);
    hasher.update(&bytes[HEADER_BYTES..]);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Vec<u8> {
        Network::new(NetworkParts::random(5, 32, 8)).unwrap().to_bytes()
    }

    /// The file with a change that its checksum covers.
    fn changed(at: usize, byte: u8) -> Vec<u8> {
        let mut bytes = file();
        bytes[at] = byte;
        let sum = checksum(&bytes);
        bytes[CHECKSUM_AT..HEADER_BYTES].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    fn refused(bytes: &[u8]) -> String {
        Network::from_bytes(bytes).expect_err("the file is unusable").to_string()
    }

    #[test]
    fn what_is_written_is_read() {
        for (kings, hidden, buckets) in [(1, 32, 1), (1, 128, 8), (1, 1024, 1), (4, 32, 1), (4, 1024, 8)] {
            let network = Network::new(NetworkParts::random_with_kings(2, kings, hidden, buckets)).unwrap();
            let bytes = network.to_bytes();
            assert_eq!(Network::from_bytes(&bytes).unwrap(), network);
            assert!(bytes.len() as u64 <= MAX_FILE_BYTES);
        }
        for (kings, hidden, buckets) in [(1, 64, 1), (1, 128, 8), (4, 1024, 8)] {
            let network = Network::new(NetworkParts::random_with_layers(2, kings, hidden, buckets)).unwrap();
            let bytes = network.to_bytes();
            assert_eq!(Network::from_bytes(&bytes).unwrap(), network);
            assert!(bytes.len() as u64 <= MAX_FILE_BYTES && bytes[10] == if kings == 1 { 3 } else { 4 });
        }
        let mut parts = NetworkParts { scale: 166, ..NetworkParts::random(2, 32, 1) };
        parts.name = "ü".repeat(40_000);
        let network = Network::from_bytes(&Network::new(parts).unwrap().to_bytes()).unwrap();
        assert_eq!(network.name(), "ü".repeat(32_767));
        assert_eq!(network.scale(), 166);
    }

    #[test]
    fn the_layout_is_fixed() {
        let bytes = file();
        assert_eq!(bytes[..24], *b"QuilNNUE\x01\0\x01\0\x20\0\x08\0\xFF\0\x40\0\x90\x01\x08\0");
        assert_eq!(bytes[28..36], *b"random 5");
        assert_eq!(bytes.len(), 36 + 2 * (768 * 32 + 32 + 8 * 64) + 4 * 8);
        let four = Network::new(NetworkParts::random_with_kings(5, 4, 32, 8)).unwrap().to_bytes();
        assert_eq!((four[10], four.len()), (2, 36 + 2 * (4 * 768 * 32 + 32 + 8 * 64) + 4 * 8));
        // Another program that writes these bytes must get the same sum.
        assert_eq!(crc32fast::hash(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn damage_is_named() {
        let bytes = file();
        assert_eq!(refused(b""), "not a Quillon network");
        assert_eq!(refused(b"QuilNNUE"), "truncated, 8 bytes of 28");
        let short = &bytes[..bytes.len() - 1];
        assert_eq!(refused(short), format!("truncated, {} bytes of {}", short.len(), bytes.len()));
        assert_eq!(refused(&[&bytes[..], &[0]].concat()), "1 bytes too many");
        assert_eq!(refused(&changed(0, b'X')), "not a Quillon network");
        assert_eq!(refused(&changed(8, 2)), "file version 2, this program reads version 1");
        let unknown = "a network of architecture 7, which this program does not know; a newer one may";
        assert_eq!(refused(&changed(10, 7)), unknown);
        assert_eq!(refused(&changed(16, 7)), "a network in other units than 255 and 64");
        assert_eq!(refused(&changed(21, 0xFF)), "an output of one is worth 65424 units, not 50 to 1000");
        assert_eq!(refused(&changed(28, 0xFF)), "the name is not UTF-8");
        assert!(refused(&changed(37, 0x7F)).starts_with("feature weight 32"));
        for at in [24, 28, 40, 30_000, bytes.len() - 1] {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1;
            assert_eq!(refused(&bytes), "corrupt, the checksum does not match", "byte {at}");
        }
    }

    #[test]
    fn sizes_in_the_header_are_checked() {
        let mut bytes = file()[..HEADER_BYTES].to_vec();
        bytes[12..16].fill(0);
        bytes[22..24].fill(0);
        let sum = checksum(&bytes);
        bytes[CHECKSUM_AT..].copy_from_slice(&sum.to_le_bytes());
        assert!(refused(&bytes).starts_with("0 hidden neurons"));
    }

    #[test]
    fn what_is_no_file_is_refused() {
        assert!(matches!(Network::load(Path::new("src")), Err(LoadError::Io(_))));
        assert!(matches!(Network::load(Path::new("no such file.nnue")), Err(LoadError::Io(_))));
    }
}
