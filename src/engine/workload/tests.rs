//! Tests of generated and listed requests.

mod conversations;
mod lengths;
mod load;

use super::{NOT_LISTED, RequestSpec, Source, digest_of};
use base::content::SPELLED;
use base::{Content, Micros, Piece};
use document::{
    Arrivals, Client, ExplicitOutput, ExplicitPiece, ExplicitRequest, Lengths, PrefixGroups, RoutingPolicy,
    Scenario,
};

fn client(name: &str, arrivals: Arrivals) -> Client {
    let lognormal = |median_tokens, sigma, max_tokens| Lengths::Lognormal {
        median_tokens,
        sigma,
        min_tokens: 1,
        max_tokens,
    };
    Client {
        name: name.to_owned(),
        arrivals,
        prompt_tokens: lognormal(400.0, 0.8, 8192),
        output_tokens: lognormal(200.0, 0.7, 2048),
        prefix: PrefixGroups::default(),
        ..Client::default()
    }
}

fn poisson(name: &str, rate_per_s: f64) -> Client {
    client(name, Arrivals::Poisson { rate_per_s })
}

/// A scenario of these clients, without a horizon.
fn scenario(clients: Vec<Client>) -> Scenario {
    let mut s = Scenario::default();
    s.run.horizon_s = 0.0;
    s.workload.clients = clients;
    s
}

fn take(scenario: &Scenario, n: usize) -> Vec<RequestSpec> {
    let mut source = Source::new(scenario, None);
    (0..n).map_while(|_| source.take()).collect()
}

/// Mean and coefficient of variation.
fn moments(xs: &[f64]) -> (f64, f64) {
    let n = xs.len() as f64;
    let mean = xs.iter().sum::<f64>() / n;
    let variance = xs.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
    (mean, variance.sqrt() / mean)
}

fn gaps(requests: &[RequestSpec]) -> Vec<f64> {
    requests.windows(2).map(|w| w[1].arrival.since(w[0].arrival).as_secs()).collect()
}

#[test]
fn gaps_have_the_rate_and_the_variation_asked_for() {
    let shapes = [
        (Arrivals::Poisson { rate_per_s: 8.0 }, 1.0),
        (Arrivals::Gamma { rate_per_s: 8.0, cv: 3.0 }, 3.0),
        (Arrivals::Gamma { rate_per_s: 8.0, cv: 0.3 }, 0.3),
        (Arrivals::Weibull { rate_per_s: 8.0, cv: 2.0 }, 2.0),
        (Arrivals::Weibull { rate_per_s: 8.0, cv: 0.3 }, 0.3),
        (Arrivals::Constant { rate_per_s: 8.0 }, 0.0),
    ];
    for (arrivals, cv) in shapes {
        let (mean, found) = moments(&gaps(&take(&scenario(vec![client("a", arrivals.clone())]), 40_000)));
        // Three standard errors of the mean, and a fixed margin for the cv.
        assert!((mean * 8.0 - 1.0).abs() <= 3.0 * cv / 200.0, "{arrivals:?}: mean gap {mean}");
        assert!((found - cv).abs() <= 0.05 * cv, "{arrivals:?}: cv {found}");
    }
}

#[test]
fn the_first_constant_arrival_comes_after_one_gap() {
    let all = take(&scenario(vec![client("a", Arrivals::Constant { rate_per_s: 4.0 })]), 3);
    assert_eq!(all.iter().map(|r| r.arrival.0).collect::<Vec<_>>(), [250_000, 500_000, 750_000]);
}

/// Shapes of gaps at a rate, each with its coefficient of variation.
fn shapes(rate_per_s: f64) -> Vec<(Arrivals, f64)> {
    let mut all = vec![(Arrivals::Poisson { rate_per_s }, 1.0), (Arrivals::Constant { rate_per_s }, 0.0)];
    for cv in [0.05, 0.5, 5.0, 20.0] {
        all.extend([(Arrivals::Gamma { rate_per_s, cv }, cv), (Arrivals::Weibull { rate_per_s, cv }, cv)]);
    }
    all
}

fn instants(arrivals: Arrivals, n: usize) -> Vec<u64> {
    take(&scenario(vec![client("a", arrivals)]), n).iter().map(|r| r.arrival.0).collect()
}

