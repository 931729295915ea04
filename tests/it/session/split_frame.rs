//! Prefill and decode apart in a frame and for one request, worked out by hand: two transfers that share a port.

use super::plain;
use crate::support::{preset, start};
use tokenyard::base::Micros;
use tokenyard::scenario::Scenario;
use tokenyard::session::view::{Frame, FrameQuery, RequestDetail, SegmentKind};
use tokenyard::session::{Occasion, Session, Stop};

/// A prefill replica (r0) and two homes (r1, r2) in turn. A step takes 1000 us, 10 us for each token of prompt and 1 us for each request
/// that decodes; blocks have 4 tokens of 1000 bytes; ports carry a byte a microsecond, the first of them after 100 us.
///
/// `a` is prefilled from 0 to 1400, `b` from 10,000 to 11,400. So 40,000 bytes of `a` flow from 1500 on, alone until 11,500, then at half
/// the speed until 71,500; those of `b` from 11,500 on, alone from 71,500 until 81,500.
fn scenario(handoff: &str) -> Scenario {
    let text = r#"{
      "run": {"horizon_s": 60, "warmup_s": 0},
      "cluster": {
        "routing": "round-robin",
        "pools": [
          {"name": "p", "role": "prefill", "replicas": 1, "latency": LATENCY, "kv": {"blocks": 100, "block_tokens": 4}},
          {"name": "d", "role": "decode", "replicas": 2, "latency": LATENCY, "kv": {"blocks": 100, "block_tokens": 4}}
        ],
        "disaggregation": {"handoff": "HANDOFF",
          "transfer": {"port_gb_per_s": 0.001, "base_us": 100, "kv_bytes_per_token": 1000}}
      },
      "workload": {"clients": [], "requests": [
        {"id": "a", "arrival_us": 0, "prompt": [{"text": 1, "tokens": 40}], "output": {"tokens": 3, "text": 11}},
        {"id": "b", "arrival_us": 10000, "prompt": [{"text": 2, "tokens": 40}], "output": {"tokens": 3, "text": 12}}
      ]}
    }"#;
    let latency = r#"{"fitted": {"step_us": 1000, "step_us_per_prefill_token": 10, "step_us_per_decode_token": 1,
      "step_us_per_context_token": 0}}"#;
    let text = text.replace("LATENCY", latency).replace("HANDOFF", handoff);
    serde_json::from_str(&text).expect("a scenario")
}

fn at(handoff: &str, us: u64) -> Session {
    let mut session = start(&scenario(handoff));
    session.advance(Micros(us), u64::MAX);
    session
}

fn frame(session: &Session) -> Frame {
    session.clone().frame(&FrameQuery::default())
}

#[test]
fn a_frame_tells_what_flows_over_each_port() {
    let frame = frame(&at("pull", 50_002));
    let split = frame.split.expect("roles differ");
    assert_eq!((split.prefill.serving, split.decode.serving, split.under_way), (1, 2, 2));
    assert!((split.decided.remote_share - 1.0).abs() < 1e-12 && split.decided.local_share == 0.0);
    let transfers: Vec<_> =
        split.transfers.iter().map(|t| (t.from, t.to, t.arrived, t.bytes_per_s)).collect();
    // 10,000 bytes alone and half of 38,502 us; half of 38,502 us.
    assert_eq!(transfers, [(0, 1, 29_251, 500_000), (0, 2, 19_251, 500_000)]);
    assert_eq!(split.transfers[0].lands_us, Some(71_500));
    let rates: Vec<_> = split.pairs.iter().map(|p| (p.from, p.to, p.flows, p.bytes_per_s.round())).collect();
    assert_eq!(rates, [(0, 1, 1, 584_997.0), (0, 2, 1, 385_005.0)]);
    let replicas: Vec<_> = frame.replicas.iter().map(|r| r.split.expect("roles differ")).collect();
    let roles = replicas.iter().map(|r| r.role).collect::<Vec<_>>();
    assert_eq!(roles, ["prefill", "decode", "decode"]);
    assert_eq!((replicas[0].outgoing, replicas[0].held_blocks, replicas[0].out.flows), (2, 20, 2));
    assert_eq!((replicas[1].incoming, replicas[1].reserved_blocks, replicas[1].into.flows), (1, 10, 1));
    // Of 100 blocks, 20 are held for homes, and 10 are set aside at each of these: each block is a cell.
    let letters = |r: usize, letter: char| frame.replicas[r].kv.cells.matches(letter).count();
    assert_eq!([letters(0, 'h'), letters(0, 'r'), letters(1, 'r'), letters(2, 'r')], [20, 0, 10, 10]);
    assert_eq!([letters(0, 'u'), letters(1, 'u'), letters(1, 'h')], [0; 3]);
    // 48,502 bytes in 50,002 us.
    assert!((replicas[0].out.used - 48_502.0 / 50_002.0).abs() < 1e-9, "{}", replicas[0].out.used);
    assert!(split.pairs.iter().all(|p| (p.fullness - replicas[0].out.used).abs() < 1e-12));
    let latest: Vec<_> =
        split.latest.iter().map(|d| (d.request, d.at_us, d.home, d.prefill, d.uncached)).collect();
    assert_eq!(latest, [(0, 0, 1, Some(0), 40), (1, 10_000, 2, Some(0), 40)]);
}

