//! Ratios of prefill to decode replicas: the ways to divide the GPUs of a scenario between the two roles, and the
//! scenario of each.
//!
//! The GPUs stay the same. With replicas of equal size so does the number of replicas; otherwise each number of the
//! larger replicas leaves the rest to the smaller ones, and a few GPUs may be unused, which the case says.

use base::{Diagnostic, Diagnostics};
use document::{Pool, Role, ScalingPolicy, Scenario, limits};
use engine::perf::gpus;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The name for the replicas that prefill and those that decode, together as many GPUs as the scenario has: its values
/// are ratios such as 2:6, or mixed.
pub(super) const RATIO: &str = "ratio";

/// How the replicas are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ratio {
    /// All of them prefill and decode their own requests.
    Mixed,
    /// Some prefill and the others decode.
    Apart {
        /// Prefill replicas.
        prefill: u32,
        /// Decode replicas.
        decode: u32,
    },
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mixed => f.write_str("mixed"),
            Self::Apart { prefill, decode } => write!(f, "{prefill}:{decode}"),
        }
    }
}

impl Ratio {
    /// Reads `2:6` or `mixed`.
    pub fn parse(text: &str) -> Result<Self, Diagnostic> {
        let text = text.trim();
        let read = || {
            if text == "mixed" {
                return Some(Self::Mixed);
            }
            let (prefill, decode) = text.split_once(':')?;
            let count = |n: &str| n.trim().parse().ok().filter(|n| (1..=limits::REPLICAS).contains(n));
            Some(Self::Apart { prefill: count(prefill)?, decode: count(decode)? })
        };
        read().ok_or_else(|| {
            let found: String = text.chars().take(40).collect();
            let fix = "such as 2:6, two prefill and six decode replicas";
            Diagnostic::error(RATIO, found, "PREFILL:DECODE, both at least 1, or mixed", fix)
        })
    }

    /// Reads `1:7,2:6,mixed` or `1:7..7:1`, which is every ratio between two of the same number of replicas.
    pub fn list(text: &str) -> Result<Vec<Self>, Diagnostic> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        let mut all = Vec::new();
        for part in parts {
            match part.split_once("..") {
                Some((first, last)) => all.extend(between(Self::parse(first)?, Self::parse(last)?, part)?),
                None => all.push(Self::parse(part)?),
            }
            if all.len() > limits::VARIED_VALUES {
                let allowed = format!("at most {} ratios", limits::VARIED_VALUES);
                return Err(Diagnostic::error(RATIO, "more ratios", allowed, "vary fewer ratios"));
            }
        }
        Ok(all)
    }
}

/// The ratios from one to another.
fn between(first: Ratio, last: Ratio, text: &str) -> Result<Vec<Ratio>, Diagnostic> {
    let (Ratio::Apart { prefill: a, decode: b }, Ratio::Apart { prefill: c, decode: d }) = (first, last)
    else {
        return Err(unequal(text));
    };
    if a + b != c + d {
        return Err(unequal(text));
    }
    let of = |prefill: u32| Ratio::Apart { prefill, decode: a + b - prefill };
    Ok(if a <= c { (a..=c).map(of).collect() } else { (c..=a).rev().map(of).collect() })
}

fn unequal(text: &str) -> Diagnostic {
    let found: String = text.chars().take(40).collect();
    let fix = "such as 1:7..7:1; give ratios of different sums one by one";
    Diagnostic::error(RATIO, found, "two ratios with the same number of replicas", fix)
}

/// A way to divide the replicas, in numbers.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatioCase {
    /// Its name: prefill to decode replicas, such as 2:6, or `mixed`.
    pub ratio: String,
    /// Prefill replicas.
    pub prefill: u32,
    /// Decode replicas.
    pub decode: u32,
    /// Replicas that prefill and decode their own requests.
    pub mixed: u32,
    /// GPUs of all of them.
    pub gpus: u32,
}

/// The ways to divide the GPUs of a scenario.
#[derive(Clone, Debug)]
pub struct Ratios {
    scenario: Scenario,
    /// Pools that the ratio divides the GPUs between; their order in the scenario.
    pools: [Pool; 2],
    /// The pool that does both.
    mixed: Pool,
    gpus: u32,
}

