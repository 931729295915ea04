//! Blocks: the KV cache of one replica block by block, what its prefixes share, and what the router believes of it.

mod answer;
mod count;
mod detail;
mod happened;
mod prefixes;
mod tree;

use serde::{Deserialize, Serialize};

/// Blocks of a page of the grid.
pub(super) const PAGE: u32 = 4096;

/// A query for the blocks of a replica.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlocksQuery {
    /// Number of the replica.
    pub replica: u32,
    /// Which 4,096 blocks in order of their numbers, from 0.
    pub page: u32,
    /// Columns of the strip of all blocks.
    pub strip: u32,
    /// Most nodes of the tree of prefixes.
    pub nodes: u32,
}

/// A page of blocks, as columns of equal length in the order of their numbers. -1 stands for none.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BlockPage {
    /// Number of the first block.
    pub first: u32,
    /// A letter for each block: `u` held by one, `s` by two or more, `c` cached, `.` free, `h` held for a hand-over, `r` set aside
    /// for one, `x` taken out of service by a smaller cache.
    pub states: String,
    /// The request that holds it, the first of several.
    pub owner: Vec<i64>,
    /// How many requests hold it.
    pub refs: Vec<u32>,
    /// Index of its prefix group in [`Blocks::groups`].
    pub group: Vec<i32>,
    /// Index of its run in [`Blocks::tree`].
    pub node: Vec<i32>,
    /// For how long no request has held it, in milliseconds; 0 while one does, -1 if it is empty.
    pub idle_ms: Vec<i64>,
    /// Its place among the cached blocks in the order of eviction, 0 for the next; -1 unless it is cached.
    pub order: Vec<i64>,
    /// Counts of the page: used, cached, free.
    pub counts: [u32; 3],
}

/// A run of blocks in the tree of prefixes.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PrefixNode {
    /// Index of its parent in the list; missing for a root.
    pub parent: Option<u32>,
    /// A letter, with a number below it, for the run of a prefix group; else empty.
    pub mark: String,
    /// Its name: that of the shared text, or the request.
    pub label: String,
    /// Index of its prefix group in [`Blocks::groups`], if it has one.
    pub group: Option<u32>,
    /// The request, if the run belongs to one alone.
    pub request: Option<u32>,
    /// Number of the client of that request.
    pub client: Option<u32>,
    /// Position of its first block in the prompt.
    pub from: u32,
    /// Its blocks.
    pub blocks: u32,
    /// How many requests hold it.
    pub refs: u32,
    /// How many of its blocks are on the replica: held by it, or its leading ones in the cache.
    pub cached: u32,
    /// How many of its leading blocks the router believes to be there, where the router keeps such a picture.
    pub believed: Option<u32>,
}

/// A prefix group on this replica: what the router believes, and what is true.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GroupBelief {
    /// Its name.
    pub name: String,
    /// Blocks that the whole shared prefix takes.
    pub blocks: u32,
    /// Leading blocks of it in the cache.
    pub cached: u32,
    /// Leading blocks of it that the router believes to be there; missing where the router keeps no such picture.
    pub believed: Option<u32>,
    /// Requests that hold blocks of it.
    pub refs: u32,
}

/// The CPU tier of a replica.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CpuBlocks {
    /// Blocks that it has room for.
    pub total: u32,
    /// Blocks in it.
    pub used: u32,
    /// Bytes of a block on all GPUs of the replica; missing where the model's size is not known.
    pub block_bytes: Option<u64>,
    /// Bytes of the blocks in it, and of those that it has room for.
    pub bytes: Option<[u64; 2]>,
    /// Time to move one block, in microseconds.
    pub block_us: f64,
    /// Blocks written to it so far.
    pub written: u64,
    /// Blocks loaded from it so far.
    pub loaded: u64,
}

