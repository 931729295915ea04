//! `tokenyard size`: the load that one replica can serve within objectives, the replicas that a rate needs, and the
//! limiting objective.

use crate::args::queueing::Size;
use crate::failed::Failed;
use crate::print::{refused, say};
use crate::text::table::number;
use base::{Diagnostic, Diagnostics, json};
use document::{Cluster, Pool, Scenario};
use queueing::{
    Chain, ClosedForm, Mode, Objectives, Params, QueueLength, ReplicaCapacity, RequestSize, State,
    TargetBelow, Trouble, inferred, replicas,
};
use run::session::{PoolEvidence, Regime, RegimeBasis, guesses, pool_evidence};
use serde_json::{Value, json};
use study::sizing::pool_coefficients;

/// The coefficients and their source.
struct Server {
    params: Params,
    max_batch: u32,
    /// Prompt tokens per second in full steps, and the tokens of such a step, if a model is given.
    peak_prefill: Option<(f64, u32)>,
    outside_ms: [f64; 2],
    source: String,
    /// How far its step times can be trusted, if a model is given.
    evidence: Option<PoolEvidence>,
}

/// The result for a rate.
struct AtRate {
    rate_per_s: f64,
    replicas: u32,
    rho: f64,
    state: Option<State>,
}

/// All results.
struct Sized {
    server: Server,
    size: RequestSize,
    goals: Objectives,
    saturation_per_s: f64,
    batch_limit_per_s: f64,
    rate_per_s: f64,
    binding: &'static str,
    at: Option<AtRate>,
}

/// `tokenyard size`
pub(crate) fn run(args: &Size) -> Result<(), Failed> {
    let sized = sized(args).map_err(|problems| refused("size", &problems))?;
    if args.json {
        return say(&format!("{}\n", json::indented(&as_json(&sized, args.mode.into()))));
    }
    say(&as_text(&sized))
}

fn sized(args: &Size) -> Result<Sized, Diagnostics> {
    let size = lengths(args)?;
    let server = server(args, size)?;
    let closed = ClosedForm::new(server.params, size).map_err(|why| vec![of_trouble(&why)])?;
    let goals = objectives(args, &server, size)?;
    // Time outside the engine is part of an objective, but not of the model.
    let inside = Objectives {
        ttft_ms: less(goals.ttft_ms, server.outside_ms[0], "--ttft")?,
        itl_ms: less(goals.itl_ms, server.outside_ms[1], "--itl")?,
    };
    let (rate_per_s, binding) = match args.mode.into() {
        Mode::Corrected => {
            let found: ReplicaCapacity =
                closed.capacity(inside, server.max_batch).map_err(|why| vec![of_trouble(&why)])?;
            (found.rate_per_s, found.binding.name())
        }
        Mode::AsCoded => as_coded(&server, size, inside)?,
    };
    let at = args.rate.map(|rate| at_rate(&closed, rate, rate_per_s, server.outside_ms)).transpose()?;
    let (saturation_per_s, batch_limit_per_s) =
        (closed.saturation_per_s(), closed.batch_limit_per_s(server.max_batch));
    Ok(Sized { server, size, goals, saturation_per_s, batch_limit_per_s, rate_per_s, binding, at })
}

fn lengths(args: &Size) -> Result<RequestSize, Diagnostics> {
    let mut problems = Vec::new();
    let most = f64::from(document::limits::REQUEST_TOKENS);
    for (name, found, least) in [("--input", args.input, 0.0), ("--output", args.output, 1.0)] {
        if !(found.is_finite() && (least..=most).contains(&found)) {
            let fix = "give the mean length in tokens";
            problems.push(Diagnostic::error(name, found.to_string(), format!("{least} to {most}"), fix));
        }
    }
    let positive = [("--rate", args.rate), ("--ttft", args.ttft), ("--itl", args.itl)];
    for (name, found) in positive.into_iter().filter_map(|(name, found)| Some((name, found?))) {
        if !(found.is_finite() && found >= 0.0) {
            problems.push(Diagnostic::error(
                name,
                found.to_string(),
                "0 or more",
                "give a number in its unit",
            ));
        }
    }
    if args.max_batch == Some(0) {
        problems.push(Diagnostic::error("--max-batch", "0", "1 or more", "leave it out for the default"));
    }
    if problems.is_empty() {
        Ok(RequestSize { input_tokens: args.input, output_tokens: args.output })
    } else {
        Err(problems)
    }
}

