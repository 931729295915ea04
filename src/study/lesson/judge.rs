//! What the runs of a step show: whether its claims hold, the engine's answer to its question, and how far a guess was
//! from it. Judged on the seeds that are there: the page shows it while further ones run.

use super::runs::is_live;
use super::{CaseFigures, DrawQuestion, Lesson, LessonClaim, Question};
use base::Diagnostics;
use base::stats::{UNBOUNDED, mean_interval};
use run::session::figures::{Figure, Gives};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the runs of a step show.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StepVerdict {
    /// How many seeds have run completely.
    pub seeds: u32,
    /// How many there are.
    pub of: u32,
    /// Its claims, in order.
    pub claims: Vec<ClaimVerdict>,
    /// The figures of its text that rest on the runs.
    pub figures: BTreeMap<String, FigureVerdict>,
    /// The curve of its question.
    pub curve: Option<CurveVerdict>,
    /// The engine's answer to a question for a number.
    pub number: Option<FigureVerdict>,
    /// The engine's order, as numbers of the items.
    pub order: Vec<u32>,
    /// The values of the items, in their own order.
    pub items: Vec<FigureVerdict>,
    /// The right answer of a question with several, by number; null until a seed has run.
    pub right: Option<u32>,
    /// What became of the guess.
    pub guess: Option<GuessVerdict>,
}

/// A value over seeds.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FigureVerdict {
    /// The mean over the seeds that have one.
    pub mean: Option<f64>,
    /// Lower end of its 95 % interval; null for fewer than two seeds.
    pub lo: Option<f64>,
    /// Upper end.
    pub hi: Option<f64>,
    /// Its value with each seed, in order.
    pub values: Vec<Option<f64>>,
}

/// A claim and what the runs say of it.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ClaimVerdict {
    /// Its value.
    pub value: FigureVerdict,
    /// In how many seeds it holds.
    pub held: u32,
    /// In how many it must.
    pub needed: u32,
    /// Whether it holds in as many as it must, all seeds having run.
    pub holds: bool,
    /// By how much it is missed at worst: the distance of the worst seed from the bound, 0 if it holds in all.
    pub missed_by: f64,
    /// The worst seed by number, where it does not hold in all.
    pub worst: Option<u32>,
}

/// A curve over seeds.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CurveVerdict {
    /// Its points, in order.
    pub points: Vec<CurvePoint>,
    /// Where it becomes steeper than the slope of the knee, on the horizontal axis; null if nowhere.
    pub knee: Option<f64>,
}

/// A point of a curve.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CurvePoint {
    /// On the horizontal axis.
    pub x: f64,
    /// On the vertical axis.
    pub y: FigureVerdict,
}

/// The reader's answer to a question.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guess {
    /// The number of an answer.
    Choose(u32),
    /// The numbers of the items in the reader's order.
    Order(Vec<u32>),
    /// A number.
    Number(f64),
    /// Points of a curve, by their horizontal place.
    Draw(Vec<[f64; 2]>),
}

/// What became of a guess.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GuessVerdict {
    /// Whether it was right: for a number and a curve, whether it was within the question's share, or 25 %, everywhere.
    pub right: Option<bool>,
    /// For a number or a curve: engine by guess, of a curve where the two differ most.
    pub factor: Option<f64>,
    /// For an order: how many of the items stand where they belong.
    pub in_place: u32,
    /// For a curve: guess and engine at each point.
    pub rows: Vec<GuessRow>,
}

/// Guess and engine at a point of a curve.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GuessRow {
    /// On the horizontal axis.
    pub x: f64,
    /// The guess; null where nothing was drawn.
    pub guess: Option<f64>,
    /// The engine's mean.
    pub engine: Option<f64>,
    /// Lower end of its 95 % interval.
    pub lo: Option<f64>,
    /// Upper end.
    pub hi: Option<f64>,
    /// Engine by guess.
    pub factor: Option<f64>,
}

/// How near a curve must be, as a share of the engine's values.
const NEAR: f64 = 0.25;

/// The values of runs by run, path and seed.
struct Values {
    /// By run and path: one value a seed.
    by_name: BTreeMap<String, Vec<Option<f64>>>,
    seeds: u32,
    of: u32,
}

impl Values {
    fn at(&self, name: &str, seed: u32) -> Option<f64> {
        *self.by_name.get(name)?.get(seed as usize)?
    }

    /// The value of an expression over the seeds.
    fn of(&self, figure: &Figure) -> FigureVerdict {
        let of_seed = |seed| figure.value(&|path| self.at(path, seed));
        over((0..self.of).map(of_seed).collect())
    }
}

