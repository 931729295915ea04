//! Expressions as texts: their parsing, the messages for invalid ones, and that no text causes harm.

use tokenyard::base::rng::{Purpose, Stream};
use tokenyard::scenario::expression::{
    AGGREGATES, FUNCTIONS, Kind, NAMES, Problem, complete, expression_of, parse, print,
};
use tokenyard::scenario::{Profile, Scorer, Weighted, check, limits, parse as parse_scenario};

/// A random text of an expression of a kind, with blanks and brackets that it does not need.
fn text_of(kind: Kind, room: u32, draws: &mut Stream) -> String {
    let pick = |list: &[&str], draws: &mut Stream| list[draws.below(list.len() as u32) as usize].to_owned();
    let part = |kind, draws: &mut Stream| text_of(kind, room.saturating_sub(1 + draws.below(2)), draws);
    let text = match (kind, if room == 0 { 0 } else { draws.below(8) }) {
        (Kind::Number, 0) => {
            pick(&["1", "0.5", ".25", "1e-3", "1E5", "12345678901234567890", "2.5e300"], draws)
        }
        (Kind::Number, 1) => {
            let names: Vec<&str> = NAMES.iter().filter(|n| n.0.kind() == Kind::Number).map(|n| n.1).collect();
            pick(&names, draws)
        }
        (Kind::Number, 2) => {
            let names: Vec<&str> = NAMES.iter().filter(|n| n.0.can_be_asked_of_all()).map(|n| n.1).collect();
            format!("{}.{}", AGGREGATES[draws.below(3) as usize].1, pick(&names, draws))
        }
        (Kind::Number, 3) => format!("-{}", part(Kind::Number, draws)),
        (Kind::Number, 4) => {
            let values: [&str; 9] = ["min", "max", "clamp", "abs", "sqrt", "exp", "ln", "pow", "floor"];
            let function = pick(&values, draws);
            let count = match function.as_str() {
                "min" | "max" => 2 + draws.below(3),
                "clamp" => 3,
                "pow" => 2,
                _ => 1,
            };
            let values: Vec<String> = (0..count).map(|_| part(Kind::Number, draws)).collect();
            format!("{function}({})", values.join(" ,"))
        }
        (Kind::Number, 5) => {
            let condition = part(Kind::Condition, draws);
            format!("{condition}?{}:{}", part(Kind::Number, draws), part(Kind::Number, draws))
        }
        (Kind::Number, _) => {
            let sign = pick(&["+", "-", "*", "/", "%"], draws);
            format!("{} {sign}{}", part(Kind::Number, draws), part(Kind::Number, draws))
        }
        (Kind::Condition, 0..=1) => "session_here".to_owned(),
        (Kind::Condition, 2) => format!("!{}", part(Kind::Condition, draws)),
        (Kind::Condition, 3..=4) => {
            let sign = pick(&["&&", "||", "==", "!="], draws);
            format!("{}{sign}{}", part(Kind::Condition, draws), part(Kind::Condition, draws))
        }
        (Kind::Condition, _) => {
            let sign = pick(&["<", "<=", ">", ">=", "==", "!="], draws);
            format!("{} {sign} {}", part(Kind::Number, draws), part(Kind::Number, draws))
        }
    };
    if draws.below(2) == 0 { format!("({text})") } else { text }
}

#[test]
fn what_is_printed_reads_as_what_was_read() {
    let mut draws = Stream::new(11, Purpose::Routing, 0);
    let (mut read, mut longest) = (0, 0);
    for _ in 0..20_000 {
        let text = text_of(Kind::Number, draws.below(7), &mut draws);
        let Ok(formula) = parse(&text) else { continue };
        let printed = print(&formula);
        assert_eq!(parse(&printed), Ok(formula.clone()), "{text} is printed as {printed}");
        assert!(printed.len() <= limits::EXPRESSION_BYTES, "{printed}");
        read += 1;
        longest = longest.max(formula.ops().len());
    }
    assert!(read > 5000 && longest > 50, "{read} expressions of up to {longest} operations");
}

