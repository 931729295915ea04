//! Roles of pools as documents have them: mistakes are reported with their places, in the scenario and in its edits, and links
//! carry what is said of hand-overs.

use serde_json::{Value, json};
use tokenyard::base::{Micros, RequestId};
use tokenyard::engine::RequestState;
use tokenyard::scenario::link::{Link, make};
use tokenyard::scenario::{Role, from_value, in_order, parse, to_json};
use tokenyard::session::{Audience, Session};

/// A prefill pool and a decode pool, with the further keys of the cluster.
fn split(further: &Value) -> Value {
    let mut cluster = json!({ "pools": [
        { "name": "p", "role": "prefill", "replicas": 2 },
        { "name": "d", "role": "decode", "replicas": 2 },
    ] });
    let further = further.as_object().expect("an object");
    cluster.as_object_mut().expect("an object").extend(further.clone());
    json!({ "cluster": cluster })
}

#[track_caller]
fn says(document: &Value, expected: &str) {
    let all: Vec<String> = Session::check(&document.to_string()).iter().map(ToString::to_string).collect();
    assert_eq!(all.join("\n"), expected);
}

#[test]
fn every_mistake_has_its_place_and_its_remedy() {
    says(&split(&json!({})), "");
    let mut alone = split(&json!({}));
    alone["cluster"]["pools"][1]["role"] = json!("mixed");
    says(
        &alone,
        "error: cluster.pools[0].role: prefill, and no pool has the role decode; allowed: a decode pool beside it; \
        mixed replicas prefill their own requests: give another pool the role decode, or this one the role mixed",
    );
    let mut unlike =
        split(&json!({ "disaggregation": { "transfer": { "overlap_share": 0.5, "port_gb_per_s": 0 } } }));
    unlike["cluster"]["pools"][1]["kv"] = json!({ "block_tokens": 32 });
    says(
        &unlike,
        "error: cluster.disaggregation.transfer.port_gb_per_s: 0; allowed: 0.001 to 10,000; 50 is a network of 400 Gbit/s\n\
         error: cluster.pools[1].kv.block_tokens: blocks of 32 tokens, and of 16 in pool \"p\"; allowed: one block size in \
         all prefill and decode pools; blocks are handed over whole: write 16 here, or 32 there\n\
         error: cluster.disaggregation.transfer.overlap_share: 0.5, with the hand-over pull; allowed: 0 there; a pull begins \
         after the prefill: write 0, or choose the hand-over push",
    );
}

#[test]
fn an_edit_may_move_roles_if_what_comes_out_is_sound() {
    let with_edits = |edits: Value| {
        let mut document = split(&json!({}));
        document["edits"] = edits;
        document
    };
    let role = |at_us: u64, pool: u32, role: &str| json!({ "at_us": at_us, "set": { format!("cluster.pools[{pool}].role"): role } });
    says(&with_edits(json!([role(5, 0, "decode"), role(9, 0, "prefill")])), "");
    says(
        &with_edits(json!([role(5, 1, "prefill")])),
        "error: edits[0].set.cluster.pools[0].role: prefill, in a cluster without another role; allowed: a decode pool beside \
        it; nothing answers clients: add a pool with the role decode, or give this one the role mixed",
    );
    // One edit for both: between them nothing would be sound.
    let both = json!({ "at_us": 5, "set": { "cluster.pools[0].role": "decode", "cluster.pools[1].role": "prefill" } });
    let document = with_edits(json!([both]));
    says(&document, "");
    let (mut session, _) = Session::load(&document.to_string(), None).expect("a good scenario");
    session.advance(Micros(5_000_000), u64::MAX);
    let engine = session.engine();
    assert!(engine.records().len() > 20, "{}", engine.records().len());
    for request in 0..engine.records().len() as u32 {
        let handover = engine.handover(RequestId(request)).expect("every request has a home");
        let replicas = (handover.home.0, handover.prefill.map(|replica| replica.0));
        assert!(matches!(replicas, (0 | 1, Some(2 | 3))), "request {request}: {replicas:?}");
    }
}

