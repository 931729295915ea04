//! Mooncake's store as one of `cluster.kv_stores`.

use document::limits;
use serde_json::{Value, json};

/// The name of the store.
pub(crate) const MOONCAKE: &str = "mooncake";

/// The lease of Mooncake's master on a block that is read.
const LEASE_MS: f64 = 10_000.0;

const KIB: f64 = 1024.0;

/// The store: it makes room by its watermark.
pub(crate) fn store() -> Value {
    json!({ "name": MOONCAKE, "eviction": { "watermark": {} }, "lease_ms": LEASE_MS })
}

/// The GB of a size as Mooncake writes it: bytes, or a number with a unit of powers of 1024, such as `64GB`.
pub(crate) fn size_gb(value: &Value) -> Option<f64> {
    let bytes = match value.as_str() {
        Some(text) => bytes_of(&text.trim().to_ascii_lowercase())?,
        None => value.as_f64()?,
    };
    let gb = bytes / 1e9;
    (0.0..=limits::TIER_GB).contains(&gb).then_some(gb)
}

fn bytes_of(text: &str) -> Option<f64> {
    const UNITS: [(&str, i32); 8] =
        [("tb", 4), ("gb", 3), ("mb", 2), ("kb", 1), ("g", 3), ("m", 2), ("k", 1), ("b", 0)];
    let unit = UNITS.iter().find_map(|(unit, power)| Some((text.strip_suffix(unit)?, *power)));
    let (digits, power) = unit.unwrap_or((text, 0));
    let factor = (0..power).fold(1.0, |all, _| all * KIB);
    digits.trim().parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0).map(|x| x * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_the_units_of_mooncake() {
        let gib = 1_073_741_824.0 / 1e9;
        for (value, gb) in [
            (json!("4gb"), Some(4.0 * gib)),
            (json!("64 GB"), Some(64.0 * gib)),
            (json!(2_000_000_000_u64), Some(2.0)),
            (json!("1000000000"), Some(1.0)),
            (json!("0"), Some(0.0)),
            (json!("-1gb"), None),
            (json!("much"), None),
            (json!(true), None),
        ] {
            assert_eq!(size_gb(&value).map(f64::to_bits), gb.map(f64::to_bits), "{value}");
        }
    }
}
