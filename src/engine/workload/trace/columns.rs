//! What the columns or keys of a trace file mean: named by the user, or recognised by their names.

use base::{Diagnostic, Diagnostics, alike};

/// What a column says about a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    Arrival,
    Prompt,
    Output,
    Session,
    Tenant,
    Class,
    Priority,
    Model,
    Adapter,
    Id,
}

impl Role {
    pub(super) const ALL: [Self; 10] = [
        Self::Arrival,
        Self::Prompt,
        Self::Output,
        Self::Session,
        Self::Tenant,
        Self::Class,
        Self::Priority,
        Self::Model,
        Self::Adapter,
        Self::Id,
    ];
    /// Those that a request may lack.
    pub(super) const OPTIONAL: [Self; 7] =
        [Self::Session, Self::Tenant, Self::Class, Self::Priority, Self::Model, Self::Adapter, Self::Id];

    /// Its word in [`TraceColumns::parse`].
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Arrival => "arrival",
            Self::Prompt => "prompt",
            Self::Output => "output",
            Self::Session => "session",
            Self::Tenant => "tenant",
            Self::Class => "class",
            Self::Priority => "priority",
            Self::Model => "model",
            Self::Adapter => "adapter",
            Self::Id => "id",
        }
    }

    /// Names under which any format has an optional column.
    pub(super) const fn usual(self) -> &'static [&'static str] {
        match self {
            Self::Arrival | Self::Prompt | Self::Output => &[],
            Self::Session => &["Session ID", "session_id", "conversation_id"],
            Self::Tenant => &["tenant", "tenant_id"],
            Self::Class => &["slo_class"],
            Self::Priority => &["priority"],
            Self::Model => &["model", "Model"],
            Self::Adapter => &["adapter", "lora_adapter"],
            Self::Id => &["request_id", "id"],
        }
    }
}

/// Units of instants, in microseconds.
const UNITS: [(&str, f64); 4] = [("ns", 1e-3), ("us", 1.0), ("ms", 1e3), ("s", 1e6)];

/// Names that the user gives to columns of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceColumns {
    named: Vec<(Role, String)>,
    /// Microseconds in the unit of the arrivals, if it is given.
    pub(super) unit_us: Option<f64>,
}

impl TraceColumns {
    /// Columns from a text such as `arrival:ms=t,prompt=in,output=out,tenant=team`.
    pub fn parse(text: &str) -> Result<Self, Diagnostics> {
        let mut columns = Self::default();
        let mut all = Diagnostics::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            if let Err(problem) = columns.add(part) {
                all.push(problem);
            }
        }
        if columns.named.is_empty() && all.is_empty() {
            all.push(problem(
                "nothing",
                "such as arrival=t,prompt=in,output=out",
                "name at least one column",
            ));
        }
        if all.is_empty() { Ok(columns) } else { Err(all) }
    }

    fn add(&mut self, part: &str) -> Result<(), Diagnostic> {
        let fix = "such as arrival:ms=t,prompt=in,output=out";
        let Some((role, name)) = part.split_once('=').map(|(role, name)| (role.trim(), name.trim())) else {
            return Err(problem(part, "WHAT=COLUMN, with commas between them", fix));
        };
        let (word, unit) = role.split_once(':').map_or((role, None), |(word, unit)| (word, Some(unit)));
        let words = Role::ALL.map(Role::word);
        let Some(role) = Role::ALL.into_iter().find(|role| role.word() == word) else {
            let near = alike::nearest(word, words).map(|near| format!("did you mean `{near}`?"));
            return Err(problem(word, &words.join(", "), near.as_deref().unwrap_or(fix)));
        };
        if name.is_empty() {
            return Err(problem(part, "a name of a column after =", fix));
        }
        if self.named.iter().any(|(known, _)| *known == role) {
            return Err(problem(&format!("{word} twice"), "each once", "remove one of them"));
        }
        if let Some(unit) = unit {
            let known = UNITS.into_iter().find(|(name, _)| *name == unit);
            let units = UNITS.map(|(name, _)| name).join(", ");
            match known {
                Some((_, us)) if role == Role::Arrival => self.unit_us = Some(us),
                Some(_) => return Err(problem(part, "a unit of the arrival only", fix)),
                None => return Err(problem(&format!("unit {unit:?}"), &units, fix)),
            }
        }
        self.named.push((role, name.to_owned()));
        Ok(())
    }

    /// The name given for a role.
    pub(super) fn of(&self, role: Role) -> Option<&str> {
        self.named.iter().find(|(known, _)| *known == role).map(|(_, name)| name.as_str())
    }

    /// The names given that are not among those of a file. Of a path such as `usage.input` the first part counts.
    pub(super) fn missing(&self, all: &[&str]) -> Vec<&str> {
        let names = self.named.iter().map(|(_, name)| name.as_str());
        names.filter(|name| !all.contains(name) && !all.contains(&first_part(name))).collect()
    }
}

/// The key of a path such as `usage.input`.
pub(super) fn first_part(path: &str) -> &str {
    path.split_once('.').map_or(path, |(first, _)| first)
}

fn problem(found: &str, allowed: &str, fix: &str) -> Diagnostic {
    Diagnostic::error("", found, allowed, fix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_named_with_a_unit() {
        let columns = TraceColumns::parse("arrival:ms=t, prompt=in tokens,output=out,tenant=team").unwrap();
        assert_eq!(columns.unit_us, Some(1e3));
        assert_eq!(columns.of(Role::Prompt), Some("in tokens"));
        assert_eq!(columns.of(Role::Session), None);
        assert_eq!(columns.missing(&["t", "out", "team"]), ["in tokens"]);
        let path = TraceColumns::parse("prompt=usage.input").unwrap();
        assert_eq!(path.missing(&["usage"]), Vec::<&str>::new());
    }

    #[test]
    fn what_names_no_column_is_reported_once_each() {
        let problem = |text: &str| TraceColumns::parse(text).unwrap_err()[0].to_string();
        assert!(problem("arrival").contains("WHAT=COLUMN"));
        assert!(problem("arival=t").contains("did you mean `arrival`?"));
        assert!(problem("prompt=").contains("a name of a column"));
        assert!(problem("prompt=a,prompt=b").contains("prompt twice"));
        assert!(problem("arrival:hours=t").contains("ns, us, ms, s"));
        assert!(problem("prompt:ms=t").contains("of the arrival only"));
        assert!(problem(" , ").contains("nothing"));
        assert_eq!(TraceColumns::parse("x=1,y=2").unwrap_err().len(), 2);
    }
}
