//! Prefixes: what the requests of a replica share, what is cached for others, and what the router believes of it.

use super::tree::{Node, Text, Tree};
use super::{BlockPage, GroupBelief, PrefixNode};
use base::small::sort::sort_by_key;
use base::{Content, Micros, RequestId};
use document::Scenario;
use engine::kv::BlockPool;
use engine::policy::routing::CachePicture;
use engine::workload::SharedText;
use engine::{Cluster, HeldBlocks, HeldFor, Replica};
use std::collections::BTreeSet;

/// Most requests in the tree, most prefixes of a client, and most conversations that are only cached.
const REQUESTS: usize = 512;
const PREFIXES: u32 = 512;
const CONVERSATIONS: usize = 2000;
/// Most blocks hashed for one answer.
const HASHED: u32 = 1_000_000;
/// Most prefix groups with a colour.
const GROUPS: usize = 6;

/// A text on a replica, or in its cache alone.
struct Member<'a> {
    text: &'a Content,
    request: Option<RequestId>,
    client: u32,
    /// What its beginning is called if others share it.
    name: String,
    /// The blocks that it holds.
    held: &'a [u32],
    blocks: u32,
    shareable: u32,
    named: bool,
}

/// What is shown of the prefixes.
#[derive(Debug, Default)]
pub(super) struct Prefixes {
    pub(super) tree: Vec<PrefixNode>,
    pub(super) more: u32,
    pub(super) groups: Vec<GroupBelief>,
    /// By node of the tree: the chained hashes of its run, as far as they are known.
    pub(super) chains: Vec<Vec<u64>>,
}

/// The texts that are cached and that no request on the replica has to hold.
pub(super) struct CachedTexts {
    prefixes: Vec<SharedText>,
    conversations: Vec<(SharedText, u32)>,
}

/// What the prefixes of a replica are looked for with.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) engine: &'a Cluster,
    pub(super) scenario: &'a Scenario,
    pub(super) replica: &'a Replica,
    pub(super) now: Micros,
}

