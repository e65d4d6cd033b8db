//! A small network with a LayerNorm layer learns on the simulated device: forward's mean and rstd feed backward.
//!
//! Linear, ReLU, LayerNorm, linear, with squared error and plain gradient descent. All but LayerNorm is float64 on the host;
//! LayerNorm is float64, or both ops on the device, or float64 with the arithmetic of a kernel that subtracts the mean of
//! dy gamma twice. All four start from the same weights. Run it with
//! `cargo run --release -p tileproof --example train`. Start at [`train`].

use tileproof::Nobody;
use tileproof::device::{Device, execute};
use tileproof::ops::layernorm_bw;
use tileproof::ops::layernorm_fused_rm::{self, Arguments};
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::observe::Unobserved;
use tileproof_model::program::Layout;
use tileproof_model::record::Status;

/// Samples, and inputs of a sample.
const SAMPLES: usize = 64;
const INPUTS: usize = 6;
/// Features of the layer that is normalised: no multiple of 32.
pub(crate) const FEATURES: usize = 40;
const EPS: f64 = 1e-5;
const RATE: f64 = 0.05;

/// Gradients of a normalisation, row by row: dx, dgamma, dbeta.
pub(crate) type Gradients = (Vec<f64>, Vec<f64>, Vec<f64>);

/// A LayerNorm with its backward pass. Rows are [`FEATURES`] wide.
pub(crate) trait Norm {
    /// y of x; remembers what backward needs.
    fn forward(&mut self, x: &[f64], gamma: &[f64], beta: &[f64]) -> Vec<f64>;
    /// Gradients for the x and gamma of the last forward.
    fn backward(&mut self, dy: &[f64]) -> Gradients;
}

/// In float64; with `means_subtracted` 2 the arithmetic of the wrong kernel: dx = rstd (g - 2 s1 - x_hat s2).
pub(crate) struct Exact {
    /// How many times dx loses the mean of dy gamma.
    pub(crate) means_subtracted: f64,
    x_hat: Vec<f64>,
    rstd: Vec<f64>,
    gamma: Vec<f64>,
}

impl Exact {
    /// Right with 1.
    pub(crate) fn new(means_subtracted: f64) -> Exact {
        Exact { means_subtracted, x_hat: Vec::new(), rstd: Vec::new(), gamma: Vec::new() }
    }
}

impl Norm for Exact {
    fn forward(&mut self, x: &[f64], gamma: &[f64], beta: &[f64]) -> Vec<f64> {
        self.gamma = gamma.to_vec();
        self.x_hat.clear();
        self.rstd.clear();
        let mut y = Vec::with_capacity(x.len());
        for row in x.chunks_exact(FEATURES) {
            let mean = row.iter().sum::<f64>() / FEATURES as f64;
            let variance = row.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / FEATURES as f64;
            let rstd = 1.0 / (variance + EPS).sqrt();
            self.rstd.push(rstd);
            for (i, value) in row.iter().enumerate() {
                let x_hat = (value - mean) * rstd;
                self.x_hat.push(x_hat);
                y.push(x_hat * gamma[i] + beta[i]);
            }
        }
        y
    }

    fn backward(&mut self, dy: &[f64]) -> Gradients {
        let n = FEATURES as f64;
        let (mut dx, mut dgamma, mut dbeta) = (Vec::new(), vec![0.0; FEATURES], vec![0.0; FEATURES]);
        for (row, (dy, x_hat)) in dy.chunks_exact(FEATURES).zip(self.x_hat.chunks_exact(FEATURES)).enumerate() {
            let g: Vec<f64> = dy.iter().zip(&self.gamma).map(|(d, g)| d * g).collect();
            let s1 = g.iter().sum::<f64>() / n;
            let s2 = g.iter().zip(x_hat).map(|(g, x)| g * x).sum::<f64>() / n;
            for i in 0..FEATURES {
                dx.push(self.rstd[row] * (g[i] - self.means_subtracted * s1 - x_hat[i] * s2));
                dgamma[i] += dy[i] * x_hat[i];
                dbeta[i] += dy[i];
            }
        }
        (dx, dgamma, dbeta)
    }
}

