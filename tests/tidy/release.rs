//! `scripts/release` refuses what must not be released, before it builds anything.

use super::root;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A repository that has nothing but the script, a version and this changelog, all of it committed; removed when it is dropped.
struct Repository(PathBuf);

impl Repository {
    fn new(name: &str, changelog: &str) -> Self {
        let at = std::env::temp_dir().join(format!("tokenyard-release-{}-{name}", std::process::id()));
        fs::create_dir_all(at.join("scripts")).expect("a folder");
        for script in ["scripts/lib.sh", "scripts/release"] {
            fs::copy(root().join(script), at.join(script)).expect("a copy of the script");
        }
        fs::write(at.join("Cargo.toml"), "[workspace.package]\nversion = \"9.9.9\"\n").expect("a manifest");
        fs::write(at.join("CHANGELOG.md"), changelog).expect("a changelog");
        let identity = ["-c", "user.name=test", "-c", "user.email=test@localhost"];
        for arguments in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "-m", "All"]] {
            run(&at, "git", &[&identity[..], arguments].concat());
        }
        Self(at)
    }

    /// What the script says when it fails, as it has to.
    fn refused(&self, arguments: &[&str]) -> String {
        let (success, said) = run(&self.0, "bash", &[&["scripts/release"][..], arguments].concat());
        assert!(!success, "{said}");
        assert!(!self.0.join("dist").exists(), "nothing is made before it is refused");
        said
    }
}

impl Drop for Repository {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn run(at: &Path, program: &str, arguments: &[&str]) -> (bool, String) {
    let out = Command::new(program).args(arguments).current_dir(at).output().expect("the program runs");
    (out.status.success(), String::from_utf8_lossy(&out.stderr).into_owned())
}

#[test]
fn changes_that_are_not_committed_are_not_released() {
    let repository = Repository::new("changed", "## 9.9.9\n\n- All.\n");
    fs::write(repository.0.join("new.txt"), "new").expect("a file");
    assert!(repository.refused(&["--dry-run"]).contains("changes that are not committed"));
}

#[test]
fn a_version_without_a_section_of_the_changelog_is_not_released() {
    for (name, changelog) in [
        ("none", "# Changelog\n"),
        ("other", "## 9.9.99\n\n- All.\n"),
        ("empty", "## 9.9.9\n\n## 9.9.8\n\n- All.\n"),
    ] {
        let said = Repository::new(name, changelog).refused(&["--dry-run"]);
        assert!(said.contains("CHANGELOG.md has no section of version 9.9.9"), "{name}: {said}");
    }
}

#[test]
fn a_version_that_the_changelog_calls_unreleased_is_not_tagged() {
    let said = Repository::new("unreleased", "## 9.9.9 (unreleased)\n\n- All.\n").refused(&[]);
    assert!(said.contains("version 9.9.9 is not released"), "{said}");
}
