//! JSON over several lines, split into its objects: the elements of a list, or objects one after the other.

/// Splits text, handed over line by line, into objects.
#[derive(Clone, Debug, Default)]
pub(super) struct Elements {
    /// The object that has begun.
    text: String,
    /// How deep in objects and lists, not counting the list around all.
    depth: u32,
    /// Whether a list is around all objects.
    in_list: bool,
    in_text: bool,
    escaped: bool,
    /// The line at which the object began.
    began: u64,
}

impl Elements {
    /// Takes line number `number` and calls `each` with every object that ends in it, and the line where it began.
    /// Returns the first character between objects that has no place there.
    pub(super) fn line(
        &mut self,
        line: &str,
        number: u64,
        mut each: impl FnMut(&str, u64),
    ) -> Result<(), char> {
        let mut from = 0;
        for (at, b) in line.bytes().enumerate() {
            if self.in_text {
                self.in_text = self.escaped || b != b'"';
                self.escaped = !self.escaped && b == b'\\';
                continue;
            }
            match b {
                b'"' if self.depth > 0 => self.in_text = true,
                b'[' if self.depth == 0 && !self.in_list => self.in_list = true,
                b']' if self.depth == 0 && self.in_list => self.in_list = false,
                b'{' | b'[' if b == b'{' || self.depth > 0 => {
                    if self.depth == 0 {
                        (from, self.began) = (at, number);
                    }
                    self.depth += 1;
                }
                b'}' | b']' if self.depth > 0 => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        let end = &line[from..=at];
                        if self.text.is_empty() {
                            each(end, self.began);
                        } else {
                            self.text.push_str(end);
                            each(&std::mem::take(&mut self.text), self.began);
                        }
                        from = at + 1;
                    }
                }
                b',' | b' ' | b'\t' => {}
                _ if self.depth > 0 => {}
                _ => return Err(line[at..].chars().next().unwrap_or(' ')),
            }
        }
        if self.depth > 0 {
            self.text.push_str(&line[from..]);
            self.text.push('\n');
        }
        Ok(())
    }

    /// Bytes of the object that has begun.
    pub(super) fn held(&self) -> usize {
        self.text.len()
    }

    /// Whether an object has begun and not ended.
    pub(super) fn is_open(&self) -> bool {
        self.depth > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Result<Vec<(String, u64)>, char> {
        let (mut elements, mut all) = (Elements::default(), Vec::new());
        for (line, number) in text.lines().zip(1..) {
            elements.line(line, number, |object, at| all.push((object.to_owned(), at)))?;
        }
        assert!(!elements.is_open());
        Ok(all)
    }

    #[test]
    fn lists_and_objects_one_after_the_other_are_split() {
        let want = [(r#"{"a": [1, {"b": "]}\""}]}"#.to_owned(), 1), ("{}".to_owned(), 1)];
        assert_eq!(split(r#"[{"a": [1, {"b": "]}\""}]}, {}]"#).unwrap(), want);
        assert_eq!(split(r#"{"a": [1, {"b": "]}\""}]}{}"#).unwrap(), want);
        let lines = split("[\n {\n  \"a\": 1\n },\n {\"b\": {\n }}\n]\n").unwrap();
        assert_eq!(lines, [("{\n  \"a\": 1\n }".to_owned(), 2), ("{\"b\": {\n }}".to_owned(), 5)]);
        assert_eq!(split("[1]"), Err('1'));
    }
}
