//! When requests loaded blocks from the CPU tier.

use base::{Micros, RequestId, SortedMap};

/// When each request that asked for blocks from the CPU tier last did so, and when they are there or were given up.
pub(crate) type LoadTimes = SortedMap<RequestId, [Micros; 2]>;

/// The two times of a request, if it ever asked.
pub(crate) fn load_of(all: &LoadTimes, request: RequestId) -> [Option<Micros>; 2] {
    all.get(&request).map_or([None; 2], |times| times.map(Some))
}
