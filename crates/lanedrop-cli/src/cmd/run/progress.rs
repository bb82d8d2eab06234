//! How far a run has come, for people who watch.

use std::cell::Cell;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on the terminal, once a run has taken more than a second.
pub(crate) struct Progress {
    bar: ProgressBar,
    start: Instant,
    shown: Cell<bool>,
}

impl Progress {
    /// Starts the clock of a run over this many bytes.
    pub(crate) fn new(total_bytes: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total_bytes), ProgressDrawTarget::hidden());
        let template =
            "{bar:40} {percent:>3}%  {bytes} of {total_bytes}  {bytes_per_sec}  {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar, start: Instant::now(), shown: Cell::new(!std::io::stderr().is_terminal()) }
    }

    /// Says how many bytes are done.
    pub(crate) fn done(&self, bytes: u64) {
        self.bar.set_position(bytes);
        if !self.shown.get() && self.start.elapsed() > Duration::from_secs(1) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.shown.set(true);
        }
    }

    /// Takes the bar away; returns the seconds since the start.
    pub(crate) fn finish(&self) -> f64 {
        self.bar.finish_and_clear();
        self.start.elapsed().as_secs_f64()
    }
}
