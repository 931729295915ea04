//! Closed-loop points of servers with prefill and decode apart, in one table: each row becomes an experiment with one measured point.

use super::experiment::{APART, Experiment};
use super::recorded::unread;
use super::silicon::{MOST_ROWS, UNKNOWN, lengths};
use base::{Diagnostic, Diagnostics};
use document::{limits, model_key};
use engine::perf;
use serde_json::json;

/// Columns without which a row says nothing: names, and numbers of the client and of both sides.
const NEEDED: [&str; 16] = [
    "model", "gpu", "eng", "isl", "osl", "conc", "ptp", "pep", "pdp", "pw", "dtp", "dep", "ddp", "dw",
    "ttft", "tpot",
];

/// Columns of which a table has two or more: no other table of points has them.
const OWN: [&str; 4] = ["ptp", "pw", "dtp", "dw"];

/// With fewer users the mean time to first token has the start of the run in it, seconds that no queue explains.
pub(super) const FEWEST_FOR_TTFT: u32 = 32;

/// The columns of the first line.
fn names(text: &str) -> Vec<String> {
    let head = text.trim_start_matches('\u{feff}').lines().next().unwrap_or_default();
    head.split(',').map(|n| n.trim().trim_matches('"').to_owned()).collect()
}

/// Whether a table has points of servers with prefill and decode apart.
pub fn is_split_table(text: &str) -> bool {
    let names = names(text);
    OWN.iter().filter(|own| names.iter().any(|n| n == *own)).count() >= 2
}

/// Reads a table. Rows with problems are left out, and all problems are reported; without any sound row they are the error.
pub fn read_split_table(text: &str) -> Result<(Vec<Experiment>, Diagnostics), Diagnostics> {
    let names = names(text);
    let missing: Vec<&str> = NEEDED.iter().copied().filter(|n| !names.iter().any(|own| own == n)).collect();
    if !missing.is_empty() {
        let found = format!("no column {}", missing.join(", "));
        let allowed = format!("the columns {}", NEEDED.join(", "));
        return Err(vec![Diagnostic::error("line 1", found, allowed, "add these columns")]);
    }
    let mut reader =
        csv::ReaderBuilder::new().flexible(true).from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let (mut experiments, mut problems) = (Vec::new(), Diagnostics::new());
    for (line, record) in (2..).zip(reader.records()) {
        if experiments.len() >= MOST_ROWS {
            let found = format!("more than {MOST_ROWS} rows");
            let allowed = format!("at most {MOST_ROWS}");
            problems.push(Diagnostic::error(format!("line {line}"), found, allowed, "split the table"));
            break;
        }
        let record = match record {
            Ok(record) => record,
            Err(e) => {
                let at = format!("line {line}");
                problems.push(Diagnostic::error(at, unread(&e), "a row of the table", "mend the row"));
                continue;
            }
        };
        let cell = |name: &str| {
            let at = names.iter().position(|own| own == name);
            at.and_then(|i| record.get(i)).unwrap_or_default().trim()
        };
        let mut row = RowReader { cell: &cell, line, problems: Vec::new() };
        let experiment = one(&mut row);
        if row.problems.is_empty() {
            experiments.push(experiment);
        } else {
            problems.extend(row.problems);
        }
    }
    if experiments.is_empty() && !problems.is_empty() { Err(problems) } else { Ok((experiments, problems)) }
}

/// The cells of a row, and the problems found in them.
struct RowReader<'a> {
    cell: &'a dyn Fn(&str) -> &'a str,
    line: u32,
    problems: Diagnostics,
}

