//! Checks the files that a command writes: none may replace a file that the same command reads, or another that it
//! writes, under any spelling of the name.

use crate::failed::Failed;
use crate::print::{refused, unreadable};
use base::Diagnostic;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The name of standard input, and its file on the system.
const STDIN: [&str; 2] = ["-", "/dev/stdin"];

/// The files that a command reads, and those that it will write so far.
pub(crate) struct Outputs {
    read: Vec<PathBuf>,
    written: Vec<PathBuf>,
}

impl Outputs {
    /// For a command that reads these files; the name `-` is standard input.
    pub(crate) fn beside(read: impl IntoIterator<Item = PathBuf>) -> Self {
        let stdin = |path: PathBuf| if path == Path::new(STDIN[0]) { STDIN[1].into() } else { path };
        Self { read: read.into_iter().map(stdin).collect(), written: Vec::new() }
    }

    /// Adds a file that will be written.
    pub(crate) fn add(&mut self, path: &Path) -> Result<(), Diagnostic> {
        let wrong = |allowed: &str| {
            let shown = path.display().to_string();
            Err(Diagnostic::error("", shown, allowed, "give another name"))
        };
        if self.read.iter().any(|other| is_same(path, other)) {
            return wrong("a file that is not read in the same run");
        }
        if self.written.iter().any(|other| is_same(path, other)) {
            return wrong("a file of its own for each table");
        }
        self.written.push(path.to_path_buf());
        Ok(())
    }

    /// Adds the files that options name, and reports each that cannot be written.
    pub(crate) fn add_all<'a>(
        &mut self,
        asked: impl IntoIterator<Item = (&'a str, PathBuf)>,
    ) -> Result<(), Failed> {
        let mut failed = None;
        for (option, path) in asked {
            if let Err(problem) = self.add(&path) {
                failed = Some(refused(option, &[problem]));
            }
        }
        failed.map_or(Ok(()), Err)
    }
}

/// Checks that a file takes bytes, before the long work that fills it. What it holds stays as it is.
pub(crate) fn takes_bytes(path: &Path) -> Result<(), Failed> {
    let failed = |e: std::io::Error| unreadable(&path.display(), &e);
    let is_there = path.is_file();
    let mut file = OpenOptions::new().append(true).create(true).open(path).map_err(failed)?;
    if is_there {
        return Ok(());
    }
    file.write_all(b"\n").map_err(failed)?;
    if path.is_file() { std::fs::remove_file(path).map_err(failed) } else { Ok(()) }
}

/// Files that a document names which lie in a folder.
pub(crate) fn named_in(document: &serde_json::Value, folder: &Path) -> Vec<PathBuf> {
    use serde_json::Value;
    match document {
        Value::String(name) => {
            let path = folder.join(name);
            if !name.is_empty() && path.is_file() { vec![path] } else { Vec::new() }
        }
        Value::Array(list) => list.iter().flat_map(|value| named_in(value, folder)).collect(),
        Value::Object(map) => map.values().flat_map(|value| named_in(value, folder)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// Whether two names belong to one file: by another spelling, a symbolic link, or a hard link.
fn is_same(one: &Path, other: &Path) -> bool {
    place(one) == place(other) || number(one).is_some_and(|n| number(other) == Some(n))
}

/// Path of a file that exists or will be created.
fn place(path: &Path) -> PathBuf {
    let made_in = || {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    };
    path.canonicalize().ok().or_else(made_in).unwrap_or_else(|| path.to_path_buf())
}

/// The number of a file on its volume, which all its names share.
#[cfg(unix)]
fn number(path: &Path) -> Option<[u64; 2]> {
    use std::os::unix::fs::MetadataExt as _;
    let found = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    Some([found.dev(), found.ino()])
}

/// The system does not provide it.
#[cfg(not(unix))]
fn number(_: &Path) -> Option<[u64; 2]> {
    None
}
