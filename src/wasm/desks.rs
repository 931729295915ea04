//! The desks of the page's modules: each answers the questions of one thread. The tables of questions are where their answers are made.

use crate::wasm::boundary::answered;
use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;

/// A class of the module: a desk with the questions that it answers.
macro_rules! desk {
    ($name:ident of $desk:ty, $question:ty) => {
        /// Answers the questions of one thread.
        #[wasm_bindgen]
        #[derive(Default)]
        pub struct $name($desk);

        #[wasm_bindgen]
        impl $name {
            /// A desk that was asked nothing yet.
            #[wasm_bindgen(constructor)]
            pub fn new() -> Self {
                Self::default()
            }

            /// The answer to a question, JSON text, with the bytes that it names: the bytes of JSON text, then those that this names. Throws a
            /// list of diagnostics if it is refused.
            #[wasm_bindgen(unchecked_return_type = "Uint8Array<ArrayBuffer>[]")]
            pub fn ask(
                &mut self,
                question: &str,
                named: Vec<Uint8Array>,
            ) -> Result<Vec<Uint8Array>, JsValue> {
                answered(question, named, |question: $question, beside| question.answer(&mut self.0, beside))
            }
        }
    };
}

#[cfg(feature = "lessons")]
desk!(ComparisonDesk of study::questions::comparison::ComparisonDesk, study::questions::comparison::ComparisonQuestion);

#[cfg(feature = "links")]
desk!(LinkDesk of study::questions::links::LinkDesk, study::questions::links::LinkQuestion);

#[cfg(feature = "theory")]
desk!(TheoryDesk of study::questions::theory::TheoryDesk, study::questions::theory::TheoryQuestion);

#[cfg(feature = "whatif")]
desk!(WhatIfDesk of study::questions::whatif::WhatIfDesk, study::questions::whatif::WhatIfQuestion);

#[cfg(feature = "measured")]
desk!(MeasuredDesk of benchmarks::questions::MeasuredDesk, benchmarks::questions::MeasuredQuestion);

#[cfg(feature = "exchange")]
desk!(ExchangeDesk of config::questions::ExchangeDesk, config::questions::ExchangeQuestion);
