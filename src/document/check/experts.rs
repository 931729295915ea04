//! Checks how experts lie on ranks and how a cache is divided: what goes together, and settings without effect.

use crate::table::report::Report;
use crate::{ExpertPlacement, ExpertSkew, ExpertSplit, LatencyModel, Pool, Role, limits};
use base::small::decimal::plain;

/// Reports what does not go together among the experts and the divided cache of the pool at `path`.
pub(super) fn check_experts(path: &str, p: &Pool, r: &mut Report) {
    let at = format!("{path}.experts");
    check_skew(&format!("{at}.skew"), p, r);
    let e = &p.experts;
    let is_calibrated = matches!(p.latency, LatencyModel::Calibrated(_));
    if *e != ExpertPlacement::default() && !is_calibrated {
        let fix = "only calibrated latency has experts: choose it, or leave `experts` out";
        r.error(&at, "experts, with another latency than calibrated", "calibrated latency beside it", fix);
    } else if e.split == ExpertSplit::Tensor {
        check_cut(&at, p, r);
    } else if *e != ExpertPlacement::default()
        && p.expert_ranks < 2
        && r.are_fine(path, &["experts", "expert_ranks"])
    {
        r.warning(
            &at,
            "experts of a replica that has all of them",
            "expert_ranks above 1",
            "it has no effect: set expert_ranks, or leave `experts` out",
        );
    }
    check_divided(&format!("{path}.dcp"), p, is_calibrated, r);
}

fn check_skew(at: &str, p: &Pool, r: &mut Report) {
    let fine = |found: f64, [least, most]: [f64; 2]| (least..=most).contains(&found);
    let between = |[least, most]: [f64; 2]| format!("{} to {}", plain(least), plain(most));
    match &p.experts.skew {
        ExpertSkew::Even => {}
        ExpertSkew::Zipf(s) => {
            let range = [0.0, limits::ZIPF_EXPONENT];
            if !fine(*s, range) {
                r.error(
                    format!("{at}.zipf"),
                    plain(*s),
                    between(range),
                    "use 0 for experts that are liked alike",
                );
            }
        }
        ExpertSkew::Weights(all) => {
            let range = [0.0, limits::EXPERT_WEIGHT];
            if all.len() > limits::EXPERT_WEIGHTS {
                let allowed = format!("at most {}", limits::EXPERT_WEIGHTS);
                r.error(
                    format!("{at}.weights"),
                    format!("{} weights", all.len()),
                    allowed,
                    "give one for each expert",
                );
            } else if let Some(i) = all.iter().position(|weight| !fine(*weight, range)) {
                r.error(
                    format!("{at}.weights[{i}]"),
                    plain(all[i]),
                    between(range),
                    "give a share of the tokens",
                );
            } else if all.iter().sum::<f64>() <= 0.0 {
                r.error(
                    format!("{at}.weights"),
                    "weights that add up to 0",
                    "at least one above 0",
                    "some expert gets the tokens",
                );
            }
        }
        ExpertSkew::Imbalance(f) => {
            let range = [1.0, f64::from(p.expert_ranks.max(1))];
            if !fine(*f, range) {
                let fix = "one rank cannot have more than all the work: it is the largest load over the mean, up to expert_ranks";
                r.error(format!("{at}.imbalance"), plain(*f), between(range), fix);
            }
        }
    }
}

/// Experts that are cut over all ranks.
fn check_cut(at: &str, p: &Pool, r: &mut Report) {
    let e = &p.experts;
    if e.eplb.is_some() {
        let fix = "every rank has a slice of each expert, so that none can move: leave one of the two out";
        r.error(format!("{at}.eplb"), "rebalancing, with experts that are cut", "none there", fix);
    }
    if matches!(e.skew, ExpertSkew::Imbalance(_)) {
        let fix = "experts that are cut take every rank equally long: leave one of the two out";
        r.error(format!("{at}.skew.imbalance"), "an imbalance, with experts that are cut", "none there", fix);
    }
    if p.expert_ranks < 2 {
        r.warning(
            format!("{at}.split"),
            "experts cut over one rank",
            "expert_ranks above 1",
            "it has no effect: set expert_ranks, or leave it out",
        );
    }
}

