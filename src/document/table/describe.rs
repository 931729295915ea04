//! Writes the notes of the tables of fields into the schema.

use crate::table::fields::Fields;
use crate::table::notes::{Note, Presence};
use schemars::Schema;
use serde_json::{Map, Value, json};

/// Writes the notes of a type into its schema.
pub(crate) fn describe<T: Fields>(schema: &mut Schema) {
    write_notes(schema, T::notes());
}

/// Compiled once for all types.
fn write_notes(schema: &mut Schema, notes: Vec<Note>) {
    let whole = schema.as_object_mut().expect("the schema of a type with fields is an object");
    for note in notes {
        let settings = settings(whole, &note).expect("the schema has the variant");
        if !matches!(note.presence, Presence::Needed) {
            let_leave_out(settings, note.field);
        }
        let field =
            settings.get_mut("properties").and_then(|fields| fields.get_mut(note.field)?.as_object_mut());
        let field = field.unwrap_or_else(|| panic!("no field {} in {:?}", note.field, note.variant));
        if let Presence::Default(default) = note.presence {
            field.insert("default".to_owned(), default);
        }
        if let Some([min, max]) = note.range {
            let number = number_of(field);
            number.insert("minimum".to_owned(), min);
            number.insert("maximum".to_owned(), max);
        }
        for (key, value) in note.said {
            if key == "x-unit"
                && let Some(items) = field.get_mut("items").and_then(Value::as_object_mut)
            {
                items.insert(key.to_owned(), value.clone());
            }
            field.insert(key.to_owned(), value);
        }
        for (key, value) in note.more.as_object().into_iter().flatten() {
            field.insert(key.clone(), value.clone());
        }
        field.insert("x-edit".to_owned(), json!(note.effect.kind()));
        field.insert("x-edit-help".to_owned(), json!(note.effect.help()));
    }
}

/// Says of the schema of an edit that its instant alone has to be there.
pub(crate) fn needs_an_instant(schema: &mut Schema) {
    schema.insert("required".to_owned(), json!(["at_us"]));
}

/// The schema of the object that has the field.
fn settings<'a>(whole: &'a mut Map<String, Value>, note: &Note) -> Option<&'a mut Map<String, Value>> {
    let Some(variant) = note.variant else { return Some(whole) };
    let variants = whole.get_mut("oneOf")?.as_array_mut()?;
    variants.iter_mut().find_map(|v| v.get_mut("properties")?.get_mut(variant))?.as_object_mut()
}

/// Takes a field out of those that an object has to have.
fn let_leave_out(object: &mut Map<String, Value>, field: &str) {
    let Some(Value::Array(needed)) = object.get_mut("required") else { return };
    needed.retain(|needed| needed != field);
    if needed.is_empty() {
        object.shift_remove("required");
    }
}

/// The place of a field's range: for a number or "auto", the range of the number; for a list, that of its entries.
fn number_of(field: &mut Map<String, Value>) -> &mut Map<String, Value> {
    if field.contains_key("items") {
        return field.get_mut("items").and_then(Value::as_object_mut).expect("the schema of an entry");
    }
    if !field.contains_key("oneOf") {
        return field;
    }
    let variants = field.get_mut("oneOf").and_then(Value::as_array_mut).expect("a list of variants");
    let is_number = |v: &&mut Value| v["type"] == "integer" || v["type"] == "number";
    let number = variants.iter_mut().find(is_number).and_then(Value::as_object_mut);
    number.expect("a variant that is a number")
}
