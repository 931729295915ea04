//! Lists of named weights as text, such as `prefix-affinity:3,queue-depth:2`: scorers as routers and papers write them.

use super::left_open::weighted_routers;
use crate::Scorer;
use base::alike::nearest;
use base::{Diagnostic, Diagnostics};
use serde_json::{Value, json};

/// Writes a text of scorers as the list that it stands for. A text that is none is reported and taken out.
pub(super) fn normalise(document: &mut Value) -> Diagnostics {
    let mut problems = Diagnostics::new();
    weighted_routers(document, |router, weighted| {
        let Some(Value::String(text)) = weighted.get("scorers") else { return };
        let names = Scorer::NAMED.map(|scorer| scorer.name().to_owned());
        let (list, found) = named_weights(text, &format!("{router}.weighted.scorers"), &names);
        let rows = list.into_iter().map(|(scorer, weight)| json!({ "scorer": scorer, "weight": weight }));
        let rows: Value = rows.collect();
        weighted.insert("scorers".to_owned(), rows);
        problems.extend(found);
    });
    problems
}

/// The names and weights of a text at `path`, and what is wrong with it.
pub fn named_weights<'a>(text: &'a str, path: &str, names: &[String]) -> (Vec<(&'a str, f64)>, Diagnostics) {
    let (mut list, mut problems) = (Vec::new(), Diagnostics::new());
    let form = "NAME:WEIGHT, several separated by commas";
    for (i, entry) in text.split(',').map(str::trim).enumerate() {
        let mut wrong = |found: String, allowed: &str, fix: String| {
            problems.push(Diagnostic::error(path, found, allowed, fix));
        };
        let (name, weight) = match entry.split_once(':') {
            Some((name, weight)) => (name.trim_end(), Some(weight.trim_start())),
            None => (entry, None),
        };
        if name.is_empty() {
            let fix = "such as prefix-affinity:3,queue-depth:2".to_owned();
            wrong(format!("entry {} without a name", i + 1), form, fix);
        } else if !names.iter().any(|known| known == name) {
            let like = nearest(name, names);
            let fix =
                like.map_or_else(|| "choose one of these".to_owned(), |n| format!("did you mean `{n}`?"));
            let short: String = name.chars().take(60).collect();
            wrong(format!("unknown scorer \"{short}\""), &names.join(", "), fix);
        } else if let Some(weight) = weight {
            if let Some(weight) = weight.parse::<f64>().ok().filter(|weight| weight.is_finite()) {
                list.push((name, weight));
            } else {
                let short: String = weight.chars().take(60).collect();
                wrong(format!("\"{short}\" as the weight of {name}"), "a number", format!("write {name}:1"));
            }
        } else {
            wrong(format!("{name} without a weight"), form, format!("write {name}:1"));
        }
    }
    (list, problems)
}

#[cfg(test)]
mod tests {
    use crate::{Change, Profile, RoutingPolicy, Scenario, Weighted, check, from_value, set_field};
    use serde_json::{Value, json};

    fn weighted(s: &Scenario) -> &Weighted {
        let RoutingPolicy::Weighted(weighted) = &s.cluster.routing else { panic!("{s:?}") };
        weighted
    }

    /// Names and weights, with the profile.
    fn said(s: &Scenario) -> (Profile, Vec<(&str, f64)>) {
        let w = weighted(s);
        (w.profile, w.scorers.iter().map(|row| (row.scorer.name(), row.weight)).collect())
    }

    const TEXT: &str = "prefix-affinity:3, queue-depth : 2,cost:0.5";

    fn meant() -> (Profile, Vec<(&'static str, f64)>) {
        (Profile::Custom, vec![("prefix-affinity", 3.0), ("queue-depth", 2.0), ("cost", 0.5)])
    }

    #[test]
    fn a_text_of_named_weights_is_read_wherever_scorers_are() {
        let document = json!({ "cluster": { "routing": { "weighted": { "scorers": TEXT } } } });
        let s = from_value(document).expect("a scenario");
        assert_eq!(said(&s), meant());
        // By a path, over another policy, another profile or none.
        for before in [json!("random"), json!({"weighted": {"profile": "llm-d-1.0"}}), json!({"kv-cost": {}})]
        {
            let mut document = json!({ "cluster": { "routing": before } });
            set_field(&mut document, "cluster.routing.weighted.scorers", TEXT).expect("a path");
            let s = from_value(document).expect("a scenario");
            assert_eq!(said(&s), meant());
            assert!(check(s).is_ok());
        }
        // In an edit, as a field and as a part of a policy.
        let (checked, _) = check(Scenario::default()).expect("the default is good");
        for change in [
            Change::set("cluster.routing.weighted.scorers", TEXT),
            Change::set("cluster.routing", json!({ "weighted": { "scorers": TEXT } })),
        ] {
            let (after, _) = checked.edited(&change).expect("scorers");
            assert_eq!(said(after.get()), meant());
            let change = Change::set("cluster.routing.weighted.scorers", "cost:1");
            let (after, _) = after.edited(&change).expect("other scorers");
            assert_eq!(said(after.get()), (Profile::Custom, vec![("cost", 1.0)]));
        }
    }

    #[test]
    fn the_router_of_prefills_takes_a_text_too() {
        let path = "cluster.disaggregation.prefill_routing.weighted.scorers";
        let prefill = |s: &Scenario| {
            let policy = s.cluster.disaggregation.as_ref().and_then(|d| d.prefill_routing.clone());
            let Some(RoutingPolicy::Weighted(w)) = policy else { panic!("{s:?}") };
            (w.profile, w.scorers.iter().map(|row| (row.scorer.name(), row.weight)).collect::<Vec<_>>())
        };
        let router = json!({ "weighted": { "scorers": TEXT } });
        let s = from_value(json!({ "cluster": { "disaggregation": { "prefill_routing": router } } }));
        assert_eq!(prefill(&s.expect("a scenario")), meant());
        for before in [json!(null), json!("random"), json!({"weighted": {"profile": "llm-d-1.0"}})] {
            let mut document = json!({ "cluster": { "disaggregation": { "prefill_routing": before } } });
            set_field(&mut document, path, TEXT).expect("a path");
            assert_eq!(prefill(&from_value(document).expect("a scenario")), meant());
        }
        let (checked, _) = check(Scenario::default()).expect("the default is good");
        let (after, _) = checked.edited(&Change::set(path, TEXT)).expect("scorers");
        assert_eq!(prefill(after.get()), meant());
        let llm_d = Change::set(
            "cluster.disaggregation.prefill_routing",
            json!({ "weighted": { "profile": "llm-d-1.0" } }),
        );
        let (after, _) = after.edited(&llm_d).expect("a profile");
        let (after, _) = after.edited(&Change::set(path, "cost:1")).expect("other scorers");
        assert_eq!(prefill(after.get()), (Profile::Custom, vec![("cost", 1.0)]));
        let router = json!({ "weighted": { "scorers": "cots:1" } });
        let bad = from_value(json!({ "cluster": { "disaggregation": { "prefill_routing": router } } }));
        let problems = bad.expect_err("an unknown scorer");
        assert_eq!((problems[0].path.as_str(), problems.len()), (path, 1));
    }

    #[test]
    fn scorers_in_an_edit_replace_a_profile_unless_the_edit_names_one() {
        let routing = json!({ "cluster": { "routing": { "weighted": { "profile": "llm-d-1.0-decode" } } } });
        let (checked, _) = from_value(routing).and_then(check).expect("a profile");
        let change =
            Change::set("cluster.routing.weighted.scorers", json!([{"scorer": "cost", "weight": 1}]));
        let (after, _) = checked.edited(&change).expect("scorers");
        assert_eq!(said(after.get()), (Profile::Custom, vec![("cost", 1.0)]));
        let both = change.and_set("cluster.routing.weighted.profile", "blis-default");
        let problems = checked.edited(&both).expect_err("only one can be meant");
        assert_eq!(problems[0].path, "cluster.routing.weighted.scorers");
    }

    #[test]
    fn every_bad_entry_of_a_text_gets_one_message() {
        let messages = |text: &str| -> Vec<String> {
            let document: Value = json!({ "cluster": { "routing": { "weighted": { "scorers": text } } } });
            let problems = from_value(document).expect_err(text);
            problems.iter().map(ToString::to_string).collect()
        };
        let at = "error: cluster.routing.weighted.scorers: ";
        let form = "allowed: NAME:WEIGHT, several separated by commas";
        let all = messages("queue-dept:2,cost,cost:much,,cost:1");
        assert_eq!(all.len(), 4, "{all:#?}");
        assert!(
            all[0].starts_with(&format!("{at}unknown scorer \"queue-dept\"; allowed: prefix-affinity, "))
        );
        assert!(all[0].ends_with("did you mean `queue-depth`?"), "{}", all[0]);
        assert_eq!(all[1], format!("{at}cost without a weight; {form}; write cost:1"));
        assert_eq!(all[2], format!("{at}\"much\" as the weight of cost; allowed: a number; write cost:1"));
        let fix = "such as prefix-affinity:3,queue-depth:2";
        assert_eq!(all[3], format!("{at}entry 4 without a name; {form}; {fix}"));
        assert_eq!(messages("").len(), 1);
        // What a list may not have, a text may not have either.
        let twice = json!({ "cluster": { "routing": { "weighted": { "scorers": "cost:1,cost:0" } } } });
        let problems = from_value(twice).and_then(check).expect_err("twice, and a weight of 0");
        assert_eq!(problems.len(), 2, "{problems:?}");
    }
}
