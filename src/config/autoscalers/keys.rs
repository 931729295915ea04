//! Keys of autoscalers' objects that are numbers of the scenario: each is read and written by its entry in a map.

use crate::export::Row;
use crate::import::configuration::Reader;
use crate::yaml::node::YamlNode;
use crate::yaml::scalar::{Scalar, number};
use crate::yaml::want::Want;
use serde_json::{Map, Value, json};

/// A key below `spec`.
pub(crate) struct ScalingKey {
    pub(crate) theirs: &'static str,
    /// Its field, below `scaling`.
    pub(crate) field: &'static str,
    /// Its name in the tables of an export.
    pub(crate) ours: &'static str,
    /// Its value in an object without the key, if that is always the same.
    pub(crate) usual: Option<f64>,
    /// Whether it is a whole number.
    pub(crate) is_whole: bool,
}

impl ScalingKey {
    /// A number of replicas.
    pub(crate) const fn replicas(
        theirs: &'static str,
        field: &'static str,
        ours: &'static str,
        usual: Option<f64>,
    ) -> Self {
        Self { theirs, field, ours, usual, is_whole: true }
    }

    /// A time in seconds.
    pub(crate) const fn seconds(
        theirs: &'static str,
        field: &'static str,
        ours: &'static str,
        usual: f64,
    ) -> Self {
        Self { theirs, field, ours, usual: Some(usual), is_whole: false }
    }

    /// The value where an object does not say it, as the field has it.
    fn absent(&self) -> Option<Value> {
        self.usual.map(|x| if self.is_whole { json!(x as u64) } else { json!(x) })
    }

    /// Reads the key of an object, with a row.
    pub(crate) fn read(&self, r: &mut Reader<'_>) -> Option<Value> {
        let path = format!("spec.{}", self.theirs);
        let section = if self.field.starts_with("policy.") { "" } else { "scaling." };
        let becomes = format!("{section}{}", self.field);
        if self.is_whole {
            r.whole(&path, &becomes).map(|n| json!(n))
        } else {
            r.number(&path, &becomes).map(|x| json!(x))
        }
    }

    /// The key with its value, with a row; `there` is the object of a file.
    pub(crate) fn write(
        &self,
        at: &str,
        value: f64,
        there: Option<&YamlNode>,
        rows: &mut Vec<Row>,
    ) -> (&'static str, Want<'static>) {
        let own = Scalar::Number(value);
        let before = there.and_then(|node| node.at(&["spec", self.theirs])?.scalar());
        let before = before.filter(|text| !own.is_said_by(text)).map(str::to_owned);
        let row = Row::exact(format!("{at}.scaling.{}", self.field), self.ours, number(value), self.theirs);
        let is_usual = self.usual.is_some_and(|usual| usual.to_bits() == value.to_bits());
        rows.push(row.default_there(is_usual).was(before));
        (self.theirs, Want::Scalar(own, self.usual.map(Scalar::Number)))
    }
}

/// Reads keys into the settings of an autoscaler.
pub(crate) fn read(r: &mut Reader<'_>, keys: &[&ScalingKey], scaling: &mut Map<String, Value>) {
    for key in keys {
        scaling.extend(key.read(r).map(|value| (key.field.to_owned(), value)));
    }
}

/// Sets what an object means without the keys.
pub(crate) fn usual(keys: &[&ScalingKey], scaling: &mut Map<String, Value>) {
    for key in keys {
        scaling.extend(key.absent().map(|value| (key.field.to_owned(), value)));
    }
}
