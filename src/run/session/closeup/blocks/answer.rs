//! The KV cache of a replica, put together.

use super::count::{Counted, page_at, page_of};
use super::prefixes::Search;
use super::{BlockPage, Blocks, BlocksQuery, CpuBlocks, PAGE};
use crate::session::Session;
use base::units::US_PER_S;
use engine::Replica;
use engine::policy::routing::CachePicture;

/// Most columns of the strip, and most nodes of the tree.
const COLUMNS: u32 = 4096;
const NODES: u32 = 2048;

/// Why single blocks are not shown.
const HIDDEN: &str = "Single blocks are shown in clusters of up to 8 replicas";

impl Session {
    /// The blocks of a replica; `None` if there is no such replica.
    pub fn blocks(&self, query: &BlocksQuery) -> Option<Blocks> {
        let engine = &self.engine;
        let replica = engine.replicas().get(query.replica as usize)?;
        let kv = replica.kv();
        let is_shown = engine.shows_blocks();
        let columns = if is_shown { query.strip.min(COLUMNS) } else { 0 };
        let counted = Counted::of(kv, columns);
        let [own, shared, cached, free] = counted.all;
        let held = engine.held_blocks(replica);
        let (page, numbers) = page_at(kv, query.page);
        let (mut grid, order) =
            if is_shown { page_of(kv, &held, numbers, self.playhead) } else { Default::default() };
        let search = self.search(replica);
        let texts = search.cached_texts();
        let prefixes = search.prefixes(&held, &texts, query.nodes.min(NODES), &mut grid);
        if !is_shown {
            grid = BlockPage::default();
        }
        Some(Blocks {
            now_us: self.playhead.0,
            replica: query.replica,
            block_tokens: kv.block_tokens(),
            total: kv.total(),
            own,
            shared,
            cached,
            free,
            percent: [own + shared, cached, free]
                .map(|n| 100.0 * f64::from(n) / f64::from(kv.total().max(1))),
            conserved: counted.is_conserved(kv),
            checked: engine.events_done(),
            hidden: if is_shown { String::new() } else { HIDDEN.to_owned() },
            caching: kv.caching(),
            pages: kv.numbers().div_ceil(PAGE),
            strip: counted.strip,
            page,
            grid,
            tree: prefixes.tree,
            more: prefixes.more,
            picture: match engine.router_of(replica).cache_picture() {
                CachePicture::None => "",
                CachePicture::Asked => "asked",
                CachePicture::Remembered => "remembered",
            },
            groups: prefixes.groups,
            cpu: self.cpu_blocks(replica),
            next: order.next,
            evictions: kv.evictions(),
            hits: kv.hits(),
            happened: self.block_events(replica),
            over_time: self.blocks_over_time(query.replica),
        })
    }

    pub(super) fn search<'a>(&'a self, replica: &'a Replica) -> Search<'a> {
        Search { engine: &self.engine, scenario: self.plan.scenario(), replica, now: self.playhead }
    }

    fn cpu_blocks(&self, replica: &Replica) -> Option<CpuBlocks> {
        let kv = replica.kv();
        if !kv.tiered() {
            return None;
        }
        let settings = &self.plan.scenario().cluster.pools.get(replica.pool() as usize)?.kv;
        let (used, total) = kv.tier_blocks();
        let counts = kv.tier_counts();
        let tokens = f64::from(kv.block_tokens());
        let block_tokens = u64::from(kv.block_tokens());
        let block_bytes = self.engine.kv_bytes_per_token(replica).map(|bytes| bytes * block_tokens);
        Some(CpuBlocks {
            total,
            used,
            block_bytes,
            bytes: block_bytes.map(|bytes| [used, total].map(|blocks| bytes * u64::from(blocks))),
            block_us: settings.transfer_base_us as f64 + tokens / settings.transfer_tokens_per_us,
            written: counts.offloads,
            loaded: counts.hits,
        })
    }

    /// The ends of the buckets of the run, and the share of blocks in use there.
    fn blocks_over_time(&self, replica: u32) -> [Vec<f64>; 2] {
        let t = &self.recorder.timeline;
        let used = t.gauge(2 * replica as usize + 1).unwrap_or(&[]);
        let end = |i: usize| (i as u64 + 1) as f64 * t.width_us() as f64 / US_PER_S as f64;
        [(0..used.len()).map(end).collect(), used.iter().map(|&n| f64::from(n) * 0.1).collect()]
    }
}
