//! Checks pipeline parallelism: where it cannot be.

use crate::table::report::Report;
use crate::{Compat, Pool};

/// Reports what does not go together with the stages of the pool at `path`.
pub(super) fn check_pipeline(path: &str, p: &Pool, compat: Compat, r: &mut Report) {
    if p.pp < 2 || !r.are_fine(path, &["pp"]) {
        return;
    }
    let path = format!("{path}.pp");
    if compat == Compat::Blis {
        r.error(
            path,
            format!("{} stages, with cluster.compat blis", p.pp),
            "1 there",
            "that simulator has one batch under way: leave the key out, or use another compat",
        );
    } else if p.engine.speculative.is_some() {
        r.error(
            path,
            format!("{} stages, with speculative decoding", p.pp),
            "1, or no engine.speculative",
            "drafts of several batches under way are not simulated: leave one of the two out",
        );
    } else if p.expert_ranks > 1 && r.are_fine(&path, &["expert_ranks"]) {
        r.error(
            path,
            format!("{} stages, with experts spread over {} replicas", p.pp, p.expert_ranks),
            "1, or no expert_ranks",
            "ranks of a server that is a pipeline are not simulated: leave one of the two out",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scenario, Speculative, check};

    #[test]
    fn stages_are_refused_where_they_are_not_simulated() {
        let found = |change: &dyn Fn(&mut Scenario)| {
            let mut scenario = Scenario::default();
            scenario.cluster.pools[0].pp = 2;
            change(&mut scenario);
            match check(scenario) {
                Ok(_) => None,
                Err(problems) => Some((problems[0].path.clone(), problems[0].found.clone())),
            }
        };
        let at = |path: &str, text: &str| Some((format!("cluster.pools[0].{path}"), text.to_owned()));
        assert_eq!(found(&|_| {}), None);
        assert_eq!(found(&|s| s.cluster.pools[0].pp = 0), at("pp", "0"));
        assert_eq!(
            found(&|s| s.cluster.compat = Compat::Blis),
            at("pp", "2 stages, with cluster.compat blis")
        );
        assert_eq!(
            found(&|s| s.cluster.pools[0].engine.speculative = Some(Speculative::default())),
            at("pp", "2 stages, with speculative decoding")
        );
        assert_eq!(
            found(&|s| s.cluster.pools[0].expert_ranks = 4),
            at("pp", "2 stages, with experts spread over 4 replicas")
        );
    }
}
