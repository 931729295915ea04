//! The CPU tier of the KV cache: loads worked out by hand, and the laws that hold for any traffic.

use crate::support::documents::{explicit, fitted, piece, without_clients};
use crate::support::{cluster as engine, edit, start};
use tokenyard::base::rng::{Purpose, Stream};
use tokenyard::base::{Maybe, Micros, RequestId, Span};
use tokenyard::engine::{Cluster, Fact, Halt, Ignore, Record, RequestFact, RequestState, Sink};
use tokenyard::kv::TierCounts;
use tokenyard::scenario::{
    Arrivals, Client, Conversation, CpuTier, ExplicitRequest, KvBlocks, Lengths, Pool, PrefixGroups, Rounds,
    Scenario, Scheduler, ThinkTime, TierWrite, TimedEdit, limits,
};
use tokenyard::session::view::{EventKind, EventsQuery, FrameQuery, SegmentKind};
use tokenyard::session::{Session, Stop};

const BLOCK: u32 = 16;

/// One replica with blocks of 16 tokens, steps of a millisecond and whole prompts in one step. A load takes 100 us and a
/// microsecond for four tokens.
fn cluster(blocks: u32, cpu_blocks: u32) -> Scenario {
    let mut s = without_clients();
    let mut pool = Pool { replicas: 1, ..Pool::default() };
    pool.engine.max_num_batched_tokens = (1_u32 << 20).into();
    pool.kv.blocks = KvBlocks::Count(blocks);
    pool.kv.cpu_blocks = cpu_blocks;
    pool.kv.transfer_base_us = 100;
    pool.kv.transfer_tokens_per_us = 4.0;
    pool.latency = fitted(1000.0, 0.0, 0.0);
    s.cluster.pools = vec![pool];
    s
}

/// Transfers take no time.
fn free_transfers(s: &mut Scenario) {
    s.cluster.pools[0].kv.transfer_base_us = 0;
    s.cluster.pools[0].kv.transfer_tokens_per_us = limits::TRANSFER_TOKENS_PER_US;
}

/// A further request: the first `tokens` tokens of a text.
fn ask(s: &mut Scenario, arrival_us: u64, text: u32, tokens: u32, output: u32) {
    let number = s.workload.requests.len() as u32;
    s.workload.requests.push(ExplicitRequest {
        id: format!("r{number}"),
        ..explicit(arrival_us, vec![piece(text, tokens)], &piece(1000 + number, output))
    });
}

fn run_with<S: Sink>(s: &Scenario, sink: &mut S) -> Cluster {
    let mut engine = engine(s);
    assert_eq!(engine.advance(Micros::MAX, 20_000_000, sink), Halt::Finished);
    engine.verify(true);
    engine
}

fn run(s: &Scenario) -> Cluster {
    run_with(s, &mut Ignore)
}

fn ttft(engine: &Cluster, request: usize) -> u64 {
    engine.records().at(request).ttft.get().expect("a first token").0
}

fn counts(engine: &Cluster) -> TierCounts {
    engine.replicas()[0].kv().tier_counts()
}

/// Two texts of four blocks, the second after the first, and one that needs the whole cache: of them all only the tier has
/// something left.
fn two_texts_forgotten(blocks: u32) -> Scenario {
    let mut s = cluster(blocks, 100);
    ask(&mut s, 0, 1, 64, 1);
    ask(&mut s, 5000, 2, 64, 1);
    ask(&mut s, 10_000, 3, BLOCK * blocks, 1);
    s
}

/// When the blocks of a request were there, in microseconds.
fn loaded(e: &Cluster, request: u32) -> u64 {
    let [_, until] = e.load(RequestId(request));
    until.expect("it is known").0
}

