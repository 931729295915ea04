//! Import of a chart's values: the configuration of llm-d's router stands in them as a text, such as under
//! `inferenceExtension.pluginsCustomConfig`.

use crate::epp::read::ENDPOINT_PICKER_CONFIG;
use crate::epp::read::plugins::refresh;
use crate::import::configuration::reader::Unknown;
use crate::import::configuration::{Configuration, Reader, Report, Settings, embedded};
use crate::kubernetes::inference_objective::InferenceObjective;
use crate::kubernetes::object::is_object;
use base::import::Import;
use serde_json::Value;

/// Values with a router's configuration.
pub(crate) struct RouterValues;

impl Import<Configuration> for RouterValues {
    fn name(&self) -> &'static str {
        "router-values"
    }

    fn title(&self) -> &'static str {
        "values of a chart with a router"
    }

    fn recognises(&self, source: &Value) -> bool {
        let is_one = source.is_object() && !is_object(source) && source.get("words").is_none();
        is_one && !embedded::places(source, &ENDPOINT_PICKER_CONFIG).is_empty()
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        let places = embedded::places(source, &ENDPOINT_PICKER_CONFIG);
        for at in &places {
            let (section, file) = at
                .rsplit_once(".pluginsCustomConfig.")
                .unwrap_or_else(|| ("", at.strip_prefix("pluginsCustomConfig.").unwrap_or(at)));
            let named_at = if section.is_empty() {
                "pluginsConfigFile".to_owned()
            } else {
                format!("{section}.pluginsConfigFile")
            };
            let named = r.word(&named_at);
            if named.is_some_and(|named| named != file) && places.len() > 1 {
                r.without_counterpart(at, "pluginsConfigFile names another one");
                continue;
            }
            if !r.mappings.iter().any(|m| m.key == named_at) {
                r.shape(&named_at, "the configuration that the router reads");
            }
            embedded::read(&mut r, at, &ENDPOINT_PICKER_CONFIG);
            flags(&mut r, &format!("{section}.flags"));
        }
        for at in embedded::places(source, &InferenceObjective) {
            embedded::read(&mut r, &at, &InferenceObjective);
        }
        r.without_counterpart_of_rest("", "only the configuration of the router is read from values");
        r.finish(Unknown::LeftOut, report);
        Settings::default()
    }
}

/// The flags of the router that are read.
fn flags(r: &mut Reader<'_>, at: &str) {
    for key in ["refresh-metrics-interval", "refreshMetricsInterval", "metrics-refresh-interval"] {
        let path = format!("{at}.{key}");
        if r.get(&path).is_some() {
            refresh(r, &path);
        }
    }
}
