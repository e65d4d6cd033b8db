//! Does nothing: it is here because cargo heeds dependencies of build scripts only where there is one.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}
