//! The report against its definition: everything in it, worked out again from the records of requests, the long way.

use crate::support::documents::{explicit, piece};
use crate::support::edit;
use crate::support::scenarios::started;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use tokenyard::base::{Maybe, Micros};
use tokenyard::engine::{Record, Records, RequestState};
use tokenyard::scenario::{
    Arrivals, ClassTargets, Client, Compat, ExplicitRequest, FitnessMetric, FitnessWeight,
    FittedCoefficients, KvBlocks, LatencyModel, Lengths, RoutingPolicy, Scenario, Slo, SloClass, TimedEdit,
};
use tokenyard::session::report::{GroupPart, Report};
use tokenyard::session::{Audience, Session};
use tokenyard::stats::Summary;
use tokenyard::workload::class_number;

fn client(name: &str, tenant: &str, slo_class: SloClass, rate_per_s: f64) -> Client {
    Client {
        name: name.to_owned(),
        tenant: tenant.to_owned(),
        slo_class,
        arrivals: Arrivals::Poisson { rate_per_s },
        prompt_tokens: Lengths::Lognormal { median_tokens: 60.0, sigma: 0.9, min_tokens: 1, max_tokens: 400 },
        output_tokens: Lengths::Gaussian {
            mean_tokens: 20.0,
            sd_tokens: 15.0,
            min_tokens: 1,
            max_tokens: 80,
        },
        ..Client::default()
    }
}

prop_compose! {
    pub(crate) fn a_scenario()(
        seed in any::<u64>(),
        compat in select(vec![Compat::None, Compat::None, Compat::Blis]),
        replicas in 1_u32..4,
        blocks in select(vec![40_u32, 200, 4000]),
        warmup_s in select(vec![0.0_f64, 0.7]),
        warmup_requests in select(vec![0_u64, 25, 100_000]),
        rates in (0.0..40.0_f64, 0.5..30.0_f64, 0.5..30.0_f64),
        classes in (select(SloClass::ALL.to_vec()), select(SloClass::ALL.to_vec())),
        ttft_ms in select(vec![0.0_f64, 30.0, 90.0]),
        tpot_ms in select(vec![0.0_f64, 8.0, 20.0]),
        change in proptest::option::of((0.1..2.9_f64, 1_u32..5)),
    ) -> Scenario {
        let mut s = Scenario { seed, ..Scenario::default() };
        s.run.horizon_s = 3.0;
        s.run.warmup_s = warmup_s;
        s.run.warmup_requests = warmup_requests;
        s.cluster.compat = compat;
        s.cluster.routing = RoutingPolicy::RoundRobin;
        let pool = &mut s.cluster.pools[0];
        pool.replicas = replicas;
        pool.tp = 2;
        pool.kv.blocks = KvBlocks::Count(blocks);
        pool.engine.max_num_seqs = 8.into();
        pool.latency = LatencyModel::Fitted(FittedCoefficients { step_us: 5000.0, ..FittedCoefficients::default() });
        s.workload.clients = vec![
            client("a", "blue", classes.0, rates.0),
            client("b", "red", classes.1, rates.1),
            client("c", "blue", classes.1, rates.2),
        ];
        s.slo = Slo { ttft_ms, tpot_ms, e2e_ms: 0.0, classes: Vec::new() };
        let own = ClassTargets { class: classes.0, ttft_ms: 50.0, tpot_ms: 0.0, e2e_ms: 400.0 };
        s.slo.classes.push(own);
        s.observe.fitness = FitnessMetric::ALL.map(|metric| FitnessWeight { metric, weight: 0.5 }).to_vec();
        if let Some((at_s, replicas)) = change {
            let change = edit::replicas(0, replicas);
            s.edits.push(TimedEdit::new((at_s * 1e6) as u64, change));
        }
        s
    }
}

pub(crate) fn run(scenario: &Scenario) -> Session {
    let mut session = started(scenario, Audience::Batch);
    session.advance(Micros::MAX, u64::MAX);
    session
}

/// Percentiles by their definition.
fn summary(mut values: Vec<u64>) -> Summary {
    values.sort_unstable();
    let Some(&max) = values.last() else { return Summary::default() };
    let at = |p: f64| {
        let rank = p / 100.0 * (values.len() - 1) as f64;
        let (low, high) = (values[rank.floor() as usize] as f64, values[rank.ceil() as usize] as f64);
        (low + (rank - rank.floor()) * (high - low)) / 1000.0
    };
    Summary {
        count: values.len() as u64,
        mean: values.iter().sum::<u64>() as f64 / values.len() as f64 / 1000.0,
        min: values[0] as f64 / 1000.0,
        p50: at(50.0),
        p75: at(75.0),
        p90: at(90.0),
        p95: at(95.0),
        p99: at(99.0),
        max: max as f64 / 1000.0,
    }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-3)
}

