#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    tileproof_fuzz::op_file(&tileproof_fuzz::beside(env!("CARGO_MANIFEST_DIR")), data);
});
