//! From captures to an answer: which way of solving fits what is known.

use super::words::Outcome;
use super::{CaptureFile, Report, Verdict, raw, single, streams, words};

/// Finds out which generator the captures come from.
///
/// What a report states is backed by equations that would not have held by
/// chance, to the bound in `false_positive_log2`; what they do not settle is
/// left open.
pub fn solve(file: &CaptureFile) -> Report {
    let any = |seen: fn(&super::Capture) -> bool| file.captures.iter().any(seen);
    if file.captures.is_empty() {
        let mut report = Report::new(Verdict::UnderDetermined);
        report.remarks.push("the file holds no capture".into());
        report.next_capture = Some(streams::half_capture(64));
        return report;
    }
    if any(|capture| capture.draws.is_some()) {
        return raw::solve(file);
    }
    if any(|capture| capture.seeds.is_some()) {
        return with_words(file);
    }
    if any(|capture| capture.seed.is_some()) {
        return single::solve(file);
    }
    streams::solve(file)
}

/// Solves captures of which some have known words.
fn with_words(file: &CaptureFile) -> Report {
    match words::solve(file) {
        Outcome::Answer(report) => *report,
        Outcome::TooAlike { rank, constant } => {
            let named = (24..32).contains(&rank).then(|| single::by_name(file, rank)).flatten();
            named.unwrap_or_else(|| too_alike(rank, constant))
        }
        Outcome::NoFit => {
            let mut report = streams::solve(file);
            if !report.verdict.is_finding() {
                report.remarks.push(
                    "the streams obey a recurrence but are no affine function of the seeds: the \
                     device does not start its lanes from these words"
                        .into(),
                );
            }
            report
        }
    }
}

fn too_alike(rank: u32, constant: bool) -> Report {
    let mut report = Report::new(Verdict::UnderDetermined);
    report.observable_rank = Some(rank);
    report.remarks.push(if rank == 32 && !constant {
        "a constant is not separable: no sum of an even number of these words is 0, as with words \
         that are all odd; random words would do"
            .into()
    } else {
        format!("the lanes' words span {rank} of 32 dimensions; random words would do")
    });
    report.next_capture = Some(super::NextCapture {
        purpose: "random and dense words, one a lane".into(),
        ..streams::half_capture(64)
    });
    report
}
