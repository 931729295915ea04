//! Matrices of 3 by 3 and smaller ones, as arrays.

/// A matrix of 3 by 3.
pub type Matrix = [[f64; 3]; 3];

/// The matrix with these numbers on the diagonal.
pub(super) fn diagonal(values: [f64; 3]) -> Matrix {
    let mut out = [[0.0; 3]; 3];
    for (k, value) in values.into_iter().enumerate() {
        out[k][k] = value;
    }
    out
}

/// The product of two matrices.
pub(super) fn product<const N: usize, const K: usize, const M: usize>(
    a: &[[f64; K]; N],
    b: &[[f64; M]; K],
) -> [[f64; M]; N] {
    let mut out = [[0.0; M]; N];
    for (row, left) in out.iter_mut().zip(a) {
        for (j, cell) in row.iter_mut().enumerate() {
            *cell = left.iter().zip(b).map(|(x, right)| x * right[j]).sum();
        }
    }
    out
}

/// The transposed matrix.
pub(super) fn transposed<const N: usize, const M: usize>(a: &[[f64; M]; N]) -> [[f64; N]; M] {
    let mut out = [[0.0; N]; M];
    for (i, row) in a.iter().enumerate() {
        for (j, x) in row.iter().enumerate() {
            out[j][i] = *x;
        }
    }
    out
}

/// The sum of two matrices.
pub(super) fn sum<const N: usize, const M: usize>(mut a: [[f64; M]; N], b: &[[f64; M]; N]) -> [[f64; M]; N] {
    for (x, y) in a.iter_mut().flatten().zip(b.iter().flatten()) {
        *x += y;
    }
    a
}

/// The unit matrix minus `a`.
pub(super) fn unit_less(a: &Matrix) -> Matrix {
    let mut out = diagonal([1.0; 3]);
    for (x, y) in out.iter_mut().flatten().zip(a.iter().flatten()) {
        *x -= y;
    }
    out
}

/// The inverse of a 2 by 2 matrix; `None` if it is singular.
pub(super) fn inverse([[a, b], [c, d]]: [[f64; 2]; 2]) -> Option<[[f64; 2]; 2]> {
    let det = a * d - b * c;
    (det.is_finite() && det.abs() > f64::MIN_POSITIVE).then(|| [[d / det, -b / det], [-c / det, a / det]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_by_its_inverse_is_the_unit() {
        let a = [[4.0, 1.0], [2.0, 3.0]];
        let unit = product(&a, &inverse(a).unwrap());
        assert!((unit[0][0] - 1.0).abs() < 1e-15 && unit[0][1].abs() < 1e-15);
        assert!((unit[1][1] - 1.0).abs() < 1e-15 && unit[1][0].abs() < 1e-15);
        assert_eq!(inverse([[1.0, 2.0], [2.0, 4.0]]), None);
    }

    #[test]
    fn products_of_unlike_shapes_have_the_outer_ones() {
        let a = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
        let square = product(&a, &transposed(&a));
        assert_eq!(square.map(|row| row.map(|x| x as i64)), [[14, 32], [32, 77]]);
    }
}
