//! What the view of sessions says of turns and pauses is what the report sums up.

use crate::support::{at, preset, start};
use tokenyard::base::Micros;
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
    assert_eq!(found.more, 0);
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

fn start_to_end(scenario: &tokenyard::scenario::Scenario) -> Session {
    let mut run = start(scenario);
    run.advance(Micros::MAX, u64::MAX);
    run
}

#[test]
fn a_window_has_the_turns_that_are_in_it() {
    let run = at(&preset("the-pause", 60.0), 40_000_000);
    let query = SessionsQuery { from_us: 10_000_000, to_us: 20_000_000 };
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
