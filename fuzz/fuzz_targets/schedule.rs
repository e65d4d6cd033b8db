#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    tileproof_fuzz::schedule(&tileproof_fuzz::beside(env!("CARGO_MANIFEST_DIR")), data);
});
