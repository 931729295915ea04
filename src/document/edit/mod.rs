//! Edits: changes during a run. An edit is a change of the document, or of one routing decision, with a position on
//! the clock.

pub(crate) mod between;
pub mod edit_label;
pub(crate) mod edit_list;
pub(crate) mod edited;
pub(crate) mod further_entry;
pub(crate) mod in_force;
pub(crate) mod key_order;
pub(crate) mod split;
pub(crate) mod undo;

use crate::Fault;
#[cfg(feature = "schema")]
use crate::limits;
use serde_json::{Map, Value};

/// New values of fields, by path.
pub type FieldValues = Map<String, Value>;

/// Redirection of one request.
#[apply(schema!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct Route {
    /// Number of the request; the first to arrive is 0.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = limits::REQUESTS - 1)))]
    pub request: u32,
    /// Number of the replica: those of the first pool come first, those started later last.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = limits::REPLICAS_STARTED - 1)))]
    pub to: u32,
}

crate::shape! { entry Route { request to } }

/// An edit and when it applies: it sets a field, adds an entry, redirects a request or breaks something.
#[apply(schema!)]
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields, transform = crate::table::describe::needs_an_instant))]
pub struct TimedEdit {
    /// Instant, in microseconds after the start. The edit applies before the first event at or after it.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = limits::HORIZON_S as u64 * 1_000_000)))]
    pub at_us: u64,
    /// Set by the playground: the edit applies when exactly this many events have run, which fixes its place among events of one instant.
    pub after_events: Option<u64>,
    /// Fields of this document and their new values, such as `"cluster.pools[0].replicas": 8`. Paths are those of `--set`, under `cluster`, `workload` or `slo`.
    pub set: FieldValues,
    /// Lists of this document and the entry appended to each, such as `"cluster.pools": {"name": "burst", "replicas": 2}`. Missing fields of the entry have their defaults.
    pub add: FieldValues,
    /// Sends one request to the given replica if it accepts requests. The router still decides, and goes on as if its choice had been followed.
    pub route: Option<Route>,
    /// Something that breaks at that instant, such as `{"crash": {"replica": 1, "restart_s": 30}}`.
    pub fault: Option<Fault>,
    /// Whether the edit is switched off: it keeps its place on the timeline and changes nothing.
    pub off: bool,
}

crate::shape! {
    entry TimedEdit { at_us after_events [omit] set [omit] add [omit] route [omit] fault [omit] off [omit] }
}

impl TimedEdit {
    /// The edit `change` at `at_us`, before the first event at or after it.
    pub fn new(at_us: u64, change: Change) -> Self {
        let Change { set, add, route, fault } = change;
        Self { at_us, after_events: None, set, add, route, fault, off: false }
    }

    /// What it changes.
    pub fn change(&self) -> Change {
        Change { set: self.set.clone(), add: self.add.clone(), route: self.route, fault: self.fault.clone() }
    }
}

/// What an edit changes: fields are set first, then entries are added.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// Fields and their new values, by path.
    pub set: FieldValues,
    /// Lists and the entry that each gets, by path.
    pub add: FieldValues,
    /// A request, and the replica that it is sent to.
    pub route: Option<Route>,
    /// Something that breaks.
    pub fault: Option<Fault>,
}

crate::shape! { struct Change { set add route [omit] fault [omit] } }

impl Change {
    /// Sends one request to a replica.
    pub fn route(request: u32, to: u32) -> Self {
        Self { route: Some(Route { request, to }), ..Self::default() }
    }

    /// Breaks something.
    pub fn fault(fault: Fault) -> Self {
        Self { fault: Some(fault), ..Self::default() }
    }

    /// Sets one field.
    pub fn set(path: &str, value: impl Into<Value>) -> Self {
        Self::default().and_set(path, value)
    }

    /// Adds an entry to one list.
    pub fn add(list: &str, entry: impl Into<Value>) -> Self {
        Self::default().and_add(list, entry)
    }

    /// The same, with another field set.
    #[must_use]
    pub fn and_set(mut self, path: &str, value: impl Into<Value>) -> Self {
        self.set.insert(path.to_owned(), value.into());
        self
    }

    /// The same, with another entry added.
    #[must_use]
    pub fn and_add(mut self, list: &str, entry: impl Into<Value>) -> Self {
        self.add.insert(list.to_owned(), entry.into());
        self
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.leaves_document() && self.route.is_none() && self.fault.is_none()
    }

    /// Whether the document stays as it is.
    pub fn leaves_document(&self) -> bool {
        self.set.is_empty() && self.add.is_empty()
    }

    /// All paths that it names.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.set.keys().chain(self.add.keys()).map(String::as_str)
    }
}
