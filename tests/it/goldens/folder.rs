//! A folder of golden files, and of random cases recorded with their results.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The golden files of a folder, by name.
pub(super) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of golden files");
    let mut found: Vec<PathBuf> = entries.map(|e| e.expect("a readable folder").path()).collect();
    found.retain(|p| p.extension().is_some_and(|e| e == "json"));
    found.sort();
    found
}

pub(super) fn text(path: &Path) -> String {
    fs::read_to_string(path).expect("a readable file")
}

/// Random cases that are recorded in a folder, one a line.
pub(super) fn random_cases(folder: &Path, name: &str) -> io::Result<String> {
    let packed = fs::read(folder.join(format!("{name}.jsonl.gz")))?;
    let mut text = String::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut text)?;
    Ok(text)
}
