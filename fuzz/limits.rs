//! What an input may cost: 50 ms of processor time and 64 MiB of memory, both of the build for fuzzing, which is slower than what is
//! shipped.

use cpu_time::ThreadTime;
use peak_alloc::PeakAlloc;
use std::time::Duration;

/// Most time of an input.
const MOST_TIME: Duration = Duration::from_millis(50);
/// Most bytes of memory that an input takes at a time.
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// How often an input that took too long is run again, before it counts: the machine may have been at fault.
const TRIES: u32 = 4;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Runs an input, and panics where it takes more than it may.
pub fn held(data: &[u8], run: fn(&[u8])) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let mut took = timed(data, run);
    let bytes = MEMORY.peak_usage().saturating_sub(before);
    assert!(bytes <= MOST_BYTES, "the input takes {bytes} bytes, and may take {MOST_BYTES}");
    for _ in 0..TRIES {
        if took <= MOST_TIME {
            return;
        }
        took = took.min(timed(data, run));
    }
    assert!(took <= MOST_TIME, "the input takes {took:?}, and may take {MOST_TIME:?}");
}

fn timed(data: &[u8], run: fn(&[u8])) -> Duration {
    let start = ThreadTime::now();
    run(data);
    start.elapsed()
}
