//! Forward and backward as a pair: mean and rstd of the one feed the other.

use tileproof_model::numerics::format::DataFormat;

#[allow(dead_code, reason = "the example has a main of its own")]
#[path = "../../examples/train.rs"]
mod train;

use train::{Exact, FEATURES, Norm, OnDevice, train};

/// Sum of dy times LayerNorm(x), in float64: the loss whose gradients backward computes.
fn loss(x: &[f64], gamma: &[f64], beta: &[f64], dy: &[f64]) -> f64 {
    Exact::new(1.0).forward(x, gamma, beta).iter().zip(dy).map(|(y, dy)| y * dy).sum()
}

/// The slope of `f` in argument `index` of `at`, by finite differences.
fn slope(at: &[f64], index: usize, f: impl Fn(&[f64]) -> f64) -> f64 {
    let step = 1e-5;
    let moved = |by: f64| {
        let mut moved = at.to_vec();
        moved[index] += by;
        f(&moved)
    };
    (moved(step) - moved(-step)) / (2.0 * step)
}

#[test]
fn the_gradients_of_the_pair_on_the_device_are_the_slopes_of_the_loss() {
    let rows = 35;
    // Of few bits, so that fp32 holds them exactly.
    let values = |count: usize, a: usize, m: usize| -> Vec<f64> {
        (0..count).map(|i| (i * a % m) as f64 * 0.0625 - m as f64 / 32.0).collect()
    };
    let x = values(rows * FEATURES, 37, 59);
    let gamma: Vec<f64> = values(FEATURES, 7, 13).iter().map(|g| g + 1.0).collect();
    let beta = values(FEATURES, 5, 11);
    let dy = values(rows * FEATURES, 23, 31);
    let mut device = OnDevice::new(DataFormat::Float32);
    device.forward(&x, &gamma, &beta);
    let (dx, dgamma, dbeta) = device.backward(&dy);
    for (i, dx) in dx.iter().enumerate() {
        let slope = slope(&x, i, |x| loss(x, &gamma, &beta, &dy));
        assert!((slope - dx).abs() < 1e-5 + 1e-5 * slope.abs(), "dx {i}: {dx} on the device, slope {slope}");
    }
    for i in 0..FEATURES {
        let of_gamma = slope(&gamma, i, |gamma| loss(&x, gamma, &beta, &dy));
        let of_beta = slope(&beta, i, |beta| loss(&x, &gamma, beta, &dy));
        assert!((of_gamma - dgamma[i]).abs() < 1e-4, "dgamma {i}: {} on the device, slope {of_gamma}", dgamma[i]);
        assert!((of_beta - dbeta[i]).abs() < 1e-4, "dbeta {i}: {} on the device, slope {of_beta}", dbeta[i]);
    }
}

#[test]
fn a_network_learns_on_the_device_as_in_float64_and_less_well_with_the_mean_subtracted_twice() {
    let steps = 101;
    let last = |norm: &mut dyn Norm| *train(norm, steps).last().unwrap();
    let losses = train(&mut Exact::new(1.0), steps);
    let (first, exact) = (losses[0], losses[steps - 1]);
    let fp32 = last(&mut OnDevice::new(DataFormat::Float32));
    let bf16 = last(&mut OnDevice::new(DataFormat::Float16_b));
    let twice = last(&mut Exact::new(2.0));
    assert!(exact < 0.5 * first, "{exact} after {first}");
    assert!((fp32 - exact).abs() < 1e-4 * exact, "fp32 {fp32}, float64 {exact}");
    assert!((bf16 - exact).abs() < 0.05 * exact, "bf16 {bf16}, float64 {exact}");
    // Wrong gradients that still learn: a falling loss proves little.
    assert!(
        twice < first && twice > exact + 10.0 * (bf16 - exact).abs(),
        "twice {twice}, float64 {exact}, bf16 {bf16}"
    );
}
