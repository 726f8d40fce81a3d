//! How many positions a table counts, which its header does not say but its size depends on.
//!
//! Men are numbered group by group: the leading group (pawns of one colour, three single men, or the
//! kings), then the other side's pawns, then groups of like men.

use super::check::TableFault;
use super::name::Material;
use crate::types::PieceType;

/// A man as the header lists it: the side named first in the file is 0.
pub(super) type Man = (usize, PieceType);

/// Reads a header's four bits of a man.
pub(super) fn man(nibble: u8) -> Option<Man> {
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
/// men in the header's order. `order` are the places of the leading group and of the other side's pawns
/// among the groups.
pub(super) fn positions(
    men: &[Man],
    file: usize,
    order: [u8; 2],
    both_pawns: bool,
) -> Result<u64, TableFault> {
    let mut material = Material::EMPTY;
    for &(side, kind) in men {
        material.add(side, kind);
    }
    let with_pawns = material.has_pawns();
    let leading = if with_pawns { 0 } else { material.singles().min(3) };
    let mut groups = Vec::new();
    groups.extend((leading > 0).then_some(leading));
    groups.extend(men[leading..].chunk_by(|a, b| a == b).map(<[Man]>::len));

    let kings_lead = || men[..2].iter().all(|man| man.1 == PieceType::King);
    let pawns_lead = |group: usize, from: usize| {
        let (side, kind) = men[from];
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
        return Err(TableFault::Header("order of the men"));
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
