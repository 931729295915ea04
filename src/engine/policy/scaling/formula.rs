//! A formula over the triggers of an autoscaler: numbers in, one number out. A trigger without a value is not a number (NaN), and
//! so is everything made of it, unless `??` gives another value.

use base::math;
use document::expression::{Binary, Function, Op, TriggerFormula};

/// The value of a formula; `None` if a trigger that it needs has none, or it is not finite.
pub fn value(formula: &TriggerFormula, triggers: &[f64]) -> Option<f64> {
    let mut stack: Vec<f64> = Vec::new();
    for op in formula.ops() {
        let values = stack.split_off(stack.len() - op.takes());
        stack.push(match *op {
            Op::Number(x) => x,
            Op::Trigger(number) => triggers[number as usize],
            Op::Name(_) | Op::Over(..) => unreachable!("INV-6: formulas of triggers have no signals"),
            Op::Negate => -values[0],
            Op::Not => truth(values[0] <= 0.5),
            Op::Binary(op) => binary(op, values[0], values[1]),
            // A condition that cannot be judged gives no value.
            Op::Choose if values[0].is_nan() => f64::NAN,
            Op::Choose => values[if values[0] > 0.5 { 1 } else { 2 }],
            Op::Call(function, _) => call(function, &values),
        });
    }
    stack.pop().filter(|x| x.is_finite())
}

fn truth(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

#[expect(clippy::float_cmp, reason = "a formula with == compares exactly")]
fn equal(a: f64, b: f64) -> bool {
    a == b
}

fn binary(op: Binary, a: f64, b: f64) -> f64 {
    if op == Binary::Else {
        return if a.is_nan() { b } else { a };
    }
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    match op {
        Binary::Add => a + b,
        Binary::Subtract => a - b,
        Binary::Multiply | Binary::And => a * b,
        Binary::Divide => a / b,
        Binary::Remainder => math::remainder(a, b),
        Binary::Less => truth(a < b),
        Binary::AtMost => truth(a <= b),
        Binary::More => truth(a > b),
        Binary::AtLeast => truth(a >= b),
        Binary::Equal => truth(equal(a, b)),
        Binary::Unequal => truth(!equal(a, b)),
        Binary::Or => larger(a, b),
        Binary::Else => a,
    }
}

fn smaller(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

fn call(function: Function, values: &[f64]) -> f64 {
    if values.iter().any(|x| x.is_nan()) {
        return f64::NAN;
    }
    let a = values[0];
    match function {
        Function::Min => values.iter().copied().fold(a, smaller),
        Function::Max => values.iter().copied().fold(a, larger),
        Function::Clamp => smaller(larger(a, values[1]), values[2]),
        Function::Abs => a.abs(),
        Function::Sqrt => math::sqrt(a),
        Function::Exp => math::exp(a),
        Function::Ln => math::ln(a),
        Function::Pow => math::pow(a, values[1]),
        Function::Floor => math::floor(a),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::expression::parse_of_triggers;

    /// llm-d's guard against overshoot, with its names.
    const GUARD: &str = "let queue_per_replica = 1; let running_per_replica = 16;
        let queue_replicas = queue / queue_per_replica; let running_replicas = running / running_per_replica;
        let required_replicas = max(queue_replicas, running_replicas);
        required_replicas <= replicas ? required_replicas
        : max(required_replicas - (unavailableReplicas ?? 0), replicas)";

    fn of(text: &str, names: &[&str], triggers: &[f64]) -> Option<f64> {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        value(&parse_of_triggers(text, names).expect("a formula"), triggers)
    }

    #[test]
    fn the_guard_takes_off_what_starts_and_goes_no_lower_than_what_is_there() {
        let names = ["queue", "running", "unavailableReplicas", "replicas"];
        let guard = |triggers: [f64; 4]| of(GUARD, &names, &triggers);
        // max(0 / 1, 48 / 16) = 3 of 4: no more than is there.
        assert_eq!(guard([0.0, 48.0, 2.0, 4.0]), Some(3.0));
        // max(9, 3) = 9 of 4, of which 2 start: max(9 - 2, 4).
        assert_eq!(guard([9.0, 48.0, 2.0, 4.0]), Some(7.0));
        // max(5 - 3, 4): what starts is enough.
        assert_eq!(guard([5.0, 0.0, 3.0, 4.0]), Some(4.0));
        // Without a value for what starts, demand alone.
        assert_eq!(guard([9.0, 0.0, f64::NAN, 4.0]), Some(9.0));
        assert_eq!(guard([f64::NAN, 0.0, 0.0, 4.0]), None);
    }

    #[test]
    fn operators_and_functions_are_those_of_the_language() {
        let one = |text: &str| of(text, &["x"], &[5.0]);
        assert_eq!(one("x ?? 2 + 1"), Some(6.0));
        assert_eq!(one("-x + 2 * (x - 1) / 4 % 3"), Some(-3.0));
        assert_eq!(one("x > 4 && !(x == 4) || x != 5 ? 1 : 0"), Some(1.0));
        assert_eq!(one("x <= 4 ? 1 : x >= 5 ? 2 : 3"), Some(2.0));
        assert_eq!(
            one("clamp(x, 1, 3) + min(x, 2, 7) + max(1, x) + abs(-x) + floor(x / 2) + sqrt(4) + pow(2, 3)"),
            Some(27.0)
        );
        assert_eq!(one("1 / (x - 5)"), None);
    }
}
