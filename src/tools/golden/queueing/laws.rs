//! Tables of textbook laws, row by row: the inputs of the law are read from the row, all other figures are compared.

use super::figures::{self, Figures, Tolerance, numbers};
use super::lines::Lines;
use super::reader::Reader;
use base::Diagnostic;
use base::math::ln;
use queueing::Trouble;
use queueing::theory::{
    batch_server, closed_loop, geometric_scv, infinite_servers, jackson_tandem, md1, md1_then_constant,
    mdc_wait, mm1, mm1k, mmc, pollaczek_khinchine, power_of_d, processor_sharing, round_robin,
    shortest_queue,
};
use serde_json::{Value, json};

const EXACT: Tolerance = Tolerance { relative: 1e-9, absolute: 0.0 };
/// Shares below this are lost in double precision.
const NOTHING: f64 = 1e-300;

/// The table that needs the length at which the chain was cut off.
const SHORTEST: &str = "jsq_exact_ctmc";

/// A row's figures, its input among them.
type Law = fn(&Reader<'_>) -> Result<Figures, Trouble>;

/// The tables: for each, the inputs of its law, and the law.
const TABLES: &[(&str, &[&str], Law)] = &[
    ("mm1", &["rho"], of_mm1),
    ("md1", &["rho"], of_md1),
    ("mg1_pk", &["rho"], of_mg1),
    ("m_geo_1", &["rho", "mean_iterations"], of_geometric),
    ("mmc", &["c", "rho"], of_mmc),
    ("mdc", &["c", "rho"], of_mdc),
    ("mm1k", &["rho", "K"], of_mm1k),
    ("mg_inf", &["offered"], of_infinite),
    ("ps", &["rho"], of_sharing),
    ("alpha_plus_n_delta_ps", &["rho", "alpha_over_delta"], of_batch),
    ("power_of_d_meanfield", &["rho", "d"], of_power),
    ("power_of_d_tail", &["rho", "d"], of_power_tail),
    ("round_robin_Ek_M_1", &["N", "rho"], of_round_robin),
    ("jackson", &["lam", "mu1", "mu2"], of_jackson),
    ("md1_then_d", &["rho1", "S1", "S2"], of_constant_tandem),
    ("closed_mva", &["N", "Z", "S"], of_closed_loop),
];

/// The tables by name.
pub(super) fn tables_by_name() -> impl Iterator<Item = &'static str> {
    TABLES.iter().map(|(name, ..)| *name).chain([SHORTEST])
}

/// All tables of a file, including tables within tables.
pub(super) fn check(file: &Reader<'_>, lines: &mut Lines<'_>) {
    tables(&file.get("tables"), lines);
}

fn tables(all: &Reader<'_>, lines: &mut Lines<'_>) {
    for (name, table) in all.fields() {
        if table.value().is_object() {
            tables(&table, lines);
            continue;
        }
        if !lines.wants(name) {
            continue;
        }
        if name == SHORTEST {
            for row in table.entries() {
                shortest(&row, lines);
            }
        } else if let Some((_, given, law)) = TABLES.iter().find(|(known, ..)| *known == name) {
            for row in table.entries() {
                compare(&row, given, *law, lines);
            }
        } else {
            unknown_table(name, &table);
        }
    }
}

fn unknown_table(name: &str, table: &Reader<'_>) {
    let known: Vec<&str> = tables_by_name().collect();
    let problem = format!("a table called {name:?}");
    let fix = "write one of these; no other law is known here";
    table.refuse(Diagnostic::error(table.path(), problem, known.join(", "), fix));
}

/// The rows of all tables with what their laws give.
pub(super) fn results(all: &Reader<'_>) -> Figures {
    let mut out = Figures::new();
    for (name, table) in all.fields() {
        let rows = if table.value().is_object() {
            Value::Object(results(&table))
        } else if let Some((.., law)) = TABLES.iter().find(|(known, ..)| *known == name) {
            let one = |row: &Reader<'_>| {
                law(row).map_or_else(|why| json!({ "error": why.to_string() }), Value::Object)
            };
            table.entries().iter().map(one).collect()
        } else {
            if name != SHORTEST {
                unknown_table(name, &table);
            }
            continue;
        };
        out.insert(name.to_owned(), rows);
    }
    out
}

