//! Checks what the notes of the built-in scenarios about batches, queues and GPUs say, with their own seeds and with others.

use super::presets::{Run, about, figure, report, run, seeded};
use crate::support::rows::{text, whole};

#[test]
fn a_request_that_outgrows_the_cache_stops_everything_and_without_blis_is_dropped() {
    let none = [("cluster.compat", "\"none\"")];
    for seed in 7..13 {
        let (found, other) = (seeded("cache-livelock", seed, &[]), seeded("cache-livelock", seed, &none));
        let long = |of: &Run| {
            let all = of.between("", 40.0, 40.1);
            all.into_iter().find(|row| text(row, "name") == "long").expect("it came").clone()
        };
        let stuck = long(&found);
        assert!(["running", "queued"].contains(&text(&stuck, "state")), "seed {seed}: {stuck:?}");
        assert!(whole(&stuck, "preemptions") > Some(1000), "seed {seed}: {stuck:?}");
        about(found.share("completed", "chat", 44.0, 120.0), 0.0, 0.0);
        let before = found.between("chat", 0.0, 40.0);
        assert!(before.iter().any(|row| whole(row, "preemptions") > Some(0)), "seed {seed}");
        assert_eq!(text(&long(&other), "reason"), "outgrew-kv-cache", "seed {seed}");
        about(other.share("completed", "chat", 44.0, 110.0), 0.98, 1.0);
    }
}

#[test]
fn the_thousandth_lap_is_reported_as_a_livelock_at_the_instant_of_the_note() {
    let found = run("cache-livelock", &[]);
    let long = found
        .between("", 40.0, 40.1)
        .into_iter()
        .find(|row| text(row, "name") == "long")
        .expect("it came")
        .clone();
    assert_eq!(whole(&long, "request"), Some(74));
    let at = |horizon_s: &str| {
        let found = report("cache-livelock", &[("run.horizon_s", horizon_s)]);
        let first = found["anomalies"]["first"].as_array().expect("a list");
        first.iter().find(|a| a["kind"] == "livelock").map(|a| figure(a, "/start_us"))
    };
    assert_eq!(at("61.7"), None);
    about(at("61.9").expect("a livelock") / 1e6, 43.4, 43.6);
}

#[test]
fn chunks_take_the_stalls_from_chats_and_cost_the_reports_a_third() {
    for seed in 9..15 {
        let found = seeded("chunked-prefill", seed, &[]);
        about(found.ttft(99, "chat", 10.0, 60.0), 430.0, 500.0);
        about(found.ttft(99, "chat", 62.0, 120.0), 60.0, 100.0);
        let paid = found.ttft(50, "reports", 60.0, 120.0) / found.ttft(50, "reports", 10.0, 60.0);
        about(paid, 1.3, 1.37);
        let larger = r#"[{"at_us": 60000000, "set": {"cluster.pools[0].engine.long_prefill_threshold_tokens": 2048}}]"#;
        let between = seeded("chunked-prefill", seed, &[("edits", larger)]);
        about(between.ttft(99, "chat", 62.0, 120.0), 150.0, 350.0);
        about(between.ttft(50, "reports", 60.0, 120.0) / between.ttft(50, "reports", 10.0, 60.0), 1.03, 1.1);
    }
    about(figure(&report("chunked-prefill", &[]), "/latency_ms/itl/max"), 430.0, 480.0);
    let long = run("chunked-prefill", &[]).between("reports", 57.9, 58.1)[0].clone();
    assert_eq!(whole(&long, "request"), Some(360));
}

#[test]
fn a_very_long_prompt_delays_all_requests_after_it_unless_it_is_chunked() {
    let chunk = [("cluster.pools[0].engine.long_prefill_threshold_tokens", "256")];
    for seed in 4..10 {
        let (found, cut) = (seeded("long-prompt", seed, &[]), seeded("long-prompt", seed, &chunk));
        about(found.ttft(50, "chat", 10.0, 31.0), 24.0, 27.0);
        about(found.ttft(100, "chat", 31.0, 41.0), 9000.0, 9600.0);
        about(cut.ttft(100, "chat", 31.0, 41.0), 100.0, 500.0);
        let tpot = |of: &Run| of.ms("tpot_us", 50, "chat", 31.0, 41.0);
        assert!(tpot(&cut) > 2.0 * tpot(&found), "seed {seed}");
    }
    let found = run("long-prompt", &[]);
    let book = found
        .between("", 30.9, 31.1)
        .into_iter()
        .find(|row| text(row, "name") == "book")
        .expect("it came")
        .clone();
    assert_eq!(whole(&book, "request"), Some(188));
    about(whole(&book, "ttft_us").expect("it was read") as f64 / 1e6, 9.5, 10.0);
    let waits = found.between("chat", 34.0, 34.1)[0];
    assert_eq!(whole(waits, "request"), Some(205));
    assert!(whole(waits, "ttft_us") > Some(6_000_000));
}