#[test]
fn every_shape_of_gaps_has_its_rate_from_one_a_second_to_the_fastest() {
    let n = 20_000;
    for rate_per_s in [1.0, 1000.0, 100_000.0] {
        for ((arrivals, cv), (slow, _)) in shapes(rate_per_s).into_iter().zip(shapes(1.0)) {
            let (found, slow) = (instants(arrivals.clone(), n), instants(slow, n));
            // Three standard errors, and half a microsecond for the instant itself.
            let mean = found[n - 1] as f64 / 1e6 * rate_per_s / n as f64;
            let error = 3.0 * cv / (n as f64).sqrt() + 0.5e-6 * rate_per_s / n as f64;
            assert!((mean - 1.0).abs() <= error, "{arrivals:?}: mean gap {mean}");
            // The gaps are the same at every rate, so the noise is too: beside it there is only the rounding of instants.
            for (fast, slow) in found.iter().zip(slow) {
                let due = slow as f64 / rate_per_s;
                assert!((*fast as f64 - due).abs() <= 1.0, "{arrivals:?}: {fast} instead of {due}");
            }
        }
    }
}

#[test]
fn arrivals_of_one_microsecond_keep_their_order() {
    let all = take(&scenario(vec![client("a", Arrivals::Gamma { rate_per_s: 100_000.0, cv: 20.0 })]), 2000);
    assert!(all.windows(2).all(|w| w[0].arrival <= w[1].arrival && w[0].rank < w[1].rank));
    assert!(all.windows(2).filter(|w| w[0].arrival == w[1].arrival).count() > 100);
}

#[test]
fn a_gap_in_thirds_of_a_microsecond_loses_none_of_them() {
    let found = instants(Arrivals::Constant { rate_per_s: 75_000.0 }, 30_000);
    assert_eq!((found[0], found[1], found[2]), (13, 27, 40), "13 and a third each");
    assert_eq!(found[29_999], 400_000);
}

#[test]
fn a_rate_too_low_to_ever_send_keeps_its_gap_for_a_better_one() {
    let s = scenario(vec![client("a", Arrivals::Constant { rate_per_s: 1e-300 })]);
    let mut source = Source::new(&s, None);
    assert_eq!(source.peek(), Some(Micros::END));
    source.set_rate(0, 2.0, Micros(1_000_000));
    assert_eq!(source.peek(), Some(Micros(1_500_000)));
}

#[test]
fn lengths_stay_within_their_bounds_and_reach_them() {
    let mut c = poisson("a", 8.0);
    c.prompt_tokens =
        Lengths::Gaussian { mean_tokens: 100.0, sd_tokens: 60.0, min_tokens: 40, max_tokens: 180 };
    c.output_tokens = Lengths::Lognormal { median_tokens: 50.0, sigma: 1.0, min_tokens: 20, max_tokens: 90 };
    let all = take(&scenario(vec![c]), 5000);
    let extremes =
        |f: fn(&RequestSpec) -> u32| (all.iter().map(f).min().unwrap(), all.iter().map(f).max().unwrap());
    assert_eq!(extremes(|r| r.prompt_tokens), (40, 180));
    assert_eq!(extremes(|r| r.output.len), (20, 90));
    assert!(all.iter().all(|r| r.prompt.len() == r.prompt_tokens));
    let outputs: Vec<f64> = all.iter().map(|r| f64::from(r.output.len)).collect();
    // Half of a lognormal lies below its median, and cutting at both ends does not change that.
    let below = outputs.iter().filter(|&&x| x < 50.0).count();
    assert!((2300..2700).contains(&below), "{below}");
}

#[test]
fn a_prompt_has_at_least_one_token() {
    let mut c = poisson("a", 8.0);
    c.prompt_tokens = Lengths::Constant { tokens: 0 };
    assert!(take(&scenario(vec![c]), 10).iter().all(|r| r.prompt_tokens == 1));
}

#[test]
fn changing_one_client_moves_no_other_clients_draws() {
    let base = scenario(vec![poisson("a", 5.0), poisson("b", 3.0)]);
    let mut changed = base.clone();
    changed.workload.clients[1].prompt_tokens =
        Lengths::Gaussian { mean_tokens: 9.0, sd_tokens: 2.0, min_tokens: 1, max_tokens: 20 };
    changed.workload.clients[1].prefix = PrefixGroups::new(4, 32);
    let (before, after) = (take(&base, 2000), take(&changed, 2000));
    for (x, y) in before.iter().zip(&after) {
        assert_eq!((x.arrival, x.client, x.output), (y.arrival, y.client, y.output));
        assert_eq!(x.client == 0, x.prompt == y.prompt);
    }
    // Without the second client, the first one's requests are the same except for their position.
    let alone = take(&scenario(vec![poisson("a", 5.0)]), 500);
    let of_first = before.iter().filter(|r| r.client == 0);
    for (x, y) in of_first.zip(&alone) {
        assert_eq!((x.arrival, &x.prompt, x.output), (y.arrival, &y.prompt, y.output));
    }
}

