//! Attributes that stand for the derives of feature `schema`, under one name each. They come before `#[derive(...)]`.

macro_rules_attribute::attribute_alias! {
    #[apply(typescript)] = #[cfg_attr(feature = "schema", derive(ts_rs::TS))];
    #[apply(schema)] = #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))];
    #[apply(field_schema)] = #[cfg_attr(
        feature = "schema",
        derive(schemars::JsonSchema),
        schemars(transform = crate::scenario::notes::describe::<Self>)
    )];
}
