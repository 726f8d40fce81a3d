//! The weights of a network, checked so that no computation with them can overflow.
//!
//! Weights are real numbers in fixed point: the first layer counts in units of 1/[`QA`],
//! the output weights in units of 1/[`QB`], and the output bias in units of 1/(`QA` * `QB`). What an output
//! of one is worth in internal units is the network's own: it is the scale at which the scores it has learnt
//! from predict results, so that the output is as large as the weights can express well.

use super::bounds::{NetworkError, QB, SCALES, within};
use super::features::{FEATURES, Viewpoint, least_pieces, output_bucket};
use super::inference::{Block, Kernels, LANES, LAYER_UNIT, MAX_HIDDEN, QA};
use super::layers::{LayerParts, Layers};
use crate::board::Position;
use crate::types::{Color, SplitMix64, Square};

/// Largest magnitude of a weight of the first layer: 1.98 in units of 1/[`QA`].
pub const MAX_FEATURE_WEIGHT: i16 = 505;
/// Largest magnitude of a bias of the first layer: with 32 pieces on the board the sum still fits 16 bits.
pub const MAX_FEATURE_BIAS: i16 = i16::MAX - 32 * MAX_FEATURE_WEIGHT;
/// Largest magnitude of an output weight: times a clamped accumulator it still fits 16 bits.
pub const MAX_OUTPUT_WEIGHT: i16 = 128;

const _: () = assert!(MAX_OUTPUT_WEIGHT as i32 * QA <= i16::MAX as i32);

/// The numbers of a network, unchecked and in plain lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkParts {
    /// A name for people.
    pub name: String,
    /// Hidden neurons a side, called H below: a multiple of 32 up to [`MAX_HIDDEN`].
    pub hidden: usize,
    /// King buckets, 1 or 4: the set of features is chosen by the square of the side's king.
    pub king_buckets: usize,
    /// Output buckets, 1 or 8: the output layer is chosen by the number of pieces.
    pub buckets: usize,
    /// Internal units for an output of one, within [`SCALES`].
    pub scale: i32,
    /// `[king bucket][feature][neuron]`, in units of 1/[`QA`].
    pub feature_weights: Vec<i16>,
    /// `[neuron]`, in units of 1/[`QA`].
    pub feature_bias: Vec<i16>,
    /// `[bucket][own half, enemy half][neuron]`, in units of 1/[`QB`].
    pub output_weights: Vec<i16>,
    /// `[bucket]`, in units of 1/([`QA`] * [`QB`]).
    pub output_bias: Vec<i32>,
    /// Layers between accumulators and output, in place of output weights and bias, which are empty then.
    pub layers: Option<LayerParts>,
}

impl NetworkParts {
    /// Random weights, the same for the same seed: a network that knows nothing, for tests and benches.
    ///
    /// # Panics
    /// When `hidden` is 0.
    pub fn random(seed: u64, hidden: usize, buckets: usize) -> NetworkParts {
        NetworkParts::random_with_kings(seed, 1, hidden, buckets)
    }

    /// The same with king buckets.
    ///
    /// # Panics
    /// When `hidden` is 0.
    pub fn random_with_kings(seed: u64, king_buckets: usize, hidden: usize, buckets: usize) -> NetworkParts {
        let mut random = SplitMix64::from_state(seed);
        let mut next = move |limit| random.signed(limit);
        let mut list = |length: usize, limit: i64| (0..length).map(|_| next(limit) as i16).collect();
        let output_limit = (MAX_OUTPUT_SUM / (2 * hidden as i64)).min(127);
        NetworkParts {
            name: format!("random {seed}"),
            hidden,
            king_buckets,
            buckets,
            scale: 400,
            feature_weights: list(king_buckets * FEATURES * hidden, 60),
            feature_bias: list(hidden, 250),
            output_weights: list(buckets * 2 * hidden, output_limit),
            output_bias: (0..buckets as i32).map(|bucket| bucket * 100 - 300).collect(),
            layers: None,
        }
    }

