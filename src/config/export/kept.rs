//! What routers do with the KV of prompts and sessions, as rows of systems that do not have it.

use crate::export::Row;
use crate::yaml::scalar::number;
use document::Cluster;

/// Rows for the source of pulls and the hint of a cluster.
pub(crate) fn of_router(cluster: &Cluster, why: &str) -> Vec<Row> {
    let source = cluster.kv_source.as_ref().map(|source| {
        let value = format!("{} tokens", source.min_cached_token_delta);
        Row::ignored("cluster.kv_source", "source of pulls", value, why)
    });
    let hint = cluster.kv_hint.as_ref().map(|hint| {
        let value = format!("quantile {}, {} tokens", number(hint.quantile), hint.head_tokens);
        Row::ignored("cluster.kv_hint", "KV hint", value, why)
    });
    source.into_iter().chain(hint).collect()
}
