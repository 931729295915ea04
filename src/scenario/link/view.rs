//! The page's view in a link: the playhead and the selection.

use crate::base::Diagnostic;
use crate::scenario::limits;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The keys of a view, as links have them.
pub const VIEW_KEYS: [&str; 4] = ["t", "speed", "select", "panel"];

/// What is selected.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", ts(rename = "LinkSelection"))]
pub enum Selection {
    /// A replica by its number.
    Replica(u32),
    /// A request by its number.
    Request(u32),
}

impl Selection {
    fn text(self) -> String {
        match self {
            Selection::Replica(n) => format!("replica:{n}"),
            Selection::Request(n) => format!("request:{n}"),
        }
    }

    fn read(text: &str) -> Option<Self> {
        let (kind, number) = text.split_once(':')?;
        let number = number.parse().ok()?;
        match kind {
            "replica" => Some(Selection::Replica(number)),
            "request" => Some(Selection::Request(number)),
            _ => None,
        }
    }
}

/// The page's view of a run. Missing values stay as they are on the page.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", ts(rename = "LinkView"))]
pub struct View {
    /// The instant, in microseconds after the start.
    #[cfg_attr(feature = "schema", ts(type = "number | null"))]
    pub at_us: Option<u64>,
    /// Simulated seconds in a second; 0 for full speed.
    pub speed: Option<f64>,
    /// What is selected.
    pub selection: Option<Selection>,
    /// The panel that is open, as the page calls it.
    pub panel: Option<String>,
}

impl View {
    /// What it says, with the keys of links.
    pub(super) fn said(&self) -> Vec<(&'static str, Value)> {
        let said = [
            self.at_us.map(|us| Value::from(us as f64 / 1e6)),
            self.speed.map(Value::from),
            self.selection.map(|selection| Value::from(selection.text())),
            self.panel.clone().map(Value::from),
        ];
        VIEW_KEYS.into_iter().zip(said).filter_map(|(key, value)| Some((key, value?))).collect()
    }

    /// Sets the value of `key`, one of [`VIEW_KEYS`].
    pub fn take(&mut self, key: &str, value: &Value) -> Result<(), Diagnostic> {
        let wrong = |allowed: String, fix: &str| {
            Err(Diagnostic::error(key, value.to_string().chars().take(60).collect::<String>(), allowed, fix))
        };
        match key {
            "t" => match value.as_f64().filter(|s| (0.0..=limits::HORIZON_S).contains(s)) {
                Some(seconds) => self.at_us = Some(libm::round(seconds * 1e6) as u64),
                None => {
                    return wrong(
                        format!("0 to {} s", limits::HORIZON_S),
                        "it is the instant in seconds, such as t=61.9",
                    );
                }
            },
            "speed" => match value.as_f64().filter(|x| (0.0..=1e9).contains(x)) {
                Some(speed) => self.speed = Some(speed),
                None => {
                    return wrong(
                        "0 to 1000000000".to_owned(),
                        "it is simulated seconds in a second; 0 is full speed",
                    );
                }
            },
            "select" => match value.as_str().and_then(Selection::read) {
                Some(selection) => self.selection = Some(selection),
                None => {
                    return wrong("replica:N or request:N".to_owned(), "such as select=request:621");
                }
            },
            _ => match value.as_str().filter(|name| is_name(name)) {
                Some(name) => self.panel = Some(name.to_owned()),
                None => return wrong("the name of a panel".to_owned(), "such as panel=run"),
            },
        }
        Ok(())
    }
}

/// Whether a text can be the name of a panel or a chart.
pub(super) fn is_name(name: &str) -> bool {
    (1..=limits::LINK_VIEW_NAME_BYTES).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}
