//! What is published beside the crate: one version, and the schema at its stable path.

use crate::support::command::{run, stdout};
use std::fs;
use std::path::Path;

fn read(path: &str) -> Option<String> {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).ok()
}

/// The lines of a section of TOML.
fn section<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let head = format!("[{name}]");
    let lines = text.lines().map(str::trim).skip_while(|line| *line != head).skip(1);
    lines.take_while(|line| !line.starts_with('[')).collect()
}

#[test]
fn cargo_toml_has_the_only_version() {
    let root = read("Cargo.toml").expect("the manifest");
    let version = format!("version = \"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(section(&root, "workspace.package").contains(&version.as_str()), "{version}");
    // A package that is not here yet has no version either.
    for manifest in ["Cargo.toml", "npm/Cargo.toml", "python/Cargo.toml"] {
        let Some(text) = read(manifest) else { continue };
        let package = section(&text, "package");
        let own: Vec<_> = package.iter().filter(|line| line.starts_with("version")).collect();
        assert_eq!(own, [&"version.workspace = true"], "{manifest}");
    }
    let described = read("npm/package.json").expect("the package's description");
    let described: serde_json::Value = serde_json::from_str(&described).expect("it is JSON");
    assert_eq!((described["name"].as_str(), described.get("version")), (Some("tokenyard"), None));
    if let Some(project) = read("python/pyproject.toml") {
        let project = section(&project, "project");
        assert!(
            !project.iter().any(|line| line.starts_with("version")),
            "python/pyproject.toml has a version"
        );
        let dynamic = project.iter().any(|line| line.starts_with("dynamic") && line.contains("\"version\""));
        assert!(dynamic, "python/pyproject.toml takes the version from Cargo.toml: dynamic = [\"version\"]");
    }
}

#[test]
fn the_schema_at_its_stable_path_is_that_of_the_command_line() {
    let out = run(&["schema"]);
    assert_eq!(
        read("schema/v1.json").as_deref(),
        Some(stdout(&out).as_str()),
        "tokenyard schema > schema/v1.json"
    );
}