    /// The same with layers.
    ///
    /// # Panics
    /// When `hidden` is 0.
    pub fn random_with_layers(seed: u64, king_buckets: usize, hidden: usize, buckets: usize) -> NetworkParts {
        let mut random = SplitMix64::from_state(!seed);
        NetworkParts {
            output_weights: Vec::new(),
            output_bias: Vec::new(),
            layers: Some(LayerParts::random(hidden, buckets, |limit| random.signed(limit))),
            ..NetworkParts::random_with_kings(seed, king_buckets, hidden, buckets)
        }
    }

    fn check(&self) -> Result<(), NetworkError> {
        let NetworkParts { hidden, king_buckets, buckets, .. } = *self;
        // With layers, half of the neurons fill blocks.
        let unit = if self.layers.is_some() { 2 * LANES } else { LANES };
        if hidden == 0 || hidden % unit != 0 || hidden > MAX_HIDDEN {
            return Err(NetworkError::Hidden(hidden));
        }
        if !matches!(king_buckets, 1 | 4) {
            return Err(NetworkError::KingBuckets(king_buckets));
        }
        if !matches!(buckets, 1 | 8) {
            return Err(NetworkError::Buckets(buckets));
        }
        if !SCALES.contains(&self.scale) {
            return Err(NetworkError::Scale(self.scale));
        }
        let direct = usize::from(self.layers.is_none());
        for (part, found, expected) in [
            ("feature weights", self.feature_weights.len(), king_buckets * FEATURES * hidden),
            ("feature bias", self.feature_bias.len(), hidden),
            ("output weights", self.output_weights.len(), direct * buckets * 2 * hidden),
            ("output bias", self.output_bias.len(), direct * buckets),
        ] {
            if found != expected {
                return Err(NetworkError::Length { part, found, expected });
            }
        }
        let widen = |list: &[i16]| -> Vec<i64> { list.iter().copied().map(i64::from).collect() };
        let output_sums = self.output_weights.chunks(2 * hidden).flat_map(|bucket| {
            let sum = |sign: i64| widen(bucket).iter().map(|weight| (sign * weight).max(0)).sum();
            [1, -1].map(sum)
        });
        within("feature weight", MAX_FEATURE_WEIGHT, widen(&self.feature_weights))?;
        within("feature bias", MAX_FEATURE_BIAS, widen(&self.feature_bias))?;
        within("output weight", MAX_OUTPUT_WEIGHT, widen(&self.output_weights))?;
        within("sum of output weights of one sign", MAX_OUTPUT_SUM, output_sums)?;
        within("output bias", MAX_OUTPUT_BIAS, self.output_bias.iter().copied().map(i64::from))
    }
}

/// Bound for the sum of a bucket's positive weights, and for that of its negative ones. Each neuron adds
/// its weight times something from 0 to `QA`^2. So whatever some of them add up to, in whichever order and
/// however shared out among the lanes of a register, lies between the sum of the negative weights times
/// `QA`^2 and that of the positive ones: no kernel's partial sum leaves 32 bits.
const MAX_OUTPUT_SUM: i64 = i32::MAX as i64 / (QA * QA) as i64;
/// A hundred thousand units and more, far beyond use, and far from overflow.
const MAX_OUTPUT_BIAS: i64 = 1 << 22;

/// A network: (768 x king buckets -> H) x 2 -> 1 x output buckets, with squared clipped ReLU between the layers.
#[derive(Clone, PartialEq, Eq)]
pub struct Network {
    name: String,
    king_buckets: usize,
    buckets: usize,
    /// Internal units for an output of one.
    scale: i32,
    /// `[king bucket][feature][block of neurons]`
    feature_weights: Box<[Block]>,
    /// `[block of neurons]`
    feature_bias: Box<[Block]>,
    /// `[bucket][own half, enemy half][block of neurons]`
    output_weights: Box<[Block]>,
    /// `[bucket]`
    output_bias: Box<[i32]>,
    layers: Option<Layers>,
}

