//! No test is left out: each file of `tests/it` is a module of its folder.

use super::{files, report};
use std::collections::BTreeSet;

#[test]
fn every_file_of_tests_is_a_module_of_its_folder() {
    let found = files("tests/it", &[".rs"]);
    let mut declared = BTreeSet::new();
    for (path, text) in &found {
        let (folder, name) = path.rsplit_once('/').expect("a file in a folder");
        for line in text.lines().filter(|_| ["mod.rs", "main.rs"].contains(&name)) {
            let module = line.trim_start_matches("pub(crate) ").strip_prefix("mod ");
            declared.extend(module.and_then(|m| m.strip_suffix(';')).map(|m| format!("{folder}/{m}")));
        }
    }
    let module = |path: &str| path.trim_end_matches(".rs").trim_end_matches("/mod").to_owned();
    let paths = found.iter().map(|(path, _)| path).filter(|path| *path != "tests/it/main.rs");
    let left_out: Vec<String> = paths.filter(|path| !declared.contains(&module(path))).cloned().collect();
    report("every file of tests/it is a module of its folder", &left_out);
    assert!(found.len() > 80, "{} files", found.len());
}
