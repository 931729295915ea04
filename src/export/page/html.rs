//! Pieces of HTML: text that is escaped, tables, lists of figures.

pub(super) use base::html_text::{escaped, put};

/// A table under a heading: the first column names the rows, the others are numbers unless they are texts.
pub(super) struct Table {
    heads: Vec<(&'static str, bool)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these heads; `true` where a column has texts.
    pub(super) fn new(heads: &[(&'static str, bool)]) -> Self {
        Self { heads: heads.to_vec(), rows: Vec::new() }
    }

    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table with a caption.
    pub(super) fn html(&self, caption: &str) -> String {
        let mut out = String::new();
        put(
            &mut out,
            format_args!("<div class=\"t\"><table><caption>{}</caption>\n<thead><tr>", escaped(caption)),
        );
        for (head, text) in &self.heads {
            put(&mut out, format_args!("<th scope=\"col\"{}>{}</th>", class(*text), escaped(head)));
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            out.push_str("<tr>");
            for (i, (cell, (_, text))) in row.iter().zip(&self.heads).enumerate() {
                if i == 0 {
                    put(&mut out, format_args!("<th scope=\"row\"{}>{}</th>", class(*text), escaped(cell)));
                } else {
                    put(&mut out, format_args!("<td{}>{}</td>", class(*text), escaped(cell)));
                }
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody></table></div>\n");
        out
    }
}

fn class(text: bool) -> &'static str {
    if text { " class=\"x\"" } else { "" }
}

/// Names and figures.
pub(super) fn figures(figures: &[(&str, String)]) -> String {
    let mut out = "<dl>\n".to_owned();
    for (name, figure) in figures {
        put(&mut out, format_args!("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(name), escaped(figure)));
    }
    out.push_str("</dl>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_markup() {
        assert_eq!(
            escaped("<a href=\"x\" o='1'>&\u{7}"),
            "&lt;a href=&quot;x&quot; o=&#39;1&#39;&gt;&amp;\u{fffd}"
        );
        let mut table = Table::new(&[("name", true), ("n", false)]);
        table.row(vec!["<b>".to_owned(), "1".to_owned()]);
        assert!(table.html("<c>").contains("<caption>&lt;c&gt;</caption>"));
        assert!(table.html("").contains("<th scope=\"row\" class=\"x\">&lt;b&gt;</th><td>1</td>"));
    }
}
