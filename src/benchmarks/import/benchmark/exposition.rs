//! The text of metrics, as servers give it to Prometheus and as OpenMetrics has it: one sample a line.

/// How the names of a server's metrics begin, and the name of its page.
pub(crate) const SERVERS: [(&str, &str); 4] = [
    ("vllm:", "/metrics of vLLM"),
    ("sglang:", "/metrics of SGLang"),
    ("llm_d_epp_", "/metrics of llm-d's endpoint picker"),
    ("dynamo_frontend_", "/metrics of Dynamo's frontend"),
];

/// Histograms in seconds, without the beginning of their names: name, metric. Of two with the same metric the first is
/// taken; the second is that of another release or server.
pub(crate) const HISTOGRAMS: [(&str, &str); 13] = [
    ("time_to_first_token_seconds", "ttft_ms"),
    ("request_ttft_seconds", "ttft_ms"),
    ("inter_token_latency_seconds", "itl_ms"),
    ("request_streaming_itl_seconds", "itl_ms"),
    ("request_time_per_output_token_seconds", "tpot_ms"),
    ("time_per_output_token_seconds", "itl_ms"),
    ("e2e_request_latency_seconds", "e2e_ms"),
    ("request_duration_seconds", "e2e_ms"),
    ("request_queue_time_seconds", "queue_ms"),
    ("queue_time_seconds", "queue_ms"),
    ("request_prefill_time_seconds", "prefill_ms"),
    ("request_decode_time_seconds", "decode_ms"),
    ("request_inference_time_seconds", "inference_ms"),
];

/// A line of the text.
pub(crate) struct Sample<'a> {
    /// Name with all labels: what distinguishes the series.
    pub(crate) series: &'a str,
    pub(crate) name: &'a str,
    pub(crate) labels: Vec<(&'a str, &'a str)>,
    pub(crate) value: f64,
    /// Its time stamp as it stands there.
    pub(crate) stamp: Option<f64>,
}

impl Sample<'_> {
    pub(crate) fn label(&self, name: &str) -> Option<&str> {
        self.labels.iter().find(|(n, _)| *n == name).map(|(_, value)| *value)
    }

    /// The upper edge of a bucket as the bits of the number, which sort like the number.
    pub(crate) fn edge(&self) -> u64 {
        edge(self.label("le").unwrap_or_default())
    }
}

/// The bits of an edge; infinity for what is no edge.
pub(crate) fn edge(text: &str) -> u64 {
    let edge = text.replace("+Inf", "inf").parse::<f64>().ok().filter(|e| *e >= 0.0);
    edge.unwrap_or(f64::INFINITY).to_bits()
}

/// Reads a line: `name{label="value",…} 1.5`, with or without a time stamp; an exemplar after it is left out.
pub(crate) fn sample(line: &str) -> Option<Sample<'_>> {
    let (name, rest) = line.split_at(line.find(['{', ' ', '\t'])?);
    let mut labels = Vec::new();
    let rest = match rest.strip_prefix('{') {
        Some(inner) => read_labels(inner, &mut labels)?,
        None => rest,
    };
    let series = line[..line.len() - rest.len()].trim_end();
    let mut words = rest.split_whitespace();
    let value = words.next()?.parse().ok()?;
    let stamp = words.next().filter(|word| !word.starts_with('#')).and_then(|word| word.parse().ok());
    Some(Sample { series, name, labels, value, stamp: stamp.filter(|s: &f64| s.is_finite()) })
}

/// Reads labels up to the brace that ends them, and gives the text after it.
fn read_labels<'a>(inner: &'a str, labels: &mut Vec<(&'a str, &'a str)>) -> Option<&'a str> {
    let mut rest = inner;
    loop {
        rest = rest.trim_start_matches([',', ' ']);
        if let Some(after) = rest.strip_prefix('}') {
            return Some(after);
        }
        let (label, after) = rest.split_once("=\"")?;
        let mut escaped = false;
        let end = after.find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        })?;
        labels.push((label.trim(), &after[..end]));
        rest = &after[end + 1..];
    }
}

#[cfg(test)]
mod tests {
    use super::sample;

    #[test]
    fn labels_end_at_their_brace_and_exemplars_and_time_stamps_are_no_values() {
        let line = r#"a_bucket{le="0.1",x="}\"{"} 8 12.5 # {trace_id="q"} 0.05 12.4"#;
        let found = sample(line).expect("a sample");
        assert_eq!((found.name, found.value, found.stamp), ("a_bucket", 8.0, Some(12.5)));
        assert_eq!(found.labels, [("le", "0.1"), ("x", "}\\\"{")]);
        assert_eq!(found.series, r#"a_bucket{le="0.1",x="}\"{"}"#);
        let found = sample("up 1 # {a=\"b\"} 1").expect("a sample");
        assert_eq!((found.series, found.stamp), ("up", None));
        for broken in ["", "a", "a{", "a{b=\"c} 1", "a{b} 1", "a x"] {
            assert!(sample(broken).is_none(), "{broken}");
        }
    }
}
