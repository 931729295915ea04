//! Policies for the KV of sessions in their pauses: the one list of them, what each sets in a scenario, and how many tokens each
//! computes again beyond those of the oracle.

use crate::policies::{entrant, inside};
use base::{Diagnostics, json};
use document::{
    CpuEviction, EvictionOrder, FieldValues, KvHint, PrefetchWhen, Retention, Scenario, SessionKv,
    SessionPrefetch, check, value_from_json,
};
use run::session::again::AgainStep;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// For how long the TTL keeps a context, in seconds, and how urgently.
const TTL_S: f64 = 30.0;
const TTL_PRIORITY: u32 = 70;
/// How long before the mean gap a prefetch is asked for, in seconds.
const LEAD_S: f64 = 2.0;

/// A policy for the KV of sessions in their pauses.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KvPolicy {
    /// The block used longest ago goes first.
    Lru,
    /// Contexts are kept for 30 s from the end of a turn, before all else.
    Ttl,
    /// The gateway says how long each context is to be kept, by the gaps it has seen.
    Hint,
    /// As LRU, and contexts come back from CPU memory before the expected turn.
    Prefetch,
    /// The block whose next use is farthest goes first.
    Oracle,
}

impl KvPolicy {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 5] = [Self::Lru, Self::Ttl, Self::Hint, Self::Prefetch, Self::Oracle];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lru => "LRU",
            Self::Ttl => "TTL 30 s",
            Self::Hint => "Hint",
            Self::Prefetch => "Prefetch",
            Self::Oracle => "Oracle",
        }
    }

    /// What it does, in a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Self::Lru => "The block used longest ago is evicted first.",
            Self::Ttl => "A context is kept for 30 s after its turn; then it goes like any other.",
            Self::Hint => {
                "The gateway wants each context kept for as long as nine of ten gaps between turns were."
            }
            Self::Prefetch => {
                "LRU; a context comes back from CPU memory 2 s before the mean gap of its session is over."
            }
            Self::Oracle => "The block whose next use is farthest is evicted first. It knows what comes.",
        }
    }

    /// The order of eviction on the GPU.
    pub(crate) fn order(self) -> EvictionOrder {
        match self {
            Self::Lru | Self::Prefetch => EvictionOrder::Lru,
            Self::Ttl | Self::Hint => EvictionOrder::Vllm,
            Self::Oracle => EvictionOrder::Belady,
        }
    }

    /// That in CPU memory.
    pub(crate) fn cpu_order(self) -> CpuEviction {
        if self == Self::Oracle { CpuEviction::Belady } else { CpuEviction::Lru }
    }

    fn retention(self) -> Vec<Retention> {
        let keep = Retention { start: 0, end: None, priority: TTL_PRIORITY, duration_s: Some(TTL_S) };
        if self == Self::Ttl { vec![keep] } else { Vec::new() }
    }

    fn session_kv(self) -> Option<SessionKv> {
        let prefetch =
            SessionPrefetch { when: PrefetchWhen::Ewma, lead_s: LEAD_S, ..SessionPrefetch::default() };
        (self == Self::Prefetch).then(|| SessionKv { prefetch: Some(prefetch), ..SessionKv::default() })
    }

    /// What it sets in a scenario, by path.
    pub fn set(self, s: &Scenario) -> FieldValues {
        let mut all = FieldValues::new();
        let mut set = |path: String, value: Value| drop(all.insert(path, value));
        for (i, pool) in s.cluster.pools.iter().enumerate() {
            let path = format!("cluster.pools[{i}].kv");
            set(format!("{path}.eviction_order"), self.order().name().into());
            if pool.kv.cpu_blocks > 0 {
                set(format!("{path}.cpu_eviction"), self.cpu_order().name().into());
            }
        }
        let hint = (self == Self::Hint).then(KvHint::default);
        set("cluster.kv_hint".to_owned(), json::tree(&hint));
        let kv = json::tree(&self.session_kv());
        for (i, client) in s.workload.clients.iter().enumerate() {
            if client.agent.is_some() || client.conversation.is_some() {
                let path = format!("workload.clients[{i}]");
                set(format!("{path}.retention"), json::tree(&self.retention()));
                set(format!("{path}.session_kv"), kv.clone());
            }
        }
        if s.workload.trace.is_some() {
            set("workload.trace.session_kv".to_owned(), kv);
        } else if s.workload.requests.iter().any(|request| !request.session.is_empty()) {
            set("workload.session_kv".to_owned(), kv);
        }
        all
    }

    /// The scenario with it, without edits.
    fn with(self, s: &Scenario) -> Result<Scenario, Diagnostics> {
        let bare = Scenario { edits: Vec::new(), ..s.clone() };
        entrant(&bare, &self.set(s), 0)
    }

    /// What is to be changed in a scenario.
    fn changes(self, s: &Scenario) -> FieldValues {
        let set = self.set(s);
        let Ok(made) = self.with(s) else { return set };
        let [now, then] = [s, &made].map(json::tree);
        set.into_iter().filter(|(path, _)| inside(&now, path) != inside(&then, path)).collect()
    }

    /// Why a scenario cannot have it.
    fn refused(self, s: &Scenario) -> Option<String> {
        let has_clients =
            s.workload.clients.iter().any(|client| client.agent.is_some() || client.conversation.is_some());
        if self == Self::Ttl && !has_clients {
            return Some("only clients have directives, and no client has sessions".to_owned());
        }
        if self == Self::Prefetch && s.cluster.pools.iter().all(|pool| pool.kv.cpu_blocks == 0) {
            return Some("no pool has CPU memory to fetch from".to_owned());
        }
        let problems = self.with(s).and_then(check).err()?;
        problems.first().map(|d| format!("found {}; allowed: {}; {}", d.found, d.allowed, d.fix))
    }
}