#[test]
fn a_prompt_is_found_on_the_gpu_first_and_the_rest_of_it_is_loaded() {
    let mut s = cluster(6, 100);
    ask(&mut s, 0, 1, 64, 1);
    ask(&mut s, 5000, 2, 80, 1); // takes all but the first block of text 1
    ask(&mut s, 10_000, 1, 64, 1);
    let e = run(&s);
    let r = e.records().at(2);
    // Two blocks come from the CPU, in 100 us and 32 tokens at 4 a microsecond. The last block is computed.
    assert_eq!(
        (e.load(RequestId(2)), r.scheduled.get()),
        ([Some(Micros(10_000)), Some(Micros(10_108))], Some(Micros(10_108)))
    );
    assert_eq!((r.cached_tokens, ttft(&e, 2)), (48, 1108));
    // Looked for below and missing were 3 blocks of the first prompt and 4 of the second.
    let c = counts(&e);
    assert_eq!((c.loads, c.hits, c.misses, c.offloads, c.evictions), (1, 2, 7, 9, 0));
    assert_eq!(e.replicas()[0].kv().tier_blocks(), (9, 100));
}

#[test]
fn others_go_on_while_a_request_waits_for_its_load() {
    let mut s = two_texts_forgotten(10);
    ask(&mut s, 20_000, 1, 64, 1);
    ask(&mut s, 20_050, 9, 16, 1);
    let e = run(&s);
    // The newcomer's step begins at once; the load is done during it, and its request joins the next one.
    assert_eq!((ttft(&e, 4), loaded(&e, 3), ttft(&e, 3)), (1000, 20_112, 2050));
}

#[test]
fn loads_of_one_replica_take_turns() {
    let mut s = two_texts_forgotten(10);
    ask(&mut s, 20_000, 1, 64, 1);
    ask(&mut s, 20_000, 2, 64, 1);
    let e = run(&s);
    let until = |k: u32| loaded(&e, k);
    assert_eq!((until(3), until(4)), (20_112, 20_224));
    assert_eq!((ttft(&e, 3), ttft(&e, 4)), (1112, 2112));
}

#[test]
fn blocks_on_their_way_for_one_request_are_not_loaded_for_another() {
    let mut s = two_texts_forgotten(10);
    ask(&mut s, 20_000, 1, 64, 1);
    ask(&mut s, 20_000, 1, 80, 1);
    let e = run(&s);
    assert_eq!((counts(&e).loads, ttft(&e, 3), ttft(&e, 4)), (1, 1112, 1112));
    // The fourth block is the one that the other computes in the same step.
    assert_eq!(e.records().at(4).cached_tokens, 64);
}

#[test]
fn room_for_the_next_chunk_is_kept_while_a_request_loads() {
    let mut s = two_texts_forgotten(10);
    ask(&mut s, 20_000, 1, 64, 1);
    ask(&mut s, 20_000, 2, 80, 1);
    s.workload.requests[3].prompt.push(piece(9, 40));
    let e = run(&s);
    // The first holds four blocks of ten and needs three more. The second would find room for the four that it loads, and
    // keep the first waiting.
    assert_eq!((ttft(&e, 3), ttft(&e, 4), counts(&e).loads), (1116, 2232, 2));
}

#[test]
fn the_only_request_that_runs_gets_the_blocks_of_those_that_wait() {
    let mut s = two_texts_forgotten(7);
    s.cluster.pools[0].kv.transfer_base_us = 30_000;
    ask(&mut s, 20_000, 9, 32, 60);
    ask(&mut s, 20_500, 1, 64, 1);
    let e = run(&s);
    let records = e.records();
    assert_eq!(counts(&e).loads, 2, "it loads while the other runs, and again when that is done");
    assert!(records.iter().all(|r| r.state() == RequestState::Completed && r.preemptions == 0));
    // Sixty tokens, one a step; the other one joins when it is done.
    assert_eq!(
        (
            records.at(3).e2e.get().expect("it is known").0,
            records.at(4).first_scheduled.get() >= records.at(3).finish().get()
        ),
        (60_000, true)
    );
}

/// Remembers what a request that had been preempted while it decoded found when it came back.
#[derive(Default)]
struct Returns {
    decoding: Vec<RequestId>,
    lost: Vec<RequestId>,
    found: Vec<(u32, u32)>,
}

