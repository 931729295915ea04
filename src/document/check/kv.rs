//! Checks the KV cache: settings of its CPU tier without effect.

use crate::table::report::Report;
use crate::{Compat, CpuTier, KvCache, TierWrite};

pub(super) fn check_kv(path: &str, kv: &KvCache, compat: Compat, r: &mut Report) {
    if compat == Compat::Blis && kv.cpu_tier == CpuTier::Offloading {
        r.error(
            format!("{path}.cpu_tier"),
            "offloading, with cluster.compat blis",
            "auto or blis there",
            "that simulator has its own tier: leave the key out, or use another compat",
        );
        return;
    }
    let mut settings = set(kv);
    // What is refused already is no setting.
    settings.retain(|name| r.are_fine(path, &[name]));
    if !r.are_fine(path, &["cpu_blocks"]) {
        return;
    }
    if kv.cpu_blocks == 0 {
        if !settings.is_empty() {
            r.warning(
                format!("{path}.cpu_blocks"),
                format!("no CPU tier, and settings for one ({})", settings.join(", ")),
                "",
                "give the tier blocks, or leave the settings out",
            );
        }
        return;
    }
    if !kv.prefix_caching {
        r.warning(
            format!("{path}.cpu_blocks"),
            "a CPU tier without prefix caching",
            "",
            "nothing is ever looked for in it: turn prefix_caching on, or use 0 for no CPU tier",
        );
    }
    let blis = kv.uses_tier_of_blis(compat);
    let unused: &[&str] =
        if blis { &["cpu_write", "cpu_ttl_s", "offload_prompt_only"] } else { &["offload_threshold"] };
    for unused in unused.iter().filter(|unused| settings.contains(unused)) {
        let (used, other) = if blis { ("blis", "offloading") } else { ("offloading", "blis") };
        r.warning(
            format!("{path}.{unused}"),
            format!("a setting of the CPU tier {other}, where the tier is {used}"),
            "",
            "leave it out, or choose the tier with cpu_tier",
        );
    }
}

/// The settings of a CPU tier that are not what they are by default.
fn set(kv: &KvCache) -> Vec<&'static str> {
    let plain = KvCache::default();
    let all = [
        ("cpu_tier", kv.cpu_tier != CpuTier::Auto),
        ("cpu_write", kv.cpu_write != TierWrite::WriteThrough),
        ("cpu_ttl_s", kv.cpu_ttl_s > 0.0),
        ("offload_prompt_only", kv.offload_prompt_only && kv.secondary_tiers.is_empty()),
        ("offload_threshold", kv.offload_threshold.to_bits() != plain.offload_threshold.to_bits()),
        (
            "transfer_tokens_per_us",
            kv.transfer_tokens_per_us.to_bits() != plain.transfer_tokens_per_us.to_bits(),
        ),
        ("transfer_base_us", kv.transfer_base_us != plain.transfer_base_us),
    ];
    all.into_iter().filter(|(_, set)| *set).map(|(name, _)| name).collect()
}