/// A value over seeds.
fn over(values: Vec<Option<f64>>) -> FigureVerdict {
    let known: Vec<f64> = values.iter().flatten().copied().collect();
    let between = mean_interval(&known, UNBOUNDED);
    let mean = between.map(|i| i.value).or(known.first().copied());
    FigureVerdict { mean, lo: between.map(|i| i.lo), hi: between.map(|i| i.hi), values }
}

impl Lesson {
    /// What the runs of a step that have ended show, and what became of a guess.
    pub fn judge(
        &self,
        step: usize,
        ended: &[CaseFigures],
        guess: Option<&Guess>,
    ) -> Result<StepVerdict, Diagnostics> {
        let values = self.values(step, ended)?;
        let roots = self.run_names();
        let read = |place: &str, text: &str, gives| {
            Figure::read(&format!("steps[{step}].{place}"), text, &roots, gives)
        };
        let number =
            |place: &str, text: &str| read(place, text, Gives::Number).map(|figure| values.of(&figure));
        let asked = &self.steps[step];
        let mut verdict = StepVerdict { seeds: values.seeds, of: values.of, ..StepVerdict::default() };
        for claim in &asked.claims {
            verdict.claims.push(judged(claim, number("claims", &claim.value)?, values.seeds, values.of));
        }
        for (name, figure) in asked.figures.iter().filter(|(_, figure)| !is_live(&figure.value)) {
            verdict.figures.insert(name.clone(), number("figures", &figure.value)?);
        }
        match &asked.ask {
            Some(Question::Choose(ask)) => {
                let mut most = 0.0;
                for (k, answer) in ask.answers.iter().enumerate() {
                    let holds = values.of(&read("ask", &answer.right, Gives::Condition)?).mean.unwrap_or(0.0);
                    // The answer whose condition holds in most seeds, and in more than half of them.
                    if holds > most && holds > 0.5 {
                        (most, verdict.right) = (holds, Some(k as u32));
                    }
                }
            }
            Some(Question::Order(ask)) => {
                for item in &ask.items {
                    verdict.items.push(number("ask", &item.value)?);
                }
                verdict.order = order(&verdict.items);
            }
            Some(Question::Number(ask)) => verdict.number = Some(number("ask", &ask.value)?),
            Some(Question::Draw(ask)) => verdict.curve = Some(curve(ask, &values, step)?),
            None => {}
        }
        verdict.guess =
            guess.filter(|_| values.seeds > 0).and_then(|guess| self.guessed(step, guess, &verdict));
        Ok(verdict)
    }

    fn values(&self, step: usize, ended: &[CaseFigures]) -> Result<Values, Diagnostics> {
        let (paths, of) = (self.paths(step)?, self.seed_count());
        let mut by_name: BTreeMap<String, Vec<Option<f64>>> = BTreeMap::new();
        let mut done = vec![0; of as usize];
        for case in ended.iter().filter(|case| case.seed < of) {
            let Some(of_run) = paths.get(&case.run) else { continue };
            done[case.seed as usize] += 1;
            for (path, value) in of_run.iter().zip(&case.values) {
                let name = format!("{}.{path}", case.run);
                by_name.entry(name).or_insert_with(|| vec![None; of as usize])[case.seed as usize] = *value;
            }
        }
        let seeds = done.iter().filter(|&&n| n >= paths.len()).count() as u32;
        Ok(Values { by_name, seeds, of })
    }

    fn guessed(&self, step: usize, guess: &Guess, verdict: &StepVerdict) -> Option<GuessVerdict> {
        match (guess, self.steps[step].ask.as_ref()?) {
            (Guess::Choose(chosen), Question::Choose(_)) => {
                let right = verdict.right.map(|right| right == *chosen);
                Some(GuessVerdict { right, ..GuessVerdict::default() })
            }
            (Guess::Order(order), Question::Order(_)) => {
                let in_place = order.iter().zip(&verdict.order).filter(|(a, b)| a == b).count();
                let right = Some(in_place == verdict.order.len());
                Some(GuessVerdict { right, in_place: in_place as u32, ..GuessVerdict::default() })
            }
            (Guess::Number(x), Question::Number(ask)) => {
                let engine = verdict.number.as_ref()?.mean;
                let factor = by(engine, Some(*x));
                let right = engine.map(|engine| (engine - x).abs() <= ask.within * engine.abs());
                Some(GuessVerdict { right, factor, ..GuessVerdict::default() })
            }
            (Guess::Draw(points), Question::Draw(_)) => Some(drawn(points, verdict.curve.as_ref()?)),
            (Guess::Choose(_) | Guess::Order(_) | Guess::Number(_) | Guess::Draw(_), _) => None,
        }
    }
}

/// Engine by guess.
fn by(engine: Option<f64>, guess: Option<f64>) -> Option<f64> {
    Some(engine? / guess.filter(|x| *x > 0.0)?)
}

