//! Sizes of KV caches that a capacity is searched for: which cache, and how much of it.

use base::{Diagnostic, Diagnostics};
use document::{KvBlocks, Scenario, SecondaryTier, TimedEdit, limits};
use serde::Serialize;
use std::fmt;

/// Which cache varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheKind {
    /// Blocks on the GPUs of each replica, in all pools.
    Gpu,
    /// Blocks in the CPU memory of each replica, in all pools.
    Cpu,
    /// GB of each replica's disk, in all pools with a tier `fs`.
    Disk,
    /// GB of each server of all stores.
    Store,
}

impl CacheKind {
    /// Its name in arguments and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gpu => "gpu",
            Self::Cpu => "cpu",
            Self::Disk => "disk",
            Self::Store => "store",
        }
    }

    /// What its sizes count.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Gpu | Self::Cpu => "blocks",
            Self::Disk | Self::Store => "GB",
        }
    }

    /// The last key of its sizes in documents, or the list that they are in.
    fn key(self) -> &'static str {
        match self {
            Self::Gpu => "blocks",
            Self::Cpu => "cpu_blocks",
            Self::Disk => "secondary_tiers",
            Self::Store => "kv_stores",
        }
    }

    /// Whether a number can be a size.
    fn takes(self, x: f64) -> bool {
        let (least, most) = match self {
            Self::Gpu => (1.0, f64::from(limits::KV_BLOCKS)),
            Self::Cpu => (0.0, f64::from(limits::KV_BLOCKS)),
            Self::Disk | Self::Store => (0.0, limits::TIER_GB),
        };
        let is_whole = matches!(self, Self::Disk | Self::Store) || libm::floor(x) >= x;
        (least..=most).contains(&x) && is_whole
    }

    fn allowed(self) -> String {
        match self {
            Self::Gpu => {
                format!("whole numbers of blocks from 1 to {}, or factors such as x2", limits::KV_BLOCKS)
            }
            Self::Cpu => {
                format!("whole numbers of blocks from 0 to {}, or factors such as x2", limits::KV_BLOCKS)
            }
            Self::Disk | Self::Store => {
                format!("GB from 0, which means no end, to {}, or factors such as x2", limits::TIER_GB)
            }
        }
    }
}

/// A size of a cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CacheSize {
    /// In blocks or GB.
    Is(f64),
    /// A factor on the scenario's.
    Times(f64),
}

impl fmt::Display for CacheSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Is(x) => write!(f, "{x}"),
            Self::Times(x) => write!(f, "x{x}"),
        }
    }
}

/// A cache and the sizes to try.
#[derive(Clone, Debug, PartialEq)]
pub struct CacheSizes {
    /// Which cache.
    pub kind: CacheKind,
    /// Its sizes, in the order given.
    pub sizes: Vec<CacheSize>,
}

impl CacheSizes {
    /// Reads `cpu=0,2000,8000` or `gpu=x0.5,x1,x2`.
    pub fn parse(text: &str) -> Result<Self, Diagnostic> {
        let shown: String = text.chars().take(60).collect();
        let fix = "such as --vary-cache cpu=0,2000,8000 or --vary-cache gpu=x0.5,x1,x2";
        let wrong = |allowed: String| Diagnostic::error("", shown.clone(), allowed, fix);
        let (name, list) = text.split_once('=').unwrap_or((text, ""));
        let kinds = [CacheKind::Gpu, CacheKind::Cpu, CacheKind::Disk, CacheKind::Store];
        let Some(kind) = kinds.into_iter().find(|kind| kind.name() == name.trim()) else {
            return Err(wrong("gpu, cpu, disk or store, = and sizes".to_owned()));
        };
        let parts = list.split(',').map(str::trim).filter(|part| !part.is_empty());
        let mut sizes = Vec::new();
        for part in parts {
            let size = read(kind, part).ok_or_else(|| {
                let found: String = part.chars().take(40).collect();
                Diagnostic::error(kind.name(), found, kind.allowed(), fix)
            })?;
            if sizes.contains(&size) {
                let fix = format!("remove one of the two {size}");
                return Err(Diagnostic::error(kind.name(), shown, "each size once", fix));
            }
            sizes.push(size);
        }
        if sizes.is_empty() || sizes.len() > limits::VARIED_VALUES {
            return Err(wrong(format!("1 to {} sizes", limits::VARIED_VALUES)));
        }
        Ok(Self { kind, sizes })
    }

