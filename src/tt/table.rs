//! Buckets, look-up and replacement.

use std::ops::Deref;
use std::sync::atomic::{
    AtomicBool, AtomicU8, AtomicU16, AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};
use std::{slice, thread};

use memmap2::{MmapMut, MmapOptions};

use super::entry::{AGES, Bound, TtEntry, packed_age, packed_depth, packed_move};
use super::memory::memory_shortage;
use crate::types::{MAX_PLY, Score};

const BUCKET_ENTRIES: usize = 3;

/// Three entries in half a cache line. A zeroed bucket is empty.
#[repr(C, align(32))]
struct Bucket {
    data: [AtomicU64; BUCKET_ENTRIES],
    /// Low 16 key bits mixed with a fold of the entry's data.
    checks: [AtomicU16; BUCKET_ENTRIES],
}

const _: () = assert!(size_of::<Bucket>() == 32);

/// Buckets that one thread makes ready in one go: 4 MiB, some milliseconds' worth of work.
const PART_BUCKETS: usize = (4 << 20) / size_of::<Bucket>();
/// Buckets of a page of memory where pages are smallest.
const PAGE_BUCKETS: usize = 4096 / size_of::<Bucket>();

/// There was not enough memory for a table of the size asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not enough memory for a hash table of {mib} MB{}", .free_mib.map_or(String::new(), |free| format!(", {free} MB are free")))]
pub struct AllocationError {
    /// The size asked for, in MiB.
    pub mib: usize,
    /// What the system can still give, in MiB, where it would have promised more than that.
    pub free_mib: Option<u64>,
}

/// A hash table from position keys to [`TtEntry`].
///
/// A table can be used as soon as it exists, but the system hands its memory out page by page when it is first
/// written, which slows a search down a thousandfold while it lasts. So it is made ready first, by as many threads
/// as there are ([`TranspositionTable::make_ready`]). Where that takes too long, a search can make do with the parts
/// that are ready ([`TranspositionTable::use_what_is_ready`]).
pub struct TranspositionTable {
    buckets: Buckets,
    /// Number of buckets in use, from the first on.
    used: AtomicUsize,
    age: AtomicU8,
    /// The next part to make ready, of [`PART_BUCKETS`] each; from the number of parts on all are.
    next_part: AtomicUsize,
    /// Parts of which that is finished.
    ready_parts: AtomicUsize,
    /// Nothing was ever stored, as far as the table was told.
    is_new: AtomicBool,
}

impl Bucket {
    fn clear(&self) {
        self.data.iter().for_each(|data| data.store(0, Relaxed));
        self.checks.iter().for_each(|check| check.store(0, Relaxed));
    }
}

/// Exclusive-or of the four 16-bit parts of the data.
#[inline(always)]
const fn fold(data: u64) -> u16 {
    let half = data ^ data >> 32;
    (half ^ half >> 16) as u16
}

/// The memory of a table: zeroed pages from the system, which cost nothing until they are used.
struct Buckets(MmapMut);

impl Buckets {
    fn new(count: usize) -> Option<Buckets> {
        let bytes = count.checked_mul(size_of::<Bucket>()).filter(|&bytes| bytes > 0)?;
        let memory = MmapOptions::new().len(bytes).map_anon().ok()?;
        // A table is read all over the place: with pages of 4 KiB most probes would also miss the
        // processor's cache of page addresses. A system without large pages plays on with small ones.
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        Some(Buckets(memory))
    }
}

impl Deref for Buckets {
    type Target = [Bucket];

    fn deref(&self) -> &[Bucket] {
        #[allow(unsafe_code)]
        // SAFETY: the mapping starts at a page, so it is aligned, and holds exactly this number of buckets; any
        // bytes are a valid state for atomics. Nothing reaches the mapping but through this slice.
        unsafe {
            slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len() / size_of::<Bucket>())
        }
    }
}

