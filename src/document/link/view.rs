//! The page's view in a link: the playhead, the selection, what is drawn, and the result at that instant.

use crate::limits;
use base::Diagnostic;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The keys of a view, as links have them.
pub const VIEW_KEYS: [&str; 10] =
    ["t", "speed", "select", "panel", "span", "theory", "charts", "closeup", "result", "study"];

/// What is selected.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "types", ts(rename = "LinkSelection"))]
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

/// A span of time that is selected on the charts.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSpan {
    /// Its beginning, in microseconds after the start.
    #[cfg_attr(feature = "types", ts(type = "number"))]
    pub from_us: u64,
    /// Its end, later than the beginning.
    #[cfg_attr(feature = "types", ts(type = "number"))]
    pub to_us: u64,
}

impl LinkSpan {
    fn text(self) -> String {
        format!("{}-{}", seconds(self.from_us), seconds(self.to_us))
    }

    fn read(text: &str) -> Option<Self> {
        let (from, to) = text.split_once('-')?;
        let (from_us, to_us) = (instant(from.parse().ok()?)?, instant(to.parse().ok()?)?);
        (from_us < to_us).then_some(Self { from_us, to_us })
    }
}

/// The result of the run at the instant of the view, as the maker of the link saw it.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkResult {
    /// The version of Tokenyard that computed it.
    pub version: String,
    /// The digest of its figures: `Report::figures_digest`.
    pub digest: String,
}

impl LinkResult {
    fn text(&self) -> String {
        format!("{}:{}", self.version, self.digest)
    }

    fn read(text: &str) -> Option<Self> {
        let (version, digest) = text.split_once(':')?;
        let of_version = |b: u8| b.is_ascii_alphanumeric() || b == b'.' || b == b'-' || b == b'+';
        let short = (1..=limits::LINK_VERSION_BYTES).contains(&version.len());
        let is_digest =
            digest.len() == DIGEST_LETTERS && digest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        (short && version.bytes().all(of_version) && is_digest)
            .then(|| Self { version: version.to_owned(), digest: digest.to_owned() })
    }
}

/// The page's view of a run. Missing values stay as they are on the page.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "types", ts(rename = "LinkView"))]
pub struct View {
    /// The instant, in microseconds after the start.
    #[cfg_attr(feature = "types", ts(type = "number | null"))]
    pub at_us: Option<u64>,
    /// Simulated seconds in a second; 0 for full speed.
    pub speed: Option<f64>,
    /// What is selected.
    pub selection: Option<Selection>,
    /// The panel that is open, as the page calls it.
    pub panel: Option<String>,
    /// The span of time that is selected on the charts.
    pub span: Option<LinkSpan>,
    /// The law of queueing theory beside the charts; `best` for the one that fits best.
    pub theory: Option<String>,
    /// The charts on screen in their order; none for the page's own choice.
    pub charts: Vec<String>,
    /// The close-up on screen: its name, then its settings as `key:value`; none for the charts.
    pub closeup: Vec<String>,
    /// The result at the instant.
    pub result: Option<LinkResult>,
    /// The study of the open comparison, as the page writes it: a race or a sweep with its settings.
    pub study: Option<String>,
}

impl View {
    /// What it says, with the keys of links.
    pub(super) fn said(&self) -> Vec<(&'static str, Value)> {
        let list = |words: &[String]| (!words.is_empty()).then(|| Value::from(words.join(",")));
        let said = [
            self.at_us.map(|us| Value::from(seconds(us))),
            self.speed.map(Value::from),
            self.selection.map(|selection| Value::from(selection.text())),
            self.panel.clone().map(Value::from),
            self.span.map(|span| Value::from(span.text())),
            self.theory.clone().map(Value::from),
            list(&self.charts),
            list(&self.closeup),
            self.result.as_ref().map(|result| Value::from(result.text())),
            self.study.clone().map(Value::from),
        ];
        VIEW_KEYS.into_iter().zip(said).filter_map(|(key, value)| Some((key, value?))).collect()
    }