    /// The scenario with a size. All problems are reported at once.
    pub(super) fn with(
        &self,
        scenario: &Scenario,
        size: CacheSize,
    ) -> Result<(CacheCase, Scenario), Diagnostics> {
        let (mut made, mut sizes, mut problems) = (scenario.clone(), Vec::new(), Diagnostics::new());
        for place in places(self.kind, &mut made) {
            match place.set(self.kind, size) {
                Ok(found) => sizes.push(found),
                Err(problem) => problems.push(problem),
            }
        }
        let is_of_it = |edit: &&TimedEdit| !edit.off && changes(edit, self.kind.key());
        if let Some(i) = scenario.edits.iter().position(|edit| is_of_it(&edit)) {
            let fix = format!("leave the edit out: {} is varied", self.kind.key());
            problems.push(Diagnostic::error(
                format!("edits[{i}]"),
                "an edit of this cache",
                "edits of other things",
                fix,
            ));
        }
        if sizes.is_empty() && problems.is_empty() {
            problems.push(self.nowhere());
        }
        let case =
            CacheCase { cache: self.kind.name(), size: size.to_string(), unit: self.kind.unit(), sizes };
        if problems.is_empty() { Ok((case, made)) } else { Err(problems) }
    }

    /// There is no such cache.
    fn nowhere(&self) -> Diagnostic {
        match self.kind {
            CacheKind::Store => {
                let fix = "add one, and name it in kv.secondary_tiers of pools";
                Diagnostic::error("cluster.kv_stores", "no store", "a store at least", fix)
            }
            CacheKind::Gpu | CacheKind::Cpu | CacheKind::Disk => {
                let fix = "add a tier fs to kv.secondary_tiers of a pool";
                Diagnostic::error("cluster.pools", "no disk", "a tier fs in a pool at least", fix)
            }
        }
    }
}

fn read(kind: CacheKind, text: &str) -> Option<CacheSize> {
    if let Some(factor) = text.strip_prefix('x') {
        let factor: f64 = factor.parse().ok()?;
        return (factor > 0.0 && factor <= limits::RATE_FACTOR).then_some(CacheSize::Times(factor));
    }
    text.parse().ok().filter(|x| kind.takes(*x)).map(CacheSize::Is)
}

/// Whether an edit sets a key, alone or within what it sets.
fn changes(edit: &TimedEdit, key: &str) -> bool {
    let mut all = edit.set.iter().chain(&edit.add);
    all.any(|(path, value)| {
        let in_path = path.split(['.', '[']).any(|step| step == key);
        in_path || base::json::compact(value).contains(&format!("\"{key}\""))
    })
}

/// Where a size stands.
enum Place<'a> {
    Blocks(String, &'a mut KvBlocks),
    CpuBlocks(String, &'a mut u32),
    Gb(String, &'a mut f64),
}

fn places(kind: CacheKind, scenario: &mut Scenario) -> Vec<Place<'_>> {
    let cluster = &mut scenario.cluster;
    let path = |i: usize, key: &str| format!("cluster.pools[{i}].kv.{key}");
    let pools = cluster.pools.iter_mut().enumerate();
    match kind {
        CacheKind::Gpu => pools.map(|(i, p)| Place::Blocks(path(i, "blocks"), &mut p.kv.blocks)).collect(),
        CacheKind::Cpu => {
            pools.map(|(i, p)| Place::CpuBlocks(path(i, "cpu_blocks"), &mut p.kv.cpu_blocks)).collect()
        }
        CacheKind::Disk => {
            let mut all = Vec::new();
            for (i, pool) in pools {
                for (k, tier) in pool.kv.secondary_tiers.iter_mut().enumerate() {
                    if let SecondaryTier::Fs(fs) = tier {
                        all.push(Place::Gb(path(i, &format!("secondary_tiers[{k}].fs.gb")), &mut fs.gb));
                    }
                }
            }
            all
        }
        CacheKind::Store => {
            let stores = cluster.kv_stores.iter_mut().enumerate();
            stores.map(|(i, store)| Place::Gb(format!("cluster.kv_stores[{i}].gb"), &mut store.gb)).collect()
        }
    }
}

impl Place<'_> {
    /// Sets the size; what it is then.
    fn set(self, kind: CacheKind, size: CacheSize) -> Result<f64, Diagnostic> {
        let (path, before) = match &self {
            Self::Blocks(path, KvBlocks::Auto) => (path.clone(), None),
            Self::Blocks(path, KvBlocks::Count(n)) => (path.clone(), Some(f64::from(*n))),
            Self::CpuBlocks(path, n) => (path.clone(), Some(f64::from(**n))),
            Self::Gb(path, gb) => (path.clone(), Some(**gb)),
        };
        let x = match (size, before) {
            (CacheSize::Is(x), _) => x,
            (CacheSize::Times(_), None) => {
                let fix = "give sizes such as gpu=1000,2000, or set the blocks of the scenario";
                return Err(Diagnostic::error(
                    path,
                    format!("{size} of auto"),
                    "a number of blocks for factors",
                    fix,
                ));
            }
            (CacheSize::Times(_), Some(x)) if x <= 0.0 => {
                let fix = "give sizes in place of factors";
                return Err(Diagnostic::error(
                    path,
                    format!("{size} of 0"),
                    "a size above 0 for factors",
                    fix,
                ));
            }
            (CacheSize::Times(factor), Some(x)) => match kind {
                CacheKind::Gpu | CacheKind::Cpu => libm::floor(x * factor + 0.5).max(1.0),
                CacheKind::Disk | CacheKind::Store => x * factor,
            },
        };
        if !kind.takes(x) {
            return Err(Diagnostic::error(
                path,
                format!("{x} by {size}"),
                kind.allowed(),
                "give a smaller factor",
            ));
        }
        match self {
            Self::Blocks(_, place) => *place = KvBlocks::Count(x as u32),
            Self::CpuBlocks(_, place) => *place = x as u32,
            Self::Gb(_, place) => *place = x,
        }
        Ok(x)
    }
}