/// A policy, and what a run has to change for it.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KvPolicyChoice {
    /// Which.
    pub policy: KvPolicy,
    /// Its name.
    pub name: String,
    /// What it does.
    pub words: String,
    /// Why this scenario cannot have it; null if it can.
    pub refused: Option<String>,
    /// The fields that an edit sets, by path; empty if the scenario has it.
    #[cfg_attr(feature = "types", ts(type = "{ [path: string]: unknown }"))]
    pub set: FieldValues,
}

/// The policies, for a scenario as it is in force; its edits do not count.
pub fn kv_policies(now: &Scenario) -> Vec<KvPolicyChoice> {
    let choice = |policy: KvPolicy| KvPolicyChoice {
        policy,
        name: policy.name().to_owned(),
        words: policy.words().to_owned(),
        refused: policy.refused(now),
        set: policy.changes(now),
    };
    KvPolicy::ALL.map(choice).into()
}

/// A run with a policy from its beginning on.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KvPolicyCase {
    /// The policy.
    pub policy: KvPolicy,
    /// The scenario, JSON text. Edits of what the policy sets are left out.
    pub scenario: String,
}

/// The runs of the policies that a scenario can have.
pub fn kv_policy_cases(scenario: &Scenario) -> Result<Vec<KvPolicyCase>, Diagnostics> {
    let can = KvPolicy::ALL.into_iter().filter(|policy| policy.refused(scenario).is_none());
    let case = |policy: KvPolicy| {
        let made = entrant(scenario, &policy.set(scenario), 0)?;
        Ok(KvPolicyCase { policy, scenario: document::to_json(&made) })
    };
    can.map(case).collect()
}

/// What a run with a policy computed and loaded.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KvPolicyRun {
    /// The policy.
    policy: KvPolicy,
    /// Tokens of sessions that were computed again.
    again_tokens: u64,
    /// The same over time.
    again: Vec<AgainStep>,
    /// The report, JSON text.
    report: String,
}

impl KvPolicyRun {
    fn loaded_blocks(&self) -> u64 {
        let report = value_from_json(&self.report).unwrap_or_default();
        report.pointer("/kv/loads/loaded_blocks").and_then(Value::as_u64).unwrap_or(0)
    }
}

/// A policy beside the oracle.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KvPolicyRegret {
    /// The policy.
    pub policy: KvPolicy,
    /// Its name.
    pub name: String,
    /// Tokens of sessions that its run computed again.
    pub again_tokens: u64,
    /// The same over time.
    pub again: Vec<AgainStep>,
    /// How many more that are than the oracle's; negative if fewer, null without a run of the oracle.
    pub over_tokens: Option<i64>,
    /// `over_tokens` as a share of the largest one, 0 to 1.
    pub share: f64,
    /// Blocks that its run loaded from below the GPU.
    pub loaded_blocks: u64,
}

