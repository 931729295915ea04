//! The difference between two texts, line by line.

use crate::export::Written;
use serde::Serialize;

/// How a line stands to the file beside which it is written.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LineMark {
    /// It is in both; also every line without a file beside it.
    Same,
    /// It is new.
    Added,
    /// It is no longer there. It is not part of the text.
    Removed,
    /// A comment of this export.
    Comment,
}

/// A line of a file or of its difference.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExportedLine {
    /// Its text, without the end of the line.
    pub text: String,
    /// How it stands to the file beside it.
    pub mark: LineMark,
}

/// Most cells of the table of the longest common lines. Longer texts differ as a whole between what they begin and end
/// with alike.
const CELLS: usize = 4_000_000;

/// The lines of a file: beside another one the difference to it, then the comments. A new file begins with `head`.
pub(crate) fn lines(
    beside: Option<&str>,
    written: &Written,
    head: &[String],
    comments: &[String],
) -> Vec<ExportedLine> {
    let of = |text: &str, mark: LineMark| ExportedLine { text: text.to_owned(), mark };
    let comments = comments.iter().map(|line| of(line, LineMark::Comment));
    if let Some(before) = beside {
        difference(before, &written.text).into_iter().chain(comments).collect()
    } else {
        let head = head.iter().map(|line| of(line, LineMark::Comment));
        let own = written.text.lines().map(|line| of(line, LineMark::Same));
        head.chain(own).chain(comments).collect()
    }
}

/// The lines of both texts, those in both once.
fn difference(before: &str, after: &str) -> Vec<ExportedLine> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let alike = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let room = old.len().min(new.len()) - alike;
    let ends = old.iter().rev().zip(new.iter().rev()).take(room).take_while(|(a, b)| a == b).count();
    let (a, b) = (&old[alike..old.len() - ends], &new[alike..new.len() - ends]);
    let mut lines: Vec<ExportedLine> = Vec::new();
    let mut add = |text: &str, mark: LineMark| lines.push(ExportedLine { text: text.to_owned(), mark });
    old[..alike].iter().for_each(|line| add(line, LineMark::Same));
    if a.len().saturating_mul(b.len()) > CELLS {
        for line in a {
            add(line, LineMark::Removed);
        }
        for line in b {
            add(line, LineMark::Added);
        }
    } else {
        between(a, b, &mut add);
    }
    old[old.len() - ends..].iter().for_each(|line| add(line, LineMark::Same));
    lines
}

/// The shortest difference: the table has the length of the longest common lines from each place on.
fn between(a: &[&str], b: &[&str], add: &mut impl FnMut(&str, LineMark)) {
    let width = b.len() + 1;
    let mut common = vec![0_u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            let rest = common[(i + 1) * width + j].max(common[i * width + j + 1]);
            common[i * width + j] = if a[i] == b[j] { common[(i + 1) * width + j + 1] + 1 } else { rest };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            add(a[i], LineMark::Same);
            (i, j) = (i + 1, j + 1);
        } else if j == b.len() || (i < a.len() && common[(i + 1) * width + j] >= common[i * width + j + 1]) {
            add(a[i], LineMark::Removed);
            i += 1;
        } else {
            add(b[j], LineMark::Added);
            j += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(before: &str, after: &str) -> Vec<String> {
        let sign = |line: &ExportedLine| match line.mark {
            LineMark::Same => ' ',
            LineMark::Added => '+',
            LineMark::Removed => '-',
            LineMark::Comment => '#',
        };
        difference(before, after).iter().map(|line| format!("{}{}", sign(line), line.text)).collect()
    }

    #[test]
    fn a_difference_has_the_lines_of_both() {
        assert_eq!(shown("a\nb\nc\n", "a\nx\nc\n"), [" a", "-b", "+x", " c"]);
        assert_eq!(shown("a\n", "a\nb\n"), [" a", "+b"]);
        assert_eq!(shown("", "a"), ["+a"]);
        assert_eq!(shown("a\na\n", "a\n"), [" a", "-a"]);
        assert_eq!(shown("a\nb\nc\nd\n", "b\nd\ne\n"), ["-a", " b", "-c", " d", "+e"]);
    }
}
