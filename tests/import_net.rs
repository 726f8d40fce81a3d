//! `quillon data import-net`: a file laid out as bullet documents it becomes a net whose evaluations are those of the
//! weights in floating point.

use std::fs;
use std::process::{Command, Stdio};

use bulletformat::ChessBoard;
use quillon::board::Position;
use quillon::nnue::Network;
use quillon::types::SplitMix64;

#[path = "client/files.rs"]
#[allow(dead_code)]
mod files;

use files::Folder;

const H: usize = 64;
const SCALE: f32 = 300.0;
/// As in the configuration of `docs/bullet.md`, and as `src/nnue/features.rs` has it.
const KING_BUCKETS: [usize; 16] = [0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3];

/// A matrix of bullet's: (rows x columns), column by column.
#[derive(Clone)]
struct Matrix {
    rows: usize,
    values: Vec<f32>,
}

impl Matrix {
    /// Random numbers up to the limit, whole multiples of 1/unit when that is given.
    fn random(random: &mut SplitMix64, rows: usize, columns: usize, limit: f32, unit: Option<f32>) -> Matrix {
        let number = |_| {
            let number = random.within(limit);
            unit.map_or(number, |unit| (number * unit).round() / unit)
        };
        Matrix { rows, values: (0..rows * columns).map(number).collect() }
    }

    fn at(&self, row: usize, column: usize) -> f32 {
        self.values[column * self.rows + row]
    }

    /// Row by row.
    fn transposed(&self) -> Vec<f32> {
        let columns = self.values.len() / self.rows;
        (0..self.rows).flat_map(|row| (0..columns).map(move |column| self.at(row, column))).collect()
    }

    /// The outputs of a bucket, each `size` of the rows, for these inputs.
    fn times(&self, bias: &Matrix, bucket: usize, size: usize, inputs: &[f32]) -> Vec<f32> {
        let rows = bucket * size..(bucket + 1) * size;
        let sum =
            |row| inputs.iter().zip(0..).map(|(input, column)| input * self.at(row, column)).sum::<f32>();
        rows.map(|row| sum(row) + bias.values[row]).collect()
    }
}

/// A network as bullet holds it.
struct Floats {
    king_buckets: usize,
    buckets: usize,
    /// Weights and bias of each layer.
    layers: Vec<(Matrix, Matrix)>,
}

impl Floats {
    /// Sizes of the layers behind the first, limits of weights and biases, and the units of both.
    fn random(king_buckets: usize, buckets: usize, layered: bool, exact: bool) -> Floats {
        let mut random = SplitMix64::from_state(7);
        let mut layer = |inputs, outputs, limit, units: [f32; 2]| {
            let mut matrix = |columns, limit, unit: f32| {
                Matrix::random(&mut random, outputs, columns, limit, exact.then_some(unit))
            };
            (matrix(inputs, limit, units[0]), matrix(1, 0.3, units[1]))
        };
        let mut layers = vec![layer(768 * king_buckets, H, 0.25, [255.0, 255.0])];
        if layered {
            layers.push(layer(H, 16 * buckets, 0.4, [258.0, 32_768.0]));
            layers.push(layer(32, 32 * buckets, 0.4, [1024.0, 1_048_576.0]));
            layers.push(layer(32, buckets, 0.5, [1024.0, 1_048_576.0]));
        } else {
            layers.push(layer(2 * H, buckets, 0.2, [64.0, 16_320.0]));
        }
        Floats { king_buckets, buckets, layers }
    }

