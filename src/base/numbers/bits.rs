//! Packed numbers, each in as few bits as it needs, for data that is kept long and read seldom.

/// Bits in the order in which they are written.
#[derive(Clone, Debug, Default)]
pub struct BitWriter {
    words: Vec<u64>,
    /// The word that is being filled, and the number of its filled bits.
    filling: u64,
    filled: u32,
}

impl BitWriter {
    /// Reserves room for a number of further bits.
    pub fn reserve(&mut self, bits: u64) {
        self.words.reserve(bits.div_ceil(64) as usize);
    }

    /// Adds the lowest `width` bits of `value`, which has no higher bits.
    #[inline]
    pub fn push(&mut self, value: u64, width: u32) {
        self.filling |= value << self.filled;
        self.filled += width;
        if self.filled >= u64::BITS {
            self.words.push(self.filling);
            self.filled -= u64::BITS;
            self.filling = value.checked_shr(width - self.filled).unwrap_or(0);
        }
    }

    /// Adds a number of any size: its number of bits, then the bits.
    pub fn push_number(&mut self, value: u32) {
        let width = width_of(value);
        self.push(u64::from(value) << 6 | u64::from(width), width + 6);
    }

    /// Adds a number that differs little from one that the reader knows.
    #[inline]
    pub fn push_change(&mut self, value: u64, known: u64) {
        let change = unsigned(value.wrapping_sub(known));
        let width = u64::BITS - change.leading_zeros();
        if width <= u64::BITS - 7 {
            self.push(change << 7 | u64::from(width), width + 7);
        } else {
            self.push(u64::from(width), 7);
            self.push(change, width);
        }
    }

    /// Adds a list of numbers, each of which differs little from the one before.
    pub fn push_list(&mut self, list: &[u64]) {
        let rising = list.windows(2).all(|two| two[0] <= two[1]);
        self.push_number(list.len() as u32);
        self.push(u64::from(rising), 1);
        let Some(&first) = list.first() else { return };
        self.push_change(first, 0);
        let mut usual = Usual::default();
        for two in list.windows(2) {
            let change = two[1].wrapping_sub(two[0]);
            self.push_usual(if rising { change } else { unsigned(change) }, &mut usual);
        }
    }

    /// Adds a number that is about as large as those before it: the higher bits as a count, then the lower ones (Rice,
    /// Jet Propulsion Laboratory 79-22 (1979)).
    #[inline]
    pub fn push_usual(&mut self, value: u64, usual: &mut Usual) {
        let width = usual.width();
        let above = value >> width;
        if above < u64::from(FAR) {
            self.push(1 << above, above as u32 + 1);
            self.push(value & ((1 << width) - 1), width);
        } else {
            self.push(0, FAR);
            self.push_change(value, 0);
        }
        usual.follow(value);
    }

    /// All written bits.
    pub fn finish(mut self) -> Box<[u64]> {
        if self.filled > 0 {
            self.words.push(self.filling);
        }
        self.words.into()
    }
}

/// Reads the bits of a [`BitWriter`].
#[derive(Clone, Debug)]
pub struct BitReader<'a> {
    words: &'a [u64],
    /// Bits read so far.
    read: u64,
}

impl<'a> BitReader<'a> {
    /// From the beginning.
    pub fn new(words: &'a [u64]) -> Self {
        Self { words, read: 0 }
    }

    /// From the bit of this number on.
    pub fn at(words: &'a [u64], bit: u64) -> Self {
        Self { words, read: bit }
    }

    /// The next `width` bits, at most 64.
    #[inline]
    pub fn take(&mut self, width: u32) -> u64 {
        let bits = self.peek(width);
        self.read += u64::from(width);
        bits
    }

    /// The next `width` bits without reading them; zeros beyond the end.
    #[inline]
    fn peek(&self, width: u32) -> u64 {
        let (word, from) = ((self.read / 64) as usize, (self.read % 64) as u32);
        let mut bits = self.words.get(word).map_or(0, |w| w >> from);
        if from + width > u64::BITS {
            bits |= self.words.get(word + 1).map_or(0, |w| w << (u64::BITS - from));
        }
        bits & u64::MAX.checked_shr(u64::BITS - width).unwrap_or(0)
    }

    /// The next number of any size.
    pub fn take_number(&mut self) -> u32 {
        let width = self.take(6) as u32;
        self.take(width) as u32
    }

    /// The next number that was written as differing from `known`.
    #[inline]
    pub fn take_change(&mut self, known: u64) -> u64 {
        let width = self.take(7) as u32;
        let change = self.take(width);
        known.wrapping_add(signed(change))
    }

    /// The next list.
    pub fn take_list(&mut self) -> Vec<u64> {
        let (len, rising) = (self.take_number(), self.take(1) == 1);
        let mut list = Vec::with_capacity(len as usize);
        if len > 0 {
            let (mut usual, mut latest) = (Usual::default(), self.take_change(0));
            list.push(latest);
            for _ in 1..len {
                let change = self.take_usual(&mut usual);
                latest = latest.wrapping_add(if rising { change } else { signed(change) });
                list.push(latest);
            }
        }
        list
    }

