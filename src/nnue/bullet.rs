//! Networks trained by bullet: the file `quantised.bin` of a checkpoint.
//!
//! ```text
//! l0w  i16, units of 1/255     [king bucket][feature][neuron]
//! l0b  i16, units of 1/255     [neuron]
//!
//! without layers
//! l1w  i16, units of 1/64      [bucket][own half, enemy half][neuron]
//! l1b  i16, units of 1/16320   [bucket]
//!
//! with layers
//! l1w  i8,  units of 1/258     [bucket][output][input]
//! l1b  i32, units of 1/32768   [bucket][output]
//! l2w  i16, units of 1/1024    [bucket][output][activation][output of the first layer]
//! l2b  i32, units of 1/1024^2  [bucket][output]
//! l3w  i16, units of 1/1024    [bucket][output of the second layer]
//! l3b  i32, units of 1/1024^2  [bucket]
//! ```
//! All numbers are little-endian. The end is filled up to a multiple of 64 bytes with the letters of "bullet", over and
//! over. Nothing in the file names its shape; only the length tells shapes apart.
//!
//! This order is what bullet writes when the output weights are transposed, as in its examples: it stores matrices of
//! (outputs x inputs) column by column. `docs/bullet.md` holds a configuration.

use std::fmt;

use super::bounds::{NetworkError, QB};
use super::features::FEATURES;
use super::inference::{FIRST_LAYER, LANES, MAX_HIDDEN, QA, SECOND_INPUTS, SECOND_LAYER};
use super::layers::LayerParts;
use super::network::{Network, NetworkParts};

/// The file is filled up to a multiple of this.
const UNIT: usize = 64;
const FILLING: &[u8] = b"bullet";

/// The sizes of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BulletShape {
    /// Hidden neurons a side.
    pub hidden: usize,
    /// King buckets, 1 or 4.
    pub king_buckets: usize,
    /// Output buckets, 1 or 8.
    pub buckets: usize,
    /// Whether layers stand between accumulators and output.
    pub layered: bool,
}

impl fmt::Display for BulletShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BulletShape { hidden, king_buckets, buckets, layered } = self;
        write!(f, "--hidden {hidden} --king-buckets {king_buckets} --buckets {buckets}")?;
        f.write_str(if *layered { " --layers" } else { "" })
    }
}

impl BulletShape {
    /// All shapes that a network can have.
    fn all() -> impl Iterator<Item = BulletShape> {
        let kinds = [1, 4].into_iter().flat_map(|kings| [1, 8].map(|buckets| (kings, buckets)));
        let kinds = kinds.flat_map(|(kings, buckets)| [false, true].map(|layered| (kings, buckets, layered)));
        kinds.flat_map(|(king_buckets, buckets, layered)| {
            let unit = if layered { 2 * LANES } else { LANES };
            let sizes = (unit..=MAX_HIDDEN).step_by(unit);
            sizes.map(move |hidden| BulletShape { hidden, king_buckets, buckets, layered })
        })
    }

    /// Bytes of its numbers.
    fn bytes(self) -> usize {
        let BulletShape { hidden, king_buckets, buckets, layered } = self;
        let output =
            if layered { LayerParts::bytes(hidden, buckets) } else { 2 * buckets * (2 * hidden + 1) };
        2 * (king_buckets * FEATURES + 1) * hidden + output
    }
}

/// What is known of the shape of a file; `None` for what its length is to tell.
#[derive(Clone, Copy, Default, Debug)]
pub struct BulletChoice {
    /// See [`BulletShape`].
    pub hidden: Option<usize>,
    /// See [`BulletShape`].
    pub king_buckets: Option<usize>,
    /// See [`BulletShape`].
    pub buckets: Option<usize>,
    /// See [`BulletShape`].
    pub layered: Option<bool>,
}

impl BulletChoice {
    fn allows(self, shape: BulletShape) -> bool {
        self.hidden.is_none_or(|hidden| hidden == shape.hidden)
            && self.king_buckets.is_none_or(|buckets| buckets == shape.king_buckets)
            && self.buckets.is_none_or(|buckets| buckets == shape.buckets)
            && self.layered.is_none_or(|layered| layered == shape.layered)
    }

