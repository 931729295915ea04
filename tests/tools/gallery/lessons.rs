//! The cards of lessons: what they are about, how one answers, what the engine says of their claims, and a picture
//! drawn from runs of the lesson's own scenarios.

use super::lesson_pictures::{Of, draw_of, first_scenario};
use super::pictures::{Draw, Picture, draw};
use base::Diagnostics;
use serde::Serialize;
use study::lesson::{Lesson, Question, StepType, StepVerdict};
use ts_rs::TS;

/// A lesson on a card.
#[derive(Clone, Debug, Default, PartialEq, Serialize, TS)]
pub(crate) struct LessonCard {
    /// The name of its file, without the extension.
    pub(crate) name: String,
    /// Its number on the road; 0 for a lesson that is not on it.
    pub(crate) number: u32,
    /// The chapter of the road; empty for a lesson that is not on it.
    pub(crate) chapter: &'static str,
    /// Its title.
    pub(crate) title: String,
    /// What the reader does in it.
    pub(crate) about: String,
    /// How long it takes, in minutes.
    pub(crate) minutes: u32,
    /// How many seeds its runs have.
    pub(crate) seeds: u32,
    /// Its steps.
    pub(crate) steps: Vec<LessonCardStep>,
    /// How the reader answers: `choose`, `draw`, `order`, `number`, each once.
    pub(crate) asks: Vec<&'static str>,
    /// What the runs say of its claims; empty where they were not run.
    pub(crate) claims: Vec<ClaimCount>,
    /// Its picture.
    pub(crate) picture: Picture,
}

/// A step on a card.
#[derive(Clone, Debug, Default, PartialEq, Serialize, TS)]
pub(crate) struct LessonCardStep {
    /// What it is about.
    pub(crate) kind: StepType,
    /// Its title.
    pub(crate) title: String,
}

/// In how many seeds a claim holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, TS)]
pub(crate) struct ClaimCount {
    /// In how many it holds.
    pub(crate) held: u32,
    /// Of how many.
    pub(crate) of: u32,
    /// Whether these are as many as the claim says.
    pub(crate) holds: bool,
}

const ONE: &str = "One replica";
const MEMORY: &str = "Memory and routing";
const SHARING: &str = "Sharing and scale";
const BEYOND: &str = "KV beyond the GPU";

/// The lessons of the road in order: name, chapter, picture.
const ROAD: &[(&str, &str, Of)] = &[
    (
        "prefill-and-decode",
        ONE,
        Of::Run(
            "long_prompt",
            Draw::Lives { from: 2, every: 1, count: 4, seconds: [3.5, 8.5], caption: "four requests" },
        ),
    ),
    (
        "batching",
        ONE,
        Of::StepTimes { of: &["one", "b64", "b256", "b512"], until_s: 20.0, caption: "step time, ms" },
    ),
    (
        "the-knee",
        ONE,
        Of::Load {
            of: "counter",
            factors: &[0.2, 0.5, 1.0, 1.2, 1.4, 1.6, 1.7, 1.8, 1.85, 1.9],
            caption: "TTFT p99",
            range: "10 – 95 % busy",
        },
    ),
    (
        "variance",
        ONE,
        Of::Waiting {
            of: &[("mixed", "mixed", false), ("equal", "equal", true)],
            seconds: [20.0, 80.0],
            caption: "waiting, same mean length",
        },
    ),
    (
        "paged-kv",
        MEMORY,
        Of::Run("tight", Draw::Blocks { replica: 0, seconds: [0.0, 60.0], caption: "KV blocks in use" }),
    ),
    (
        "prefix-caching",
        MEMORY,
        Of::Two {
            of: [("none", "no cache"), ("large", "cached")],
            latency: "ttft_us",
            seconds: [40.0, 120.0],
            caption: "% of turns by TTFT",
        },
    ),
    (
        "routing",
        MEMORY,
        Of::Longest {
            of: &[
                ("random", "random"),
                ("turns", "round robin"),
                ("two", "two choices"),
                ("least", "least loaded"),
            ],
            seconds: [15.0, 100.0],
            caption: "longest queue",
        },
    ),
    (
        "affinity-and-balance",
        MEMORY,
        Of::Run("prefix", Draw::Queues { seconds: [15.0, 60.0], caption: "waiting on eight replicas" }),
    ),
    (
        "chunked-prefill",
        SHARING,
        Of::Steps {
            of: ["whole", "cut"],
            from_s: 30.0,
            length_s: 2.0,
            caption: "steps, prompts whole and cut",
        },
    ),
    (
        "priorities",
        SHARING,
        Of::Run(
            "ranked",
            Draw::Dots {
                of: "ttft_us",
                client: "",
                seconds: [10.0, 100.0],
                caption: "TTFT, urgent and patient",
            },
        ),
    ),
    (
        "autoscaling",
        SHARING,
        Of::Run(
            "slow",
            Draw::Rates {
                seconds: [90.0, 300.0],
                caption: "requests per second",
                lines: &[("arrived", true), ("in time", false)],
            },
        ),
    ),
    (
        "prefill-apart-from-decode",
        SHARING,
        Of::Two {
            of: [("together", "together"), ("decodes", "apart")],
            latency: "tpot_us",
            seconds: [10.0, 70.0],
            caption: "% of requests by TPOT",
        },
    ),
    (
        "more-cache-lower-hit-rate",
        BEYOND,
        Of::Two {
            of: [("disk", "with a disk"), ("large", "without")],
            latency: "ttft_us",
            seconds: [60.0, 180.0],
            caption: "% of requests by TTFT",
        },
    ),
    (
        "eight-small-caches-or-one-store",
        BEYOND,
        Of::Two {
            of: [("small", "eight caches"), ("store", "one store")],
            latency: "ttft_us",
            seconds: [30.0, 90.0],
            caption: "% of requests by TTFT",
        },
    ),
];