    /// The file that bullet writes: whole numbers, and the end filled up.
    fn quantised(&self) -> Vec<u8> {
        let whole = |values: &[f32], unit: f32| -> Vec<i32> {
            values.iter().map(|value| (value * unit).round() as i32).collect()
        };
        let narrow = |list: Vec<i32>| -> Vec<u8> {
            list.into_iter()
                .flat_map(|number| i16::try_from(number).expect("it fits").to_le_bytes())
                .collect()
        };
        let wide = |list: Vec<i32>| -> Vec<u8> { list.into_iter().flat_map(i32::to_le_bytes).collect() };
        let [(first, bias), rest @ ..] = &self.layers[..] else { panic!("there is a first layer") };
        let mut bytes = narrow(whole(&first.values, 255.0));
        bytes.extend(narrow(whole(&bias.values, 255.0)));
        if let [(weights, bias)] = rest {
            bytes.extend(narrow(whole(&weights.transposed(), 64.0)));
            bytes.extend(narrow(whole(&bias.values, 255.0 * 64.0)));
        }
        if let [one, two, three] = rest {
            let weights = whole(&one.0.transposed(), 258.0).into_iter();
            bytes.extend(weights.map(|number| i8::try_from(number).expect("it fits") as u8));
            bytes.extend(wide(whole(&one.1.values, 32_768.0)));
            for (weights, bias) in [two, three] {
                bytes.extend(narrow(whole(&weights.transposed(), 1024.0)));
                bytes.extend(wide(whole(&bias.values, 1_048_576.0)));
            }
        }
        let gap = bytes.len().next_multiple_of(64) - bytes.len();
        bytes.extend(b"bullet".iter().cycle().take(gap));
        bytes
    }

    /// The evaluation as bullet computes it, of a position in bullet's own form.
    fn evaluate(&self, board: ChessBoard) -> f32 {
        let (first, bias) = &self.layers[0];
        let mut sides = [bias.values.clone(), bias.values.clone()];
        let kings = [board.our_ksq(), board.opp_ksq()].map(usize::from);
        let flips = kings.map(|king| if king % 8 > 3 { 7 } else { 0 });
        let sets = [0, 1].map(|side| match self.king_buckets {
            1 => 0,
            _ => KING_BUCKETS[(kings[side] / 8 * 4 + (kings[side] ^ flips[side]) % 8).min(15)],
        });
        let pieces = board.into_iter().count();
        for (piece, square) in board {
            let (enemy, kind, square) = (piece & 8 != 0, usize::from(piece & 7), usize::from(square));
            let own = [enemy, !enemy].map(|enemy| if enemy { 384 } else { 0 });
            for (side, square) in [square, square ^ 56].into_iter().enumerate() {
                let input = sets[side] * 768 + own[side] + 64 * kind + (square ^ flips[side]);
                for (neuron, sum) in sides[side].iter_mut().enumerate() {
                    *sum += first.at(neuron, input);
                }
            }
        }
        SCALE * self.output(&sides, if self.buckets == 1 { 0 } else { (pieces - 2) / 4 })
    }

    fn output(&self, sides: &[Vec<f32>; 2], bucket: usize) -> f32 {
        let crelu = |value: f32| value.clamp(0.0, 1.0);
        if let [_, (weights, bias)] = &self.layers[..] {
            let hidden: Vec<f32> = sides.iter().flatten().map(|&sum| crelu(sum) * crelu(sum)).collect();
            return weights.times(bias, bucket, 1, &hidden)[0];
        }
        let pairs = |side: &Vec<f32>| -> Vec<f32> {
            let (one, two) = side.split_at(H / 2);
            one.iter().zip(two).map(|(&one, &two)| crelu(one) * crelu(two)).collect()
        };
        let products: Vec<f32> = sides.iter().flat_map(pairs).collect();
        let [_, one, two, three] = &self.layers[..] else { panic!("there are four layers") };
        let first = one.0.times(&one.1, bucket, 16, &products);
        let squares = first.iter().map(|value| value.clamp(-1.0, 1.0).powi(2));
        let both: Vec<f32> = first.iter().copied().map(crelu).chain(squares).collect();
        let second = two.0.times(&two.1, bucket, 32, &both);
        let squares: Vec<f32> = second.into_iter().map(|value| crelu(value).powi(2)).collect();
        three.0.times(&three.1, bucket, 1, &squares)[0]
    }
}

/// Exit code and everything printed.
fn import(folder: &Folder, line: &str) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quillon"));
    command.current_dir(&folder.0).args(["data", "import-net"]).args(line.split_whitespace());
    let output = command.stdin(Stdio::null()).output().expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text.into_owned())
}