#[test]
fn roles_that_move_under_load_leave_requests_where_they_were_sent() {
    let swap = |at_us: u64, roles: [&str; 2]| {
        json!({ "at_us": at_us, "set": {
        "cluster.pools[0].role": roles[0], "cluster.pools[1].role": roles[1] } })
    };
    let mut document = split(&json!({}));
    document["workload"] = json!({ "clients": [{
        "arrivals": { "poisson": { "rate_per_s": 60 } },
        "prompt_tokens": { "constant": { "tokens": 3000 } },
        "output_tokens": { "constant": { "tokens": 40 } },
    }] });
    document["run"] = json!({ "horizon_s": 0, "warmup_s": 0, "max_requests": 300 });
    document["edits"] = json!([
        swap(1_000_000, ["decode", "prefill"]),
        swap(2_000_000, ["mixed", "decode"]),
        swap(3_000_000, ["prefill", "decode"]),
    ]);
    let (mut session, _) = Session::load(&document.to_string(), None).expect("a good scenario");
    for ms in (0..60_000).step_by(50) {
        session.advance(Micros(ms * 1000), u64::MAX);
        session.engine().verify(true);
    }
    let engine = session.engine();
    assert_eq!(engine.replicas().len(), 4, "no replica was replaced");
    let mut routes = std::collections::BTreeSet::new();
    for (i, record) in engine.records().iter().enumerate() {
        assert_eq!(record.state(), RequestState::Completed, "request {i}");
        let h = engine.handover(RequestId(i as u32)).expect("every request has a home");
        routes.insert((h.home.0 / 2, h.prefill.map(|replica| replica.0 / 2)));
    }
    // Homes in the second pool, in the first, and in both with nobody to prefill for them.
    for route in [(1, Some(0)), (0, Some(1)), (0, None), (1, None)] {
        assert!(routes.contains(&route), "{route:?} is not among {routes:?}");
    }
}

/// Small caches, push, and two pools that swap their roles under load: each would hold blocks for requests that the other one
/// prefills if requests did not wait for those of the roles before.
#[test]
fn roles_that_change_places_make_no_circle() {
    let document = include_str!("../../goldens/roles-change-places.json");
    let (mut session, _) = Session::load(document, None).expect("a good scenario");
    session.advance(Micros::MAX, 100_000);
    let engine = session.engine();
    engine.verify(true);
    assert_eq!((engine.livelock(), engine.next_event_at()), (None, None));
    assert!(engine.records().iter().all(|record| record.location().is_gone()));
    assert!(engine.replicas().iter().all(|replica| replica.kv().used() == 0));
}

#[test]
fn a_link_carries_roles_and_hand_overs_and_equal_ones_have_one_text() {
    let further = json!({ "disaggregation": {
        "decider": { "threshold": { "uncached_tokens": 2048, "uncached_share": 0.7, "prefill_in_flight": 4 } },
        "prefill_routing": { "weighted": { "scorers": "token-load:1" } },
        "handoff": "push", "first_token": "prefill",
        "transfer": { "port_gb_per_s": 12.5, "base_us": 7, "kv_bytes_per_token": 131_072, "overlap_share": 0.9, "shared_ports": false },
    } });
    let mut document = split(&further);
    let router =
        json!({ "weighted": { "scorers": [{ "weight": 2, "scorer": "cost" }], "profile": "custom" } });
    document["edits"] = json!([{ "at_us": 5, "set": { "cluster.disaggregation.prefill_routing": router } }]);
    let scenario = in_order(from_value(document).expect("a good scenario"));
    let made = make(&Link { scenario: scenario.clone(), ..Link::default() }).expect("short enough");
    let opened = Session::open_link(&made.link, Audience::Live);
    assert_eq!((opened.problems, &opened.link.scenario), (Vec::new(), &scenario), "{}", made.link);
    let text = to_json(&scenario);
    assert_eq!(to_json(&parse(&text).expect("its own text")), text);
    // A path into settings that a preset leaves out.
    let opened = Session::open_link(
        "#chat-4xh100;cluster.pools[0].role=decode;cluster.disaggregation.decider=never",
        Audience::Live,
    );
    assert_eq!(opened.problems, []);
    assert_eq!(opened.link.scenario.cluster.pools[0].role, Role::Decode);
    // A document without roles says nothing of them.
    let plain = to_json(&from_value(json!({})).expect("the default"));
    assert!(!plain.contains("role") && !plain.contains("disaggregation"));
}
