//! Measured experiments with the folders of their files.

use crate::failed::Failed;
use crate::files::outputs::named_in;
use crate::print::{refused, tell_all, unreadable};
use std::path::{Path, PathBuf};
use tools::validate::{Experiment, is_silicon, is_split_table, read, read_silicon, read_split_table};

/// The file of experiments in a folder.
pub(crate) const EXPERIMENTS: &str = "experiments.json";

/// Experiments, each with the folder of its files.
pub(crate) type Found = Vec<(Experiment, PathBuf)>;

/// All experiments of the folders and files.
pub(crate) fn experiments(paths: &[PathBuf]) -> Result<Found, Failed> {
    let mut found = Found::new();
    for path in paths {
        let (file, folder) = if path.is_dir() {
            (path.join(EXPERIMENTS), path.clone())
        } else {
            (path.clone(), path.parent().unwrap_or_else(|| Path::new("")).to_path_buf())
        };
        let text = std::fs::read_to_string(&file).map_err(|e| unreadable(&file.display(), &e))?;
        let name = file.display().to_string();
        let read = if is_split_table(&text) {
            read_split_table
        } else if is_silicon(&text) {
            read_silicon
        } else {
            read
        };
        let (list, problems) = read(&text).map_err(|problems| refused(&name, &problems))?;
        tell_all(&name, &problems);
        found.extend(list.into_iter().map(|e| (e, folder.clone())));
    }
    Ok(found)
}

/// The files of experiments, and those that they name.
pub(crate) fn files_of(paths: &[PathBuf], found: &Found) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        paths.iter().flat_map(|path| [path.clone(), path.join(EXPERIMENTS)]).collect();
    for (experiment, folder) in found {
        all.extend(["points.csv", "steps.csv"].map(|name| folder.join(name)));
        all.extend(named_in(&experiment.document, folder));
    }
    all
}