/// Whatever is said of a text is about a part of it.
fn check_places(text: &str, problems: &[Problem]) {
    assert!(!problems.is_empty(), "{text}");
    for p in problems {
        assert!(p.start <= p.end && p.end <= text.len(), "{text}: {p:?}");
        assert_eq!(text[..p.start].chars().count() + 1, p.character, "{text}: {p:?}");
        assert!(!p.found.is_empty() && !p.allowed.is_empty() && !p.fix.is_empty(), "{text}: {p:?}");
    }
}

#[test]
fn no_text_does_any_harm() {
    let mut draws = Stream::new(12, Purpose::Routing, 0);
    let parts = [
        "min",
        "max.",
        "mean.waiting",
        "waiting",
        "prefix",
        "(",
        ")",
        "((",
        ",",
        "?",
        ":",
        "+",
        "-",
        "*",
        "/",
        "%",
        "!",
        "!=",
        "=",
        "==",
        "<",
        ">=",
        "&",
        "&&",
        "||",
        "1",
        "0.",
        ".",
        "..",
        "1e",
        "1e999",
        "1e-999",
        " ",
        "\n",
        "\u{0}",
        "é",
        "🙂",
        "\"",
        "clamp(",
        "pow",
        "session_here",
        "_",
        "x1",
        "NaN",
        "\u{feff}",
    ];
    for round in 0..30_000 {
        let mut text = String::new();
        for _ in 0..draws.below(if round % 100 == 0 { 600 } else { 12 }) {
            text.push_str(parts[draws.below(parts.len() as u32) as usize]);
        }
        if round % 3 == 0 {
            // A good one with a letter taken out or put in.
            text = text_of(Kind::Number, 4, &mut draws);
            let at = draws.below(text.len() as u32) as usize;
            if draws.below(2) == 0 {
                text.remove(at);
            } else {
                text.insert_str(at, parts[draws.below(parts.len() as u32) as usize]);
            }
        }
        match parse(&text) {
            Ok(formula) => assert!(formula.ops().len() <= limits::EXPRESSION_NODES),
            Err(problems) => check_places(&text, &problems),
        }
        let at = draws.below(text.len() as u32 + 2) as usize;
        let (start, _) = complete(&text, at);
        assert!(start <= text.len());
    }
    for n in [31, 32, 33, 200, 500, 1023] {
        for (open, close) in [("(", ")"), ("-", ""), ("1+(", ")"), ("!", ""), ("abs(", ")"), ("1?1:", "")] {
            let text = format!("{}1{}", open.repeat(n), close.repeat(n));
            if let Err(problems) = parse(&text) {
                check_places(&text, &problems);
            }
        }
    }
}