#[track_caller]
fn same(got: &Summary, want: &Summary) {
    let list = |s: &Summary| [s.mean, s.min, s.p50, s.p75, s.p90, s.p95, s.p99, s.max];
    let fine = got.count == want.count && list(got).iter().zip(list(want)).all(|(a, b)| close(*a, b));
    assert!(fine, "{got:?}\nis not\n{want:?}");
}

/// Unserved requests count as missed; if all were served, the share is shown as attainment.
#[track_caller]
fn met_share(got: Option<f64>, [met, finished, unserved]: [u32; 3]) {
    let all = f64::from(finished + unserved);
    assert_eq!(got, (unserved > 0).then(|| f64::from(met) / all));
}

/// The measurement window by its definition.
pub(crate) struct Naive<'a> {
    scenario: &'a Scenario,
    records: &'a Records,
    from: u64,
    end: u64,
}

impl<'a> Naive<'a> {
    pub(crate) fn new(scenario: &'a Scenario, session: &'a Session) -> Self {
        let records = session.engine().records();
        let end = session.engine().last_event_at().0;
        let first = match scenario.run.warmup_requests {
            0 => Some(0),
            n => records.get(n as usize).map(|r| r.arrival.0),
        };
        let from = first.map_or(u64::MAX, |t| t.max((scenario.run.warmup_s * 1e6) as u64));
        Self { scenario, records, from: if from > end { u64::MAX } else { from }, end }
    }

    fn seconds(&self) -> f64 {
        self.end.saturating_sub(self.from) as f64 / 1e6
    }

    fn counted(&self) -> impl Iterator<Item = Record> {
        let from = self.from;
        let skip = self.scenario.run.warmup_requests as usize;
        self.records.iter().skip(skip).filter(move |r| r.arrival.0 >= from)
    }

    fn finished(&self) -> impl Iterator<Item = Record> {
        let from = self.from;
        self.records.iter().filter(move |r| r.finish().get().is_some_and(|finish| finish.0 >= from))
    }

    fn unserved(&self) -> impl Iterator<Item = Record> {
        let from = self.from;
        let turned_away = |r: &Record| matches!(r.state(), RequestState::Rejected | RequestState::Dropped);
        self.records.iter().filter(turned_away).filter(move |r| r.left.get().is_some_and(|at| at.0 >= from))
    }

    fn met(&self, r: &Record) -> bool {
        let own = self.scenario.slo.classes.iter().find(|c| class_number(c.class) == r.class);
        let slo = &self.scenario.slo;
        let [ttft, tpot, e2e] =
            own.map_or([slo.ttft_ms, slo.tpot_ms, slo.e2e_ms], |c| [c.ttft_ms, c.tpot_ms, c.e2e_ms]);
        let within = |us: u64, ms: f64| ms <= 0.0 || us as f64 <= ms * 1000.0;
        let gaps = u64::from(r.output_tokens - 1);
        let tpot_met = tpot <= 0.0
            || (r.e2e.get().expect("it is known").0 - r.ttft.get().expect("it is known").0) as f64
                <= tpot * 1000.0 * gaps as f64;
        within(r.ttft.get().expect("it is known").0, ttft)
            && tpot_met
            && within(r.e2e.get().expect("it is known").0, e2e)
    }

    fn ttft(&self, of: impl Fn(&Record) -> bool) -> Summary {
        let with = self.counted().filter(|r| of(r) && r.ttft.is_known());
        summary(with.map(|r| r.ttft.get().expect("it is known").0).collect())
    }

