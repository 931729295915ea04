//! Why a hit rate falls with a tier: what an explanation says of one run, and of two.

use super::what_if::{explained, is_true};
use tokenyard::base::{Micros, json};
use tokenyard::scenario::Scenario;
use tokenyard::scenario::preset::Preset;
use tokenyard::session::{Audience, Report, Session};
use tokenyard::study::whatif::{ExplainQuery, HitRateFall, TierTrouble};

fn of_preset(name: &str) -> Scenario {
    let mut s = Preset::named(name).unwrap_or_else(|| panic!("no preset {name}")).scenario();
    s.run.horizon_s = s.run.horizon_s.min(90.0);
    s.run.warmup_s = s.run.warmup_s.min(10.0);
    s
}

fn report(s: &Scenario) -> Report {
    let (mut session, _) =
        Session::start(s.clone(), None, Audience::Batch).unwrap_or_else(|all| panic!("{all:?}"));
    session.advance(Micros::MAX, u64::MAX);
    session.report_data()
}

#[test]
fn blocks_that_wait_for_a_slow_disk_are_found_in_one_run_and_in_two() {
    let with = of_preset("more-cache-lower-hit-rate");
    let e = explained(&with, &ExplainQuery::default());
    is_true(&e);
    let tiers = e.tiers.as_ref().expect("something keeps them from finding more");
    assert!(tiers.troubles.contains(&TierTrouble::WritesWait), "{tiers:?}");
    assert!(tiers.refused_share > 0.3 && tiers.waiting_blocks > 100, "{tiers:?}");
    let sum: f64 = tiers.by_tier.iter().map(|tier| tier.share).sum();
    assert!((sum - tiers.hit_share).abs() < 1e-9, "{sum} of {}", tiers.hit_share);
    assert!(e.sentences.iter().any(|s| s.text.contains("wait for the tier below")), "{:?}", e.sentences);

    let mut without = with.clone();
    without.cluster.pools[0].kv.secondary_tiers.clear();
    let [with, without] = [&with, &without].map(report);
    let fall = HitRateFall::between(&without, &with).expect("it is explained");
    assert_eq!((fall.of, fall.tiers.troubles.contains(&TierTrouble::WritesWait)), ("b", true));
    assert!(fall.other_share - fall.tiers.hit_share > 0.05, "{fall:?}");
    let tree = json::tree(&fall);
    for quoted in fall.sentences.iter().flat_map(|s| &s.numbers) {
        assert!(tree.pointer(&quoted.path).is_some_and(serde_json::Value::is_number), "{}", quoted.path);
    }
    assert_eq!(HitRateFall::between(&with, &without).map(|fall| fall.of), Some("a"));
    assert_eq!(HitRateFall::between(&with, &with), None);
}

#[test]
fn nothing_is_said_of_runs_without_tiers() {
    let presets = ["long-chats", "kv-pressure"].map(of_preset);
    for s in &presets {
        assert_eq!(explained(s, &ExplainQuery::default()).tiers, None);
    }
    let [a, b] = [&presets[0], &presets[1]].map(report);
    assert!((a.kv.hit_rate - b.kv.hit_rate).abs() > 0.1, "else there is nothing to explain");
    assert_eq!(HitRateFall::between(&a, &b), None);
}
