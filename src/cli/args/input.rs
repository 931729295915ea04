//! The arguments that name a scenario and change it.

use document::preset::PRESETS;

/// A scenario and changes to it.
#[derive(clap::Args)]
pub(crate) struct Input {
    #[arg(help = scenario_help())]
    pub(crate) scenario: String,
    /// Replay a recorded trace in place of the scenario's clients: a file, or `-` for stdin, as text or gzip. Without
    /// a horizon and a warm-up in the scenario, the whole trace is measured until all its requests are done
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<String>,
    /// Name the columns or keys of the trace, such as `arrival:ms=t,prompt=in,output=out`; `tokenyard trace` shows them
    #[arg(long, value_name = "WHAT=COLUMN,…")]
    pub(crate) columns: Option<String>,
    /// Take admission, priority, routing and scheduler from a policy bundle, or routing from llm-d's
    /// `EndpointPickerConfig` (YAML); stderr lists what each key becomes
    #[arg(long, value_name = "FILE")]
    pub(crate) policies: Option<String>,
    /// Set a field before the run, such as `cluster.pools[0].replicas=8` or `cluster.routing=random`, or `seed=random` for a fresh seed; may be repeated
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
    /// Accept a GPU of which nothing is known but its peaks: its step times are a guess
    #[arg(long)]
    pub(crate) allow_guess: bool,
}

impl Input {
    /// A scenario without changes.
    pub(crate) fn of(scenario: &str) -> Self {
        let scenario = scenario.to_owned();
        Self { scenario, trace: None, columns: None, policies: None, set: Vec::new(), allow_guess: false }
    }
}

/// Help of the scenario argument, with the built-in names.
pub(crate) fn scenario_help() -> String {
    let names: Vec<&str> = PRESETS.iter().map(|p| p.name).collect();
    format!(
        "A JSON or YAML file, `-` for stdin, a link in quotes, or the name of a built-in scenario: {}",
        names.join(", ")
    )
}
