//! Columns of a trace that a replay passes on: tenant, SLO class, priority, model and session; and those that are shown:
//! the id and the wall-clock time of a row.

use std::fmt::Write as _;
use std::sync::Arc;
use tokenyard::base::{Diagnostics, Severity};
use tokenyard::scenario::{Scenario, SloClass, TraceSettings};
use tokenyard::workload::{RequestSpec, Source, Trace, TraceReader, class_number};

fn read(text: &str) -> (Option<Arc<Trace>>, Diagnostics) {
    let mut reader = TraceReader::new("my.trace", 1 << 20);
    reader.push(text.as_bytes());
    let (trace, all, _) = reader.finish();
    (trace, all)
}

/// The requests of a replay, and the names of their tenants.
fn replay(trace: &Arc<Trace>) -> (Vec<RequestSpec>, Vec<String>) {
    let mut scenario = Scenario::default();
    scenario.run.horizon_s = 0.0;
    scenario.workload.trace = Some(TraceSettings::default());
    let mut source = Source::new(&scenario, Some(trace));
    let all = std::iter::from_fn(|| source.take()).collect();
    (all, source.tenants().to_vec())
}

const CSV: &str = "arrived_at,num_prefill_tokens,num_decode_tokens,tenant,slo_class,priority,request_id,session_id\n\
    2,100,10,acme,critical,3,r-2,s1\n\
    1,200,20,,,,r-1,\n\
    3,300,30,zeta,Batch,-1,r-3,s1\n";

const JSON: &str = r#"{"timestamp": 2000, "input_length": 100, "output_length": 10, "tenant": "acme", "slo_class": "critical", "priority": 3, "request_id": "r-2", "session_id": "s1"}
{"timestamp": 1000, "input_length": 200, "output_length": 20, "request_id": "r-1"}
{"timestamp": 3000, "input_length": 300, "output_length": 30, "tenant": "zeta", "slo_class": "Batch", "priority": -1, "request_id": "r-3", "session_id": "s1"}
"#;

#[test]
fn tenant_class_priority_and_id_of_a_row_reach_its_request() {
    for text in [CSV, JSON] {
        let (trace, all) = read(text);
        assert_eq!(all, [], "{text}");
        let trace = trace.unwrap();
        let (requests, tenants) = replay(&trace);
        assert_eq!(tenants, ["trace", "acme", "zeta"]);
        let of: Vec<_> = requests.iter().map(|r| (r.tenant, r.class, r.priority, r.session)).collect();
        let [critical, batch] = [SloClass::Critical, SloClass::Batch].map(class_number);
        assert_eq!(of, [(0, 0, 0, 0), (1, critical, 3, 1), (2, batch, -1, 1)]);
        let ids: Vec<_> = (0..3).map(|row| trace.request_id(row).into_owned()).collect();
        assert_eq!(ids, ["r-1", "r-2", "r-3"]);
        assert_eq!(Trace::unpacked(&trace.packed()).as_ref(), Some(&*trace));
    }
}

#[test]
fn what_a_replay_passes_on_is_part_of_the_digest_and_ids_are_not() {
    let digest = |text: &str| read(text).0.unwrap().digest().hex();
    let plain = "arrived_at,num_prefill_tokens,num_decode_tokens\n0,100,10\n";
    assert_eq!(digest(plain), digest("arrived_at,num_prefill_tokens,num_decode_tokens,id\n0,100,10,x\n"));
    let mut all = vec![digest(plain)];
    for (column, value) in [
        ("tenant", "a"),
        ("tenant", "b"),
        ("slo_class", "standard"),
        ("slo_class", "batch"),
        ("priority", "2"),
    ] {
        all.push(digest(&format!(
            "arrived_at,num_prefill_tokens,num_decode_tokens,{column}\n0,100,10,{value}\n"
        )));
    }
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), count);
}

#[test]
fn unknown_classes_count_as_standard_with_one_warning() {
    let text =
        "arrived_at,num_prefill_tokens,num_decode_tokens,slo_class\n0,1,1,gold\n1,1,1,silver\n2,1,1,batch\n";
    let (trace, all) = read(text);
    let [only] = &all[..] else { panic!("{all:?}") };
    assert_eq!(only.severity, Severity::Warning);
    assert!(only.found.contains("2 requests of an unknown SLO class, the first of \"gold\""), "{only}");
    let classes: Vec<u32> = replay(&trace.unwrap()).0.iter().map(|r| r.class).collect();
    let [standard, batch] = [SloClass::Standard, SloClass::Batch].map(class_number);
    assert_eq!(classes, [standard, standard, batch]);
}

#[test]
fn a_priority_that_is_no_whole_number_is_refused() {
    for value in ["1.5", "high", "1e99"] {
        let (trace, all) =
            read(&format!("arrived_at,num_prefill_tokens,num_decode_tokens,priority\n0,1,1,{value}\n"));
        assert_eq!(trace, None);
        assert!(all[0].path == "line 2" && all[0].found.contains("priority"), "{all:?}");
    }
}

#[test]
fn rows_with_times_of_a_calendar_keep_them() {
    let (trace, _) = read(
        "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-10 00:00:00.25,1,1\n2024-05-10 00:00:01,1,1\n",
    );
    let trace = trace.unwrap();
    assert_eq!(trace.wall_clock_us(1), Some(1_715_299_201_000_000));
    assert_eq!(trace.arrival(1).0, 750_000);
    assert_eq!(read(CSV).0.unwrap().wall_clock_us(0), None);
}

#[test]
fn more_tenants_than_the_limit_are_refused() {
    let mut text = "arrived_at,num_prefill_tokens,num_decode_tokens,tenant\n".to_owned();
    (0..1025).for_each(|i| writeln!(text, "{i},1,1,t{i}").unwrap());
    let (trace, all) = read(&text);
    assert_eq!(trace, None);
    assert!(all[0].path == "line 1026" && all[0].found.contains("1,025th tenant"), "{all:?}");
}

#[test]
fn a_trace_that_is_too_long_says_which_part_of_it_can_be_read() {
    let rows: Vec<String> = (0..500).map(|i| format!("{i}.0,100,10\n")).collect();
    let text = format!("arrived_at,num_prefill_tokens,num_decode_tokens\n{}", rows.concat());
    let read = |text: &str| {
        let mut reader = TraceReader::new("my.trace", 4096);
        text.as_bytes().chunks(100).for_each(|piece| reader.push(piece));
        reader.finish_reading()
    };
    let told = read(&text).diagnostics;
    let advice = &told[0].fix;
    let lines = advice.split("head -n ").nth(1).and_then(|rest| rest.split(' ').next());
    let lines: usize = lines.and_then(|lines| lines.parse().ok()).unwrap_or_else(|| panic!("{advice}"));
    let part: String = text.lines().take(lines).flat_map(|line| [line, "\n"]).collect();
    let kept = read(&part);
    assert_eq!(kept.trace.map(|trace| trace.len()), Some(lines - 1), "{:?}", kept.diagnostics);
}