/// Something that happened to blocks.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BlockEvent {
    /// When.
    pub at_us: u64,
    /// `hit`, `evicted`, `preempted`, `to-cpu` or `from-cpu`.
    pub kind: &'static str,
    /// The request, if there is one.
    pub request: Option<u32>,
    /// How many blocks; missing where that is not recorded.
    pub blocks: Option<u32>,
    /// The rest in words.
    pub text: String,
}

/// The KV cache of a replica.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Blocks {
    /// The playhead.
    pub now_us: u64,
    /// Number of the replica.
    pub replica: u32,
    /// Tokens of a block.
    pub block_tokens: u32,
    /// Blocks in all.
    pub total: u32,
    /// Blocks held by one request.
    pub own: u32,
    /// Blocks held by two or more.
    pub shared: u32,
    /// Blocks held by none whose content can be hit.
    pub cached: u32,
    /// Empty blocks.
    pub free: u32,
    /// Blocks used, cached and free, in percent of all.
    pub percent: [f64; 3],
    /// Whether used + cached + free = total, counted block by block.
    pub conserved: bool,
    /// Events of the run after each of which the sum was checked.
    pub checked: u64,
    /// Why single blocks are not shown, else empty.
    pub hidden: String,
    /// Whether prefixes are cached.
    pub caching: bool,
    /// Pages of 4,096 blocks.
    pub pages: u32,
    /// All blocks in columns: of each column the blocks held by one, shared, cached, free.
    pub strip: Vec<[u32; 4]>,
    /// The page asked for; the last one if there are fewer.
    pub page: u32,
    /// Its blocks.
    pub grid: BlockPage,
    /// The tree of prefixes of requests on this replica and of groups in its cache, parents before children.
    pub tree: Vec<PrefixNode>,
    /// Nodes beyond the limit.
    pub more: u32,
    /// Where the router knows from what is cached: `asked` of the replica, `remembered` of the prompts it sent there, or empty if
    /// it does not look at caches.
    pub picture: &'static str,
    /// The prefix groups that take most blocks, at most six, in the order of the tree; what is beyond belongs to none.
    pub groups: Vec<GroupBelief>,
    /// The CPU tier.
    pub cpu: Option<CpuBlocks>,
    /// The next block to be evicted.
    pub next: Option<u32>,
    /// Cached blocks evicted so far because they were needed.
    pub evictions: u64,
    /// Prompt blocks found in the cache so far.
    pub hits: u64,
    /// What happened lately, the newest first, at most 200.
    pub happened: Vec<BlockEvent>,
    /// The share of blocks in use over the run: end of each bucket in seconds, percent.
    pub over_time: [Vec<f64>; 2],
}

/// A query for one block.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockQuery {
    /// Number of the replica.
    pub replica: u32,
    /// Number of the block.
    pub block: u32,
}

/// One block in full.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BlockDetail {
    /// Number of the replica.
    pub replica: u32,
    /// Number of the block.
    pub block: u32,
    /// Its letter, as in [`BlockPage::states`].
    pub state: String,
    /// Requests that hold it.
    pub holders: Vec<u32>,
    /// Its place among the blocks of the request, of the first holder.
    pub position: Option<u32>,
    /// Blocks of that request.
    pub of: Option<u32>,
    /// Tokens of the context that it holds: the first, and the one after the last.
    pub tokens: Option<[u32; 2]>,
    /// Name of its prefix group, if it has one.
    pub group: Option<String>,
    /// Hash of its content, in hexadecimal, if it can be hit.
    pub hash: Option<String>,
    /// Hash of the content before it, if known.
    pub before: Option<String>,
    /// For how long no request has held it; missing while one does and if it is empty.
    pub idle_us: Option<u64>,
    /// Its place in the order of eviction, 0 for the next; missing unless it is cached.
    pub order: Option<u32>,
    /// Blocks that are taken before it, cached or empty; missing while it is held.
    pub before_it: Option<u32>,
    /// Cached blocks in that order.
    pub cached: u32,
    /// Empty blocks.
    pub free: u32,
    /// The next block to be evicted.
    pub next: Option<u32>,
    /// When it goes, in a sentence.
    pub sentence: String,
}