impl Ratios {
    /// The ways to divide a scenario that has one prefill and one decode pool, or one mixed pool. All problems are
    /// reported at once.
    pub fn of(scenario: &Scenario) -> Result<Self, Diagnostics> {
        let pools = &scenario.cluster.pools;
        let found = match pools.as_slice() {
            [pool] if pool.role == Role::Mixed => Some(divided(pool)),
            [a, b] if a.role != b.role && a.role != Role::Mixed && b.role != Role::Mixed => {
                Some(joined(a, b))
            }
            _ => None,
        };
        let mut problems = Diagnostics::new();
        let of_pools = || pools.iter().map(|p| p.role.name()).collect::<Vec<_>>().join(", ");
        let Some((divided, mixed)) = found else {
            let allowed = "one mixed pool, or one prefill and one decode pool";
            let fix = "leave the other pools out: a ratio is of two pools";
            let (count, shown) = (pools.len(), of_pools());
            let shown: String = shown.chars().take(60).collect();
            let found = format!("{count} {}: {shown}", if count == 1 { "pool" } else { "pools" });
            return Err(vec![Diagnostic::error("cluster.pools", found, allowed, fix)]);
        };
        for (i, _) in pools.iter().enumerate().filter(|(_, p)| p.scaling.policy != ScalingPolicy::None) {
            let path = format!("cluster.pools[{i}].scaling.policy");
            let fix = "set it to none: an autoscaler would change the ratio";
            problems.push(Diagnostic::error(path, "an autoscaler", "a fixed number of replicas", fix));
        }
        let of_replicas = |edit: &document::TimedEdit| {
            edit.route.is_some() || edit.change().paths().any(|path| path.starts_with("cluster.pools"))
        };
        for (i, _) in scenario.edits.iter().enumerate().filter(|(_, e)| !e.off && of_replicas(e)) {
            let fix = "leave the edit out: its pool or replica is another one with another ratio";
            problems.push(Diagnostic::error(
                format!("edits[{i}]"),
                "an edit of a pool",
                "edits of other things",
                fix,
            ));
        }
        let gpus = pools.iter().fold(0_u32, |sum, p| sum.saturating_add(p.replicas.saturating_mul(gpus(p))));
        let all = Self { scenario: scenario.clone(), pools: divided, mixed, gpus };
        if all.count() == 0 {
            let least: u32 = all.pools.iter().map(engine::perf::gpus).sum();
            let fix = "add replicas: the ratio needs a prefill and a decode replica at least";
            problems.push(Diagnostic::error(
                "cluster.pools",
                format!("{gpus} GPUs"),
                format!("at least {least} GPUs"),
                fix,
            ));
        }
        if problems.is_empty() { Ok(all) } else { Err(problems) }
    }

    /// GPUs that every way may use.
    pub fn gpus(&self) -> u32 {
        self.gpus
    }

    /// The pools in the order prefill, decode.
    fn by_role(&self) -> [&Pool; 2] {
        let [a, b] = &self.pools;
        if a.role == Role::Prefill { [a, b] } else { [b, a] }
    }

    /// The number of all ratios.
    fn count(&self) -> u32 {
        let [larger, smaller] = self.sizes();
        self.gpus.saturating_sub(smaller) / larger
    }

    /// GPUs of the larger and of the smaller replica.
    fn sizes(&self) -> [u32; 2] {
        let [a, b] = self.by_role().map(gpus);
        [a.max(b), a.min(b)]
    }

    /// The ratio with a number of the larger replicas; of prefill replicas if both are equal.
    fn nth(&self, count: u32) -> Ratio {
        let [larger, smaller] = self.sizes();
        let others = (self.gpus - count * larger) / smaller;
        let [prefill, decode] = self.by_role().map(gpus);
        let (prefill, decode) = if prefill >= decode { (count, others) } else { (others, count) };
        Ratio::Apart { prefill, decode }
    }

