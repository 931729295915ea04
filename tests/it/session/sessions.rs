//! What the view of sessions says of turns and pauses is what the report sums up.

use crate::support::{at, preset, start};
use tokenyard::base::Micros;
use tokenyard::scenario::Scenario;
use tokenyard::session::closeup::{SessionRows, SessionsQuery};
use tokenyard::session::{Session, Stop};

fn rows(session: &Session) -> SessionRows {
    session.sessions(&SessionsQuery::default())
}

#[test]
fn turns_add_up_to_what_the_report_says() {
    let mut scenario = preset("the-pause", 60.0);
    scenario.run.warmup_s = 0.0;
    scenario.workload.clients.truncate(1);
    let mut run = start(&scenario);
    assert_eq!(run.advance(Micros::MAX, u64::MAX), Stop::Finished);
    let found = rows(&run);
    let part = run.report_data().sessions.expect("sessions are followed");
    assert_eq!(found.map, None);
    assert_eq!(found.rows.len() as u32, part.begun);
    let again: u64 = found.rows.iter().map(|row| row.again_tokens).sum();
    assert_eq!((again, found.again_tokens), (part.recomputed_tokens, part.recomputed_tokens));
    assert_eq!(found.known_tokens, part.known_tokens);
    assert!(found.returns > 50, "{}", found.returns);
    for turn in found.rows.iter().flat_map(|row| &row.turns) {
        assert!(turn.joined_us.is_none_or(|joined| joined >= turn.from_us), "{turn:?}");
        assert!(turn.first_us.zip(turn.end_us).is_none_or(|(first, end)| first <= end), "{turn:?}");
        assert!(turn.found_tokens.is_none_or(|found| found <= turn.prompt_tokens), "{turn:?}");
    }
}

#[test]
fn what_is_kept_in_a_pause_is_what_the_next_turn_finds_if_nothing_happens_meanwhile() {
    let mut scenario = preset("the-pause", 60.0);
    scenario.workload.clients.truncate(1);
    scenario.workload.clients[0].concurrency = 1;
    let run = at(&scenario, 30_000_000);
    let all = rows(&start_to_end(&scenario));
    let now = rows(&run);
    let paused: Vec<_> = now.rows.iter().filter_map(|row| row.kept_tokens.map(|kept| (row, kept))).collect();
    assert!(!paused.is_empty(), "one session, in a pause at some instant");
    for (row, kept) in paused {
        let later = all.rows.iter().find(|other| other.number == row.number).expect("the same session");
        if let Some(next) = later.turns.get(row.turns.len()) {
            let found = next.found_tokens.expect("it joined");
            assert!(found >= kept, "{kept} tokens were kept and {found} found");
        }
    }
}

fn start_to_end(scenario: &Scenario) -> Session {
    let mut run = start(scenario);
    run.advance(Micros::MAX, u64::MAX);
    run
}

#[test]
fn a_window_has_the_turns_that_are_in_it() {
    let run = at(&preset("the-pause", 60.0), 40_000_000);
    let query = SessionsQuery { from_us: 10_000_000, to_us: 20_000_000, request: None };
    let found = run.sessions(&query);
    assert_eq!((found.from_us, found.to_us), (10_000_000, 20_000_000));
    let turns = || found.rows.iter().flat_map(|row| &row.turns);
    assert!(turns().count() > 10);
    assert!(
        turns().all(|turn| turn.from_us <= 20_000_000 && turn.end_us.is_none_or(|end| end >= 10_000_000))
    );
}

#[test]
fn what_is_kept_in_a_pause_shrinks_step_by_step() {
    let run = start_to_end(&preset("the-pause", 60.0));
    let found = rows(&run);
    let turns = || found.rows.iter().flat_map(|row| row.turns.iter());
    let mut shrinks = 0;
    for turn in turns().filter(|turn| !turn.kept.is_empty()) {
        let (end, context) = (turn.end_us.expect("it ended"), turn.context_tokens);
        assert_eq!(turn.kept[0].at_us, end);
        assert!(turn.kept[0].gpu_tokens + 16 > context - 1, "all full blocks at first: {turn:?}");
        assert!(turn.kept.is_sorted_by_key(|step| step.at_us));
        assert!(turn.kept.iter().all(|step| step.gpu_tokens <= step.kept_tokens), "{turn:?}");
        assert!(turn.kept.iter().all(|step| step.kept_tokens <= context), "{turn:?}");
        shrinks += usize::from(turn.kept.len() > 2);
    }
    assert!(shrinks > 10, "{shrinks} pauses with more than one step");
    // CPU memory is large: the GPU forgets, and nothing has to be computed again.
    let cpu_keeps = turns().flat_map(|turn| &turn.kept).filter(|step| step.kept_tokens > step.gpu_tokens);
    assert!(cpu_keeps.count() > 10);
}