/// A size of a cache, in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CacheCase {
    /// Which cache: gpu, cpu, disk or store.
    pub cache: &'static str,
    /// The size as given: a number, or a factor such as x2.
    pub size: String,
    /// What sizes count: blocks or GB.
    pub unit: &'static str,
    /// The size of each pool's cache, of each disk, or of each server of each store, in order of the scenario.
    pub sizes: Vec<f64>,
}

impl CacheCase {
    /// All sizes together; a disk or store of 0 GB has no end.
    pub(super) fn total(&self) -> f64 {
        let is_endless = self.unit == CacheKind::Store.unit() && self.sizes.contains(&0.0);
        if is_endless { f64::INFINITY } else { self.sizes.iter().sum() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::parse;

    fn scenario() -> Scenario {
        parse(
            r#"{"cluster": {"kv_stores": [{"name": "all", "gb": 8}],
              "pools": [{"name": "a", "kv": {"blocks": 100, "cpu_blocks": 40, "secondary_tiers": [{"fs": {"gb": 2}}, {"store": {"name": "all"}}]}},
                        {"name": "b", "kv": {"blocks": 30}}]}}"#,
        )
        .expect("it reads")
    }

    fn sizes(text: &str) -> Vec<(Vec<f64>, f64)> {
        let all = CacheSizes::parse(text).expect("they read");
        let of = |size: &CacheSize| all.with(&scenario(), *size).expect("it fits").0;
        all.sizes.iter().map(of).map(|case| (case.sizes.clone(), case.total())).collect()
    }

    #[test]
    fn a_size_holds_for_every_pool_disk_or_store() {
        assert_eq!(sizes("gpu=70, x0.5"), [(vec![70.0, 70.0], 140.0), (vec![50.0, 15.0], 65.0)]);
        assert_eq!(sizes("cpu=0,9"), [(vec![0.0, 0.0], 0.0), (vec![9.0, 9.0], 18.0)]);
        assert_eq!(sizes("disk=0.5,x2,0"), [(vec![0.5], 0.5), (vec![4.0], 4.0), (vec![0.0], f64::INFINITY)]);
        assert_eq!(sizes("store=x0.25"), [(vec![2.0], 2.0)]);
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_its_place() {
        for text in [
            "", "cpu", "cpu=", "ram=1", "cpu=-1", "cpu=1.5", "gpu=0", "gpu=x0", "store=x", "cpu=1,1",
            "gpu=inf",
        ] {
            assert!(CacheSizes::parse(text).is_err(), "{text}");
        }
        let refused = |text: &str, change: &dyn Fn(&mut Scenario)| {
            let mut s = scenario();
            change(&mut s);
            let all = CacheSizes::parse(text).expect("it reads");
            let found = all.with(&s, all.sizes[0]).expect_err("it is refused");
            found.into_iter().map(|d| d.path).collect::<Vec<_>>()
        };
        assert_eq!(
            refused("gpu=x2", &|s| s.cluster.pools[1].kv.blocks = KvBlocks::Auto),
            ["cluster.pools[1].kv.blocks"]
        );
        assert_eq!(refused("cpu=x2", &|_| ()), ["cluster.pools[1].kv.cpu_blocks"]);
        assert_eq!(
            refused("gpu=x100", &|s| {
                for pool in &mut s.cluster.pools {
                    pool.kv.blocks = KvBlocks::Count(100_000);
                }
            }),
            ["cluster.pools[0].kv.blocks", "cluster.pools[1].kv.blocks"]
        );
        assert_eq!(refused("store=1", &|s| s.cluster.kv_stores.clear()), ["cluster.kv_stores"]);
        assert_eq!(refused("disk=1", &|s| s.cluster.pools[0].kv.secondary_tiers.clear()), ["cluster.pools"]);
        let edit = |s: &mut Scenario| {
            s.edits = vec![TimedEdit::new(1, document::Change::set("cluster.pools[0].kv.cpu_blocks", 5))];
        };
        assert_eq!(refused("cpu=1", &edit), ["edits[0]"]);
    }
}
