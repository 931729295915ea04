//! Commands, new and changed flag by flag.

use super::*;
use crate::vllm::map::FLAGS;
use serde_json::json;

const PROGRAMS: Programs = &[&["vllm", "serve"]];

fn wanted(seqs: u32, prefix: bool) -> Vec<Wanted> {
    let pool = json!({ "tp": 2, "engine": { "max_num_seqs": seqs }, "kv": { "prefix_caching": prefix } });
    let mut writer = FlagWriter::new(FLAGS, "", &pool);
    writer.same("tensor-parallel-size");
    writer.same_or("max-num-seqs", Some(Scalar::Whole(1024)));
    writer.same("enable-prefix-caching");
    let flags = writer.flags;
    vec![Wanted {
        program: "vllm serve",
        subject: Some("o/m".to_owned()),
        flags,
        about: vec!["a pool".to_owned()],
    }]
}

fn beside(text: &str, seqs: u32, prefix: bool) -> String {
    let written = written(wanted(seqs, prefix), PROGRAMS, Some(text), |a, b| a == b);
    assert_eq!(written.not_beside, None);
    written.text
}

#[test]
fn a_new_command_has_the_flags_that_are_no_defaults() {
    let new = written(wanted(1024, false), PROGRAMS, None, |a, b| a == b);
    assert_eq!(
        new.text,
        "# a pool\nvllm serve o/m \\\n  --tensor-parallel-size 2 \\\n  --no-enable-prefix-caching\n"
    );
    assert_eq!(new.rows.iter().map(|row| row.written).collect::<Vec<_>>(), [true, false, true]);
}

#[test]
fn a_command_that_says_the_same_stays_and_one_flag_changes_alone() {
    let text = "#!/bin/sh\nexport A='vllm serve x'\nvllm serve o/m --port 80 -tp 2 \\\n    --max_num_seqs=64 \\\n    --enable-prefix-caching # on\necho done\n";
    assert_eq!(beside(text, 64, true), text);
    assert_eq!(beside(text, 128, true), text.replace("--max_num_seqs=64", "--max_num_seqs=128"));
    assert_eq!(
        beside(text, 64, false),
        text.replace("--enable-prefix-caching #", "--no-enable-prefix-caching #")
    );
    let short = "vllm serve o/m -tp 2\n";
    assert_eq!(beside(short, 8, true), "vllm serve o/m -tp 2 --max-num-seqs 8\n");
    let long = "vllm serve o/m \\\n  -tp 4\n";
    assert_eq!(beside(long, 8, true), "vllm serve o/m \\\n  -tp 2 \\\n  --max-num-seqs 8\n");
}

#[test]
fn arguments_of_a_container_change_in_their_list() {
    let text = "kind: Deployment\nspec:\n  containers:\n  - name: e\n    command: [vllm, serve]\n    args:\n    - \"o/m\"\n    - --tensor-parallel-size\n    - \"2\"\n    - \"--max-num-seqs=64\"\n    env: []\n";
    assert_eq!(beside(text, 64, true), text);
    assert_eq!(
        beside(text, 128, false),
        text.replace("=64\"\n", "=128\"\n    - --no-enable-prefix-caching\n")
    );
    let shell = "kind: Deployment\ncontainers:\n- command: [sh, -c]\n  args:\n  - |\n    exec vllm serve o/m \\\n      --max-num-seqs 64 -tp 2\n";
    assert_eq!(beside(shell, 8, true), shell.replace("64", "8"));
}

#[test]
fn texts_without_the_command_are_no_base_and_nothing_panics() {
    for text in [
        "",
        "vllm",
        "vllm bench serve",
        "'",
        "\"",
        "\\",
        "vllm serve",
        "# vllm serve x",
        "vllm serve \\",
        "é '",
        "a;b&&c|d",
    ] {
        let written = written(wanted(8, true), PROGRAMS, Some(text), |a, b| a == b);
        assert_eq!(written.not_beside.is_none(), text.starts_with("vllm serve"), "{text:?}");
    }
}
