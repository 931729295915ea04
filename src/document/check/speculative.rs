//! Checks speculative decoding: where it cannot be, and settings without effect.

use crate::table::report::Report;
use crate::{BatchLimits, Compat};

/// Reports what does not go together in the engine at `path`.
pub(super) fn check_speculative(path: &str, engine: &BatchLimits, compat: Compat, r: &mut Report) {
    let Some(s) = &engine.speculative else { return };
    let path = format!("{path}.speculative");
    if compat == Compat::Blis {
        r.error(
            path,
            "speculative decoding, with cluster.compat blis",
            "none there",
            "that simulator decodes one token a step: leave the key out, or use another compat",
        );
        return;
    }
    if s.positions.len() > s.tokens as usize && r.are_fine(&path, &["positions", "tokens"]) {
        r.warning(
            format!("{path}.positions"),
            format!("{} positions for {} draft tokens", s.positions.len(), s.tokens),
            "at most `tokens`",
            "the positions after the last draft token have no effect: remove them, or draft more tokens",
        );
    }
    let most = engine.max_num_batched_tokens.count().unwrap_or(u32::MAX);
    if (1..=s.tokens).contains(&most) && r.are_fine(&path, &["tokens"]) {
        r.warning(
            format!("{path}.tokens"),
            format!("{} draft tokens in steps of at most {most} tokens", s.tokens),
            "fewer than engine.max_num_batched_tokens",
            "the drafts of one request never fit in a step: draft fewer, or allow more tokens in a step",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BatchLimit, DraftPosition, Scenario, Speculative, check};
    use base::{Diagnostics, Severity};

    fn problems(speculative: Speculative, change: impl FnOnce(&mut Scenario)) -> Diagnostics {
        let mut scenario = Scenario::default();
        scenario.cluster.pools[0].engine.speculative = Some(speculative);
        change(&mut scenario);
        match check(scenario) {
            Ok((_, warnings)) => warnings,
            Err(problems) => problems,
        }
    }

    fn paths(found: &Diagnostics) -> Vec<(Severity, &str)> {
        found
            .iter()
            .map(|d| (d.severity, d.path.trim_start_matches("cluster.pools[0].engine.speculative")))
            .collect()
    }

    #[test]
    fn figures_out_of_range_are_refused() {
        let found = problems(
            Speculative {
                tokens: 0,
                acceptance: 1.1,
                positions: vec![DraftPosition { acceptance: -0.1 }],
                ..Speculative::default()
            },
            |_| {},
        );
        let error = Severity::Error;
        assert_eq!(
            paths(&found),
            [(error, ".tokens"), (error, ".acceptance"), (error, ".positions[0].acceptance")]
        );
        assert_eq!(problems(Speculative::default(), |_| {}), []);
    }

    #[test]
    fn the_semantics_of_blis_have_no_drafts() {
        let found = problems(Speculative::default(), |s| s.cluster.compat = Compat::Blis);
        assert_eq!(paths(&found), [(Severity::Error, "")]);
    }

    #[test]
    fn settings_without_effect_are_pointed_out() {
        let one = DraftPosition::default();
        let many = Speculative { tokens: 1, positions: vec![one.clone(), one], ..Speculative::default() };
        assert_eq!(paths(&problems(many, |_| {})), [(Severity::Warning, ".positions")]);
        let found = problems(Speculative::default(), |s| {
            let engine = &mut s.cluster.pools[0].engine;
            engine.max_num_batched_tokens = BatchLimit::Count(3);
            engine.max_num_seqs = BatchLimit::Count(3);
        });
        assert_eq!(paths(&found), [(Severity::Warning, ".tokens")]);
    }
}
