//! What routers name servers by, and what they can know a server by.

use crate::import::configuration::sets::PoolOf;
use serde_json::Value;

/// What a router names servers by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NamedBy {
    /// Labels that a server has, all of them.
    Labels(Vec<(String, String)>),
    /// The host of an address, and its port.
    Address { host: String, port: Option<u64> },
}

/// A role that a router gives servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RouterRole {
    /// Number of the router's document.
    pub(crate) document: usize,
    /// The key that says it.
    pub(crate) key: String,
    pub(crate) role: &'static str,
    pub(crate) by: NamedBy,
}

/// What a router can know the servers of a pool by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ServerIdentity {
    /// Number of their document.
    pub(crate) document: usize,
    pub(crate) of: PoolOf,
    pub(crate) labels: Vec<(String, String)>,
    /// The name of their service or object.
    pub(crate) host: Option<String>,
    pub(crate) port: Option<u64>,
}

impl NamedBy {
    /// An address by its text, such as `http://host:8000`.
    pub(crate) fn address(text: &str) -> Option<Self> {
        let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
        let rest = rest.split('/').next().unwrap_or_default().trim();
        let (host, port) = match rest.rsplit_once(':') {
            Some((host, port)) => (host, Some(port.parse().ok()?)),
            None => (rest, None),
        };
        (!host.is_empty()).then(|| Self::Address { host: host.to_owned(), port })
    }

    /// Labels by a selector: `role=prefill,app=chat`.
    pub(crate) fn selector(texts: &[&str]) -> Option<Self> {
        // What only the cluster knows, and numbers of pods, tell no servers apart here.
        let is_known = |part: &&str| !part.is_empty() && !part.contains('$') && !part.contains("-index=");
        let parts = texts.iter().flat_map(|text| text.split([',', ' '])).filter(is_known);
        let pair = |part: &str| part.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
        let all: Vec<(String, String)> = parts.map(pair).collect::<Option<_>>()?;
        (!all.is_empty()).then_some(Self::Labels(all))
    }

    /// What it is in a message.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Labels(all) => {
                let all: Vec<String> = all.iter().map(|(key, value)| format!("{key}={value}")).collect();
                format!("the label {}", all.join(" and "))
            }
            Self::Address { host, port: Some(port) } => format!("the address {host}:{port}"),
            Self::Address { host, port: None } => format!("the address {host}"),
        }
    }
}

/// The labels at a section.
pub(crate) fn labels_of(section: Option<&Value>) -> Vec<(String, String)> {
    let map = section.and_then(Value::as_object).into_iter().flatten();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    map.map(|(key, value)| (key.clone(), text(value))).collect()
}
