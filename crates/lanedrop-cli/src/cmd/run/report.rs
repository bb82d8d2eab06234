//! What a run tells: lints, a summary for people, JSON for programs.

use std::fmt;

use lanedrop::exec::{Element, Runner};
use lanedrop::lint::Lint;
use lanedrop::rng::Cut;
use serde_json::{Value, json};

use crate::cmd::run::args::Args;
use crate::cmd::run::plan::Plan;
use crate::io::input::Tensor;
use crate::io::npy::shape_text;
use crate::profiles;

/// A finished run.
pub(crate) struct Report<'a> {
    pub(crate) args: &'a Args,
    pub(crate) plan: &'a Plan,
    pub(crate) tensor: &'a Tensor,
    pub(crate) runner: &'a Runner,
    pub(crate) lints: Vec<Lint>,
    pub(crate) seconds: f64,
}

/// Says remarks and lints on standard error. The correlation of a register is
/// a line of the summary, where there is one: it concerns every run of a profile.
pub(crate) fn say(args: &Args, remarks: &[String], lints: &[Lint]) {
    for remark in remarks {
        eprintln!("note: {remark}");
    }
    for lint in lints.iter().filter(|lint| args.json || !in_summary(lint)) {
        eprintln!("warning: {lint} [{}]", lint.name());
    }
}

fn in_summary(lint: &Lint) -> bool {
    matches!(lint, Lint::SerialCorrelation { .. })
}

impl Report<'_> {
    /// Returns the exact share of uniform draws that are dropped, where one
    /// threshold serves all lanes.
    fn effective_rate(&self) -> Option<f64> {
        self.plan.rate.map(|rate| {
            let profile = self.plan.lanes.profile();
            let threshold_type = self.plan.job.threshold_type;
            Cut::new(profile.uniform, profile.compare, threshold_type, rate.threshold)
                .effective_rate()
        })
    }

    fn draws_per_lane(&self) -> u64 {
        let job = &self.plan.job;
        job.rows.div_ceil(self.plan.lanes.lanes() as u64) * job.row_len
    }

    /// Returns the result for programs.
    pub(crate) fn json(&self) -> Value {
        let job = &self.plan.job;
        let lints: Vec<Value> = self
            .lints
            .iter()
            .map(|lint| json!({"lint": lint.name(), "says": lint.to_string()}))
            .collect();
        json!({
            "shape": self.tensor.shape,
            "dtype": self.tensor.element.name(),
            "rate": self.plan.rate.map(|rate| rate.given),
            "threshold_type": job.threshold_type.code(),
            "profile": self.plan.lanes.profile().name,
            "assumptions": profiles::assumed(self.plan.lanes.profile()),
            "kept": self.runner.kept(),
            "dropped": self.runner.dropped(),
            "effective_rate": self.effective_rate(),
            "nominal_rate": self.plan.rate.map(|_| self.plan.nominal[0]),
            "draws_per_lane": self.draws_per_lane(),
            "seconds": self.seconds,
            "backend": job.backend.name(),
            "threads": job.threads,
            "lints": lints,
        })
    }

    fn rows_line(&self) -> String {
        let (job, lanes) = (&self.plan.job, self.plan.lanes.lanes() as u64);
        if self.tensor.elements() == 0 {
            return "none: an empty tensor draws nothing and leaves every lane as it was".into();
        }
        let tiles = job.rows.div_ceil(lanes);
        match self.tensor.shape.len() {
            0 => "a single element, on lane 0".into(),
            1 => format!("1 of {}: a 1-D tensor is one row, on lane 0", count(job.row_len)),
            _ => format!(
                "{} of {}: row r is on lane r mod {lanes}, {}",
                count(job.rows),
                count(job.row_len),
                if tiles == 1 {
                    "in one tile".into()
                } else {
                    format!("in {} tiles", count(tiles))
                }
            ),
        }
    }

    fn rate_line(&self) -> String {
        let polarity = if self.args.keep { "keep" } else { "drop" };
        match (self.plan.rate, self.effective_rate()) {
            (Some(rate), Some(effective)) => format!(
                "{polarity} {} (as float32 {}); a draw is dropped with probability {effective}",
                rate.given,
                f64::from(rate.threshold)
            ),
            _ => format!("{polarity} rates of {} lanes, one each", self.plan.lanes.lanes()),
        }
    }

    fn start_line(&self) -> String {
        match (self.plan.seed, &self.args.start.state) {
            (Some(seed), _) => format!("seed {seed}"),
            (None, Some(path)) => format!("the state in {}", path.display()),
            (None, None) => "the firmware's default words".into(),
        }
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kept, dropped) = (self.runner.kept(), self.runner.dropped());
        let share = |part: u64| 100.0 * part as f64 / (kept + dropped).max(1) as f64;
        let element = self.tensor.element;
        let mut line = |name: &str, text: &dyn fmt::Display| writeln!(f, "{name:<10}{text}");
        line(
            "tensor",
            &format_args!(
                "{}: {} {}, {} elements",
                self.args.tensor,
                element.name(),
                shape_text(&self.tensor.shape),
                count(kept + dropped)
            ),
        )?;
        line("rows", &self.rows_line())?;
        line("rate", &self.rate_line())?;
        let multiplied = match (self.args.scale, self.plan.rate) {
            (true, Some(_)) => {
                let factor = self.runner.factors()[0];
                format!("multiplied by {factor} afterwards")
            }
            (true, None) => "multiplied by one factor a lane afterwards".into(),
            (false, _) => "bit for bit as they were".into(),
        };
        line("kept", &format_args!("{} ({:.3} %), {multiplied}", count(kept), share(kept)))?;
        let zero = format_args!("{} ({:.3} %), now all-zero bits", count(dropped), share(dropped))
            .to_string();
        line("dropped", &zero)?;
        let profile = self.plan.lanes.profile();
        line(
            "lanes",
            &format_args!(
                "{}, from {}; at most {} draws a lane",
                self.plan.lanes.lanes(),
                self.start_line(),
                count(self.draws_per_lane())
            ),
        )?;
        match profile.about() {
            Some(about) => line("profile", &format_args!("{}: {about}", profile.name))?,
            None => line("profile", &format_args!("{}, from {}", profile.name, self.args.profile))?,
        }
        let assumed = profiles::assumed(self.plan.lanes.profile());
        if !assumed.is_empty() {
            line(
                "assumed",
                &format_args!(
                    "{}; see `lanedrop profile show {}`",
                    assumed.join(", "),
                    self.args.profile
                ),
            )?;
        }
        for lint in self.lints.iter().filter(|lint| in_summary(lint)) {
            line("note", lint)?;
        }
        if self.args.scale && element == Element::F8E4M3FN {
            line("note", &"float8_e4m3fn has no infinity: a product beyond 448 is its NaN")?;
        }
        line(
            "output",
            &format_args!(
                "{}, {:.3} s on {} with {} thread{}",
                self.args.output.display(),
                self.seconds,
                self.plan.job.backend.name(),
                self.plan.job.threads,
                if self.plan.job.threads == 1 { "" } else { "s" }
            ),
        )
    }
}

/// Returns a number with its digits in groups of three.
fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
