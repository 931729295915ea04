//! Notes of the document's fields, declared once next to the type: label, unit, range, first value, and the effect of
//! an edit.
//!
//! A table `fields!` makes two things: the check of the ranges, which every program has, and the notes, from which the
//! command line writes the schema and the page its form. Relations between fields are in `check`.

use crate::table::report::{Report, grouped, plain};
use crate::{At, limits};
use base::small::decimal;

/// A part of the document with the ranges of its fields.
pub(crate) trait Fields {
    /// Reports every number in it that is out of its range, and every text and list that is too long.
    fn check_ranges(&self, at: &At<'_>, r: &mut Report);

    /// What the schema says of its fields.
    #[cfg(feature = "schema")]
    fn notes() -> Vec<crate::table::notes::Note>
    where
        Self: Sized,
    {
        Vec::new()
    }
}

/// What may have a range.
pub(crate) trait Ranged {
    /// What its range is written in.
    type Bound;

    fn check_range(&self, range: [Self::Bound; 2], fix: &str, at: &At<'_>, r: &mut Report);
}

impl Ranged for u32 {
    type Bound = Self;

    fn check_range(&self, [min, max]: [Self; 2], fix: &str, at: &At<'_>, r: &mut Report) {
        whole((*self).into(), [min.into(), max.into()], fix, at, r);
    }
}

impl Ranged for u64 {
    type Bound = Self;

    fn check_range(&self, range: [Self; 2], fix: &str, at: &At<'_>, r: &mut Report) {
        whole(*self, range, fix, at, r);
    }
}

impl<T: Ranged> Ranged for Vec<T>
where
    T::Bound: Copy,
{
    type Bound = T::Bound;

    fn check_range(&self, range: [T::Bound; 2], fix: &str, at: &At<'_>, r: &mut Report) {
        for (i, entry) in self.iter().enumerate() {
            entry.check_range(range, fix, &at.entry(i), r);
        }
    }
}

impl<T: Ranged> Ranged for Option<T> {
    type Bound = T::Bound;

    fn check_range(&self, range: [T::Bound; 2], fix: &str, at: &At<'_>, r: &mut Report) {
        if let Some(there) = self {
            there.check_range(range, fix, at, r);
        }
    }
}

impl Ranged for f64 {
    type Bound = Self;

