//! As much of JSON Schema as the schema of SARIF uses. What is used beyond that is a panic: nothing goes unchecked.

use std::cell::RefCell;

use serde_json::Value;

/// What is wrong with a document, each with where.
pub fn errors(schema: &Value, document: &Value) -> Vec<String> {
    let errors = RefCell::default();
    check(schema, schema, document, "", &errors);
    errors.into_inner()
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, errors: &RefCell<Vec<String>>) {
    let wrong = |what: String| errors.borrow_mut().push(format!("{at}: {what}"));
    for (keyword, says) in schema.as_object().expect("a schema is an object") {
        match keyword.as_str() {
            "$schema" | "$id" | "title" | "description" | "default" | "definitions" => {}
            // Looked at with `properties`.
            "additionalProperties" => {}
            "$ref" => {
                let name = says.as_str().and_then(|says| says.strip_prefix("#/definitions/")).expect("a definition");
                check(root, &root["definitions"][name], value, at, errors);
                // Beside a reference, nothing counts.
                return;
            }
            "type" => {
                let is_right = match says.as_str().expect("one type") {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "boolean" => value.is_boolean(),
                    "integer" => value.is_i64() || value.is_u64(),
                    "number" => value.is_number(),
                    other => panic!("unknown type {other}"),
                };
                if !is_right {
                    wrong(format!("not of type {says}"));
                }
            }
            "enum" => {
                if !says.as_array().expect("values").contains(value) {
                    wrong(format!("{value} is none of {says}"));
                }
            }
            "required" => {
                let names = says.as_array().expect("names").iter().filter_map(Value::as_str);
                names.filter(|name| value.get(name).is_none()).for_each(|name| wrong(format!("{name} is missing")));
            }
            "minimum" if value.is_number() => {
                if value.as_f64() < says.as_f64() {
                    wrong(format!("{value} is less than {says}"));
                }
            }
            "maximum" if value.is_number() => {
                if value.as_f64() > says.as_f64() {
                    wrong(format!("{value} is more than {says}"));
                }
            }
            "minItems" => {
                if value.as_array().is_some_and(|items| (items.len() as u64) < says.as_u64().expect("a number")) {
                    wrong(format!("fewer than {says} items"));
                }
            }
            "uniqueItems" => {
                let items = value.as_array().map_or(&[][..], Vec::as_slice);
                if says == true && (1..items.len()).any(|item| items[..item].contains(&items[item])) {
                    wrong("an item comes twice".to_owned());
                }
            }
            "format" => {
                let text = value.as_str().unwrap_or_default();
                let is_right = match says.as_str() {
                    Some("uri-reference") => is_reference(text),
                    Some("uri") => is_reference(text) && text.contains(':'),
                    other => panic!("a value at {at} has the format {other:?}, which is not checked"),
                };
                if !is_right {
                    wrong(format!("{text} is no {says}"));
                }
            }
            "items" => {
                for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, says, item, &format!("{at}/{number}"), errors);
                }
            }
            "properties" => {
                for (name, member) in value.as_object().into_iter().flatten() {
                    match says.get(name) {
                        Some(schema) => check(root, schema, member, &format!("{at}/{name}"), errors),
                        None => match &schema["additionalProperties"] {
                            Value::Bool(false) => wrong(format!("nobody knows {name}")),
                            Value::Object(_) => {
                                check(root, &schema["additionalProperties"], member, &format!("{at}/{name}"), errors);
                            }
                            _ => {}
                        },
                    }
                }
            }
            "anyOf" | "oneOf" => {
                let fits = |option: &&Value| {
                    let errors = RefCell::default();
                    check(root, option, value, at, &errors);
                    errors.into_inner().is_empty()
                };
                let fitting = says.as_array().expect("schemas").iter().filter(fits).count();
                if fitting == 0 || (keyword == "oneOf" && fitting > 1) {
                    wrong(format!("fits {fitting} of {keyword}"));
                }
            }
            other => panic!("a value at {at} is restricted by {other}, which is not checked"),
        }
    }
}

/// Only what may be in one; for what we write that is enough.
fn is_reference(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c))
}
