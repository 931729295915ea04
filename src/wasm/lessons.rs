//! The boundary of lessons, in the module that compares runs: a lesson in, what its steps show, the runs that they rest on, and what
//! came of these. The page makes the runs in threads of their own.

use crate::wasm::boundary::{value, written};
use base::{Diagnostic, Diagnostics};
use document::{limits, value_from_json};
use study::lesson::{CaseFigures, Guess, Lesson};
use wasm_bindgen::prelude::*;

/// Types that the declarations below use.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r"
type LessonRead = import('../src/generated/boundary.ts').LessonRead;
type LessonCase = import('../src/generated/boundary.ts').LessonCase;
type CaseFigures = import('../src/generated/boundary.ts').CaseFigures;
type StepVerdict = import('../src/generated/boundary.ts').StepVerdict;
type Guess = import('../src/generated/boundary.ts').Guess;
";

/// A lesson that was opened.
#[wasm_bindgen]
pub struct OpenLesson {
    lesson: Lesson,
    read: JsValue,
}

#[wasm_bindgen]
impl OpenLesson {
    /// Reads a lesson, JSON text; throws a list of diagnostics.
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str) -> Result<Self, JsValue> {
        let read = || {
            if text.len() > limits::LESSON_BYTES {
                let found = format!("{} bytes", text.len());
                let allowed = format!("at most {}", limits::LESSON_BYTES);
                return Err(vec![Diagnostic::error("", found, allowed, "shorten its scenarios")]);
            }
            Lesson::read_for_page(value_from_json(text)?)
        };
        let read = read().map_err(|problems: Diagnostics| value(&problems))?;
        Ok(Self { read: value(&read), lesson: read.lesson })
    }

    /// What the page shows of it.
    #[wasm_bindgen(unchecked_return_type = "LessonRead")]
    pub fn read(&self) -> JsValue {
        self.read.clone()
    }

    /// The runs of a step; throws a list of diagnostics.
    #[wasm_bindgen(unchecked_return_type = "LessonCase[]")]
    pub fn cases(&self, step: u32) -> Result<JsValue, JsValue> {
        let cases = self.lesson.cases(self.within(step));
        cases.map(|cases| value(&cases)).map_err(|problems| value(&problems))
    }

    /// What the runs that have ended show, and what became of the reader's guess; throws a list of diagnostics.
    #[wasm_bindgen(unchecked_return_type = "StepVerdict")]
    pub fn judge(
        &self,
        step: u32,
        #[wasm_bindgen(unchecked_param_type = "CaseFigures[]")] ended: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Guess | undefined")] guess: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let wrong = |e: JsError| JsValue::from(e);
        let ended: Vec<CaseFigures> = written(ended).map_err(wrong)?;
        let guess: Option<Guess> = written(guess).map_err(wrong)?;
        let verdict = self.lesson.judge(self.within(step), &ended, guess.as_ref());
        verdict.map(|verdict| value(&verdict)).map_err(|problems| value(&problems))
    }

    fn within(&self, step: u32) -> usize {
        (step as usize).min(self.lesson.steps.len().saturating_sub(1))
    }
}
