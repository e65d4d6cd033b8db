//! Findings about tensors, which the library makes itself.
//!
//! It must never blame a kernel: the place is where the tensor is declared. Start at [`at_tensor`].

use std::path::Path;

use tileproof_model::finding::{Code, Finding, Place};
use tileproof_model::program::TensorDescriptor;
use tileproof_model::thread::{CoreCoord, Thread};

/// An output with pages that nothing has written: so many, of which one is the first.
pub(crate) fn not_written(tensor: &TensorDescriptor, (missing, first): (u32, u32), place: Place) -> Finding {
    let message = format!("{missing} of {} pages of output {} were never written", tensor.pages(), tensor.name);
    Finding {
        primary_text: format!("page {first} is the first"),
        ..at_tensor(&tensor.name, place, Code::OUTPUT_NOT_WRITTEN, message, [("first", first), ("missing", missing)])
    }
}

/// A note that the values of a file were rounded to the format of its tensor, to nearest and ties to even.
pub(crate) fn rounded(tensor: &str, file: &Path, place: Place) -> Finding {
    let message = format!("{}: float32, rounded to the nearest bfloat16, ties to even, for {tensor}", file.display());
    Finding {
        help: Some("save the bits of bfloat16 as uint16 to choose the rounding yourself".into()),
        ..at_tensor(tensor, place, Code::INPUT_ROUNDED, message, [("file", file.display())])
    }
}

/// Where a tensor of the library is declared: in no file.
pub(crate) fn nowhere() -> Place {
    Place { location: None, kernel: String::new(), core: CoreCoord { x: 0, y: 0 }, thread: Thread::Brisc }
}

/// A finding about a tensor, which names it among its facts.
pub(crate) fn at_tensor<T: ToString, const N: usize>(
    tensor: &str,
    place: Place,
    code: Code,
    message: String,
    facts: [(&str, T); N],
) -> Finding {
    let finding = Finding::new(code, place, message).fact("tensor", tensor);
    facts.iter().fold(finding, |finding, (name, value)| finding.fact(name, value.to_string()))
}