    /// All ratios in order of their prefill replicas, or evenly spread ones if they are too many; the mixed way last.
    /// Also the number of those left out.
    pub fn all(&self) -> (Vec<Ratio>, u32) {
        let (count, most) = (self.count(), limits::RATIOS as u32);
        let kept = count.min(most);
        let place = |k: u32| {
            if kept < 2 { 1 } else { 1 + (u64::from(k) * u64::from(count - 1) / u64::from(kept - 1)) as u32 }
        };
        let mut all: Vec<Ratio> = (0..kept).map(|k| self.nth(place(k))).collect();
        let [prefill, decode] = self.by_role().map(gpus);
        if prefill < decode {
            all.reverse();
        }
        all.push(Ratio::Mixed);
        (all, count - kept)
    }

    /// A way in numbers; a problem if it needs more GPUs than there are.
    pub fn case(&self, ratio: Ratio) -> Result<RatioCase, Diagnostic> {
        let sizes = self.by_role().map(|pool| u64::from(gpus(pool)));
        let (prefill, decode, mixed, needed) = match ratio {
            Ratio::Mixed => {
                let size = gpus(&self.mixed);
                (0, 0, self.gpus / size, u64::from(self.gpus / size * size))
            }
            Ratio::Apart { prefill, decode } => {
                (prefill, decode, 0, u64::from(prefill) * sizes[0] + u64::from(decode) * sizes[1])
            }
        };
        if needed > u64::from(self.gpus) {
            let allowed = format!("at most {} GPUs, those of the scenario", self.gpus);
            let fix = "ratios are compared at equal GPUs: use fewer replicas, or give the scenario more";
            return Err(Diagnostic::error(RATIO, format!("{ratio}, {needed} GPUs"), allowed, fix));
        }
        Ok(RatioCase { ratio: ratio.to_string(), prefill, decode, mixed, gpus: needed as u32 })
    }

    /// The scenario of a way.
    pub fn with(&self, ratio: Ratio) -> Result<Scenario, Diagnostics> {
        let case = self.case(ratio).map_err(|problem| vec![problem])?;
        let mut scenario = self.scenario.clone();
        scenario.cluster.pools = match ratio {
            Ratio::Mixed => vec![Pool { replicas: case.mixed, ..self.mixed.clone() }],
            Ratio::Apart { .. } => self.pools.clone().map(|pool| of_role(pool, &case)).to_vec(),
        };
        Ok(scenario)
    }
}

/// A pool with the replicas that a case gives its role.
fn of_role(pool: Pool, case: &RatioCase) -> Pool {
    let replicas = match pool.role {
        Role::Prefill => case.prefill,
        Role::Decode | Role::Mixed => case.decode,
    };
    Pool { replicas, ..pool }
}

/// The two pools that a mixed one is divided into, and itself. It becomes the decode pool, as when the page splits it.
fn divided(pool: &Pool) -> ([Pool; 2], Pool) {
    let decode = Pool { role: Role::Decode, ..pool.clone() };
    let prefill = Pool { name: format!("{}-prefill", pool.name), role: Role::Prefill, ..pool.clone() };
    ([decode, prefill], pool.clone())
}

