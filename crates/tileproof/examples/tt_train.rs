//! Runs the LayerNorm backward kernels of a tt-metal checkout on the recorded cases and says of each whose bits come out: the
//! work behind `cargo xtask compat --tt-metal DIR`.
//!
//! `tt_train CHECKOUT CACHE`: CHECKOUT holds `tt-train/sources/ttml/metal`. It must never take an expected value from the
//! machine. Start at `main`; one line a case is printed, `ok CASE: ..` or `no CASE: ..`.

#[path = "../tests/layernorm/recorded.rs"]
mod recorded;

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};

use recorded::{Outcome, RECORDED};
use tileproof::build::Builder;
use tileproof::kernel_folder::KernelFolder;
use tileproof::layernorm::GivenKernels;
use tileproof::ops::Kernels;

/// Where the kernels are in a checkout.
const KERNELS: &str = "tt-train/sources/ttml/metal/ops/layernorm_bw/device/kernels";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [checkout, cache] = arguments.as_slice() else { return Err("usage: tt_train CHECKOUT CACHE".into()) };
    let checkout = Path::new(checkout);
    let folder = KernelFolder::find(&checkout.join(KERNELS))?;
    let include_dirs = vec![checkout.to_path_buf(), checkout.join("ttnn/cpp"), checkout.join("ttnn")];
    let include_dirs = include_dirs.into_iter().filter(|dir| dir.is_dir()).collect();
    let kernels = Kernels::from(GivenKernels { folder, include_dirs });
    let builder = Builder::new(Some(PathBuf::from(cache)))?;
    for (name, dx_is_defined) in RECORDED {
        match bits_of(name, dx_is_defined, &kernels, &builder) {
            Ok(text) => println!("ok {name}: {text}"),
            Err(text) => println!("no {name}: {text}"),
        }
    }
    Ok(())
}

/// Whose recorded bits a case gives, and what is found.
fn bits_of(name: &str, dx_is_defined: bool, kernels: &Kernels, builder: &Builder) -> Result<String, String> {
    let case = |kind: &str| {
        let name = format!("bw_{kind}_{name}");
        tileproof_golden::case("public", &name).ok_or_else(|| format!("{name} is not recorded"))
    };
    let (published, mended) = (case("buggy")?, case("fixed")?);
    let outcome: Outcome = recorded::run(mended, kernels, builder)?;
    let codes: BTreeSet<String> = outcome.run.findings.iter().map(|f| f.code.to_string()).collect();
    let found = match codes.is_empty() {
        true => "nothing found".to_string(),
        false => codes.into_iter().collect::<Vec<_>>().join(" "),
    };
    if outcome.is_recorded(mended, true).is_ok() {
        return Ok(format!("the bits of the mended kernels; {found}"));
    }
    match outcome.is_recorded(published, dx_is_defined) {
        Ok(()) if dx_is_defined => Ok(format!("the bits of the published kernels; {found}")),
        Ok(()) => Ok(format!("the bits of the published kernels, but for dx, which is undefined; {found}")),
        Err(error) => Err(format!("neither the published nor the mended bits: {error}; {found}")),
    }
}