/// Positions of a random walk, with few pieces at the end of it.
fn positions() -> Vec<Position> {
    let mut random = SplitMix64::from_state(3);
    let mut positions = Vec::new();
    while positions.len() < 300 {
        let mut position = Position::start();
        for _ in 0..150 {
            let moves = position.legal_moves();
            // Captures first, so that all output buckets are come to.
            let captures: Vec<_> =
                moves.iter().copied().filter(|mv| position.piece_on(mv.to()).is_some()).collect();
            let list = if captures.is_empty() || random.below(3) > 0 { moves.to_vec() } else { captures };
            let Some(&mv) = random.choose(&list) else { break };
            position.make(mv);
            if random.below(8) == 0 {
                positions.push(position);
            }
        }
    }
    positions
}

/// The largest difference and the mean magnitude of evaluations by a net and by its floats.
fn compare(name: &str, floats: &Floats, net: &Network) -> f32 {
    let (mut largest, mut total, mut seen) = (0.0_f32, 0.0, [false; 8]);
    let positions = positions();
    for position in &positions {
        let board: ChessBoard = format!("{position} | 0 | 0.5").parse().expect("a position");
        let expected = floats.evaluate(board);
        largest = largest.max((expected - net.evaluate(position) as f32).abs());
        total += expected.abs();
        seen[(position.occupied().count() as usize - 2) / 4] = true;
    }
    let mean = total / positions.len() as f32;
    println!("{name}: mean magnitude {mean}, largest difference {largest}");
    assert!(mean > 30.0 && seen.iter().filter(|seen| **seen).count() >= 6, "{mean}, {seen:?}");
    largest
}

#[test]
fn evaluations_are_those_of_the_floats() {
    let folder = Folder::new("import-net");
    for (king_buckets, buckets, layered) in
        [(1, 1, false), (1, 8, false), (4, 8, false), (1, 8, true), (4, 8, true), (1, 1, true)]
    {
        // Whole multiples of the units lose nothing but what the integers' divisions round; other weights are rounded.
        for (exact, tolerance) in [(true, if layered { 4.0 } else { 1.01 }), (false, 25.0)] {
            let floats = Floats::random(king_buckets, buckets, layered, exact);
            folder.write("quantised.bin", &floats.quantised());
            let name = format!("net-{king_buckets}-{buckets}-{layered}-{exact}.nnue");
            let (code, text) = import(&folder, &format!("quantised.bin --out {name} --scale 300"));
            assert_eq!(code, Some(0), "{text}");
            let net = Network::load(&folder.0.join(&name)).expect("it is a net");
            assert!(text.contains(&net.architecture()) && text.contains("scale 300"), "{text}");
            let largest = compare(&name, &floats, &net);
            assert!(largest <= tolerance, "{name}: {largest}");
        }
    }
}

#[test]
fn files_of_no_use_are_refused_with_a_reason() {
    let folder = Folder::new("import-net-refused");
    let bytes = Floats::random(1, 8, false, true).quantised();
    folder.write("q.bin", &bytes);
    folder.write("cut.bin", &bytes[..bytes.len() - 64]);
    let refused = |line: &str, reason: &str| {
        let (code, text) = import(&folder, line);
        assert_ne!(code, Some(0), "{line}");
        assert!(text.contains(reason), "{line}: {text}");
        assert!(!folder.0.join("x.nnue").exists());
    };
    refused("cut.bin --out x.nnue", "cut.bin: 100480 bytes are not the length of such a net");
    refused("q.bin --out x.nnue --hidden 128", "it would fit --hidden 64 --king-buckets 1 --buckets 8");
    refused("q.bin --out x.nnue --layers", "it would fit --hidden 64 --king-buckets 1 --buckets 8");
    refused("q.bin --out x.nnue --scale 5", "a scale is a number from 50 to 1000");
    refused("none.bin --out x.nnue", "none.bin: ");
    let mut large = bytes.clone();
    large[1000..1002].copy_from_slice(&600_i16.to_le_bytes());
    folder.write("large.bin", &large);
    refused("large.bin --out x.nnue", "large.bin: feature weight 600 could overflow");
    folder.write("there.nnue", b"mine");
    let (code, text) = import(&folder, "q.bin --out there.nnue");
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("the file exists already"), "{text}");
    assert_eq!(fs::read(folder.0.join("there.nnue")).expect("it is there"), b"mine");
}
