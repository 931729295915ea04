//! Lessons: what a document may say, what the runs of a step show, and the claims of the lessons in `lessons/`.

use serde_json::{Value, json};
use tokenyard::session::Session;
use tokenyard::study::lesson::{CaseFigures, Guess, Lesson, StepVerdict};

fn lesson(steps: &Value) -> Value {
    json!({
        "lesson": 1, "title": "A title", "about": "What one does", "audience": "Anyone", "minutes": 3, "seeds": 3,
        "scenarios": { "shop": { "preset": "chat-4xh100", "set": { "run.horizon_s": 20, "run.warmup_s": 5, "edits": [] } } },
        "runs": { "calm": { "scenario": "shop", "set": { "traffic": 0.5 } }, "busy": { "scenario": "shop" } },
        "steps": steps
    })
}

fn step(more: &Value) -> Value {
    let mut step = json!({ "kind": "see", "title": "A step", "text": "Words." });
    let fields = step.as_object_mut().expect("an object");
    fields.extend(more.as_object().expect("fields").clone());
    json!([step])
}

fn read(more: &Value) -> Lesson {
    Lesson::read(lesson(&step(more))).unwrap_or_else(|all| panic!("{all:?}"))
}

/// The problems of a lesson with one step, as `path: found; allowed; fix`.
fn problems(more: &Value) -> Vec<String> {
    let all = Lesson::read(lesson(&step(more))).expect_err("a problem");
    all.iter().map(ToString::to_string).collect()
}

fn figures(run: &str, seed: u32, values: &[f64]) -> CaseFigures {
    CaseFigures { run: run.to_owned(), seed, values: values.iter().map(|x| Some(*x)).collect() }
}

fn judge(lesson: &Lesson, ended: &[CaseFigures], guess: Option<&Guess>) -> StepVerdict {
    lesson.judge(0, ended, guess).unwrap_or_else(|all| panic!("{all:?}"))
}

fn near(a: Option<f64>, b: f64) -> bool {
    a.is_some_and(|a| (a - b).abs() < 1e-9)
}

#[test]
fn a_claim_holds_where_it_holds_in_as_many_seeds_as_it_must() {
    let claim =
        json!({ "says": "Twice", "value": "busy.run.events / calm.run.events", "above": 2, "holds_in": 2 });
    let lesson = read(&json!({ "claims": [claim] }));
    let run = |name: &str, values: [f64; 3]| {
        (0..3).map(|k| figures(name, k, &[values[k as usize]])).collect::<Vec<_>>()
    };
    // Ratios 3, 2.5 and 1.5.
    let ended = [run("busy", [30.0, 25.0, 15.0]), run("calm", [10.0; 3])].concat();
    let verdict = judge(&lesson, &ended, None);
    let claim = &verdict.claims[0];
    assert_eq!((verdict.seeds, verdict.of, claim.held, claim.needed, claim.holds), (3, 3, 2, 2, true));
    assert_eq!((claim.worst, near(Some(claim.missed_by), 0.5)), (Some(2), true));
    // The mean of 3, 2.5 and 1.5 is 7/3; s² = (4 + 1/4 + 25/4) / 9 / 2 ... = 7/12, t = 4.3027.
    assert!(near(claim.value.mean, 7.0 / 3.0));
    let half = 4.302_652_729_911_275 * (7.0_f64 / 12.0 / 3.0).sqrt();
    assert!((claim.value.hi.expect("an end") - (7.0 / 3.0 + half)).abs() < 1e-3, "{:?}", claim.value);
    // With a seed missing nothing holds yet.
    let verdict = judge(&lesson, &ended[..5], None);
    assert_eq!((verdict.seeds, verdict.claims[0].holds), (2, false));
}

