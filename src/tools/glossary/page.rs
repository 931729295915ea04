//! docs/reference/glossary.md as data: the table of words, that of quantities, that of signs.

use super::entry::{GlossaryEntry, GlossarySign, NamedValue, Quantity, RestsOn};
use super::formula;

/// The page.
pub(super) const TEXT: &str = include_str!("glossary.md");

/// Where the page lies, for words that name no other document.
const PLACE: &str = "docs/reference/glossary.md";

/// The columns of the three tables.
const COLUMNS: [usize; 3] = [2, 8, 4];

pub(super) fn read(text: &str) -> Result<Vec<GlossaryEntry>, Vec<String>> {
    let mut problems = Vec::new();
    let [words, quantities, signs] = tables(text, &mut problems);
    let signs: Vec<GlossarySign> = signs.iter().map(|row| sign(row)).collect();
    let mut entries: Vec<GlossaryEntry> = words.iter().map(|row| word(row)).collect();
    for row in &quantities {
        let Some(entry) = entries.iter_mut().find(|entry| entry.word == row[0]) else {
            problems.push(format!("quantity `{}`: no row among the words", row[0]));
            continue;
        };
        entry.also = list(&row[7]);
        match quantity(row, &signs) {
            Ok(quantity) => entry.quantity = Some(quantity),
            Err(problem) => problems.push(format!("quantity `{}`: {problem}", row[0])),
        }
    }
    if problems.is_empty() { Ok(entries) } else { Err(problems) }
}

/// The rows of each table; rows with another number of cells are problems.
fn tables(text: &str, problems: &mut Vec<String>) -> [Vec<Vec<String>>; 3] {
    let mut found: [Vec<Vec<String>>; 3] = Default::default();
    let mut table = 0;
    for line in text.lines() {
        if line.starts_with("|---") {
            table += 1;
        } else if let Some(cells) = line.strip_prefix('|').and_then(|rest| rest.strip_suffix('|')) {
            let cells: Vec<String> = cells.split('|').map(|cell| cell.trim().to_owned()).collect();
            match table {
                // The head of the table that follows.
                _ if cells[0] == "word" || cells[0] == "sign" => {}
                1..=3 if cells.len() == COLUMNS[table - 1] => found[table - 1].push(cells),
                1..=3 => problems.push(format!("{} cells: {line}", cells.len())),
                _ => {}
            }
        }
    }
    found
}

fn word(row: &[String]) -> GlossaryEntry {
    let (meaning, link) = plain(&row[1]);
    GlossaryEntry {
        word: row[0].clone(),
        meaning,
        also: Vec::new(),
        source: link.map_or_else(|| PLACE.to_owned(), |link| from_the_top(&link)),
        quantity: None,
    }
}

fn sign(row: &[String]) -> GlossarySign {
    GlossarySign {
        sign: row[0].replace('`', ""),
        meaning: row[1].clone(),
        unit: row[2].clone(),
        value: Some(row[3].replace('`', "")).filter(|text| !text.is_empty()),
    }
}

fn quantity(row: &[String], signs: &[GlossarySign]) -> Result<Quantity, String> {
    let formula = formula::read(&row[1].replace('`', ""), signs);
    let rests_on = match row[6].as_str() {
        "exact" => RestsOn::Exact,
        "steps" => RestsOn::Steps,
        "blocks" => RestsOn::Blocks,
        other => return Err(format!("rests on `{other}`, allowed: exact, steps, blocks")),
    };
    let latest = ["frame.key.", ".busy", ".share", "frame.split.handover", "frame.split.ports"];
    Ok(Quantity {
        unit: row[2].clone(),
        formula: formula.pieces,
        result: formula.result.map(|text| text.trim().to_owned()),
        of_run: values(&row[3]),
        now: values(&row[4]),
        latest: latest.iter().any(|word| row[4].contains(word)),
        runs_with: row[5].clone(),
        rests_on,
        signs: formula.signs,
    })
}

/// Values in backticks, each with the name before it.
fn values(cell: &str) -> Vec<NamedValue> {
    let parts: Vec<&str> = cell.split('`').collect();
    let pairs = parts.chunks_exact(2);
    pairs
        .map(|pair| NamedValue {
            name: pair[0].trim_matches([',', ' ']).to_owned(),
            value: pair[1].to_owned(),
        })
        .collect()
}

/// Names with commas between, in small letters.
fn list(cell: &str) -> Vec<String> {
    cell.split(',').map(|name| name.trim().to_lowercase()).filter(|name| !name.is_empty()).collect()
}

/// A text without marks, and the target of its first link. A link that ends the text behind a semicolon is left out.
fn plain(text: &str) -> (String, Option<String>) {
    let (mut out, mut link) = (String::new(), None);
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        let parts = after.split_once("](").and_then(|(shown, end)| Some((shown, end.split_once(')')?)));
        let Some((shown, (target, end))) = parts else { break };
        link.get_or_insert_with(|| target.to_owned());
        out.push_str(before);
        if end.is_empty() && out.ends_with("; ") {
            out.truncate(out.len() - 2);
        } else {
            out.push_str(shown);
        }
        rest = end;
    }
    out.push_str(rest);
    (out.replace('`', ""), link)
}

/// The path from the top of the repository of a link of the page.
fn from_the_top(link: &str) -> String {
    link.strip_prefix("../").map_or_else(|| format!("docs/reference/{link}"), |rest| format!("docs/{rest}"))
}

#[cfg(test)]
mod tests {
    use super::{plain, read, values};

    #[test]
    fn links_are_left_out_at_the_end_and_named_within() {
        let found = plain("a `b`; [scaling](../explanation/scaling.md)");
        assert_eq!(found, ("a b".to_owned(), Some("../explanation/scaling.md".to_owned())));
        assert_eq!(plain("a [report](report.md) of b").0, "a report of b");
        assert_eq!(plain("a [b"), ("a [b".to_owned(), None));
    }

    #[test]
    fn values_have_the_names_before_them() {
        let found = values("mean `a.b`, p99 `c`");
        let pairs: Vec<(&str, &str)> = found.iter().map(|v| (v.name.as_str(), v.value.as_str())).collect();
        assert_eq!(pairs, [("mean", "a.b"), ("p99", "c")]);
        assert!(values("").is_empty());
    }

    #[test]
    fn a_row_that_cannot_be_read_is_a_problem() {
        let words = "| word | meaning |\n|---|---|\n| a | b |\n";
        let head = "| word | f | u | r | n | w | o | also |\n|---|---|---|---|---|---|---|---|\n";
        let of = |row: &str| read(&format!("{words}{head}{row}\n")).expect_err("it is wrong");
        assert_eq!(of("| c | | | | | | exact | |"), ["quantity `c`: no row among the words"]);
        assert_eq!(of("| a | | | | | | luck | |").len(), 1);
        assert_eq!(of("| a | |").len(), 1);
        assert_eq!(read(words).expect("it is sound")[0].meaning, "b");
    }
}