fn server(args: &Size, size: RequestSize) -> Result<Server, Diagnostics> {
    let own = [("--alpha", args.alpha), ("--beta", args.beta), ("--gamma", args.gamma)];
    let given = own.iter().filter(|(_, x)| x.is_some()).count();
    let Some(model) = &args.model else {
        let missing = own.iter().filter(|(_, x)| x.is_none());
        let fix = if given == 0 { "give it, or --model NAME" } else { "give it too" };
        let problem =
            |name: &str| Diagnostic::error(name, "nothing", "all three coefficients, or --model", fix);
        let problems: Diagnostics = missing.map(|(name, _)| problem(name)).collect();
        let (Some(alpha), Some(beta), Some(gamma)) = (args.alpha, args.beta, args.gamma) else {
            return Err(problems);
        };
        let max_batch = args.max_batch.unwrap_or(queueing::DEFAULT_MAX_BATCH);
        let params = Params { alpha, beta, gamma };
        let source = "given".to_owned();
        return Ok(Server {
            params,
            max_batch,
            peak_prefill: None,
            outside_ms: [0.0; 2],
            source,
            evidence: None,
        });
    };
    let pool = Pool { model: model.clone(), gpu: args.gpu.clone(), tp: args.tp, ..Pool::default() };
    let found = pool_coefficients(&pool, size)?;
    let cluster = Cluster { pools: vec![pool], ..Cluster::default() };
    let scenario = Scenario { cluster, ..Scenario::default() };
    let guessed: Diagnostics =
        guesses(&scenario).into_iter().map(|d| Diagnostic { path: "--gpu".to_owned(), ..d }).collect();
    if !args.allow_guess && !guessed.is_empty() {
        return Err(guessed);
    }
    // What one replica can serve within objectives lies near the knee.
    let evidence = pool_evidence(&scenario, Some((Regime::Near, RegimeBasis::Capacity))).pop();
    let max_batch = args.max_batch.unwrap_or(found.max_batch);
    let peak_prefill = Some(found.peak_prefill);
    Ok(Server {
        params: found.params,
        max_batch,
        peak_prefill,
        outside_ms: found.outside_ms,
        source: found.source,
        evidence,
    })
}

/// Objectives, given or computed from a multiplier.
fn objectives(args: &Size, server: &Server, size: RequestSize) -> Result<Objectives, Diagnostics> {
    let Some(multiplier) = args.slo_multiplier else {
        let (ttft_ms, itl_ms) = (args.ttft.unwrap_or(0.0), args.itl.unwrap_or(0.0));
        return Ok(Objectives { ttft_ms, itl_ms });
    };
    let goals = inferred(server.params, size, multiplier).map_err(|_| {
        let fix = "3 lets a replica be two thirds busy";
        vec![Diagnostic::error("--slo-multiplier", multiplier.to_string(), "above 1", fix)]
    })?;
    let [ttft, itl] = server.outside_ms;
    Ok(Objectives { ttft_ms: goals.ttft_ms + ttft, itl_ms: goals.itl_ms + itl })
}

fn less(goal: f64, outside: f64, name: &str) -> Result<f64, Diagnostics> {
    if goal <= 0.0 || goal > outside {
        return Ok(if goal > 0.0 { goal - outside } else { 0.0 });
    }
    let fix = "raise it: this much passes outside the engine, whatever the load";
    Err(vec![Diagnostic::error(
        name,
        format!("{goal} ms"),
        format!("above {outside} ms, or 0 for none"),
        fix,
    )])
}

fn as_coded(
    server: &Server,
    size: RequestSize,
    goals: Objectives,
) -> Result<(f64, &'static str), Diagnostics> {
    let chain = Chain::new(server.params, size, server.max_batch, QueueLength::Requests(100))
        .map_err(|why| vec![of_trouble(&why)])?;
    let found = chain.size(goals, false, Mode::AsCoded).map_err(|below| {
        let (name, goal) = match below {
            TargetBelow::Ttft => ("--ttft", goals.ttft_ms),
            TargetBelow::Itl => ("--itl", goals.itl_ms),
        };
        let fix = "raise it, or size with --mode corrected";
        let allowed = "above what an idle replica needs, one decoding step more for TTFT";
        vec![Diagnostic::error(name, format!("{goal} ms"), allowed, fix)]
    })?;
    let most = chain.most_per_s();
    let binding = if found.rate_ttft_per_s.min(found.rate_itl_per_s) >= most {
        "batch"
    } else if found.rate_ttft_per_s <= found.rate_itl_per_s {
        "ttft"
    } else {
        "itl"
    };
    Ok((found.analysis.throughput_per_s, binding))
}

fn at_rate(
    closed: &ClosedForm,
    rate_per_s: f64,
    each_per_s: f64,
    outside_ms: [f64; 2],
) -> Result<AtRate, Diagnostics> {
    let replicas = replicas(rate_per_s, each_per_s).map_err(|why| vec![of_trouble(&why)])?;
    let share = rate_per_s / f64::from(replicas);
    let state = closed.at(share).ok().map(|s| State {
        ttft_ms: s.ttft_ms + outside_ms[0],
        itl_ms: s.itl_ms + outside_ms[1],
        ..s
    });
    Ok(AtRate { rate_per_s, replicas, rho: closed.rho(share), state })
}

