//! Objects of Kubernetes, one for each pool: new ones, or those of a file that are about the pool.

use super::scalar::Scalar;
use super::want::{Changes, Want, merge, new_file};
use super::yaml::{Node, documents, find};
use super::{Row, Written};
use document::{Pool, ScalingPolicy, Scenario};

/// The object of a pool: its pool, its path in the scenario, the object of the file, and the rows so far.
pub(super) type Object<'f> = dyn Fn(&Pool, &str, Option<&Node>, &mut Vec<Row>) -> Option<Want<'static>> + 'f;

/// The objects of a kind in a text.
pub(super) fn of_kind(text: &str, kind: &str) -> Vec<Node> {
    let is_one = |node: &Node| node.get("kind").and_then(Node::scalar) == Some(kind);
    documents(text).iter().flat_map(|document| find(text, document, &is_one)).collect()
}

/// A file with an object for each pool that has one.
pub(super) fn written(scenario: &Scenario, kind: &str, beside: Option<&str>, object: &Object<'_>) -> Written {
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
pub(super) fn nothing(scenario: &Scenario) -> Option<&'static str> {
    let none = scenario.cluster.pools.iter().all(|pool| pool.scaling.policy == ScalingPolicy::None);
    none.then_some("no pool has an autoscaler")
}

/// The file of changed and new objects.
pub(super) fn finished(
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
pub(super) fn about<'n>(there: &'n [Node], pool: &Pool, pools: &[Pool]) -> Option<&'n Node> {
    let target = |node: &&Node| {
        node.at(&["spec", "scaleTargetRef", "name"]).and_then(Node::scalar) == Some(pool.name.as_str())
    };
    let by_name = there.iter().find(target);
    by_name.or_else(|| there.first().filter(|_| there.len() == 1 && pools.len() == 1))
}

/// What an object scales.
pub(super) fn target(pool: &Pool, there: Option<&Node>) -> Want<'static> {
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
pub(super) fn metadata(pool: &Pool, there: Option<&Node>) -> Want<'static> {
    if there.is_some() {
        return Want::Anything;
    }
    Want::Map(vec![("name", Want::said(name_of(pool).as_str()))])
}

/// A pool's name as Kubernetes takes it: lower case letters, digits and dashes.
pub(super) fn name_of(pool: &Pool) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name: String = pool.name.chars().map(letter).take(63).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "pool".to_owned() } else { name.to_owned() }
}

/// The fewest and the most replicas.
pub(super) fn replicas(
    pool: &Pool,
    at: &str,
    keys: [&'static str; 2],
    defaults: [Option<u32>; 2],
    there: Option<&Node>,
    rows: &mut Vec<Row>,
) -> Vec<(&'static str, Want<'static>)> {
    let scaling = &pool.scaling;
    let mut all = Vec::new();
    let ours = [("min", "fewest replicas", scaling.min), ("max", "most replicas", scaling.max)];
    for (((key, name, n), theirs), default) in ours.into_iter().zip(keys).zip(defaults) {
        let before = there.and_then(|node| node.at(&["spec", theirs])?.scalar());
        let before = before.filter(|text| !Scalar::from(n).is_said_by(text)).map(str::to_owned);
        let row = Row::exact(format!("{at}.scaling.{key}"), name, n, theirs);
        rows.push(row.default_there(default == Some(n)).was(before));
        all.push((theirs, default.map_or_else(|| Want::said(n), |default| Want::unless(n, default))));
    }
    all
}