#[test]
fn a_bound_that_is_just_met_is_missed_and_a_missing_value_is_too() {
    let claim = json!({ "says": "Above", "value": "busy.run.events", "above": 10, "below": 20 });
    let lesson = read(&json!({ "claims": [claim] }));
    let ended: Vec<CaseFigures> =
        [10.0, 20.0, 15.0].iter().zip(0..).map(|(x, k)| figures("busy", k, &[*x])).collect();
    let claim = &judge(&lesson, &ended, None).claims[0];
    assert_eq!((claim.held, claim.needed, claim.holds, claim.worst), (1, 3, false, Some(0)));
    let none = CaseFigures { run: "busy".to_owned(), seed: 1, values: vec![None] };
    let claim = &judge(&lesson, &[none], None).claims[0];
    assert_eq!((claim.held, claim.value.mean), (0, None));
}

#[test]
fn the_engine_answers_questions_of_each_kind() {
    let item = |label: &str, value: &str| json!({ "label": label, "value": value });
    let order = json!({ "question": "Which first?", "items": [item("a", "busy.run.events"), item("b", "calm.run.events"), item("c", "calm.run.clock_us")] });
    let lesson = read(&json!({ "kind": "predict", "ask": { "order": order } }));
    let ended = [figures("busy", 0, &[30.0]), figures("calm", 0, &[5.0, 10.0])];
    // Paths are in order of their names: clock_us, then events.
    let verdict = judge(&lesson, &ended, Some(&Guess::Order(vec![2, 0, 1])));
    assert_eq!(verdict.order, [2, 1, 0]);
    let guess = verdict.guess.expect("a guess");
    assert_eq!((guess.right, guess.in_place), (Some(false), 1));

    let answer = |right: &str| json!({ "text": "It is", "right": right });
    let choose = json!({ "question": "Which?", "answers": [answer("busy.run.events <= calm.run.events"), answer("busy.run.events > calm.run.events")] });
    let lesson = read(&json!({ "kind": "predict", "ask": { "choose": choose } }));
    let ended = [figures("busy", 0, &[30.0]), figures("calm", 0, &[10.0])];
    let verdict = judge(&lesson, &ended, Some(&Guess::Choose(0)));
    assert_eq!((verdict.right, verdict.guess.and_then(|g| g.right)), (Some(1), Some(false)));
    assert_eq!(
        judge(&lesson, &[], Some(&Guess::Choose(0))).guess,
        None,
        "nothing is said before a seed has run"
    );

    let number =
        json!({ "question": "How much?", "value": "busy.run.events", "from": 1, "to": 100, "within": 0.2 });
    let lesson = read(&json!({ "kind": "predict", "ask": { "number": number } }));
    let guessed =
        |x: f64| judge(&lesson, &[figures("busy", 0, &[30.0])], Some(&Guess::Number(x))).guess.expect("one");
    assert_eq!((guessed(25.0).right, near(guessed(25.0).factor, 1.2)), (Some(true), true));
    assert_eq!(guessed(20.0).right, Some(false));
}

#[test]
fn a_curve_has_points_a_knee_and_the_place_where_a_guess_is_farthest() {
    let axis = |label: &str| json!({ "label": label, "from": 0, "to": 10 });
    let draw = json!({
        "question": "Draw it", "run": "busy", "path": "traffic", "values": [1, 2, 3, 4],
        "x": axis("load"), "y": axis("wait"), "value": "run.run.events", "knee": 5
    });
    let lesson = read(&json!({ "kind": "predict", "ask": { "draw": draw } }));
    assert_eq!(lesson.cases(0).expect("cases").len(), 4 * 3);
    let ended: Vec<CaseFigures> =
        [10.0, 12.0, 20.0, 40.0].iter().zip(0..).map(|(y, k)| figures(&format!("x{k}"), 0, &[*y])).collect();
    let guess = Guess::Draw(vec![[0.0, 10.0], [3.0, 10.0], [4.0, 20.0]]);
    let verdict = judge(&lesson, &ended, Some(&guess));
    let curve = verdict.curve.expect("a curve");
    // Slopes 2 at 1.5 and 8 at 2.5: 5 lies in the middle.
    assert!(near(curve.knee, 2.0), "{:?}", curve.knee);
    let guess = verdict.guess.expect("a guess");
    let factors: Vec<Option<f64>> = guess.rows.iter().map(|row| row.factor).collect();
    assert_eq!(factors, [Some(1.0), Some(1.2), Some(2.0), Some(2.0)]);
    assert_eq!((guess.factor, guess.right), (Some(2.0), Some(false)));
}

