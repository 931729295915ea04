//! Runs the built command as a user would: arguments, standard input, files of this test run.

use serde_json::Value;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Runs the built command with `stdin`.
pub(crate) fn run_with(args: &[&str], stdin: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tokenyard"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // A command that refuses its arguments does not read.
    child.stdin.take().expect("stdin is piped").write_all(stdin).ok();
    child.wait_with_output().expect("the command ends")
}

/// Runs the built command with nothing to read.
pub(crate) fn run(args: &[&str]) -> Output {
    run_with(args, b"")
}

/// What a command prints that goes well.
pub(crate) fn printed(args: &[&str]) -> String {
    let out = run(args);
    assert_eq!(out.status.code(), Some(0), "{args:?}: {}{}", stderr(&out), stdout(&out));
    stdout(&out)
}

/// The same as JSON.
pub(crate) fn printed_json(args: &[&str]) -> Value {
    serde_json::from_str(&printed(args)).unwrap_or_else(|e| panic!("{args:?}: {e}"))
}

/// The messages of a command that cannot use its input or its arguments.
pub(crate) fn refused(args: &[&str]) -> String {
    let out = run(args);
    assert_eq!(out.status.code(), Some(2), "{args:?}: {}{}", stderr(&out), stdout(&out));
    stderr(&out)
}

/// What it printed.
pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("stdout is UTF-8")
}

/// What it told.
pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("stderr is UTF-8")
}

/// A file of this test run, removed at its end.
pub(crate) struct TempFile(PathBuf);

impl TempFile {
    /// Writes it, in a place of its own; its name ends as asked.
    pub(crate) fn new(name: &str, bytes: impl AsRef<[u8]>) -> Self {
        static WRITTEN: AtomicU32 = AtomicU32::new(0);
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("tokenyard-{}-{number}-{name}", std::process::id()));
        std::fs::write(&path, bytes).expect("the temporary folder takes files");
        Self(path)
    }

    /// Its name for the command.
    pub(crate) fn path(&self) -> &str {
        self.0.to_str().expect("a path in UTF-8")
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).ok();
    }
}

/// A folder of this test run, which is not there until something is written into it; removed at its end.
pub(crate) struct TempFolder(String);

impl TempFolder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("tokenyard-{}-{name}", std::process::id()));
        std::fs::remove_dir_all(&path).ok();
        Self(path.to_str().expect("a path in UTF-8").to_owned())
    }

    /// Its name for the command.
    pub(crate) fn here(&self) -> &str {
        &self.0
    }

    /// The name of a file in it.
    pub(crate) fn path(&self, file: &str) -> String {
        format!("{}/{file}", self.0)
    }

    /// Writes a file, and returns its name.
    pub(crate) fn write(&self, file: &str, text: &str) -> String {
        std::fs::create_dir_all(&self.0).expect("the temporary folder takes folders");
        std::fs::write(self.path(file), text).expect("the folder takes files");
        self.path(file)
    }

    /// What a file in it has.
    pub(crate) fn text(&self, file: &str) -> String {
        std::fs::read_to_string(self.path(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}
