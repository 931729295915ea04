//! Checks in figures what the notes of presets about prefill and decode replicas say.

use super::presets::{Run, about, run};

fn tpot(found: &Run, percent: usize, client: &str, from_s: f64, to_s: f64) -> f64 {
    found.ms("tpot_us", percent, client, from_s, to_s)
}

#[test]
fn gaps_without_prompts_are_short_and_first_tokens_late() {
    let name = "prompts-among-decodes";
    let own = run(name, &[]);
    about(own.met("chat", 20.0, 58.0), 0.55, 0.67);
    about(tpot(&own, 50, "chat", 20.0, 58.0), 9.0, 10.0);
    about(own.met("chat", 65.0, 115.0), 0.995, 1.0);
    about(own.met("document", 65.0, 115.0), 0.95, 1.0);
    about(tpot(&own, 50, "chat", 65.0, 115.0), 6.6, 7.2);
    about(tpot(&own, 99, "chat", 65.0, 115.0), 7.0, 9.0);
    // The first token comes later, because half of the replicas compute prompts.
    let ttft = |from_s, to_s| own.ttft(50, "chat", from_s, to_s);
    assert!(ttft(65.0, 115.0) > 1.5 * ttft(20.0, 58.0));
    let mixed = run(name, &[("edits", "[]")]);
    about(mixed.met("chat", 65.0, 115.0), 0.3, 0.7);
}

#[test]
fn no_ratio_is_right_for_morning_and_evening() {
    let name = "ratio-of-the-day";
    let met = |found: &Run| {
        [found.met("summaries", 10.0, 100.0), found.met("stories", 140.0, 220.0)]
            .map(|share| (share * 100.0).round())
    };
    let own = run(name, &[]);
    about(own.ttft(50, "summaries", 10.0, 100.0), 10_000.0, 16_000.0);
    let [morning, evening] = met(&own);
    assert!(morning < 5.0 && evening > 99.0, "{morning} {evening}");
    let three = [("cluster.pools[0].replicas", "5"), ("cluster.pools[1].replicas", "3")];
    let [morning, evening] = met(&run(name, &three));
    assert!(morning > 99.0 && evening < 30.0, "{morning} {evening}");
    let noon =
        r#"[{"at_us": 115000000, "set": {"cluster.pools[0].replicas": 6, "cluster.pools[1].replicas": 2}}]"#;
    let [morning, evening] = met(&run(name, &[three[0], three[1], ("edits", noon)]));
    assert!(morning > 99.0 && evening > 99.0, "{morning} {evening}");
}

#[test]
fn a_thin_link_makes_all_wait_and_a_threshold_saves_it() {
    let thin = run("thin-link", &[]);
    about(thin.ttft(50, "chat", 35.0, 45.0), 2000.0, 9000.0);
    about(thin.ttft(50, "chat", 90.0, 115.0), 6000.0, 12_000.0);
    let thick = run("thin-link", &[("cluster.disaggregation.transfer.port_gb_per_s", "50")]);
    about(thick.ttft(50, "chat", 15.0, 115.0), 55.0, 80.0);
    let saved = run("thin-link-threshold", &[]);
    about(saved.ttft(50, "chat", 20.0, 40.0), 2000.0, 6000.0);
    about(saved.ttft(50, "chat", 41.0, 150.0), 30.0, 50.0);
    about(saved.ttft(99, "chat", 60.0, 150.0), 50.0, 150.0);
    about(saved.met("document", 60.0, 150.0), 0.75, 1.0);
    let longer = tpot(&saved, 50, "chat", 60.0, 150.0) - tpot(&thin, 50, "chat", 60.0, 115.0);
    about(longer, 0.6, 1.4);
}

#[test]
fn llm_ds_guide_has_the_shorter_answers_and_the_later_first_tokens() {
    let own = run("llm-d-prefill-decode", &[]);
    about(tpot(&own, 50, "", 20.0, 55.0), 13.0, 15.0);
    about(tpot(&own, 50, "", 70.0, 115.0), 5.8, 6.4);
    about(own.ms("e2e_us", 50, "", 20.0, 55.0), 3400.0, 4000.0);
    about(own.ms("e2e_us", 50, "", 70.0, 115.0), 1700.0, 1900.0);
    about(own.ttft(50, "", 20.0, 55.0), 240.0, 290.0);
    about(own.ttft(50, "", 70.0, 115.0), 290.0, 320.0);
}
