//! Lessons: steps beside the live page, with questions, tasks and claims that the engine checks over seeds.
//!
//! A lesson is a document ([`Lesson`]). [`Lesson::open_step`] says what the page shows at a step, [`Lesson::cases`]
//! which runs its figures rest on, and [`Lesson::judge`] what came of them. The page makes the runs in its own threads,
//! the command line on all cores: the same cases, the same figures.

mod document;
mod judge;
mod meaning;
mod open;
#[cfg(feature = "cli")]
mod run;
mod runs;

pub use document::{
    Axis, ChooseAnswer, ChooseQuestion, DrawQuestion, Lesson, LessonClaim, LessonFigure, LessonLook,
    LessonRun, LessonScenario, LessonStep, LessonTask, NumberQuestion, OrderItem, OrderQuestion, Question,
    StepType,
};
pub use judge::{
    ClaimVerdict, CurvePoint, CurveVerdict, FigureVerdict, Guess, GuessRow, GuessVerdict, StepVerdict,
};
pub use open::OpenedStep;
#[cfg(feature = "cli")]
pub use run::run_case;
pub use runs::{CaseFigures, LessonCase};

mod reading;
pub use reading::LessonRead;
