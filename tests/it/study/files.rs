//! Files of studies: a race of real runs survives the journey, and no damage makes the reader panic.

use crate::support::outcomes::{run, scenario};
use serde_json::Map;
use tokenyard::base::json;
use tokenyard::study::file::{StudyEntrant, StudyFile, StudyKind, StudyRow};
use tokenyard::study::sweep::{RaceEntry, RankBy, RunRow, rank};

const SHORT: [(&str, &str); 2] = [("run.horizon_s", "20"), ("run.warmup_s", "5")];
const ROUTERS: [&str; 2] = ["least-loaded", "random"];

/// Two routers with two seeds each.
fn race() -> StudyFile {
    let row = |policy: &str, seed: &str| StudyRow {
        name: policy.to_owned(),
        values: Vec::new(),
        bound: false,
        run: RunRow::new(&run(&scenario(
            "router-showdown",
            &[SHORT[0], SHORT[1], ("cluster.routing", policy), ("seed", seed)],
        ))),
        t_s: vec![0.0],
        ttft_p99_ms: vec![None],
    };
    let rows = ROUTERS.iter().flat_map(|policy| ["3", "4"].map(|seed| row(policy, seed))).collect();
    let entrant = |name: &str| StudyEntrant { name: name.to_owned(), set: Map::new() };
    StudyFile {
        tokenyard_study: 0,
        version: String::new(),
        kind: StudyKind::Race,
        scenario: json::tree(&scenario("router-showdown", &SHORT)),
        seeds: 2,
        by: Some(RankBy::Goodput),
        entrants: ROUTERS.map(entrant).to_vec(),
        bounded: false,
        axis: None,
        varied: Vec::new(),
        beside: None,
        rows,
        digest: String::new(),
    }
}

#[test]
fn the_rows_of_a_file_rank_as_the_runs_did() {
    let study = race();
    let read = StudyFile::read(&study.clone().write()).expect("it was written");
    assert!(read.whole);
    let ranking = |of: &StudyFile| {
        let entries: Vec<RaceEntry> =
            of.rows.iter().map(|row| RaceEntry { name: row.name.clone(), run: row.run.clone() }).collect();
        rank(&entries, &[], RankBy::Goodput, of.seeds)
    };
    let (before, after) = (ranking(&study), ranking(&read.study));
    assert_eq!(before, after);
    assert_eq!((after.places.len(), after.places[1].by_seed.len()), (2, 2));
    assert_eq!(after.work.expect("both are complete").seeds, ["3", "4"]);
}

#[test]
fn a_damaged_file_is_refused_or_noticed() {
    let text = race().write();
    let whole = StudyFile::read(&text).expect("it was written").study;
    for end in (0..text.len()).step_by(97).filter(|end| text.is_char_boundary(*end)) {
        assert!(StudyFile::read(&text[..end]).is_err(), "cut off at {end}");
    }
    for at in (0..text.len()).step_by(61) {
        let mut bytes = text.clone().into_bytes();
        bytes[at] = if bytes[at] == b'7' { b'8' } else { b'7' };
        if let Ok(changed) = String::from_utf8(bytes)
            && let Ok(read) = StudyFile::read(&changed)
        {
            assert!(!read.whole || read.study == whole, "a change at {at} is not noticed");
        }
    }
}
