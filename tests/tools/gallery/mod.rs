//! The cards of the built-in scenarios: a hint with its instant, and a picture drawn from a run of the scenario. The cards of
//! lessons are in `lessons.rs`.
//!
//! The page has them as data (`gallery` of the tools), so that a first visit loads neither the texts nor the runs behind
//! the pictures.

mod image;
mod lesson_pictures;
mod lessons;
mod pictures;
mod rows;

use base::Diagnostics;
use document::preset::Preset;
pub(crate) use image::image;
pub(crate) use lessons::{LessonCard, card_of_lesson};
use pictures::Picture;
use pictures::{Draw, draw};
use run::session::{EvidenceClass, pool_evidence, weakest};
use serde::Serialize;
use ts_rs::TS;

/// A built-in scenario on a card.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub(crate) struct Card {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its title.
    pub(crate) title: String,
    /// A hint what to look at, with its instant between two `*`.
    pub(crate) look: &'static str,
    /// Its topics.
    pub(crate) tags: &'static [&'static str],
    /// The instant at which it opens, in seconds.
    pub(crate) opens_s: u32,
    /// Its picture.
    pub(crate) picture: Picture,
    /// How far its latencies can be trusted: the class of the pool of which least is known.
    pub(crate) class: EvidenceClass,
    /// The same with its measured error, in a few words.
    pub(crate) evidence: String,
}

