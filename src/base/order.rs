//! Sorting, compiled once: pairs of numbers. Whatever else must be sorted goes through its integer key.
//!
//! The standard library's sort comes to over 10 KB for each type it is used with, which the page would download.

/// Sorts pairs by their first number, then by their second.
#[inline(never)]
pub fn sort_pairs(pairs: &mut [(u64, u64)]) {
    pairs.sort_unstable();
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
    fn items_of_equal_keys_keep_their_order() {
        let mut items: Vec<(u64, u32)> = (0..100).map(|i| (u64::from(i * 37 % 10), i)).collect();
        let mut expected = items.clone();
        expected.sort_by_key(|item| item.0);
        sort_by_key(&mut items, |item| item.0);
        assert_eq!(items, expected);
    }
}
