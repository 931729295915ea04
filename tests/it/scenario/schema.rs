//! The schema's texts of each field: a form has all it needs, and a user knows what an edit does.

use serde_json::Value;

/// Types within themselves are walked into this often.
const MOST_LEVELS: usize = 24;

/// A field as the schema has it, with what its type says.
struct Field {
    path: String,
    said: Value,
    /// Whether it stands in a variant of a choice, where nothing has a default.
    in_variant: bool,
}

fn schema() -> Value {
    serde_json::from_str(include_str!("../../../www/src/generated/schema.json")).expect("the schema is JSON")
}

/// The type that a reference stands for, with what is said beside the reference.
fn resolved(schema: &Value, part: &Value) -> Value {
    let some = part["anyOf"].as_array().and_then(|any| any.iter().find(|one| one["type"] != "null"));
    let name = part["$ref"].as_str().map(|name| name.trim_start_matches("#/$defs/"));
    let Some(below) = some.or(name.map(|name| &schema["$defs"][name])) else { return part.clone() };
    let mut whole = resolved(schema, below);
    for (key, value) in part.as_object().into_iter().flatten() {
        whole[key] = value.clone();
    }
    whole
}

fn walk(schema: &Value, part: &Value, path: &str, levels: usize, into: &mut Vec<Field>) {
    if levels == 0 {
        return;
    }
    let in_choice = part["oneOf"].as_array().into_iter().flatten();
    for variant in in_choice {
        for (name, settings) in variant["properties"].as_object().into_iter().flatten() {
            let settings = resolved(schema, settings);
            let from = into.len();
            walk(schema, &settings, &format!("{path}.{name}"), levels - 1, into);
            let direct =
                |field: &&mut Field| field.path.matches('.').count() == path.matches('.').count() + 2;
            into[from..].iter_mut().filter(direct).for_each(|field| field.in_variant = true);
        }
    }
    for (key, field) in part["properties"].as_object().into_iter().flatten() {
        let (path, said) = (format!("{path}.{key}"), resolved(schema, field));
        walk(schema, &said, &path, levels - 1, into);
        into.push(Field { path, said, in_variant: false });
    }
    if part["items"].is_object() {
        walk(schema, &resolved(schema, &part["items"]), &format!("{path}[]"), levels - 1, into);
    }
}

/// The fields below these parts of a scenario.
fn fields(parts: &[&str]) -> Vec<Field> {
    let schema = schema();
    let mut all = Vec::new();
    for part in parts {
        walk(&schema, &resolved(&schema, &schema["properties"][part]), part, MOST_LEVELS, &mut all);
    }
    all
}

fn missing(all: &[Field], key: &str) -> Vec<String> {
    let text = |field: &&Field| field.said[key].as_str().is_none_or(str::is_empty);
    all.iter().filter(text).map(|field| field.path.clone()).collect()
}

#[test]
fn every_field_has_a_label_a_description_and_says_what_an_edit_does() {
    let all = fields(&["cluster", "workload", "slo", "run", "observe"]);
    assert!(all.len() > 180, "only {} fields found", all.len());
    for key in ["x-label", "description", "x-edit", "x-edit-help"] {
        assert_eq!(missing(&all, key), [] as [String; 0], "without {key}");
    }
    let sentences = all.iter().filter(|f| f.said["x-edit-help"].as_str().is_some_and(|s| s.ends_with('.')));
    assert_eq!(sentences.count(), all.len());
}

/// The only fields of cluster, workload and objectives that need another run.
#[test]
fn all_but_the_semantics_and_the_trace_can_be_edited_in_a_run() {
    let all = fields(&["cluster", "workload", "slo"]);
    let kinds = ["live", "replace", "restart"];
    assert!(all.iter().all(|f| kinds.iter().any(|kind| f.said["x-edit"] == *kind)));
    let mut restart: Vec<&str> =
        all.iter().filter(|f| f.said["x-edit"] == "restart").map(|f| f.path.as_str()).collect();
    restart.sort_unstable();
    // Everything about a trace but its speed.
    restart.retain(|path| !path.starts_with("workload.trace.") || *path == "workload.trace.speed");
    assert_eq!(restart, ["cluster.compat", "workload.trace"]);
}

#[test]
fn what_a_replica_is_made_of_is_replaced() {
    let all = fields(&["cluster"]);
    let mut replace: Vec<&str> = all
        .iter()
        .filter(|f| f.said["x-edit"] == "replace" && !f.path.contains(".architecture."))
        .map(|f| f.path.trim_start_matches("cluster.pools[]."))
        .collect();
    replace.sort_unstable();
    let expected = [
        "architecture",
        "dcp",
        "dcp.size",
        "dcp.us_per_layer",
        "engine.speculative",
        "engine.speculative.acceptance",
        "engine.speculative.disable_above_batch",
        "engine.speculative.draft_layers",
        "engine.speculative.drafter",
        "engine.speculative.drafter.autoregressive.fixed_us",
        "engine.speculative.drafter.autoregressive.share",
        "engine.speculative.drafter.one-pass.fixed_us",
        "engine.speculative.drafter.one-pass.share",
        "engine.speculative.memory_gib",
        "engine.speculative.pad_first_step",
        "engine.speculative.positions",
        "engine.speculative.positions[].acceptance",
        "engine.speculative.prefill_share",
        "engine.speculative.tokens",
        "expert_ranks",
        "expert_ranks_lockstep",
        "experts.eplb",
        "experts.eplb.coverage",
        "experts.eplb.interval_steps",
        "experts.eplb.rebalance_ms",
        "experts.eplb.redundant",
        "experts.eplb.window_steps",
        "experts.split",
        "gpu",
        "hardware",
        "hardware.bandwidth_tb_per_s",
        "hardware.clock_mhz",
        "hardware.link_gb_per_s",
        "hardware.memory_gib",
        "hardware.read_share",
        "hardware.tflops",
        "hardware.tflops_fp4",
        "hardware.tflops_fp8",
        "hardware.tops_int8",
        "kv.block_tokens",
        "kv.cpu_blocks",
        "kv.cpu_tier",
        "kv.offload_threshold",
        "kv.prefix_caching",
        "kv.secondary_tiers",
        "kv.secondary_tiers[].store.name",
        "kv.transfer_base_us",
        "kv.transfer_tokens_per_us",
        "latency",
        "lora",
        "lora.adapter_mib",
        "lora.cpu_gb_per_s",
        "lora.cpu_load_ms",
        "lora.disk_gb_per_s",
        "lora.disk_load_ms",
        "lora.max_cpu_loras",
        "lora.max_loras",
        "lora.rank",
        "lora.step_us_per_adapter",
        "lora.step_us_per_layer",
        "lora.step_us_per_token",
        "lora.targets",
        "model",
        "pp",
        "pp_link_gb_per_s",
        "ranks.padding",
        "tp",
    ];
    assert_eq!(replace, expected);
}

/// A form that offers a variant must fill it in.
#[test]
fn every_field_without_a_default_has_a_first_value() {
    let all = fields(&["cluster", "workload", "slo"]);
    let variants: Vec<&Field> =
        all.iter().filter(|f| f.in_variant && f.said.get("default").is_none()).collect();
    assert!(variants.len() > 40, "only {} found", variants.len());
    let without = variants.iter().filter(|f| f.said.get("x-first").is_none() && f.said["type"] != "object");
    assert_eq!(without.map(|f| f.path.as_str()).collect::<Vec<_>>(), [] as [&str; 0]);
}
