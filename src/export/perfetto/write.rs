//! The text of a trace: names of processes and lanes first, then the events in order of time.

use super::event::{Counter, Decided, Event, Flow, Lane, Log, Phase, Process, Refusal, What};
use crate::rows::Destination;
use crate::sheet::BUFFER_BYTES;
use base::RequestId;
use engine::{FaultFact, FleetFact, Stage};
use run::session::Session;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Write as _};
use std::io::{self, BufWriter, Write};

/// Numbers of lanes begin here: no lane has the number of a process, nor do two processes share one.
const FIRST_LANE: u32 = 1_000_000;
/// Place of a packed lane in the order of its process, before the number of the lane.
const PACKED: u32 = 100;

/// A trace being written. It keeps the first error and drops what comes after it.
pub(super) struct File {
    out: BufWriter<Box<dyn Write>>,
    pools: Vec<String>,
    error: Option<io::Error>,
    failed: bool,
    lanes: BTreeMap<(Process, Lane), u32>,
    clients: Vec<String>,
    classes: Vec<String>,
    next: usize,
    text: String,
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

impl File {
    pub(super) fn new(out: Box<dyn Write>, pools: Vec<String>) -> Self {
        Self {
            out: BufWriter::with_capacity(BUFFER_BYTES, out),
            pools,
            error: None,
            failed: false,
            lanes: BTreeMap::new(),
            clients: Vec::new(),
            classes: Vec::new(),
            next: 0,
            text: String::new(),
        }
    }

    fn keep(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.failed = true;
            self.error = Some(error);
        }
    }

    /// Writes the text made so far.
    fn put(&mut self) {
        let text = std::mem::take(&mut self.text);
        if !self.failed {
            let written = self.out.write_all(text.as_bytes());
            self.keep(written);
        }
        self.text = text;
        self.text.clear();
    }

    /// Writes what stands before the events.
    pub(super) fn begin(&mut self, session: &Session, log: &Log) {
        let source = session.engine().source();
        (self.clients, self.classes) = (source.clients().to_vec(), source.classes().to_vec());
        let places: BTreeSet<(Process, Lane)> =
            log.events.iter().filter_map(|e| e.lane.map(|lane| (e.process, lane))).collect();
        self.lanes = places.into_iter().zip(FIRST_LANE..).collect();
        let processes: BTreeSet<Process> = log.events.iter().map(|e| e.process).collect();
        self.text.push_str("{\"displayTimeUnit\":\"ms\",\"otherData\":{\"title\":");
        quoted(&mut self.text, &session.scenario().title);
        add(&mut self.text, format_args!(",\"tokenyard\":\"{}\"}},\n", env!("CARGO_PKG_VERSION")));
        self.text.push_str("\"traceEvents\":[");
        let mut first = true;
        for process in processes {
            let name = self.process_name(session, process);
            self.name("process", process, None, &name, number(process), &mut first);
        }
        for ((process, lane), tid) in self.lanes.clone() {
            let (name, order) = lane_name(lane);
            self.name("thread", process, Some(tid), &name, order, &mut first);
        }
        self.put();
    }

    fn process_name(&self, session: &Session, process: Process) -> String {
        match process {
            Process::Edits => "Edits and anomalies".to_owned(),
            Process::Gateway => "Gateway".to_owned(),
            Process::Replica(r) => {
                let pool = session.engine().replicas().get(r as usize).map(|r| r.pool() as usize);
                let name = pool.and_then(|pool| self.pools.get(pool));
                name.map_or(format!("r{r}"), |name| format!("r{r} · {name}"))
            }
        }
    }

    /// The name of a process or lane, and its place among the others.
    fn name(
        &mut self,
        of: &str,
        process: Process,
        tid: Option<u32>,
        name: &str,
        order: u32,
        first: &mut bool,
    ) {
        let pid = number(process);
        let place = tid.map_or(format!("\"pid\":{pid}"), |tid| format!("\"pid\":{pid},\"tid\":{tid}"));
        for key in ["name", "sort_index"] {
            let comma = if std::mem::take(first) { "" } else { "," };
            add(
                &mut self.text,
                format_args!("{comma}\n{{\"ph\":\"M\",{place},\"name\":\"{of}_{key}\",\"args\":{{\"{key}\":"),
            );
            if key == "name" {
                quoted(&mut self.text, name);
            } else {
                add(&mut self.text, format_args!("{order}"));
            }
            self.text.push_str("}}");
        }
    }