impl Sink for Returns {
    fn fact(&mut self, _: Micros, fact: Fact) {
        match fact {
            Fact::Request(RequestFact::FirstToken { request, .. }) => self.decoding.push(request),
            Fact::Request(RequestFact::Preempted { request, .. }) if self.decoding.contains(&request) => {
                self.lost.push(request);
            }
            Fact::Request(RequestFact::Scheduled { request, prefill, cached, .. })
                if self.lost.contains(&request) =>
            {
                self.lost.retain(|r| *r != request);
                self.found.push((prefill, cached));
            }
            _ => {}
        }
    }
}

#[test]
fn a_preempted_request_finds_everything_but_its_last_token_again() {
    let mut s = cluster(24, 1000);
    free_transfers(&mut s);
    for k in 0..12 {
        ask(&mut s, 300 * u64::from(k), 10 + k, 40 + 7 * k, 90);
    }
    let mut returns = Returns::default();
    run_with(&s, &mut returns);
    assert!(returns.found.len() > 5, "only {} came back", returns.found.len());
    for (prefill, cached) in returns.found {
        assert_eq!(cached, (prefill - 1) / BLOCK * BLOCK, "of {prefill} tokens");
    }
}

/// Prompts that begin alike, and conversations, so that much of what was computed is asked for again.
fn recurring_traffic(seed: u64, requests: u64) -> Scenario {
    let mut s = cluster(1, 0);
    s.seed = seed;
    s.run.max_requests = requests;
    let lengths = |mean_tokens: f64, most: u32| Lengths::Gaussian {
        mean_tokens,
        sd_tokens: mean_tokens / 2.0,
        min_tokens: 1,
        max_tokens: most,
    };
    let documents = Client {
        name: "documents".to_owned(),
        arrivals: Arrivals::Poisson { rate_per_s: 60.0 },
        prompt_tokens: lengths(40.0, 90),
        output_tokens: lengths(15.0, 40),
        prefix: PrefixGroups::new(25, 77),
        ..Client::default()
    };
    let talks = Client {
        name: "talks".to_owned(),
        arrivals: Arrivals::Poisson { rate_per_s: 15.0 },
        prompt_tokens: lengths(30.0, 60),
        output_tokens: lengths(12.0, 30),
        prefix: PrefixGroups::default(),
        conversation: Some(Conversation {
            rounds: Rounds::Constant { rounds: 4 },
            think_time: ThinkTime::Constant { think_s: 0.4 },
            max_context_tokens: 300,
            ..Conversation::default()
        }),
        ..Client::default()
    };
    s.workload.clients = vec![documents, talks];
    s
}

/// The longest request of that traffic, in blocks.
const LONGEST: u32 = 300_u32.div_ceil(BLOCK);

/// What a request met, whatever the cache below is.
fn experience(r: &Record) -> (RequestState, Micros, [Maybe<Micros>; 3], [Maybe<Span>; 2], u32) {
    (r.state(), r.arrival, [r.queued, r.first_scheduled, r.finish()], [r.ttft, r.e2e], r.cached_tokens)
}

/// A tier with free transfers and room for everything is a larger cache. Precondition: the blocks of the GPU never limit
/// the batch, which then looks the same with both. Whatever either cache has ever held, it finds.
#[test]
fn a_tier_with_free_transfers_is_a_cache_as_large_as_both() {
    for seed in 0..12 {
        let mut small = recurring_traffic(seed, 400);
        small.cluster.pools[0].latency = fitted(2000.0, 9.0, 30.0);
        small.cluster.pools[0].engine.max_num_seqs = 5.into();
        small.cluster.pools[0].engine.max_num_batched_tokens = [64_u32, 512][seed as usize % 2].into();
        let mut large = small.clone();
        large.cluster.pools[0].kv.blocks = KvBlocks::Count(1 << 20);
        small.cluster.pools[0].kv.blocks = KvBlocks::Count(5 * LONGEST);
        let without = run(&small);
        small.cluster.pools[0].kv.cpu_blocks = 1 << 20;
        free_transfers(&mut small);
        let (small, large) = (run(&small), run(&large));
        assert!(counts(&small).hits > 200, "{:?}", counts(&small));
        let pairs = small.records().iter().zip(large.records());
        for (k, (a, b)) in pairs.enumerate() {
            assert_eq!(experience(&a), experience(&b), "request {k} of seed {seed}");
        }
        let found = |e: &Cluster| -> u64 { e.records().iter().map(|r| u64::from(r.cached_tokens)).sum() };
        assert!(found(&without) < found(&small), "the tier made no difference for seed {seed}");
    }
}

