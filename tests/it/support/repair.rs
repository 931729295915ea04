//! Drawn documents that are refused are mended: what a message names is taken out.

use serde_json::Value;

/// Removes the field at a path, or the nearest thing around it that is there.
pub(crate) fn take_out(all: &mut Value, path: &str) -> bool {
    let parts: Vec<&str> = path.split(['.', '[', ']', '"', '#']).filter(|part| !part.is_empty()).collect();
    for length in (1..=parts.len()).rev() {
        let around =
            parts[..length - 1].iter().try_fold(&mut *all, |here, part| match part.parse::<usize>() {
                Ok(at) => here.get_mut(at),
                Err(_) => here.get_mut(*part),
            });
        match (around, parts[length - 1], parts[length - 1].parse::<usize>()) {
            (Some(Value::Array(list)), _, Ok(at)) if at < list.len() => {
                list.remove(at);
                return true;
            }
            (Some(Value::Object(fields)), name, _) if fields.contains_key(name) => {
                fields.remove(name);
                return true;
            }
            _ => {}
        }
    }
    false
}