    /// The next number that was written as being about as large as those before it.
    #[inline]
    pub fn take_usual(&mut self, usual: &mut Usual) -> u64 {
        let above = (self.peek(FAR) | 1 << FAR).trailing_zeros();
        self.read += u64::from(FAR.min(above + 1));
        let width = usual.width();
        let value =
            if above < FAR { u64::from(above) << width | self.take(width) } else { self.take_change(0) };
        usual.follow(value);
        value
    }
}

/// A number that exceeds the usual size by this factor is written in full.
const FAR: u32 = 14;

/// Larger numbers count as this.
const MOST: u64 = 1 << 40;

/// Recent size of the numbers of a sequence: eight times their mean.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usual(u64);

impl Usual {
    /// The bits that most of them need.
    fn width(self) -> u32 {
        60_u32.saturating_sub((self.0 | 8).leading_zeros())
    }

    /// A single outlier changes little.
    fn follow(&mut self, value: u64) {
        self.0 = self.0 - self.0 / 8 + value.min(2 * self.0 + 64).min(MOST);
    }
}

/// A change as a small number if it is small: its sign is the lowest bit.
pub fn unsigned(change: u64) -> u64 {
    change << 1 ^ (change as i64 >> 63) as u64
}

/// The change.
pub fn signed(change: u64) -> u64 {
    change >> 1 ^ (change & 1).wrapping_neg()
}

/// How many bits a number has.
pub fn width_of(value: u32) -> u32 {
    u32::BITS - value.leading_zeros()
}

/// A sequence in which many numbers are one more or one less than the previous one: these take one bit while the
/// direction stays and two when it turns; other numbers take two bits more than their width.
#[derive(Clone, Copy, Debug)]
pub struct StepCode {
    width: u32,
    latest: u32,
    step: u32,
}

impl StepCode {
    /// Of numbers of at most `width` bits.
    pub fn new(width: u32) -> Self {
        Self { width, latest: 0, step: 1 }
    }

    /// Writes the next number.
    #[inline]
    pub fn write(&mut self, value: u32, out: &mut BitWriter) {
        if value == self.latest.wrapping_add(self.step) {
            out.push(0b1, 1);
        } else if value == self.latest.wrapping_sub(self.step) {
            self.step = self.step.wrapping_neg();
            out.push(0b10, 2);
        } else {
            out.push(u64::from(value) << 2, self.width + 2);
        }
        self.latest = value;
    }

    /// Reads the next number.
    #[inline]
    pub fn read(&mut self, from: &mut BitReader) -> u32 {
        let onwards = from.take(1) == 1;
        if !onwards {
            let turned = from.take(1) == 1;
            if !turned {
                self.latest = from.take(self.width) as u32;
                return self.latest;
            }
            self.step = self.step.wrapping_neg();
        }
        self.latest = self.latest.wrapping_add(self.step);
        self.latest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    #[test]
    fn numbers_come_back_as_they_were_written() {
        let mut draws = Stream::new(1, Purpose::Ties, 0);
        let numbers: Vec<(u32, u32)> = (0..5000)
            .map(|_| {
                let width = draws.below(33);
                (if width == 32 { draws.below(u32::MAX) } else { draws.below(1 << width) }, width)
            })
            .collect();
        let mut out = BitWriter::default();
        for &(value, width) in &numbers {
            out.push(u64::from(value), width);
            out.push_number(value);
        }
        out.push_number(u32::MAX);
        let words = out.finish();
        let mut from = BitReader::new(&words);
        for (value, width) in numbers {
            assert_eq!((from.take(width) as u32, from.take_number()), (value, value));
        }
        assert_eq!(from.take_number(), u32::MAX);
    }

    #[test]
    fn lists_come_back_as_they_were_written() {
        let lists = [
            vec![],
            vec![0],
            vec![5, u64::MAX, 0, 1 << 63, (1 << 63) - 1, 7, 7],
            vec![0, 1, u64::MAX],
            (1000..2000).collect(),
        ];
        let mut out = BitWriter::default();
        for list in &lists {
            out.push(1, 3);
            out.push_list(list);
        }
        let words = out.finish();
        assert!(words.len() < 1000 * 2 / 64 + 20, "{} words", words.len());
        let mut from = BitReader::new(&words);
        for list in lists {
            assert_eq!((from.take(3), from.take_list()), (1, list));
        }
    }

    #[test]
    fn a_sequence_of_neighbours_takes_a_bit_for_each() {
        let numbers: Vec<u32> =
            (10..500).chain((3..500).rev()).chain([u32::MAX, 0, 7, 7, u32::MAX]).collect();
        let (mut out, mut steps) = (BitWriter::default(), StepCode::new(32));
        for &n in &numbers {
            steps.write(n, &mut out);
        }
        let words = out.finish();
        assert!(words.len() <= (numbers.len() + 6 * 34).div_ceil(64), "{} words", words.len());
        let (mut from, mut steps) = (BitReader::new(&words), StepCode::new(32));
        let read: Vec<u32> = numbers.iter().map(|_| steps.read(&mut from)).collect();
        assert_eq!(read, numbers);
    }
}
