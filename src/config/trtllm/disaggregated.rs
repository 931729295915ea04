//! Import of the file of `trtllm-serve disaggregated`: the servers of prefill (`context_servers`) and decode (`generation_servers`), by
//! their addresses, or with the options that they are started with.

use crate::command::flags::Word;
use crate::command::shell::EngineCommand;
use crate::import::configuration::reader::Unknown;
use crate::import::configuration::server_identity::NamedBy;
use crate::import::configuration::sets::PoolOf;
use crate::import::configuration::{Configuration, Reader, Report, Settings};
use crate::kubernetes::object::is_object;
use crate::trtllm::config_file::{DISAGGREGATED, NO_OPTION, options};
use crate::trtllm::read::command;
use crate::vllm::read::Around;
use base::import::Import;
use document::limits;
use serde_json::{Value, json};

/// The file of a frontend with servers of both roles.
pub(crate) struct TrtllmDisaggregated;

/// The roles of the sections.
const ROLES: [&str; 2] = ["prefill", "decode"];
/// Keys of a section that are no options of a server.
const OF_FRONTEND: [&str; 3] = ["num_instances", "urls", "router"];

impl Import<Configuration> for TrtllmDisaggregated {
    fn name(&self) -> &'static str {
        "trtllm-disaggregated"
    }

    fn title(&self) -> &'static str {
        "servers of trtllm-serve disaggregated"
    }

    fn recognises(&self, source: &Value) -> bool {
        let has = |key: &str| source.get(key).is_some_and(Value::is_object);
        !is_object(source) && DISAGGREGATED.iter().all(|key| has(key))
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        for (at, role) in DISAGGREGATED.into_iter().zip(ROLES) {
            servers(&mut r, at, role);
        }
        for key in ["hostname", "port"] {
            r.without_counterpart(key, "it is an address");
        }
        let decider = "cluster.disaggregation.decider says who prefills";
        r.without_counterpart("conditional_disagg_config", decider);
        r.without_counterpart_of_rest("", NO_OPTION);
        r.finish(Unknown::LeftOut, report);
        Settings::default()
    }
}

/// Reads the servers of a role.
fn servers(r: &mut Reader<'_>, at: &str, role: &'static str) {
    let urls = format!("{at}.urls");
    for i in 0..r.entries(&urls) {
        let path = format!("{urls}.{i}");
        let by = r.get(&path).and_then(Value::as_str).and_then(NamedBy::address);
        r.without_counterpart(&path, "it is an address");
        if let Some(by) = by {
            r.role_of_servers(&path, role, by);
        }
    }
    let number = format!("{at}.num_instances");
    let keys = r.get(at).and_then(Value::as_object).into_iter().flat_map(|map| map.keys());
    let says_servers = keys.clone().any(|key| !OF_FRONTEND.contains(&key.as_str()));
    if says_servers {
        let of = PoolOf::defined(role);
        r.set_pool_default(&of, "role", json!(role), 2);
        let model = r.get("model").and_then(Value::as_str).map(str::to_owned);
        let flags: Vec<Word> = model
            .map(|text| Word { path: "model".to_owned(), text: format!("--model={text}") })
            .into_iter()
            .collect();
        let around = Around { of: of.clone(), whole: true, role: Some(role), ..Around::default() };
        command(r, &EngineCommand { flags, ..EngineCommand::default() }, &around);
        options(r, at, &of);
        if let Some(n) = r.whole(&number, "replicas") {
            r.set_pool(&number, &of, "replicas", json!(n.min(limits::REPLICAS.into())));
        } else {
            r.set_pool_usual(&of, "replicas", json!(1), 1);
        }
    } else {
        r.without_counterpart(
            &number,
            "the commands at these addresses are the servers: give them beside this file",
        );
    }
    r.without_counterpart_of_rest(at, NO_OPTION);
}
