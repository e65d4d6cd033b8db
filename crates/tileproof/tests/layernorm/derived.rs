//! LayerNorm held to what its operations may lose.

use tileproof::layernorm::{BackwardRequest, ForwardRequest, LayerNormResult, backward, backward_with, forward};
use tileproof::model::numerics::format::DataFormat;

use crate::given::{builder, kernels};

const FORMATS: [DataFormat; 2] = [DataFormat::Float16_b, DataFormat::Float32];

/// Within the bound, and not so far below that it says nothing.
fn is_near_its_bound(result: &LayerNormResult) {
    assert!(result.pass(), "{:?} {:?}", result.outputs, result.record.findings);
    for output in &result.outputs {
        let derived = output.derived.expect("a derived tolerance");
        assert!(derived.share > 1.0 / 30.0 && derived.share <= 1.0, "{}: {derived:?}", output.name);
    }
}

#[test]
fn both_directions_lose_less_than_they_may_and_more_than_a_thirtieth_of_it() {
    for format in FORMATS {
        // A width with padding, whose mask keeps what is undefined out of the bound, too.
        let request = ForwardRequest { format, derived: true, ..ForwardRequest::new([1, 1, 33, 200]) };
        is_near_its_bound(&forward(&request).unwrap());
        let request = BackwardRequest { format, derived: true, ..BackwardRequest::new([1, 1, 40, 200]) };
        is_near_its_bound(&backward(&request).unwrap());
    }
}

/// Of the public host side, which adds up the gradients of each row. At a width of 64 the scaler is exact.
#[test]
fn sums_that_the_host_makes_have_the_bounds_of_their_terms() {
    let request = BackwardRequest { derived: true, ..BackwardRequest::new([1, 1, 40, 64]) };
    is_near_its_bound(&backward_with(&request, kernels("mended"), builder()).unwrap());
    let published = backward_with(&request, kernels("published"), builder()).unwrap();
    let share = |name: &str| {
        let output = published.outputs.iter().find(|output| output.name == name).expect("an output");
        output.derived.expect("a derived tolerance").share
    };
    // The mean is subtracted twice, which is no matter of rounding; the sums are right.
    assert!(!published.pass() && share("dx") > 2.0, "{:?}", published.outputs);
    assert!(share("dgamma") <= 1.0 && share("dbeta") <= 1.0, "{:?}", published.outputs);
}