/// Where a step takes as long whatever prompts it computes, and neither blocks nor tokens limit the batch, tiers of all
/// sizes go through the same steps: each request finds at least what it finds without one, and at most what it finds in
/// one that forgets nothing.
#[test]
fn a_tier_of_any_size_finds_no_less_than_none_and_no_more_than_an_endless_one() {
    for seed in 0..12_u64 {
        let with = |cpu_blocks: u32, write: TierWrite| {
            let mut s = recurring_traffic(seed, 300);
            let pool = &mut s.cluster.pools[0];
            pool.latency = fitted(2000.0, 0.0, 30.0);
            pool.engine.max_num_seqs = 5.into();
            pool.kv.blocks = KvBlocks::Count(5 * LONGEST);
            pool.kv.cpu_blocks = cpu_blocks;
            pool.kv.cpu_write = write;
            free_transfers(&mut s);
            run(&s)
        };
        let (none, all) = (with(0, TierWrite::default()), with(1 << 20, TierWrite::WriteThrough));
        for write in [TierWrite::WriteThrough, TierWrite::WriteBack] {
            for cpu_blocks in [1, 60, 150, 400, 1 << 20] {
                let some = with(cpu_blocks, write);
                for ((a, b), c) in none.records().iter().zip(some.records()).zip(all.records()) {
                    assert_eq!((a.ttft, a.e2e, b.ttft, b.e2e), (b.ttft, b.e2e, c.ttft, c.e2e));
                    let fine = a.cached_tokens <= b.cached_tokens && b.cached_tokens <= c.cached_tokens;
                    assert!(fine, "seed {seed}, {cpu_blocks} blocks, {write:?}: {b:?}");
                }
            }
        }
    }
}

/// A chat service with more system prompts than its GPU has room for.
fn many_prefixes(blocks: u32, cpu_blocks: u32, tier: CpuTier) -> Scenario {
    let mut s = cluster(blocks, cpu_blocks);
    s.seed = 7;
    s.run.max_requests = 600;
    let pool = &mut s.cluster.pools[0];
    pool.engine.max_num_batched_tokens = 2048.into();
    pool.latency = fitted(6000.0, 20.0, 20.0);
    pool.kv.transfer_base_us = 0;
    pool.kv.transfer_tokens_per_us = 100.0;
    pool.kv.cpu_tier = tier;
    s.workload.clients = vec![Client {
        arrivals: Arrivals::Poisson { rate_per_s: 9.0 },
        prompt_tokens: Lengths::Constant { tokens: 150 },
        output_tokens: Lengths::Constant { tokens: 120 },
        prefix: PrefixGroups::new(40, 1200),
        ..Client::default()
    }];
    s
}

/// Mean TTFT in milliseconds, and preemptions.
fn strain(s: &Scenario) -> (f64, u64) {
    let e = run(s);
    let sum: u64 = e.records().iter().map(|r| r.ttft.get().expect("a first token").0).sum();
    (sum as f64 / e.records().len() as f64 / 1000.0, e.replicas()[0].totals().preemptions)
}