/// The regrets of runs, the least first.
pub fn kv_policy_regrets(runs: &[KvPolicyRun]) -> Vec<KvPolicyRegret> {
    let oracle = runs.iter().find(|run| run.policy == KvPolicy::Oracle).map(|run| run.again_tokens);
    let over = |run: &KvPolicyRun| oracle.map(|least| run.again_tokens.cast_signed() - least.cast_signed());
    let most = runs.iter().filter_map(over).max().unwrap_or(0).max(1) as f64;
    let row = |run: &KvPolicyRun| KvPolicyRegret {
        policy: run.policy,
        name: run.policy.name().to_owned(),
        again_tokens: run.again_tokens,
        again: run.again.clone(),
        over_tokens: over(run),
        share: over(run).map_or(0.0, |over| (over as f64 / most).max(0.0)),
        loaded_blocks: run.loaded_blocks(),
    };
    let mut rows: Vec<KvPolicyRegret> = runs.iter().map(row).collect();
    rows.sort_by_key(|row| (row.again_tokens, row.policy != KvPolicy::Oracle));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::{Change, in_force_at, parse};

    fn scenario(cpu_blocks: u32) -> Scenario {
        let text = format!(
            r#"{{"cluster": {{"pools": [{{"kv": {{"cpu_blocks": {cpu_blocks}}}}}]}},
            "workload": {{"clients": [{{"concurrency": 4, "agent": {{}}}}]}}}}"#
        );
        parse(&text).expect("a scenario")
    }

    fn current(s: &Scenario, at_us: u64) -> Vec<KvPolicy> {
        let now = in_force_at(s, at_us).expect("sound");
        let all = kv_policies(now.get()).into_iter();
        all.filter(|choice| choice.set.is_empty()).map(|choice| choice.policy).collect()
    }

    #[test]
    fn each_policy_is_recognised_after_its_edit_and_undone_by_another() {
        let s = scenario(1000);
        assert_eq!(current(&s, 0), [KvPolicy::Lru], "what a scenario has without a word");
        for first in KvPolicy::ALL {
            for second in KvPolicy::ALL {
                let mut edited = s.clone();
                for (at_us, policy) in [(5, first), (9, second)] {
                    let choice = kv_policies(in_force_at(&edited, at_us).unwrap().get())
                        .into_iter()
                        .find(|c| c.policy == policy)
                        .unwrap();
                    assert_eq!(choice.refused, None, "{policy:?}");
                    let change = Change { set: choice.set, ..Change::default() };
                    edited.edits.push(document::TimedEdit::new(at_us, change));
                }
                assert_eq!(current(&edited, 6), [first]);
                assert_eq!(current(&edited, 9), [second]);
            }
        }
    }

    #[test]
    fn what_no_policy_has_is_none_of_them() {
        let mut s = scenario(1000);
        s.workload.clients[0].session_kv = Some(SessionKv { supersede: true, ..SessionKv::default() });
        assert_eq!(current(&s, 0), []);
    }

    #[test]
    fn a_policy_that_a_scenario_cannot_have_says_why() {
        let refused = |s: &Scenario| -> Vec<KvPolicy> {
            let all = kv_policies(s).into_iter();
            all.filter(|choice| choice.refused.is_some()).map(|choice| choice.policy).collect()
        };
        assert_eq!(refused(&scenario(1000)), []);
        assert_eq!(refused(&scenario(0)), [KvPolicy::Prefetch]);
        let mut uncached = scenario(1000);
        uncached.cluster.pools[0].kv.prefix_caching = false;
        assert!(refused(&uncached).contains(&KvPolicy::Oracle));
        assert_eq!(kv_policy_cases(&scenario(0)).unwrap().len(), 4);
    }

    #[test]
    fn the_runs_have_the_policy_from_the_beginning_to_the_end() {
        let mut s = scenario(1000);
        let set = KvPolicy::Hint.set(&s);
        s.edits.push(document::TimedEdit::new(7, Change { set, ..Change::default() }));
        for case in kv_policy_cases(&s).unwrap() {
            let made = parse(&case.scenario).unwrap();
            assert_eq!(current(&made, 0), [case.policy]);
            assert_eq!(current(&made, 100), [case.policy]);
        }
    }

    #[test]
    fn regret_is_what_is_computed_again_beyond_the_oracle() {
        let report = r#"{"kv": {"loads": {"loaded_blocks": 3}}}"#.to_owned();
        let run = |policy, again_tokens| {
            let again = vec![AgainStep { at_us: 7, tokens: again_tokens }];
            KvPolicyRun { policy, again_tokens, again, report: report.clone() }
        };
        let runs = [run(KvPolicy::Lru, 500), run(KvPolicy::Ttl, 90), run(KvPolicy::Oracle, 100)];
        let found = kv_policy_regrets(&runs);
        let of = |row: &KvPolicyRegret| (row.policy, row.over_tokens, row.share);
        assert_eq!(
            found.iter().map(of).collect::<Vec<_>>(),
            [
                (KvPolicy::Ttl, Some(-10), 0.0),
                (KvPolicy::Oracle, Some(0), 0.0),
                (KvPolicy::Lru, Some(400), 1.0)
            ]
        );
        assert_eq!(found[0].loaded_blocks, 3);
        assert_eq!(found[2].again, [AgainStep { at_us: 7, tokens: 500 }]);
        assert_eq!(kv_policy_regrets(&runs[..1])[0].over_tokens, None);
    }
}