impl RowReader<'_> {
    fn refuse(&mut self, name: &str, allowed: String) {
        let cell = (self.cell)(name);
        let found = if cell.is_empty() { "nothing".to_owned() } else { format!("\"{cell}\"") };
        let at = format!("line {}.{name}", self.line);
        self.problems.push(Diagnostic::error(at, found, allowed, "mend the row, or remove it"));
    }

    fn whole(&mut self, name: &str, [least, most]: [u32; 2]) -> u32 {
        let found = (self.cell)(name).parse::<u32>().ok().filter(|n| (least..=most).contains(n));
        found.unwrap_or_else(|| {
            self.refuse(name, format!("a whole number from {least} to {most}"));
            least
        })
    }

    /// A figure; `None` where nothing was measured.
    fn figure(&mut self, name: &str) -> Option<f64> {
        let cell = (self.cell)(name);
        if cell.is_empty() {
            return None;
        }
        let found = cell.parse::<f64>().ok().filter(|x| x.is_finite() && *x > 0.0);
        if found.is_none() {
            self.refuse(name, "a number above 0, or nothing".to_owned());
        }
        found
    }

    /// A name that the catalogue has.
    fn known(&mut self, name: &str, is_known: impl Fn(&str) -> bool, what: &str) -> String {
        let own = (self.cell)(name).to_owned();
        if !is_known(&own) {
            self.refuse(name, format!("{what} of the catalogue"));
        }
        own
    }

    /// The workers of a side; `letter` begins the names of its columns.
    fn side(&mut self, letter: char) -> Workers {
        let column = |rest: &str| format!("{letter}{rest}");
        let tp = self.whole(&column("tp"), [1, limits::TP]);
        let ep = self.whole(&column("ep"), [1, limits::EXPERT_RANKS]);
        if ep != 1 && ep != tp {
            self.refuse(&column("ep"), format!("1, or {tp} as {}", column("tp")));
        }
        let dp = self.whole(&column("dp"), [0, 1]);
        let workers = self.whole(&column("w"), [1, limits::REPLICAS / tp]);
        let gpus = column("g");
        if !(self.cell)(&gpus).is_empty() && self.whole(&gpus, [1, 65_536]) != workers * tp {
            self.refuse(&gpus, format!("{}, as many as {workers} workers of {tp} have", workers * tp));
        }
        Workers { workers, tp, ep, dp }
    }
}

/// The workers of one side.
struct Workers {
    workers: u32,
    tp: u32,
    ep: u32,
    /// 1 where each GPU has the attention of its own requests.
    dp: u32,
}

impl Workers {
    fn name(&self) -> String {
        let dp = if self.dp == 1 { "dp" } else { "" };
        format!("{}xtp{}ep{}{dp}", self.workers, self.tp, self.ep)
    }
}

fn one(row: &mut RowReader<'_>) -> Experiment {
    let model = row.known("model", |own| perf::known_model(&model_key(own)).is_some(), "a model");
    let gpu = row.known("gpu", |own| perf::known_gpu(own).is_some(), "a GPU");
    let engine = (row.cell)("eng").to_owned();
    if engine.is_empty() {
        row.refuse("eng", "a name".to_owned());
    }
    let [isl, osl] = ["isl", "osl"].map(|name| row.whole(name, [1, limits::REQUEST_TOKENS / 2]));
    let users = row.whole("conc", [1, 65_536]);
    let (prefill, decode) = (row.side('p'), row.side('d'));
    let (set, day, precision) = ((row.cell)("set"), (row.cell)("date").to_owned(), (row.cell)("precision"));
    let stage = format!("isl{isl}-osl{osl}-p{}-d{}-c{users}", prefill.name(), decode.name());
    // InferenceX draws lengths from 0.8 to 1 of the nominal ones.
    let is_inferencex = set.starts_with("ix-");
    let mut measured = json!({"stage": stage, "concurrency": users, "n": requests(users),
        "input_tokens": lengths(isl, is_inferencex), "output_tokens": lengths(osl, is_inferencex)});
    let figures = [("ttft", "ttft_ms"), ("tpot", "tpot_ms"), ("tput", "tok_per_s_per_gpu")];
    for (column, key) in figures {
        let Some(value) = row.figure(column) else { continue };
        match key {
            "ttft_ms" if users < FEWEST_FOR_TTFT => {}
            "tok_per_s_per_gpu" => measured[key] = json!(value),
            _ => measured[key] = json!({"mean": value}),
        }
    }
    let settings = if users < FEWEST_FOR_TTFT {
        format!("{UNKNOWN}; TTFT not compared: fewer than {FEWEST_FOR_TTFT} users")
    } else {
        UNKNOWN.to_owned()
    };
    let id = format!("pd-{gpu}-{}-{precision}-line-{}", engine.trim_start_matches("dynamo-"), row.line);
    // In the format of the weights of experts; the others stay as the catalogue has them.
    let document = json!({"id": id, "group": APART, "model": model, "gpu": gpu, "tp": decode.tp, "replicas": 1,
        "precision": precision, "formats": {"common": "", "routed": precision}, "day": day, "settings": settings,
        "engine": {"name": engine, "prefix_caching": false},
        "disaggregated": {"prefill": prefill.workers, "prefill_tp": prefill.tp, "prefill_ep": prefill.ep,
            "prefill_dp": prefill.dp, "decode": decode.workers, "decode_tp": decode.tp, "decode_ep": decode.ep,
            "decode_dp": decode.dp},
        "client": {"latency_side": "client"}, "workload": {"loop": "closed"}, "measured": [measured]});
    let source = format!("p-{model}-{precision}-{gpu}-{engine}-{}-{}", prefill.name(), decode.name());
    Experiment { id, group: APART.to_owned(), source, model, gpu, document }
}