fn judged(claim: &LessonClaim, value: FigureVerdict, seeds: u32, of: u32) -> ClaimVerdict {
    let miss = |x: Option<f64>| match x {
        None => f64::MAX,
        Some(x) => {
            let above = claim
                .above
                .map_or(0.0, |bound| if x > bound { 0.0 } else { (bound - x).max(f64::MIN_POSITIVE) });
            let below = claim
                .below
                .map_or(0.0, |bound| if x < bound { 0.0 } else { (x - bound).max(f64::MIN_POSITIVE) });
            above.max(below)
        }
    };
    let (mut held, mut missed_by, mut worst) = (0, 0.0, None);
    for (seed, x) in value.values.iter().enumerate() {
        let missed = miss(*x);
        held += u32::from(missed <= 0.0);
        if missed > missed_by {
            (missed_by, worst) = (missed, Some(seed as u32));
        }
    }
    let needed = if claim.holds_in == 0 { of } else { claim.holds_in };
    ClaimVerdict { value, held, needed, holds: seeds == of && held >= needed, missed_by, worst }
}

/// The numbers of the items, the smallest mean first; without one last.
fn order(items: &[FigureVerdict]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..items.len() as u32).collect();
    let mean = |k: &u32| items[*k as usize].mean.unwrap_or(f64::INFINITY);
    order.sort_by(|a, b| mean(a).total_cmp(&mean(b)));
    order
}

fn curve(ask: &DrawQuestion, values: &Values, step: usize) -> Result<CurveVerdict, Diagnostics> {
    let figure = Figure::read(&format!("steps[{step}].ask.draw.value"), &ask.value, &["run"], Gives::Number)?;
    let point = |(k, x): (usize, &f64)| {
        let at = |path: &str, seed| values.at(&format!("x{k}.{}", path.split_once('.')?.1), seed);
        let of_seed = |seed| figure.value(&|path| at(path, seed));
        CurvePoint { x: *x, y: over((0..values.of).map(of_seed).collect()) }
    };
    let points: Vec<CurvePoint> = ask.values.iter().enumerate().map(point).collect();
    let knee = (ask.knee > 0.0).then(|| knee(&points, ask.knee)).flatten();
    Ok(CurveVerdict { points, knee })
}

/// Where a curve becomes steeper than `slope`: its slope in the middle between two points, and straight between.
fn knee(points: &[CurvePoint], slope: f64) -> Option<f64> {
    let known: Vec<[f64; 2]> = points.iter().filter_map(|p| Some([p.x, p.y.mean?])).collect();
    let slopes: Vec<[f64; 2]> = known
        .windows(2)
        .map(|pair| {
            [f64::midpoint(pair[0][0], pair[1][0]), (pair[1][1] - pair[0][1]) / (pair[1][0] - pair[0][0])]
        })
        .collect();
    let first = slopes.iter().position(|[_, steep]| *steep > slope)?;
    let Some(before) = first.checked_sub(1).map(|k| slopes[k]) else { return Some(known[0][0]) };
    let [x, steep] = slopes[first];
    Some(before[0] + (x - before[0]) * (slope - before[1]) / (steep - before[1]))
}

/// A drawn curve beside the engine's.
fn drawn(points: &[[f64; 2]], curve: &CurveVerdict) -> GuessVerdict {
    let row = |point: &CurvePoint| {
        let (guess, engine) = (between(points, point.x), point.y.mean);
        GuessRow { x: point.x, guess, engine, lo: point.y.lo, hi: point.y.hi, factor: by(engine, guess) }
    };
    let rows: Vec<GuessRow> = curve.points.iter().map(row).collect();
    let away = |factor: f64| if factor > 1.0 { factor } else { 1.0 / factor };
    let farthest = rows.iter().filter_map(|row| row.factor.filter(|f| *f > 0.0));
    let factor = farthest.fold(None, |most: Option<f64>, f| match most {
        Some(before) if away(before) >= away(f) => most,
        _ => Some(f),
    });
    let near = |row: &GuessRow| match (row.guess, row.engine) {
        (Some(guess), Some(engine)) => (guess - engine).abs() <= NEAR * engine.abs(),
        (None, _) | (_, None) => false,
    };
    let right = Some(rows.iter().filter(|row| row.engine.is_some()).all(near));
    GuessVerdict { right, factor, in_place: 0, rows }
}

/// The height of a drawn line at `x`, straight between its points.
fn between(points: &[[f64; 2]], x: f64) -> Option<f64> {
    let after = points.iter().position(|p| p[0] >= x)?;
    let b = points[after];
    let Some(a) = after.checked_sub(1).map(|k| points[k]) else { return (b[0] <= x).then_some(b[1]) };
    Some(a[1] + (b[1] - a[1]) * (x - a[0]) / (b[0] - a[0]).max(f64::MIN_POSITIVE))
}
