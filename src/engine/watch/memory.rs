//! How much memory a copy of a cluster takes: what is alive, and what is at rest and shared with other copies.

use super::Sight;
use super::packed::numbering;
use crate::gateway::FlowQueue;
use crate::replica::Replica;

/// Bytes of a replica beside its cache: its counters, its model, the lists of its batch.
const REPLICA_BYTES: u64 = 4096;

/// About how many bytes of it every copy has for itself once it has gone on: caches are shared until then, and counted in full.
pub(crate) fn bytes_alive(of: Sight<'_>) -> u64 {
    let replica = |r: &Replica| r.kv().bytes() + REPLICA_BYTES;
    let replicas: u64 = of.fleet.replicas().iter().map(replica).sum();
    let scaling = of.fleet.bytes_of_scalers() + 32 * u64::from(of.gateway.held());
    let flow = of.gateway.flow().map_or(0, FlowQueue::bytes);
    scaling
        + flow
        + of.gateway.admission().bytes()
        + replicas
        + of.book.bytes_alive()
        + of.gateway.router().bytes()
}

/// About how many bytes are read to pack it.
pub(crate) fn bytes_packed_from(of: Sight<'_>) -> u64 {
    let numbering = numbering(of.fleet.replicas());
    let replica = |r: &Replica| r.kv().bytes_packed_from(numbering) + REPLICA_BYTES;
    let replicas: u64 = of.fleet.replicas().iter().map(replica).sum();
    replicas + of.book.bytes_packed_from() + of.gateway.router().bytes()
}