/// Where the tier of BLIS made the default mode slower, 100,000 blocks in CPU memory now halve the TTFT.
#[test]
fn a_tier_relieves_a_cache_that_is_too_small() {
    let ((none, lost), (blis, lost_blis), (ours, lost_ours)) = (
        strain(&many_prefixes(1000, 0, CpuTier::Auto)),
        strain(&many_prefixes(1000, 100_000, CpuTier::Blis)),
        strain(&many_prefixes(1000, 100_000, CpuTier::Auto)),
    );
    assert!(blis > none && lost_blis >= lost, "{blis} ms and {lost_blis}, without one {none} ms and {lost}");
    assert!(
        ours < 0.5 * none && lost_ours < lost,
        "{ours} ms and {lost_ours}, without one {none} ms and {lost}"
    );
}

#[test]
fn free_transfers_make_no_cache_worse_off() {
    for blocks in [200, 300, 500, 700, 1500] {
        let (without, lost) = strain(&many_prefixes(blocks, 0, CpuTier::Auto));
        let mut with = many_prefixes(blocks, 100_000, CpuTier::Auto);
        free_transfers(&mut with);
        let (with, lost_with) = strain(&with);
        let fine = with <= without && lost_with <= lost;
        assert!(fine, "{blocks} blocks: {with} ms and {lost_with} with, {without} ms and {lost} without");
    }
}

/// Tight caches, links of every speed, and a cache that shrinks meanwhile.
fn hard_case(seed: u64) -> Scenario {
    let mut dice = Stream::new(seed, Purpose::PromptLengths, 7);
    let mut pick = |of: &[u32]| of[(dice.unit() * of.len() as f64) as usize];
    let mut s = recurring_traffic(seed, 60);
    let pool = &mut s.cluster.pools[0];
    pool.replicas = pick(&[1, 1, 2, 3]);
    pool.latency = fitted(2000.0, 9.0, 30.0);
    pool.engine.max_num_seqs = pick(&[1, 2, 3, 8, 64]).into();
    pool.engine.max_num_batched_tokens = pick(&[1, 7, 40, 300, 2048]).into();
    pool.engine.long_prefill_threshold_tokens = pick(&[0, 0, 13]);
    pool.engine.scheduler = if pick(&[0, 1]) == 0 { Scheduler::Fcfs } else { Scheduler::Sjf };
    pool.kv.block_tokens = pick(&[1, 4, 16, 16]);
    pool.kv.blocks = KvBlocks::Count(pick(&[4, 10, 20, 30, 60]) * 16 / pool.kv.block_tokens);
    pool.kv.cpu_blocks = pick(&[1, 5, 40, 300, 5000]);
    pool.kv.transfer_base_us = u64::from(pick(&[0, 0, 700, 20_000]));
    pool.kv.transfer_tokens_per_us = [1e9, 100.0, 0.3, 0.004][pick(&[0, 1, 2, 3]) as usize];
    pool.kv.cpu_write = if pick(&[0, 1]) == 0 { TierWrite::WriteThrough } else { TierWrite::WriteBack };
    pool.engine.reserve_full_prompt = [None, Some(false)][pick(&[0, 1]) as usize];
    let change = edit::kv_blocks(0, pick(&[3, 9, 25, 200]));
    s.edits.push(TimedEdit::new(u64::from(pick(&[100_000, 400_000])), change));
    s
}

#[test]
fn every_request_leaves_whatever_the_cache_and_the_link() {
    let mut loads = 0;
    for seed in 0..150 {
        let mut s = start(&hard_case(seed));
        let mut events = 0;
        while s.advance(Micros::MAX, 97) != Stop::Finished {
            s.engine().verify(true);
            events += 97;
            assert!(events < 400_000, "case {seed} does not end");
        }
        let r = s.report_data();
        assert_eq!(r.requests.completed + r.requests.dropped, r.requests.arrived, "case {seed}");
        assert!(s.engine().replicas().iter().all(|r| r.kv().used() == 0 && r.loading() == 0), "case {seed}");
        loads += r.kv.cpu.map_or(0, |cpu| cpu.loads);
    }
    assert!(loads > 500, "only {loads} loads");
}

