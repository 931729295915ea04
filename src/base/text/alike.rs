//! Suggestions for misspelt names: a name is suggested only if it resembles the written one.

/// Least likeness, from 0 to 1, of a suggested name: "replica" resembles "replicas", "speed" resembles nothing.
const LEAST: f64 = 0.6;
/// Most changes of a letter that count as a slip.
const SLIP: usize = 2;

/// The name that resembles `what` most, if any; the first of equal ones.
pub fn nearest<'a, N: AsRef<str> + ?Sized + 'a>(
    what: &str,
    names: impl IntoIterator<Item = &'a N>,
) -> Option<&'a str> {
    let what = plain(what);
    let mut best = None;
    for name in names {
        let name = name.as_ref();
        let likeness = likeness(&what, &plain(name));
        if likeness >= best.map_or(LEAST, |(least, _): (f64, _)| least + f64::EPSILON) {
            best = Some((likeness, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Whether `what` is `name` misspelt or cut short, rather than a name of its own: a letter or two differ, or the end is missing.
pub fn is_slip(what: &str, name: &str) -> bool {
    let (what, name) = (plain(what), plain(name));
    let changes = strsim::osa_distance(&what, &name);
    let few = changes <= SLIP && changes * 3 <= what.len().max(name.len());
    few || is_beginning(&what, &name)
}

/// From 0 for nothing in common to 1 for the same: the share of letters that need no change, two exchanged ones counting once.
fn likeness(what: &str, name: &str) -> f64 {
    let longer = what.chars().count().max(name.chars().count());
    if longer == 0 {
        return 0.0;
    }
    let same = 1.0 - strsim::osa_distance(what, name) as f64 / longer as f64;
    // The beginning of a name is more like it than any name with as many changes.
    if is_beginning(what, name) { same.max(LEAST + 0.1) } else { same }
}

/// Whether `what`, but for the `s` of a plural, begins `name`.
fn is_beginning(what: &str, name: &str) -> bool {
    let what = what.strip_suffix('s').unwrap_or(what);
    what.len() > 4 && name.starts_with(what)
}

/// Small letters without joiners of words, so that `maxReplicas`, `max_replicas` and `max-replicas` are the same.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_resembles_no_name_gets_no_suggestion() {
        let kinds = ["HorizontalPodAutoscaler", "ScaledObject", "VariantAutoscaling", "ConfigMap"];
        for what in ["EndpointPickerConfig", "Deployment", "", "x", "Kind", "é"] {
            assert_eq!(nearest(what, kinds), None, "{what}");
        }
        assert_eq!(nearest("enableRescale", ["enableLimiter", "analyzers", "kvCacheThreshold"]), None);
        assert_eq!(nearest("B200", ["H100Sxm", "A100Sxm80", "L40S"]), None);
    }

    #[test]
    fn slips_cut_names_and_other_ways_to_join_words_are_suggested() {
        for (what, name) in [
            ("sfj", "sjf"),
            ("lest-loaded", "least-loaded"),
            ("replica", "replicas"),
            ("minReplicas", "minReplicaCount"),
            ("kv_cache_threshold", "kvCacheThreshold"),
            ("Horizontal", "HorizontalPodAutoscaler"),
        ] {
            let names = ["round-robin", name, "seed", "unrelated"];
            assert_eq!(nearest(what, names), Some(name), "{what}");
            assert!(is_slip(what, name), "{what}");
        }
        assert!(!is_slip("scaleToZeroThreshold", "scaleUpThreshold"), "a name of its own");
        assert!(!is_slip("name", "namespace"), "a short word that begins another");
        assert!(!is_slip("tp", "up") && !is_slip("x", "min"), "short names differ in every letter");
    }
}
