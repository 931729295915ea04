//! How much memory a copy of a cluster takes: what is alive, and what is at rest and shared with other copies.

use crate::engine::Cluster;
use crate::engine::replica::Replica;

/// Bytes of a replica beside its cache: its counters, its model, the lists of its batch.
const REPLICA_BYTES: u64 = 4096;

impl Cluster {
    /// About how many bytes of it every copy has for itself once it has gone on: caches are shared until then, and counted in full.
    pub fn bytes_alive(&self) -> u64 {
        let replica = |r: &Replica| r.kv.bytes() + REPLICA_BYTES;
        let replicas: u64 = self.replicas.iter().map(replica).sum();
        let packed = self.packed.as_ref().map_or(0, |packed| packed.bytes());
        let scaling = self.scaling.as_ref().map_or(0, |s| s.bytes());
        packed + scaling + replicas + self.active.bytes() + self.router.bytes() + 40 * self.loads.len() as u64
    }

    /// About how many bytes are read to pack it.
    pub fn bytes_packed_from(&self) -> u64 {
        let numbering = self.numbering();
        let replicas: u64 =
            self.replicas.iter().map(|r| r.kv.bytes_packed_from(numbering) + REPLICA_BYTES).sum();
        replicas + self.active.bytes() + self.router.bytes()
    }

    /// Bytes of what is at rest that `later`, which went on from a copy of it, does not share.
    pub fn bytes_at_rest(&self, later: Option<&Self>) -> u64 {
        self.records.bytes_beside(later.map(|l| &l.records))
            + self.stays.bytes_beside(later.map(|l| &l.stays))
    }
}
