//! The public tests of LayerNorm backward, by their names, on the shipped kernels or on others.
//!
//! The tests are those of tt-metal's `tt-train/tests/ops/layernorm_bw_fused_op_test.cpp`: five on random data with a wide tolerance,
//! which wrong gradients passed for months, and seven that were written to show them (branch
//! `ivoitovych/layernorm-bw-nightly-test-failure-bug-report-3`). Start at [`public_suite`].

use tileproof_model::record::Status;

use super::backward::{BackwardHost, backward, backward_given};
use super::error::LayerNormError;
use super::given_kernels::GivenKernels;
use super::request::BackwardRequest;
use crate::cpp_kernels::BuildKernels;
use crate::fill::Fill;
use crate::output::OutputResult;
use crate::run_file::ChosenChecks;

/// A public test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PublicTest {
    /// Its name.
    pub name: &'static str,
    /// Batch, heads, sequence, features.
    pub shape: [u32; 4],
    /// The values of dy, gamma and x; `None` where they are random: gamma from 0 to 1, the others from -1 to 1.
    pub constants: Option<[f64; 3]>,
    /// Relative and absolute tolerance.
    pub tolerances: (f64, f64),
    /// How often it is run, each time on other random data.
    pub runs: u64,
}

const WIDE: (f64, f64) = (1e-3, 0.5);
const TIGHT: (f64, f64) = (1e-2, 1e-2);

const fn random(name: &'static str, shape: [u32; 4], tolerances: (f64, f64), runs: u64) -> PublicTest {
    PublicTest { name, shape, constants: None, tolerances, runs }
}

const fn constant(name: &'static str, shape: [u32; 4], constants: [f64; 3]) -> PublicTest {
    PublicTest { name, shape, constants: Some(constants), tolerances: TIGHT, runs: 1 }
}

/// The public tests, in the order of their file.
pub const PUBLIC: [PublicTest; 12] = [
    random("MetalLayerNormBw_OneTile", [1, 1, 13, 20], WIDE, 3),
    random("MetalLayerNormBw_TwoIncompleteTiles", [1, 1, 32, 33], WIDE, 3),
    random("NIGHTLY_MetalLayerNormBw_LargeFeatures_NoL1Fit", [3, 1, 273, 8462], WIDE, 3),
    random("MetalLayerNormBw_DoesNotFitInL1_WtNotDivisibleBy4", [3, 1, 100, 8191], WIDE, 10),
    random("MetalLayerNormBw_OneTilePerRow", [1, 1, 19, 213], WIDE, 10),
    constant("BugRepro_Deterministic_256Tiles", [1, 1, 100, 8192], [1.0, 1.0, 0.5]),
    constant("BugRepro_Deterministic_128Tiles", [1, 1, 100, 4096], [1.0, 1.0, 0.5]),
    constant("BugRepro_Deterministic_DifferentValues", [1, 1, 100, 8192], [0.5, 2.0, 1.0]),
    constant("BugRepro_Deterministic_8462Features", [3, 1, 273, 8462], [1.0, 1.0, 0.5]),
    constant("BugRepro_Deterministic_2048Features", [1, 1, 100, 2048], [1.0, 1.0, 0.5]),
    random("BugRepro_TightTolerance_8462Features", [3, 1, 273, 8462], TIGHT, 1),
    random("BugRepro_TightTolerance_8192Features", [1, 1, 100, 8192], TIGHT, 1),
];

/// What a public test came to.
#[derive(Clone, PartialEq, Debug)]
pub struct TestResult {
    /// The test.
    pub test: PublicTest,
    /// How its last run ended.
    pub status: Status,
    /// The output that misses most, of the run in which it does; where all pass, the one with the largest difference. `None` if a
    /// run ended early.
    pub worst: Option<OutputResult>,
    /// All runs came to their end, and all outputs are within tolerance.
    pub pass: bool,
}

/// Kernels that the tests run on, and who builds them.
pub struct SuiteKernels<'a> {
    /// The kernels.
    pub kernels: GivenKernels,
    /// Their host side, if it is said.
    pub host: Option<BackwardHost>,
    /// Who builds them.
    pub builder: &'a dyn BuildKernels,
}

/// Runs public tests, on the shipped kernels or on others. Of `request` the
/// chip, the cores, the path, epsilon, the memory of the outputs, the seed and the host threads count.
///
/// # Errors
/// If a test cannot be run.
pub fn public_suite(
    tests: &[PublicTest],
    request: &BackwardRequest,
    given: Option<&SuiteKernels<'_>>,
    begins: &mut dyn FnMut(usize, &PublicTest),
) -> Result<Vec<TestResult>, LayerNormError> {
    let run = |(number, test): (usize, &PublicTest)| {
        begins(number, test);
        run_test(test, request, given)
    };
    tests.iter().enumerate().map(run).collect()
}

fn run_test(
    test: &PublicTest,
    request: &BackwardRequest,
    given: Option<&SuiteKernels<'_>>,
) -> Result<TestResult, LayerNormError> {
    let uniform = |lo, hi| Fill::Uniform { lo, hi };
    let [dy, gamma, x] = match test.constants {
        Some(constants) => constants.map(Fill::Constant),
        None => [uniform(-1.0, 1.0), uniform(0.0, 1.0), uniform(-1.0, 1.0)],
    };
    let mut whole = TestResult { test: *test, status: Status::Completed, worst: None, pass: true };
    for run in 0..test.runs {
        let request = BackwardRequest {
            shape: test.shape.to_vec(),
            seed: request.seed.wrapping_add(run),
            rtol: test.tolerances.0,
            atol: test.tolerances.1,
            checks: ChosenChecks::None,
            save: None,
            dy: dy.clone(),
            gamma: gamma.clone(),
            x: x.clone(),
            ..request.clone()
        };
        let result = match given {
            None => backward(&request)?,
            Some(SuiteKernels { kernels, host, builder }) => {
                backward_given(&request, kernels.clone(), *host, *builder)?
            }
        };
        whole.pass &= result.pass();
        whole.status = result.record.status;
        if whole.status != Status::Completed {
            whole.worst = None;
            break;
        }
        // A NaN is as far as can be.
        let far = |output: &OutputResult| {
            let difference = output.max_diff.unwrap_or(0.0);
            (!output.pass, if difference.is_nan() { f64::INFINITY } else { difference })
        };
        for output in result.outputs {
            if whole.worst.as_ref().is_none_or(|worst| far(&output) > far(worst)) {
                whole.worst = Some(output);
            }
        }
    }
    Ok(whole)
}
