//! Sorting, compiled once: pairs of numbers. Everything else is sorted by an integer key.
//!
//! Saves 10 to 15 KB of wasm for each type sorted: the standard library's sort is compiled for each of them. Its selection
//! takes 3 KB.

/// Sorts pairs by their first number, then by their second.
#[inline(never)]
pub fn sort_pairs(pairs: &mut [(u64, u64)]) {
    pairs.sort_unstable();
}

/// Brings the `most` smallest of distinct pairs to the front, unordered.
#[inline(never)]
pub fn select_pairs(mut pairs: &mut [(u64, u64)], mut most: usize) {
    while pairs.len() > 1 && most < pairs.len() {
        let (last, middle) = (pairs.len() - 1, pairs.len() / 2);
        let (a, b, c) = (pairs[0], pairs[middle], pairs[last]);
        let pivot = a.min(b).max(a.max(b).min(c));
        let mut smaller = 0;
        for i in 0..pairs.len() {
            if pairs[i] < pivot {
                pairs.swap(i, smaller);
                smaller += 1;
            }
        }
        if most <= smaller {
            pairs = &mut pairs[..smaller];
            continue;
        }
        // The pivot is in its place; the next round sorts what follows it.
        let at = (smaller..=last).find(|&i| pairs[i] == pivot).unwrap_or(smaller);
        pairs.swap(at, smaller);
        most -= smaller + 1;
        pairs = &mut pairs[smaller + 1..];
    }
}

/// Brings the value of rank `rank` to its sorted position, with smaller values before it and larger ones behind it.
#[inline(never)]
pub fn select(mut values: &mut [u64], mut rank: usize) {
    while values.len() > 1 {
        let (last, middle) = (values.len() - 1, values.len() / 2);
        let (a, b, c) = (values[0], values[middle], values[last]);
        let pivot = a.min(b).max(a.max(b).min(c));
        let smaller = part(values, |v| v < pivot);
        if rank < smaller {
            values = &mut values[..smaller];
            continue;
        }
        // Values equal to the pivot come next.
        values = &mut values[smaller..];
        rank -= smaller;
        let equal = part(values, |v| v == pivot);
        if rank < equal {
            return;
        }
        values = &mut values[equal..];
        rank -= equal;
    }
}

/// Brings the selected values to the front and returns their number, without a branch that depends on the values.
fn part(values: &mut [u64], is_in: impl Fn(u64) -> bool) -> usize {
    let mut front = 0;
    for i in 0..values.len() {
        let value = values[i];
        values.swap(i, front);
        front += usize::from(is_in(value));
    }
    front
}

/// Sorts by an integer key; items of equal keys keep their order.
pub fn sort_by_key<T: Clone>(items: &mut Vec<T>, key: impl Fn(&T) -> u64) {
    if items.len() < 2 {
        return;
    }
    let mut order: Vec<(u64, u64)> = items.iter().zip(0..).map(|(item, i)| (key(item), i)).collect();
    sort_pairs(&mut order);
    *items = order.into_iter().map(|(_, i)| items[i as usize].clone()).collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_pairs_come_first() {
        for n in [1_u64, 2, 3, 10, 257] {
            let pairs: Vec<(u64, u64)> = (0..n).map(|i| (i * 7919 % 31, i)).collect();
            let mut sorted = pairs.clone();
            sort_pairs(&mut sorted);
            for most in 0..=n as usize {
                let mut selected = pairs.clone();
                select_pairs(&mut selected, most);
                sort_pairs(&mut selected[..most]);
                assert_eq!(selected[..most], sorted[..most], "{most} of {n}");
            }
        }
    }

    #[test]
    fn the_value_at_a_rank_parts_the_others() {
        for (n, unlike) in [(1_u64, 9), (2, 9), (3, 1), (10, 3), (257, 31), (257, 1), (1000, 613)] {
            let values: Vec<u64> = (0..n).map(|i| i * 7919 % unlike).collect();
            let mut sorted = values.clone();
            sorted.sort_unstable();
            for rank in 0..n as usize {
                let mut selected = values.clone();
                select(&mut selected, rank);
                assert_eq!(selected[rank], sorted[rank], "{rank} of {n}");
                selected[..rank].sort_unstable();
                selected[rank..].sort_unstable();
                assert_eq!(selected, sorted, "{rank} of {n}");
            }
        }
    }

    #[test]
    fn items_of_equal_keys_keep_their_order() {
        let mut items: Vec<(u64, u32)> = (0..100).map(|i| (u64::from(i * 37 % 10), i)).collect();
        let mut expected = items.clone();
        expected.sort_by_key(|item| item.0);
        sort_by_key(&mut items, |item| item.0);
        assert_eq!(items, expected);
    }
}
