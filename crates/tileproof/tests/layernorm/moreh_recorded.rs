//! Recorded outputs of moreh's LayerNorm in both directions: ours lies at least as close to float64 on each.
//!
//! Backward was given mean and rstd in bf16, and so are ours and the reference. The recorded mean and rstd are not compared:
//! they are right in two of 32 rows. `-- --nocapture` prints the errors.

use std::collections::BTreeMap;

use tileproof::Nobody;
use tileproof::device::execute;
use tileproof::ops::layernorm_bw::{self, Tensors};
use tileproof::ops::layernorm_fused_rm;
use tileproof_golden::Case;
use tileproof_model::numerics::error::measure;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::observe::Unobserved;
use tileproof_model::program::Layout;
use tileproof_model::program::Program;
use tileproof_model::record::Status;

use crate::forward_recorded::values;

const BF16: DataFormat = DataFormat::Float16_b;

/// Ours against the recorded output of a case, by float64.
fn compare(case: &Case, file: &str, ours: &[f32], exact: &[f64]) {
    let recorded = values(&case.array(file));
    let of = |values: &[f32]| measure(BF16, values, exact).unwrap();
    let (recorded, ours) = (of(&recorded), of(ours));
    println!("{} {file}: recorded {:.1e}, ours {:.1e}", case.name, recorded.max_diff, ours.max_diff);
    assert!(ours.max_diff <= recorded.max_diff, "{} {file}: {ours:?} {recorded:?}", case.name);
    assert!(ours.mean_diff <= recorded.mean_diff, "{} {file}: {ours:?} {recorded:?}", case.name);
    assert!(ours.max_ulp <= recorded.max_ulp, "{} {file}: {ours:?} {recorded:?}", case.name);
}

/// What a program gives, by the names of its outputs.
fn outputs(program: &Program, inputs: &[(&str, &[f32])]) -> BTreeMap<String, Vec<f32>> {
    let run = execute::<Unobserved>(program, inputs, 1, &Nobody).unwrap();
    assert_eq!(run.record.status, Status::Completed);
    run.outputs.into_iter().map(|(tensor, values)| (tensor.name, values)).collect()
}

fn forward(case: &Case) {
    let [x, gamma, beta] = ["in0_x.npy", "in2_gamma.npy", "in3_beta.npy"].map(|file| values(&case.array(file)));
    let width = gamma.len();
    let row = layernorm_fused_rm::Argument::new(&[width as u32], BF16, Layout::RowMajor);
    let arguments = layernorm_fused_rm::Arguments {
        gamma: Some(row.clone()),
        beta: Some(row),
        eps: case.meta["eps"].as_f64().expect("eps"),
        ..layernorm_fused_rm::Arguments::new(&[(x.len() / width) as u32, width as u32], BF16, Layout::RowMajor)
    };
    let plan = layernorm_fused_rm::plan(&arguments).unwrap();
    let y = &outputs(&layernorm_fused_rm::program(&plan), &[("x", &x), ("gamma", &gamma), ("beta", &beta)])["y"];
    let exact = layernorm_fused_rm::reference::forward(&x, width, Some(&gamma), Some(&beta), arguments.eps).y;
    compare(case, "out0_y.npy", y, &exact);
}

fn backward(case: &Case) {
    let files = ["in0_x.npy", "in1_dy.npy", "in2_gamma.npy", "in4_mean_bwd.npy", "in5_rstd_bwd.npy"];
    let [x, dy, gamma, mean, rstd] = files.map(|file| values(&case.array(file)));
    let (rows, width) = (mean.len(), gamma.len());
    let plan = layernorm_bw::plan(&layernorm_bw::Arguments::new(&[1, 1, rows as u32, width as u32], BF16)).unwrap();
    let given = [
        (Tensors::X, &x[..]),
        (Tensors::DY, &dy),
        (Tensors::GAMMA, &gamma),
        (Tensors::MEAN, &mean),
        (Tensors::RSTD, &rstd),
    ];
    let ours = outputs(&layernorm_bw::program(&plan), &given);
    let inputs =
        layernorm_bw::reference::Inputs { rows, width, x: &x, gamma: &gamma, dy: &dy, mean: &mean, rstd: &rstd };
    let exact = layernorm_bw::reference::backward(&inputs);
    let gradients = [
        ("out3_dx.npy", Tensors::DX, &exact.dx),
        ("out4_dgamma.npy", Tensors::DGAMMA, &exact.dgamma),
        ("out5_dbeta.npy", Tensors::DBETA, &exact.dbeta),
    ];
    for (file, tensor, exact) in gradients {
        compare(case, file, &ours[tensor], exact);
    }
}

#[test]
fn ours_is_at_least_as_close_to_float64_as_y_and_the_gradients_that_moreh_recorded() {
    let cases: Vec<&Case> =
        tileproof_golden::group("layernorm").filter(|case| case.name.starts_with("moreh_")).collect();
    assert_eq!(cases.len(), 6);
    for case in cases {
        forward(case);
        backward(case);
    }
}