    fn group(&self, got: &GroupPart, of: impl Fn(&Record) -> bool + Copy) {
        let completed = || self.counted().filter(|r| of(r) && r.state() == RequestState::Completed);
        assert_eq!(got.arrived as usize, self.counted().filter(|r| of(r)).count());
        assert_eq!(got.finished as usize, self.finished().filter(|r| of(r)).count());
        assert_eq!(got.met as usize, self.finished().filter(|r| of(r) && self.met(r)).count());
        let tokens: u64 = self.finished().filter(|r| of(r)).map(|r| u64::from(r.output_tokens)).sum();
        assert_eq!(got.output_tokens, tokens);
        assert_eq!(got.attainment.is_some(), got.finished > 0);
        let unserved = self.unserved().filter(|r| of(r)).count();
        assert_eq!(got.unserved as usize, unserved);
        met_share(got.met_share, [got.met, got.finished, got.unserved]);
        assert!(got.attainment.is_none_or(|share| (0.0..=1.0).contains(&share)) && got.met <= got.finished);
        same(&got.ttft_ms, &self.ttft(of));
        same(&got.e2e_ms, &summary(completed().map(|r| r.e2e.get().expect("it is known").0).collect()));
        let gaps = completed().filter(|r| r.output_tokens > 1);
        let tpot = gaps.map(|r| {
            (r.e2e.get().expect("it is known").0 - r.ttft.get().expect("it is known").0)
                / u64::from(r.output_tokens - 1)
        });
        same(&got.tpot_ms, &summary(tpot.collect()));
        let waited = self.counted().filter(|r| of(r) && r.first_scheduled.is_known());
        same(
            &got.queue_wait_ms,
            &summary(
                waited
                    .map(|r| {
                        r.first_scheduled.get().expect("it is known").0
                            - r.queued.get().expect("it is known").0
                    })
                    .collect(),
            ),
        );
    }
}

pub(crate) fn check_whole(report: &Report, naive: &Naive<'_>) {
    let (t, seconds) = (&report.throughput, naive.seconds());
    let per_s = |n: usize| if seconds > 0.0 { n as f64 / seconds } else { 0.0 };
    assert!(close(t.seconds, seconds));
    assert!(close(t.arrived_per_s, per_s(naive.counted().count())));
    assert!(close(t.completed_per_s, per_s(naive.finished().count())));
    assert!(close(t.goodput_per_s, per_s(naive.finished().filter(|r| naive.met(r)).count())));
    assert!(t.goodput_per_s <= t.completed_per_s);
    assert_eq!(report.slo.unserved as usize, naive.unserved().count());
    met_share(report.slo.met_share, [report.slo.met, report.slo.finished, report.slo.unserved]);
    let each = [report.slo.ttft_attainment, report.slo.tpot_attainment, report.slo.e2e_attainment];
    assert_eq!(t.attainment.is_some(), report.slo.finished > 0);
    for one in each {
        assert_eq!(one.is_some(), t.attainment.is_some());
        let met_all =
            t.attainment.is_none_or(|all| (0.0..=1.0).contains(&all) && Some(all) <= one.map(|o| o + 1e-12));
        assert!(met_all, "met all, but not each");
    }
    same(&report.latency_ms.ttft, &naive.ttft(|_| true));
    let scheduled = naive.counted().filter(|r| r.first_scheduled.is_known());
    let delays = scheduled.map(|r| r.first_scheduled.get().expect("it is known").0 - r.arrival.0).collect();
    same(&report.latency_ms.scheduling_delay, &summary(delays));
    assert_eq!(report.run.warmup_requests as usize, naive.records.len() - naive.counted().count());
    let fitness = report.fitness.as_ref().expect("the scenario has weights");
    assert!(fitness.parts.iter().all(|p| (0.0..=1.0).contains(&p.norm)));
    assert!(close(fitness.score, fitness.parts.iter().map(|p| 0.5 * p.norm).sum()));
}

fn check_groups(report: &Report, naive: &Naive<'_>) {
    let tenants = ["blue", "red"];
    for (i, g) in report.clients.iter().enumerate() {
        naive.group(g, |r| r.client as usize == i);
    }
    for (i, g) in report.tenants.iter().enumerate() {
        assert_eq!(g.name, tenants[i]);
        naive.group(g, |r| r.tenant as usize == i);
    }
    for class in &report.classes {
        let known = SloClass::named(&class.requests.name).expect("clients have known classes");
        naive.group(&class.requests, |r| r.class == class_number(known));
    }
    let total = |groups: &mut dyn Iterator<Item = &GroupPart>| {
        groups.fold((0, 0, 0), |sum, g| (sum.0 + g.arrived, sum.1 + g.finished, sum.2 + g.met))
    };
    let whole = (naive.counted().count() as u32, report.slo.finished, report.slo.met);
    assert_eq!(total(&mut report.classes.iter().map(|c| &c.requests)), whole);
    assert_eq!(total(&mut report.tenants.iter()), whole);
    assert_eq!(total(&mut report.clients.iter()), whole);
}

