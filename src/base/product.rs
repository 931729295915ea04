//! Products of whole numbers that nearly always fit 32 bits. WebAssembly has no instruction that tells whether a product of 64 bits
//! overflowed, and calls a function for it and for one of 128 bits: here that is left to the few that need it.

/// A number times a count, checked.
pub(crate) fn times(number: u64, count: u32) -> u64 {
    match u32::try_from(number) {
        Ok(small) => u64::from(small) * u64::from(count),
        Err(_) => times_large(number, count),
    }
}

#[cold]
#[inline(never)]
fn times_large(number: u64, count: u32) -> u64 {
    number * u64::from(count)
}

/// A product that has room for any.
pub(crate) fn wide_product(a: u64, b: u64) -> u128 {
    match (u32::try_from(a), u32::try_from(b)) {
        (Ok(a), Ok(b)) => u128::from(u64::from(a) * u64::from(b)),
        (Err(_), _) | (_, Err(_)) => wide_product_large(a, b),
    }
}

#[cold]
#[inline(never)]
fn wide_product_large(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_wider_numbers() {
        let edge = u64::from(u32::MAX);
        for a in [0, 1, 7, edge - 1, edge, edge + 1, 1 << 40, u64::MAX] {
            for b in [0, 1, 3, u32::MAX] {
                assert_eq!(wide_product(a, b.into()), u128::from(a) * u128::from(b));
                assert_eq!(wide_product(b.into(), a), u128::from(a) * u128::from(b));
                if let Some(product) = a.checked_mul(b.into()) {
                    assert_eq!(times(a, b), product);
                }
            }
        }
    }
}
