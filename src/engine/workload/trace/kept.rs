//! Columns that a replay passes on or shows: tenant, SLO class and priority of each row, and its id.

use super::ids::RequestIds;
use super::interned::{Interned, InternedColumn};
use super::row::{Bad, Row};
use super::select::picked;
use super::select::reordered;
use base::Diagnostic;
use base::digest::Digest;
use document::{SloClass, limits};
use serde::{Deserialize, Serialize};

/// Families of numbers in a digest.
const TENANT: u64 = 1 << 40;
const CLASS: u64 = 2 << 40;
const PRIORITY: u64 = 3 << 40;

/// The kept columns of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) tenants: Interned,
    /// By row: 0 for none, otherwise the rank of its class plus 1. Empty while no row has one.
    classes: Vec<u8>,
    /// By row. Empty while no row has one other than 0.
    priorities: Vec<i32>,
    pub(super) ids: RequestIds,
}

/// The kept columns while the trace is read.
#[derive(Debug)]
pub(super) struct KeptColumns {
    kept: Kept,
    tenants: InternedColumn,
    unknown: UnknownClasses,
}

/// Names of classes that are none.
#[derive(Debug, Default)]
struct UnknownClasses {
    rows: u64,
    first: String,
}

/// What a row adds, once it is known to be good.
pub(super) struct KeptParts {
    tenant: u32,
    class: u8,
    priority: i32,
}

impl Kept {
    /// The number of the SLO class of a row: 0 for none, otherwise its rank plus 1.
    pub(super) fn class(&self, row: usize) -> u32 {
        self.classes.get(row).copied().unwrap_or(0).into()
    }

    pub(super) fn priority(&self, row: usize) -> i32 {
        self.priorities.get(row).copied().unwrap_or(0)
    }

    /// The columns of some rows.
    pub(super) fn picked(&self, rows: &[u32]) -> Self {
        Self {
            tenants: self.tenants.picked(rows),
            classes: picked(&self.classes, rows),
            priorities: picked(&self.priorities, rows),
            ids: self.ids.reordered(rows),
        }
    }

    /// Whether the columns fit a trace of `rows` rows.
    pub(super) fn is_whole(&self, rows: usize) -> bool {
        let whole = |len: usize| len == 0 || len == rows;
        self.tenants.is_whole(rows)
            && whole(self.classes.len())
            && whole(self.priorities.len())
            && self.classes.iter().all(|&class| usize::from(class) <= SloClass::ALL.len())
            && self.ids.is_whole(rows)
    }

    /// Adds what decides about a replay; ids do not.
    pub(super) fn digest_row(&self, row: usize, digest: &mut Digest) {
        let mut add = |family: u64, number: u32| {
            if number > 0 {
                digest.u64(family | u64::from(number));
            }
        };
        add(TENANT, self.tenants.of(row));
        add(CLASS, self.class(row));
        add(PRIORITY, self.priority(row).cast_unsigned());
    }
}

impl Default for KeptColumns {
    fn default() -> Self {
        Self {
            kept: Kept::default(),
            tenants: InternedColumn::of_at_most(limits::TRACE_TENANTS),
            unknown: UnknownClasses::default(),
        }
    }
}

impl KeptColumns {
    /// What `row` adds, or what is wrong with it.
    pub(super) fn parts(&mut self, row: &Row<'_>) -> Result<KeptParts, Bad> {
        let tenant = self.tenants.number_of(&row.tenant).ok_or_else(|| {
            let allowed = "at most 1,024 different tenants";
            Bad::new("a 1,025th tenant", allowed, "leave the column out, or merge tenants")
        })?;
        let priority = match row.priority {
            None => 0,
            Some(x) if x.fract().abs() <= 0.0 && x.abs() <= f64::from(i32::MAX) => x as i32,
            Some(x) => {
                let fix = "leave the column out, or correct the line";
                return Err(Bad::new(format!("priority {x}"), "a whole number of 32 bits", fix));
            }
        };
        Ok(KeptParts { tenant, class: self.class_of(&row.class), priority })
    }

    /// Adds the parts of row number `row`.
    pub(super) fn push(&mut self, row: usize, parts: &KeptParts, id: &str) {
        self.tenants.push(row, parts.tenant);
        let Kept { classes, priorities, ids, .. } = &mut self.kept;
        if parts.class > 0 || !classes.is_empty() {
            classes.resize(row, 0);
            classes.push(parts.class);
        }
        if parts.priority != 0 || !priorities.is_empty() {
            priorities.resize(row, 0);
            priorities.push(parts.priority);
        }
        ids.push(row, id);
    }

    /// A warning about classes that are none.
    pub(super) fn warning(&self, file_name: &str) -> Option<Diagnostic> {
        let UnknownClasses { rows, first } = &self.unknown;
        let requests = if *rows == 1 { "1 request".to_owned() } else { format!("{rows} requests") };
        let found = format!("{requests} of an unknown SLO class, the first of {first:?}");
        let allowed = SloClass::ALL.map(SloClass::name).join(", ");
        (*rows > 0).then(|| Diagnostic::warning(file_name, found, allowed, "they count as standard"))
    }

    /// The columns of `rows` rows, in the order of `order` (without it, in the order of the file).
    pub(super) fn finish(self, rows: usize, order: Option<&[u32]>) -> Kept {
        let mut kept = self.kept;
        kept.tenants = self.tenants.finish(rows, order);
        if let Some(order) = order {
            kept.classes = reordered(&kept.classes, order);
            kept.priorities = reordered(&kept.priorities, order);
            kept.ids = kept.ids.reordered(order);
        }
        kept
    }

    fn class_of(&mut self, name: &str) -> u8 {
        if name.is_empty() {
            return 0;
        }
        let is = |class: &&SloClass| class.name().eq_ignore_ascii_case(name);
        let known = SloClass::ALL.iter().find(is);
        if known.is_none() {
            if self.unknown.rows == 0 {
                self.unknown.first = name.chars().take(40).collect();
            }
            self.unknown.rows += 1;
        }
        known.copied().unwrap_or_default().rank() as u8 + 1
    }
}