#[test]
fn traffic_is_the_same_under_every_policy_and_replica_count() {
    let base = Scenario::default();
    let digest = digest_of(&base, None, 1000);
    let mut other = base.clone();
    other.cluster.routing = RoutingPolicy::Random;
    other.cluster.pools[0].replicas += 3;
    assert_eq!(digest_of(&other, None, 1000), digest);
    other.seed += 1;
    assert_ne!(digest_of(&other, None, 1000), digest);
}

#[test]
fn generated_traffic_is_the_golden_one() {
    let mut s = scenario(vec![
        poisson("chat", 8.0),
        client("batch", Arrivals::Gamma { rate_per_s: 2.0, cv: 2.5 }),
        client("probe", Arrivals::Constant { rate_per_s: 1.0 }),
    ]);
    s.workload.clients[1].prefix = PrefixGroups::new(3, 128);
    s.workload.clients[1].prompt_tokens =
        Lengths::Gaussian { mean_tokens: 600.0, sd_tokens: 200.0, min_tokens: 2, max_tokens: 4096 };
    assert_eq!(digest_of(&s, None, 10_000).hex(), "7ead2d882f94a81f");
}

#[test]
fn prefix_groups_share_their_text_and_nothing_else() {
    let mut c = poisson("a", 8.0);
    c.prefix = PrefixGroups::new(3, 64);
    let all = take(&scenario(vec![c.clone(), c]), 600);
    let mut prefixes: Vec<Piece> = all.iter().map(|r| r.prompt.pieces()[0]).collect();
    assert!(prefixes.iter().all(|p| p.len == 64));
    prefixes.sort_by_key(|p| p.source);
    prefixes.dedup();
    assert_eq!(prefixes.len(), 6, "three groups for each of two clients");
    let mut own: Vec<u64> = all.iter().flat_map(|r| [r.prompt.pieces()[1].source, r.output.source]).collect();
    own.sort_unstable();
    own.dedup();
    assert_eq!(own.len(), 1200, "own texts differ");
    for p in prefixes {
        let share = all.iter().filter(|r| r.prompt.pieces()[0] == p).count();
        assert!((60..140).contains(&share), "groups are equally likely: {share} of 600");
    }
}

#[test]
fn requests_end_at_the_horizon_and_at_the_cap() {
    let mut s = scenario(vec![client("a", Arrivals::Constant { rate_per_s: 10.0 })]);
    s.run.horizon_s = 2.0;
    let all = take(&s, 100);
    assert_eq!((all.len(), all[19].arrival), (20, Micros(2_000_000)), "the horizon itself still counts");
    s.run.max_requests = 7;
    let mut source = Source::new(&s, None);
    assert_eq!((0..100).map_while(|_| source.take()).count(), 7);
    assert_eq!((source.peek(), source.take()), (None, None));
}

#[test]
fn a_snapshot_midway_continues_as_the_straight_run() {
    let mut s = scenario(vec![poisson("a", 5.0), client("b", Arrivals::Gamma { rate_per_s: 3.0, cv: 2.0 })]);
    s.workload.clients[0].prefix = PrefixGroups::new(5, 20);
    s.workload.requests = (0..50).map(|i| explicit(&format!("r{i}"), i * 90_000)).collect();
    let mut straight = Source::new(&s, None);
    for _ in 0..137 {
        straight.take();
    }
    straight.set_rate(1, 0.0, straight.peek().unwrap());
    let bytes = postcard::to_stdvec(&straight).unwrap();
    let mut packed: Source = postcard::from_bytes(&bytes).unwrap();
    let mut text: Source = serde_json::from_str(&serde_json::to_string(&straight).unwrap()).unwrap();
    assert_eq!((&packed, &text), (&straight, &straight));
    for _ in 0..200 {
        let next = straight.take();
        assert_eq!((packed.take(), text.take()), (next.clone(), next));
    }
    for source in [&mut straight, &mut packed, &mut text] {
        source.set_rate(1, 50.0, source.peek().unwrap());
    }
    assert_eq!((&packed, &text), (&straight, &straight));
    assert_eq!(packed.take(), straight.take());
}

#[test]
fn a_new_rate_rescales_the_running_gap_and_consumes_no_draw() {
    let s = scenario(vec![poisson("a", 4.0)]);
    let plain = take(&s, 40);
    let mut source = Source::new(&s, None);
    let taken: Vec<RequestSpec> = (0..10).map_while(|_| source.take()).collect();
    // Half way through the running gap the rate doubles: the rest of the gap, and all later gaps, halve.
    let (last, next) = (taken[9].arrival.0, plain[10].arrival.0);
    let now = last + (next - last) / 2;
    source.set_rate(0, 8.0, Micros(now));
    let mut expected = now as f64 + (next - now) as f64 / 2.0;
    for i in 10..40 {
        let request = source.take().unwrap();
        assert!((request.arrival.0 as f64 - expected).abs() <= 1.0 + i as f64, "request {i}");
        assert_eq!((&request.prompt, request.output), (&plain[i].prompt, plain[i].output));
        if i < 39 {
            expected += plain[i + 1].arrival.since(plain[i].arrival).0 as f64 / 2.0;
        }
    }
}

