//! Rows of numbers with a name for each number: what is packed by columns is written and read by the same names.

/// A type whose fields are the numbers of a row, in the order of the list.
macro_rules! named_row {
    ($(#[$doc:meta])* $row:ident { $($name:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        struct $row {
            $($name: u64),+
        }

        impl $row {
            /// How many numbers there are.
            const NUMBERS: usize = [$(stringify!($name)),+].len();

            /// Its numbers, in order.
            const fn numbers(self) -> [u64; Self::NUMBERS] {
                [$(self.$name),+]
            }

            /// The row that has these numbers.
            const fn of([$($name),+]: [u64; Self::NUMBERS]) -> Self {
                Self { $($name),+ }
            }
        }
    };
}

pub(super) use named_row;
