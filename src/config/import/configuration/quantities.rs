//! Quantities and durations as Kubernetes and Go write them.

/// Decimal and binary suffixes of quantities.
const UNITS: [(&str, f64); 15] = [
    ("Ki", 1024.0),
    ("Mi", 1_048_576.0),
    ("Gi", 1_073_741_824.0),
    ("Ti", 1_099_511_627_776.0),
    ("Pi", 1_125_899_906_842_624.0),
    ("Ei", 1_152_921_504_606_846_976.0),
    ("n", 1e-9),
    ("u", 1e-6),
    ("m", 1e-3),
    ("k", 1e3),
    ("M", 1e6),
    ("G", 1e9),
    ("T", 1e12),
    ("P", 1e15),
    ("E", 1e18),
];

/// A quantity of Kubernetes, such as `500m`, `2k`, `10Gi` or `1e3`.
pub(crate) fn quantity_of(text: &str) -> Option<f64> {
    let text = text.trim();
    let unit = UNITS.into_iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)));
    let (digits, factor) = unit.unwrap_or((text, 1.0));
    let is_number = digits.ends_with(|c: char| c.is_ascii_digit() || c == '.');
    digits.parse::<f64>().ok().filter(|x| is_number && x.is_finite()).map(|x| x * factor)
}

/// A whole number of things, which a text may be: `"3"`, `"1k"`.
pub(crate) fn count_of(text: &str) -> Option<u64> {
    quantity_of(text).filter(|x| *x >= 0.0 && x.fract() == 0.0 && *x < 1e15).map(|x| x as u64)
}

/// A duration as Go and Kubernetes write it, such as `1m30s` or `50ms`, in seconds.
pub(crate) fn seconds_of(text: &str) -> Option<f64> {
    const UNITS: [(&str, f64); 6] =
        [("ms", 1e-3), ("us", 1e-6), ("µs", 1e-6), ("h", 3600.0), ("m", 60.0), ("s", 1.0)];
    let mut rest = text.trim();
    let mut all = 0.0;
    if let Ok(plain) = rest.parse::<f64>() {
        return Some(plain).filter(|x| x.is_finite());
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at(digits);
        let (after, factor) =
            UNITS.iter().find_map(|(unit, factor)| Some((after.strip_prefix(unit)?, factor)))?;
        all += number.parse::<f64>().ok()? * factor;
        rest = after;
    }
    Some(all).filter(|x: &f64| x.is_finite() && !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_the_suffixes_of_kubernetes() {
        for (text, value) in [
            ("500m", Some(0.5)),
            ("1k", Some(1000.0)),
            ("10Gi", Some(10_737_418_240.0)),
            ("1E", Some(1e18)),
            ("1e3", Some(1000.0)),
            (" 5 ", Some(5.0)),
            ("0.8", Some(0.8)),
            ("2Ti", Some(2_199_023_255_552.0)),
            ("100n", Some(1e-7)),
            ("", None),
            ("m", None),
            ("5 GB", None),
            ("inf", None),
            ("nan", None),
        ] {
            let found = quantity_of(text);
            let same = found.zip(value).is_none_or(|(a, b)| (a - b).abs() <= b * 1e-12);
            assert!(found.is_some() == value.is_some() && same, "{text}: {found:?}");
        }
        assert_eq!(["2", "1k", "2.5", "-1", "x"].map(count_of), [Some(2), Some(1000), None, None, None]);
    }
}