    /// Writes the next events; whether these were the last.
    pub(super) fn write(&mut self, log: &Log, most: usize) -> bool {
        let end = log.events.len().min(self.next + most);
        for event in &log.events[self.next..end] {
            self.event(event);
            self.put();
        }
        self.next = end;
        let done = end == log.events.len();
        if done {
            self.text.push_str("\n]}\n");
            self.put();
        }
        done
    }

    fn event(&mut self, event: &Event) {
        let (pid, at) = (number(event.process), event.at.0);
        let tid = event.lane.and_then(|lane| self.lanes.get(&(event.process, lane)).copied());
        let place = tid.map_or(format!("\"pid\":{pid}"), |tid| format!("\"pid\":{pid},\"tid\":{tid}"));
        // A decision takes no time, but a flow begins only in a slice.
        let decision = matches!(event.what, What::Decision(_));
        let kind = match (&event.what, event.span_us) {
            (What::Counter(_), _) => "\"ph\":\"C\"".to_owned(),
            (_, Some(us)) => format!("\"ph\":\"X\",\"dur\":{us}"),
            (_, None) if decision => "\"ph\":\"X\",\"dur\":0".to_owned(),
            (_, None) => "\"ph\":\"i\",\"s\":\"t\"".to_owned(),
        };
        add(&mut self.text, format_args!(",\n{{\"ts\":{at},{kind},{place},\"name\":"));
        let mut text = std::mem::take(&mut self.text);
        self.what(&event.what, &mut text);
        text.push('}');
        match event.flow {
            Flow::None => {}
            Flow::From(flow) => add(
                &mut text,
                format_args!(
                    ",\n{{\"ts\":{at},\"ph\":\"s\",{place},\"id\":{flow},\"cat\":\"route\",\"name\":\"route\"}}"
                ),
            ),
            Flow::To(flow) => add(
                &mut text,
                format_args!(
                    ",\n{{\"ts\":{at},\"ph\":\"f\",\"bp\":\"e\",{place},\"id\":{flow},\"cat\":\"route\",\
                     \"name\":\"route\"}}"
                ),
            ),
        }
        self.text = text;
    }

    /// The name and the arguments.
    fn what(&self, what: &What, text: &mut String) {
        match what {
            What::Step { prompt, decode, running, waiting, kv } => {
                let (b, p) = (*decode, *prompt);
                named(text, &format_args!("B {b} · P {p}"));
                let args: [(&str, u32); 5] = [
                    ("decode", b),
                    ("prompt_tokens", p),
                    ("running", *running),
                    ("waiting", *waiting),
                    ("kv_blocks", *kv),
                ];
                numbers(text, &args);
            }
            What::Stay { request, client, class, prompt, output, preemptions, end } => {
                named(text, &format_args!("#{}", request.0));
                text.push_str(",\"args\":{");
                self.request(text, *request, *class);
                text.push_str(",\"client\":");
                quoted(text, self.clients.get(*client as usize).map_or("", String::as_str));
                add(text, format_args!(",\"prompt_tokens\":{prompt},\"output_tokens\":{output}"));
                add(text, format_args!(",\"preemptions\":{preemptions},\"end\":\"{end}\"}}"));
            }
            What::Phase(phase) => self::phase(text, *phase),
            What::AtGateway { request, class } => {
                named(text, &format_args!("#{} held", request.0));
                text.push_str(",\"args\":{");
                self.request(text, *request, *class);
                text.push('}');
            }
            What::Decision(decided) => self.decision(text, decided),
            What::Refused { request, class, why } => {
                let (what, reason) = match why {
                    Refusal::Rejected(reason) => ("rejected", reason.name()),
                    Refusal::Dropped(reason) => ("dropped", reason.name()),
                };
                named(text, &format_args!("#{} {what}: {reason}", request.0));
                text.push_str(",\"args\":{");
                self.request(text, *request, *class);
                add(text, format_args!(",\"reason\":\"{reason}\"}}"));
            }
            What::Fleet(fact) => self.fleet(text, *fact),
            What::Fault(fact) => fault(text, *fact),
            What::Edit(label) => named(text, label),
            What::Anomaly { kind, replica, request, text: sentence } => {
                named(text, &kind.name());
                add(text, format_args!(",\"args\":{{\"replica\":{replica}"));
                if let Some(RequestId(request)) = request {
                    add(text, format_args!(",\"request\":{request}"));
                }
                text.push_str(",\"text\":");
                quoted(text, sentence);
                text.push('}');
            }
            What::Counter(counter) => count(text, *counter),
        }
    }

