//! Names of models: how their ends say that weights are quantised, and which names are near in meaning.

use base::alike;

/// What checkpoints with quantised weights have at the end of their names: the method as a flag has it. Longer ends come first.
const QUANTISED: [(&str, &str); 22] = [
    ("-quantized.w4a16", "gptq"),
    ("-quantized.w8a8", "int8"),
    ("-quantized.w8a16", ""),
    ("-gptq-int4", "gptq"),
    ("-gptq-int8", ""),
    ("-gptq-4bit", "gptq"),
    ("-autoround-int4", "gptq"),
    ("-awq-int4", "awq"),
    ("-awq-4bit", "awq"),
    ("-bnb-4bit", "bitsandbytes"),
    ("-fp8-dynamic", "fp8"),
    ("-fp8-block", "fp8"),
    ("-fp8-kv", "fp8"),
    ("-gptq", "gptq"),
    ("-awq", "awq"),
    ("-fp8", "fp8"),
    ("-nvfp4", "modelopt_fp4"),
    ("-fp4", "modelopt_fp4"),
    ("-mxfp4", "mxfp4"),
    ("-w4a16", "gptq"),
    ("-int4", "gptq"),
    ("-int8", "int8"),
];

/// The name of a model without the end that says how its weights are quantised, and the method; `None` without such an end.
pub fn unquantised(name: &str) -> Option<(&str, &'static str)> {
    let ends = |(tail, _): &&(&str, &str)| {
        let at = name.len().checked_sub(tail.len()).filter(|at| name.is_char_boundary(*at));
        at.is_some_and(|at| at > 0 && name[at..].eq_ignore_ascii_case(tail))
    };
    let (tail, method) = QUANTISED.iter().find(ends)?;
    Some((&name[..name.len() - tail.len()], method))
}

/// The parts of a model's name that tell models apart: the family, and the sizes, all and active parameters.
struct NameParts {
    family: String,
    sizes: Vec<f64>,
}

impl NameParts {
    fn of(name: &str) -> Self {
        let lower = name.to_ascii_lowercase();
        let (mut family, mut sizes) = (String::new(), Vec::new());
        for part in lower.split(['-', '_', ' ']) {
            let size = part.strip_prefix('a').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
            let number = size.unwrap_or(part).strip_suffix('b').and_then(|n| {
                let product: Option<Vec<f64>> = n.split('x').map(|factor| factor.parse().ok()).collect();
                product.map(|all| all.iter().product::<f64>())
            });
            match number {
                Some(number) => sizes.push(number),
                None if sizes.is_empty() => family.push_str(part),
                None => {}
            }
        }
        Self { family, sizes }
    }
}

/// The name of the catalogue that is nearest in meaning: of the same family, with the same sizes, or else the nearest ones.
pub fn nearest_model<'n>(id: &str, names: &[&'n str]) -> Option<&'n str> {
    let last = id.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let bare = unquantised(last).map_or(last, |(bare, _)| bare);
    let own = NameParts::of(bare);
    let distance = |name: &str| {
        let other = NameParts::of(name);
        let same = !own.family.is_empty() && own.family == other.family && !own.sizes.is_empty();
        let first = own.sizes.first().zip(other.sizes.first()).filter(|_| same)?;
        let factor = (first.0 / first.1).max(first.1 / first.0);
        // A mixture and a dense model of one size are not alike.
        let kinds = f64::from(u8::from(own.sizes.len() != other.sizes.len()));
        let quantised = f64::from(u8::from(unquantised(name).is_some()));
        Some(factor + kinds + quantised * 0.01)
    };
    let near = names.iter().filter_map(|name| Some((distance(name)?, *name)));
    let best = near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name);
    best.or_else(|| alike::nearest(bare, names.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf::catalogue;

    #[test]
    fn the_nearest_model_is_of_the_same_family_and_size() {
        let names: Vec<&str> = catalogue().architectures.iter().map(|model| model.name.as_str()).collect();
        for (id, name) in [
            ("org/Qwen3-32B-AWQ-custom", Some("qwen3-32b")),
            ("org/Qwen3-34B", Some("qwen3-32b")),
            ("org/Qwen3-31B-A3B", Some("qwen3-30b-a3b")),
            ("org/Qwen3-200B-A20B", Some("qwen3-235b-a22b")),
            ("org/Llama-3.1-65B", Some("llama-3.1-70b")),
            ("acme/zzz", None),
        ] {
            assert_eq!(nearest_model(id, &names), name, "{id}");
        }
    }
}
