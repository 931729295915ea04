//! The map of a program's flags: the names of each, its values, and what it becomes. Reading looks flags up in it, and
//! writing goes through it.

use super::values::Kind;
use crate::capability::Capability;
use crate::yaml::scalar::Scalar;
use serde_json::{Value, json};

/// The map of a program's flags, an entry for each: how it is read (`same`, `written`, `own`, `nothing` or `group`, the
/// constructors of [`KnownFlag`]), the kind of its value, its names, and its field (`=>`) or the capability that it lacks (`:`).
macro_rules! flags {
    ($($how:ident $kind:ident [$($name:literal),+] $(: $why:ident)? $(=> $field:expr)?;)*) => {
        &[$($crate::command::map::KnownFlag::$how(
            &[$($name),+],
            $crate::command::values::Kind::$kind,
            $($crate::capability::Capability::$why)?
            $($field)?
        )),*]
    };
}

/// A flag that a program knows.
pub(crate) struct KnownFlag {
    /// Its name without dashes, in small letters with hyphens, and its other names.
    pub(crate) names: &'static [&'static str],
    pub(crate) kind: Kind,
    pub(crate) becomes: Becomes,
    /// Whether its names are flags of their own, rather than names of one.
    pub(crate) is_group: bool,
}

/// What a flag becomes.
pub(crate) enum Becomes {
    /// A field with the same value in both directions: this entry alone says it.
    Same(FlagField),
    /// What the program's reader says, and its writer where the field is written.
    Own(Option<FlagField>),
    /// Nothing, unless the program's reader says more.
    Nothing(Capability),
}

/// The field of a flag.
pub(crate) struct FlagField {
    /// Its path below what the flags are about, such as `kv.block_tokens` of a pool.
    pub(crate) path: &'static str,
    /// Its name in the tables of an export.
    pub(crate) ours: &'static str,
    /// The least and the most that are read.
    pub(crate) range: [f64; 2],
    /// Its value without the flag.
    pub(crate) usual: UsualValue,
}

/// The value of a field without its flag.
#[derive(Clone, Copy)]
pub(crate) enum UsualValue {
    Whole(u32),
    Number(f64),
    Word(&'static str),
    Switch(bool),
    /// The program chooses it.
    Chosen,
}

/// A range of flags that are not numbers.
pub(crate) const ANY: [f64; 2] = [0.0, f64::MAX];

impl KnownFlag {
    /// A flag that its program's reader reads.
    pub(crate) const fn own(names: &'static [&'static str], kind: Kind) -> Self {
        Self { names, kind, becomes: Becomes::Own(None), is_group: false }
    }

    /// A flag that its program's reader reads and its writer writes.
    pub(crate) const fn written(names: &'static [&'static str], kind: Kind, field: FlagField) -> Self {
        Self { names, kind, becomes: Becomes::Own(Some(field)), is_group: false }
    }

    /// A flag that means the same as a field.
    pub(crate) const fn same(names: &'static [&'static str], kind: Kind, field: FlagField) -> Self {
        Self { names, kind, becomes: Becomes::Same(field), is_group: false }
    }

    /// A flag without a counterpart.
    pub(crate) const fn nothing(names: &'static [&'static str], kind: Kind, why: Capability) -> Self {
        Self { names, kind, becomes: Becomes::Nothing(why), is_group: false }
    }

    /// Several flags without a counterpart. Their values are not looked at.
    pub(crate) const fn group(names: &'static [&'static str], kind: Kind, why: Capability) -> Self {
        Self { names, kind, becomes: Becomes::Nothing(why), is_group: true }
    }

    /// The field that it means or is written from.
    pub(crate) fn field(&self) -> Option<&FlagField> {
        match &self.becomes {
            Becomes::Same(field) => Some(field),
            Becomes::Own(field) => field.as_ref(),
            Becomes::Nothing(_) => None,
        }
    }
}

/// The flag of a map with a first name.
pub(crate) fn flag_of(map: &'static [KnownFlag], name: &str) -> &'static KnownFlag {
    map.iter().find(|flag| flag.names[0] == name).expect("a flag of the map")
}

impl FlagField {
    /// A field that is no number.
    pub(crate) const fn new(path: &'static str, ours: &'static str, usual: UsualValue) -> Self {
        Self { path, ours, range: ANY, usual }
    }

    /// The same, of which numbers in a range are read.
    pub(crate) const fn within(self, least: f64, most: f64) -> Self {
        Self { range: [least, most], ..self }
    }
}

impl UsualValue {
    /// The value as a flag has it; `None` if the program chooses it.
    pub(crate) fn scalar(self) -> Option<Scalar> {
        match self {
            Self::Whole(n) => Some(Scalar::from(n)),
            Self::Number(x) => Some(Scalar::Number(x)),
            Self::Word(word) => Some(Scalar::text(word)),
            Self::Switch(on) => Some(Scalar::Flag(on)),
            Self::Chosen => None,
        }
    }

    /// The value as the field has it.
    pub(crate) fn value(self) -> Value {
        match self {
            Self::Whole(n) => json!(n),
            Self::Number(x) => json!(x),
            Self::Word(word) => json!(word),
            Self::Switch(on) => json!(on),
            Self::Chosen => json!("auto"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routers::{dynamo, smg};
    use crate::{sglang, trtllm, vllm};

    /// A document with a value at a path below a start.
    fn document(start: &[&str], path: &str, value: Value) -> Value {
        let keys: Vec<&str> = start.iter().copied().chain(path.split('.')).collect();
        keys.into_iter().rev().fold(value, |inner, key| {
            if key == "pools" { json!({ key: [inner] }) } else { json!({ key: inner }) }
        })
    }

    #[test]
    fn what_means_the_same_as_a_field_is_a_field_of_the_scenario() {
        let maps: [(&[KnownFlag], &[&str]); 5] = [
            (vllm::map::FLAGS, &["cluster", "pools"]),
            (sglang::map::FLAGS, &["cluster", "pools"]),
            (trtllm::map::FLAGS, &["cluster", "pools"]),
            (smg::map::FLAGS, &["cluster"]),
            (dynamo::map::FLAGS, &["cluster"]),
        ];
        for (map, start) in maps {
            let same = map.iter().filter(|flag| matches!(flag.becomes, Becomes::Same(_)));
            let fields: Vec<&FlagField> = same.filter_map(KnownFlag::field).collect();
            assert!(fields.len() > 2);
            for field in fields {
                let read = document::from_value(document(start, field.path, field.usual.value()));
                assert!(read.is_ok(), "{}: {read:?}", field.path);
            }
        }
    }

    #[test]
    fn a_flag_stands_once_in_a_map() {
        let all =
            [vllm::map::FLAGS, sglang::map::FLAGS, trtllm::map::FLAGS, smg::map::FLAGS, dynamo::map::FLAGS];
        for map in all {
            let mut names: Vec<&str> = map.iter().flat_map(|flag| flag.names).copied().collect();
            names.sort_unstable();
            for pair in names.windows(2) {
                assert_ne!(pair[0], pair[1]);
            }
        }
    }
}