impl Network {
    /// Builds a network.
    ///
    /// # Errors
    /// When the lists do not fit the sizes or a number is so large that a sum could overflow.
    pub fn new(parts: NetworkParts) -> Result<Network, NetworkError> {
        parts.check()?;
        let layers =
            parts.layers.map(|layers| Layers::new(&layers, parts.hidden, parts.buckets)).transpose()?;
        Ok(Network {
            layers,
            name: parts.name,
            king_buckets: parts.king_buckets,
            buckets: parts.buckets,
            scale: parts.scale,
            feature_weights: Block::from_numbers(&parts.feature_weights),
            feature_bias: Block::from_numbers(&parts.feature_bias),
            output_weights: Block::from_numbers(&parts.output_weights),
            output_bias: parts.output_bias.into_boxed_slice(),
        })
    }

    /// The numbers in plain lists.
    pub fn to_parts(&self) -> NetworkParts {
        NetworkParts {
            name: self.name.clone(),
            hidden: self.hidden(),
            king_buckets: self.king_buckets,
            buckets: self.buckets,
            scale: self.scale,
            feature_weights: Block::to_numbers(&self.feature_weights),
            feature_bias: Block::to_numbers(&self.feature_bias),
            output_weights: Block::to_numbers(&self.output_weights),
            output_bias: self.output_bias.to_vec(),
            layers: self.layers.as_ref().map(Layers::to_parts),
        }
    }

    /// A name for people.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Hidden neurons a side.
    pub fn hidden(&self) -> usize {
        self.blocks() * LANES
    }

    /// King buckets, 1 or 4.
    pub fn king_buckets(&self) -> usize {
        self.king_buckets
    }

    /// Output buckets, 1 or 8.
    pub fn buckets(&self) -> usize {
        self.buckets
    }

    /// Internal units for an output of one.
    pub fn scale(&self) -> i32 {
        self.scale
    }

    /// What the network is, such as `(768hm->128)x2->1x8`, with king buckets `(768x4hm->128)x2->1x8`, or with layers
    /// `(768hm->128)x2->(16->32->1)x8`.
    pub fn architecture(&self) -> String {
        let times = |count: usize| if count == 1 { String::new() } else { format!("x{count}") };
        let output = if self.layers.is_some() { "(16->32->1)" } else { "1" };
        format!("(768{}hm->{})x2->{output}{}", times(self.king_buckets), self.hidden(), times(self.buckets))
    }

    /// Blocks of neurons a side.
    #[inline]
    pub(super) fn blocks(&self) -> usize {
        self.feature_bias.len()
    }

    /// The view of a side whose king stands there.
    #[inline]
    pub(super) fn view(&self, perspective: Color, king: Square) -> Viewpoint {
        Viewpoint::new(self.king_buckets, perspective, king)
    }

    /// All rows of the first layer.
    #[inline]
    pub(super) fn rows(&self) -> &[Block] {
        &self.feature_weights
    }

    /// The weights from one feature to all neurons.
    #[inline]
    pub(super) fn row(&self, feature: usize) -> &[Block] {
        let blocks = self.blocks();
        &self.feature_weights[feature * blocks..][..blocks]
    }

    /// The accumulator of an empty board.
    #[inline]
    pub(super) fn bias(&self) -> &[Block] {
        &self.feature_bias
    }

    /// The output in internal units for the side whose accumulator is `own`, with so many pieces on the board.
    /// Division truncates towards zero, so exchanging the weights' signs exchanges the result's.
    #[inline(always)]
    pub(super) fn output(&self, kernels: Kernels, own: &[Block], enemy: &[Block], pieces: usize) -> i32 {
        let bucket = output_bucket(self.buckets, pieces);
        if let Some(layers) = &self.layers {
            let output = i64::from(layers.output(kernels, own, enemy, bucket));
            return (output * i64::from(self.scale) / i64::from(LAYER_UNIT * LAYER_UNIT)) as i32;
        }
        let weights = &self.output_weights[bucket * 2 * self.blocks()..][..2 * self.blocks()];
        let sum = kernels.activate(own, enemy, weights);
        let output = i64::from(sum / QA + self.output_bias[bucket]);
        (output * i64::from(self.scale) / i64::from(QA * QB)) as i32
    }

    /// The worth of a position in internal units for the side to move, computed from nothing. A search
    /// follows its moves with an [`AccumulatorStack`](super::AccumulatorStack) instead.
    pub fn evaluate(&self, position: &Position) -> i32 {
        self.evaluate_with(Kernels::best(), position)
    }

