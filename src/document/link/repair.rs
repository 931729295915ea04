//! Repairs the beginning of a JSON text: keeps all up to the last whole value and closes open objects and lists.

/// What is open, outermost first, each with its closing sign.
type Open = Vec<u8>;

/// `text` up to its last whole value, closed; `None` if there is not even the beginning of an object.
pub(super) fn closed_early(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let (mut open, mut at): (Open, usize) = (Vec::new(), 0);
    let mut whole: Option<(usize, Open)> = None;
    // In an object, what comes next is a key.
    let mut key = false;
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => {
                open.push(if bytes[at] == b'{' { b'}' } else { b']' });
                key = bytes[at] == b'{';
                at += 1;
                whole = Some((at, open.clone()));
            }
            close @ (b'}' | b']') => {
                if open.pop() != Some(close) {
                    break;
                }
                at += 1;
                key = false;
                whole = Some((at, open.clone()));
                if open.is_empty() {
                    break;
                }
            }
            b',' => {
                key = open.last() == Some(&b'}');
                at += 1;
            }
            b':' => {
                key = false;
                at += 1;
            }
            b'"' => {
                let Some(end) = end_of_text(bytes, at) else { break };
                at = end;
                if !key {
                    whole = Some((at, open.clone()));
                }
            }
            b if b.is_ascii_whitespace() => at += 1,
            _ => {
                let end = bytes[at..].iter().position(|b| b",]} \n".contains(b)).map(|n| at + n);
                // A number at the very end may have lost its last digits.
                let Some(end) = end else { break };
                at = end;
                whole = Some((at, open.clone()));
            }
        }
    }
    let (end, open) = whole?;
    let mut closed = text[..end].to_owned();
    closed.extend(open.iter().rev().map(|b| char::from(*b)));
    Some(closed)
}

/// The position behind the text that begins at `start`.
fn end_of_text(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_beginning_of_a_text_reads_and_is_part_of_the_whole() {
        let text = r#"{"p":"a","d":{"x":[{"y":1.5e3,"z":null},{"w":"q\"}"}],"v":-12},"t":true}"#;
        let whole: serde_json::Value = serde_json::from_str(text).unwrap();
        for end in 1..=text.len() {
            let closed = closed_early(&text[..end]).expect("an object has begun");
            let read: serde_json::Value = serde_json::from_str(&closed).expect(&closed);
            assert!(read.as_object().is_some(), "{closed}");
            if end == text.len() {
                assert_eq!(read, whole);
            }
        }
        assert_eq!(closed_early(""), None);
        assert_eq!(closed_early("]"), None);
    }
}
