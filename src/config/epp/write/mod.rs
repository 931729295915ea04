//! Export of the router's configuration of llm-d and the Gateway API (`EndpointPickerConfig`). A weighted router is a
//! profile with its scorers, filters and picker; where pools have roles, the router of homes is the profile `decode`
//! and that of prefills the profile `prefill`.

mod draft;
mod flow;
mod kept;
mod memory;
mod profile;
mod scorers;
mod stage;
mod stages;
mod there;

use crate::export::{Language, Row, SystemExport, Written};
use crate::yaml::node::{YamlNode, documents, find};
use crate::yaml::scalar::number;
use crate::yaml::want::{Changes, merge, new_file};
use document::Scenario;
use draft::Draft;
use there::There;

/// The router of llm-d.
pub(crate) const EXPORT: SystemExport =
    SystemExport { name: "epp", title: "llm-d", file_name: "epp.yaml", language: Language::Yaml, write };

fn write(scenario: &Scenario, beside: Option<&str>) -> Written {
    let found = beside.map(|text| (text, picker_in(text)));
    let (there, not_beside) = match &found {
        Some((_, Some(node))) => (There::of(node), None),
        Some((_, None)) => {
            (There::default(), Some("it has no EndpointPickerConfig that can be followed".to_owned()))
        }
        None => (There::default(), None),
    };
    let mut draft = Draft::new(&there);
    let profiles = stages::profiles(&mut draft, scenario);
    flow::rows(&mut draft, scenario);
    kept::rows(&mut draft, scenario);
    signals(&mut draft, scenario);
    let (text, without_comments) = match &found {
        Some((text, Some(node))) => {
            let mut changes = Changes::default();
            merge(text, node, &draft.file(&profiles), &mut changes);
            (changes.made(text), node.flow)
        }
        _ if profiles.is_empty() && draft.flow.is_empty() && !kept::is_said(scenario) => {
            (String::new(), false)
        }
        _ => (new_file(&draft.file(&profiles)), false),
    };
    Written { text, rows: draft.rows, notes: draft.notes, not_beside, without_comments, ..Written::default() }
}

/// The configuration of a router in a text, also within another document.
fn picker_in(text: &str) -> Option<YamlNode> {
    let is_one =
        |node: &YamlNode| node.get("kind").and_then(YamlNode::scalar) == Some("EndpointPickerConfig");
    documents(text).iter().flat_map(|document| find(text, document, &is_one)).next()
}

/// What the router knows of replicas, and how fast.
fn signals(draft: &mut Draft<'_>, scenario: &Scenario) {
    let refresh_us = scenario.cluster.snapshot_refresh_us;
    let ms = number(refresh_us as f64 / 1000.0);
    let path = "cluster.snapshot_refresh_us";
    let theirs = "--refresh-metrics-interval";
    let why = match refresh_us {
        50_000 => "it is the default of the router's flag --refresh-metrics-interval".to_owned(),
        0 => "here each decision sees the present; the router looks every 50 ms (--refresh-metrics-interval)"
            .to_owned(),
        _ => format!("not in this file: start the router with --refresh-metrics-interval={ms}ms"),
    };
    let row = Row::near(path, "signal refresh", format!("{ms} ms"), theirs, &why);
    draft.rows.push(row.default_there(true));
}
