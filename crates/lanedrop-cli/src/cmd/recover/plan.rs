//! `lanedrop recover plan`: the experiment for a real device.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use lanedrop::asm;
use lanedrop::isa::Generation;
use lanedrop::recover::{CAPTURE_SCRIPT, Plan, PlanOptions, Report};

use crate::io::npy::{NpyHeader, Order};
use crate::state::{self, Shape, parse_seed};
use crate::{Outcome, input, output};

/// Print the experiment for a real device, and write it out
#[derive(clap::Args)]
#[command(after_help = "\
With -o the folder gets plan.json, capture.py (which runs the plan through the
public NKI calls and saves a capture file), program.bin and program.asm (the
64-byte records), input.npy and a seeds-GROUP.npy for each seed group.

Examples:
  lanedrop recover plan
  lanedrop recover plan --lane-words -o plan
  lanedrop recover solve capture.json --json > report.json
  lanedrop recover plan --lane-words --separate report.json -o next

Exit status: 0 fine, 1 nothing to separate, 2 could not run.")]
pub(crate) struct Args {
    /// Lanes of the device
    #[arg(long, default_value_t = 128)]
    lanes: usize,
    /// Elements a lane of the main captures
    #[arg(long, default_value_t = 128)]
    elements: usize,
    /// Each lane's word can be set, and not one seed for the engine alone (as
    /// on v2 and v3)
    #[arg(long)]
    lane_words: bool,
    /// Thresholds can be given by pointer, one a lane
    #[arg(long)]
    pointer_thresholds: bool,
    /// Raw draws can be read out
    #[arg(long)]
    raw_draws: bool,
    /// Design the one instruction that best splits what a report of `recover
    /// solve --json` leaves open
    #[arg(long, value_name = "REPORT")]
    separate: Option<String>,
    /// Seed of the seeds
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_seed)]
    seed: u32,
    /// The folder that gets the files
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    ensure!((1..=128).contains(&args.lanes), "lanes is {}, expected 1 to 128", args.lanes);
    ensure!(
        (34..=8192).contains(&args.elements),
        "elements is {}, expected 34 to 8192: a recurrence of 32 terms and a check",
        args.elements
    );
    let options = PlanOptions {
        lanes: args.lanes,
        elements: args.elements,
        lane_words: args.lane_words,
        pointer_thresholds: args.pointer_thresholds,
        raw_draws: args.raw_draws,
        seed: args.seed.into(),
    };
    let mut out = output::stdout();
    let plan = match &args.separate {
        None => Plan::new(options),
        Some(name) => {
            let report: Report = serde_json::from_slice(&input::read_all(name)?)
                .with_context(|| format!("{name} is no report of recover solve --json"))?;
            let Some(plan) = Plan::separating(&report, options) else {
                writeln!(out, "The report leaves nothing open that one instruction could split.")?;
                out.flush()?;
                return Ok(Outcome::Findings);
            };
            plan
        }
    };
    if args.json {
        writeln!(out, "{}", plan.manifest())?;
    } else {
        out.write_all(plan.describe().as_bytes())?;
    }
    if let Some(folder) = &args.output {
        write_files(&plan, folder)?;
        eprintln!("the plan is in {}", folder.display());
    }
    out.flush()?;
    Ok(Outcome::Fine)
}

fn write_files(plan: &Plan, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let text = plan.program();
    let words = asm::assemble(&text, Generation::V4)
        .map_err(|error| anyhow::anyhow!("{}", error.with_source(&text)))?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.0).collect();
    output::write_file(&folder.join("program.asm"), text.as_bytes())?;
    output::write_file(&folder.join("program.bin"), &bytes)?;
    output::write_file(&folder.join("plan.json"), format!("{:#}\n", plan.manifest()).as_bytes())?;
    output::write_file(&folder.join("capture.py"), CAPTURE_SCRIPT.as_bytes())?;
    let widest = plan.shots().map(|(_, shot)| shot.num_elements).max().unwrap_or(1);
    write_input(&folder.join("input.npy"), plan.options.lanes, widest)?;
    for (group, words) in &plan.seeds {
        let shape = if plan.options.lane_words { Shape::Lanes } else { Shape::Words(1) };
        state::write(&folder.join(format!("seeds-{group}.npy")), shape, words)?;
    }
    Ok(())
}

/// Writes numbers that are all different, and none of them 0.
fn write_input(path: &Path, lanes: usize, elements: usize) -> Result<()> {
    let shape = vec![lanes as u64, elements as u64];
    let header = NpyHeader { descr: "<f4".into(), order: Order::C, shape };
    // Exact in fp32 up to 2^24.
    let ids = (1..=lanes * elements).flat_map(|id| (id as f32).to_le_bytes());
    let bytes: Vec<u8> = header.to_bytes().into_iter().chain(ids).collect();
    output::write_file(path, &bytes)
}