/// All that is said of a text, one a line.
fn messages(text: &str) -> String {
    let problems = parse(text).expect_err(text);
    check_places(text, &problems);
    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn broken_texts_get_a_message_each() {
    let names = NAMES.iter().map(|n| n.1).collect::<Vec<_>>().join(", ");
    let functions = FUNCTIONS.iter().map(|f| f.1).collect::<Vec<_>>().join(", ");
    let can: Vec<&str> = NAMES.iter().filter(|n| n.0.can_be_asked_of_all()).map(|n| n.1).collect();
    let can = can.join(", ");
    let operand = "a name, a number, `(`, `-` or `!`";
    for (text, expected) in [
        ("", "no expression at character 1; allowed: a number of each replica; write what a good replica has more of, such as 1 / (1 + waiting)".to_owned()),
        (" \n", "no expression at character 1; allowed: a number of each replica; write what a good replica has more of, such as 1 / (1 + waiting)".to_owned()),
        ("1 / (1 + waitng)", format!("unknown name `waitng` at character 10; allowed: {names}; did you mean `waiting`?")),
        ("zzz", format!("unknown name `zzz` at character 1; allowed: {names}; use one of these")),
        ("1 / output_tokens", format!("unknown name `output_tokens` at character 5; allowed: {names}; no router knows how long an answer will be")),
        ("min", format!("unknown name `min` at character 1; allowed: {names}; `min` is a function: give it values in brackets, min(…)")),
        ("min.wating", format!("`wating` behind `min.` at character 5; allowed: {can}; did you mean `min.waiting`?")),
        ("max.now_s", format!("`now_s` behind `max.` at character 5; allowed: {can}; it is the same for all candidates: write `now_s` alone")),
        ("max.session_here", format!("`session_here` behind `max.` at character 5; allowed: {can}; a condition has no smallest or largest")),
        ("waiting(1)", format!("`waiting`, which is not a function, at character 1; allowed: {functions}; \
        write `waiting` without brackets")),
        ("squrt(2)", format!("`squrt`, which is not a function, at character 1; allowed: {functions}; did \
        you mean `sqrt`?")),
        ("min(1)", "1 value of `min` at character 1; allowed: 2 or more; write min(a, b, …): the smallest of them".to_owned()),
        ("pow(1, 2, 3)", "3 values of `pow` at character 1; allowed: 2; write pow(x, y): x to the power of y".to_owned()),
        ("abs()", format!("`)` at character 5; allowed: {operand}; remove it, or write what is missing before it")),
        ("1 +", format!("the end of the text at character 4; allowed: {operand}; write what is missing")),
        ("(1 + 2", "the end of the text at character 7; allowed: an operator or `)`; write what is missing".to_owned()),
        ("1 2", "`2` at character 3; allowed: an operator or the end of the text; put an operator before it, or remove it".to_owned()),
        ("1)", "`)` at character 2; allowed: an operator or the end of the text; remove it, or write what is missing before it".to_owned()),
        ("waiting > 0 ? 1", "the end of the text at character 16; allowed: `:` and what holds otherwise; write what is missing".to_owned()),
        ("waiting = 0 ? 1 : 0", "`=` at character 9; allowed: an operator or the end of the text; write == to compare".to_owned()),
        ("waiting > 0 and running > 0 ? 1 : 0", "`and` at character 13; allowed: an operator or the end of the text; write && for and".to_owned()),
        ("waiting ^ 2", "`^` at character 9; allowed: an operator or the end of the text; write pow(x, y)".to_owned()),
        ("1 + é", format!("`é` at character 5; allowed: {operand}; put an operator before it, or remove it")),
        ("1e999", "`1e999` at character 1; allowed: numbers up to 1.8e308; write a smaller one".to_owned()),
        ("waiting > 0", "a condition (yes or no) at character 1; allowed: a number; give a score for either \
        case: (…) ? 1 : 0".to_owned()),
        ("1 + (waiting > 0)", "a condition (yes or no), which `+` does not accept, at character 5; allowed: \
        a number; choose a number by it: (…) ? 1 : 0".to_owned()),
        ("waiting ? 1 : 0", "a number, which `?` does not accept, at character 1; allowed: a condition (yes \
        or no); compare it with something, such as waiting > 0".to_owned()),
        ("1 < waiting < 3 ? 1 : 0", "a condition (yes or no), which `<` does not accept, at character 1; \
        allowed: a number; choose a number by it: (…) ? 1 : 0".to_owned()),
        ("session_here == 1 ? 1 : 0", "a number, which `==` does not accept, at character 17; allowed: a \
        condition (yes or no); compare it with something, such as waiting > 0".to_owned()),
        ("wating + runing", format!("unknown name `wating` at character 1; allowed: {names}; did you mean `waiting`?\nunknown name `runing` at character 10; allowed: {names}; did you mean `running`?")),
    ] {
        assert_eq!(messages(text), expected, "{text}");
    }
}

#[test]
fn a_text_beyond_the_limits_is_refused_and_one_at_the_limits_is_not() {
    let sum = |n: usize| vec!["1"; n].join("+");
    assert!(parse(&sum(32)).is_ok(), "63 operations, 32 deep");
    assert!(messages(&sum(33)).contains("at most 64") || messages(&sum(33)).contains("32 levels"));
    let flat = |n: usize| format!("max({})", vec!["1"; n].join(","));
    assert_eq!(parse(&flat(63)).map(|f| f.ops().len()), Ok(64));
    assert!(messages(&flat(64)).starts_with("more than 64 names, numbers and operations"));
    let deep = |n: usize| format!("{}1{}", "abs(".repeat(n), ")".repeat(n));
    assert!(parse(&deep(31)).is_ok());
    assert!(messages(&deep(32)).starts_with("operations nested more than 32 deep"));
    let long = |n: usize| format!("1{}", " ".repeat(n - 1));
    assert!(parse(&long(1024)).is_ok());
    assert!(messages(&long(1025)).starts_with("1,025 bytes of text at character 1; allowed: at most 1,024"));
}

#[test]
fn a_document_with_a_broken_expression_names_its_path() {
    let document = |expression: &str| {
        let scorers =
            format!(r#"[{{"scorer": "queue-depth", "weight": 1}}, {{"scorer": {expression}, "weight": 2}}]"#);
        format!(
            r#"{{"cluster": {{"routing": {{"weighted": {{"profile": "custom", "scorers": {scorers}}}}}}}}}"#
        )
    };
    let said = |expression: &str| match parse_scenario(&document(expression)).and_then(check) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.iter().map(ToString::to_string).collect::<Vec<_>>(),
    };
    assert_eq!(said(r#"{"expression": "1 / (1 + waiting)"}"#), Vec::<String>::new());
    let all = said(r#"{"expression": "1 / (1 + wating)"}"#);
    let start = "error: cluster.routing.weighted.scorers[1].scorer.expression: unknown name `wating` at character 10; allowed: waiting, ";
    assert!(
        all.len() == 1 && all[0].starts_with(start) && all[0].ends_with("; did you mean `waiting`?"),
        "{all:?}"
    );
    let all = said(r#"{"expression": 7}"#);
    assert_eq!(
        all,
        [
            "error: cluster.routing.weighted.scorers[1].scorer.expression: 7; allowed: text; put it in double quotes"
        ]
    );
    let all = said(r#""expression""#);
    assert!(all.len() == 1 && all[0].contains("scorers[1].scorer.expression"), "{all:?}");
    let all = said(r#"{"expression": "1"}, "weight": 1}, {"scorer": {"expression": "1"}"#);
    assert!(all.len() == 1 && all[0].contains("scorers[2].scorer"), "{all:?}");
}

#[test]
fn every_word_is_offered_where_its_beginning_stands() {
    let offered = |text: &str| {
        let (start, words) = complete(text, text.len());
        (start, words.into_iter().map(|w| w.text).collect::<Vec<_>>())
    };
    let of_wai = ["waiting", "waiting_tokens", "wait_s"].map(str::to_owned).to_vec();
    assert_eq!(offered("1 / (1 + wai"), (9, of_wai));
    assert_eq!(offered("min.kv"), (0, vec!["min.kv_use".to_owned(), "min.kv_free".to_owned()]));
    assert_eq!(offered("sq"), (0, vec!["sqrt(".to_owned()]));
    assert!(offered("m").1.starts_with(&["min(".to_owned(), "max(".to_owned()]), "{:?}", offered("m"));
    assert!(offered("tokens").1.len() == 5, "words that hold it: {:?}", offered("tokens"));
    let all = NAMES.len() + FUNCTIONS.len() + AGGREGATES.len();
    for text in ["", "1 + ", "min(1,", "(", "waiting > 0 ? "] {
        assert_eq!(offered(text), (text.len(), offered("").1));
        assert_eq!(offered(text).1.len(), all, "{text}");
    }
    assert_eq!(offered("waiting ").1, Vec::<String>::new());
    assert_eq!(offered("12").1, Vec::<String>::new());
    for (name, text) in NAMES {
        assert!(offered(text).1.contains(&(*text).to_owned()));
        assert_eq!(offered(&format!("max.{text}")).1.is_empty(), !name.can_be_asked_of_all(), "{text}");
    }
}

#[test]
fn named_scorers_are_expressions_that_print_as_they_are_given() {
    let mut without = Vec::new();
    let settings = Weighted { profile: Profile::Custom, ..Weighted::default() };
    for scorer in Scorer::NAMED {
        match expression_of(&scorer, &settings) {
            Some(text) => assert_eq!(print(&text.formula().expect("a good one")), text.0),
            None => without.push(scorer.name()),
        }
    }
    let expected = [
        "no-hit-lru",
        "recent-ttft",
        "recent-tpot",
        "peak-ewma",
        "predicted-latency",
        "lora-affinity",
        "tier-prefix",
    ];
    assert_eq!(without, expected);
}
