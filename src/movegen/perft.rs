//! Perft: counting the leaves of the legal move tree, the standard check of a move generator.
//!
//! Leaves are bulk-counted: at the last ply moves are counted, not made (CPW: "Perft").

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;

use crate::board::Position;
use crate::types::Move;

/// Number of legal move sequences of exactly `depth` plies; 1 for depth 0.
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_moves(),
        _ => position.legal_moves().iter().map(|&mv| perft(&position.after(mv), depth - 1)).sum(),
    }
}

/// Depth up to which a stop flag is not looked at: less than a millisecond's worth of work, whatever the
/// position, and so much that a look now and then costs nothing beside it.
const UNSTOPPABLE_DEPTH: u32 = 2;

/// The same, with a result that is meaningless once `stop` is set.
fn perft_until(position: &Position, depth: u32, stop: &AtomicBool) -> u64 {
    if depth <= UNSTOPPABLE_DEPTH {
        return perft(position, depth);
    }
    if stop.load(Ordering::Relaxed) {
        return 0;
    }
    position.legal_moves().iter().map(|&mv| perft_until(&position.after(mv), depth - 1, stop)).sum()
}

/// Why a perft has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PerftError {
    /// It was stopped.
    #[error("perft stopped")]
    Stopped,
    /// The table does not fit into memory.
    #[error("not enough memory for a perft table of {mib} MB")]
    Memory {
        /// The size asked for, in MiB.
        mib: usize,
    },
}

/// Counts the leaves below one root move after the other, telling each count as soon as it is known, and
/// returns their sum.
///
/// # Errors
/// When `stop` was set before the end.
pub fn perft_divide(
    position: &Position,
    depth: u32,
    stop: &AtomicBool,
    mut tell: impl FnMut(Move, u64),
) -> Result<u64, PerftError> {
    if depth == 0 {
        return Ok(1);
    }
    let mut total = 0;
    for &mv in &position.legal_moves() {
        let leaves = perft_until(&position.after(mv), depth - 1, stop);
        if stop.load(Ordering::Relaxed) {
            return Err(PerftError::Stopped);
        }
        tell(mv, leaves);
        total += leaves;
    }
    Ok(total)
}

/// How to run a perft.
#[derive(Clone, Copy, Debug)]
pub struct PerftOptions {
    /// Plies.
    pub depth: u32,
    /// Worker threads, at least 1.
    pub threads: usize,
    /// Size of the table of known subtree counts in MiB; 0 for none.
    pub hash_mib: usize,
}

/// The leaves below each root move, in generation order.
pub struct PerftReport {
    /// Root moves with their leaf counts.
    pub divide: Vec<(Move, u64)>,
    /// All leaves.
    pub total: u64,
}

