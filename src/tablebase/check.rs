//! What can be known of a table file before it is used: that its header makes sense, and that it is as long
//! as the header says. A file that was cut short never passes.
//!
//! ```text
//! magic | layout | pieces by part | coding by part and side | DTZ maps | sparse indices | block lengths
//!       | blocks, each part's at a multiple of 64 bytes | 16 bytes of checksum
//! ```

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use super::name::{Material, TableKind};
use crate::types::PieceType;

/// Why a table file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TableFault {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Read(#[from] io::Error),
    /// The file starts with the wrong bytes.
    #[error("is no Syzygy table, or another kind of table than its name says")]
    Magic,
    /// The header says something that cannot be.
    #[error("is damaged: {0} in its header")]
    Header(&'static str),
    /// The file ends too early or too late.
    #[error("is damaged: {actual} bytes long instead of {expected}")]
    Length {
        /// Bytes that the file has.
        actual: u64,
        /// Bytes that it should have.
        expected: u64,
    },
}

/// Bits of the layout byte.
const SPLIT: u8 = 1;
const PAWNS: u8 = 2;

/// Bits of a part's flags.
const BLACK_TO_MOVE: u8 = 1;
const MAPPED: u8 = 2;
const WIDE: u8 = 16;
const SINGLE_VALUE: u8 = 128;

/// Largest block, as a power of two.
const MAX_BLOCK_BITS: u8 = 10;
/// Longest code word in bits.
const MAX_CODE_BITS: u8 = 32;

/// How one part of a table is stored.
struct Part {
    flags: u8,
    sparse_entries: u64,
    block_lengths: u64,
    data_bytes: u64,
}

/// Reads a header from front to back and counts the bytes.
struct Header<R> {
    source: R,
    offset: u64,
}

impl<R: Read> Header<R> {
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], TableFault> {
        let mut bytes = [0; N];
        self.source.read_exact(&mut bytes)?;
        self.offset += N as u64;
        Ok(bytes)
    }

    fn byte(&mut self) -> Result<u8, TableFault> {
        self.bytes::<1>().map(|[byte]| byte)
    }

    fn word(&mut self) -> Result<u16, TableFault> {
        self.bytes().map(u16::from_le_bytes)
    }

    fn skip_to_even(&mut self) -> Result<(), TableFault> {
        if self.offset % 2 == 1 {
            self.byte()?;
        }
        Ok(())
    }
}

/// Checks a file against its name.
pub(super) fn check(path: &Path, kind: TableKind, material: &Material) -> Result<(), TableFault> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(TableFault::Read(io::ErrorKind::InvalidInput.into()));
    }
    let actual = metadata.len();
    let header = Header { source: BufReader::with_capacity(4096, file), offset: 0 };
    match expected_length(header, kind, material) {
        Ok(expected) if expected == actual => Ok(()),
        Ok(expected) => Err(TableFault::Length { actual, expected }),
        Err(TableFault::Read(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
            Err(TableFault::Header("the file ends"))
        }
        Err(fault) => Err(fault),
    }
}

fn expected_length<R: Read>(
    mut header: Header<R>,
    kind: TableKind,
    material: &Material,
) -> Result<u64, TableFault> {
    if header.bytes::<4>()? != kind.magic() {
        return Err(TableFault::Magic);
    }
    let layout = header.byte()?;
    if (layout & PAWNS != 0) != material.has_pawns() || (layout & SPLIT != 0) == material.is_symmetric() {
        return Err(TableFault::Header("layout"));
    }
    let files = if material.has_pawns() { 4 } else { 1 };
    let sides = if kind == TableKind::Wdl && !material.is_symmetric() { 2 } else { 1 };
    let sizes = sizes(&mut header, material, files, sides)?;
    let mut parts = Vec::new();
    for size in sizes {
        parts.push(part(&mut header, kind, size)?);
    }
    if kind == TableKind::Dtz {
        // Tables of like sides hold White to move only. A part that claims Black would be looked up
        // with colours exchanged over and over.
        if material.is_symmetric() && parts.iter().any(|part| part.flags & BLACK_TO_MOVE != 0) {
            return Err(TableFault::Header("side to move"));
        }
        skip_maps(&mut header, &parts)?;
    }
    let mut end = header.offset;
    end += parts.iter().map(|part| 6 * part.sparse_entries + 2 * part.block_lengths).sum::<u64>();
    for part in &parts {
        end = end.next_multiple_of(64) + part.data_bytes;
    }
    Ok(end.next_multiple_of(64) + 16)
}