/// A cache that is divided over the GPUs of a replica.
fn check_divided(at: &str, p: &Pool, is_calibrated: bool, r: &mut Report) {
    let Some(dcp) = &p.dcp else { return };
    if dcp.size < 2 || !r.are_fine(at, &["size"]) {
        return;
    }
    if !is_calibrated {
        let fix = "only calibrated latency knows what is read and sent: blocks and bytes change, the times of steps do not";
        r.warning(
            at,
            "a divided cache, with another latency than calibrated",
            "calibrated latency beside it",
            fix,
        );
    }
    if p.role == Role::Prefill {
        let fix = "prefill is not changed by it: leave it out, and say kv.blocks for a cache of another size";
        r.error(at, "a divided cache, in a prefill pool", "none there", fix);
    }
    if p.pp > 1 {
        let fix = "engines do not have both: leave one of the two out";
        r.error(at, format!("a divided cache, with {} stages", p.pp), "none there", fix);
    }
    if p.engine.speculative.is_some() {
        let fix = "vLLM has both with some attention backends alone";
        r.warning(at, "a divided cache, with speculative decoding", "", fix);
    }
    if p.role == Role::Decode {
        r.warning(
            at,
            "a divided cache, in a decode pool",
            "",
            "vLLM calls the hand-over to such replicas unfinished",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CalibratedSettings, ContextParallelism, Eplb, Scenario, Speculative, check};

    /// Paths and what was found, of errors, then of warnings.
    fn found(change: impl FnOnce(&mut Pool)) -> [Vec<(String, String)>; 2] {
        let mut s = Scenario::default();
        let pool = &mut s.cluster.pools[0];
        pool.latency = LatencyModel::Calibrated(CalibratedSettings::default());
        pool.expert_ranks = 4;
        pool.replicas = 4;
        change(pool);
        let all = check(s).map_or_else(|problems| problems, |(_, warnings)| warnings);
        [base::Severity::Error, base::Severity::Warning].map(|severity| {
            let of = all.iter().filter(|d| d.severity == severity);
            of.map(|d| (d.path.trim_start_matches("cluster.pools[0].").to_owned(), d.found.clone())).collect()
        })
    }

    fn errors(change: impl FnOnce(&mut Pool)) -> Vec<String> {
        found(change)[0].iter().map(|(path, _)| path.clone()).collect()
    }

    #[test]
    fn skews_have_their_ranges() {
        let with = |skew| errors(|p| p.experts.skew = skew);
        assert_eq!(with(ExpertSkew::Zipf(0.6)), [""; 0]);
        assert_eq!(with(ExpertSkew::Zipf(10.1)), ["experts.skew.zipf"]);
        assert_eq!(with(ExpertSkew::Imbalance(4.0)), [""; 0]);
        assert_eq!(with(ExpertSkew::Imbalance(4.1)), ["experts.skew.imbalance"]);
        assert_eq!(with(ExpertSkew::Weights(vec![1.0, 0.0])), [""; 0]);
        assert_eq!(with(ExpertSkew::Weights(vec![1.0, -1.0])), ["experts.skew.weights[1]"]);
        assert_eq!(with(ExpertSkew::Weights(vec![0.0; 2])), ["experts.skew.weights"]);
        assert_eq!(with(ExpertSkew::Weights(vec![1.0; 1025])), ["experts.skew.weights"]);
    }

    #[test]
    fn cut_experts_neither_move_nor_wait() {
        let cut = |change: fn(&mut ExpertPlacement)| {
            errors(|p| {
                p.experts.split = ExpertSplit::Tensor;
                change(&mut p.experts);
            })
        };
        assert_eq!(cut(|_| ()), [""; 0]);
        assert_eq!(cut(|e| e.eplb = Some(Eplb::default())), ["experts.eplb"]);
        assert_eq!(cut(|e| e.skew = ExpertSkew::Imbalance(2.0)), ["experts.skew.imbalance"]);
        assert_eq!(cut(|e| e.skew = ExpertSkew::Zipf(1.0)), [""; 0]);
        let [_, warnings] = found(|p| {
            (p.expert_ranks, p.experts.split) = (1, ExpertSplit::Tensor);
        });
        assert!(warnings.iter().any(|(path, _)| path == "experts.split"), "{warnings:?}");
    }

    #[test]
    fn experts_and_a_divided_cache_need_calibrated_latency() {
        let fitted = |p: &mut Pool| p.latency = LatencyModel::Fitted(crate::FittedCoefficients::default());
        let all = errors(|p| {
            fitted(p);
            p.experts.skew = ExpertSkew::Zipf(1.0);
            p.dcp = Some(ContextParallelism { size: 2, ..ContextParallelism::default() });
        });
        assert_eq!(all, ["experts"]);
    }

    #[test]
    fn a_divided_cache_goes_with_neither_stages_nor_prefill() {
        let divided = |change: fn(&mut Pool)| {
            found(|p| {
                p.expert_ranks = 1;
                p.dcp = Some(ContextParallelism { size: 2, ..ContextParallelism::default() });
                change(p);
            })
        };
        assert_eq!(divided(|_| ()), [vec![], vec![]]);
        assert_eq!(
            divided(|p| p.pp = 2)[0],
            [("dcp".to_owned(), "a divided cache, with 2 stages".to_owned())]
        );
        assert!(divided(|p| p.role = Role::Prefill)[0].iter().any(|(path, _)| path == "dcp"));
        let drafts = divided(|p| p.engine.speculative = Some(Speculative::default()));
        assert!(drafts[1].iter().any(|(path, _)| path == "dcp"), "{drafts:?}");
        assert!(divided(|p| p.role = Role::Decode)[1].iter().any(|(path, _)| path == "dcp"));
        assert_eq!(divided(|p| p.dcp = Some(ContextParallelism::default())), [vec![], vec![]]);
    }
}