    /// Sets the value of `key`, one of [`VIEW_KEYS`].
    pub fn take(&mut self, key: &str, value: &Value) -> Result<(), Diagnostic> {
        self.take_value(key, value).ok_or_else(|| {
            let found = value.to_string().chars().take(60).collect::<String>();
            let (allowed, fix) = allowed(key);
            Diagnostic::error(key, found, allowed, fix)
        })
    }

    /// The same; `None` for a value that the key may not have.
    fn take_value(&mut self, key: &str, value: &Value) -> Option<()> {
        match key {
            "t" => self.at_us = Some(instant(value.as_f64()?)?),
            "speed" => self.speed = Some(value.as_f64().filter(|x| (0.0..=1e9).contains(x))?),
            "select" => self.selection = Some(Selection::read(value.as_str()?)?),
            "span" => self.span = Some(LinkSpan::read(value.as_str()?)?),
            "theory" => self.theory = Some(name(value.as_str()?)?),
            "charts" => self.charts = words(value.as_str()?, limits::LINK_CHARTS, is_name)?,
            "closeup" => self.closeup = words(value.as_str()?, limits::LINK_CLOSEUP_WORDS, is_setting)?,
            "result" => self.result = Some(LinkResult::read(value.as_str()?)?),
            "study" => self.study = Some(value.as_str().filter(|text| is_study(text))?.to_owned()),
            _ => self.panel = Some(name(value.as_str()?)?),
        }
        Some(())
    }
}

/// What the value of a key may be, and an example.
fn allowed(key: &str) -> (String, &'static str) {
    let (charts, settings) = (limits::LINK_CHARTS, limits::LINK_CLOSEUP_WORDS - 1);
    match key {
        "t" => (format!("0 to {} s", limits::HORIZON_S), "it is the instant in seconds, such as t=61.9"),
        "speed" => ("0 to 1000000000".to_owned(), "it is simulated seconds in a second; 0 is full speed"),
        "select" => ("replica:N or request:N".to_owned(), "such as select=request:621"),
        "span" => (
            format!("two instants from 0 to {} s, the earlier one first", limits::HORIZON_S),
            "such as span=40-140",
        ),
        "theory" => ("the name of a law, or best".to_owned(), "such as theory=best"),
        "charts" => (
            format!("at most {charts} names of charts with commas between"),
            "such as charts=ttft-over-time,kv-use",
        ),
        "closeup" => (
            format!("the name of a close-up and at most {settings} settings with commas between"),
            "such as closeup=lanes,replica:2",
        ),
        "result" => (
            "a version and a digest of 16 letters".to_owned(),
            "such as result=0.1.0:0123456789abcdef; without it nothing is compared",
        ),
        "study" => (
            format!("at most {} letters, digits, - and _", limits::LINK_STUDY_BYTES),
            "open the study's file instead",
        ),
        _ => ("the name of a panel".to_owned(), "such as panel=run"),
    }
}

/// Letters of a digest.
const DIGEST_LETTERS: usize = 16;

fn seconds(us: u64) -> f64 {
    us as f64 / 1e6
}

/// An instant in microseconds; `None` outside the longest run.
fn instant(seconds: f64) -> Option<u64> {
    (0.0..=limits::HORIZON_S).contains(&seconds).then(|| libm::round(seconds * 1e6) as u64)
}

fn name(text: &str) -> Option<String> {
    is_name(text).then(|| text.to_owned())
}

/// At most `most` words with commas between, each of which `fits`.
fn words(text: &str, most: usize, fits: fn(&str) -> bool) -> Option<Vec<String>> {
    let all: Vec<&str> = text.split(',').take(most + 1).collect();
    (all.len() <= most && all.iter().all(|word| fits(word)))
        .then(|| all.into_iter().map(str::to_owned).collect())
}

/// Whether a text can be the name of a panel or a chart.
pub(super) fn is_name(name: &str) -> bool {
    (1..=limits::LINK_VIEW_NAME_BYTES).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// Whether a text can be a study: base64 for addresses.
fn is_study(text: &str) -> bool {
    (1..=limits::LINK_STUDY_BYTES).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

/// Whether a text can be the name of a close-up or one of its settings.
fn is_setting(text: &str) -> bool {
    (1..=limits::LINK_CLOSEUP_WORD_BYTES).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b':' | b'.' | b'_'))
}