fn check_fleet(scenario: &Scenario, report: &Report, naive: &Naive<'_>) {
    let f = &report.fairness;
    let up = report.replicas.iter().filter(|r| r.up_s > 0.0).count();
    if up > 0 {
        assert!((1.0 / up as f64 - 1e-12..=1.0 + 1e-12).contains(&f.replicas_jain), "{f:?}");
        assert!(f.max_min_queue_ratio >= 1.0);
    }
    if f.tenants_jain > 0.0 {
        assert!((0.5 - 1e-12..=1.0 + 1e-12).contains(&f.tenants_jain), "{f:?}");
    }
    for r in &report.replicas {
        assert!(r.up_s <= naive.seconds() + 1e-9);
        assert!((0.0..=1.0).contains(&r.busy), "{r:?}");
        assert!(r.mean_kv_blocks <= f64::from(r.kv_peak_blocks) + 1e-9, "{r:?}");
    }
    if scenario.edits.is_empty() {
        let gpus = f64::from(scenario.cluster.pools[0].replicas) * 2.0;
        assert!(close(report.cost.gpu_seconds, gpus * naive.seconds()));
        let usd_per_hour = report.cost.usd_per_hour.expect("the GPU has a price");
        let usd = report.cost.usd.expect("the GPU has a price");
        assert!(close(usd, usd_per_hour / 3600.0 * naive.seconds()), "{:?}", report.cost);
    }
    if report.requests.preemptions == 0 && scenario.cluster.compat == Compat::None {
        check_areas(report, naive);
    }
}