    fn request(&self, text: &mut String, request: RequestId, class: u32) {
        add(text, format_args!("\"request\":{},\"class\":", request.0));
        quoted(text, self.classes.get(class as usize).map_or("", String::as_str));
    }

    fn decision(&self, text: &mut String, d: &Decided) {
        let stage = match d.stage {
            Stage::Home => "",
            Stage::Prefill => " to prefill",
        };
        match d.chosen {
            Some(chosen) => named(text, &format_args!("#{} → r{}{stage}", d.request.0, chosen.0)),
            None => named(text, &format_args!("#{} refused", d.request.0)),
        }
        text.push_str(",\"args\":{");
        self.request(text, d.request, d.class);
        text.push_str(",\"scores\":{");
        for (i, best) in d.best.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            add(text, format_args!("{comma}\"r{}\":", best.replica));
            real(text, best.score);
        }
        text.push_str("},\"parts\":{");
        for (i, (name, value)) in d.parts.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            add(text, format_args!("{comma}\"{name} {}\":", i + 1));
            real(text, *value);
        }
        text.push_str("}}");
    }

    fn fleet(&self, text: &mut String, fact: FleetFact) {
        let pool = |pool: u32| self.pools.get(pool as usize).map_or("", String::as_str);
        match fact {
            FleetFact::Scaled { pool: of, from, to, rule } => {
                named(text, &format_args!("{}: {from} → {to} replicas", pool(of)));
                add(text, format_args!(",\"args\":{{\"rule\":\"{}\"}}", rule.name()));
            }
            FleetFact::Starting { replica, until, .. } => {
                named(text, &format_args!("r{} starts", replica.0));
                add(text, format_args!(",\"args\":{{\"serves_at_us\":{}}}", until.0));
            }
            FleetFact::Cold { replica } => named(text, &format_args!("r{} is cold", replica.0)),
            FleetFact::Warm { replica } => named(text, &format_args!("r{} is warm", replica.0)),
            FleetFact::StartGivenUp { replica } => {
                named(text, &format_args!("r{}: start given up", replica.0));
            }
            FleetFact::Redirected { request, replica, .. } => {
                named(text, &format_args!("#{} leaves r{}", request.0, replica.0));
            }
            FleetFact::Serving { replica, .. } => named(text, &format_args!("r{} serves", replica.0)),
            FleetFact::Draining { replica } => named(text, &format_args!("r{} drains", replica.0)),
        }
    }
}

/// What broke, or works again.
fn fault(text: &mut String, fact: FaultFact) {
    match fact {
        FaultFact::Down { replica, .. } => named(text, &format_args!("r{} is down", replica.0)),
        FaultFact::Restarted { replica, .. } => named(text, &format_args!("r{} is back", replica.0)),
        FaultFact::Noticed { replica, serves: true } => {
            named(text, &format_args!("routers know that r{} serves", replica.0));
        }
        FaultFact::Noticed { replica, serves: false } => {
            named(text, &format_args!("routers know that r{} is down", replica.0));
        }
        FaultFact::Began { replica: Some(replica), kind, .. } => {
            named(text, &format_args!("r{}: {}", replica.0, kind.name()));
        }
        FaultFact::Ended { replica: Some(replica), kind } => {
            named(text, &format_args!("r{}: {} is over", replica.0, kind.name()));
        }
        FaultFact::Began { replica: None, kind, .. } => {
            named(text, &format_args!("all replicas: {}", kind.name()));
        }
        FaultFact::Ended { replica: None, kind } => {
            named(text, &format_args!("all replicas: {} is over", kind.name()));
        }
        FaultFact::Ejected { replica, by, .. } => {
            named(text, &format_args!("r{} is ejected: {}", replica.0, by.name()));
        }
        FaultFact::Readmitted { replica, by, .. } => {
            named(text, &format_args!("r{} is ejected no longer: {}", replica.0, by.name()));
        }
        FaultFact::Broken { request, reason, .. } => {
            named(text, &format_args!("#{} breaks: {}", request.0, reason.name()));
        }
        FaultFact::Retried { request, attempt, .. } => {
            named(text, &format_args!("#{}: attempt {attempt}", request.0));
        }
        FaultFact::CameAgain { request, .. } => {
            named(text, &format_args!("#{}: its client came again", request.0));
        }
        FaultFact::Lost { request, reason, .. } => {
            named(text, &format_args!("#{} is lost: {}", request.0, reason.name()));
        }
    }
}