#[test]
fn what_is_kept_at_the_end_of_a_pause_is_what_the_next_turn_finds() {
    let mut scenario = preset("the-pause", 60.0);
    scenario.cluster.pools[0].kv.cpu_blocks = 0;
    let run = start_to_end(&scenario);
    let (mut pauses, mut alike) = (0, 0);
    for row in rows(&run).rows {
        for two in row.turns.windows(2) {
            let (Some(last), Some(found)) = (two[0].kept.last(), two[1].found_tokens) else { continue };
            // Of a step that came just before the turn, or while it waited, nothing is seen.
            let context = two[0].context_tokens;
            pauses += 1;
            alike += usize::from(last.gpu_tokens.abs_diff(found) <= context / 16 + 16);
        }
    }
    assert!(pauses > 50 && alike * 10 > pauses * 8, "{alike} of {pauses}");
}

#[test]
fn slices_change_nothing_of_what_was_kept() {
    let scenario = preset("the-pause", 60.0);
    let mut sliced = start(&scenario);
    for ms in 1..=600 {
        sliced.advance(Micros(ms * 100_000), u64::MAX);
    }
    assert_eq!(rows(&sliced), rows(&at(&scenario, 60_000_000)));
}

/// The preset with some of its fields set to other values, JSON text by path.
fn paused_with(fields: &[(&str, &str)]) -> Scenario {
    let mut made = serde_json::to_value(preset("the-pause", 60.0)).expect("a tree");
    for (path, value) in fields {
        let (parent, key) = path.rsplit_once('/').expect("a path");
        made.pointer_mut(parent).expect("a place")[key] = serde_json::from_str(value).expect("JSON");
    }
    tokenyard::scenario::parse(&made.to_string()).expect("sound")
}

const VLLM: (&str, &str) = ("/cluster/pools/0/kv/eviction_order", "\"vllm\"");

