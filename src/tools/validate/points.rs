//! Points of closed loops in a table: `points.csv`.

use super::recorded::unread;
use serde_json::{Value, json};

/// One point, as a measured stage.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) id: String,
    pub(super) tp: u32,
    pub(super) isl: u32,
    pub(super) osl: u32,
    pub(super) concurrency: u32,
    /// TTFT and TPOT in the form of an experiment. If requests queued for seconds, latencies are not scored.
    pub(super) measured: Value,
}

/// Reads the table; unreadable lines are reported.
pub(super) fn read(text: &str) -> Result<Vec<Point>, String> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let names = reader.headers().map_err(|e| unread(&e))?.clone();
    let mut points = Vec::new();
    for (line, record) in (2..).zip(reader.records()) {
        let record = record.map_err(|e| format!("line {line}: {}", unread(&e)))?;
        let field = |name: &str| {
            let at = names.iter().position(|n| n.trim() == name);
            at.and_then(|at| record.get(at)).unwrap_or_default().trim()
        };
        let number = |name: &str| {
            let found = field(name).parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
            found.ok_or_else(|| format!("line {line}: {name} \"{}\" is no number", field(name)))
        };
        let whole = |name: &str| number(name).map(|x| x.min(1e9) as u32);
        let (tp, isl, osl, concurrency) = (whole("tp")?, whole("isl")?, whole("osl")?, whole("concurrency")?);
        if tp == 0 || isl == 0 || osl == 0 || concurrency == 0 {
            return Err(format!("line {line}: tp, isl, osl and concurrency are at least 1"));
        }
        let stage = format!("isl{isl}-osl{osl}-tp{tp}-c{concurrency}");
        let mut measured = json!({"stage": stage, "concurrency": concurrency});
        for (name, key) in [("ttft_mean_ms", "ttft_ms"), ("tpot_mean_ms", "tpot_ms")] {
            if let Ok(value) = number(name) {
                measured[key] = json!({"mean": value});
            }
        }
        if field("flags").contains("ttft_over_10s") {
            measured["regime"] = json!("overload");
        }
        points.push(Point { id: field("id").to_owned(), tp, isl, osl, concurrency, measured });
    }
    Ok(points)
}

/// Marks the points with the two lowest concurrencies of each parallelism.
pub(super) fn mark_lowest(points: &mut [Point]) {
    let all: Vec<(u32, u32)> = points.iter().map(|p| (p.tp, p.concurrency)).collect();
    for p in points {
        let mut lower: Vec<u32> =
            all.iter().filter(|(tp, c)| *tp == p.tp && *c < p.concurrency).map(|(_, c)| *c).collect();
        lower.sort_unstable();
        lower.dedup();
        p.measured["lowest"] = json!(lower.len() < 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_becomes_a_measured_stage_and_a_broken_line_is_reported() {
        let head = "id,isl,osl,tp,concurrency,ttft_mean_ms,tpot_mean_ms,measured_on,flags\n";
        let found = read(&format!("{head}g,1024,128,2,8,154.2,,,ttft_over_10s\n")).unwrap();
        assert_eq!(found[0].measured["ttft_ms"]["mean"], 154.2);
        assert!(found[0].measured.get("tpot_ms").is_none());
        assert_eq!(found[0].measured["regime"], "overload");
        assert!(read(&format!("{head}g,1024,x,2,8,1,1,,\n")).unwrap_err().contains("line 2: osl"));
        assert!(read(&format!("{head}g,1024,0,2,8,1,1,,\n")).unwrap_err().contains("at least 1"));
    }
}
