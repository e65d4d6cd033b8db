//! Recorded outputs of ttnn.layer_norm on the full-system simulator: ours lies at least as close to float64 on each.
//!
//! `-- --nocapture` prints the table of docs/layernorm.md.

use tileproof::Nobody;
use tileproof::device::execute;
use tileproof::ops::layernorm_fused_rm::{self, Argument, Arguments};
use tileproof_golden::{Array, Case, Dtype};
use tileproof_model::numerics::error::{ErrorMeasures, measure};
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::observe::Unobserved;
use tileproof_model::program::Layout;

pub(crate) fn values(array: &Array) -> Vec<f32> {
    match array.dtype {
        Dtype::U16 => {
            let bits = array.bytes.chunks_exact(2).map(|b| u32::from(u16::from_le_bytes([b[0], b[1]])));
            bits.map(|bits| f32::from_bits(bits << 16)).collect()
        }
        Dtype::F32 => array.bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
        other => panic!("{other:?} holds no floats"),
    }
}

/// Errors of the recorded y and of ours, over the rows that were kept.
fn errors(case: &Case) -> (ErrorMeasures, ErrorMeasures) {
    let x = case.array("in0.npy");
    let [height, width] = x.shape[x.shape.len() - 2..] else { panic!("{}: {:?}", case.name, x.shape) };
    let format = if x.dtype == Dtype::F32 { DataFormat::Float32 } else { DataFormat::Float16_b };
    let affine = case.meta["affine"] == true;
    let row = |file: &str| affine.then(|| values(&case.array(file)));
    let (gamma, beta) = (row("in1_gamma.npy"), row("in2_beta.npy"));
    let row = Argument::new(&[width as u32], format, Layout::RowMajor);
    let arguments = Arguments {
        gamma: affine.then(|| row.clone()),
        beta: affine.then_some(row),
        eps: case.meta["epsilon"].as_f64().expect("epsilon"),
        ..Arguments::new(&[height as u32, width as u32], format, Layout::RowMajor)
    };
    let plan = layernorm_fused_rm::plan(&arguments).unwrap();
    let x = values(&x);
    let (gamma, beta) = (gamma.as_deref(), beta.as_deref());
    let rows = [("gamma", gamma), ("beta", beta)].into_iter().filter_map(|(name, row)| Some((name, row?)));
    let inputs: Vec<(&str, &[f32])> = std::iter::once(("x", &x[..])).chain(rows).collect();
    let program = layernorm_fused_rm::program(&plan);
    let ours = execute::<Unobserved>(&program, &inputs, 1, &Nobody).unwrap().outputs.remove(0).1;
    let exact = layernorm_fused_rm::reference::forward(&x, width, gamma, beta, arguments.eps).y;
    let (step, recorded) = match case.sample("out0.npy") {
        Some(sample) => (sample.step, values(&sample.rows)),
        None => (1, values(&case.array("out0.npy"))),
    };
    let every = |values: &[f32]| values.chunks_exact(width).step_by(step).flatten().copied().collect::<Vec<f32>>();
    let exact: Vec<f64> = exact.chunks_exact(width).step_by(step).flatten().copied().collect();
    let of = |values: &[f32]| measure(format, values, &exact).unwrap();
    assert_eq!(recorded.len(), exact.len());
    (of(&recorded), of(&every(&ours)))
}

#[test]
fn ours_is_at_least_as_close_to_float64_as_each_recorded_output() {
    let mut compared = 0;
    println!("| case | recorded max | ours max | recorded mean | ours mean | recorded ulp | ours ulp |");
    for case in tileproof_golden::group("layernorm").filter(|case| case.name.starts_with("layernorm_fwd__")) {
        let (recorded, ours) = errors(case);
        println!(
            "| {} | {:.1e} | {:.1e} | {:.1e} | {:.1e} | {:.1} | {:.1} |",
            case.name.trim_start_matches("layernorm_fwd__"),
            recorded.max_diff,
            ours.max_diff,
            recorded.mean_diff,
            ours.mean_diff,
            recorded.max_ulp,
            ours.max_ulp
        );
        assert!(ours.max_diff <= recorded.max_diff, "{}: {ours:?} {recorded:?}", case.name);
        assert!(ours.mean_diff <= recorded.mean_diff, "{}: {ours:?} {recorded:?}", case.name);
        assert!(ours.max_ulp <= recorded.max_ulp, "{}: {ours:?} {recorded:?}", case.name);
        compared += 1;
    }
    assert_eq!(compared, 9);
}
