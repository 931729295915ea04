//! `shape!` writes reading and writing of a type from the names of its fields and variants; `fields!` calls it for the
//! types of the scenario.

/// Reading and writing of a type, from its fields in the order in which they are written:
///
/// - `struct Type { field … }`: a field that is left out has the value of `Type::default()`.
/// - `entry Type { field … }`: its fields have to be there, apart from those with `[default]` or `[omit]`, which have the
///   default of their own type.
/// - `enum Type [Variant "name" …] { Variant "name" { field … } … } { Variant "name" … }`: variants without settings, with
///   fields as those of an entry, and with a type of their own.
/// - `names Type { Variant "name" … }`: variants without settings alone. They have `name` too.
///
/// With `read` before it, reading alone; then a field of a struct may have another key, `field = "key"`, and keys behind `;`
/// are known and not read. `[null]`: null stands for the default.
///
/// `[one]` behind a number of an entry: it may be left out, and is then 1.
/// `[omit]` behind a field: it is not written where it has its default. The compiler refuses a list that leaves one out.
#[macro_export]
macro_rules! shape {
    (struct $type:ident { $($field:ident $([$how:ident])?)* }) => {
        $crate::shape!(read struct $type { $($field)* });
        impl $crate::Write for $type {
            fn write(&self) -> ::serde_json::Value {
                let (Self { $($field),* }, defaults) = (self, Self::default());
                let mut object = $crate::write::Object::default();
                $($crate::shape!(@put object $field of defaults $($how)?);)*
                object.finish()
            }
        }
    };
    (read struct $type:ident {
        $($field:ident $(= $key:literal)? $([$how:ident])?)* $(; $($beside:literal)*)?
    }) => {
        impl $crate::Read for $type {
            fn read(
                value: &::serde_json::Value,
                at: &$crate::At<'_>,
                problems: &mut $crate::Problems,
            ) -> Option<Self> {
                let mut all = Self::default();
                for (key, value) in problems.object(value, at)? {
                    let at = at.key(key);
                    match key.as_str() {
                        $($crate::shape!(@key $field $($key)?) => {
                            $crate::shape!(@set problems (&mut all.$field) value at $($how)?);
                        })*
                        $($($beside => {})*)?
                        _ => problems.unknown_key(
                            key,
                            &[$($crate::shape!(@key $field $($key)?),)* $($($beside),*)?],
                            &at,
                        ),
                    }
                }
                Some(all)
            }
        }
    };
    (entry $type:ident { $($field:ident $([$how:ident])?)* }) => {
        $crate::shape!(read entry $type { $($field $([$how])?)* });
        impl $crate::Write for $type {
            fn write(&self) -> ::serde_json::Value {
                let Self { $($field),* } = self;
                let mut object = $crate::write::Object::default();
                $($crate::shape!(@put object $field $($how)?);)*
                object.finish()
            }
        }
    };
    (read entry $type:ident { $($field:ident $([$how:ident])?)* }) => {
        impl $crate::Read for $type {
            fn read(
                value: &::serde_json::Value,
                at: &$crate::At<'_>,
                problems: &mut $crate::Problems,
            ) -> Option<Self> {
                $crate::shape!(@entry Self value at problems { $($field $([$how])?)* })
            }
        }
    };
    (enum $type:ident [$($alone:ident $word:literal)*]
        { $($variant:ident $name:literal { $($field:ident $([$how:ident])?)* })* }
        { $($holder:ident $title:literal)* }) => {
        $crate::shape!(read enum $type [$($alone $word)*] { $($variant $name { $($field $([$how])?)* })* } { $($holder $title)* });
        impl $crate::Write for $type {
            fn write(&self) -> ::serde_json::Value {
                match self {
                    $(Self::$alone => ::serde_json::Value::from($word),)*
                    $(Self::$variant { $($field),* } => {
                        let mut object = $crate::write::Object::default();
                        $($crate::shape!(@put object $field $($how)?);)*
                        $crate::write::chosen($name, object.finish())
                    })*
                    $(Self::$holder(settings) => $crate::write::chosen($title, $crate::Write::write(settings)),)*
                }
            }
        }
    };
    (read enum $type:ident [$($alone:ident $word:literal)*]
        { $($variant:ident $name:literal { $($field:ident $([$how:ident])?)* })* }
        { $($holder:ident $title:literal)* }) => {
        impl $crate::Read for $type {
            fn read(
                value: &::serde_json::Value,
                at: &$crate::At<'_>,
                problems: &mut $crate::Problems,
            ) -> Option<Self> {
                let choice = problems.choice(value, at, &[$($word,)* $($name,)* $($title,)*])?;
                match choice.name {
                    $($word => problems.without_settings(&choice, at).then_some(Self::$alone),)*
                    $($name => {
                        let settings = choice.settings();
                        let (settings, at) = (&*settings, &at.key($name));
                        $crate::shape!(@entry (Self::$variant) settings at problems { $($field $([$how])?)* })
                    })*
                    $($title => {
                        $crate::Read::read(&choice.settings(), &at.key($title), problems).map(Self::$holder)
                    })*
                    _ => None,
                }
            }
        }
    };
    (names $type:ident { $($variant:ident $name:literal)* }) => {
        impl $type {
            /// Its name in documents.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
        impl $crate::read::Named for $type {
            const ALL: &'static [Self] = &[$(Self::$variant),*];
            const NAMES: &'static [&'static str] = &[$($name),*];
        }
        impl $crate::Read for $type {
            fn read(
                value: &::serde_json::Value,
                at: &$crate::At<'_>,
                problems: &mut $crate::Problems,
            ) -> Option<Self> {
                $crate::read::one_of(value, at, problems)
            }
        }
        impl $crate::Write for $type {
            fn write(&self) -> ::serde_json::Value {
                self.name().into()
            }
        }
        impl ::serde::Serialize for $type {
            fn serialize<S: ::serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_unit_variant(stringify!($type), *self as u32, self.name())
            }
        }
        impl<'de> ::serde::Deserialize<'de> for $type {
            fn deserialize<D: ::serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $crate::by_serde::named(stringify!($type), from)
            }
        }
    };
    (@entry $whole:tt $value:ident $at:ident $problems:ident { $($field:ident $([$how:ident])?)* }) => {{
        $(let mut $field = $crate::read::Slot::Empty;)*
        for (key, value) in $problems.object($value, $at)? {
            let at = $at.key(key);
            match key.as_str() {
                $(stringify!($field) => $field.fill(value, &at, $problems),)*
                _ => $problems.unknown_key(key, &[$(stringify!($field)),*], &at),
            }
        }
        $(let $field = $crate::shape!(@value $field $value $at $problems $($how)?);)*
        $crate::shape!(@whole $whole { $($field: $field?),* })
    }};
    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };
    (@set $problems:ident ($($field:tt)*) $value:ident $at:ident) => { $problems.set($($field)*, $value, &$at) };
    (@set $problems:ident ($($field:tt)*) $value:ident $at:ident null) => {
        if !$value.is_null() {
            $problems.set($($field)*, $value, &$at);
        }
    };
    (@whole Self { $($fields:tt)* }) => { Some(Self { $($fields)* }) };
    (@whole (Self::$variant:ident) { $($fields:tt)* }) => { Some(Self::$variant { $($fields)* }) };
    (@value $field:ident $value:ident $at:ident $problems:ident) => {
        $field.needed(stringify!($field), $value, $at, $problems)
    };
    (@value $field:ident $value:ident $at:ident $problems:ident one) => { Some($field.or_one()) };
    (@value $field:ident $value:ident $at:ident $problems:ident $how:ident) => { Some($field.or_default()) };
    (@put $object:ident $field:ident of $defaults:ident omit) => {
        $object.put_unless(stringify!($field), $field, &$defaults.$field);
    };
    (@put $object:ident $field:ident of $defaults:ident) => {
        $object.put(stringify!($field), $field);
        let _ = &$defaults.$field;
    };
    (@put $object:ident $field:ident omit) => {
        $object.put_unless(stringify!($field), $field, &Default::default());
    };
    (@put $object:ident $field:ident one) => {
        $object.put(stringify!($field), $field);
    };
    (@put $object:ident $field:ident $(default)?) => {
        $object.put(stringify!($field), $field);
    };
}

/// A struct whose fields all have defaults, as data that is read: `#[apply(document::readable!)]` stands before it.
#[macro_export]
macro_rules! readable {
    ($(#[$about:meta])* $seen:vis struct $type:ident {
        $($(#[$note:meta])* $open:vis $field:ident: $of:ty,)*
    }) => {
        $(#[$about])*
        $seen struct $type {
            $($(#[$note])* $open $field: $of,)*
        }
        $crate::shape! { read struct $type { $($field)* } }
    };
}