/// Errors of the model as problems with the arguments.
fn of_trouble(why: &Trouble) -> Diagnostic {
    match why {
        Trouble::Infeasible { objective, target_ms, idle_ms } => Diagnostic::error(
            if *objective == "TTFT" { "--ttft" } else { "--itl" },
            format!("{target_ms} ms inside the engine"),
            format!("above {idle_ms} ms, what an idle replica needs"),
            "raise it, or take a faster replica",
        ),
        Trouble::Input { what, found, allowed } => {
            let argument = match *what {
                "alpha" => "--alpha",
                "beta" => "--beta",
                "gamma" => "--gamma",
                other => other,
            };
            Diagnostic::error(argument, found.to_string(), *allowed, "give a number in this range")
        }
        Trouble::Unstable { .. } | Trouble::Overload { .. } => {
            Diagnostic::error("--rate", why.to_string(), "less", "lower it, or add replicas")
        }
    }
}

fn as_json(s: &Sized, mode: Mode) -> Value {
    let Params { alpha, beta, gamma } = s.server.params;
    let at = s.at.as_ref().map(|at| {
        json!({
            "rate_per_s": at.rate_per_s,
            "replicas": at.replicas,
            "rho": at.rho,
            "step_ms": at.state.map(|x| x.step_ms),
            "batch": at.state.map(|x| x.batch),
            "ttft_ms": at.state.map(|x| x.ttft_ms),
            "itl_ms": at.state.map(|x| x.itl_ms),
        })
    });
    json!({
        "mode": mode,
        "coefficients": { "alpha_ms": alpha, "beta_ms": beta, "gamma_ms": gamma, "source": s.server.source },
        "input_tokens": s.size.input_tokens,
        "output_tokens": s.size.output_tokens,
        "max_batch": s.server.max_batch,
        "peak_prefill_tokens_per_s": s.server.peak_prefill.map(|(rate, _)| rate),
        "outside_engine_ms": { "ttft": s.server.outside_ms[0], "itl": s.server.outside_ms[1] },
        "objectives": { "ttft_ms": s.goals.ttft_ms, "itl_ms": s.goals.itl_ms },
        "capacity_per_s": s.rate_per_s,
        "binding": s.binding,
        "batch_limit_per_s": s.batch_limit_per_s,
        "saturation_per_s": s.saturation_per_s,
        "at_rate": at,
        "evidence": s.server.evidence,
    })
}

fn as_text(s: &Sized) -> String {
    let Params { alpha, beta, gamma } = s.server.params;
    let mut out = String::new();
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    line(format!(
        "step: {alpha:.4} ms, {beta:.5} ms a token, {gamma:.7} ms a token of context ({})",
        s.server.source
    ));
    let goal = |ms: f64| if ms > 0.0 { format!("{ms:.3} ms") } else { "none".to_owned() };
    line(format!("objectives: TTFT {}, ITL {}", goal(s.goals.ttft_ms), goal(s.goals.itl_ms)));
    let why = match s.binding {
        "ttft" => "the TTFT objective binds",
        "itl" => "the ITL objective binds",
        "batch" => "the batch limit binds",
        _ => "no objective binds: above this rate the batch grows without bound",
    };
    line(format!("one replica carries {:.4} requests/s: {why}", s.rate_per_s));
    line(format!("a full batch of {} does {:.4} requests/s", s.server.max_batch, s.batch_limit_per_s));
    line(format!("without a batch limit it saturates at {:.4} requests/s", s.saturation_per_s));
    if let Some((rate, tokens)) = s.server.peak_prefill {
        line(format!(
            "peak prefill: {rate:.0} tokens/s, in steps of {tokens} prompt tokens and nothing else"
        ));
    }
    if let Some(at) = &s.at {
        let many = if at.replicas == 1 { "replica" } else { "replicas" };
        let of = |value: fn(&State) -> f64| number(at.state.as_ref().map(value), 3);
        line(format!(
            "{} requests/s need {} {many}, each at a load of {:.4}",
            at.rate_per_s, at.replicas, at.rho
        ));
        line(format!(
            "there: TTFT {} ms, ITL {} ms, a step {} ms, {} requests in the batch",
            of(|x| x.ttft_ms),
            of(|x| x.itl_ms),
            of(|x| x.step_ms),
            of(|x| x.batch)
        ));
    }
    if let Some(of_pool) = &s.server.evidence {
        line("a capacity lies near the knee, where a few per cent in the time of a step decide".to_owned());
        line(format!("evidence: {}", of_pool.text));
    }
    out
}
