#![no_main]

#[path = "../targets/mod.rs"]
#[expect(unused_imports, reason = "each program runs one of the targets")]
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| limits::held(data, targets::scenario));