impl TranspositionTable {
    /// An empty table of about `mib` MiB, at least one, that is yet to be made ready.
    ///
    /// # Errors
    /// When the memory cannot be had.
    pub fn new(mib: usize) -> Result<TranspositionTable, AllocationError> {
        let refused = |free_mib| AllocationError { mib, free_mib };
        let bytes = mib.max(1).checked_mul(1 << 20).ok_or(refused(None))?;
        let buckets = Buckets::new(bytes / size_of::<Bucket>()).ok_or(refused(None))?;
        if let Some(free) = memory_shortage(bytes as u64) {
            return Err(refused(Some(free >> 20)));
        }
        Ok(TranspositionTable {
            used: AtomicUsize::new(buckets.len()),
            buckets,
            age: AtomicU8::new(0),
            next_part: AtomicUsize::new(0),
            ready_parts: AtomicUsize::new(0),
            is_new: AtomicBool::new(true),
        })
    }

    /// Makes the table ready, part by part, as long as `goes_on` says so. Threads may share the work. What is left
    /// undone can be done later.
    pub fn make_ready(&self, goes_on: impl Fn() -> bool) {
        while goes_on() && self.make_part_ready() {}
    }

    /// Makes the next part ready, if one is left.
    fn make_part_ready(&self) -> bool {
        let number = self.next_part.fetch_add(1, Relaxed);
        let Some(part) = self.buckets.chunks(PART_BUCKETS).nth(number) else { return false };
        if self.is_new.load(Relaxed) {
            // The system empties a page when it is first written to.
            part.iter().step_by(PAGE_BUCKETS).for_each(|bucket| bucket.data[0].store(0, Relaxed));
        } else {
            part.iter().for_each(Bucket::clear);
        }
        self.ready_parts.fetch_add(1, Release);
        true
    }

    fn parts(&self) -> usize {
        self.buckets.len().div_ceil(PART_BUCKETS)
    }

    /// Whether all parts are ready, or some thread is about to finish the last.
    pub fn is_ready(&self) -> bool {
        self.next_part.load(Relaxed) >= self.parts()
    }

    /// Leaves out from now on, until this is called again, what has not been made ready. One part is made ready if
    /// none is. What was stored can no longer be found if the number of parts in use changes.
    pub fn use_what_is_ready(&self) {
        if self.next_part.load(Relaxed) == 0 {
            self.make_part_ready();
        }
        // Parts that other threads have begun are finished in some milliseconds.
        let begun = || self.next_part.load(Relaxed).min(self.parts());
        while self.ready_parts.load(Acquire) < begun() {
            thread::yield_now();
        }
        self.used.store((begun() * PART_BUCKETS).min(self.buckets.len()), Relaxed);
    }

    /// Memory that is still to be handed out by the system, in bytes.
    pub fn missing_bytes(&self) -> u64 {
        let ready = if self.is_new.load(Relaxed) { self.next_part.load(Relaxed) } else { usize::MAX };
        let missing = self.buckets.len().saturating_sub(ready.saturating_mul(PART_BUCKETS));
        (missing * size_of::<Bucket>()) as u64
    }

    /// Gives all that was stored up. The table is empty when it has been made ready again.
    pub fn forget(&self) {
        self.age.store(0, Relaxed);
        self.is_new.store(false, Relaxed);
        self.ready_parts.store(0, Relaxed);
        self.next_part.store(0, Relaxed);
    }

