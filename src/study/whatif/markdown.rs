//! An explanation as Markdown: its sentences, the table of causes, and what the groups have in common.

use super::account::AccountedTime;
use super::explanation::{CausePart, Explanation, RequestGroup};
use super::saying::{in_ms, in_percent};
use std::fmt::{self, Write};

/// Requests named for a cause.
const NAMED: usize = 3;

impl Explanation {
    /// The explanation as Markdown, under the title of its run.
    pub fn markdown(&self, title: &str) -> String {
        let mut out = String::new();
        write(&mut out, self, title).expect("INV-6: a String takes any text");
        out
    }
}

fn write(out: &mut String, e: &Explanation, title: &str) -> fmt::Result {
    let time = match e.time {
        AccountedTime::Ttft => "TTFT",
        AccountedTime::E2e => "E2E",
    };
    match title {
        "" => writeln!(out, "# {time}: where the time of the slow requests went\n")?,
        title => writeln!(out, "# {}: where the {time} of the slow requests went\n", plain(title))?,
    }
    for sentence in &e.sentences {
        writeln!(out, "{}\n", plain(&sentence.text))?;
    }
    writeln!(out, "| part | slow | fast | difference | share | most of it |")?;
    writeln!(out, "|---|---:|---:|---:|---:|---|")?;
    for part in e.causes.iter().filter(|p| p.slow_ms > 0.0 || p.fast_ms > 0.0) {
        let [slow, fast] = [part.slow_ms, part.fast_ms].map(in_ms);
        let (diff, share) = (signed(part.diff_ms), in_signed_percent(part.diff_share));
        writeln!(out, "| {} | {slow} | {fast} | {diff} | {share} | {} |", plain(&part.name), most(part))?;
    }
    let [slow, fast] = [&e.slow, &e.fast].map(|group| in_ms(group.mean_ms));
    writeln!(out, "| together | {slow} | {fast} | {} | | |\n", signed(e.diff_ms))?;
    writeln!(out, "Slow: {}. Fast: {}.\n", plain(&e.slow_words), plain(&e.fast_words))?;
    let row = |name: &str, of: fn(&RequestGroup) -> f64| {
        format!(
            "- {name}: {} of the slow, {} of the fast\n",
            in_percent(of(&e.slow)),
            in_percent(of(&e.fast))
        )
    };
    out.push_str(&row("prompt tokens from the cache", |g| g.cached_share));
    out.push_str(&row("preempted", |g| g.preempted_share));
    out.push_str(&row("sent to a replica with more load than the router saw", |g| g.stale_share));
    Ok(())
}

/// The requests that had most of it, and the clients of these prompts.
fn most(part: &CausePart) -> String {
    let named = part.evidence.iter().take(NAMED).map(|e| format!("#{} r{}", e.request, e.replica));
    let mut text = named.collect::<Vec<_>>().join(", ");
    for (i, client) in part.clients.iter().enumerate() {
        text.push_str(if i == 0 { "; prompts of " } else { ", " });
        text += &plain(&client.client);
        text.push(' ');
        text += &in_percent(client.share);
    }
    text
}

fn signed(ms: f64) -> String {
    let sign = if ms < 0.0 { "−" } else { "+" };
    format!("{sign}{}", in_ms(ms.abs()))
}

fn in_signed_percent(share: f64) -> String {
    let sign = if share < 0.0 { "−" } else { "+" };
    format!("{sign}{}", in_percent(share.abs()))
}

/// A text without any markup: what would be some is escaped, and so are control characters.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '&' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_users_are_no_markup() {
        assert_eq!(
            plain("a|b\n<img> *x* [l](u) `c` &amp;"),
            "a\\|b \\<img\\> \\*x\\* \\[l\\](u) \\`c\\` \\&amp;"
        );
        assert_eq!([signed(-1.5), signed(2000.0)], ["−1.50\u{a0}ms", "+2.00\u{a0}s"]);
    }
}
