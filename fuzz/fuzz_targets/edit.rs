#![no_main]

#[path = "../targets/mod.rs"]
#[allow(dead_code, unused_imports, reason = "each program runs one of the targets")]
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| limits::held(data, targets::edit));