    /// Forgets everything at once, sharing the work out over `threads`.
    pub fn clear(&self, threads: usize) {
        self.forget();
        let work = || self.make_ready(|| true);
        thread::scope(|scope| {
            for _ in 1..threads {
                // A thread that the system refuses is done without.
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
    }

    /// Marks the start of a search: entries of earlier ones become the first to be replaced.
    pub fn start_search(&self) {
        self.age.store((self.age.load(Relaxed) + 1) % AGES, Relaxed);
    }

    /// The bucket of a key: its high bits, scaled to the number of buckets in use.
    #[inline(always)]
    fn bucket(&self, key: u64) -> &Bucket {
        let index = ((u128::from(key) * self.used.load(Relaxed) as u128) >> 64) as usize;
        &self.buckets[index]
    }

    /// Asks the processor to load the entry of this key while other work goes on.
    pub fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let bucket: *const Bucket = self.bucket(key);
            #[allow(unsafe_code)]
            // SAFETY: a prefetch has no effect on program state, and SSE is part of x86-64.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(bucket.cast())
            };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// What is known about a position; mate scores are turned into distances from the root at `ply`,
    /// unless the fifty-move rule, at this clock, comes before the mate.
    #[inline]
    pub fn probe(&self, key: u64, ply: usize, halfmove_clock: u16) -> Option<TtEntry> {
        let bucket = self.bucket(key);
        for (data, check) in bucket.data.iter().zip(&bucket.checks) {
            let data = data.load(Relaxed);
            if check.load(Relaxed) ^ fold(data) == key as u16 && data != 0 {
                let mut entry = TtEntry::unpack(data);
                let stored = entry.score;
                entry.score = stored.from_tt(ply, halfmove_clock);
                // A mate that comes too late is no bound for anything.
                if stored.is_decisive() && !entry.score.is_decisive() {
                    entry.bound = Bound::None;
                }
                return Some(entry);
            }
        }
        None
    }

    /// Remembers a search result. The entry takes the place of an older one of the same position, or
    /// of the one in its bucket that is worth least: shallow and from an earlier search.
    #[inline]
    pub fn store(&self, key: u64, ply: usize, mut entry: TtEntry) {
        let age = self.age.load(Relaxed);
        let bucket = self.bucket(key);
        let mut victim = 0;
        let mut least_worth = i32::MAX;
        for index in 0..BUCKET_ENTRIES {
            let data = bucket.data[index].load(Relaxed);
            if data == 0 {
                victim = index;
                break;
            }
            if bucket.checks[index].load(Relaxed) ^ fold(data) == key as u16 {
                // A deep result of this search is not given up for a much shallower bound.
                let is_current = packed_age(data) == age;
                if is_current
                    && entry.bound != Bound::Exact
                    && entry.depth + 4 + 2 * i32::from(entry.was_pv) <= packed_depth(data)
                {
                    return;
                }
                if entry.mv.is_none() {
                    entry.mv = crate::types::Move::from_bits(packed_move(data));
                }
                victim = index;
                break;
            }
            let years = (age + AGES - packed_age(data)) % AGES;
            let worth = packed_depth(data) - 8 * i32::from(years);
            if worth < least_worth {
                (least_worth, victim) = (worth, index);
            }
        }
        debug_assert!(entry.score > -Score::INFINITE && entry.score < Score::INFINITE && ply <= MAX_PLY);
        entry.score = entry.score.to_tt(ply);
        let data = entry.pack(age);
        bucket.data[victim].store(data, Relaxed);
        bucket.checks[victim].store(key as u16 ^ fold(data), Relaxed);
    }

    /// How full the table is with entries of the current search, in permille, from a sample.
    pub fn hashfull(&self) -> usize {
        let age = self.age.load(Relaxed);
        let sample = &self.buckets[..self.buckets.len().min(1000)];
        let used = sample
            .iter()
            .flat_map(|bucket| &bucket.data)
            .map(|data| data.load(Relaxed))
            .filter(|&data| data != 0 && packed_age(data) == age)
            .count();
        used * 1000 / (sample.len() * BUCKET_ENTRIES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Move, MoveKind, Square};

    fn entry(score: Score, depth: i32) -> TtEntry {
        let mv = Some(Move::new(Square::E2, Square::E4, MoveKind::DoublePush));
        TtEntry { mv, score, eval: Some(Score(12)), depth, bound: Bound::Exact, was_pv: true }
    }

    #[test]
    fn stores_and_finds() {
        let table = TranspositionTable::new(1).unwrap();
        let key = 0x1234_5678_9ABC_DEF0;
        assert_eq!(table.probe(key, 0, 0), None);
        table.store(key, 3, entry(Score(55), 7));
        assert_eq!(table.probe(key, 9, 0), Some(entry(Score(55), 7)));
        assert_eq!(table.probe(key ^ 1, 9, 0), None);
        table.clear(2);
        assert_eq!(table.probe(key, 0, 0), None);
    }

    #[test]
    fn a_table_is_made_ready_part_by_part() {
        let table = TranspositionTable::new(11).unwrap();
        assert_eq!(table.missing_bytes(), 11 << 20);
        let keys = || (0..1000u64).map(|number| number << 54 | number);
        for _ in 0..2 {
            assert!(!table.is_ready());
            // A part is put off and done later.
            table.make_ready(|| false);
            assert!(!table.is_ready());
            // A search that cannot wait makes do with one part.
            table.use_what_is_ready();
            assert_eq!(table.used.load(Relaxed), PART_BUCKETS);
            keys().for_each(|key| table.store(key, 0, entry(Score(1), 3)));
            assert!(keys().all(|key| table.probe(key, 0, 0).is_some()));
            table.buckets[..PART_BUCKETS].iter().for_each(Bucket::clear);
            assert_eq!((0..9).filter(|_| table.make_part_ready()).count(), 2);
            assert!(table.is_ready() && table.missing_bytes() == 0);
            table.use_what_is_ready();
            assert_eq!(table.used.load(Relaxed), table.buckets.len());
            assert!(keys().all(|key| table.probe(key, 0, 0).is_none()));
            keys().for_each(|key| table.store(key, 0, entry(Score(1), 3)));
            assert!(keys().all(|key| table.probe(key, 0, 0).is_some()));
            table.start_search();
            table.forget();
        }
    }

    #[test]
    fn mate_distances_are_counted_from_the_node() {
        let table = TranspositionTable::new(1).unwrap();
        table.store(77, 4, entry(Score::mate_in(9), 7));
        assert_eq!(table.probe(77, 10, 0).unwrap().score, Score::mate_in(15));
        table.store(77, 4, entry(Score::mated_in(8), 9));
        assert_eq!(table.probe(77, 0, 0).unwrap().score, Score::mated_in(4));
    }

    #[test]
    fn a_mate_that_the_fifty_move_rule_forestalls_bounds_nothing() {
        let table = TranspositionTable::new(1).unwrap();
        table.store(77, 0, TtEntry { bound: Bound::Lower, ..entry(Score::mate_in(9), 7) });
        assert_eq!(table.probe(77, 0, 91).unwrap().bound, Bound::Lower);
        assert_eq!(table.probe(77, 0, 92).unwrap().bound, Bound::None);
    }

    #[test]
    fn old_and_shallow_entries_go_first() {
        let table = TranspositionTable::new(1).unwrap();
        // Keys of one bucket differ in their low bits only.
        table.store(1, 0, entry(Score(1), 20));
        table.start_search();
        table.store(2, 0, entry(Score(2), 5));
        table.store(3, 0, entry(Score(3), 14));
        for _ in 0..3 {
            table.start_search();
        }
        table.store(4, 0, entry(Score(4), 1));
        assert_eq!(table.probe(2, 0, 0), None);
        assert!(
            table.probe(1, 0, 0).is_some()
                && table.probe(3, 0, 0).is_some()
                && table.probe(4, 0, 0).is_some()
        );
    }

    #[test]
    fn a_result_without_move_keeps_the_known_move() {
        let table = TranspositionTable::new(1).unwrap();
        table.store(9, 0, entry(Score(1), 3));
        table.store(9, 0, TtEntry { mv: None, ..entry(Score(2), 4) });
        assert_eq!(table.probe(9, 0, 0).unwrap().mv, entry(Score(1), 3).mv);
    }

    #[test]
    fn impossible_sizes_are_an_error() {
        let error = AllocationError { mib: 1 << 42, free_mib: None };
        assert_eq!(TranspositionTable::new(1 << 42).err(), Some(error));
        assert!(TranspositionTable::new(usize::MAX).is_err());
    }

    #[test]
    fn hashfull_counts_the_current_search() {
        let table = TranspositionTable::new(1).unwrap();
        assert_eq!(table.hashfull(), 0);
        for key in 0..3000u64 {
            table.store(key << 49 | key, 0, entry(Score(1), 3));
        }
        let full = table.hashfull();
        assert!(full > 50, "{full}");
        table.start_search();
        assert_eq!(table.hashfull(), 0);
    }
}
