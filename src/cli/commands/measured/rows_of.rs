//! Lists in files that this program wrote earlier.

use crate::failed::Failed;
use crate::print::refused;
use base::Diagnostic;
use document::{Read, data_from_value, value_from_long_json};
use std::path::Path;

/// The rows of a file that this program wrote earlier.
pub(crate) fn rows_of<T: Read>(path: &Path, text: &str, what: &str) -> Result<Vec<T>, Failed> {
    let name = path.display().to_string();
    let value = value_from_long_json(text, [what, "check that this is the right file"]);
    let value = value.map_err(|problems| refused(&name, &problems))?;
    if !value.is_array() {
        let fix = "check that this is the right file";
        return Err(refused(&name, &[Diagnostic::error("", "no list", what, fix)]));
    }
    data_from_value(&value, what).map_err(|problems| refused(&name, &problems))
}
