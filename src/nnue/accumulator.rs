//! The accumulators along a line of moves.
//!
//! Making a move only notes what it changed. When a position is to be evaluated, the stack walks back to
//! the last ply whose accumulator is known and comes forward again, row by row; many positions are never
//! evaluated (a table hit, a repetition) and cost nothing. Where a king has crossed the middle of the
//! board, its side's features all change; then the accumulator is built from the last one seen with the
//! king on that half and in that king bucket, by the pieces that differ (Luecx's "Finny table", after Koivisto).
//!
//! That rebuilding is done at the ply where it became necessary, the root or the king's crossing, even if
//! neither it nor those after it were asked for: all that is evaluated below then starts from there. In a
//! game the table knows the root and the first plies from the search before, and nobody would ask.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::features::Viewpoint;
use super::inference::{Block, Kernels};
use super::network::Network;
use crate::board::{Delta, PlacedPiece, Position};
use crate::types::{Bitboard, Color, MAX_PLY, Piece, PieceType};

/// Plies that fit: the root and every move a search can make below it.
const PLIES: usize = MAX_PLY + 1;

/// What is known of one ply.
#[derive(Clone, Copy, Default)]
struct Ply {
    /// How its position came from that of the ply before.
    delta: Delta,
    /// Whether the accumulator is computed. `[perspective]`
    computed: [bool; 2],
}

/// Accumulators of a position and of those that led to it. Memory is taken once; it is about
/// 1 KiB per hidden neuron.
pub struct AccumulatorStack {
    network: Arc<Network>,
    kernels: Kernels,
    /// Blocks of one accumulator.
    blocks: usize,
    /// `[ply][perspective][block]`
    values: Box<[Block]>,
    plies: Box<[Ply; PLIES]>,
    /// The ply of the current position.
    top: usize,
    cache: RefreshCache,
    refreshes: u64,
}

impl AccumulatorStack {
    /// A stack for a network, computing with the processor's best instructions. It stands at a root of
    /// which nothing is known.
    pub fn new(network: Arc<Network>) -> AccumulatorStack {
        AccumulatorStack::with_kernels(network, Kernels::best())
    }

    /// The same with chosen instructions.
    pub fn with_kernels(network: Arc<Network>, kernels: Kernels) -> AccumulatorStack {
        let blocks = network.blocks();
        AccumulatorStack {
            kernels,
            blocks,
            values: vec![Block::ZERO; PLIES * 2 * blocks].into_boxed_slice(),
            plies: Box::new([Ply::default(); PLIES]),
            top: 0,
            cache: RefreshCache::new(&network),
            refreshes: 0,
            network,
        }
    }

    /// The network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// The instructions that it computes with.
    pub fn kernels(&self) -> Kernels {
        self.kernels
    }

    /// How often an accumulator of one side had to be built anew instead of from its neighbour.
    pub fn refreshes(&self) -> u64 {
        self.refreshes
    }

    /// Forgets all moves: the next position evaluated may be any.
    #[inline]
    pub fn reset(&mut self) {
        self.top = 0;
        self.plies[0].computed = [false; 2];
    }

    /// Follows a move. Passing the turn changes no accumulator and need not be told.
    ///
    /// # Panics
    /// More than [`MAX_PLY`] moves deep.
    #[inline]
    pub fn push(&mut self, delta: Delta) {
        self.top += 1;
        self.plies[self.top] = Ply { delta, computed: [false; 2] };
    }

    /// Takes the last move back.
    #[inline]
    pub fn pop(&mut self) {
        debug_assert!(self.top > 0, "every pop has its push");
        self.top -= 1;
    }