    #[inline(never)]
    fn check_range(&self, [min, max]: [Self; 2], fix: &str, at: &At<'_>, r: &mut Report) {
        if !(self.is_finite() && *self >= min && *self <= max) {
            out_of_range(decimal::plain(*self), [plain(min), plain(max)], fix, at, r);
        }
    }
}

/// Once in the module, not once for each field.
#[inline(never)]
fn whole(found: u64, [min, max]: [u64; 2], fix: &str, at: &At<'_>, r: &mut Report) {
    if !(min..=max).contains(&found) {
        out_of_range(grouped(found), [grouped(min), grouped(max)], fix, at, r);
    }
}

#[cold]
fn out_of_range(found: String, [min, max]: [String; 2], fix: &str, at: &At<'_>, r: &mut Report) {
    r.error(at.text(), found, format!("{min} to {max}"), fix);
}

/// A list of at most `most` entries, which are `many` in the plural.
#[inline(never)]
pub(crate) fn check_count(found: usize, most: usize, many: &str, at: &At<'_>, r: &mut Report) {
    if found > most {
        r.count(&at.text(), found, most, many);
    }
}

impl Fields for String {
    fn check_ranges(&self, at: &At<'_>, r: &mut Report) {
        if self.len() > limits::TEXT_BYTES {
            r.text(&at.text(), self);
        }
    }
}

impl<T: Fields> Fields for Vec<T> {
    fn check_ranges(&self, at: &At<'_>, r: &mut Report) {
        for (i, entry) in self.iter().enumerate() {
            entry.check_ranges(&at.entry(i), r);
        }
    }
}

impl<T: Fields> Fields for Option<T> {
    fn check_ranges(&self, at: &At<'_>, r: &mut Report) {
        if let Some(there) = self {
            there.check_ranges(at, r);
        }
    }
}

/// Types without fields: there is nothing in them to check.
macro_rules! without_fields {
    ($($type:ty)*) => {
        $(impl $crate::table::fields::Fields for $type {
            fn check_ranges(&self, _: &$crate::At<'_>, _: &mut $crate::table::report::Report) {}
        })*
    };
}
pub(crate) use without_fields;

without_fields! { bool i32 u32 u64 f64 }

/// The fields of a type, each with its notes, in the order in which they are written, and as far as they apply:
///
/// `name [how]: "Label" of "unit" in [min, max] or "remedy" up_to [most, "entries", "entry"] and { "x-…": … } first value => Effect`
///
/// - `how`: `omit` where it is not written if it has its default; in an entry `default` if it may be left out, `one` if it is 1
///   then.
/// - `up_to`: how many entries a list may have, and what they are called.
/// - `first`: what a form starts with where the field has no default.
/// - `and`: what else a form knows. `x-after`: in a new entry of a list, the seconds by which it lies after that field of the
///   entry before. `x-role`: when another variant is chosen, the value goes to the field with the same role. `x-with`: what an
///   option needs of a list beside it, and no other option does. `x-stands-for`: the entries of a list beside it that an option
///   stands for. `x-row-of`: the entry of a list is one row with this number, named by that field. `x-rare`: a form shows it
///   when asked, or where it is not the default. `x-max-bytes`: the largest file. `x-form`: the unit that the
///   form shows and takes, and how many of the document's units are one of it.
/// - `=> Effect`: what an edit of it does, see `notes::Effect`. With `by itself` behind it, `check` walks the field's entries.
///
/// `struct Type { … }` is a struct with defaults, `entry Type { … }` one whose fields have to be there,
/// `enum Type [Variant "name" …] { Variant "name" { … } … }` an enum whose variants have fields, behind those that have
/// none, `choice Type [Variant "name" …] { Variant "name" … }` one whose variants hold a struct, and
/// `names Type { Variant "name" … }` one without any settings. `shape!` reads and writes them. The compiler refuses a
/// table that leaves a field or a variant out.
macro_rules! fields {
    (enum $type:ident [$($alone:ident $word:literal)*] { $($variant:ident $name:literal { $($field:ident $([$how:ident])?: $label:literal
        $(of $unit:literal)? $(in [$min:expr, $max:expr] or $fix:literal)? $(up_to [$most:expr, $many:literal, $one:literal])?
        $(and { $($more:tt)* })? $(first $first:expr)?
        => $effect:ident;)* })* }) => {
        $crate::shape! {
            enum $type [$($alone $word)*] { $($variant $name { $($field $([$how])?)* })* } {}
        }
        impl $crate::table::fields::Fields for $type {
            fn check_ranges(&self, at: &$crate::At<'_>, r: &mut $crate::table::report::Report) {
                match self {
                    $(Self::$alone => {})*
                    $(Self::$variant { $($field),* } => {
                        let at = &at.key($name);
                        $($crate::table::fields::check_field!(at r $field [$($min, $max, $fix)?] [$($most, $many)?]);)*
                    })*
                }
            }
            #[cfg(feature = "schema")]
            fn notes() -> Vec<$crate::table::notes::Note> {
                vec![$($($crate::table::notes::note!(Some($name), $field, $crate::table::notes::presence!(entry $type $field $($how)?), $label, $effect
                    [$($unit)?] [$($min, $max)?] [$($one)?] [$({ $($more)* })?] [$($first)?])),*),*]
            }
        }
    };
    (choice $type:ident [$($alone:ident $word:literal)*] { $($variant:ident $name:literal)* }) => {
        $crate::shape! { enum $type [$($alone $word)*] {} { $($variant $name)* } }
        impl $crate::table::fields::Fields for $type {
            fn check_ranges(&self, at: &$crate::At<'_>, r: &mut $crate::table::report::Report) {
                match self {
                    $(Self::$alone => {})*
                    $(Self::$variant(settings) => settings.check_ranges(&at.key($name), r),)*
                }
            }
        }
    };
    (names $type:ident { $($variant:ident $name:literal)* }) => {
        $crate::shape! { names $type { $($variant $name)* } }
        $crate::table::fields::without_fields! { $type }
    };
    ($kind:tt $type:ident { $($field:ident $([$how:ident])?: $label:literal
        $(of $unit:literal)? $(in [$min:expr, $max:expr] or $fix:literal)? $(up_to [$most:expr, $many:literal, $one:literal])?
        $(and { $($more:tt)* })? $(first $first:expr)?
        => $effect:ident $(by $apart:ident)?;)* }) => {
        $crate::shape! { $kind $type { $($field $([$how])?)* } }
        impl $crate::table::fields::Fields for $type {
            fn check_ranges(&self, at: &$crate::At<'_>, r: &mut $crate::table::report::Report) {
                let Self { $($field),* } = self;
                $($crate::table::fields::check_field!(at r $field [$($min, $max, $fix)?] [$($most, $many)?] $($apart)?);)*
            }
            #[cfg(feature = "schema")]
            fn notes() -> Vec<$crate::table::notes::Note> {
                vec![$($crate::table::notes::note!(None, $field, $crate::table::notes::presence!($kind $type $field $($how)?), $label, $effect
                    [$($unit)?] [$($min, $max)?] [$($one)?] [$({ $($more)* })?] [$($first)?])),*]
            }
        }
    };
}
pub(crate) use fields;

/// One field of a table: its range, its length, and its contents.
macro_rules! check_field {
    (@in $at:ident $r:ident $field:ident) => {};
    (@in $at:ident $r:ident $field:ident $min:expr, $max:expr, $fix:literal) => {
        $crate::table::fields::Ranged::check_range($field, [$min, $max], $fix, &$at, $r);
    };
    (@count $at:ident $r:ident $field:ident) => {};
    (@count $at:ident $r:ident $field:ident $most:expr, $many:literal) => {
        $crate::table::fields::check_count($field.len(), $most, $many, &$at, $r);
    };
    (@below $at:ident $r:ident $field:ident) => {
        $crate::table::fields::Fields::check_ranges($field, &$at, $r);
    };
    (@below $at:ident $r:ident $field:ident itself) => {
        let _ = (&$field, &$at);
    };
    ($before:ident $r:ident $field:ident [$($range:tt)*] [$($count:tt)*] $($apart:ident)?) => {
        let at = $before.key(stringify!($field));
        $crate::table::fields::check_field!(@in at $r $field $($range)*);
        $crate::table::fields::check_field!(@count at $r $field $($count)*);
        $crate::table::fields::check_field!(@below at $r $field $($apart)?);
    };
}
pub(crate) use check_field;