/// Both ops on the simulated device. Data cross in `format`, mean and rstd in fp32 from forward to backward.
pub(crate) struct OnDevice {
    format: DataFormat,
    x: Vec<f32>,
    gamma: Vec<f32>,
    mean: Vec<f32>,
    rstd: Vec<f32>,
}

impl OnDevice {
    /// With x, gamma, beta, dy and the results in `format`.
    pub(crate) fn new(format: DataFormat) -> OnDevice {
        OnDevice { format, x: Vec::new(), gamma: Vec::new(), mean: Vec::new(), rstd: Vec::new() }
    }
}

fn narrow(values: &[f64]) -> Vec<f32> {
    values.iter().map(|v| *v as f32).collect()
}

fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|v| f64::from(*v)).collect()
}

impl Norm for OnDevice {
    fn forward(&mut self, x: &[f64], gamma: &[f64], beta: &[f64]) -> Vec<f64> {
        let rows = (x.len() / FEATURES) as u32;
        let arguments = Arguments {
            eps: EPS,
            statistics: true,
            ..Arguments::new(&[1, 1, rows, FEATURES as u32], self.format, Layout::RowMajor)
        };
        let plan = layernorm_fused_rm::plan(&arguments).expect("a shape that is allowed");
        (self.x, self.gamma) = (narrow(x), narrow(gamma));
        let beta = narrow(beta);
        let inputs = [("x", &self.x[..]), ("gamma", &self.gamma[..]), ("beta", &beta[..])];
        let program = layernorm_fused_rm::program(&plan);
        let run = execute::<Unobserved>(&program, &inputs, 1, &Nobody).expect("forward runs");
        let [(_, y), (_, mean), (_, rstd)] = run.outputs.try_into().expect("y, mean and rstd");
        (self.mean, self.rstd) = (mean, rstd);
        wide(&y)
    }

    fn backward(&mut self, dy: &[f64]) -> Gradients {
        use layernorm_bw::Tensors;
        let rows = (dy.len() / FEATURES) as u32;
        let plan = layernorm_bw::plan(&layernorm_bw::Arguments {
            eps: EPS,
            ..layernorm_bw::Arguments::new(&[1, 1, rows, FEATURES as u32], self.format)
        })
        .expect("a shape that is allowed");
        let program = layernorm_bw::program(&plan);
        let mut device = Device::<Unobserved>::new(&program, 1).expect("the tensors fit");
        for (name, values) in [
            (Tensors::X, &self.x),
            (Tensors::GAMMA, &self.gamma),
            (Tensors::MEAN, &self.mean),
            (Tensors::RSTD, &self.rstd),
            (Tensors::DY, &narrow(dy)),
        ] {
            device.write(name, values).expect("the values of the tensor");
        }
        let record = device.run(&program).expect("backward runs");
        assert_eq!(record.status, Status::Completed);
        let read = |name| wide(&device.read(name).expect("an output"));
        (read(Tensors::DX), read(Tensors::DGAMMA), read(Tensors::DBETA))
    }
}

/// The weights.
struct Network {
    /// [`INPUTS`] rows of [`FEATURES`].
    first: Vec<f64>,
    bias: Vec<f64>,
    gamma: Vec<f64>,
    beta: Vec<f64>,
    last: Vec<f64>,
}

/// Reproducible numbers in -1..1.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        // Knuth's MMIX generator.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Samples and targets: a smooth function of the inputs.
fn data() -> (Vec<f64>, Vec<f64>) {
    let mut numbers = Numbers(1);
    let x: Vec<f64> = (0..SAMPLES * INPUTS).map(|_| numbers.next()).collect();
    let target = x.chunks_exact(INPUTS).map(|x| x[0] * x[1] + 0.5 * x[2] - x[3] * x[3] + 0.3 * x[4]).collect();
    (x, target)
}

