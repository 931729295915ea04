//! The arguments of `tokenyard export`.

use crate::args::input::Input;
use clap::ValueEnum;
use config::export::System;
use std::path::PathBuf;

/// Arguments of `export`.
#[derive(clap::Args)]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The system
    #[arg(long = "as", value_enum, value_name = "SYSTEM")]
    pub(crate) system: SystemName,
    /// A file of that system: it is changed where the scenario says something else, and keeps what is not simulated;
    /// stderr has the lines that differ
    #[arg(long, value_name = "FILE")]
    pub(crate) beside: Option<String>,
    /// Print the lines, the settings one by one and the file as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write to this file in place of stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// A system whose configuration is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SystemName {
    /// The router of llm-d and the Gateway API (`EndpointPickerConfig`)
    Epp,
    /// Engines: `vllm serve`
    Vllm,
    /// The frontend of NVIDIA Dynamo
    Dynamo,
    /// SGLang's router
    Smg,
    /// `HorizontalPodAutoscaler`
    Hpa,
    /// `ScaledObject` of KEDA
    Keda,
    /// `VariantAutoscaling` and `ConfigMap` of llm-d's autoscaler
    Wva,
    /// A policy bundle of BLIS
    Blis,
}

impl From<SystemName> for System {
    fn from(name: SystemName) -> Self {
        match name {
            SystemName::Epp => Self::Epp,
            SystemName::Vllm => Self::Vllm,
            SystemName::Dynamo => Self::Dynamo,
            SystemName::Smg => Self::Smg,
            SystemName::Hpa => Self::Hpa,
            SystemName::Keda => Self::Keda,
            SystemName::Wva => Self::Wva,
            SystemName::Blis => Self::Blis,
        }
    }
}
