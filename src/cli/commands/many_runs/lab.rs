//! `tokenyard lab`: the report of an evolution as one page of HTML.

use crate::args::evaluate::Lab as Arguments;
use crate::failed::Failed;
use crate::files::outputs::Outputs;
use crate::print::{refused, tell, unreadable};
use base::Diagnostic;
use document::limits;
use std::fs::File;
use std::io::Read;
use study::evaluate::lab::{Lab, page, read};

/// `tokenyard lab`
pub(crate) fn run(args: &Arguments) -> Result<(), Failed> {
    let name = args.results.display().to_string();
    let mut outputs = Outputs::beside([args.results.clone()]);
    outputs.add_all([("--output", args.output.clone())])?;
    let mut text = String::new();
    let most = limits::LAB_BYTES;
    let file = File::open(&args.results).and_then(|file| file.take(most + 1).read_to_string(&mut text));
    let bytes = file.map_err(|e| unreadable(&name, &e))? as u64;
    if bytes > most {
        let fix = "leave out candidates";
        let found = format!("more than {most} bytes");
        return Err(refused(&name, &[Diagnostic::error("", found, format!("at most {most} bytes"), fix)]));
    }
    let lab = read(&text).and_then(Lab::new).map_err(|problems| refused(&name, &problems))?;
    std::fs::write(&args.output, page(&lab)).map_err(|e| unreadable(&args.output.display(), &e))?;
    tell(&format!(
        "{}: {} candidates, {} did not run",
        args.output.display(),
        lab.candidates.len(),
        lab.not_run()
    ));
    Ok(())
}