/// Trains for `steps` steps; the loss before each.
pub(crate) fn train(norm: &mut dyn Norm, steps: usize) -> Vec<f64> {
    let mut numbers = Numbers(2);
    let mut weights = |count: usize, scale: f64| (0..count).map(|_| scale * numbers.next()).collect::<Vec<f64>>();
    let mut net = Network {
        first: weights(INPUTS * FEATURES, 1.0),
        bias: weights(FEATURES, 0.5),
        gamma: vec![1.0; FEATURES],
        beta: vec![0.0; FEATURES],
        // Not centred: the mean of dy gamma, which the wrong kernel subtracts twice, is not zero.
        last: weights(FEATURES, 0.1).iter().map(|w| w + 0.5).collect(),
    };
    let (x, target) = data();
    (0..steps).map(|_| net.step(norm, &x, &target)).collect()
}

fn descend(weights: &mut [f64], gradient: &[f64]) {
    for (weight, slope) in weights.iter_mut().zip(gradient) {
        *weight -= RATE * slope;
    }
}

impl Network {
    /// One step of gradient descent on all samples; the loss before it.
    fn step(&mut self, norm: &mut dyn Norm, x: &[f64], target: &[f64]) -> f64 {
        let mut hidden = Vec::with_capacity(SAMPLES * FEATURES);
        for sample in x.chunks_exact(INPUTS) {
            for i in 0..FEATURES {
                let sum: f64 = sample.iter().enumerate().map(|(k, x)| x * self.first[k * FEATURES + i]).sum();
                hidden.push((sum + self.bias[i]).max(0.0));
            }
        }
        let y = norm.forward(&hidden, &self.gamma, &self.beta);
        let errors: Vec<f64> = y
            .chunks_exact(FEATURES)
            .zip(target)
            .map(|(y, target)| y.iter().zip(&self.last).map(|(y, w)| y * w).sum::<f64>() - target)
            .collect();
        let loss = errors.iter().map(|e| e * e).sum::<f64>() / SAMPLES as f64;

        let slope = |error: &f64| 2.0 * error / SAMPLES as f64;
        let dy: Vec<f64> = errors.iter().flat_map(|e| self.last.iter().map(move |w| slope(e) * w)).collect();
        let mut dlast = vec![0.0; FEATURES];
        for (y, error) in y.chunks_exact(FEATURES).zip(&errors) {
            dlast.iter_mut().zip(y).for_each(|(d, y)| *d += slope(error) * y);
        }
        let (dhidden, dgamma, dbeta) = norm.backward(&dy);
        let (mut dfirst, mut dbias) = (vec![0.0; INPUTS * FEATURES], vec![0.0; FEATURES]);
        for (row, sample) in x.chunks_exact(INPUTS).enumerate() {
            for i in 0..FEATURES {
                if hidden[row * FEATURES + i] > 0.0 {
                    let d = dhidden[row * FEATURES + i];
                    dbias[i] += d;
                    sample.iter().enumerate().for_each(|(k, x)| dfirst[k * FEATURES + i] += d * x);
                }
            }
        }
        descend(&mut self.first, &dfirst);
        descend(&mut self.bias, &dbias);
        descend(&mut self.gamma, &dgamma);
        descend(&mut self.beta, &dbeta);
        descend(&mut self.last, &dlast);
        loss
    }
}

fn main() {
    const STEPS: usize = 201;
    let exact = train(&mut Exact::new(1.0), STEPS);
    let fp32 = train(&mut OnDevice::new(DataFormat::Float32), STEPS);
    let bf16 = train(&mut OnDevice::new(DataFormat::Float16_b), STEPS);
    let twice = train(&mut Exact::new(2.0), STEPS);
    println!("loss  {:>12} {:>12} {:>12} {:>16}", "float64", "device fp32", "device bf16", "mean subtracted twice");
    for step in (0..STEPS).step_by(20) {
        println!("{step:>4}  {:>12.6} {:>12.6} {:>12.6} {:>16.6}", exact[step], fp32[step], bf16[step], twice[step]);
    }
}
