//! Lessons: steps beside the live page, with questions, tasks and claims that the engine checks over seeds.
//!
//! A lesson is a document ([`Lesson`]). [`Lesson::open_step`] says what the page shows at a step, [`Lesson::cases`]
//! which runs its figures rest on, and [`Lesson::judge`] what came of them. The page makes the runs in its own threads,
//! the command line on all cores: the same cases, the same figures.

#[cfg(any(feature = "cli", feature = "lessons"))]
mod document;
mod figures;
#[cfg(any(feature = "cli", feature = "lessons"))]
mod judge;
#[cfg(any(feature = "cli", feature = "closeup"))]
mod live;
#[cfg(any(feature = "cli", feature = "lessons"))]
mod meaning;
#[cfg(any(feature = "cli", feature = "lessons"))]
mod open;
#[cfg(feature = "cli")]
mod run;
#[cfg(any(feature = "cli", feature = "lessons"))]
mod runs;

#[cfg(any(feature = "cli", feature = "lessons"))]
pub use document::{
    Axis, ChooseAnswer, ChooseQuestion, DrawQuestion, Lesson, LessonClaim, LessonFigure, LessonLook,
    LessonRun, LessonScenario, LessonStep, LessonTask, NumberQuestion, OrderItem, OrderQuestion, Question,
    StepType,
};
pub use figures::{Figure, Gives, LIVE_ROOTS, number_at, place_at};
#[cfg(any(feature = "cli", feature = "lessons"))]
pub use judge::{
    ClaimVerdict, CurvePoint, CurveVerdict, FigureVerdict, Guess, GuessRow, GuessVerdict, StepVerdict,
};
#[cfg(any(feature = "cli", feature = "closeup"))]
pub use live::live_figures;
#[cfg(any(feature = "cli", feature = "lessons"))]
pub use open::OpenedStep;
#[cfg(feature = "cli")]
pub use run::run_case;
#[cfg(any(feature = "cli", feature = "lessons"))]
pub use runs::{CaseFigures, LessonCase};

#[cfg(any(feature = "cli", feature = "lessons"))]
mod reading;
#[cfg(any(feature = "cli", feature = "lessons"))]
pub use reading::LessonRead;
