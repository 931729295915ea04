//! What a row of a trace waits for.

/// What a row waits for, as read by a format's reader.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wait {
    /// The row before it in its session, if there is one, and these microseconds after. If there is none, its session has
    /// no arrival time.
    Turn(u64),
    /// Rows that were kept, by number, and these microseconds after.
    Rows(Vec<Parent>, u64),
}

/// A row that was kept, with its times in the recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Recorded {
    /// Its number.
    pub(super) row: u32,
    /// When it was sent, in microseconds.
    pub(super) start_us: i64,
    /// When its answer was there, if that is known.
    pub(super) end_us: Option<i64>,
}

impl Recorded {
    /// What a row waits for that started at `start_us` after `before`: the answers, and as long as it came after the last of them.
    /// One that started before the answer of a single row overlaps it and keeps the time between the two starts.
    pub(super) fn followed(before: &[Self], start_us: i64) -> Wait {
        if let [only] = before
            && only.end_us.is_some_and(|end| start_us < end)
        {
            let gap = start_us.saturating_sub(only.start_us);
            return Wait::Rows(vec![Parent { row: only.row, start: true }], gap.max(0).unsigned_abs());
        }
        let last = before.iter().map(|r| r.end_us).try_fold(i64::MIN, |last, end| Some(last.max(end?)));
        let delay = last.filter(|_| !before.is_empty()).map_or(0, |last| start_us.saturating_sub(last));
        Self::delayed(before, delay)
    }

    /// What a row waits for that comes `delay_us` after the answers of `before`.
    pub(super) fn delayed(before: &[Self], delay_us: i64) -> Wait {
        let answer = |r: &Self| Parent { row: r.row, start: false };
        Wait::Rows(before.iter().map(answer).collect(), delay_us.max(0).unsigned_abs())
    }
}

/// A row that another one waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parent {
    /// Its number.
    pub row: u32,
    /// Whether the other one waits for its start and not for its answer: the two overlap.
    pub start: bool,
}

impl Parent {
    pub(super) fn packed(self) -> u32 {
        self.row << 1 | u32::from(self.start)
    }

    pub(super) fn unpacked(packed: u32) -> Self {
        Self { row: packed >> 1, start: packed & 1 == 1 }
    }
}