    /// The worth in internal units, for the side to move, of the position that the moves told have led to.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        for perspective in Color::ALL {
            self.compute(perspective, position);
        }
        let stm = position.stm();
        let pieces = position.occupied().count() as usize;
        let [own, enemy] =
            [stm, !stm].map(|color| &self.values[self.place(self.top, color)..][..self.blocks]);
        let value = self.network.output(self.kernels, own, enemy, pieces);
        debug_assert_eq!(value, self.network.evaluate(position), "accumulators differ from {position}");
        value
    }

    /// Where an accumulator starts in `values`.
    #[inline]
    fn place(&self, ply: usize, perspective: Color) -> usize {
        (2 * ply + perspective.index()) * self.blocks
    }

    /// Sees to it that the accumulator of the current position is known.
    #[inline]
    fn compute(&mut self, perspective: Color, position: &Position) {
        let side = perspective.index();
        let mut known = self.top;
        while !self.plies[known].computed[side] {
            if known == 0 || changes_view(&self.network, &self.plies[known].delta, perspective) {
                self.refresh(known, perspective, position);
                break;
            }
            known -= 1;
        }
        let view = self.network.view(perspective, position.king(perspective));
        for ply in known + 1..=self.top {
            self.update(ply, perspective, view);
        }
    }

    /// Computes an accumulator from that of the ply before.
    #[inline]
    fn update(&mut self, ply: usize, perspective: Color, view: Viewpoint) {
        let (from, to) = (self.place(ply - 1, perspective), self.place(ply, perspective));
        let (earlier, later) = self.values.split_at_mut(to);
        let (from, to) = (&earlier[from..][..self.blocks], &mut later[..self.blocks]);
        let network = &*self.network;
        let row = |placed: PlacedPiece| network.row(view.feature(placed.piece, placed.square));
        match self.plies[ply].delta {
            Delta::Nothing => to.copy_from_slice(from),
            Delta::Move { removed, added } => self.kernels.update(to, from, [row(added)], [row(removed)]),
            Delta::Capture { removed, added } => {
                self.kernels.update(to, from, [row(added)], removed.map(row));
            }
            Delta::Castle { removed, added } => {
                self.kernels.update(to, from, added.map(row), removed.map(row));
            }
        }
        self.plies[ply].computed[perspective.index()] = true;
    }

    /// Computes the accumulator of a ply from the cache. The king has not left the half and the bucket since.
    #[inline(never)]
    fn refresh(&mut self, ply: usize, perspective: Color, position: &Position) {
        let mut board = Board::of(position);
        for later in self.plies[ply + 1..=self.top].iter().rev() {
            board.take_back(&later.delta);
        }
        let to = self.place(ply, perspective);
        let accumulator = &mut self.values[to..][..self.blocks];
        let view = self.network.view(perspective, position.king(perspective));
        self.cache.refresh(&self.network, self.kernels, view, board, accumulator);
        self.plies[ply].computed[perspective.index()] = true;
        self.refreshes += 1;
    }
}

/// Whether a move took the king of this side across the middle of the board or into another king bucket.
#[inline]
fn changes_view(network: &Network, delta: &Delta, perspective: Color) -> bool {
    let king = delta.king_path(perspective);
    king.is_some_and(|(from, to)| network.view(perspective, from) != network.view(perspective, to))
}

/// The last accumulator that was built from the cache, for each side, king bucket and half of the board.
struct RefreshCache {
    /// `[perspective][number of the view][block]`
    values: Box<[Block]>,
    /// What they hold. `[perspective][number of the view]`
    boards: Box<[Board]>,
}

/// Where the pieces stand.
#[derive(Clone, Copy, Default)]
struct Board {
    by_color: [Bitboard; 2],
    by_type: [Bitboard; 6],
}

impl RefreshCache {
    /// A cache of empty boards.
    fn new(network: &Network) -> RefreshCache {
        let views = 2 * 2 * network.king_buckets();
        RefreshCache {
            values: network.bias().repeat(views).into_boxed_slice(),
            boards: vec![Board::default(); views].into_boxed_slice(),
        }
    }

    /// Brings the cached accumulator of this view to a board and copies it.
    fn refresh(
        &mut self,
        network: &Network,
        kernels: Kernels,
        view: Viewpoint,
        now: Board,
        accumulator: &mut [Block],
    ) {
        let number = view.perspective().index() * self.boards.len() / 2 + view.number();
        let cached = &mut self.values[number * accumulator.len()..][..accumulator.len()];
        let then = std::mem::replace(&mut self.boards[number], now);
        // No board holds more pieces, so neither list can overflow.
        let (mut added, mut removed) = (ArrayVec::<u16, 32>::new(), ArrayVec::<u16, 32>::new());
        for piece in Piece::ALL {
            let (then, now) = (then.pieces(piece), now.pieces(piece));
            added.extend((now & !then).into_iter().map(|square| view.feature(piece, square) as u16));
            removed.extend((then & !now).into_iter().map(|square| view.feature(piece, square) as u16));
        }
        kernels.refresh(cached, accumulator, network.rows(), &added, &removed);
    }
}

impl Board {
    fn of(position: &Position) -> Board {
        Board {
            by_color: Color::ALL.map(|color| position.colored(color)),
            by_type: PieceType::ALL.map(|kind| position.of_type(kind)),
        }
    }

    /// Goes back to before a move. A piece appears or disappears where it was added or removed, and one
    /// that stands where another of its colour or type stood does both.
    fn take_back(&mut self, delta: &Delta) {
        for placed in delta.removed().iter().chain(delta.added()) {
            self.by_color[placed.piece.color().index()] ^= placed.square.bitboard();
            self.by_type[placed.piece.kind().index()] ^= placed.square.bitboard();
        }
    }

    #[inline]
    fn pieces(&self, piece: Piece) -> Bitboard {
        self.by_color[piece.color().index()] & self.by_type[piece.kind().index()]
    }
}