#[test]
fn every_problem_names_its_path() {
    let all = Lesson::read(json!({ "lesson": 2, "minutes": 0, "steps": [], "sceanrios": {} }))
        .expect_err("problems");
    let said: Vec<String> = all.iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|p| p.contains("sceanrios") && p.contains("scenarios")), "{said:?}");
    let all = Lesson::read(json!({ "lesson": 2, "minutes": 0, "steps": [] })).expect_err("problems");
    let paths: Vec<&str> = all.iter().map(|d| d.path.as_str()).collect();
    assert_eq!(paths, ["lesson", "title", "about", "audience", "minutes", "steps"]);

    let said = |more: &Value| problems(more).join("\n");
    let claim = |value: &str| json!({ "claims": [{ "says": "So", "value": value, "above": 1 }] });
    let unknown = said(&claim("bussy.run.events"));
    assert!(
        unknown.contains("steps[0].claims[0].value") && unknown.contains("did you mean `busy`?"),
        "{unknown}"
    );
    assert!(said(&claim("busy")).contains("name a figure of it"));
    assert!(said(&claim("busy.run.events +")).contains("the end of the text at character 18"));
    assert!(said(&claim("busy.run.events > 2")).contains("a condition (yes or no)"));
    assert!(said(&json!({ "claims": [{ "says": "So", "value": "busy.run.events" }] })).contains("no bound"));
    assert!(said(&json!({ "text": "It is {p99}." })).contains("steps[0].text"));
    assert!(said(&json!({ "text": vec!["word"; 121].join(" ") })).contains("121 words"));
    assert!(said(&json!({ "look": [{ "at": "somewhere", "says": "" }] })).contains("steps[0].look[0].at"));
    let task = json!({ "task": { "goal": "Go", "done": "Done", "until": "frame.counts.waiting" } });
    assert!(said(&task).contains("steps[0].task.until"));
    let task = json!({ "task": { "goal": "Go", "done": "Done", "until": "busy.run.events > 1" } });
    assert!(said(&task).contains("report, frame, scenario"));
    assert!(said(&json!({ "open": "shpo;t=5" })).contains("did you mean `shop`?"));
    assert!(said(&json!({ "open": "shop;cluster.pools[0].replicsa=2" })).contains("steps[0].open"));
    assert!(said(&json!({ "open": "shop;t=-5" })).contains("steps[0].open: t"));
}

#[test]
fn a_step_opens_its_scenario_at_its_instant() {
    let lesson = read(
        &json!({ "open": "shop;cluster.routing=random;t=12;charts=queue-depth;closeup=lanes,replica:0" }),
    );
    let opened = lesson.open_step(0).expect("a step");
    let (session, _) = Session::load(&opened.scenario.expect("a scenario"), None).expect("it loads");
    assert_eq!(serde_json::to_value(session.scenario().cluster.routing).expect("json"), json!("random"));
    assert_eq!(
        (opened.view.at_us, opened.view.charts.join(",")),
        (Some(12_000_000), "queue-depth".to_owned())
    );
    assert_eq!(read(&json!({})).open_step(0).expect("a step").scenario, None);
}

#[test]
fn seeds_differ_and_begin_with_that_of_the_scenario() {
    let claim = json!({ "says": "So", "value": "busy.run.events / calm.run.events", "above": 1 });
    let cases = read(&json!({ "claims": [claim] })).cases(0).expect("cases");
    let seed = |k: usize| serde_json::from_str::<Value>(&cases[k].scenario).expect("json")["seed"].clone();
    let order: Vec<(&str, u32)> = cases.iter().map(|case| (case.run.as_str(), case.seed)).collect();
    assert_eq!(order, [("busy", 0), ("calm", 0), ("busy", 1), ("calm", 1), ("busy", 2), ("calm", 2)]);
    assert_eq!([seed(0), seed(1), seed(2), seed(5)], [json!(42), json!(42), json!(43), json!(44)]);
    assert_eq!(cases[0].paths, ["report.run.events"]);
}