impl<'a> Search<'a> {
    fn kv(&self) -> &'a BlockPool {
        self.replica.kv()
    }

    /// The requests on the replica: those that hold blocks, then those that wait.
    fn requests(&self, held: &[HeldBlocks<'a>]) -> Vec<Member<'a>> {
        let block = self.kv().block_tokens();
        let mut members = Vec::new();
        let holds: BTreeSet<RequestId> = held.iter().map(|one| one.request).collect();
        for one in held {
            let Some(text) = self.engine.text_of(one.request) else { continue };
            let all = one.blocks.len() as u32;
            let tokens = match one.why {
                HeldFor::Arrival => all * block,
                HeldFor::Itself | HeldFor::HandOver => one.tokens,
            };
            members.push(self.member(one.request, text.text, (one.blocks, all, tokens)));
        }
        for request in self.engine.queue(self.replica).filter(|request| !holds.contains(request)) {
            let Some(text) = self.engine.text_of(request) else { continue };
            members.push(self.member(request, text.text, (&[], text.prefill.div_ceil(block), text.prefill)));
        }
        members
    }

    fn member(
        &self,
        request: RequestId,
        text: &'a Content,
        (held, blocks, tokens): (&'a [u32], u32, u32),
    ) -> Member<'a> {
        let record = self.engine.records().at(request.index());
        let listed = self.scenario.workload.requests.get(record.listed as usize);
        let client = self.engine.source().clients().get(record.client as usize);
        let name = match listed.and_then(|listed| listed.prompt.first()) {
            Some(piece) => format!("text {}", piece.text),
            None => format!("{} prefix", client.map_or("", String::as_str)),
        };
        let shareable = if self.kv().caching() { text.shareable().min(tokens) } else { 0 };
        Member {
            text,
            request: Some(request),
            client: record.client,
            name,
            held,
            blocks,
            shareable,
            named: false,
        }
    }

    /// The texts in the cache that clients begin prompts with: prefixes that it has or that a request has, and conversations that
    /// go on.
    pub(super) fn cached_texts(&self) -> CachedTexts {
        let (kv, source) = (self.kv(), self.engine.source());
        let block = kv.block_tokens();
        let mut texts = CachedTexts { prefixes: Vec::new(), conversations: Vec::new() };
        if !kv.caching() {
            return texts;
        }
        let ids = self.engine.queue(self.replica).chain(self.engine.batch(self.replica));
        let here: Vec<RequestId> = ids.collect();
        let first =
            |id: &RequestId| self.engine.text_of(*id)?.text.pieces().first().map(|piece| piece.source);
        let begun: BTreeSet<u64> = here.iter().filter_map(first).collect();
        let is_there = |shared: &SharedText| {
            let first = shared.text.pieces().first().map_or(0, |piece| piece.source);
            shared.text.len() >= block
                && (begun.contains(&first) || kv.found_in(shared.text.chain(block, 1)[0]).is_some())
        };
        texts.prefixes = source.prefixes(PREFIXES).into_iter().filter(is_there).collect();
        let session = |id: &RequestId| self.engine.records().at(id.index()).session;
        let sessions: BTreeSet<u32> = here.iter().map(session).collect();
        let mut left = HASHED / 4;
        for shared in source.open_conversations(CONVERSATIONS) {
            let full = shared.text.len() / block;
            if shared.session.is_some_and(|session| sessions.contains(&session)) || full > left {
                continue;
            }
            left -= full;
            let cached = kv.lookup(&shared.text.chain(block, full)).blocks;
            let pieces = shared.text.pieces();
            let prefix = if pieces.len() > 1 { pieces[0].len } else { 0 };
            if cached > prefix.div_ceil(block) {
                texts.conversations.push((shared, cached));
            }
        }
        texts
    }

    /// The tree of prefixes with at most `most` nodes. Tells the page which run and group its blocks belong to.
    pub(super) fn prefixes(
        &self,
        held: &[HeldBlocks<'a>],
        cached: &'a CachedTexts,
        most: u32,
        page: &mut BlockPage,
    ) -> Prefixes {
        let block = self.kv().block_tokens();
        let only = |shared: &'a SharedText, blocks: u32, named| Member {
            text: &shared.text,
            request: None,
            client: shared.client,
            name: shared.name.clone(),
            held: &[],
            blocks,
            shareable: blocks * block,
            named,
        };
        let prefixes = cached.prefixes.iter().map(|shared| only(shared, shared.text.len() / block, true));
        let mut members: Vec<Member<'a>> = prefixes.collect();
        let requests = self.requests(held);
        let left_out = requests.len().saturating_sub(REQUESTS) as u32;
        members.extend(requests.into_iter().take(REQUESTS));
        members.extend(cached.conversations.iter().map(|(shared, blocks)| only(shared, *blocks, false)));
        let texts: Vec<Text<'_>> = members.iter().map(text_of).collect();
        let tree = Tree::of(&texts, block);
        let runs = self.runs(&tree, &members);
        let shown = Shown { tree: &tree, members: &members, runs: &runs };
        let mut prefixes = shown.list(most, page, self.kv());
        prefixes.more += left_out;
        prefixes
    }

    /// What is known of each run.
    fn runs(&self, tree: &Tree, members: &[Member<'_>]) -> Vec<Run> {
        let block = self.kv().block_tokens();
        let router = self.engine.router_of(self.replica);
        let (picture, replica) = (router.cache_picture(), self.replica.id().0);
        let mut left = HASHED;
        let run = |node: &Node| {
            let first = &members[node.texts[0]];
            let end = node.to.min(first.shareable / block);
            let mut chain = Vec::new();
            if end > node.from && end <= left {
                left -= end;
                chain = first.text.chain(block, end).split_off(node.from as usize);
            }
            let leading = chain.iter().take_while(|hash| self.kv().found_in(**hash).is_some()).count() as u32;
            let holder = node.rest_of.map(|number| members[number].held.len() as u32).filter(|n| *n > 0);
            let believed = match picture {
                CachePicture::None => None,
                CachePicture::Asked => Some(leading),
                CachePicture::Remembered => router
                    .remembered(replica, (first.text, end * block), block, self.now)
                    .map(|tokens| (tokens / block).min(end).saturating_sub(node.from)),
            };
            let holds = |number: &&usize| members[**number].held.len() as u32 > node.from;
            Run {
                cached: holder.map_or(leading, |all| all.saturating_sub(node.from)),
                believed,
                refs: node.texts.iter().filter(holds).count() as u32,
                chain,
            }
        };
        tree.nodes.iter().map(run).collect()
    }
}

fn text_of<'a>(member: &Member<'a>) -> Text<'a> {
    let Member { text, shareable, blocks, named, .. } = *member;
    Text { text, shareable, blocks, named }
}

/// What is known of a run.
struct Run {
    cached: u32,
    believed: Option<u32>,
    refs: u32,
    chain: Vec<u64>,
}

/// A tree to be listed.
struct Shown<'a, 'b> {
    tree: &'a Tree,
    members: &'a [Member<'b>],
    runs: &'a [Run],
}

impl Shown<'_, '_> {
    /// The roots with a letter: the shared ones that take most blocks, in the order of the tree.
    fn lettered(&self) -> Vec<usize> {
        let size = |root: usize| -> u64 {
            self.tree.below(root).iter().map(|&node| u64::from(self.runs[node].cached)).sum()
        };
        let shared = self.tree.roots.iter().copied().filter(|&root| self.tree.is_shared(root));
        let mut by_size: Vec<(u64, usize)> = shared.map(|root| (u64::MAX - size(root), root)).collect();
        sort_by_key(&mut by_size, |(key, _)| *key);
        let kept: BTreeSet<usize> = by_size.into_iter().take(GROUPS).map(|(_, root)| root).collect();
        self.tree.roots.iter().copied().filter(|root| kept.contains(root)).collect()
    }