#[test]
fn flows_leave_the_window_and_hand_overs_are_measured() {
    let split = frame(&at("pull", 200_000)).split.expect("roles differ");
    assert_eq!((split.under_way, split.handover.count), (0, 2));
    // From the end of each prefill to joining: 71,500 - 1400 and 81,500 - 11,400.
    assert!((split.handover.p50_us - 70_100.0).abs() < 1e-9);
    let bytes: f64 = split.pairs.iter().map(|p| p.bytes_per_s * split.flow_s).sum();
    assert!((bytes - 80_000.0).abs() < 1e-6, "{bytes}");
    let later = frame(&at("pull", 10_040_000)).split.expect("roles differ");
    let left: f64 = later.pairs.iter().map(|p| p.bytes_per_s * later.flow_s).sum();
    // The window begins at 40,000: of `a` 31,500 of 70,000 us, of `b` 41,500 of 70,000, each as if it had been steady.
    assert!((left - 40_000.0 * (31_500.0 + 41_500.0) / 70_000.0).abs() < 1e-6, "{left}");
}

fn detail(session: &Session, request: u32) -> RequestDetail {
    session.inspect(request).expect("it has arrived")
}

#[test]
fn a_request_on_its_way_says_what_it_shares_its_port_with() {
    let a = detail(&at("pull", 50_002), 0);
    assert_eq!(
        plain(&a.summary),
        "Its KV is on the way: 29.3 kB of 40.0 kB after 48.6 ms. For 38.5 ms it has shared r0's port with #1, \
         so the rest takes 21.5 ms; alone it would take 10.7 ms."
    );
    let h = a.handover.expect("roles differ");
    assert_eq!((h.home, h.prefill, h.stage, h.reason), (1, Some(0), "transfer", "always"));
    assert_eq!((h.blocks.prompt, h.blocks.held, h.blocks.reserved, h.blocks.bytes), (10, 10, 10, 4000));
    let t = h.transfer.expect("it has started");
    assert_eq!((t.shared_at, &t.shared_with[..], t.alone_per_s), (Some(0), &[1][..], 1_000_000));
    let ahead: Vec<_> = h.ahead.iter().map(|part| part.kind).collect();
    assert_eq!(ahead, [SegmentKind::Transfer, SegmentKind::Join, SegmentKind::FirstToken]);
    assert_eq!(h.ahead[0].to_us, 71_500);
    let alone = detail(&at("pull", 5000), 0);
    assert_eq!(
        plain(&alone.summary),
        "Its KV is on the way: 3.50 kB of 40.0 kB after 3.60 ms. The rest takes 36.5 ms."
    );
    let candidates = |list: &[tokenyard::session::view::Candidate]| {
        let mut ids: Vec<_> = list.iter().map(|c| (c.replica, c.chosen)).collect();
        ids.sort_unstable();
        ids
    };
    assert_eq!(candidates(&a.candidates), [(1, true), (2, false)], "the first decision chooses the home");
    assert_eq!(candidates(&h.prefill_candidates), [(0, true)], "the second one who prefills");
}

#[test]
fn the_parts_of_a_hand_over_follow_each_other_in_the_waterfall() {
    for handoff in ["pull", "push"] {
        let session = at(handoff, 200_000);
        let parts = |request: u32| {
            let d = detail(&session, request);
            assert_eq!(d.e2e_us, Some(d.total_us), "{handoff}");
            d.segments.iter().map(|s| (s.kind, s.from_us, s.to_us)).collect::<Vec<_>>()
        };
        let kinds = [SegmentKind::Prefill, SegmentKind::FirstByte, SegmentKind::Transfer];
        let [prefill, first_byte, transfer] = kinds;
        let (first, decode) = (SegmentKind::FirstToken, SegmentKind::Decode);
        let of_a = [
            (prefill, 0, 1400),
            (first_byte, 1400, 1500),
            (transfer, 1500, 71_500),
            (first, 71_500, 72_501),
            (decode, 72_501, 74_503),
        ];
        assert_eq!(parts(0), of_a, "{handoff}");
        assert_eq!(parts(1)[2], (transfer, 11_500, 81_500), "{handoff}");
        let rates = |request: u32| {
            let t = detail(&session, request).handover.and_then(|h| h.transfer).expect("it has landed");
            t.rates.iter().map(|r| (r.from_us, r.to_us, r.bytes_per_s)).collect::<Vec<_>>()
        };
        assert_eq!(rates(0), [(1500, 11_500, 1_000_000), (11_500, 71_500, 500_000)], "{handoff}");
        assert_eq!(rates(1), [(11_500, 71_500, 500_000), (71_500, 81_500, 1_000_000)], "{handoff}");
    }
}

