//! Tests: data and messages are those of `serde_json`, and errors have a path.

use super::*;
use serde_json::json;
use std::collections::BTreeMap;

#[test]
fn indented_text_is_what_serde_json_would_write() {
    for value in [
        json!({}),
        json!([]),
        json!("a, {b}: [\"c\\\"]\n"),
        json!({"a": [], "b": {}, "c": [{}, [], [[]], {"d": {"e": []}}], "f:{": "},\\", "": ["", "\\\"", ","]}),
        json!([1, -2.5e300, null, true, "é\u{1F600}\u{1}", [1, [2]], {"x": "[", "y": "]"}]),
    ] {
        assert_eq!(indented(&value), serde_json::to_string_pretty(&value).unwrap());
    }
}

#[derive(Debug, PartialEq, serde::Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Shape {
    Dot,
    Of(u32),
    Pair(u8, f32),
    Box { width: Option<f64>, names: Vec<String> },
}

#[test]
fn data_and_messages_are_those_of_serde_json() {
    for value in [
        json!("dot"),
        json!({"dot": null}),
        json!({"dot": 1}),
        json!("of"),
        json!({"of": 7}),
        json!({"of": -7}),
        json!({"of": 7.5}),
        json!({"of": 5_000_000_000_u64}),
        json!({"pair": [1, 2]}),
        json!({"pair": [1, 2, 3]}),
        json!({"pair": [1]}),
        json!({"pair": {}}),
        json!({"box": {"width": null, "names": ["a"]}}),
        json!({"box": {"width": 2, "names": ["a", 3]}}),
        json!({"box": {"width": "2", "names": []}}),
        json!({"box": {"names": {}}}),
        json!({"box": {"wdth": 1}}),
        json!({"box": []}),
        json!({"box": {}}),
        json!("circle"),
        json!({"circle": 1}),
        json!({"dot": null, "of": 1}),
        json!({}),
        json!([]),
        json!(3),
        json!(1.5),
        json!(null),
        json!(true),
    ] {
        let got = data::<Shape>(&value).map_err(|e| e.to_string());
        assert_eq!(got, Shape::deserialize(&value).map_err(|e| e.to_string()), "{value}");
    }
}

#[test]
fn a_list_is_not_an_object() {
    #[derive(Debug, serde::Deserialize)]
    struct Point {
        #[expect(dead_code, reason = "only read from lists here, which fails")]
        x: u32,
    }
    let message = data::<Point>(&json!([1])).unwrap_err().to_string();
    assert_eq!(message, "invalid type: sequence, expected struct Point");
}

#[test]
fn a_wrong_type_is_reported_with_its_path() {
    let value = json!([{"box": {"names": ["a", 3]}}]);
    let error = data::<Vec<Shape>>(&value).unwrap_err();
    let steps: Vec<PathStep> = error.steps().cloned().collect();
    let key = |k: &str| PathStep::Key(k.to_owned());
    assert_eq!(
        steps,
        [PathStep::Index(0), PathStep::Variant("box".to_owned()), key("names"), PathStep::Index(1)]
    );
}

#[derive(Serialize)]
enum Every {
    Unit,
    One(i8),
    Two(u64, f32),
    Named { a: char, b: Option<bool> },
}

#[derive(Serialize)]
struct Wrapped(i64);

#[test]
fn compact_text_is_that_of_serde_json() {
    let keys: BTreeMap<u32, &str> = [(7, "seven"), (10, "\u{1}\"\\ é")].into_iter().collect();
    let data = (
        (Every::Unit, Every::One(-128), Every::Two(u64::MAX, 0.1), Every::Named { a: '"', b: None }),
        (Wrapped(i64::MIN), (), Some(true), [0.1, -0.0, 1e300, f64::NAN, f64::INFINITY, 5e-324], 0u8),
        (keys, Vec::<u8>::new(), BTreeMap::<String, u8>::new(), json!({"a": [1, {"b": null}], "c": -1.5})),
    );
    assert_eq!(compact(&data), serde_json::to_string(&data).expect("plain data"));
}

#[test]
fn infinity_and_nan_become_text_and_all_other_bytes_keep_their_position() {
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(&from_python(text));
    let text = "{\"a\": Infinity, \"b\":[-Infinity,NaN , 1.5],\n \"c\":NaN}";
    assert_eq!(read(text).unwrap(), json!({"a": "inf", "b": ["-inf", "", 1.5], "c": ""}));
    assert_eq!(read("NaN").unwrap(), json!(""));
    for plain in [
        r#"{"NaN": "Infinity, NaN", "a\"Infinity": [1, "\\"]}"#,
        r#"["NaN", "[NaN, \"Infinity\"]"]"#,
        "no JSON at all, NaN of Infinity",
        "{\"a\": Infinitys, \"b\": -NaN, \"c\": nan, NaN: 1}",
    ] {
        assert_eq!(from_python(plain), plain);
    }
    // Errors have the position of the file.
    for broken in
        ["{\"a\": Infinity,\n \"b\": [NaN, -Infinity], \"c\" 1}", "{\"a\": NaN", "[NaN, \"é\", nan]"]
    {
        let error = read(broken).unwrap_err();
        let stand_in =
            broken.replace("-Infinity", "-0.00e+00").replace("Infinity", "0.00e+00").replace("NaN", "0.0");
        let wanted = serde_json::from_str::<serde_json::Value>(&stand_in).unwrap_err();
        assert_eq!((error.line(), error.column()), (wanted.line(), wanted.column()), "{broken}");
    }
    assert_eq!(
        from_python("{\"a\": \"Infinity\n NaN"),
        "{\"a\": \"Infinity\n NaN",
        "a string that is not closed"
    );
}
