//! What-if questions about one run. They have an engine of their own and run in a thread of their own, so that the run on screen continues.

use crate::whatif::{Asking, ExplainQuery, Explaining, Explanation, WhatIf, WhatIfQuery};
use base::ask::{AttachedBytes, Attachments};
use base::{Diagnostic, Diagnostics};
use document::{Scenario, parse};
use run::session::Trace;
use run::session::questions::packed_trace;
use serde::Deserialize;
use std::sync::Arc;

questions! {
    /// A question about decisions of a run, or about its slow requests.
    WhatIfQuestion, WhatIfAnswers of &mut WhatIfDesk;
    /// Takes the run that the questions after it are about; they are refused if it is.
    run: Run(AskedRun) -> () = |desk, run, beside| {
        desk.run = Some(run.begun(&beside.asked));
        Ok(())
    };
    /// One decision and its alternatives.
    what_if: WhatIf(WhatIfQuery) -> WhatIf =
        |desk, query, _| desk.run()?.asking()?.what_if(&query).map_err(|problem| vec![problem]);
    /// Runs ahead what such a question needs, so that its answer comes sooner.
    prepare: Prepare(WhatIfQuery) -> () = |desk, query, _| {
        desk.run()?.asking()?.prepare(&query);
        Ok(())
    };
    /// Why slow requests are slow.
    explain: Explain(ExplainQuery) -> Explanation = |desk, query, _| desk.run()?.explained(query).cloned();
    /// The same as Markdown.
    explain_markdown: ExplainMarkdown(ExplainQuery) -> String = |desk, query, _| {
        let run = desk.run()?;
        let title = run.scenario.title.clone();
        Ok(run.explained(query)?.markdown(&title))
    };
}

/// The run that questions are about.
#[derive(Default)]
pub struct WhatIfDesk {
    run: Option<Result<RunInQuestion, Diagnostics>>,
}

/// A run for questions.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskedRun {
    /// The scenario, JSON text.
    scenario: String,
    /// The packed rows of the trace that it replays.
    #[cfg_attr(feature = "types", ts(optional))]
    trace: Option<AttachedBytes>,
}

impl AskedRun {
    fn begun(&self, asked: &Attachments) -> Result<RunInQuestion, Diagnostics> {
        let rows = |named| packed_trace(asked.get(named));
        let (scenario, trace) = (parse(&self.scenario)?, self.trace.map(rows).transpose()?);
        Ok(RunInQuestion { scenario, trace, asking: None, explained: None })
    }
}

/// A run, and what was found out about it.
struct RunInQuestion {
    scenario: Scenario,
    trace: Option<Arc<Trace>>,
    /// The run so far: later questions about its decisions use its checkpoints.
    asking: Option<Asking>,
    /// The latest explanation, and its question.
    explained: Option<(ExplainQuery, Explanation)>,
}

impl WhatIfDesk {
    fn run(&mut self) -> Result<&mut RunInQuestion, Diagnostics> {
        match &mut self.run {
            Some(Ok(run)) => Ok(run),
            Some(Err(problems)) => Err(problems.clone()),
            None => Err(vec![Diagnostic::error("", "no run", "a run", "give the run first")]),
        }
    }
}

impl RunInQuestion {
    fn explained(&mut self, asked: ExplainQuery) -> Result<&Explanation, Diagnostics> {
        let known = self.explained.take().filter(|(query, _)| *query == asked);
        let found = if let Some((_, found)) = known {
            found
        } else {
            let (mut explaining, _) = Explaining::new(self.scenario.clone(), self.trace.clone())?;
            explaining.explain(&asked).map_err(|problem| vec![problem])?
        };
        Ok(&self.explained.insert((asked, found)).1)
    }

    fn asking(&mut self) -> Result<&mut Asking, Diagnostics> {
        match &mut self.asking {
            Some(asking) => Ok(asking),
            none => Ok(none.insert(Asking::new(self.scenario.clone(), self.trace.clone())?.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::ask::{Beside, Refusal, ask};
    use document::preset::Preset;
    use document::to_json;

    fn asked(desk: &mut WhatIfDesk, question: &str) -> Result<String, Refusal> {
        let answer =
            ask(question, Attachments::default(), |question: WhatIfQuestion, beside: &mut Beside| {
                question.answer(desk, beside)
            });
        answer.map(|answer| answer.text)
    }

    #[test]
    fn questions_without_a_run_or_about_a_refused_one_are_refused() {
        let (mut desk, question) = (WhatIfDesk::default(), r#"{"prepare":{"request":1}}"#);
        assert!(matches!(asked(&mut desk, question), Err(Refusal::Refused(_))));
        let sound = to_json(&Preset::named("chat-4xh100").expect("a built-in scenario").scenario());
        for (scenario, fits) in [(sound.as_str(), true), (r#"{"seed":-7}"#, false)] {
            let run = serde_json::json!({ "run": { "scenario": scenario } }).to_string();
            assert_eq!(asked(&mut desk, &run), Ok("null".to_owned()));
            assert_eq!(asked(&mut desk, question).is_ok(), fits, "{scenario}");
        }
    }
}