#[test]
fn a_run_goes_to_the_next_start_of_a_transfer_and_to_the_next_landing() {
    for (occasion, expected) in [(Occasion::Transfer, [1400, 11_400]), (Occasion::Landing, [71_500, 81_500])]
    {
        let mut session = start(&scenario("pull"));
        for us in expected {
            let mut awaited = session.begin_to(occasion);
            let mut stop = Stop::Events;
            while stop == Stop::Events {
                stop = session.advance_to(&mut awaited, 10);
            }
            assert_eq!((stop, session.now()), (Stop::Until, Micros(us)), "{occasion:?}");
        }
    }
}

#[test]
fn without_roles_a_frame_and_a_request_say_nothing_of_hand_overs() {
    let mut session = start(&preset("chat-4xh100", 20.0));
    session.advance(Micros(10_000_000), u64::MAX);
    let frame = serde_json::to_value(session.frame(&FrameQuery::default())).expect("JSON");
    assert!(frame.get("split").is_none() && frame["replicas"][0].get("split").is_none());
    let detail = serde_json::to_value(session.inspect(3)).expect("JSON");
    assert!(detail.get("handover").is_none());
}

#[test]
fn a_request_that_waits_for_room_at_its_home_is_marked_in_the_queue() {
    let mut scenario = scenario("pull");
    // One home with room for one prompt: `a` has its blocks there until it ends, `b` waits for them.
    let home = &mut scenario.cluster.pools[1];
    home.replicas = 1;
    home.kv.blocks = tokenyard::scenario::KvBlocks::Count(12);
    let mut session = start(&scenario);
    session.advance(Micros(30_000), u64::MAX);
    let frame = frame(&session);
    let queue: Vec<_> = frame.replicas[1].queue.iter().map(|c| (c.request, c.prefilled)).collect();
    assert_eq!(queue, [(1, true)]);
    let b = detail(&session, 1);
    assert_eq!(
        plain(&b.summary),
        "Its prompt is computed on r0, which holds its blocks; it has waited for room on r1 for 18.6 ms."
    );
    assert_eq!(b.handover.map(|h| (h.stage, h.blocks.held, h.blocks.reserved)), Some(("room", 10, 0)));
}

/// Homes so small that requests are preempted there and wait for room, at a rate that fills them.
fn pressed(handoff: &str, first_token: &str) -> Scenario {
    let mut document = serde_json::to_value(scenario(handoff)).expect("JSON");
    document["run"]["horizon_s"] = 2.into();
    document["cluster"]["pools"][0]["kv"]["blocks"] = 60.into();
    document["cluster"]["pools"][1]["kv"]["blocks"] = 40.into();
    document["cluster"]["disaggregation"]["first_token"] = first_token.into();
    document["cluster"]["disaggregation"]["transfer"]["port_gb_per_s"] = 0.01.into();
    document["workload"] = serde_json::json!({"clients": [{
        "arrivals": {"poisson": {"rate_per_s": 90}},
        "prompt_tokens": {"lognormal": {"median_tokens": 36, "sigma": 0.3, "min_tokens": 4, "max_tokens": 80}},
        "output_tokens": {"lognormal": {"median_tokens": 50, "sigma": 0.5, "min_tokens": 1, "max_tokens": 75}}
    }]});
    serde_json::from_value(document).expect("a scenario")
}

#[test]
fn the_parts_of_every_request_add_up_under_pressure_too() {
    for handoff in ["pull", "push"] {
        for first_token in ["decode", "prefill"] {
            let mut session = start(&pressed(handoff, first_token));
            let (mut lost, mut waited) = (0, 0);
            for at in [300_000, 777_777, 1_400_000, 2_000_000] {
                session.advance(Micros(at), u64::MAX);
                for request in 0..session.engine().records().len() as u32 {
                    let d = detail(&session, request);
                    let where_it_is = format!("{handoff}, {first_token}, #{request} at {at}: {d:?}");
                    assert!(d.segments.first().is_none_or(|s| s.from_us == d.arrival_us), "{where_it_is}");
                    assert!(d.segments.windows(2).all(|s| s[0].to_us == s[1].from_us), "{where_it_is}");
                    assert!(d.e2e_us.is_none_or(|e2e| e2e == d.total_us), "{where_it_is}");
                    assert!(d.summary.ends_with('.'), "{where_it_is}");
                    let h = d.handover.as_ref();
                    assert!(h.is_none_or(|h| h.ahead.is_sorted_by_key(|part| part.to_us)), "{where_it_is}");
                    let arrived = h.and_then(|h| h.transfer.as_ref());
                    assert!(
                        arrived.is_none_or(|t| t.early <= t.arrived && t.arrived <= t.bytes),
                        "{where_it_is}"
                    );
                    lost += d.preemptions;
                    waited += u32::from(d.segments.iter().any(|s| s.kind == SegmentKind::Room));
                }
            }
            assert!(
                lost > 0 && waited > 0,
                "{handoff}, {first_token}: {lost} preemptions, {waited} waits for room"
            );
        }
    }
}
