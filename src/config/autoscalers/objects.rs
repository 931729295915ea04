//! Objects of Kubernetes, one for each pool: new ones, or those of a file that are about the pool.

use crate::export::{Row, Written};
use crate::yaml::node::{YamlNode, documents, find};
use crate::yaml::want::{Changes, Want, merge, new_file};
use document::{Pool, ScalingPolicy, Scenario};

/// The object of a pool: its pool, its path in the scenario, the object of the file, and the rows so far.
pub(crate) type Object<'f> =
    dyn Fn(&Pool, &str, Option<&YamlNode>, &mut Vec<Row>) -> Option<Want<'static>> + 'f;

/// The objects of a kind in a text.
pub(crate) fn of_kind(text: &str, kind: &str) -> Vec<YamlNode> {
    let is_one = |node: &YamlNode| node.get("kind").and_then(YamlNode::scalar) == Some(kind);
    documents(text).iter().flat_map(|document| find(text, document, &is_one)).collect()
}

/// A file with an object for each pool that has one.
pub(crate) fn written(scenario: &Scenario, kind: &str, beside: Option<&str>, object: &Object<'_>) -> Written {
    let there = beside.map(|text| of_kind(text, kind)).unwrap_or_default();
    let mut rows = Vec::new();
    let pools = &scenario.cluster.pools;
    let mut changes = Changes::default();
    let (mut new, mut changed) = (Vec::new(), false);
    for (i, pool) in pools.iter().enumerate() {
        let node = about(&there, pool, pools);
        let Some(want) = object(pool, &format!("cluster.pools[{i}]"), node, &mut rows) else { continue };
        match (beside, node) {
            (Some(text), Some(node)) => {
                merge(text, node, &want, &mut changes);
                changed = true;
            }
            _ => new.push(new_file(&want)),
        }
    }
    finished(
        Written { rows, nothing: nothing(scenario), ..Written::default() },
        beside,
        changed,
        changes,
        &new,
        kind,
    )
}

/// Why there is nothing to write where no pool scales.
pub(crate) fn nothing(scenario: &Scenario) -> Option<&'static str> {
    let none = scenario.cluster.pools.iter().all(|pool| pool.scaling.policy == ScalingPolicy::None);
    none.then_some("no pool has an autoscaler")
}

/// The file of changed and new objects.
pub(crate) fn finished(
    written: Written,
    beside: Option<&str>,
    changed: bool,
    changes: Changes,
    new: &[String],
    kind: &str,
) -> Written {
    let added = new.join("---\n");
    match beside {
        Some(text) if changed => {
            let mut text = changes.made(text);
            if !added.is_empty() {
                let end = if text.ends_with('\n') { "" } else { "\n" };
                text = format!("{text}{end}---\n{added}");
            }
            Written { text, ..written }
        }
        Some(text) if new.is_empty() => Written { text: text.to_owned(), ..written },
        Some(_) => {
            let not_beside = Some(format!("it has no {kind} of a pool that can be followed"));
            Written { text: added, not_beside, ..written }
        }
        None => Written { text: added, ..written },
    }
}

/// The object about a pool: by the name of its target, or the only one for the only pool.
pub(crate) fn about<'n>(there: &'n [YamlNode], pool: &Pool, pools: &[Pool]) -> Option<&'n YamlNode> {
    let target = |node: &&YamlNode| {
        node.at(&["spec", "scaleTargetRef", "name"]).and_then(YamlNode::scalar) == Some(pool.name.as_str())
    };
    let by_name = there.iter().find(target);
    by_name.or_else(|| there.first().filter(|_| there.len() == 1 && pools.len() == 1))
}

/// What an object scales.
pub(crate) fn target(pool: &Pool, there: Option<&YamlNode>) -> Want<'static> {
    if there.is_some() {
        return Want::Anything;
    }
    Want::Map(vec![
        ("apiVersion", Want::said("apps/v1")),
        ("kind", Want::said("Deployment")),
        ("name", Want::said(name_of(pool).as_str())),
    ])
}

/// The name of an object.
pub(crate) fn metadata(pool: &Pool, there: Option<&YamlNode>) -> Want<'static> {
    if there.is_some() {
        return Want::Anything;
    }
    Want::Map(vec![("name", Want::said(name_of(pool).as_str()))])
}

/// A pool's name as Kubernetes takes it: lower case letters, digits and dashes.
pub(crate) fn name_of(pool: &Pool) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name: String = pool.name.chars().map(letter).take(63).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "pool".to_owned() } else { name.to_owned() }
}
