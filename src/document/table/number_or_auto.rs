//! Numbers in whose place "auto" may stand.

/// Writes what a type with the variants `Auto` and `Count(u32)` needs as a field: its number, reading, writing, the check of its range
/// and its schema. The texts are what messages call it, and what the two stand for.
macro_rules! number_or_auto {
    ($type:ident: $allowed:literal, $auto:literal, $count:literal) => {
        impl $type {
            /// The number, if there is one.
            pub fn count(self) -> Option<u32> {
                match self {
                    Self::Auto => None,
                    Self::Count(n) => Some(n),
                }
            }
        }

        impl $crate::Read for $type {
            fn read(
                value: &::serde_json::Value,
                at: &$crate::At<'_>,
                problems: &mut $crate::Problems,
            ) -> Option<Self> {
                let read = $crate::read::number_or("auto", $allowed, value, at, problems)?;
                Some(read.map_or(Self::Auto, Self::Count))
            }
        }

        impl $crate::Write for $type {
            fn write(&self) -> ::serde_json::Value {
                $crate::write::number_or("auto", self.count())
            }
        }

        /// "auto" is in every range.
        impl $crate::table::fields::Ranged for $type {
            type Bound = u32;

            fn check_range(
                &self,
                range: [u32; 2],
                fix: &str,
                at: &$crate::At<'_>,
                r: &mut $crate::table::report::Report,
            ) {
                if let Self::Count(n) = self {
                    n.check_range(range, fix, at, r);
                }
            }
        }

        $crate::table::fields::without_fields! { $type }

        #[cfg(feature = "schema")]
        impl ::schemars::JsonSchema for $type {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }
            /// Written where it is used: each field has a range of its own.
            fn inline_schema() -> bool {
                true
            }
            fn json_schema(_: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                ::schemars::json_schema!({
                    "oneOf": [
                        { "const": "auto", "description": $auto },
                        { "type": "integer", "description": $count }
                    ]
                })
            }
        }
    };
}
pub(crate) use number_or_auto;