/// The number of a process, which is its place among the others, too.
fn number(process: Process) -> u32 {
    match process {
        Process::Edits => 1,
        Process::Gateway => 2,
        Process::Replica(r) => 10 + r,
    }
}

/// The name of a lane, and its place in its process.
fn lane_name(lane: Lane) -> (String, u32) {
    match lane {
        Lane::Edits => ("edits".to_owned(), 1),
        Lane::Anomalies => ("anomalies".to_owned(), 2),
        Lane::Fleet => ("fleet".to_owned(), 3),
        Lane::Decisions => ("decisions".to_owned(), 1),
        Lane::Refusals => ("refusals".to_owned(), 2),
        Lane::Steps(0) => ("steps".to_owned(), 1),
        Lane::Steps(row) => (format!("steps {}", row + 1), 1 + row),
        Lane::Held(row) => (format!("held {}", row + 1), PACKED + row),
        Lane::Requests(row) => (format!("requests {}", row + 1), PACKED + row),
    }
}

fn add(text: &mut String, more: fmt::Arguments<'_>) {
    text.write_fmt(more).expect("INV-6: a String takes any text");
}

/// A text as JSON.
fn quoted(text: &mut String, plain: &str) {
    let json = serde_json::to_string(plain).expect("INV-6: a text can be written as JSON");
    text.push_str(&json);
}

/// The name of an event.
fn named(text: &mut String, name: &dyn Display) {
    quoted(text, &name.to_string());
}

/// A number as JSON; one that is not finite is null.
fn real(text: &mut String, x: f64) {
    let json = serde_json::to_string(&x).expect("INV-6: a number can be written as JSON");
    text.push_str(&json);
}

/// Arguments that are whole numbers.
fn numbers(text: &mut String, args: &[(&str, u32)]) {
    for (i, (name, value)) in args.iter().enumerate() {
        let before = if i == 0 { ",\"args\":{" } else { "," };
        add(text, format_args!("{before}\"{name}\":{value}"));
    }
    if !args.is_empty() {
        text.push('}');
    }
}

/// What a request does at a replica.
fn phase(text: &mut String, phase: Phase) {
    match phase {
        Phase::Queue => named(text, &"queue"),
        Phase::KvLoad { blocks } => {
            named(text, &"KV load");
            numbers(text, &[("blocks", blocks)]);
        }
        Phase::Chunk { tokens, cached, again } => {
            named(text, &format_args!("{} {tokens}", if again { "recompute" } else { "prefill" }));
            numbers(text, &[("tokens", tokens), ("cached_tokens", cached)]);
        }
        Phase::Decode { output } => {
            named(text, &"decode");
            numbers(text, output.map(|n| [("output_tokens", n)]).as_ref().map_or(&[], |a| &a[..]));
        }
        Phase::Preempted { times } => {
            named(text, &"preempted");
            numbers(text, &[("times", times)]);
        }
        Phase::Held => named(text, &"held for its home"),
        Phase::Reserved => named(text, &"blocks set aside"),
        Phase::Landed => named(text, &"landed"),
    }
}

fn count(text: &mut String, counter: Counter) {
    match counter {
        Counter::Arrived(n) => {
            named(text, &"arrived");
            numbers(text, &[("requests", n)]);
        }
        Counter::Held(n) => {
            named(text, &"held");
            numbers(text, &[("requests", n)]);
        }
        Counter::Requests { waiting, running } => {
            named(text, &"requests");
            numbers(text, &[("waiting", waiting), ("running", running)]);
        }
        Counter::KvBlocks(n) => {
            named(text, &"KV blocks");
            numbers(text, &[("used", n)]);
        }
        Counter::HitShare(n) => {
            named(text, &"hit share");
            add(text, format_args!(",\"args\":{{\"percent\":{}.{}}}", n / 10, n % 10));
        }
    }
}
