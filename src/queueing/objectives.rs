//! Inferred objectives, the mean request of several pods, and the number of replicas for a load.

use super::closed_form::ClosedForm;
use super::trouble::{Trouble, above_zero, at_least};
use super::{Objectives, Params, RequestSize};

/// Objectives from measured latencies are these times 1.5 ...
const HEADROOM: f64 = 1.5;
/// ... and at most this for the first token ...
const MOST_TTFT_MS: f64 = 10_000.0;
/// ... and this for the others.
const MOST_ITL_MS: f64 = 500.0;

/// The objectives of a server whose steps may take `multiplier` times as long as an empty one: alpha becomes k alpha, and a
/// request's own work is added at its true cost. They allow a load of 1 - 1/k.
pub fn inferred(params: Params, size: RequestSize, multiplier: f64) -> Result<Objectives, Trouble> {
    if !(multiplier.is_finite() && multiplier > 1.0) {
        return Err(Trouble::input("the SLO multiplier", multiplier, "above 1"));
    }
    let server = ClosedForm::new(params, size)?;
    let step = multiplier * params.alpha;
    Ok(Objectives { ttft_ms: step + server.prefill_work_ms(), itl_ms: step + server.decode_work_ms() })
}

/// Objectives from measured latencies, for a server without learnt coefficients; `None` if either was not measured.
pub fn fallback(ttft_ms: f64, itl_ms: f64) -> Option<Objectives> {
    (ttft_ms > 0.0 && itl_ms > 0.0 && ttft_ms.is_finite() && itl_ms.is_finite()).then(|| Objectives {
        ttft_ms: (HEADROOM * ttft_ms).min(MOST_TTFT_MS),
        itl_ms: (HEADROOM * itl_ms).min(MOST_ITL_MS),
    })
}

impl Objectives {
    /// The looser of each: several variants serve the same requests.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self { ttft_ms: self.ttft_ms.max(other.ttft_ms), itl_ms: self.itl_ms.max(other.itl_ms) }
    }
}

/// How many replicas carry `total_per_s`, at least one.
pub fn replicas(total_per_s: f64, each_per_s: f64) -> Result<u32, Trouble> {
    at_least("the rate", total_per_s, 0.0, "at least 0 requests/s")?;
    above_zero("what a replica carries", each_per_s)?;
    let many = (total_per_s / each_per_s).ceil();
    if many > f64::from(u32::MAX) {
        return Err(Trouble::input("the number of replicas", many, "at most 4294967295"));
    }
    Ok((many as u32).max(1))
}

/// The measurements of a pod over the last window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pod {
    /// Requests per second sent to it.
    pub rate_per_s: f64,
    /// Mean length of their prompts.
    pub input_tokens: f64,
    /// Mean length of their answers.
    pub output_tokens: f64,
    /// Mean time to the first token; 0 if none was measured.
    pub ttft_ms: f64,
    /// Mean time between tokens; 0 if none was measured.
    pub itl_ms: f64,
    /// How long it has been ready.
    pub ready_s: f64,
}

/// Several pods as one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Workload {
    /// Mean lengths, each pod weighted by its rate.
    pub size: RequestSize,
    /// Mean time to the first token, weighted likewise.
    pub ttft_ms: f64,
    /// Mean time between tokens, weighted likewise.
    pub itl_ms: f64,
    /// All their requests per second.
    pub total_per_s: f64,
    /// Pods that were sent requests.
    pub busy: u32,
}

/// The pods that were sent requests, as one; `None` if there are none.
pub fn aggregate(pods: &[Pod]) -> Option<Workload> {
    let busy = || pods.iter().filter(|p| p.rate_per_s > 0.0);
    let total: f64 = busy().map(|p| p.rate_per_s).sum();
    let mean = |value: fn(&Pod) -> f64| busy().map(|p| p.rate_per_s * value(p)).sum::<f64>() / total;
    (total > 0.0).then(|| Workload {
        size: RequestSize {
            input_tokens: mean(|p| p.input_tokens),
            output_tokens: mean(|p| p.output_tokens),
        },
        ttft_ms: mean(|p| p.ttft_ms),
        itl_ms: mean(|p| p.itl_ms),
        total_per_s: total,
        busy: busy().count() as u32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replicas_are_rounded_up_and_never_none() {
        assert_eq!(replicas(10.0, 3.0), Ok(4));
        assert_eq!(replicas(9.0, 3.0), Ok(3));
        assert_eq!(replicas(0.0, 3.0), Ok(1));
        assert!(
            replicas(1.0, 0.0).is_err()
                && replicas(1.0, f64::NAN).is_err()
                && replicas(1e300, 1e-300).is_err()
        );
    }

    #[test]
    fn measured_latencies_make_objectives_only_together() {
        assert_eq!(fallback(0.0, 20.0), None);
        assert_eq!(fallback(9000.0, 400.0), Some(Objectives { ttft_ms: 10_000.0, itl_ms: 500.0 }));
    }

    #[test]
    fn idle_pods_do_not_count() {
        let pod =
            |rate_per_s, input_tokens| Pod { rate_per_s, input_tokens, output_tokens: 1.0, ..Pod::default() };
        let all = aggregate(&[pod(2.0, 100.0), pod(1.0, 400.0), pod(0.0, 9999.0)]).unwrap();
        assert!((all.size.input_tokens - 200.0).abs() < 1e-9 && all.busy == 2);
        assert_eq!(aggregate(&[pod(0.0, 5.0)]), None);
    }

    #[test]
    fn a_multiplier_of_one_leaves_no_room() {
        let size = RequestSize { input_tokens: 1.0, output_tokens: 1.0 };
        assert!(inferred(super::super::DEFAULT_PARAMS, size, 1.0).is_err());
    }
}