/// Reads the order of the pieces in all parts; returns the number of positions of each.
fn sizes<R: Read>(
    header: &mut Header<R>,
    material: &Material,
    files: usize,
    sides: usize,
) -> Result<Vec<u64>, TableFault> {
    let both_pawns = material.both_have_pawns();
    let mut sizes = Vec::new();
    // All parts list the same pieces, and number them from the same side's pawns.
    let mut reference: Option<(Material, ListedPiece)> = None;
    for file in 0..files {
        let first = header.byte()?;
        let second = if both_pawns { header.byte()? } else { 0xFF };
        let mut lists = [Vec::new(), Vec::new()];
        for _ in 0..material.piece_count() {
            let pair = header.byte()?;
            for (side, list) in lists.iter_mut().take(sides).enumerate() {
                list.push(listed(pair >> (4 * side) & 15).ok_or(TableFault::Header("pieces"))?);
            }
        }
        for (side, list) in lists.iter().take(sides).enumerate() {
            let mut listed = Material::EMPTY;
            for &(side, kind) in list {
                listed.add(side, kind);
            }
            let &mut (expected, leader) = reference.get_or_insert((listed, list[0]));
            let fits = (listed == *material || listed == material.swapped()) && listed == expected;
            let is_led = leader.1 != PieceType::Pawn || leader == list[0];
            if !fits || !is_led {
                return Err(TableFault::Header("pieces"));
            }
            let order = [first, second].map(|places| places >> (4 * side) & 15);
            sizes.push(positions(list, file, order, both_pawns)?);
        }
    }
    header.skip_to_even()?;
    Ok(sizes)
}

/// Reads how a part is coded.
fn part<R: Read>(header: &mut Header<R>, kind: TableKind, positions: u64) -> Result<Part, TableFault> {
    let [flags, block_bits] = header.bytes()?;
    if flags & SINGLE_VALUE != 0 {
        // Instead of a block size there is the value.
        if kind == TableKind::Wdl && block_bits > 4 {
            return Err(TableFault::Header("result"));
        }
        return Ok(Part { flags, sparse_entries: 0, block_lengths: 0, data_bytes: 0 });
    }
    let [span_bits, padding] = header.bytes()?;
    let blocks = u32::from_le_bytes(header.bytes()?);
    let [longest, shortest] = header.bytes()?;
    if block_bits > MAX_BLOCK_BITS || span_bits > 31 || blocks.checked_add(u32::from(padding)).is_none() {
        return Err(TableFault::Header("block size"));
    }
    if shortest < 1 || shortest > longest || longest > MAX_CODE_BITS {
        return Err(TableFault::Header("code length"));
    }
    let mut lowest = Vec::new();
    for _ in shortest..=longest {
        lowest.push(header.word()?);
    }
    check_code(&lowest, shortest)?;
    let symbols = header.word()?;
    for _ in 0..symbols {
        let [low, middle, high] = header.bytes()?.map(u16::from);
        let (left, right) = ((middle & 15) << 8 | low, high << 4 | middle >> 4);
        // A symbol without a right half is a value.
        if right != 0xFFF && (left >= symbols || right >= symbols) {
            return Err(TableFault::Header("symbol"));
        }
    }
    header.skip_to_even()?;
    Ok(Part {
        flags,
        sparse_entries: positions.div_ceil(1 << span_bits),
        block_lengths: u64::from(blocks) + u64::from(padding),
        data_bytes: u64::from(blocks) << block_bits,
    })
}

/// Checks a canonical Huffman code, given by the lowest symbol of each length: every code word must have a
/// number that fits.
fn check_code(lowest: &[u16], shortest: u8) -> Result<(), TableFault> {
    const FAULT: TableFault = TableFault::Header("code");
    let bits = |index: usize| u32::from(shortest) + index as u32;
    // The first code word of each length, from the longest to the shortest, aligned at the top.
    let mut base = vec![0_u64; lowest.len()];
    for index in (0..lowest.len().saturating_sub(1)).rev() {
        let sum = base[index + 1] + u64::from(lowest[index]);
        base[index] = sum.checked_sub(u64::from(lowest[index + 1])).ok_or(FAULT)? / 2;
    }
    let mut above = None;
    for (index, &first) in base.iter().enumerate() {
        if first >> bits(index) != 0 {
            return Err(FAULT);
        }
        let aligned = first << (64 - bits(index));
        // Words of this length begin here and end where those of the length before begin.
        let last = above.map_or(u64::MAX, |above: u64| above.saturating_sub(1));
        let is_unused = above == Some(aligned);
        above = Some(aligned);
        if is_unused {
            continue;
        }
        let span = last.checked_sub(aligned).ok_or(FAULT)? >> (64 - bits(index));
        if span + u64::from(lowest[index]) > u64::from(u16::MAX) {
            return Err(FAULT);
        }
    }
    Ok(())
}

