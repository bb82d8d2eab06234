//! The `lanedrop` command: one file a verb in `cmd/`, which only translates
//! between files and the library.

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod cmd;
mod input;
mod io;
mod output;
mod profiles;
mod state;

/// Model of AWS NeuronCore's Dropout instruction and its random numbers.
#[derive(Parser)]
#[command(
    name = "lanedrop",
    version,
    max_term_width = 100,
    after_help = "\
Exit status: 0 fine, 1 the input has findings, 2 could not run."
)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

/// One variant a verb, in the order of the help.
#[derive(Subcommand)]
enum Verb {
    Decode(cmd::decode::Args),
    Validate(cmd::validate::Args),
    Assemble(cmd::assemble::Args),
    Disassemble(cmd::disassemble::Args),
    Run(cmd::run::Args),
    Lower(cmd::lower::Args),
    Exec(cmd::exec::Args),
    Trace(cmd::trace::Args),
    Draw(cmd::draw::Args),
    Profile(cmd::profile::Args),
    Backends(cmd::backends::Args),
    Bench(cmd::bench::Args),
    Recover(cmd::recover::Args),
    Evidence(cmd::evidence::Args),
}

/// What a verb found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing to object to: exit status 0.
    Fine,
    /// The input has findings: exit status 1.
    Findings,
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // A reader that closed the pipe is no failure of ours.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let outcome: anyhow::Result<Outcome> = match &cli.verb {
        Verb::Decode(args) => cmd::decode::run(args),
        Verb::Validate(args) => cmd::validate::run(args),
        Verb::Assemble(args) => cmd::assemble::run(args),
        Verb::Disassemble(args) => cmd::disassemble::run(args),
        Verb::Run(args) => cmd::run::run(args),
        Verb::Lower(args) => cmd::lower::run(args),
        Verb::Exec(args) => cmd::exec::run(args),
        Verb::Trace(args) => cmd::trace::run(args),
        Verb::Draw(args) => cmd::draw::run(args),
        Verb::Profile(args) => cmd::profile::run(args),
        Verb::Backends(args) => cmd::backends::run(args),
        Verb::Bench(args) => cmd::bench::run(args),
        Verb::Recover(args) => cmd::recover::run(args),
        Verb::Evidence(args) => cmd::evidence::run(args),
    };
    match outcome {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(1),
        // `lanedrop decode x | head` ends quietly.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "lanedrop: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Returns whether `error` comes from a reader that closed our output.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
