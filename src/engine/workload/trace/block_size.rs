//! Block sizes: how many tokens a hash id of a prompt covers, computed from the lengths of prompts and the numbers of
//! their ids.
//!
//! Two rules are in use: an id for every started block, ceil(length / size), or only for every full block,
//! floor(length / size).

/// Block sizes that traces use.
const SIZES: [u32; 7] = [16, 32, 64, 128, 256, 512, 1024];

/// Which blocks have an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Every started block.
    Begun,
    /// Every full block.
    Full,
}

impl Rule {
    const ALL: [Self; 2] = [Self::Begun, Self::Full];

    fn ids(self, prompt: u32, size: u32) -> u32 {
        match self {
            Self::Begun => prompt.div_ceil(size),
            Self::Full => prompt / size,
        }
    }

    /// The smallest and the largest block size with which `prompt` tokens have `ids` ids, at least one.
    fn sizes(self, prompt: u32, ids: u32) -> [u32; 2] {
        match self {
            Self::Begun if ids == 1 => [prompt, u32::MAX],
            Self::Begun => [prompt.div_ceil(ids), (prompt - 1) / (ids - 1)],
            Self::Full => [prompt / ids.saturating_add(1) + 1, prompt / ids],
        }
    }

    /// The rule as a formula.
    pub(super) fn formula(self) -> &'static str {
        match self {
            Self::Begun => "ceil(input_length / block) hash_ids",
            Self::Full => "floor(input_length / block) hash_ids",
        }
    }
}

/// The sizes that fit the rows so far, for each of [`Rule::ALL`].
#[derive(Clone, Debug)]
pub(super) struct BlockSizes {
    /// Rows with hash ids.
    pub(super) rows: u64,
    /// Their prompts and ids in total.
    pub(super) prompt_tokens: u64,
    pub(super) ids: u64,
    /// For each of [`SIZES`], rows whose number of ids does not fit their prompt.
    misfits: [[u64; SIZES.len()]; 2],
    /// The smallest and the largest size that fit all rows.
    fitting: [[u32; 2]; 2],
}

impl Default for BlockSizes {
    fn default() -> Self {
        Self {
            rows: 0,
            prompt_tokens: 0,
            ids: 0,
            misfits: [[0; SIZES.len()]; 2],
            fitting: [[1, u32::MAX]; 2],
        }
    }
}

/// A size, and the number of rows that do not fit it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FittingBlockSize {
    pub(super) size: u32,
    pub(super) rule: Rule,
    pub(super) misfits: u64,
}

impl BlockSizes {
    /// Takes a row with ids.
    pub(super) fn push(&mut self, prompt: u32, ids: u32) {
        self.rows += 1;
        self.prompt_tokens += u64::from(prompt);
        self.ids += u64::from(ids);
        for (k, rule) in Rule::ALL.into_iter().enumerate() {
            for (misfits, size) in self.misfits[k].iter_mut().zip(SIZES) {
                *misfits += u64::from(rule.ids(prompt, size) != ids);
            }
            let [least, most] = rule.sizes(prompt, ids);
            let fitting = &mut self.fitting[k];
            *fitting = [fitting[0].max(least), fitting[1].min(most)];
        }
    }

    /// The size that fits most rows: a common size if it fits all, the format's `usual` one among several; else any
    /// other size that fits all; else the one with the fewest misfits.
    pub(super) fn found(&self, usual: u32) -> FittingBlockSize {
        let used = Rule::ALL.map(|rule| self.best_used(rule, usual));
        let whole = |found: &&FittingBlockSize| found.misfits == 0;
        let any = || Rule::ALL.into_iter().find_map(|rule| self.any_that_fits(rule));
        let fewest = || if used[1].misfits < used[0].misfits { used[1] } else { used[0] };
        used.iter().find(whole).copied().or_else(any).unwrap_or_else(fewest)
    }

    fn best_used(&self, rule: Rule, usual: u32) -> FittingBlockSize {
        let all = self.misfits[rule as usize].iter().zip(SIZES);
        let best = all.map(|(&misfits, size)| (misfits, u32::from(size != usual), size)).min();
        let (misfits, _, size) = best.expect("INV-6: there are sizes to choose from");
        FittingBlockSize { size, rule, misfits }
    }

    /// A size that fits all rows: a power of two if there is one.
    fn any_that_fits(&self, rule: Rule) -> Option<FittingBlockSize> {
        let [least, most] = self.fitting[rule as usize];
        let size = least.checked_next_power_of_two().filter(|size| *size <= most).unwrap_or(least);
        (least <= most).then_some(FittingBlockSize { size, rule, misfits: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_found_whatever_it_is_and_for_what_ever_there_are_ids() {
        for rule in Rule::ALL {
            for size in [5, 16, 24, 64, 100, 512, 1000, 2048] {
                let mut sizes = BlockSizes::default();
                for i in 1..3000 {
                    let prompt = size * 3 + i * 7;
                    sizes.push(prompt, rule.ids(prompt, size));
                }
                assert_eq!(sizes.found(512), FittingBlockSize { size, rule, misfits: 0 });
            }
        }
    }

    #[test]
    fn a_few_rows_that_fit_another_rule_by_chance_do_not_decide() {
        let mut sizes = BlockSizes::default();
        for prompt in [210, 280, 330, 160, 320] {
            sizes.push(prompt, prompt / 16);
        }
        assert_eq!(sizes.found(512), FittingBlockSize { size: 16, rule: Rule::Full, misfits: 0 });
        // A row that was cut changes the size as little.
        sizes.push(4000, 3);
        assert_eq!(sizes.found(512), FittingBlockSize { size: 16, rule: Rule::Full, misfits: 1 });
    }
}