#[test]
fn patience_makes_the_queue_and_a_short_queue_serves_all_it_takes() {
    let refuse = [("cluster.pools[0].engine.max_waiting", "8")];
    for seed in 12..18 {
        let found = seeded("clients-give-up", seed, &[]);
        about(found.share("dropped", "", 60.0, 90.0), 0.42, 0.58);
        about(found.ttft(50, "", 65.0, 90.0), 8500.0, 9000.0);
        assert!(found.ttft(99, "", 90.0, 100.0) > 5000.0, "it lasts longer than the spike");
        let short = seeded("clients-give-up", seed, &refuse);
        about(short.met("", 60.0, 90.0), 0.99, 1.0);
        about(short.share("dropped", "", 60.0, 90.0), 0.0, 0.0);
        about(short.share("rejected", "", 60.0, 90.0), 0.34, 0.42);
    }
}

#[test]
fn a_quota_keeps_one_tenants_flood_from_the_others() {
    for seed in 6..12 {
        let found = seeded("tenant-quotas", seed, &[]);
        about(found.share("rejected", "batch", 50.0, 120.0), 0.42, 0.48);
        for client in ["chat", "search"] {
            about(found.share("rejected", client, 0.0, 120.0), 0.0, 0.0);
            about(found.met(client, 50.0, 120.0), 0.97, 1.0);
        }
        let open = seeded("tenant-quotas", seed, &[("cluster.admission", "\"always-admit\"")]);
        for client in ["chat", "search", "batch"] {
            about(open.met(client, 50.0, 120.0), 0.0, 0.08);
        }
    }
}

#[test]
fn priority_decides_which_request_is_next_and_blocks_decide_which_run() {
    for seed in 1..21 {
        let found = seeded("priority-inversion", seed, &[]);
        about(found.ttft(50, "alarms", 10.0, 60.0), 1800.0, 11_000.0);
        about(found.ttft(50, "alarms", 62.0, 120.0), 700.0, 1600.0);
    }
    let found = run("priority-inversion", &[]);
    about(found.ttft(50, "alarms", 10.0, 60.0), 3400.0, 3600.0);
    about(found.ttft(50, "alarms", 62.0, 120.0), 750.0, 900.0);
    assert!(found.ttft(50, "batch", 62.0, 120.0) > 2.0 * found.ttft(50, "batch", 10.0, 60.0));
    let alarm = found.between("alarms", 72.0, 73.0)[0];
    assert_eq!(whole(alarm, "request"), Some(290));
    assert!(whole(alarm, "ttft_us") > Some(1_000_000));
    about(figure(&report("priority-inversion", &[]), "/anomalies/counts/priority-inversion"), 20.0, 100.0);
    let roomy = run("priority-inversion", &[("cluster.pools[0].kv.blocks", "6000")]);
    about(roomy.ttft(50, "alarms", 60.0, 120.0), 190.0, 230.0);
}

#[test]
fn eight_gpus_as_one_are_faster_and_as_eight_carry_more() {
    for seed in 2..8 {
        let found = seeded("one-wide-eight-narrow", seed, &[]);
        let of = |of: &str, from_s: f64, to_s: f64| found.ms(of, 50, "", from_s, to_s);
        about(of("tpot_us", 10.0, 30.0) / of("tpot_us", 30.0, 60.0), 1.9, 2.3);
        about(of("ttft_us", 10.0, 30.0) / of("ttft_us", 30.0, 60.0), 2.8, 3.4);
        about(found.ttft(50, "", 75.0, 90.0), 1500.0, 3500.0);
        about(found.ttft(99, "", 92.0, 120.0), 50.0, 250.0);
    }
}
