//! What the router remembers of prompts: its own memory, or what replicas report.

use crate::epp::map::{APPROXIMATE, BLOCK, FORMER_BLOCK, MEMORY, MEMORY_PLUGINS, Parameter};
use crate::epp::write::draft::Draft;
use crate::epp::write::stage::Stage;
use crate::epp::write::there::PRECISE;
use crate::export::Row;
use crate::yaml::node::YamlNode;
use crate::yaml::scalar::{Scalar, number, quantity};
use crate::yaml::want::{Items, Want};
use document::{Filter, Scorer, TokenCount, Weighted};

/// Fewest tokens of a block.
const SMALLEST_BLOCK: u32 = 64;

/// Whether a router remembers what it sent where.
fn remembers(router: &Weighted) -> bool {
    let scorers = router.scorers();
    let has = |wanted: &Scorer| scorers.iter().any(|row| row.scorer == *wanted);
    let counts = has(&Scorer::TokenLoad) && router.token_rule().0 == TokenCount::Uncached;
    let filters = router.filters();
    has(&Scorer::PrefixAffinity) || counts || filters.iter().any(|f| matches!(f, Filter::PrefixAffinity(_)))
}

/// The settings of the memory.
pub(crate) fn rows(draft: &mut Draft<'_>, router: &Weighted, at: &str, stage: &Stage<'_>) {
    if !remembers(router) {
        return;
    }
    let values =
        [Some(router.prefix_index_blocks), router.prefix_block_tokens(), router.prefix_match_tokens()];
    let place = place(draft);
    let defaults = defaults(draft, place);
    let mut parameters: Vec<(&'static str, Want<'static>)> = Vec::new();
    // Sizes that are given count only where the router does not take those of the engine.
    if draft.there.is_empty() {
        parameters.push(("autoTune", Want::Scalar(Scalar::Flag(false), Some(Scalar::Flag(true)))));
    }
    let former = former(draft);
    for (i, Parameter { theirs, field, ours, .. }) in MEMORY.iter().enumerate() {
        let path = format!("{at}.{field}");
        let said = place.and_then(|place| draft.there.parameter(place, &[theirs])).map(str::to_owned);
        let Some(n) = values[i] else {
            let (value, why) = match i {
                1 => (format!("{} of the pool", stage.block_tokens), "64 there"),
                _ => ("whole prompts".to_owned(), "the leading 131,072 tokens there"),
            };
            draft.rows.push(Row::near(path, ours, value, theirs, why).default_there(true));
            continue;
        };
        let same_in_bytes = former[i].is_some_and(|(_, tokens)| tokens == n);
        let is_default = same_in_bytes || (said.is_none() && defaults[i] == Some(n));
        let before = said.filter(|text| !Scalar::from(n).is_said_by(text));
        let row = if i == 1 && n < SMALLEST_BLOCK && !same_in_bytes {
            Row::near(path, ours, n, theirs, "llm-d raises it to 64")
        } else {
            Row::exact(path, ours, n, theirs)
        };
        draft.rows.push(row.default_there(is_default).was(before));
        if !same_in_bytes {
            parameters.push((
                *theirs,
                defaults[i].map_or_else(|| Want::said(n), |default| Want::unless(n, default)),
            ));
            if let Some((key, _)) = former[i] {
                parameters.push((key, Want::Nothing));
            }
        }
    }
    match place {
        Some(place) => drop(draft.plugin(place, place, parameters, stage.profile)),
        None => draft.implied(APPROXIMATE, parameters),
    }
}

