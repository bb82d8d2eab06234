//! Reports of recovery in sentences.

use std::io::{self, Write};

use lanedrop::recover::{Hypothesis, Report, Verdict};

/// The most hypotheses that are listed one by one.
const MOST_LISTED: usize = 12;

/// Returns a probability given by its log2 in words.
pub(super) fn chance(log2: f64) -> String {
    if log2 > -1.0 { "easily".into() } else { format!("with a chance of 2^{log2:.0} at most") }
}

/// Writes what a report says.
pub(super) fn write(out: &mut impl Write, device: &str, report: &Report) -> io::Result<()> {
    writeln!(out, "{device}: {}", report.verdict.as_str())?;
    writeln!(out, "{}", headline(report))?;
    if let Some(polynomial) = &report.minimal_polynomial {
        write!(out, "Minimal polynomial of the linear part: 0x{polynomial}.")?;
        match &report.order {
            Some(order) => writeln!(out, " Period: {order}.")?,
            None => writeln!(out)?,
        }
    }
    hypotheses(out, report)?;
    if report.inseparable {
        writeln!(out, "No mask capture could ever tell these apart.")?;
    }
    if let Some(word) = &report.zero_seed_becomes {
        writeln!(out, "A zero seed is replaced by {word}.")?;
    }
    if let Some(layout) = report.layout.as_deref().filter(|layout| *layout != "as-is") {
        writeln!(out, "Lanes and elements stand in another order than the file says: {layout}.")?;
    }
    if report.shared_stream == Some(true) {
        writeln!(out, "All lanes draw from one register.")?;
    }
    if let Some(lcg) = &report.lcg {
        writeln!(out, "x = {} * x + {} modulo 2^32.", lcg.multiplier, lcg.increment)?;
    }
    for slip in &report.slips {
        let what = if slip.gap > 0 { "lost" } else { "doubled" };
        writeln!(
            out,
            "Capture {}, lane {}: {} elements {what} before element {}.",
            slip.capture,
            slip.lane,
            slip.gap.unsigned_abs(),
            slip.element
        )?;
    }
    if let (Some(misses), Some(rate)) = (report.mismatches, report.flip_rate) {
        writeln!(out, "Replay: {misses} bits differ ({:.3} %).", rate * 100.0)?;
    }
    if report.checks > 0 {
        write!(out, "{} redundant equations held.", report.checks)?;
        match report.false_positive_log2 {
            Some(bound) => writeln!(out, " Wrong {}.", chance(bound))?,
            None => writeln!(out)?,
        }
    }
    for remark in &report.remarks {
        writeln!(out, "Note: {remark}.")?;
    }
    if let Some(next) = &report.next_capture {
        write!(out, "Next: {} elements a lane, {}", next.num_elements, next.threshold_type)?;
        if let Some(bits) = &next.threshold_bits {
            write!(out, " 0x{bits}")?;
        }
        if let Some(splits) = next.splits {
            write!(out, ", from element {} on; {splits} bits would differ", next.start_element)?;
        }
        writeln!(out, " ({}).", next.purpose)?;
    }
    Ok(())
}

fn headline(report: &Report) -> String {
    let rank = report.observable_rank.unwrap_or(0);
    match report.verdict {
        Verdict::Affine | Verdict::Linear => {
            "The map of a draw is known in full and tied to the seeds.".into()
        }
        Verdict::AffineUnverified | Verdict::LinearUnverified => {
            "A map of a draw fits, but too few equations were redundant to trust it.".into()
        }
        Verdict::LinearUnanchored => "A map fits, but nothing ties it to the seeds.".into(),
        Verdict::LinearOnObservableQuotient => {
            format!(
                "The captures see {rank} of 32 dimensions of the state and never will see more."
            )
        }
        Verdict::Ambiguous => "Several models fit.".into(),
        Verdict::MinimalPolynomialOnly => {
            "With unknown seeds the polynomial of the recurrence is determined.".into()
        }
        Verdict::UnderDetermined => "The captures say too little.".into(),
        Verdict::NotGf2Affine => "The raw draws are not affine over GF(2).".into(),
        Verdict::RejectedStructured => {
            "The masks are nearly those of a linear register, but it is not noise that differs."
                .into()
        }
        Verdict::RejectedNotLinear => "The masks come from no affine recurrence of 32 bits.".into(),
    }
}

fn hypotheses(out: &mut impl Write, report: &Report) -> io::Result<()> {
    if report.hypotheses.is_empty() {
        return Ok(());
    }
    let families = report.searched.families.join(", ");
    writeln!(
        out,
        "Searched: {families}, up to {} steps a draw. Fitting:",
        report.searched.max_steps
    )?;
    for hypothesis in report.hypotheses.iter().take(MOST_LISTED) {
        writeln!(out, "  {}", sentence(hypothesis))?;
    }
    if let more @ 1.. = report.hypotheses.len().saturating_sub(MOST_LISTED) {
        writeln!(out, "  and {more} more (--json lists all)")?;
    }
    Ok(())
}

fn sentence(hypothesis: &Hypothesis) -> String {
    let uniforms: Vec<_> = hypothesis.uniform.iter().map(|uniform| uniform.as_str()).collect();
    let compares: Vec<_> = hypothesis.compare.iter().map(|compare| compare.as_str()).collect();
    let draw = hypothesis.draw.map_or("before or after", |draw| draw.as_str());
    let alias = if hypothesis.reverse_alias { " (the first one backwards)" } else { "" };
    format!(
        "{}{alias}, {} steps a draw, drawn {draw} them; {}; {}",
        hypothesis.generator,
        hypothesis.steps_per_draw,
        uniforms.join("|"),
        compares.join("|")
    )
}
