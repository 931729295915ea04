//! `tokenyard regret`: the KV caches of a run beside those of an oracle.

use crate::args::studies::Regret as Arguments;
use crate::failed::Failed;
use crate::files::input::{Loaded, load};
use crate::print::{refused, say};
use crate::text::table::{Align, Table, number};
use base::json;
use study::kv_regret::{KvFigures, KvRegret, kv_regret};

/// `tokenyard regret`
pub(crate) fn run(args: &Arguments) -> Result<(), Failed> {
    let Loaded { scenario, trace, .. } = load(&args.input)?;
    let found = kv_regret(&scenario, trace).map_err(|problems| refused(&args.input.scenario, &problems))?;
    if args.json {
        return say(&format!("{}\n", json::indented(&found)));
    }
    say(&text(&found))
}

fn text(found: &KvRegret) -> String {
    let right = |name| (name, Align::Right, 8);
    let heads = [
        ("", Align::Left, 8),
        right("blocks of prompts"),
        right("computed"),
        right("computed %"),
        right("mean TTFT ms"),
    ];
    let mut table = Table::new(&heads);
    for (name, of) in [("run", &found.own), ("oracle", &found.oracle)] {
        table.row(vec![
            name.to_owned(),
            of.prompt_blocks.to_string(),
            of.computed_blocks.to_string(),
            number(computed(of), 2),
            number(of.mean_ttft_ms, 3),
        ]);
    }
    let share = number(found.block_regret.map(|share| share * 100.0), 2);
    let ttft = number(found.mean_ttft_regret_ms, 3);
    let regret = format!("regret: {share} % of the blocks of prompts, {ttft} ms of mean TTFT\n");
    let has = found.oracle_has.iter().map(|path| format!("the oracle has {path}\n"));
    [table.text(), regret].into_iter().chain(has).collect()
}

/// The computed blocks in percent.
fn computed(of: &KvFigures) -> Option<f64> {
    (of.prompt_blocks > 0).then(|| 100.0 * of.computed_blocks as f64 / of.prompt_blocks as f64)
}