/// Leaf counts below each root move, shared out over threads. The first plies make the work items.
///
/// # Errors
/// When `stop` was set before the end, or there is no memory for the table.
pub fn perft_parallel(
    position: &Position,
    options: PerftOptions,
    stop: &AtomicBool,
) -> Result<PerftReport, PerftError> {
    let depth = options.depth;
    let roots = position.legal_moves();
    if depth == 0 {
        return Ok(PerftReport { divide: Vec::new(), total: 1 });
    }
    let table = match options.hash_mib {
        0 => None,
        mib => Some(PerftTable::new(mib).ok_or(PerftError::Memory { mib })?),
    };
    let split = SPLIT_PLIES.min(depth.saturating_sub(2));
    let mut jobs = Vec::new();
    for (root, &mv) in roots.iter().enumerate() {
        collect_jobs(&mut jobs, root, position.after(mv), depth - 1, split);
    }
    let counts: Vec<AtomicU64> = roots.iter().map(|_| AtomicU64::new(0)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((root, position, depth)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            let leaves = match &table {
                Some(table) => table.perft(position, *depth, stop),
                None => perft_until(position, *depth, stop),
            };
            counts[*root].fetch_add(leaves, Ordering::Relaxed);
        }
    };
    thread::scope(|scope| {
        for _ in 1..options.threads.max(1) {
            // A thread that the system refuses is done without.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    if stop.load(Ordering::Relaxed) {
        return Err(PerftError::Stopped);
    }
    let divide: Vec<_> = roots.iter().copied().zip(counts.into_iter().map(AtomicU64::into_inner)).collect();
    Ok(PerftReport { total: divide.iter().map(|&(_, leaves)| leaves).sum(), divide })
}

/// Plies below the root moves at which the tree is cut into work items.
const SPLIT_PLIES: u32 = 2;

/// A root move's number, a position below it, and the plies left to count there.
type Job = (usize, Position, u32);

fn collect_jobs(jobs: &mut Vec<Job>, root: usize, position: Position, depth: u32, split: u32) {
    if split == 0 {
        jobs.push((root, position, depth));
        return;
    }
    for mv in position.legal_moves() {
        collect_jobs(jobs, root, position.after(mv), depth - 1, split - 1);
    }
}

/// Known subtree counts, shared between threads without locks: each slot holds the count and the key
/// mixed with depth and count, so a torn pair fails the comparison (CPW: "Shared Hash Table", Hyatt's
/// lockless hashing).
struct PerftTable {
    slots: Vec<(AtomicU64, AtomicU64)>,
}

impl PerftTable {
    fn new(mib: usize) -> Option<PerftTable> {
        let count = mib.checked_mul(1024 * 1024 / 16)?;
        let mut slots = Vec::new();
        slots.try_reserve_exact(count).ok()?;
        slots.resize_with(count, Default::default);
        Some(PerftTable { slots })
    }

    fn perft(&self, position: &Position, depth: u32, stop: &AtomicBool) -> u64 {
        if depth < 2 {
            return perft(position, depth);
        }
        if stop.load(Ordering::Relaxed) {
            return 0;
        }
        let key = position.key() ^ u64::from(depth).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        // The high half of the product spreads keys over any number of slots.
        let index = ((u128::from(key) * self.slots.len() as u128) >> 64) as usize;
        let (check, count) = &self.slots[index];
        let known = count.load(Ordering::Relaxed);
        if check.load(Ordering::Relaxed) ^ known == key {
            return known;
        }
        let leaves =
            position.legal_moves().iter().map(|&mv| self.perft(&position.after(mv), depth - 1, stop)).sum();
        if stop.load(Ordering::Relaxed) {
            return leaves;
        }
        check.store(key ^ leaves, Ordering::Relaxed);
        count.store(leaves, Ordering::Relaxed);
        leaves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_of_counting_agree() {
        let kiwipete: Position =
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1".parse().unwrap();
        for (depth, leaves) in [(0, 1), (1, 48), (2, 2039), (3, 97_862), (4, 4_085_603)] {
            assert_eq!(perft(&kiwipete, depth), leaves);
            for (threads, hash_mib) in [(1, 0), (2, 0), (1, 4), (3, 1)] {
                let options = PerftOptions { depth, threads, hash_mib };
                let report = perft_parallel(&kiwipete, options, &AtomicBool::new(false)).unwrap();
                assert_eq!(report.total, leaves, "depth {depth} threads {threads} hash {hash_mib}");
            }
        }
    }

    #[test]
    fn divides_by_root_move_and_stops() {
        let options = PerftOptions { depth: 3, threads: 1, hash_mib: 0 };
        let report = perft_parallel(&Position::start(), options, &AtomicBool::new(false)).unwrap();
        assert_eq!((report.divide.len(), report.total), (20, 8902));
        assert!(perft_parallel(&Position::start(), options, &AtomicBool::new(true)).is_err());
        let mut told = Vec::new();
        let total = perft_divide(&Position::start(), 3, &AtomicBool::new(false), |mv, leaves| {
            told.push((mv, leaves));
        });
        assert_eq!((told, total), (report.divide, Ok(8902)));
        assert_eq!(perft_divide(&Position::start(), 0, &AtomicBool::new(false), |_, _| {}), Ok(1));
        // Stopped after the first move.
        let stop = AtomicBool::new(false);
        let stopped = perft_divide(&Position::start(), 5, &stop, |_, _| {
            assert!(!stop.swap(true, Ordering::Relaxed));
        });
        assert_eq!(stopped, Err(PerftError::Stopped));
        // What is left is given up, not counted less deep.
        let (stop, table) = (AtomicBool::new(true), PerftTable::new(1).unwrap());
        assert_eq!(perft_until(&Position::start(), 9, &stop), 0);
        assert_eq!(table.perft(&Position::start(), 9, &stop), 0);
        let options = PerftOptions { hash_mib: usize::MAX, ..options };
        let refused = perft_parallel(&Position::start(), options, &AtomicBool::new(false)).err();
        assert_eq!(refused, Some(PerftError::Memory { mib: usize::MAX }));
    }
}