/// Two pools, and the mixed one in place of both: a replica that answers clients, like the decode replicas.
fn joined(a: &Pool, b: &Pool) -> ([Pool; 2], Pool) {
    let home = if a.role == Role::Decode { a } else { b };
    let mixed = Pool { name: Role::Mixed.name().to_owned(), role: Role::Mixed, ..home.clone() };
    ([a.clone(), b.clone()], mixed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::parse;

    fn ratios(pools: &str) -> Ratios {
        Ratios::of(&parse(&format!(r#"{{"cluster": {{"pools": {pools}}}}}"#)).expect("it reads"))
            .expect("it divides")
    }

    fn names(of: &Ratios) -> Vec<String> {
        of.all().0.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_mixed_pool_is_divided_and_every_ratio_has_all_replicas() {
        let four = ratios(r#"[{"name": "chat", "replicas": 4, "tp": 2}]"#);
        assert_eq!(
            (names(&four), four.gpus()),
            (["1:3", "2:2", "3:1", "mixed"].map(String::from).to_vec(), 8)
        );
        let split = four.with(Ratio::Apart { prefill: 1, decode: 3 }).expect("it fits");
        let shown: Vec<_> =
            split.cluster.pools.iter().map(|p| (p.name.as_str(), p.role, p.replicas, p.tp)).collect();
        assert_eq!(shown, [("chat", Role::Decode, 3, 2), ("chat-prefill", Role::Prefill, 1, 2)]);
        assert_eq!(four.with(Ratio::Mixed).expect("it fits"), four.scenario);
    }

    #[test]
    fn replicas_of_different_sizes_share_the_gpus() {
        // 8 + 2 × 4 = 16 GPUs: each number of decode replicas leaves the rest to prefill.
        let guide =
            ratios(r#"[{"role": "decode", "replicas": 2, "tp": 4}, {"role": "prefill", "replicas": 8}]"#);
        assert_eq!(names(&guide), ["4:3", "8:2", "12:1", "mixed"]);
        let cases: Vec<u32> = guide.all().0.iter().map(|r| guide.case(*r).expect("it fits").gpus).collect();
        assert_eq!(cases, [16; 4]);
        let split = guide.with(Ratio::Apart { prefill: 4, decode: 3 }).expect("it fits").cluster.pools;
        assert_eq!([split[0].replicas, split[1].replicas], [3, 4], "the pools keep their order");
        let mixed = guide.with(Ratio::Mixed).expect("it fits").cluster.pools;
        assert_eq!((mixed.len(), mixed[0].role, mixed[0].replicas, mixed[0].tp), (1, Role::Mixed, 4, 4));
        let odd = ratios(
            r#"[{"role": "prefill", "replicas": 2, "tp": 2}, {"role": "decode", "replicas": 1, "tp": 3}]"#,
        );
        let cases: Vec<_> = odd.all().0.iter().map(|r| odd.case(*r).expect("it fits")).collect();
        let shown: Vec<_> = cases.iter().map(|c| (c.ratio.as_str(), c.gpus)).collect();
        assert_eq!(shown, [("2:1", 7), ("mixed", 6)], "7 GPUs hold two mixed replicas");
        let problem = odd.case(Ratio::Apart { prefill: 1, decode: 2 }).expect_err("8 GPUs");
        assert_eq!((problem.path.as_str(), problem.found.as_str()), ("ratio", "1:2, 8 GPUs"));
    }

    #[test]
    fn of_many_ratios_evenly_spread_ones_are_kept() {
        let many = ratios(r#"[{"replicas": 512}]"#);
        let (all, left_out) = many.all();
        assert_eq!((all.len(), left_out), (limits::RATIOS + 1, 511 - limits::RATIOS as u32));
        assert_eq!([all[0], all[1], all[30]].map(|r| r.to_string()), ["1:511", "18:494", "511:1"]);
    }

    #[test]
    fn what_has_no_ratio_is_refused_with_every_reason() {
        let refused = |text: &str| {
            let problems = Ratios::of(&parse(text).expect("it reads")).expect_err(text);
            problems.iter().map(|p| p.path.clone()).collect::<Vec<_>>()
        };
        assert_eq!(refused(r#"{"cluster": {"pools": [{}, {"name": "b"}]}}"#), ["cluster.pools"]);
        assert_eq!(refused(r#"{"cluster": {"pools": [{"replicas": 1}]}}"#), ["cluster.pools"]);
        let text = r#"{"cluster": {"pools": [{"scaling": {"policy": {"hpa": {}}}}]},
            "edits": [{"at_us": 1, "set": {"cluster.pools[0].replicas": 2}}, {"at_us": 1, "off": true, "route": {"request": 0, "to": 1}},
                      {"at_us": 1, "route": {"request": 0, "to": 1}}, {"at_us": 2, "set": {"cluster.routing": "random"}}]}"#;
        assert_eq!(refused(text), ["cluster.pools[0].scaling.policy", "edits[0]", "edits[2]"]);
    }

    #[test]
    fn ratios_are_read_one_by_one_and_as_ranges() {
        let read =
            |text: &str| Ratio::list(text).map(|all| all.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(read("1:3..3:1, mixed").unwrap(), ["1:3", "2:2", "3:1", "mixed"]);
        assert_eq!(read("3:1..1:3").unwrap(), ["3:1", "2:2", "1:3"]);
        for text in ["1", "0:4", "1:x", "1:3..1:4", "mixed..1:3", "1:99999"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