#[test]
fn loads_survive_slicing_and_snapshots() {
    for seed in 0..12 {
        let scenario = hard_case(seed);
        let mut whole = start(&scenario);
        whole.advance(Micros::MAX, u64::MAX);
        let mut pieces = start(&scenario);
        while pieces.advance(Micros::MAX, 151) != Stop::Finished {
            let bytes = pieces.snapshot();
            pieces = start(&hard_case(seed + 1));
            assert_eq!(pieces.restore(&bytes), Ok(()), "case {seed}");
        }
        assert_eq!(whole.report(), pieces.report(), "case {seed}");
    }
}

#[test]
fn a_load_is_seen_in_the_log_the_frame_and_the_life_of_its_request() {
    let mut scenario = two_texts_forgotten(10);
    ask(&mut scenario, 20_000, 1, 64, 1);
    let mut s = start(&scenario);
    s.advance(Micros(20_050), u64::MAX);
    let frame = s.frame(&FrameQuery::default());
    let r = &frame.replicas[0];
    assert_eq!((r.waiting, r.loading, r.running, r.queue[0].loading), (1, 1, 0, true));
    assert_eq!((r.kv.used, r.kv.cpu_used, r.kv.cpu_total), (3, 18, 100));
    let kinds = |s: &Session| -> Vec<(SegmentKind, u64)> {
        let life = s.inspect(3).expect("it has arrived");
        life.segments.into_iter().map(|s| (s.kind, s.to_us - s.from_us)).collect()
    };
    assert_eq!(kinds(&s), [(SegmentKind::KvLoad, 50)]);
    s.advance(Micros::MAX, u64::MAX);
    assert_eq!(kinds(&s), [(SegmentKind::KvLoad, 112), (SegmentKind::Prefill, 1000)]);
    let query = EventsQuery { kinds: vec![EventKind::KvLoad], limit: 9, ..EventsQuery::default() };
    let rows = s.event_rows(&query).rows;
    assert_eq!((rows.len(), rows[0].at_us, rows[0].request), (1, 20_000, Some(3)));
    let cpu = s.report_data().replicas[0].cpu.expect("there is a tier");
    assert_eq!((cpu.loads, cpu.hits, cpu.total_blocks), (1, 3, 100));
    assert!((cpu.mean_load_ms - 0.112).abs() < 1e-12);
}

#[test]
fn settings_of_a_tier_without_effect_are_reported() {
    let told = |settings: &str, compat: &str| -> Vec<String> {
        let kv =
            format!("{{\"cluster\": {{\"compat\": \"{compat}\", \"pools\": [{{\"kv\": {{{settings}}}}}]}}}}");
        Session::check(&kv).iter().map(|d| format!("{d}")).collect()
    };
    let one = |settings: &str, compat: &str, words: &[&str]| {
        let all = told(settings, compat);
        assert!(all.len() == 1 && words.iter().all(|w| all[0].contains(w)), "{settings}: {all:?}");
    };
    assert_eq!(told("\"cpu_blocks\": 9, \"cpu_write\": \"write-back\"", "none"), [""; 0]);
    assert_eq!(told("\"cpu_blocks\": 9, \"offload_threshold\": 0.5", "blis"), [""; 0]);
    one("\"cpu_write\": \"write-back\"", "none", &["warning", "kv.cpu_blocks", "(cpu_write)"]);
    one("\"cpu_blocks\": 9, \"prefix_caching\": false", "none", &["warning", "prefix caching"]);
    one("\"cpu_blocks\": 9, \"offload_threshold\": 0.5", "none", &["warning", "kv.offload_threshold"]);
    one("\"cpu_blocks\": 9, \"cpu_write\": \"write-back\"", "blis", &["warning", "kv.cpu_write"]);
    one("\"cpu_blocks\": 9, \"cpu_tier\": \"offloading\"", "blis", &["error", "kv.cpu_tier"]);
    one("\"cpu_blocks\": 9, \"cpu_tier\": \"gpu\"", "none", &["error", "kv.cpu_tier"]);
}
