//! Blocks counted one by one, and the columns of a page of them.

use super::{BlockPage, PAGE};
use base::Micros;
use engine::kv::{BlockPool, CellState};
use engine::{HeldBlocks, HeldFor};
use std::ops::Range;

/// All blocks of a cache, counted one by one.
#[derive(Debug)]
pub(super) struct Counted {
    /// Held by one, held by more, cached, empty.
    pub(super) all: [u32; 4],
    pub(super) strip: Vec<[u32; 4]>,
}

impl Counted {
    /// All blocks, in `columns` columns.
    pub(super) fn of(kv: &BlockPool, columns: u32) -> Self {
        let n = kv.numbers();
        let columns = columns.min(n);
        let mut counted = Self { all: [0; 4], strip: vec![[0; 4]; columns as usize] };
        let mut retired = kv.retired().to_vec();
        base::small::sort::sort_by_key(&mut retired, |&b| b.into());
        let mut gone = retired.into_iter().peekable();
        for b in 0..n {
            if gone.next_if(|&first| first == b).is_some() {
                continue;
            }
            let kind = match kv.cell(b) {
                CellState::Used => 0,
                CellState::Shared => 1,
                CellState::Cached => 2,
                CellState::Free => 3,
            };
            counted.all[kind] += 1;
            let column = u64::from(b) * u64::from(columns) / u64::from(n);
            if let Some(column) = counted.strip.get_mut(column as usize) {
                column[kind] += 1;
            }
        }
        counted
    }

    /// Whether they are as many as the cache has, and as many of each kind as it says.
    pub(super) fn is_conserved(&self, kv: &BlockPool) -> bool {
        let [own, shared, cached, free] = self.all;
        own + shared + cached + free == kv.total()
            && (own + shared, shared, cached) == (kv.used(), kv.shared(), kv.cached())
            && cached + free == kv.free()
    }
}

/// What is known of the order in which blocks go.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Order {
    /// The next block to be evicted.
    pub(super) next: Option<u32>,
}

/// The blocks of a page; their groups and runs are added elsewhere.
pub(super) fn page_of(
    kv: &BlockPool,
    held: &[HeldBlocks<'_>],
    numbers: Range<u32>,
    now: Micros,
) -> (BlockPage, Order) {
    let len = numbers.len();
    let mut page = BlockPage {
        first: numbers.start,
        states: String::new(),
        owner: vec![-1; len],
        refs: numbers.clone().map(|b| kv.sight(b).holders).collect(),
        group: vec![-1; len],
        node: vec![-1; len],
        idle_ms: page_idle(kv, &numbers),
        order: vec![-1; len],
        counts: [0; 3],
    };
    let mut letters = letters_of(kv, &numbers, &mut page.counts);
    for one in held {
        let letter = match one.why {
            HeldFor::Itself => None,
            HeldFor::HandOver => Some('h'),
            HeldFor::Arrival => Some('r'),
        };
        for &b in one.blocks.iter().filter(|b| numbers.contains(b)) {
            let at = (b - numbers.start) as usize;
            if page.owner[at] < 0 {
                page.owner[at] = one.request.0.into();
            }
            if let (Some(letter), 'u') = (letter, letters[at]) {
                letters[at] = letter;
            }
        }
    }
    page.states = letters.into_iter().collect();
    let next = fill_order(kv, &numbers, now, &mut page);
    (page, Order { next })
}

/// 0 for blocks that are held, -1 for all others.
fn page_idle(kv: &BlockPool, numbers: &Range<u32>) -> Vec<i64> {
    numbers.clone().map(|b| if kv.sight(b).holders > 0 { 0 } else { -1 }).collect()
}

fn letters_of(kv: &BlockPool, numbers: &Range<u32>, counts: &mut [u32; 3]) -> Vec<char> {
    let mut letters: Vec<char> = Vec::with_capacity(numbers.len());
    for b in numbers.clone() {
        let (letter, kind) = match kv.cell(b) {
            CellState::Used => ('u', 0),
            CellState::Shared => ('s', 0),
            CellState::Cached => ('c', 1),
            CellState::Free => ('.', 2),
        };
        counts[kind] += 1;
        letters.push(letter);
    }
    for b in kv.retired().iter().filter(|b| numbers.contains(b)) {
        letters[(b - numbers.start) as usize] = 'x';
        counts[2] -= 1;
    }
    letters
}

/// The order and age of the cached blocks of a page. Returns the next block to be evicted.
fn fill_order(kv: &BlockPool, numbers: &Range<u32>, now: Micros, page: &mut BlockPage) -> Option<u32> {
    let (mut rank, mut next) = (0, None);
    for idle in kv.in_order().filter(|idle| idle.cached) {
        next = next.or(Some(idle.block));
        if numbers.contains(&idle.block) {
            let at = (idle.block - numbers.start) as usize;
            page.order[at] = rank;
            page.idle_ms[at] = idle.since.map_or(-1, |since| (now.since(since).0 / 1000) as i64);
        }
        rank += 1;
    }
    next
}

/// The numbers of the blocks of a page, and the page, which is the last one if there are fewer.
pub(super) fn page_at(kv: &BlockPool, page: u32) -> (u32, Range<u32>) {
    let page = page.min(kv.numbers().div_ceil(PAGE).saturating_sub(1));
    (page, page * PAGE..kv.numbers().min((page + 1) * PAGE))
}