type Entry = (&'static str, &'static [&'static str], &'static str, Draw);

/// Name, tags, hint and picture of each card, in order.
const CARDS: &[Entry] = &[
    (
        "slow-replica",
        &["faults", "routing"],
        "One of four replicas is slow; at *50 s* most of its requests wait for seconds, the others for none.",
        Draw::Queues { seconds: [20.0, 80.0], caption: "waiting on four replicas" },
    ),
    (
        "chat-4xh100",
        &["overload"],
        "At *60 s* chat traffic rises by half; the queues never empty again.",
        Draw::Dots { of: "ttft_us", client: "", seconds: [40.0, 140.0], caption: "TTFT of each request" },
    ),
    (
        "stale-herd",
        &["routing"],
        "From *40 s* the router looks every two seconds, and sends all requests in between to one replica.",
        Draw::Queues { seconds: [34.0, 64.0], caption: "waiting on eight replicas" },
    ),
    (
        "regret-and-tail",
        &["routing", "KV cache"],
        "Two popular documents bury the replicas that have them; by *40 s* half of all wait for over a second.",
        Draw::Queues { seconds: [0.0, 60.0], caption: "waiting on six replicas" },
    ),
    (
        "router-showdown",
        &["routing"],
        "Up to *50 s* bursts meet long answers on the next replica in turn; over the run the median hardly notices.",
        Draw::Dots { of: "ttft_us", client: "", seconds: [40.0, 60.0], caption: "TTFT of each request" },
    ),
    (
        "kv-pressure",
        &["KV cache"],
        "The cache is full again and again; at *60 s* requests lose their blocks and compute them twice.",
        Draw::Blocks { replica: 0, seconds: [40.0, 90.0], caption: "KV blocks in use" },
    ),
    (
        "cache-livelock",
        &["KV cache", "scheduling"],
        "At *40 s* a prompt comes that fills the cache; it preempts itself again and again, nothing else finishes.",
        Draw::Rates {
            seconds: [20.0, 80.0],
            caption: "per second",
            lines: &[("completed", false), ("preempted", true)],
        },
    ),
    (
        "chunked-prefill",
        &["scheduling"],
        "Every long prompt stalls all running answers for half a second, until *60 s*, when it is cut into chunks.",
        Draw::Steps { windows: [57.8, 63.8], length_s: 1.6, caption: "steps, prompt whole and cut" },
    ),
    (
        "long-prompt",
        &["scheduling"],
        "At *31 s* a prompt of 98,304 tokens arrives; see which requests wait behind it, and how long.",
        Draw::Lives {
            from: 188,
            every: 11,
            count: 8,
            seconds: [30.5, 46.0],
            caption: "one book, seven chats behind it",
        },
    ),
    (
        "clients-give-up",
        &["overload"],
        "The spike begins at *60 s*; most that are still served have waited nine seconds.",
        Draw::Rates {
            seconds: [40.0, 120.0],
            caption: "requests per second",
            lines: &[("arrived", true), ("in time", false)],
        },
    ),
    (
        "tenant-quotas",
        &["overload"],
        "From *50 s* one tenant asks for six times as much; the quota keeps the trouble to that tenant.",
        Draw::Admitted { seconds: [50.0, 120.0], caption: "admitted and refused" },
    ),
    (
        "priority-inversion",
        &["scheduling", "KV cache"],
        "At *60 s* alarms go first, and still wait: jobs that run keep their blocks.",
        Draw::Dots { of: "ttft_us", client: "alarms", seconds: [20.0, 110.0], caption: "TTFT of each alarm" },
    ),
    (
        "mixed-fleet",
        &["hardware", "routing"],
        "Two H100s and three A100s share the chats: at *30 s* see how many each gets, and what each costs.",
        Draw::Pools {
            of: "tpot_us",
            seconds: [20.0, 100.0],
            names: ["h100", "a100"],
            caption: "% of chats by TPOT",
        },
    ),
    (
        "one-wide-eight-narrow",
        &["hardware"],
        "At *30 s* eight GPUs become one replica: half the time per token, until traffic rises at 60 s.",
        Draw::Dots { of: "tpot_us", client: "", seconds: [10.0, 120.0], caption: "TPOT of each request" },
    ),
    (
        "long-chats",
        &["KV cache", "routing"],
        "Every round sends the whole chat again; after *60 s* see what round robin computes twice.",
        Draw::Against {
            path: "cluster.routing",
            value: "{\"prefix-overlap\":{}}",
            names: ["in turn", "by prefix"],
            seconds: [60.0, 160.0],
            caption: "% of requests by TTFT",
        },
    ),
    (
        "azure-twin",
        &["traffic"],
        "At *55 s* a burst of code completions arrives; most of them miss, most conversations do not.",
        Draw::Arrivals {
            clients: ["conversation", "code"],
            seconds: [0.0, 240.0],
            caption: "arrivals per second",
        },
    ),
    (
        "mooncake-twin",
        &["traffic", "KV cache"],
        "Long prompts that begin alike: at *30 s* see how few come from the cache, and change the router.",
        Draw::Against {
            path: "cluster.routing",
            value: "{\"prefix-overlap\":{}}",
            names: ["by load", "by prefix"],
            seconds: [20.0, 120.0],
            caption: "% of requests by TTFT",
        },
    ),
    (
        "fleet-256",
        &["routing"],
        "At *30 s* the router draws two replicas instead of one, and the queues on 256 of them even out.",
        Draw::Grids { at_s: [29.0, 36.0], caption: "waiting on 256 replicas" },
    ),
    (
        "spike-cold-starts",
        &["autoscaling", "overload"],
        "The spike begins at *90 s*; the first new replica serves 80 s later, and half of all requests miss.",
        Draw::Rates {
            seconds: [60.0, 300.0],
            caption: "requests per second",
            lines: &[("arrived", true), ("in time", false)],
        },
    ),
    (
        "day-in-ten-minutes",
        &["autoscaling"],
        "From *150 s* the morning outruns the autoscaler for a minute; over the day it saves a quarter of the replicas.",
        Draw::Rates {
            seconds: [0.0, 600.0],
            caption: "requests per second",
            lines: &[("arrived", true), ("in time", false)],
        },
    ),
    (
        "flapping-threshold",
        &["autoscaling"],
        "Thresholds too near to each other: from *15 s* on the autoscaler starts and stops a replica ten times each.",
        Draw::Rates {
            seconds: [0.0, 240.0],
            caption: "requests per second",
            lines: &[("arrived", true), ("in time", false)],
        },
    ),
    (
        "hpa-swallows-a-change",
        &["autoscaling", "overload"],
        "At *120 s* 8 % more requests come, which is within the tolerance: the queue grows and nothing is started.",
        Draw::Dots { of: "ttft_us", client: "", seconds: [60.0, 300.0], caption: "TTFT of each request" },
    ),
    (
        "scale-to-zero",
        &["autoscaling"],
        "At *600 s* requests find no replica: they are held until one has started.",
        Draw::Dots { of: "ttft_us", client: "", seconds: [590.0, 720.0], caption: "TTFT of each request" },
    ),
    (
        "two-variants",
        &["autoscaling", "hardware"],
        "The cheap GPUs grow first: at *180 s* their last one is asked for, 30 s later the first fast one.",
        Draw::Pools {
            of: "ttft_us",
            seconds: [200.0, 560.0],
            names: ["l40s", "h100"],
            caption: "% of requests by TTFT",
        },
    ),
    (
        "filter-locked-out",
        &["autoscaling", "overload"],
        "At *180 s* the autoscaler's filter has rejected nearly all updates; it never asks for a third replica.",
        Draw::Rates {
            seconds: [60.0, 480.0],
            caption: "requests per second",
            lines: &[("arrived", true), ("in time", false)],
        },
    ),
    (
        "filter-mended",
        &["autoscaling"],
        "At *195 s* the filter, which has learnt what a step costs, asks for the first of four more replicas.",
        Draw::Rates {
            seconds: [60.0, 480.0],
            caption: "requests per second",
            lines: &[("arrived", true), ("in time", false)],
        },
    ),
    (
        "sticky-until-saturated",
        &["routing", "KV cache"],
        "At *60 s* llm-d's router takes over from round robin: prompts go where their beginning is in the cache.",
        Draw::Dots { of: "ttft_us", client: "", seconds: [20.0, 150.0], caption: "TTFT of each request" },
    ),
    (
        "queue-at-the-gateway",
        &["gateway", "priorities"],
        "At *60 s* requests begin to wait at the gateway, critical ones first, and not in the engines.",
        Draw::Dots {
            of: "ttft_us",
            client: "chat",
            seconds: [20.0, 150.0],
            caption: "TTFT of critical chats",
        },
    ),
    (
        "scrape-overshoot",
        &["gateway", "old signals"],
        "From *60 s* on the detector looks every half second, and crowds leave the gateway between two looks.",
        Draw::Queues { seconds: [55.0, 70.0], caption: "requests waiting on each replica" },
    ),
    (
        "prompts-among-decodes",
        &["prefill and decode"],
        "At *60 s* prefill and decode are split: no gap between the tokens of a chat contains a prompt any more.",
        Draw::Dots { of: "tpot_us", client: "chat", seconds: [20.0, 110.0], caption: "TPOT of each chat" },
    ),
    (
        "ratio-of-the-day",
        &["prefill and decode"],
        "At *80 s* prompts wait for ten seconds; in the evening the same ratio is right.",
        Draw::Dots { of: "ttft_us", client: "", seconds: [0.0, 220.0], caption: "TTFT of each request" },
    ),
    (
        "thin-link",
        &["prefill and decode"],
        "At *40 s* dozens of transfers share ports of 10 Gbit/s, and first tokens come after seconds.",
        Draw::Dots { of: "ttft_us", client: "chat", seconds: [0.0, 100.0], caption: "TTFT of each chat" },
    ),
    (
        "thin-link-threshold",
        &["prefill and decode"],
        "From *40 s* decode replicas compute short prompts themselves; only documents use the thin link.",
        Draw::Dots { of: "ttft_us", client: "chat", seconds: [0.0, 100.0], caption: "TTFT of each chat" },
    ),
    (
        "llm-d-prefill-decode",
        &["prefill and decode"],
        "At *60 s* 8 prefill and 2 decode replicas take over from 16 mixed ones, as in llm-d's guide.",
        Draw::Dots { of: "tpot_us", client: "", seconds: [20.0, 110.0], caption: "TPOT of each request" },
    ),
    (
        "wide-expert-parallelism",
        &["prefill and decode", "KV cache"],
        "At *71 s* a long prompt of one rank holds up seven others; sixteen ranks decode in step with drafts.",
        Draw::Dots { of: "ttft_us", client: "", seconds: [20.0, 140.0], caption: "TTFT of each request" },
    ),
    (
        "crash-cold-cache",
        &["faults", "routing", "KV cache"],
        "At *80 s* a replica crashes with its cache; it is back at 120 s, and the router sends it nothing.",
        Draw::Dots { of: "tpot_us", client: "", seconds: [60.0, 210.0], caption: "TPOT of each request" },
    ),
    (
        "slow-node-five-routers",
        &["faults", "routing"],
        "At *20 s* one of four nodes is four times as slow; four other routers face the same later.",
        Draw::Dots { of: "ttft_us", client: "", seconds: [10.0, 380.0], caption: "TTFT of each request" },
    ),
    (
        "retry-storm",
        &["faults", "overload"],
        "At *60 s* a replica crashes for a minute; the retries that it causes go on until a budget ends them.",
        Draw::Rates {
            seconds: [40.0, 260.0],
            caption: "requests per second",
            lines: &[("arrived", true), ("in time", false)],
        },
    ),
    (
        "partition-stale-signals",
        &["faults", "routing", "old signals"],
        "At *60 s* a replica is out of reach and looks as if it had room; at 150 s the same, and it is ejected.",
        Draw::Dots { of: "ttft_us", client: "", seconds: [40.0, 200.0], caption: "TTFT of each request" },
    ),
    (
        "rolling-restart",
        &["faults", "KV cache"],
        "At *60 s* an upgrade begins: one replica after the other drains and comes back with an empty cache.",
        Draw::Dots { of: "ttft_us", client: "", seconds: [40.0, 280.0], caption: "TTFT of each request" },
    ),
    (
        "the-pause",
        &["KV cache", "traffic"],
        "Contexts of agents wait in CPU memory; after *70 s* see what fetching them in time would save.",
        Draw::Against {
            path: "workload.clients[0].session_kv",
            value: "{\"prefetch\":{\"when\":\"known\",\"lead_s\":2}}",
            names: ["as they come", "ahead"],
            seconds: [60.0, 160.0],
            caption: "% of requests by TTFT",
        },
    ),
    (
        "more-cache-lower-hit-rate",
        &["KV cache"],
        "Blocks wait in CPU memory for a slow disk; from *90 s* a replica with it finds less than one without.",
        Draw::Against {
            path: "cluster.pools[0].kv.secondary_tiers",
            value: "[]",
            names: ["with a disk", "without"],
            seconds: [60.0, 180.0],
            caption: "% of requests by TTFT",
        },
    ),
    (
        "eight-small-caches-or-one-store",
        &["KV cache", "routing"],
        "Eight replicas read one store; after *40 s* take it away and give each its share as CPU memory.",
        Draw::Against {
            path: "cluster.pools[0].kv",
            value: "{\"blocks\":1500,\"cpu_blocks\":2000,\"secondary_tiers\":[]}",
            names: ["one store", "eight caches"],
            seconds: [30.0, 90.0],
            caption: "% of requests by TTFT",
        },
    ),
    (
        "pull-or-compute",
        &["KV cache", "routing"],
        "After *50 s* books come from other replicas, notes are computed; set the lead to 1, and notes wait longer.",
        Draw::Against {
            path: "cluster.kv_source.min_cached_token_delta",
            value: "1",
            names: ["books pulled", "all pulled"],
            seconds: [40.0, 120.0],
            caption: "% of requests by TTFT",
        },
    ),
    (
        "one-latent-eight-gpus",
        &["hardware", "KV cache"],
        "From *110 s* the cache of DeepSeek-R1 on eight GPUs is full; as eight ranks they have five times the room.",
        Draw::Dots { of: "ttft_us", client: "", seconds: [60.0, 200.0], caption: "TTFT of each request" },
    ),
    (
        "divided-cache",
        &["hardware", "KV cache"],
        "From *160 s* contexts are evicted between turns; divide the cache among the GPUs, and all of them stay.",
        Draw::Against {
            path: "cluster.pools[0].dcp.size",
            value: "8",
            names: ["whole on each GPU", "an eighth on each"],
            seconds: [150.0, 300.0],
            caption: "% of requests by TTFT",
        },
    ),
    (
        "drafts-by-load",
        &["hardware", "overload"],
        "At *60 s* 240 more requests are in flight, and drafts gain 1.5 times where they gained 1.9 times.",
        Draw::Dots { of: "e2e_us", client: "", seconds: [20.0, 120.0], caption: "E2E of each request" },
    ),
    (
        "gpt-oss-agents",
        &["routing", "KV cache"],
        "At *180 s* sessions are bound to the replicas that have their contexts, and first tokens come twice as soon.",
        Draw::Dots { of: "ttft_us", client: "", seconds: [120.0, 260.0], caption: "TTFT of each request" },
    ),
];

/// All cards.
pub(crate) fn cards() -> Result<Vec<Card>, Diagnostics> {
    let card = |&(name, tags, look, picture): &Entry| {
        let preset = Preset::named(name).expect("a card is of a preset");
        let scenario = preset.scenario();
        let picture = draw(&scenario, picture)?;
        let pools = pool_evidence(&scenario, None);
        let of_pool = weakest(&pools).expect("a preset has a pool");
        let (class, evidence) = (of_pool.class, of_pool.chip.clone());
        Ok(Card {
            name,
            title: scenario.title,
            look,
            tags,
            opens_s: preset.opens_s,
            picture,
            class,
            evidence,
        })
    };
    CARDS.iter().map(card).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::preset::PRESETS;

    #[test]
    fn every_preset_has_one_card_that_opens_before_the_instant_it_names() {
        let mut names: Vec<&str> = CARDS.iter().map(|card| card.0).collect();
        let mut presets: Vec<&str> = PRESETS.iter().map(|p| p.name).collect();
        names.sort_unstable();
        presets.sort_unstable();
        assert_eq!(names, presets);
        for (name, tags, look, _) in CARDS {
            let at_s: u32 = look
                .split('*')
                .nth(1)
                .and_then(|instant| instant.strip_suffix(" s")?.parse().ok())
                .unwrap_or_else(|| panic!("{name} names an instant: {look}"));
            let opens_s = Preset::named(name).expect("a preset").opens_s;
            assert!(opens_s < at_s && at_s <= opens_s + 32, "{name} opens at {opens_s} s for {at_s} s");
            assert!(!tags.is_empty() && look.len() <= 110, "{name}: {} letters", look.len());
        }
    }
}
