//! Ranges of admission and routing settings.

use super::limits;
use super::policy::{AdmissionPolicy, RoutingPolicy};
use super::report::Report;

/// Checks the admission policy at `path`.
pub(super) fn check_admission(path: &str, policy: &AdmissionPolicy, r: &mut Report) {
    let above_zero = "both must be above zero; use reject-all to let nobody in";
    let (least, most) = (limits::BUCKET_MIN, limits::BUCKET_TOKENS);
    match policy {
        AdmissionPolicy::AlwaysAdmit | AdmissionPolicy::RejectAll => {}
        AdmissionPolicy::TokenBucket(p) => {
            let path = format!("{path}.token-bucket");
            r.float(&format!("{path}.capacity_tokens"), p.capacity_tokens, least, most, above_zero);
            r.float(&format!("{path}.refill_tokens_per_s"), p.refill_tokens_per_s, least, most, above_zero);
        }
        AdmissionPolicy::RateLimit(p) => {
            let path = format!("{path}.rate-limit");
            let rate = format!("{path}.requests_per_s");
            r.float(&rate, p.requests_per_s, least, limits::RATE_PER_S, above_zero);
            r.int(&format!("{path}.burst"), p.burst, 1, limits::IN_FLIGHT, "1 allows no burst");
        }
        AdmissionPolicy::TenantQuota(p) => {
            let path = format!("{path}.tenant-quota.most_in_flight");
            r.int(&path, p.most_in_flight, 1, limits::IN_FLIGHT, "use reject-all to let nobody in");
        }
        AdmissionPolicy::ConcurrencyLimit(p) => {
            let path = format!("{path}.concurrency-limit.most_in_flight");
            r.int(&path, p.most_in_flight, 1, limits::IN_FLIGHT, "use reject-all to let nobody in");
        }
    }
}

/// Checks the routing policy at `path`.
pub(super) fn check_routing(_path: &str, policy: &RoutingPolicy, _r: &mut Report) {
    match policy {
        RoutingPolicy::RoundRobin | RoutingPolicy::Random | RoutingPolicy::LeastLoaded => {}
    }
}
