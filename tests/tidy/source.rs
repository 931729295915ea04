//! Rust source read just far enough for the rules: what is code and what is text, which modules a path reaches,
//! where a function begins and ends.

/// Rust text with comments, strings and character literals blanked out; lines stay where they are.
pub(crate) fn code_only(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut i = 0;
    while i < chars.len() {
        let end = match chars[i] {
            '/' if chars.get(i + 1) == Some(&'/') => find(&chars, i, |c, at| c[at] == '\n'),
            '/' if chars.get(i + 1) == Some(&'*') => find(&chars, i + 2, |c, at| c[at - 2..at] == ['*', '/']),
            '"' => end_of_string(&chars, i),
            'r' if is_raw_string(&chars, i) => end_of_raw_string(&chars, i),
            '\'' if chars.get(i + 1) == Some(&'\\') => find(&chars, i + 3, |c, at| c[at] == '\'') + 1,
            '\'' if chars.get(i + 2) == Some(&'\'') => i + 3,
            _ => i,
        };
        if end == i {
            out.push(chars[i]);
            i += 1;
        } else {
            out.extend(chars[i..end.min(chars.len())].iter().map(|&c| if c == '\n' { '\n' } else { ' ' }));
            i = end;
        }
    }
    out
}

fn find(chars: &[char], from: usize, stop: impl Fn(&[char], usize) -> bool) -> usize {
    (from..chars.len()).find(|&at| stop(chars, at)).unwrap_or(chars.len())
}

fn end_of_string(chars: &[char], start: usize) -> usize {
    let mut at = start + 1;
    while at < chars.len() && chars[at] != '"' {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

fn is_raw_string(chars: &[char], at: usize) -> bool {
    let in_word = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_') && chars[at - 1] != 'b';
    let quote = find(chars, at + 1, |c, i| c[i] != '#');
    !in_word && chars.get(quote) == Some(&'"')
}

fn end_of_raw_string(chars: &[char], at: usize) -> usize {
    let quote = find(chars, at + 1, |c, i| c[i] != '#');
    let hashes = quote - at - 1;
    let closes = |c: &[char], i: usize| {
        c[i] == '"' && c[i + 1..].iter().take(hashes).filter(|&&h| h == '#').count() == hashes
    };
    find(chars, quote + 1, closes) + 1 + hashes
}

/// The names that code reaches behind a door such as `crate::`, each with its line.
pub(crate) fn behind(door: &str, code: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(door) {
        // `$crate::` inside a macro and paths such as `other_crate::` are not doors.
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let line = code[..at].matches('\n').count() + 1;
        found.extend(heads(&code[at + door.len()..]).into_iter().map(|name| (name, line)));
    }
    found
}

/// The first names of a path: `engine::Cluster` gives engine, `{base::Micros, kv::{Pool}}` gives base and kv.
fn heads(path: &str) -> Vec<String> {
    let word = |s: &str| s.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let Some(group) = path.strip_prefix('{') else { return vec![word(path)] };
    let (mut depth, mut names, mut fresh) = (0, Vec::new(), true);
    for (i, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => fresh = true,
            c if fresh && !c.is_whitespace() => {
                names.push(word(&group[i..]));
                fresh = false;
            }
            _ => {}
        }
    }
    names
}

/// Name, first line and length of every function with a body.
pub(crate) fn functions(code: &str) -> Vec<(String, usize, usize)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let name: String = code[at + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        if name.is_empty() {
            continue;
        }
        let (mut depth, mut round) = (0, 0);
        let end = code[at..].char_indices().find_map(|(i, c)| {
            match c {
                '(' | '[' => round += 1,
                ')' | ']' => round -= 1,
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            let no_body = c == ';' && depth == 0 && round == 0;
            let closed = c == '}' && depth == 0;
            (no_body || closed).then_some((i, closed))
        });
        if let Some((length, true)) = end {
            let line = code[..at].matches('\n').count() + 1;
            found.push((name, line, code[at..=at + length].matches('\n').count() + 1));
        }
    }
    found
}

/// Lines of arms that catch whatever the others leave, in each `match` with an arm for a variant of one of `sums`.
pub(crate) fn catch_alls(code: &str, sums: &[&str]) -> Vec<usize> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("match ") {
        let Some(open) = body_of(code, at) else { continue };
        let arms = patterns(code, open);
        let about = |pattern: &str| sums.iter().any(|sum| pattern.contains(&format!("{sum}::")));
        if !arms.iter().any(|(pattern, _)| about(pattern)) {
            continue;
        }
        let catches = |pattern: &str| {
            let head = pattern.split(" if ").next().unwrap_or_default().trim();
            head.split('|').any(|p| p.trim().chars().all(|c| c == '_' || c.is_ascii_lowercase()))
        };
        let caught = arms.iter().filter(|(pattern, _)| catches(pattern));
        found.extend(caught.map(|(_, at)| code[..*at].matches('\n').count() + 1));
    }
    found
}

/// Where the body of the `match` at `at` opens, if it is one.
fn body_of(code: &str, at: usize) -> Option<usize> {
    if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let mut round = 0;
    code[at..].char_indices().find_map(|(i, c)| {
        match c {
            '(' | '[' => round += 1,
            ')' | ']' => round -= 1,
            _ => {}
        }
        (c == '{' && round == 0).then_some(at + i)
    })
}

/// The patterns of the arms in the block that opens at `open`, guards included, each with its position.
fn patterns(code: &str, open: usize) -> Vec<(String, usize)> {
    let (mut found, mut depth, mut start, mut in_pattern) = (Vec::new(), 0, open + 1, true);
    for (i, c) in code[open..].char_indices() {
        let at = open + i;
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth -= 1,
            '=' if depth == 1 && in_pattern && code[at..].starts_with("=>") => {
                let pattern = &code[start..at];
                let lead = pattern.len() - pattern.trim_start_matches([',', ' ', '\n']).len();
                found.push((pattern[lead..].trim().to_owned(), start + lead));
                in_pattern = false;
                continue;
            }
            _ => {}
        }
        if depth == 0 && at > open {
            break;
        }
        // An arm ends with a comma, or with the block that is its body.
        let body = !in_pattern
            && depth == 1
            && c == '}'
            && !code[at + 1..].trim_start().starts_with(['.', '?', 'e']);
        if !in_pattern && depth == 1 && (c == ',' || body) {
            (in_pattern, start) = (true, at + 1);
        }
    }
    found
}
