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
