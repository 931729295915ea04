//! Makes a failing case small enough to read.

use crate::reference::case::Case;

/// The smallest case found that still fails; gives up looking after a fixed number of tries.
pub(crate) fn shrink(case: &Case, fails: impl Fn(&Case) -> bool) -> Case {
    let mut best = case.clone();
    let mut tries = 4000;
    loop {
        let mut smaller = false;
        for candidate in fewer_requests(&best).chain(simpler(&best)) {
            if tries == 0 {
                return best;
            }
            tries -= 1;
            if fails(&candidate) {
                best = candidate;
                smaller = true;
                break;
            }
        }
        if !smaller {
            return best;
        }
    }
}

/// The case without a stretch of its requests: half of them, a quarter, and so on down to one.
fn fewer_requests(case: &Case) -> impl Iterator<Item = Case> + use<> {
    let case = case.clone();
    let n = case.requests.len();
    let widths = std::iter::successors(Some(n / 2), |w| (*w > 1).then_some(w / 2));
    widths.filter(|w| *w > 0).flat_map(move |w| {
        let case = case.clone();
        (0..n).step_by(w).map(move |from| {
            let mut c = case.clone();
            c.requests.drain(from..(from + w).min(n));
            c
        })
    })
}

/// The case with one knob at its plainest value, or one length or instant made smaller.
fn simpler(case: &Case) -> impl Iterator<Item = Case> + use<> {
    let knobs: [fn(&mut Case); 17] = [
        |c| drop(c.config.more_pools.pop()),
        |c| drop(c.config.more_pools.drain(..c.config.more_pools.len().min(1))),
        |c| c.config.pool.num_instances = 1,
        |c| c.config.admission_latency_us = 0,
        |c| c.config.routing_latency_us = 0,
        |c| c.config.snapshot_refresh_interval_us = 0,
        |c| "round-robin".clone_into(&mut c.config.routing_policy),
        |c| c.config.pool.alpha_coeffs = [0.0; 3],
        |c| c.config.pool.beta_coeffs = vec![100.0, 0.0, 0.0],
        |c| c.config.pool.long_prefill_token_threshold = 0,
        |c| c.config.pool.max_num_scheduled_tokens = 8192,
        |c| c.config.pool.max_num_running_reqs = 64,
        |c| c.config.pool.total_kv_blocks = 5000,
        |c| c.record.max_steps_per_instance = 0,
        |c| c.record.itl = false,
        |c| c.requests.iter_mut().for_each(|r| r.arrival_us /= 2),
        |c| c.config.horizon_us /= 2,
    ];
    let mut all = Vec::new();
    let mut consider = |c: Case| {
        let text = |c: &Case| serde_json::to_string(c).expect("a case");
        if text(&c) != text(case) {
            all.push(c);
        }
    };
    for knob in knobs {
        let mut c = case.clone();
        knob(&mut c);
        // A horizon that shrinks to "none" could make the case endless.
        if c.config.horizon_us > 0 || case.config.horizon_us == 0 {
            consider(c);
        }
    }
    for i in 0..case.requests.len() {
        for cut in [2, 1] {
            let mut c = case.clone();
            c.requests[i].output.n -= c.requests[i].output.n.div_ceil(2).min(cut * cut);
            consider(c);
            for k in 0..case.requests[i].input.len() {
                let mut c = case.clone();
                let n = &mut c.requests[i].input[k].n;
                *n = if cut == 2 { *n / 2 } else { n.saturating_sub(1) };
                if c.requests[i].input.iter().any(|s| s.n > 0) {
                    consider(c);
                }
            }
        }
    }
    all.into_iter()
}