#[test]
fn a_directive_wants_a_context_kept_up_to_a_token_and_for_a_time() {
    let hint = (
        "/cluster/kv_hint",
        r#"{"quantile": 0.5, "min_s": 8, "max_s": 8, "head_tokens": 5000, "priority": 70}"#,
    );
    let found = rows(&start_to_end(&paused_with(&[VLLM, hint])));
    let hinted: Vec<_> =
        found.rows.iter().flat_map(|row| &row.turns).filter(|turn| !turn.wanted.is_empty()).collect();
    assert!(hinted.len() > 50, "{}", hinted.len());
    for turn in &hinted {
        let [head] = turn.wanted[..] else { panic!("one part: {turn:?}") };
        assert_eq!(head.for_us, Some(8_000_000));
        // Whole blocks, the last of which the head ends in.
        assert!(head.tokens <= 5_008 && head.tokens + 16 > turn.prompt_tokens.min(5_000), "{turn:?}");
    }
    // What all share is wanted by another session; the rest is its own.
    let without = ("/workload/clients/0/retention", r#"[{"priority": 70}]"#);
    let found = rows(&start_to_end(&paused_with(&[VLLM, without])));
    let parts = found.rows.iter().flat_map(|row| &row.turns).flat_map(|turn| &turn.wanted);
    assert!(parts.clone().count() > 10);
    assert!(parts.clone().all(|part| (part.for_us, part.tokens > 4096) == (None, true)));
    // Where directives mean nothing, nothing is wanted.
    let found = rows(&start_to_end(&paused_with(&[without])));
    assert!(found.rows.iter().flat_map(|row| &row.turns).all(|turn| turn.wanted.is_empty()));
}

#[test]
fn what_a_turn_found_is_split_by_tier() {
    let found = rows(&start_to_end(&preset("the-pause", 60.0)));
    let (mut from_cpu, mut from_gpu) = (0, 0);
    for turn in found.rows.iter().flat_map(|row| &row.turns).filter(|turn| !turn.found.is_empty()) {
        let sum: u32 = turn.found.iter().map(|part| part.tokens).sum();
        assert_eq!(Some(sum), turn.found_tokens, "{turn:?}");
        for part in &turn.found {
            *(if part.tier == "cpu" { &mut from_cpu } else { &mut from_gpu }) += part.tokens;
            assert!(["gpu", "cpu"].contains(&part.tier.as_str()));
        }
    }
    assert!(from_cpu > 10_000 && from_gpu > 10_000, "{from_cpu} {from_gpu}");
}

#[test]
fn what_prefetches_bring_comes_back_within_the_pause() {
    let known = ("/workload/clients/0/session_kv", r#"{"prefetch": {"when": "known", "lead_s": 2}}"#);
    let run = start_to_end(&paused_with(&[known]));
    let found = rows(&run);
    let mut blocks = 0;
    for row in &found.rows {
        for two in row.turns.windows(2) {
            for part in &two[0].fetched {
                let pause = two[1].pause_us.expect("a pause");
                assert!(part.after_us > 0 && part.after_us <= pause, "{part:?} of {pause}");
                assert!(part.tokens > 0 && part.gpu_tokens >= part.tokens);
                blocks += part.tokens / 16;
            }
        }
        blocks += row.turns.last().map_or(0, |turn| turn.fetched.iter().map(|part| part.tokens / 16).sum());
    }
    let pauses = run.report_data().kv.pauses.expect("it prefetches");
    assert_eq!(u64::from(blocks), pauses.blocks);
    assert!(blocks > 1000, "{blocks}");
}

#[test]
fn tokens_computed_again_add_up_over_time() {
    let mut scenario = preset("the-pause", 60.0);
    scenario.cluster.pools[0].kv.cpu_blocks = 0;
    let run = start_to_end(&scenario);
    let found = rows(&run);
    assert_eq!(found.again.last().map(|step| step.tokens), Some(found.again_tokens));
    assert!(found.again.is_sorted_by_key(|step| step.tokens) && found.again.len() > 20);
    // Of a part of the run there is the same sum at each instant.
    let query = SessionsQuery { from_us: 30_000_000, to_us: 50_000_000, request: None };
    let part = run.sessions(&query).again;
    assert!(part.iter().filter(|step| step.at_us < 30_000_000).count() == 1, "{part:?}");
    let upto = |at: u64| found.again.iter().take_while(|step| step.at_us <= at).last().copied();
    let last = part.last().expect("steps");
    assert!(last.at_us <= 50_000_000 && upto(last.at_us).is_some_and(|step| step.tokens <= last.tokens));
}

#[test]
fn more_sessions_than_rows_are_a_map_that_has_them_all() {
    let many = ("/workload/clients/0/arrivals", r#"{"concurrency": {"requests": 150}}"#);
    let run = start_to_end(&paused_with(&[many]));
    let found = rows(&run);
    assert!(found.sessions > 120 && found.rows.is_empty(), "{} sessions", found.sessions);
    let map = found.map.as_ref().expect("a map");
    assert_eq!(map.cells.iter().map(|cell| cell.returns).sum::<u32>(), found.returns);
    assert_eq!(map.cells.iter().map(|cell| cell.again_tokens).sum::<u64>(), found.again_tokens);
    assert_eq!(map.cells.iter().map(|cell| cell.known_tokens).sum::<u64>(), found.known_tokens);
    let most = map.cells.iter().max_by_key(|cell| cell.most_tokens).expect("cells");
    let query = SessionsQuery { request: Some(most.request), ..SessionsQuery::default() };
    let [row] = &run.sessions(&query).rows[..] else { panic!("one row") };
    let turn = row.turns.iter().find(|turn| turn.request == most.request).expect("its turn");
    assert_eq!(turn.again_tokens, Some(most.most_tokens));
    let pause = turn.pause_us.unwrap_or(0);
    let at = most.row as usize;
    assert!(map.edges_us[at] <= pause && pause < map.edges_us[at + 1], "{pause} of {:?}", map.edges_us);
}
