//! Attributes that stand for the derives of the features `types` and `schema` of the crate that uses them. They come before `#[derive(...)]`.

/// The types of the page's boundary.
#[macro_export]
macro_rules! typescript {
    ($($item:tt)*) => {
        #[cfg_attr(feature = "types", derive(::ts_rs::TS))]
        $($item)*
    };
}

/// The shapes in the JSON Schema.
#[macro_export]
macro_rules! schema {
    ($($item:tt)*) => {
        #[cfg_attr(feature = "schema", derive(::schemars::JsonSchema))]
        $($item)*
    };
}
