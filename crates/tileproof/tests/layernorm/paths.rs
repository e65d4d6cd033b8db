//! The two paths of LayerNorm backward agree, and both hold where shapes are odd and data lies far from 0.

use tileproof::check::Checks;
use tileproof::device::Device;
use tileproof::fill::Fill;
use tileproof::layernorm::{BackwardRequest, backward};
use tileproof::ops::layernorm_bw::{self, Arguments, PathChoice, Tensors, reference};
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::record::Status;

/// dx, dgamma and dbeta on a path.
fn outputs(shape: [u32; 4], format: DataFormat, path: PathChoice, x: &Fill) -> [Vec<f32>; 3] {
    let arguments = Arguments { path, ..Arguments::new(&shape, format) };
    let plan = layernorm_bw::plan(&arguments).expect("a plan");
    assert_eq!(plan.l1_path, path == PathChoice::L1);
    let program = layernorm_bw::program(&plan);
    let values = |fill: &Fill, shape: &[u32], stream| fill.values(shape, format, 7, stream).expect("values");
    let uniform = Fill::Uniform { lo: -1.0, hi: 1.0 };
    let x = values(x, &shape, 0);
    let (mean, rstd) = reference::statistics(&x, shape[3] as usize, 1e-6);
    let mut device = Device::<Checks>::new(&program, 1).expect("a device");
    device.write(Tensors::X, &x).unwrap();
    device.write(Tensors::GAMMA, &values(&Fill::Uniform { lo: 0.0, hi: 1.0 }, &[1, 1, 1, shape[3]], 1)).unwrap();
    device.write(Tensors::DY, &values(&uniform, &shape, 2)).unwrap();
    device.write(Tensors::MEAN, &mean).unwrap();
    device.write(Tensors::RSTD, &rstd).unwrap();
    let run = device.run(&program).expect("a run");
    assert!(run.status == Status::Completed && run.findings.is_empty(), "{:#?}", run.findings);
    [Tensors::DX, Tensors::DGAMMA, Tensors::DBETA].map(|name| device.read(name).expect(name))
}

/// Steps of the format between two values, steps being those at max(|a|, 2^-6).
fn steps(a: f32, b: f32, mantissa_bits: i32) -> f64 {
    let size = f64::from(a.abs()).max(1.0 / 64.0);
    let step = 2f64.powi(size.log2().floor() as i32 - mantissa_bits);
    (f64::from(a) - f64::from(b)).abs() / step
}

#[test]
fn the_two_paths_agree_within_one_step_of_the_format() {
    let fills = [Fill::Uniform { lo: -1.0, hi: 1.0 }, Fill::Normal { mean: 100.0, std: 1.0 }];
    for shape in [[1, 1, 13, 20], [1, 1, 32, 33], [2, 2, 45, 777], [1, 1, 40, 2600], [3, 7, 5, 129]] {
        for x in &fills {
            let of = |path| outputs(shape, DataFormat::Float16_b, path, x);
            for (l1, block) in of(PathChoice::L1).iter().zip(&of(PathChoice::Block)) {
                assert_eq!(l1.len(), block.len());
                let worst = l1.iter().zip(block).map(|(a, b)| steps(*a, *b, 7)).fold(0.0, f64::max);
                assert!(worst <= 1.0, "{shape:?}: {worst} steps");
            }
        }
    }
}

#[test]
fn odd_shapes_hold_on_data_far_from_0() {
    for shape in [[1, 1, 40, 12000], [1, 3, 7, 1], [1, 1, 1, 31], [2, 2, 45, 777]] {
        for (format, mean, std) in [
            (DataFormat::Float16_b, 100.0, 1.0),
            (DataFormat::Float32, 100.0, 1.0),
            (DataFormat::Float32, 1e4, 1.0),
            (DataFormat::Float32, 1e6, 10.0),
        ] {
            let request = BackwardRequest { format, x: Fill::Normal { mean, std }, ..BackwardRequest::new(shape) };
            let result = backward(&request).expect("a request that can be carried out");
            assert!(result.pass(), "{shape:?}, {format:?}, {mean}: {:?} {:#?}", result.outputs, result.record.findings);
        }
    }
}