/// Without preemptions a request waits once and runs once: the areas under queue and batch are sums over requests.
fn check_areas(report: &Report, naive: &Naive<'_>) {
    let mut waiting: BTreeMap<u32, u64> = BTreeMap::new();
    let mut running: BTreeMap<u32, u64> = BTreeMap::new();
    let at = |r: &Record| r.replica().map_or(u32::MAX, |id| id.0);
    let overlap = |a: Maybe<Micros>, b: Maybe<Micros>| {
        let [a, b] = [a, b].map(|at| at.get().map_or(naive.end, |at| at.0));
        b.min(naive.end).saturating_sub(a.max(naive.from).min(naive.end))
    };
    for r in naive.records.iter().filter(|r| r.queued.is_known() && r.state() != RequestState::Dropped) {
        *waiting.entry(at(&r)).or_default() += overlap(r.queued, r.first_scheduled);
        if r.first_scheduled.is_known() {
            *running.entry(at(&r)).or_default() += overlap(r.first_scheduled, r.finish());
        }
    }
    for r in &report.replicas {
        let of = |areas: &BTreeMap<u32, u64>| areas.get(&r.replica).map_or(0.0, |us| *us as f64 / 1e6);
        assert!(close(r.mean_queued * r.up_s, of(&waiting)), "{r:?}");
        assert!(close(r.mean_running * r.up_s, of(&running)), "{r:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_report_is_what_its_definition_says(scenario in a_scenario()) {
        let session = run(&scenario);
        let report = session.report_data();
        let naive = Naive::new(&scenario, &session);
        check_whole(&report, &naive);
        check_groups(&report, &naive);
        check_fleet(&scenario, &report, &naive);
    }
}

/// Two requests with the same prompt of 64 tokens, one after the other, in blocks of 16, each answered by 100 tokens.
fn the_same_prompt_twice(caching: bool) -> Report {
    let mut s = Scenario::default();
    s.run.warmup_s = 0.0;
    s.cluster.pools[0].replicas = 1;
    s.cluster.pools[0].kv.prefix_caching = caching;
    s.workload.clients.clear();
    let request = |at_s: u64| ExplicitRequest {
        id: at_s.to_string(),
        ..explicit(at_s * 1_000_000, vec![piece(1, 64)], &piece(2 + at_s as u32, 100))
    };
    s.workload.requests = vec![request(0), request(100)];
    run(&s).report_data()
}

#[test]
fn cache_hits_are_the_share_of_prompt_blocks_found() {
    let kv = the_same_prompt_twice(true).kv;
    // The last token of a prompt is computed anew, so its block is never found. 64 + 99 tokens are 11 blocks at the end.
    assert_eq!((kv.hits, kv.misses, kv.opened), (3, 4 + 1, 2 * 11 - 3));
    assert!(close(kv.hit_rate, 3.0 / 8.0));
    let kv = the_same_prompt_twice(false).kv;
    assert_eq!((kv.hits, kv.misses, kv.opened), (0, 8, 22));
}

#[test]
fn nothing_completed_is_reported_in_zeros() {
    let mut s = Scenario::default();
    s.run.horizon_s = 5.0;
    s.run.warmup_s = 1.0;
    s.workload.clients[0].arrivals = Arrivals::Poisson { rate_per_s: 0.0 };
    s.observe.fitness = vec![FitnessWeight { metric: FitnessMetric::P99Ttft, weight: 1.0 }];
    let session = run(&s);
    let report = session.report_data();
    assert_eq!(report.latency_ms.ttft, Summary::default());
    assert_eq!((report.slo.finished, report.run.warmup_over), (0, false));
    assert_eq!(report.fitness.map(|f| f.score), Some(0.0));
    let text = session.report();
    let json: Value = serde_json::from_str(&text).expect("a report is JSON");
    assert_eq!(json["latency_ms"]["e2e"]["count"], 0);
    assert_eq!(json["clients"][0]["name"], "chat");
    assert!(!text.contains("null"), "a number that is none: {text}");
}

#[test]
fn a_run_that_never_leaves_the_warm_up_measures_nothing() {
    let mut s = Scenario::default();
    s.run.horizon_s = 10.0;
    s.run.warmup_s = 0.0;
    s.run.warmup_requests = 1_000_000;
    let report = run(&s).report_data();
    assert!(report.requests.completed > 0 && !report.run.warmup_over);
    assert_eq!(report.run.warmup_requests, report.requests.arrived);
    assert_eq!((report.latency_ms.ttft.count, report.latency_ms.itl.count), (0, 0));
    assert_eq!(report.cost.gpu_seconds.to_bits(), 0.0_f64.to_bits());
}

#[test]
fn a_replica_that_was_drained_costs_until_it_is_empty() {
    let mut s = Scenario::default();
    s.run.horizon_s = 20.0;
    s.run.warmup_s = 0.0;
    s.edits.push(TimedEdit::new(10_000_000, edit::replicas(0, 2)));
    let report = run(&s).report_data();
    let up: Vec<f64> = report.replicas.iter().map(|r| r.up_s).collect();
    let whole = report.throughput.seconds;
    assert!(close(up[0], whole) && close(up[1], whole), "{up:?}");
    assert!(up[2] >= 10.0 && up[3] >= 10.0 && up[2] < whole && up[3] < whole, "{up:?}");
    assert!(close(report.cost.gpu_seconds, up.iter().sum()), "{:?}", report.cost);
}

#[test]
fn edits_after_the_latest_event_change_no_cost() {
    let mut s = Scenario::default();
    s.run.horizon_s = 0.0;
    s.run.max_requests = 30;
    s.run.warmup_s = 0.0;
    let plain = run(&s).report_data();
    let at = |at_us, replicas| TimedEdit::new(at_us, edit::replicas(0, replicas));
    s.edits = vec![at(500_000_000, 1), at(600_000_000, 9), at(700_000_000, 2)];
    let session = run(&s);
    let edited = session.report_data();
    assert_eq!((edited.run.edits_applied, edited.replicas.len()), (3, 9));
    let what = |r: &Report| (r.cost.usd, r.cost.gpu_seconds, r.cost.gpu_busy_seconds, r.throughput);
    assert_eq!(what(&edited), what(&plain));
    let up = |r: &Report| -> Vec<f64> { r.replicas.iter().map(|r| r.up_s).collect() };
    assert_eq!(up(&edited)[..4], up(&plain));
    assert_eq!(up(&edited)[4..], [0.0; 5]);
}

/// All keys of a JSON value.
fn keys(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                into.insert(key.clone());
                keys(value, into);
            }
        }
        Value::Array(list) => list.iter().for_each(|v| keys(v, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn every_name_in_a_report_is_documented() {
    let mut s = Scenario::default();
    s.run.horizon_s = 30.0;
    s.cluster.compat = Compat::Blis;
    s.cluster.pools[0].kv.blocks = KvBlocks::Count(150);
    s.cluster.pools[0].kv.cpu_blocks = 100;
    s.observe.fitness = vec![FitnessWeight { metric: FitnessMetric::Throughput, weight: 1.0 }];
    let json: Value = serde_json::from_str(&run(&s).report()).expect("a report is JSON");
    let mut names = BTreeSet::new();
    keys(&json, &mut names);
    for part in ["fitness", "cpu", "blis", "anomalies", "requests"] {
        assert!(names.contains(part), "the run is meant to have {part}");
    }
    let page = include_str!("../../../docs/reference/report.md");
    let missing: Vec<&String> = names
        .iter()
        .filter(|name| !page.contains(&format!("`{name}`")) && !page.contains(&format!("## {name}")))
        .collect();
    assert!(missing.is_empty(), "docs/reference/report.md does not say what these are: {missing:?}");
}
