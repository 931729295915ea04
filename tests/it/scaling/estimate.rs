//! The record of an autoscaler's decision: the actual state, what the policy learnt, and the truth if it is known.

use crate::support::rows::{rows, start};
use serde_json::{Map, Value, json};
use tokenyard::base::Micros;
use tokenyard::export::Table;
use tokenyard::scenario::preset::Preset;
use tokenyard::scenario::{parse, set_path};
use tokenyard::session::view::{ColumnsQuery, View};
use tokenyard::session::{Audience, Session};

type Row = Map<String, Value>;

/// The preset of the mended filter for two minutes, with some fields set.
fn document(sets: &[(&str, &str)]) -> Value {
    let scenario = Preset::named("filter-mended").expect("a preset").scenario();
    let mut document = serde_json::to_value(scenario).expect("a scenario is JSON");
    for (path, value) in [("run.horizon_s", "120")].iter().chain(sets) {
        set_path(&mut document, path, value).expect("a field");
    }
    document
}

fn decisions(sets: &[(&str, &str)]) -> Vec<Row> {
    let found = rows(&mut start(&document(sets)), Table::Scaling);
    assert_eq!(found.len(), 8);
    found
}

#[test]
fn the_page_has_the_figures_of_the_rows() {
    let rows = decisions(&[]);
    let scenario = parse(&document(&[]).to_string()).expect("a scenario");
    let Ok((mut session, _)) = Session::start(scenario, None, Audience::Live) else {
        panic!("a good scenario")
    };
    session.advance(Micros(120_000_000), u64::MAX);
    let query = ColumnsQuery { view: View::Estimator, from_us: 0, to_us: 0, window_s: 0.0 };
    let columns = session.columns(&query);
    let mut compared = 0;
    for (name, column) in columns.names.iter().zip(&columns.columns) {
        assert_eq!(column.len(), rows.len(), "{name}");
        for (row, x) in rows.iter().zip(column) {
            if let Some(value) = row.get(name).filter(|_| name != "pool") {
                assert_eq!(value.as_f64(), x.is_finite().then_some(*x), "{name}");
                compared += 1;
            }
            if name == "alpha_band_ms" {
                let deviation = row["alpha_sd_ms"].as_f64().expect("a deviation");
                assert!((x / deviation - 1.96).abs() < 1e-12);
            }
        }
    }
    assert_eq!(compared, 27 * rows.len());
}

#[test]
fn the_truth_is_known_if_steps_depend_only_on_the_coefficients() {
    for row in decisions(&[]) {
        let figure = |name: &str| row[name].as_f64().unwrap_or(f64::NAN);
        for (name, exact) in [("true_alpha_ms", 6.958), ("true_beta_ms", 0.042), ("true_gamma_ms", 0.0001)] {
            assert!((figure(name) / exact - 1.0).abs() < 1e-9, "{name} {}", figure(name));
        }
        let error = 100.0 * (figure("replica_per_s") / figure("true_replica_per_s") - 1.0);
        assert!((figure("replica_error_percent") - error).abs() < 1e-9 && error.abs() < 15.0, "{error}");
    }
    let latency = "cluster.pools[0].latency";
    for other in [json!({"fitted": {}}), json!("catalogue")] {
        for row in decisions(&[(latency, &other.to_string())]) {
            assert!(row["alpha_ms"].is_number() && row["true_alpha_ms"].is_null(), "{other}: {row:?}");
        }
    }
}

#[test]
fn a_policy_that_does_not_learn_has_no_estimate() {
    let policy = json!({"hpa": {"metric": "requests", "target": 20}}).to_string();
    let rows = decisions(&[("cluster.pools[0].scaling.policy", &policy)]);
    for row in &rows {
        assert!(row["tuning"].is_null() && row["alpha_ms"].is_null(), "{row:?}");
    }
    // At the first decision nothing was measured before that instant.
    assert!(rows[0]["true_rate_per_s"].is_null() && rows[1]["true_rate_per_s"].is_number());
}

#[test]
fn what_is_true_now_is_seen_a_lag_later() {
    let scaling = |field: &str| format!("cluster.pools[0].scaling.{field}");
    let (window, lag) = (scaling("window_s"), scaling("lag_s"));
    let now = decisions(&[(&window, "15")]);
    let late = decisions(&[(&window, "15"), (&lag, "15")]);
    let pairs = [("true_rate_per_s", "rate_per_s"), ("true_ttft_ms", "ttft_ms"), ("true_itl_ms", "itl_ms")];
    for (truth, seen) in pairs {
        for k in 1..now.len() {
            assert_eq!(now[k][truth], now[k][seen], "without a lag {seen} is what is there");
            assert_eq!(
                late[k][seen],
                if k == 1 { late[k][seen].clone() } else { late[k - 1][truth].clone() }
            );
        }
    }
    assert_ne!(late[5]["true_rate_per_s"], late[5]["rate_per_s"]);
}

#[test]
fn every_replica_measured_is_an_update_and_the_gate_closes_after_five() {
    let rows = decisions(&[]);
    for row in &rows {
        let updates: u64 =
            ["updates_accepted", "updates_rejected"].iter().filter_map(|name| row[*name].as_u64()).sum();
        assert_eq!(Some(updates), row["measured"].as_u64());
        assert_eq!(row["tuning"], "accepted");
    }
    assert!(rows[0]["nis_gate"].is_null(), "the first five updates pass");
    assert_eq!(rows[7]["nis_gate"], 7.378);
}
