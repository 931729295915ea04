//! Export of a run as OpenMetrics text with vLLM's metric names: what Prometheus would have scraped from every replica,
//! with a time stamp on each sample.
//!
//! A sample is taken every 15 s from the start of the run on, and at its end. The format wants all samples of a family
//! together, so that the samples are kept until the run is over. If they become too many, every second one is dropped and
//! the step doubles: the file has a bound. `promtool tsdb create-blocks-from openmetrics` reads it.

use super::openmetrics_counting::{Counting, has_page};
use super::openmetrics_families::{FAMILIES, Kind};
use super::rows::{Destination, Rows};
use super::sheet::BUFFER_BYTES;
use base::Micros;
use engine::Fact;
use run::session::Session;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

/// Time between two samples, in microseconds.
const STEP_US: u64 = 15_000_000;
/// Largest number of values of a file.
pub const MOST_VALUES: usize = 10_000_000;
/// Last second of the year 9999: a later one is no instant that other programs read.
pub const LATEST_START_S: u64 = 253_402_300_799;

/// A file of metrics that is asked for.
pub struct MetricsOutput {
    /// Instant at which the run starts, in seconds since 1970.
    pub start_s: u64,
    /// Largest number of values; [`MOST_VALUES`] unless a test wants fewer.
    pub most: usize,
    /// Where to.
    pub out: Box<dyn Write>,
}

/// The values of a replica at an instant, in the order of the families.
type Sample = (Micros, Vec<u64>);

/// A file of metrics being made.
pub(super) struct OpenMetrics {
    file: File,
    start_s: u64,
    most: usize,
    /// Model of each pool by number.
    models: Vec<String>,
    step_us: u64,
    next: Micros,
    counting: Counting,
    kept: BTreeMap<u32, Vec<Sample>>,
    values: usize,
}

impl OpenMetrics {
    /// The file of a run that has not begun.
    pub(super) fn new(models: Vec<String>, asked: MetricsOutput) -> Self {
        Self {
            file: File::new(asked.out),
            start_s: asked.start_s.min(LATEST_START_S),
            most: asked.most,
            models,
            step_us: STEP_US,
            next: Micros::ZERO,
            counting: Counting::default(),
            kept: BTreeMap::new(),
            values: 0,
        }
    }

    fn take(&mut self, session: &Session, at: Micros) {
        self.counting.catch_up(session);
        for replica in session.engine().replicas().iter().filter(|r| has_page(r)) {
            let values = self.counting.of(replica.id().0).values(replica);
            self.values += values.len();
            let samples = self.kept.entry(replica.id().0).or_default();
            // Time stamps have whole milliseconds: the later of two in one is kept.
            if let Some(last) = samples.pop_if(|last| last.0.0 / 1000 == at.0 / 1000) {
                self.values -= last.1.len();
            }
            samples.push((at, values));
        }
    }

    /// Drops every second sample.
    fn thin(&mut self) {
        self.step_us *= 2;
        let step_us = self.step_us;
        for samples in self.kept.values_mut() {
            samples.retain(|(at, _)| at.0.is_multiple_of(step_us));
        }
        self.values = self.kept.values().flatten().map(|(_, values)| values.len()).sum();
        if self.kept.values().all(|samples| samples.len() <= 1) {
            // One sample of each replica remains whatever the limit.
            self.most = self.values.max(self.most);
        }
    }

    /// The labels of each replica's series.
    fn labels(&self, session: &Session) -> BTreeMap<u32, String> {
        let replicas = session.engine().replicas();
        let of = |r: &u32| {
            let pool = replicas.get(*r as usize).map_or(0, |replica| replica.pool() as usize);
            let model = self.models.get(pool).map(String::as_str).unwrap_or_default();
            (*r, format!("model_name=\"{}\",engine=\"{r}\"", escaped(model)))
        };
        self.kept.keys().map(of).collect()
    }

    fn write(&mut self, session: &Session) {
        let labels = self.labels(session);
        let mut first = 0;
        let mut text = String::new();
        for family in FAMILIES {
            family.head(&mut text);
            for (replica, samples) in &self.kept {
                let labels = labels.get(replica).map(String::as_str).unwrap_or_default();
                let stamps: Vec<String> = samples.iter().map(|(at, _)| self.stamp(*at)).collect();
                match family.kind {
                    // Each labelled series by itself, with all its samples.
                    Kind::Finished(reasons) => {
                        for (i, reason) in reasons.iter().enumerate() {
                            let labels = format!("{labels},finished_reason=\"{reason}\"");
                            for ((_, values), stamp) in samples.iter().zip(&stamps) {
                                family.samples(&mut text, &labels, &values[first + i..], stamp);
                            }
                        }
                    }
                    Kind::Gauge | Kind::Share | Kind::Counter | Kind::Histogram(..) | Kind::Info => {
                        for ((_, values), stamp) in samples.iter().zip(&stamps) {
                            family.samples(&mut text, labels, &values[first..], stamp);
                        }
                    }
                }
                self.file.put(&mut text);
            }
            first += family.width();
        }
        text.push_str("# EOF\n");
        self.file.put(&mut text);
    }

    /// The time stamp of an instant of the run: seconds with milliseconds where there are any.
    fn stamp(&self, at: Micros) -> String {
        let ms = at.0 / 1000;
        let whole = self.start_s.saturating_add(ms / 1000);
        match ms % 1000 {
            0 => whole.to_string(),
            rest => format!("{whole}.{rest:03}"),
        }
    }
}

/// The value of a label.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            other => out.push(other),
        }
    }
    out
}

impl Rows for OpenMetrics {
    fn out(&mut self) -> &mut dyn Destination {
        &mut self.file
    }

    fn due(&self) -> Option<Micros> {
        Some(self.next)
    }

    fn sample(&mut self, session: &Session, at: Micros) {
        self.take(session, at);
        while self.values > self.most && self.step_us < u64::MAX / 4 {
            self.thin();
        }
        self.next = Micros((at.0 / self.step_us + 1).saturating_mul(self.step_us));
    }

    fn fact(&mut self, _at: Micros, fact: &Fact) {
        self.counting.fact(fact);
    }

    fn end(&mut self, session: &Session) {
        self.take(session, session.now());
        self.write(session);
    }

    fn step_s(&self) -> Option<u64> {
        (self.step_us > STEP_US).then_some(self.step_us / 1_000_000)
    }
}

/// Text being written. It keeps the first error and drops what comes after it.
struct File {
    out: BufWriter<Box<dyn Write>>,
    error: Option<io::Error>,
    failed: bool,
}

impl File {
    fn new(out: Box<dyn Write>) -> Self {
        Self { out: BufWriter::with_capacity(BUFFER_BYTES, out), error: None, failed: false }
    }

    fn keep(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.failed = true;
            self.error = Some(error);
        }
    }

    /// Writes a text and empties it.
    fn put(&mut self, text: &mut String) {
        if !self.failed {
            let written = self.out.write_all(text.as_bytes());
            self.keep(written);
        }
        text.clear();
    }
}

impl Destination for File {
    fn flush(&mut self) {
        if !self.failed {
            let flushed = self.out.flush();
            self.keep(flushed);
        }
    }

    fn take_error(&mut self) -> Option<io::Error> {
        self.error.take()
    }
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn a_name_cannot_end_its_label() {
        assert_eq!(escaped("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
    }
}