/// The card of a lesson without what the runs say of its claims.
pub(crate) fn card_of_lesson(name: &str, lesson: &Lesson) -> Result<LessonCard, Diagnostics> {
    let place = ROAD.iter().position(|(known, ..)| *known == name);
    let (chapter, of) = place.map_or(("", &Of::First), |at| (ROAD[at].1, &ROAD[at].2));
    let picture = match of {
        Of::First => of_first(lesson)?,
        of => draw_of(lesson, of)?,
    };
    let mut asks: Vec<&'static str> = Vec::new();
    for question in lesson.steps.iter().filter_map(|step| step.ask.as_ref()) {
        let how = match question {
            Question::Choose(_) => "choose",
            Question::Order(_) => "order",
            Question::Number(_) => "number",
            Question::Draw(_) => "draw",
        };
        if !asks.contains(&how) {
            asks.push(how);
        }
    }
    Ok(LessonCard {
        name: name.to_owned(),
        number: place.map_or(0, |at| at as u32 + 1),
        chapter,
        title: lesson.title.clone(),
        about: lesson.about.clone(),
        minutes: lesson.minutes,
        seeds: lesson.seed_count(),
        steps: lesson
            .steps
            .iter()
            .map(|step| LessonCardStep { kind: step.kind, title: step.title.clone() })
            .collect(),
        asks,
        claims: Vec::new(),
        picture,
    })
}

impl LessonCard {
    /// Adds what the runs of a step say of its claims.
    pub(crate) fn count(&mut self, verdict: &StepVerdict) {
        let counts = verdict.claims.iter().map(|claim| ClaimCount {
            held: claim.held,
            of: claim.value.values.len() as u32,
            holds: claim.holds,
        });
        self.claims.extend(counts);
    }
}

/// TTFT of each request in the first scenario that the lesson opens.
fn of_first(lesson: &Lesson) -> Result<Picture, Diagnostics> {
    const MOST_S: f64 = 60.0;
    let Some(scenario) = first_scenario(lesson)? else { return Ok(Picture::default()) };
    let end_s = scenario.run.horizon_s;
    let until_s = if end_s > 0.0 { end_s.min(MOST_S) } else { MOST_S };
    let caption = "TTFT of each request";
    draw(&scenario, Draw::Dots { of: "ttft_us", client: "", seconds: [0.0, until_s], caption })
}