/// Reads past the lists that turn stored into real distances, four per part.
fn skip_maps<R: Read>(header: &mut Header<R>, parts: &[Part]) -> Result<(), TableFault> {
    for part in parts.iter().filter(|part| part.flags & MAPPED != 0) {
        let is_wide = part.flags & WIDE != 0;
        if is_wide {
            header.skip_to_even()?;
        }
        for _ in 0..4 {
            let length = if is_wide { 2 * u64::from(header.word()?) } else { u64::from(header.byte()?) };
            for _ in 0..length {
                header.byte()?;
            }
        }
    }
    header.skip_to_even()
}

// How many positions a table counts is not said in its header, but its size depends on it. Pieces are numbered group by
// group: the leading group (pawns of one colour, three single pieces, or the kings), then the other side's pawns, then
// groups of like pieces.

/// A piece as the header lists it: the side named first in the file is 0.
type ListedPiece = (usize, PieceType);

/// Reads a header's four bits of a piece.
fn listed(nibble: u8) -> Option<ListedPiece> {
    // The format numbers the pieces in our order, from 1.
    let kind = PieceType::ALL.get(usize::from(nibble & 7).checked_sub(1)?)?;
    Some((usize::from(nibble >> 3 & 1), *kind))
}

/// Ways to choose `k` of `n`.
fn binomial(n: u64, k: u64) -> u64 {
    (0..k).fold(1, |ways, i| ways * n.saturating_sub(i) / (i + 1))
}

/// Placements of `pawns` like pawns of which the leading one stands on `file`, 0 to 3 for a to d.
fn leading_pawns(pawns: u64, file: u64) -> u64 {
    // Squares are numbered downwards from 47, a file and its mirror image together.
    (0..6).map(|rank| binomial(47 - 2 * (6 * file + rank), pawns - 1)).sum()
}

/// The number of positions in the part of a table for a leading pawn on `file` (0 without pawns), from the
/// pieces in the header's order. `order` are the places of the leading group and of the other side's pawns
/// among the groups.
fn positions(
    pieces: &[ListedPiece],
    file: usize,
    order: [u8; 2],
    both_pawns: bool,
) -> Result<u64, TableFault> {
    let mut material = Material::EMPTY;
    for &(side, kind) in pieces {
        material.add(side, kind);
    }
    let with_pawns = material.has_pawns();
    let leading = if with_pawns { 0 } else { material.singles().min(3) };
    let mut groups = Vec::new();
    groups.extend((leading > 0).then_some(leading));
    groups.extend(pieces[leading..].chunk_by(|a, b| a == b).map(<[ListedPiece]>::len));

    let kings_lead = || pieces[..2].iter().all(|piece| piece.1 == PieceType::King);
    let pawns_lead = |group: usize, from: usize| {
        let (side, kind) = pieces[from];
        kind == PieceType::Pawn && groups[group] == material.count(side, kind)
    };
    let fits = match (with_pawns, both_pawns) {
        (true, true) => groups.len() > 1 && pawns_lead(0, 0) && pawns_lead(1, groups[0]),
        (true, false) => pawns_lead(0, 0),
        (false, _) => leading == 3 || kings_lead(),
    };
    let places = &order[..1 + usize::from(both_pawns)];
    let is_ordered = places.iter().all(|&place| usize::from(place) < groups.len());
    if !fits || !is_ordered || both_pawns && order[0] == order[1] {
        return Err(TableFault::Header("order of the pieces"));
    }

    let mut count = match (with_pawns, leading) {
        (true, _) => leading_pawns(groups[0] as u64, file as u64),
        (false, 3) => 31_332,
        _ => 462,
    };
    let (mut next, mut free) = (1, 64 - groups[0] as u64);
    if both_pawns {
        count *= binomial(48 - groups[0] as u64, groups[1] as u64);
        free -= groups[1] as u64;
        next = 2;
    }
    for &group in &groups[next..] {
        count *= binomial(free, group as u64);
        free -= group as u64;
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_placement_of_pawns_is_counted_once() {
        assert_eq!(binomial(48, 0), 1);
        assert_eq!(binomial(48, 3), 17_296);
        assert_eq!(binomial(2, 3), 0);
        for pawns in 1..=5 {
            // Mirror images count once, which halves only the placements of a single pawn.
            let sum: u64 = (0..4).map(|file| leading_pawns(pawns, file)).sum();
            let all = binomial(48, pawns);
            assert!(sum >= all / 2 && sum <= all, "{pawns}: {sum} of {all}");
        }
        assert_eq!((0..4).map(|file| leading_pawns(1, file)).sum::<u64>(), 24);
    }
}
