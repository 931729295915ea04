//! Products of whole numbers, fast if these fit 32 bits, as they nearly always do. WebAssembly has no instruction that
//! detects an overflow of a 64-bit product, and calls a function for it and for 128-bit products. Here only the few
//! products that need it call that function. Hashes need all 128 bits.

/// A number times a count, checked.
pub fn times(number: u64, count: u32) -> u64 {
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

/// A product with room for any result.
pub fn wide_product(a: u64, b: u64) -> u128 {
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

/// A count that held for some microseconds.
#[inline]
pub fn area(count: u32, us: u64) -> u128 {
    wide_product(us, count.into())
}

/// Whether the product of three numbers is larger than that of three others. The first of each is below 32, the product of the others
/// below 2^123.
pub fn is_larger_product(these: [u64; 3], others: [u64; 3]) -> bool {
    let width = |numbers: [u64; 3]| numbers.iter().map(|n| u64::BITS - n.leading_zeros()).sum::<u32>();
    if width(these).max(width(others)) > u64::BITS {
        return is_larger_product_wide(these, others);
    }
    // Neither can overflow; `wrapping` saves the check in WebAssembly.
    let product = |[a, b, c]: [u64; 3]| a.wrapping_mul(b).wrapping_mul(c);
    product(these) > product(others)
}

#[cold]
#[inline(never)]
fn is_larger_product_wide(these: [u64; 3], others: [u64; 3]) -> bool {
    let product = |[a, b, c]: [u64; 3]| u128::from(a) * wide_product(b, c);
    product(these) > product(others)
}

/// The low and the high half of a product, of any numbers: of four products of 32 bits where a processor has no wider one.
#[inline]
pub fn halves_of_product(a: u64, b: u64) -> (u64, u64) {
    const LOW: u64 = 0xffff_ffff;
    if cfg!(not(target_arch = "wasm32")) && !cfg!(test) {
        let wide = u128::from(a) * u128::from(b);
        return (wide as u64, (wide >> 64) as u64);
    }
    let ((a_high, a), (b_high, b)) = ((a >> 32, a & LOW), (b >> 32, b & LOW));
    // None of these sums overflows; `wrapping` saves the check in WebAssembly.
    let low = a.wrapping_mul(b);
    let middle = a_high.wrapping_mul(b).wrapping_add(low >> 32);
    let other = a.wrapping_mul(b_high).wrapping_add(middle & LOW);
    let high = a_high.wrapping_mul(b_high).wrapping_add(middle >> 32).wrapping_add(other >> 32);
    (other << 32 | low & LOW, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_larger_product_is_that_of_the_wide_products() {
        let numbers = [0, 1, 5, 29, 1 << 20, (1 << 29) - 1, 1 << 31, u64::from(u32::MAX) + 2, 1 << 61];
        let mut told = 0;
        for (a, b) in numbers.into_iter().flat_map(|a| numbers.map(|b| (a, b))) {
            for (over, of) in [(5, 4), (29, 25), (1, 1)] {
                for c in numbers {
                    let wide = |x: u64, y: u64, z: u64| u128::from(x) * (u128::from(y) * u128::from(z));
                    let expected = wide(of, a, b) > wide(over, c, c);
                    assert_eq!(
                        is_larger_product([of, a, b], [over, c, c]),
                        expected,
                        "{of} {a} {b}, {over} {c}"
                    );
                    told += u32::from(expected);
                }
            }
        }
        assert!(told > 100);
    }

    #[test]
    fn halves_are_those_of_the_wide_product() {
        let edge = u64::from(u32::MAX);
        let numbers =
            [0, 1, 7, edge - 1, edge, edge + 1, 1 << 40, 0x9e37_79b9_7f4a_7c15, u64::MAX - 1, u64::MAX];
        for a in numbers {
            for b in numbers {
                let wide = u128::from(a) * u128::from(b);
                assert_eq!(halves_of_product(a, b), (wide as u64, (wide >> 64) as u64), "{a} and {b}");
            }
        }
    }

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