fn compare(row: &Reader<'_>, given: &[&str], law: Law, lines: &mut Lines<'_>) {
    match law(row) {
        Err(trouble) => lines.add(row.path(), &trouble.to_string()),
        Ok(mut got) => {
            // The law's inputs are not its results.
            for (name, at) in row.fields().into_iter().filter(|(name, _)| given.contains(name)) {
                got.entry(name).or_insert_with(|| at.value().clone());
            }
            figures::compare(row, &got, &|_| Tolerance { absolute: NOTHING, ..EXACT }, lines);
        }
    }
}

fn of_mm1(row: &Reader<'_>) -> Result<Figures, Trouble> {
    let q = mm1(row.number("rho"))?;
    Ok(numbers([
        ("L", q.number),
        ("Lq", q.waiting),
        ("T_over_S", q.time),
        ("Wq_over_S", q.wait),
        ("T_p50_over_S", q.percentile(0.5)),
        ("T_p99_over_S", q.percentile(0.99)),
    ]))
}

fn of_md1(row: &Reader<'_>) -> Result<Figures, Trouble> {
    let q = md1(row.number("rho"))?;
    Ok(numbers([
        ("Wq_over_S", q.wait),
        ("T_over_S", q.time),
        ("L", q.number),
        ("Wq_sd_over_S", q.wait_deviation),
    ]))
}

fn of_mg1(row: &Reader<'_>) -> Result<Figures, Trouble> {
    let scv = row.number("scv");
    Ok(numbers([("scv", scv), ("Wq_over_S", pollaczek_khinchine(row.number("rho"), scv)?)]))
}

fn of_geometric(row: &Reader<'_>) -> Result<Figures, Trouble> {
    let scv = geometric_scv(row.number("mean_iterations"))?;
    Ok(numbers([("scv", scv), ("Wq_over_S", pollaczek_khinchine(row.number("rho"), scv)?)]))
}

fn of_mmc(row: &Reader<'_>) -> Result<Figures, Trouble> {
    let (c, rho) = (row.whole("c"), row.number("rho"));
    let q = mmc(c, rho)?;
    let lost = queueing::theory::erlang_b(c, f64::from(c) * rho)?;
    Ok(numbers([("P_wait", q.waits), ("Wq_over_S", q.wait), ("erlang_b_same_a", lost)]))
}

fn of_mdc(row: &Reader<'_>) -> Result<Figures, Trouble> {
    let (c, rho) = (row.whole("c"), row.number("rho"));
    Ok(numbers([("Wq_over_S", mdc_wait(c, rho)?), ("half_of_mmc", mmc(c, rho)?.wait / 2.0)]))
}

fn of_mm1k(row: &Reader<'_>) -> Result<Figures, Trouble> {
    let q = mm1k(row.number("rho"), row.whole("K"))?;
    Ok(numbers([
        ("P_block", q.lost),
        ("L", q.number),
        ("throughput_over_mu", q.throughput),
        ("T_over_S", q.time),
    ]))
}

fn of_infinite(row: &Reader<'_>) -> Result<Figures, Trouble> {
    let q = infinite_servers(row.number("offered"))?;
    Ok(numbers([("P0", q.none), ("mean", q.mean), ("var", q.mean)]))
}

fn of_sharing(row: &Reader<'_>) -> Result<Figures, Trouble> {
    let q = processor_sharing(row.number("rho"))?;
    Ok(numbers([("E_T_given_x_over_x", q.slowdown), ("E_n", q.number), ("P_n_ge_10", q.share_from(10))]))
}