    /// The same with chosen kernels.
    pub fn evaluate_with(&self, kernels: Kernels, position: &Position) -> i32 {
        let [own, enemy] = self.accumulators(kernels, position);
        self.output(kernels, &own, &enemy, position.occupied().count() as usize)
    }

    /// What each of the output layers would answer for the side to move. The one that does answer is
    /// [`output_bucket`].
    pub fn evaluate_in_buckets(&self, position: &Position) -> Vec<i32> {
        let kernels = Kernels::best();
        let [own, enemy] = self.accumulators(kernels, position);
        (0..self.buckets).map(|bucket| self.output(kernels, &own, &enemy, least_pieces(bucket))).collect()
    }

    /// The accumulators of the side to move and of the other one.
    fn accumulators(&self, kernels: Kernels, position: &Position) -> [Vec<Block>; 2] {
        [position.stm(), !position.stm()].map(|color| {
            let view = self.view(color, position.king(color));
            let pieces = position.occupied().into_iter();
            let pieces = pieces.filter_map(|square| Some((position.piece_on(square)?, square)));
            let features: Vec<u16> =
                pieces.map(|(piece, square)| view.feature(piece, square) as u16).collect();
            let mut accumulator = self.feature_bias.to_vec();
            let mut copy = accumulator.clone();
            kernels.refresh(&mut accumulator, &mut copy, self.rows(), &features, &[]);
            accumulator
        })
    }
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Network({:?}, {})", self.name, self.architecture())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl FnOnce(&mut NetworkParts)) -> NetworkError {
        let mut parts = NetworkParts::random(1, 64, 8);
        change(&mut parts);
        Network::new(parts).expect_err("the change makes the network unusable")
    }

    #[test]
    fn one_of_the_buckets_answers() {
        for buckets in [1, 8] {
            let network = Network::new(NetworkParts::random(3, 64, buckets)).expect("it is sound");
            for fen in [
                "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
                "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            ] {
                let position: Position = fen.parse().expect("a FEN");
                let all = network.evaluate_in_buckets(&position);
                let bucket = output_bucket(buckets, position.occupied().count() as usize);
                assert_eq!((all.len(), all[bucket]), (buckets, network.evaluate(&position)));
            }
        }
    }

    #[test]
    fn sizes_are_checked() {
        for hidden in [0, 16, 48, 1056] {
            assert_eq!(refused(|parts| parts.hidden = hidden), NetworkError::Hidden(hidden));
        }
        assert_eq!(refused(|parts| parts.buckets = 4), NetworkError::Buckets(4));
        assert_eq!(refused(|parts| parts.king_buckets = 2), NetworkError::KingBuckets(2));
        for scale in [0, 49, 1001] {
            assert_eq!(refused(|parts| parts.scale = scale), NetworkError::Scale(scale));
        }
        let error = refused(|parts| parts.hidden = 32);
        assert!(matches!(error, NetworkError::Length { part: "feature weights", expected: 24_576, .. }));
        assert!(matches!(
            refused(|parts| parts.output_bias.push(0)),
            NetworkError::Length { part: "output bias", found: 9, expected: 8 }
        ));
    }

    #[test]
    fn numbers_that_could_overflow_are_refused() {
        let range = |part, value, limit| NetworkError::Range { part, value, limit };
        let feature = refused(|parts| parts.feature_weights[77] = -506);
        assert_eq!(feature, range("feature weight", -506, 505));
        let bias = refused(|parts| parts.feature_bias[3] = 16_608);
        assert_eq!(bias, range("feature bias", 16_608, 16_607));
        let output = refused(|parts| parts.output_weights[5] = i16::MIN);
        assert_eq!(output, range("output weight", -32_768, 128));
        let sum = refused(|parts| {
            *parts = NetworkParts::random(1, 256, 1);
            parts.output_weights = vec![-127; 512];
        });
        assert_eq!(sum, range("sum of output weights of one sign", 65_024, 33_025));
        let sum = refused(|parts| {
            *parts = NetworkParts::random(1, 160, 1);
            parts.output_weights = vec![-120; 320];
            parts.output_weights[..280].fill(120);
        });
        assert_eq!(sum, range("sum of output weights of one sign", 33_600, 33_025));
        let output_bias = refused(|parts| parts.output_bias[0] = i32::MIN);
        assert_eq!(output_bias, range("output bias", i64::from(i32::MIN), 1 << 22));
    }

    /// The largest network allowed, everything at its limit, stays exact.
    #[test]
    fn the_limits_are_safe() {
        let mut parts = NetworkParts::random(0, 128, 1);
        parts.feature_weights.fill(MAX_FEATURE_WEIGHT);
        parts.feature_bias.fill(MAX_FEATURE_BIAS);
        parts.output_weights.fill(MAX_OUTPUT_WEIGHT);
        parts.output_bias = vec![MAX_OUTPUT_BIAS as i32];
        parts.scale = *SCALES.end();
        let network = Network::new(parts).unwrap();
        let sum = i64::from(MAX_OUTPUT_WEIGHT) * 256 * 255 + MAX_OUTPUT_BIAS;
        for kernels in Kernels::available() {
            let value = network.evaluate_with(kernels, &Position::start());
            assert_eq!(i64::from(value), sum * 1000 / (255 * 64), "{kernels}");
        }
    }

    /// Positive and negative weights at the limit of their sums, side by side and far apart. Tests are
    /// built with overflow checks, which watch the scalar kernel.
    #[test]
    fn weights_of_both_signs_have_a_bound_each() {
        let start = Position::start();
        for turn in [1, 2, 64, 256] {
            let mut parts = NetworkParts::random(0, 256, 1);
            parts.feature_weights.fill(MAX_FEATURE_WEIGHT);
            let weight = |neuron| if neuron / turn % 2 == 0 { 128 } else { -128 };
            parts.output_weights = (0..512).map(weight).collect();
            parts.output_bias = vec![255 * 64];
            for sign in [1, -1] {
                parts.output_weights.iter_mut().for_each(|weight| *weight *= sign);
                let network = Network::new(parts.clone()).unwrap();
                for kernels in Kernels::available() {
                    assert_eq!(network.evaluate_with(kernels, &start), 400, "{kernels}, {turn} in a row");
                }
            }
        }
    }

    #[test]
    fn parts_come_back() {
        let parts = NetworkParts { scale: 166, ..NetworkParts::random(3, 96, 8) };
        assert_eq!(Network::new(parts.clone()).unwrap().to_parts(), parts);
        assert_eq!(Network::new(parts).unwrap().architecture(), "(768hm->96)x2->1x8");
        for (parts, name) in [
            (NetworkParts::random_with_kings(3, 4, 64, 1), "(768x4hm->64)x2->1"),
            (NetworkParts::random_with_layers(3, 1, 128, 8), "(768hm->128)x2->(16->32->1)x8"),
        ] {
            let network = Network::new(parts.clone()).unwrap();
            assert_eq!((network.to_parts(), network.architecture().as_str()), (parts, name));
        }
    }

    #[test]
    fn the_scale_multiplies_the_output() {
        let mut parts = NetworkParts::random(0, 32, 1);
        parts.output_weights.fill(0);
        for (output, scale, value) in [(255 * 64, 166, 166), (-255 * 32, 400, -200), (-1, 1000, 0)] {
            (parts.output_bias, parts.scale) = (vec![output], scale);
            let network = Network::new(parts.clone()).unwrap();
            assert_eq!((network.evaluate(&Position::start()), network.scale()), (value, scale));
        }
    }

    #[test]
    fn both_sides_see_the_same() {
        for king_buckets in [1, 4] {
            let network =
                Network::new(NetworkParts::random_with_kings(9, king_buckets, 64, 8)).expect("it is valid");
            for fen in [
                "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
                "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
                "4k3/8/8/8/8/8/8/4K3 b - - 0 1",
            ] {
                let position: Position = fen.parse().unwrap();
                assert_eq!(network.evaluate(&position), network.evaluate(&position.color_flipped()), "{fen}");
            }
        }
    }
}