/// Requests of a row: ten for each user, as the source's client sends, and of the many users of wide fleets at least four.
fn requests(users: u32) -> u32 {
    (users * 10).min(MOST_REQUESTS.max(users * 4))
}

/// Requests of a row, beyond which users have fewer than ten.
const MOST_REQUESTS: u32 = 20_000;

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        "set,model,gpu,eng,precision,isl,osl,conc,ptp,pep,pdp,pw,pg,dtp,dep,ddp,dw,dg,ttft,tpot,tput,date\n";

    fn row(users: &str, decode: &str) -> String {
        format!(
            "ix-a,deepseek-r1,h200,dynamo-trt,fp8,8192,1024,{users},8,8,0,1,8,{decode},3011.1,10.9,85.5,2026-03-23\n"
        )
    }

    #[test]
    fn a_row_is_a_closed_loop_over_two_sides_and_few_users_have_no_first_token_time() {
        assert!(is_split_table(HEAD) && !is_split_table("model_path,system,isl,osl,batch_size,tp_size\n"));
        let text = format!("{HEAD}{}{}", row("9", "8,8,0,7,56"), row("32", "8,1,1,3,24"));
        let (found, problems) = read_split_table(&text).expect("two rows");
        assert!(problems.is_empty(), "{problems:?}");
        let [few, more] = &found[..] else { panic!("{found:?}") };
        assert!(few.is_listed() && few.is_apart());
        let figures = |e: &Experiment| {
            ["ttft_ms/mean", "tpot_ms/mean", "tok_per_s_per_gpu"]
                .map(|path| e.number(&format!("/measured/0/{path}")))
        };
        assert_eq!(figures(few), [None, Some(10.9), Some(85.5)]);
        assert_eq!(figures(more), [Some(3011.1), Some(10.9), Some(85.5)]);
        assert_eq!([9, 2222, 5152].map(requests), [90, 20_000, 20_608]);
        assert_eq!(few.text("/settings"), "unknown; TTFT not compared: fewer than 32 users");
        assert_eq!(more.text("/settings"), "unknown");
        assert_eq!(few.at("/measured/0/output_tokens"), Some(&lengths(1024, true)));
        assert_eq!(few.text("/measured/0/stage"), "isl8192-osl1024-p1xtp8ep8-d7xtp8ep8-c9");
        assert_eq!(
            (more.count("/disaggregated/decode"), more.count("/disaggregated/decode_dp")),
            (Some(3), Some(1))
        );
    }

    #[test]
    fn every_problem_of_a_row_has_a_message_with_its_line_and_what_is_allowed() {
        let bad = "x,llama-9,gpu7,,fp8,0,1024,9,8,4,2,0,8,8,8,0,7,57,-1,x,85.5,\n";
        let text = format!("{HEAD}{}{bad}", row("9", "8,8,0,7,56"));
        let (found, problems) = read_split_table(&text).expect("one row");
        assert_eq!(found.len(), 1);
        let lines: Vec<String> =
            problems.iter().map(|p| format!("{}: {}, allowed {}", p.path, p.found, p.allowed)).collect();
        let expected = [
            "line 3.model: \"llama-9\", allowed a model of the catalogue",
            "line 3.gpu: \"gpu7\", allowed a GPU of the catalogue",
            "line 3.eng: nothing, allowed a name",
            "line 3.isl: \"0\", allowed a whole number from 1 to",
            "line 3.pep: \"4\", allowed 1, or 8 as ptp",
            "line 3.pdp: \"2\", allowed a whole number from 0 to 1",
            "line 3.pw: \"0\", allowed a whole number from 1 to 128",
            "line 3.dg: \"57\", allowed 56, as many as 7 workers of 8 have",
            "line 3.ttft: \"-1\", allowed a number above 0, or nothing",
            "line 3.tpot: \"x\", allowed a number above 0, or nothing",
        ];
        assert_eq!(lines.len(), expected.len(), "{lines:#?}");
        for (line, start) in lines.iter().zip(expected) {
            assert!(line.starts_with(start), "{line}");
        }
        let head = read_split_table("model,gpu,ptp,pw\n").expect_err("columns are missing");
        assert!(head[0].found.starts_with("no column eng, isl"), "{head:?}");
    }
}
