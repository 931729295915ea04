//! The pools of a golden file, and its hand-overs.

use super::super::file::{Config, GoldenFile};
use super::super::routing_policy::routing_policy;
use super::super::wrong::wrong;
use super::{PoolConfig, SCHEMA, Settings};
use base::{Diagnostic, Diagnostics};
use document::{
    Decider, Disaggregation, FirstToken, Handoff, KvBytes, Role, ThresholdDecider, Transfer, limits,
};

/// Most bytes per second of a port: numbers of this size can be computed with.
const MOST_BYTES_PER_S: u64 = 1_000_000_000_000_000_000;
/// Most bytes of a token.
const MOST_BYTES_OF_A_TOKEN: u64 = 1_000_000_000_000;

/// The replicas of one pool.
pub(in crate::golden) struct Stands<'a> {
    /// The settings of each.
    pub config: Config,
    /// How many.
    pub replicas: u32,
    /// What they do.
    pub role: Role,
    /// What the file says of them; none if it lists no pools.
    own: Option<(usize, &'a PoolConfig)>,
}

impl Stands<'_> {
    /// Where the file has a setting of these replicas.
    pub(in crate::golden) fn place(&self, key: &str) -> String {
        let first = key.split(['.', '[']).next().unwrap_or_default();
        match self.own {
            Some((i, pool)) if pool.has(first) => format!("config.pools[{i}].{key}"),
            Some(_) | None => match key {
                "replicas" => "config.num_instances".to_owned(),
                key => format!("config.{key}"),
            },
        }
    }
}

impl PoolConfig {
    /// The settings of one of its replicas.
    fn over(&self, all: &Config) -> Config {
        let mut own = all.clone();
        own.total_kv_blocks = self.total_kv_blocks.unwrap_or(all.total_kv_blocks);
        own.max_num_running_reqs = self.max_num_running_reqs.unwrap_or(all.max_num_running_reqs);
        own.max_num_scheduled_tokens = self.max_num_scheduled_tokens.unwrap_or(all.max_num_scheduled_tokens);
        own.long_prefill_token_threshold =
            self.long_prefill_token_threshold.unwrap_or(all.long_prefill_token_threshold);
        own.alpha_coeffs = self.alpha_coeffs.unwrap_or(all.alpha_coeffs);
        own.tp = self.tp.unwrap_or(all.tp);
        for (mine, to) in
            [(&self.scheduler, &mut own.scheduler), (&self.priority_policy, &mut own.priority_policy)]
        {
            if let Some(name) = mine {
                to.clone_from(name);
            }
        }
        if let Some(betas) = &self.beta_coeffs {
            own.beta_coeffs.clone_from(betas);
        }
        own
    }
}

/// The pools in order.
pub(in crate::golden) fn pools<'a>(file: &'a GoldenFile, problems: &mut Diagnostics) -> Vec<Stands<'a>> {
    let c = &file.config;
    if c.pools.is_empty() {
        return vec![Stands { config: c.clone(), replicas: c.num_instances, role: Role::Mixed, own: None }];
    }
    let stands = |(i, pool): (usize, &'a PoolConfig)| {
        let role = Role::ALL.into_iter().find(|role| role.name() == pool.role);
        if role.is_none() {
            wrong(&format!("config.pools[{i}].role"), &pool.role, "mixed, prefill, decode", problems);
        }
        Stands {
            config: pool.over(c),
            replicas: pool.replicas,
            role: role.unwrap_or_default(),
            own: Some((i, pool)),
        }
    };
    let all: Vec<Stands<'_>> = c.pools.iter().enumerate().map(stands).collect();
    let total: u64 = all.iter().map(|s| u64::from(s.replicas)).sum();
    if total != u64::from(c.num_instances) {
        let (found, allowed) =
            (format!("{}", c.num_instances), format!("{total}, as all pools have together"));
        let fix = "make it the sum of the pools' replicas";
        problems.push(Diagnostic::error("config.num_instances", found, allowed, fix));
    }
    if !all.iter().any(|s| s.role.is_home() && s.replicas > 0) && problems.is_empty() {
        let found = "no replica that decodes";
        let fix = "give a pool of role decode or mixed at least one replica";
        problems.push(Diagnostic::error("config.pools", found, "a decode or mixed replica", fix));
    }
    all
}

