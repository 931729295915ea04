//! The flags of routers about replicas that fail, as `cluster.resilience`.

use crate::command::flags::Flags;
use crate::import::configuration::Reader;
use serde_json::json;

/// A flag about failures.
pub(crate) struct FailureFlag {
    pub(crate) name: &'static str,
    /// Its field below `cluster.resilience`, and the least and the most that this takes.
    pub(crate) field: &'static str,
    pub(crate) range: [f64; 2],
    /// How it differs; empty if it means the same.
    pub(crate) differs: &'static str,
}

/// Sets what the flags say. A switch in `off` takes back what the flags that begin with its prefix say.
pub(crate) fn failures(
    r: &mut Reader<'_>,
    flags: &mut Flags,
    known: &[FailureFlag],
    off: &[(&'static str, &str)],
) {
    let mut is_off = Vec::new();
    for (switch, prefix) in off {
        match flags.switch(switch) {
            Some(true) => {
                flags.note(r, switch, "nothing of the kind is done, as without cluster.resilience");
                is_off.push(*prefix);
            }
            Some(false) => flags.note(r, switch, "the flags beside it say what is done"),
            None => {}
        }
    }
    for FailureFlag { name, field, range, differs } in known {
        if is_off.iter().any(|prefix| name.starts_with(prefix)) {
            flags.ignore(r, name, "another flag switches it off");
            continue;
        }
        let Some(x) = flags.number_in(r, name, *range) else { continue };
        let path = format!("cluster.resilience.{field}");
        if differs.is_empty() {
            flags.note(r, name, &path);
        } else {
            flags.near(r, name, &path, differs);
        }
        let is_whole = flags.value(name).is_some_and(serde_json::Value::is_u64);
        let value = if is_whole { json!(x as u64) } else { json!(x) };
        flags.set(r, name, &path, value);
    }
}
