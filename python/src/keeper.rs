//! What only one thread may have, such as a run: it lives in a thread of its own, which gets questions and answers them.
//! While Python waits for an answer its other threads run, and Ctrl-C ends what is under way.

use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// How long Python waits between two looks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);

/// Whether an answer is still wanted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted(Arc<AtomicBool>);

impl Wanted {
    /// Whether Ctrl-C was pressed: what is under way is to end.
    pub(crate) fn is_over(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

type Question<T> = Box<dyn FnOnce(&mut T) + Send>;

/// A value in a thread of its own.
pub(crate) struct Keeper<T> {
    questions: Sender<Question<T>>,
    /// The process that has the thread: a fork has none.
    process: u32,
}

impl<T: 'static> Keeper<T> {
    /// Makes the value in its thread.
    pub(crate) fn new<E: Send + 'static>(
        py: Python<'_>,
        make: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> PyResult<Result<Self, E>> {
        let (questions, asked) = mpsc::channel::<Question<T>>();
        let (tell, found) = mpsc::channel();
        let body = move || {
            let mut value = match make() {
                Ok(value) => value,
                Err(e) => {
                    let _ = tell.send(Err(e));
                    return;
                }
            };
            if tell.send(Ok(())).is_ok() {
                for question in asked {
                    question(&mut value);
                }
            }
        };
        thread::Builder::new()
            .name("tokenyard".to_owned())
            .spawn(body)
            .map_err(|e| PyOSError::new_err(format!("the system gives no thread: {e}")))?;
        let found = wait(py, found, &Wanted::default())?;
        Ok(found.map(|()| Self { questions, process: process::id() }))
    }

    /// The answer to a question. A long one looks at times whether it is still wanted.
    pub(crate) fn ask<R: Send + 'static>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&mut T, &Wanted) -> R + Send + 'static,
    ) -> PyResult<R> {
        if process::id() != self.process {
            return Err(PyRuntimeError::new_err(
                "this run belongs to another process; start it anew in this one",
            ));
        }
        let (answer, found) = mpsc::channel();
        let wanted = Wanted::default();
        let asked = wanted.clone();
        let question = move |value: &mut T| {
            let _ = answer.send(question(value, &asked));
        };
        self.questions.send(Box::new(question)).map_err(|_| ended())?;
        wait(py, found, &wanted)
    }
}

/// Does work in a thread of its own.
pub(crate) fn apart<R: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Wanted) -> R + Send + 'static,
) -> PyResult<R> {
    let keeper = Keeper::new(py, || Ok::<(), ()>(()))?.map_err(|()| ended())?;
    keeper.ask(py, |(), wanted| work(wanted))
}

fn ended() -> PyErr {
    PyRuntimeError::new_err("the simulation ended by an error of its own; its message is on standard error")
}

/// Waits for an answer without the interpreter. After Ctrl-C it is waited for once more, so that nothing goes on behind.
fn wait<R: Send>(py: Python<'_>, mut answers: Receiver<R>, wanted: &Wanted) -> PyResult<R> {
    let mut pressed = None;
    loop {
        let (back, answer) = py.detach(move || {
            let answer = answers.recv_timeout(LOOK);
            (answers, answer)
        });
        answers = back;
        match (answer, pressed.take()) {
            (Ok(_) | Err(RecvTimeoutError::Disconnected), Some(pressed)) => return Err(pressed),
            (Ok(answer), None) => return Ok(answer),
            (Err(RecvTimeoutError::Disconnected), None) => return Err(ended()),
            (Err(RecvTimeoutError::Timeout), before) => {
                pressed = before.or(py.check_signals().err());
                if pressed.is_some() {
                    wanted.0.store(true, Ordering::Relaxed);
                }
            }
        }
    }
}
