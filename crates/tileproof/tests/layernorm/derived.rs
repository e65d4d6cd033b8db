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

#[test]
fn outputs_that_the_host_puts_together_have_no_bound() {
    let request = BackwardRequest { derived: true, ..BackwardRequest::new([1, 1, 32, 64]) };
    let error = backward_with(&request, kernels("published"), builder()).unwrap_err().to_string();
    assert_eq!(
        error,
        "output dgamma: no tolerance can be derived: it is made of outputs on the host; give rtol and atol"
    );
}