    /// The shape of a file of this length.
    fn find(self, length: usize) -> Result<BulletShape, BulletError> {
        let fits = |shape: &BulletShape| shape.bytes().next_multiple_of(UNIT) == length;
        let fitting: Vec<BulletShape> = BulletShape::all().filter(fits).collect();
        let mut chosen = fitting.iter().copied().filter(|&shape| self.allows(shape));
        match (chosen.next(), chosen.next()) {
            (Some(shape), None) => Ok(shape),
            (None, _) => Err(BulletError::Length { length, fitting }),
            (Some(_), Some(_)) => Err(BulletError::Ambiguous { length, fitting }),
        }
    }
}

/// Why bytes are not a network that bullet wrote for this program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BulletError {
    /// No shape that was asked for has this length.
    #[error("{length} bytes are not the length of such a net; {}", advice(.fitting))]
    Length {
        /// Bytes of the file.
        length: usize,
        /// Other shapes that would have it.
        fitting: Vec<BulletShape>,
    },
    /// Several shapes have this length.
    #[error("{length} bytes are the length of several nets; {}", advice(.fitting))]
    Ambiguous {
        /// Bytes of the file.
        length: usize,
        /// These.
        fitting: Vec<BulletShape>,
    },
    /// The last bytes are not the filling.
    #[error(
        "the end from byte {0} on is not filled as bullet does it, so the file is damaged or has another shape"
    )]
    Filling(usize),
    /// The numbers could overflow.
    #[error("{0}")]
    Network(#[from] NetworkError),
}

/// What a user can do about a length.
fn advice(fitting: &[BulletShape]) -> String {
    let shapes: Vec<String> = fitting.iter().map(BulletShape::to_string).collect();
    match shapes.is_empty() {
        true => {
            "the file wanted is 'quantised.bin' of a checkpoint of a configuration for Quillon".to_owned()
        }
        false => format!("it would fit {}", shapes.join(", or ")),
    }
}

impl Network {
    /// Reads the file `quantised.bin` of bullet. `scale` is the `eval_scale` of its training, in internal units.
    ///
    /// # Errors
    /// When the bytes are no such file, or a number is so large that a sum could overflow.
    pub fn from_bullet(
        bytes: &[u8],
        choice: BulletChoice,
        scale: i32,
        name: &str,
    ) -> Result<Network, BulletError> {
        let shape = choice.find(bytes.len())?;
        let (numbers, filling) = bytes.split_at(shape.bytes());
        if filling.iter().zip(FILLING.iter().cycle()).any(|(found, expected)| found != expected) {
            return Err(BulletError::Filling(numbers.len()));
        }
        Ok(Network::new(parts(numbers, shape, scale, name))?)
    }
}

/// Reads numbers one after the other.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn next<const N: usize, T>(&mut self, count: usize, from: impl Fn([u8; N]) -> T) -> Vec<T> {
        let (taken, rest) = self.0.split_at(N * count);
        self.0 = rest;
        taken.as_chunks().0.iter().copied().map(from).collect()
    }

    fn narrow(&mut self, count: usize) -> Vec<i16> {
        self.next(count, i16::from_le_bytes)
    }

    fn wide(&mut self, count: usize) -> Vec<i32> {
        self.next(count, i32::from_le_bytes)
    }
}

fn parts(bytes: &[u8], shape: BulletShape, scale: i32, name: &str) -> NetworkParts {
    const _: () = assert!(QA == 255 && QB == 64);
    let BulletShape { hidden, king_buckets, buckets, layered } = shape;
    let mut numbers = Numbers(bytes);
    let feature_weights = numbers.narrow(king_buckets * FEATURES * hidden);
    let feature_bias = numbers.narrow(hidden);
    let (output_weights, output_bias, layers) = if layered {
        (Vec::new(), Vec::new(), Some(layers(&mut numbers, hidden, buckets)))
    } else {
        let weights = numbers.narrow(buckets * 2 * hidden);
        (weights, numbers.next(buckets, |bytes| i16::from_le_bytes(bytes).into()), None)
    };
    NetworkParts {
        name: name.to_owned(),
        hidden,
        king_buckets,
        buckets,
        scale,
        feature_weights,
        feature_bias,
        output_weights,
        output_bias,
        layers,
    }
}