/// The plugin of a file that has the parameters.
fn place(draft: &Draft<'_>) -> Option<&'static str> {
    let there = draft.there;
    let has = |plugin: &&&str| {
        let own = MEMORY.iter().map(|parameter| parameter.theirs);
        own.chain(FORMER_BLOCK)
            .chain(["maxPrefixBlocksToMatch"])
            .any(|key| there.parameter(plugin, &[key]).is_some())
    };
    let named = MEMORY_PLUGINS
        .iter()
        .find(has)
        .or_else(|| MEMORY_PLUGINS.iter().find(|p| **p == APPROXIMATE && there.named(p, "").is_some()));
    named.copied()
}

/// What the memory has where a file does not say it: with neither producer nor filter that of this program.
fn defaults(draft: &Draft<'_>, place: Option<&str>) -> [Option<u32>; 3] {
    let there = draft.there;
    let newer = place == Some(APPROXIMATE) || there.named("prefix-cache-affinity-filter", "").is_some();
    if there.is_empty() || newer {
        MEMORY.map(|parameter| Some(parameter.usual as u32))
    } else {
        [Some(Weighted::default().prefix_index_blocks), None, None]
    }
}

/// For each parameter of the memory the key that older files have for it, and its tokens: blocks are in bytes, four to a token.
fn former(draft: &Draft<'_>) -> [Option<(&'static str, u32)>; 3] {
    let of =
        |key: &str| MEMORY_PLUGINS.iter().find_map(|plugin| quantity(draft.there.parameter(plugin, &[key])?));
    let block = FORMER_BLOCK.into_iter().find_map(|key| Some((key, (of(key)? / 4.0) as u32)));
    let blocks = of("maxPrefixBlocksToMatch");
    let tokens = of(BLOCK).unwrap_or(block.map_or(16.0, |(_, tokens)| f64::from(tokens)));
    [None, block, blocks.map(|blocks| ("maxPrefixBlocksToMatch", (blocks * tokens) as u32))]
}

/// What a block is worth on the GPU and in CPU memory, where the router weighs tiers.
fn worth(router: &Weighted) -> Vec<(&'static str, Want<'static>)> {
    if !router.scorers().iter().any(|row| row.scorer == Scorer::TierPrefix) {
        return Vec::new();
    }
    let tier = |name: &'static str, weight: f64| {
        (name.to_owned(), Want::Map(vec![("name", Want::said(name)), ("weight", Want::said(weight))]))
    };
    let items = vec![tier("gpu", router.tier_weights.gpu), tier("cpu", router.tier_weights.cpu)];
    let name_of =
        |node: &YamlNode| node.get("name").and_then(YamlNode::scalar).unwrap_or_default().to_owned();
    let list = Items { items, name_of: Box::new(name_of), is_ours: Box::new(|_| false) };
    vec![("indexerConfig", Want::Map(vec![("kvCacheBackendConfigs", Want::List(list))]))]
}

/// Rows for what blocks are worth by their tiers.
pub(crate) fn worth_rows(draft: &mut Draft<'_>, router: &Weighted, stage: &Stage<'_>) {
    let own = &router.tier_weights;
    let path = |tier: &str| format!("{}.weighted.tier_weights.{tier}", stage.at);
    let key = "kvCacheBackendConfigs";
    draft.rows.push(Row::exact(path("gpu"), "worth on the GPU", number(own.gpu), key));
    draft.rows.push(Row::exact(path("cpu"), "worth in CPU memory", number(own.cpu), key));
    let why = "llm-d weighs tiers by the names in events of caches: add that of this tier";
    draft.rows.push(Row::ignored(path("disk"), "worth on a disk", number(own.disk), why));
    draft.rows.push(Row::ignored(path("store"), "worth in a store", number(own.store), why));
}

/// The scorer of prefixes that replicas report, with what it needs: the tokenizer of the model and the index.
pub(crate) fn precise(draft: &mut Draft<'_>, router: &Weighted, stage: &Stage<'_>) -> String {
    let weights = worth(router);
    let producer = "precise-prefix-cache-producer";
    if let Some(name) = draft.there.named(PRECISE, stage.profile) {
        let kind = "prefix-cache-scorer";
        draft.plugin(PRECISE, kind, Vec::new(), stage.profile);
        if !weights.is_empty() && draft.there.named(producer, "").is_some() {
            draft.plugin(producer, producer, weights, "");
        }
        return name;
    }
    let model = vec![("modelName", Want::said("the model's id at Hugging Face"))];
    draft.plugin("token-producer", "token-producer", model, "");
    let block = vec![("blockSize", Want::said(stage.block_tokens))];
    let mut parameters = vec![("tokenProcessorConfig", Want::Map(block))];
    parameters.extend(weights);
    draft.plugin(producer, producer, parameters, "");
    let note = "set modelName of token-producer to the model of the engines, and let these publish events of their caches";
    if !draft.notes.iter().any(|known| known == note) {
        draft.notes.push(note.to_owned());
    }
    let both = router.scorers().iter().any(|row| row.scorer == Scorer::PrefixAffinity);
    let key = if both { PRECISE } else { "prefix-cache-scorer" };
    let parameters = vec![("prefixMatchInfoProducerName", Want::said(producer))];
    draft.plugin(key, "prefix-cache-scorer", parameters, stage.profile)
}