    /// These nodes in the order in which they are listed: shared ones, then requests, then what is only cached.
    fn in_order(&self, nodes: &[usize]) -> Vec<usize> {
        let mut order = nodes.to_vec();
        sort_by_key(&mut order, |&node| match self.tree.nodes[node].rest_of {
            None => 0,
            Some(number) => self.members[number].request.map_or(1 << 40, |request| 1 + u64::from(request.0)),
        });
        order
    }

    fn list(&self, most: u32, page: &mut BlockPage, kv: &BlockPool) -> Prefixes {
        let lettered = self.lettered();
        let mut out = Prefixes::default();
        let first = |root: &usize| lettered.contains(root);
        let others: Vec<usize> = self.tree.roots.iter().copied().filter(|root| !first(root)).collect();
        let mut open: Vec<(usize, Option<u32>, Option<u32>, String)> = Vec::new();
        for root in self.in_order(&others).into_iter().rev() {
            open.push((root, None, None, String::new()));
        }
        for (group, &root) in lettered.iter().enumerate().rev() {
            let letter = char::from(b'A' + group as u8).to_string();
            open.push((root, None, Some(group as u32), letter));
        }
        while let Some((node, parent, group, mark)) = open.pop() {
            let listed = (out.tree.len() < most as usize).then_some(out.tree.len() as u32);
            self.claim(node, (listed, group), page, kv);
            let shown = self.node(node, parent, group, &mark);
            if let Some(group) = group.filter(|_| parent.is_none()) {
                let PrefixNode { ref label, blocks, cached, believed, refs, .. } = shown;
                out.groups.push(GroupBelief { name: label.clone(), blocks, cached, believed, refs });
                debug_assert_eq!(out.groups.len(), group as usize + 1);
            }
            match listed {
                Some(_) => {
                    out.tree.push(shown);
                    out.chains.push(self.runs[node].chain.clone());
                }
                None => out.more += 1,
            }
            let children = self.in_order(&self.tree.nodes[node].children);
            for (number, &child) in children.iter().enumerate().rev() {
                let shared = self.tree.is_shared(child) && !mark.is_empty();
                let of_child = match (shared, mark.len()) {
                    (false, _) => String::new(),
                    (true, 1) => format!("{mark}{}", number + 1),
                    (true, _) => format!("{mark}.{}", number + 1),
                };
                open.push((child, listed.or(parent), group, of_child));
            }
        }
        out
    }

    /// A run as it is listed.
    fn node(&self, node: usize, parent: Option<u32>, group: Option<u32>, mark: &str) -> PrefixNode {
        let Node { from, to, ref texts, rest_of, named, .. } = self.tree.nodes[node];
        let run = &self.runs[node];
        let member = &self.members[rest_of.or(named).unwrap_or(texts[0])];
        let request = rest_of.and_then(|number| self.members[number].request);
        let label = match request {
            Some(request) => format!("#{}", request.0),
            None if rest_of.is_some() || named.is_some() || from == 0 => member.name.clone(),
            None => "continued".to_owned(),
        };
        PrefixNode {
            parent,
            mark: mark.to_owned(),
            label,
            group,
            request: request.map(|request| request.0),
            client: request.map(|_| member.client),
            from,
            blocks: to - from,
            refs: run.refs,
            cached: run.cached,
            believed: run.believed,
        }
    }

    /// Tells the page which of its blocks a run has.
    fn claim(
        &self,
        node: usize,
        (listed, group): (Option<u32>, Option<u32>),
        page: &mut BlockPage,
        kv: &BlockPool,
    ) {
        let Node { from, to, ref texts, rest_of, .. } = self.tree.nodes[node];
        let mut claim = |block: u32| {
            let Some(at) = block.checked_sub(page.first).map(|at| at as usize) else { return };
            if let (Some(own), Some(of_group)) = (page.node.get_mut(at), page.group.get_mut(at))
                && *own < 0
            {
                *own = listed.map_or(-1, |listed| listed as i32);
                *of_group = group.map_or(-1, |group| group as i32);
            }
        };
        for hash in &self.runs[node].chain {
            if let Some(block) = kv.found_in(*hash) {
                claim(block);
            }
        }
        for &number in texts {
            let held = self.members[number].held;
            let end = if rest_of.is_some() { held.len() } else { (to as usize).min(held.len()) };
            held.get(from as usize..end).unwrap_or(&[]).iter().copied().for_each(&mut claim);
        }
    }
}
