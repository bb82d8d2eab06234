//! How draws are printed: as a table, or as JSON; never all held at once.

use std::io::{Result, Write};

use lanedrop::rng::Uniform;

/// Takes draws in order, lane after lane.
pub(super) trait Print {
    fn begin(&mut self, out: &mut dyn Write) -> Result<()>;
    /// Takes the draws of `lane` from number `at` on; `first` for the first of
    /// a lane.
    fn draws(
        &mut self,
        out: &mut dyn Write,
        lane: usize,
        at: u64,
        first: bool,
        draws: &[u32],
    ) -> Result<()>;
    fn end_lane(&mut self, out: &mut dyn Write, lane: usize) -> Result<()>;
    fn end(&mut self, out: &mut dyn Write) -> Result<()>;
}

/// A table: lane, number of the first draw in the row, draws.
pub(super) struct Text {
    uniform: Option<Uniform>,
    lane_width: usize,
    at_width: usize,
}

impl Text {
    pub(super) fn new(lanes: usize, last: u64, uniform: Option<Uniform>) -> Self {
        let digits = |n: u64| n.to_string().len();
        Self {
            uniform,
            lane_width: digits(lanes as u64 - 1).max(4),
            at_width: digits(last.saturating_sub(1)).max(4),
        }
    }

    /// Draws in a row.
    fn columns(&self) -> usize {
        if self.uniform.is_some() { 6 } else { 8 }
    }
}

impl Print for Text {
    fn begin(&mut self, out: &mut dyn Write) -> Result<()> {
        let what = if self.uniform.is_some() { "uniforms" } else { "words" };
        let (lane_width, at_width) = (self.lane_width, self.at_width);
        writeln!(out, "{:>lane_width$}  {:>at_width$}  {what}", "lane", "draw")
    }

    fn draws(
        &mut self,
        out: &mut dyn Write,
        lane: usize,
        at: u64,
        _first: bool,
        draws: &[u32],
    ) -> Result<()> {
        let (lane_width, at_width) = (self.lane_width, self.at_width);
        // Blocks are a multiple of the columns long but for a lane's last one.
        let numbers = (at..).step_by(self.columns());
        for (row, number) in draws.chunks(self.columns()).zip(numbers) {
            write!(out, "{lane:>lane_width$}  {number:>at_width$} ")?;
            for (i, &draw) in row.iter().enumerate() {
                match self.uniform {
                    None => write!(out, " {draw:08x}")?,
                    Some(uniform) if i + 1 == row.len() => write!(out, " {:?}", uniform.of(draw))?,
                    Some(uniform) => write!(out, " {:<13}", format!("{:?}", uniform.of(draw)))?,
                }
            }
            writeln!(out)?;
        }
        Ok(())
    }

    fn end_lane(&mut self, _: &mut dyn Write, _: usize) -> Result<()> {
        Ok(())
    }

    fn end(&mut self, _: &mut dyn Write) -> Result<()> {
        Ok(())
    }
}

/// One JSON object, a lane a line.
pub(super) struct Json {
    pub(super) profile: Option<String>,
    pub(super) assumptions: Vec<&'static str>,
    pub(super) algorithm: &'static str,
    pub(super) lanes: usize,
    pub(super) count: u64,
    pub(super) uniform: Option<Uniform>,
}

impl Print for Json {
    fn begin(&mut self, out: &mut dyn Write) -> Result<()> {
        let key = if self.uniform.is_some() { "uniforms" } else { "draws" };
        write!(
            out,
            "{{\"profile\": {}, \"assumptions\": {}, \"algorithm\": \"{}\", \"lanes\": {}, \
             \"count\": {}, \"{key}\": [",
            serde_json::to_string(&self.profile)?,
            serde_json::to_string(&self.assumptions)?,
            self.algorithm,
            self.lanes,
            self.count,
        )
    }

    fn draws(
        &mut self,
        out: &mut dyn Write,
        lane: usize,
        _at: u64,
        first: bool,
        draws: &[u32],
    ) -> Result<()> {
        if first {
            out.write_all(self.opening(lane).as_bytes())?;
        }
        for (i, &draw) in draws.iter().enumerate() {
            let comma = if first && i == 0 { "" } else { ", " };
            match self.uniform {
                None => write!(out, "{comma}{draw}")?,
                // The shortest decimals that read back as the same f32.
                Some(uniform) => write!(out, "{comma}{:?}", uniform.of(draw))?,
            }
        }
        Ok(())
    }

    fn end_lane(&mut self, out: &mut dyn Write, lane: usize) -> Result<()> {
        if self.count == 0 {
            out.write_all(self.opening(lane).as_bytes())?;
        }
        write!(out, "]")
    }

    fn end(&mut self, out: &mut dyn Write) -> Result<()> {
        writeln!(out, "\n]}}")
    }
}

impl Json {
    fn opening(&self, lane: usize) -> &'static str {
        if lane == 0 { "\n  [" } else { ",\n  [" }
    }
}