#[test]
fn a_silent_client_keeps_the_rest_of_its_gap() {
    let s = scenario(vec![client("a", Arrivals::Constant { rate_per_s: 1.0 })]);
    let mut source = Source::new(&s, None);
    source.set_rate(0, 0.0, Micros(250_000));
    assert_eq!(source.peek(), None);
    source.set_rate(0, 0.0, Micros(300_000));
    source.set_rate(0, 3.0, Micros(10_000_000));
    assert_eq!(source.peek(), Some(Micros(10_250_000)), "three quarters of a gap at three times the rate");
    source.set_rate(0, 3.0, Micros(10_100_000));
    assert_eq!(source.peek(), Some(Micros(10_250_000)), "the same rate changes nothing");
    source.set_rate(7, 3.0, Micros(10_100_000));
    assert_eq!(source.peek(), Some(Micros(10_250_000)), "an unknown client is left alone");
}

fn explicit(id: &str, arrival_us: u64) -> ExplicitRequest {
    ExplicitRequest {
        id: id.to_owned(),
        arrival_us,
        prompt: vec![ExplicitPiece { text: 7, tokens: 10, offset: 0 }],
        output: ExplicitOutput { text: 8, tokens: 5, offset: 3 },
        tenant: String::new(),
        slo_class: String::new(),
        model: String::new(),
        adapter: String::new(),
        session: String::new(),
        priority: 0,
        max_offload_tokens: None,
        retention: Vec::new(),
    }
}

#[test]
fn listed_requests_arrive_in_order_with_rank_and_position() {
    let mut s = scenario(vec![client("a", Arrivals::Constant { rate_per_s: 1.0 })]);
    s.workload.requests = vec![
        explicit("r10", 1_000_000),
        explicit("r9", 500_000),
        explicit("r1", 1_000_000),
        explicit("R", 0),
    ];
    s.workload.requests[0].tenant = "blue".to_owned();
    s.workload.requests[1].tenant = "a".to_owned();
    s.workload.requests[2].slo_class = "batch".to_owned();
    let all = take(&s, 5);
    let rows: Vec<_> =
        all.iter().map(|r| (r.arrival.0, r.listed, r.rank, r.client, r.tenant, r.class)).collect();
    let expected = [
        (0, 3, 0, 2, 2, 0),
        (500_000, 1, 3, 0, 0, 0),
        (1_000_000, NOT_LISTED, 2, 0, 0, 2),
        (1_000_000, 0, 2, 1, 1, 0),
        (1_000_000, 2, 1, 2, 2, 4),
    ];
    assert_eq!(rows, expected, "at one instant: the client first, then the list in its order");
    let source = Source::new(&s, None);
    assert_eq!(source.clients(), strings(&["a", "blue", ""]));
    assert_eq!(source.tenants(), strings(&["a", "blue", "default"]));
    let classes = ["default", "critical", "standard", "sheddable", "batch", "background"];
    assert_eq!(source.classes(), strings(&classes));
}

fn strings(all: &[&str]) -> Vec<String> {
    all.iter().map(|&s| s.to_owned()).collect()
}

#[test]
fn listed_texts_are_those_of_the_golden_format() {
    let mut s = scenario(Vec::new());
    let mut request = explicit("x", 0);
    // Two pieces of one text that continue each other are one; positions wrap at 2^32.
    request.prompt = vec![
        ExplicitPiece { text: 92_005, tokens: 10, offset: 4 },
        ExplicitPiece { text: 92_005, tokens: 6, offset: 14 },
        ExplicitPiece { text: 1, tokens: 3, offset: u32::MAX },
    ];
    s.workload.requests = vec![request];
    let spec = take(&s, 1).remove(0);
    let start = |text: u64, offset: u64| (text * 0x9e37_79b1 + offset) % (1 << 32);
    let mut expected = Content::single(SPELLED, start(92_005, 4), 16);
    expected.push(Piece { source: SPELLED, start: start(1, u64::from(u32::MAX)), len: 3 });
    assert_eq!((spec.prompt, spec.prompt_tokens), (expected, 19));
    assert_eq!(spec.output, Piece { source: SPELLED, start: start(8, 3), len: 5 });
}