/// Who prefills and how KV moves, where roles differ.
pub(in crate::golden) fn network(file: &GoldenFile, problems: &mut Diagnostics) -> Option<Disaggregation> {
    if file.schema != SCHEMA {
        return None;
    }
    let c = &file.config;
    let none = Settings::default();
    let s = c.disaggregation.as_ref().unwrap_or(&none);
    let at = |key: &str| format!("config.disaggregation.{key}");
    let decider = decider(s, problems);
    let handoff = match s.handoff.as_str() {
        "pull" => Handoff::Pull,
        "push" => Handoff::Push,
        other => {
            wrong(&at("handoff"), other, "pull, push", problems);
            Handoff::Pull
        }
    };
    let first_token = match s.first_token.as_str() {
        "decode" => FirstToken::Decode,
        "prefill" => FirstToken::Prefill,
        other => {
            wrong(&at("first_token"), other, "decode, prefill", problems);
            FirstToken::Decode
        }
    };
    let prefill_routing = (!s.prefill_routing_policy.is_empty()).then(|| {
        let keys = [at("prefill_routing_policy"), at("prefill_routing_scorers")];
        routing_policy(&s.prefill_routing_policy, &s.prefill_routing_scorers, &keys, problems)
    });
    let t = &s.transfer;
    at_most(&at("transfer.kv_bytes_per_token"), t.kv_bytes_per_token, MOST_BYTES_OF_A_TOKEN, problems);
    at_most(&at("transfer.port_bytes_per_s"), t.port_bytes_per_s, MOST_BYTES_PER_S, problems);
    for (i, port) in (0..).zip(c.pools.iter().map(|p| p.port_bytes_per_s)) {
        let path = format!("config.pools[{i}].port_bytes_per_s");
        at_most(&path, port.unwrap_or_default(), MOST_BYTES_PER_S, problems);
    }
    let transfer = Transfer {
        base_us: t.base_us,
        // Given with the hardware figures, as the ports are.
        kv_bytes_per_token: KvBytes::Auto,
        overlap_share: t.overlap,
        shared_ports: t.shared,
        ..Transfer::default()
    };
    let roles = c.pools.iter().any(|p| p.role != Role::Mixed.name());
    roles.then_some(Disaggregation {
        decider,
        prefill_routing,
        handoff,
        first_token,
        transfer,
        ..Disaggregation::default()
    })
}

fn decider(s: &Settings, problems: &mut Diagnostics) -> Decider {
    let d = &s.decider;
    match d.kind.as_str() {
        "always" => Decider::Always,
        "never" => Decider::Never,
        "threshold" => Decider::Threshold(threshold(s)),
        other => {
            wrong("config.disaggregation.decider.kind", other, "always, never, threshold", problems);
            Decider::Always
        }
    }
}

/// Bounds beyond everything that happens are lowered to that.
fn threshold(s: &Settings) -> ThresholdDecider {
    let d = &s.decider;
    let lowered = |asked: u64, limit: u32| u32::try_from(asked).unwrap_or(u32::MAX).min(limit);
    let (mut tokens, mut share) = (lowered(d.uncached_tokens, limits::REQUEST_TOKENS), d.uncached_share);
    // Every request has less than this share to compute: with the other bound it says nothing, alone it holds for all.
    if share > 1.0 {
        if tokens == 0 {
            tokens = limits::REQUEST_TOKENS;
        }
        share = 0.0;
    }
    // More prefills than requests are never in flight.
    let busy = lowered(d.prefill_in_flight, limits::IN_FLIGHT);
    ThresholdDecider { uncached_tokens: tokens, uncached_share: share, prefill_in_flight: busy }
}

fn at_most(path: &str, found: u64, most: u64, problems: &mut Diagnostics) {
    if found > most {
        let fix = "it is in bytes; results of larger numbers could not be computed exactly";
        problems.push(Diagnostic::error(path, found.to_string(), format!("up to {most}"), fix));
    }
}