fn layers(numbers: &mut Numbers<'_>, hidden: usize, buckets: usize) -> LayerParts {
    let first = numbers.next(buckets * FIRST_LAYER * hidden, i8::from_le_bytes);
    let first_bias = numbers.wide(buckets * FIRST_LAYER);
    let second = numbers.narrow(buckets * SECOND_LAYER * SECOND_INPUTS);
    LayerParts {
        first_weights: by_input(&first, FIRST_LAYER, hidden),
        first_bias,
        second_weights: by_input(&second, SECOND_LAYER, SECOND_INPUTS),
        second_bias: numbers.wide(buckets * SECOND_LAYER),
        output_weights: numbers.narrow(buckets * SECOND_LAYER),
        output_bias: numbers.wide(buckets),
    }
}

/// `[bucket][output][input]` as `[bucket][input][output]`.
fn by_input<T: Copy>(weights: &[T], outputs: usize, inputs: usize) -> Vec<T> {
    let of_input = |bucket: &[T], input: usize| -> Vec<T> {
        bucket.iter().skip(input).step_by(inputs).copied().collect()
    };
    let buckets = weights.chunks(outputs * inputs);
    buckets.flat_map(|bucket| (0..inputs).flat_map(move |input| of_input(bucket, input))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(bytes: &[u8], choice: BulletChoice) -> String {
        Network::from_bullet(bytes, choice, 400, "x").expect_err("it is of no use").to_string()
    }

    #[test]
    fn the_length_tells_the_shape() {
        for shape in BulletShape::all() {
            let length = shape.bytes().next_multiple_of(UNIT);
            let choice = BulletChoice {
                hidden: Some(shape.hidden),
                king_buckets: Some(shape.king_buckets),
                buckets: Some(shape.buckets),
                layered: Some(shape.layered),
            };
            assert_eq!(choice.find(length), Ok(shape));
        }
        // Few lengths are those of several shapes.
        let told = BulletShape::all()
            .filter(|shape| BulletChoice::default().find(shape.bytes().next_multiple_of(UNIT)) == Ok(*shape));
        assert!(told.count() * 20 > BulletShape::all().count() * 19);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let shape = BulletShape { hidden: 32, king_buckets: 1, buckets: 8, layered: false };
        let mut bytes = vec![0; shape.bytes()];
        let filled = bytes.len().next_multiple_of(UNIT);
        bytes.extend(FILLING.iter().cycle().take(filled - bytes.len()));
        let network = Network::from_bullet(&bytes, BulletChoice::default(), 300, "a net").unwrap();
        assert_eq!((network.hidden(), network.buckets(), network.scale()), (32, 8, 300));
        assert_eq!((network.name(), network.king_buckets()), ("a net", 1));

        let error = refused(&bytes, BulletChoice { hidden: Some(64), ..BulletChoice::default() });
        assert!(error.ends_with("it would fit --hidden 32 --king-buckets 1 --buckets 8"), "{error}");
        assert!(refused(&bytes[1..], BulletChoice::default()).contains("'quantised.bin' of a checkpoint"));
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        assert!(refused(&bytes, BulletChoice::default()).contains("is not filled as bullet does it"));
        bytes[last] ^= 1;
        bytes[1] = 0x7F;
        assert!(refused(&bytes, BulletChoice::default()).starts_with("feature weight 32512 could overflow"));
    }

    #[test]
    fn weights_are_turned_within_their_bucket() {
        assert_eq!(
            by_input(&[1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16], 2, 3),
            [1, 4, 2, 5, 3, 6, 11, 14, 12, 15, 13, 16]
        );
    }
}