fn of_batch(row: &Reader<'_>) -> Result<Figures, Trouble> {
    let q = batch_server(row.number("alpha_over_delta"), row.number("rho"))?;
    Ok(numbers([
        ("E_n", q.mean),
        ("Var_n", q.variance),
        ("P0", q.none),
        ("T_iter_over_alpha", q.step_over_alpha),
        ("seed_closed_form_E_n", q.mean_of_closed_form),
        ("wva_code_E_n", q.mean_as_coded),
    ]))
}

fn of_power(row: &Reader<'_>) -> Result<Figures, Trouble> {
    let rho = row.number("rho");
    let time = power_of_d(row.whole("d"), rho, 0)?.time;
    Ok(numbers([("T_over_S", time), ("ratio_to_random", time * (1.0 - rho))]))
}

fn of_power_tail(row: &Reader<'_>) -> Result<Figures, Trouble> {
    let terms = row.value().get("s").and_then(Value::as_array).map_or(0, |s| s.len().min(1000));
    let tail = power_of_d(row.whole("d"), row.number("rho"), terms)?.tail;
    Ok(Figures::from_iter([("s".to_owned(), json!(tail))]))
}

fn of_round_robin(row: &Reader<'_>) -> Result<Figures, Trouble> {
    let q = round_robin(row.whole("N"), row.number("rho"))?;
    Ok(numbers([("sigma", q.sigma), ("T_over_S", q.time), ("Wq_over_S", q.time - 1.0)]))
}

fn of_jackson(row: &Reader<'_>) -> Result<Figures, Trouble> {
    let q = jackson_tandem(row.number("lam"), row.number("mu1"), row.number("mu2"))?;
    Ok(numbers([("T", q.time), ("L", q.number)]))
}

fn of_constant_tandem(row: &Reader<'_>) -> Result<Figures, Trouble> {
    let first = row.number("S1");
    let q = md1_then_constant(row.number("rho1"), row.number("S2") / first)?;
    Ok(numbers([("wait2", q.second_wait * first), ("T", q.time * first)]))
}

fn of_closed_loop(row: &Reader<'_>) -> Result<Figures, Trouble> {
    let q = closed_loop(row.whole("N"), row.number("Z"), row.number("S"))?;
    Ok(numbers([("X", q.throughput), ("R", q.response), ("L", q.number)]))
}

/// The shortest queue: the table's limit of the queues follows from its share of refused requests, which falls as the
/// load to the power of all places, and is searched. Without such a share any limit is large enough.
fn shortest(row: &Reader<'_>, lines: &mut Lines<'_>) {
    let (servers, rho) = (row.whole("N"), row.number("rho"));
    let turned_away = row.number("truncation_block_prob");
    let solve = |places: u32| shortest_queue(servers as usize, rho, places).ok();
    let found = if turned_away < 1e-15 {
        solve(40)
    } else {
        // One more place in each queue multiplies the share by the load to the power of the number of servers.
        let each = f64::from(servers) * ln(rho);
        let mut places = (ln(turned_away) / each).round();
        let mut best = solve(places.max(1.0) as u32);
        for _ in 0..4 {
            let Some(found) = best else { break };
            let off = (ln(turned_away / found.lost) / each).round();
            if off.abs() < 0.5 {
                break;
            }
            places = (places + off).max(1.0);
            best = solve(places as u32);
        }
        best
    };
    let (Some(q), Ok(free), Ok(one_queue)) = (found, mm1(rho), mmc(servers, rho)) else {
        return lines.add(row.path(), "no chain of this load and number of servers can be solved");
    };
    let got = numbers([
        ("N", f64::from(servers)),
        ("rho", rho),
        ("E_total", q.number),
        ("T_over_S", q.time),
        ("random_T", free.time),
        ("mmc_T", one_queue.time),
        ("truncation_block_prob", q.lost),
    ]);
    // The share of refused requests is itself rounded, at the far end of the chain.
    let tolerance = |name: &str| match name {
        "truncation_block_prob" => Tolerance { relative: 1e-3, absolute: 1e-14 },
        _ => EXACT,
    };
    figures::compare(row, &got, &tolerance, lines);
}
