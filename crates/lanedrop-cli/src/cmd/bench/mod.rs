//! `lanedrop bench`: figures beside a copy in the same run.

mod clock;
mod copy;
mod report;
mod single;
mod tensor;

use std::io::Write;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use lanedrop::exec::{Backend, Element};
use lanedrop::rng::Profile;

use self::copy::Buffer;
use self::report::Line;
use self::tensor::{Setting, TensorOp};
use crate::{Outcome, output, profiles};

/// Measure speed beside a copy of the same bytes in the same run
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Operations on a tensor: apply (from one place to another), inplace, scale (apply
and multiply), mask (a byte an element), packed-mask, draw (the draws and their
comparison alone). Others: jump (one register to any element below 2^63),
jump-lanes (128 of them), decode and validate (a stream of 1,000,000 records).

GB/s counts the input once and the output once. copy is the better of libc
memcpy and a copy by non-temporal stores, by as many threads, measured before
and after. Figures are medians of samples of at least 30 ms.

Examples:
  lanedrop bench --shapes 128x512,4096x4096 --dtypes f32,bf16
  lanedrop bench --ops draw,jump,jump-lanes,decode,validate --json
  lanedrop bench --ops apply --rates 0.5,0.1,1e-3 --threads 1,2

Exit status: 0 fine, 2 could not run.")]
pub(crate) struct Args {
    /// What to measure
    #[arg(long, value_delimiter = ',', default_value = "apply,inplace,packed-mask")]
    ops: Vec<Op>,
    /// Tensors: rows x elements a row
    #[arg(
        long,
        value_delimiter = ',',
        value_parser = parse_shape,
        default_value = "128x512,128x8192,4096x4096,128x524288"
    )]
    shapes: Vec<(u64, u64)>,
    /// Element types
    #[arg(long, value_delimiter = ',', value_parser = parse_element, default_value = "f32,bf16,i8")]
    dtypes: Vec<Element>,
    /// Built-in profiles or TOML files
    #[arg(long, value_delimiter = ',', value_name = "NAME|FILE", default_value = "trn1,xorshift")]
    profiles: Vec<String>,
    /// Drop rates
    #[arg(long, value_delimiter = ',', value_parser = parse_rate, default_value = "0.1")]
    rates: Vec<f32>,
    /// Numbers of threads
    #[arg(long, value_delimiter = ',', value_parser = parse_threads, default_value = "1")]
    threads: Vec<usize>,
    /// Backend [default: the best]
    #[arg(long, value_name = "NAME", value_parser = parse_backend)]
    backend: Option<Backend>,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

/// All that can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Tensor(TensorOp),
    Jump,
    JumpLanes,
    Decode,
    Validate,
}

impl ValueEnum for Op {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Tensor(TensorOp::Apply),
            Self::Tensor(TensorOp::Inplace),
            Self::Tensor(TensorOp::Scale),
            Self::Tensor(TensorOp::Mask),
            Self::Tensor(TensorOp::PackedMask),
            Self::Tensor(TensorOp::Draw),
            Self::Jump,
            Self::JumpLanes,
            Self::Decode,
            Self::Validate,
        ]
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        match self {
            Self::Tensor(op) => op.to_possible_value(),
            Self::Jump => Some("jump".into()),
            Self::JumpLanes => Some("jump-lanes".into()),
            Self::Decode => Some("decode".into()),
            Self::Validate => Some("validate".into()),
        }
    }
}

fn parse_shape(text: &str) -> Result<(u64, u64), String> {
    let shape = text.split_once('x').and_then(|(rows, len)| {
        let (rows, len): (u64, u64) = (rows.parse().ok()?, len.parse().ok()?);
        let elements = rows.checked_mul(len)?;
        // The tensor, four bytes an element, is held twice.
        (elements > 0 && elements <= 1 << 34).then_some((rows, len))
    });
    shape.ok_or_else(|| "expected rows x elements a row, such as 128x512".to_owned())
}

fn parse_element(text: &str) -> Result<Element, String> {
    Element::named(text).ok_or_else(|| {
        let names: Vec<_> = Element::ALL.iter().map(|element| element.name()).collect();
        format!("expected one of {}, or a short form such as bf16", names.join(", "))
    })
}

fn parse_rate(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(rate) if (0.0..=1.0).contains(&rate) => Ok(rate),
        _ => Err("expected a rate from 0 to 1".to_owned()),
    }
}

fn parse_threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err("expected a number from 1 to 1024".to_owned()),
    }
}

fn parse_backend(text: &str) -> Result<Backend, String> {
    Backend::named(text).ok_or_else(|| {
        let names: Vec<_> = Backend::available().into_iter().map(Backend::name).collect();
        format!("this CPU has {}", names.join(", "))
    })
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let profiles: Vec<Profile> =
        args.profiles.iter().map(|name| profiles::load(name)).collect::<Result<_>>()?;
    let backend = args.backend.unwrap_or_else(Backend::best);
    let mut out = output::stdout();
    if !args.json {
        report::heading(&mut out)?;
    }
    for &op in &args.ops {
        match op {
            Op::Tensor(op) => tensors(args, op, &profiles, backend, &mut out)?,
            Op::Jump | Op::JumpLanes => {
                let lanes = if op == Op::Jump { 1 } else { 128 };
                for profile in &profiles {
                    let samples = single::jump(profile, lanes)?;
                    let name = if op == Op::Jump { "jump" } else { "jump-lanes" };
                    let line = Line::of_calls(name, &format!("{lanes}"), 1, &samples);
                    line.with_profile(profile).write(args.json, &mut out)?;
                }
            }
            Op::Decode | Op::Validate => {
                let (name, samples) = match op {
                    Op::Decode => ("decode", single::decode()),
                    _ => ("validate", single::validation()),
                };
                let shape = format!("{}", single::RECORDS);
                Line::of_calls(name, &shape, single::RECORDS, &samples)
                    .write(args.json, &mut out)?;
            }
        }
    }
    out.flush().context("standard output")?;
    Ok(Outcome::Fine)
}

/// Measures an operation on every tensor that is asked for.
fn tensors(
    args: &Args,
    op: TensorOp,
    profiles: &[Profile],
    backend: Backend,
    out: &mut impl Write,
) -> Result<()> {
    for &(rows, row_len) in &args.shapes {
        for &element in &args.dtypes {
            if op == TensorOp::Scale && !element.is_float() {
                if args.dtypes.iter().all(|element| !element.is_float()) {
                    bail!("scale is for floats, and dtypes are integers alone");
                }
                continue;
            }
            let bytes = (rows * row_len) as usize * element.size_bytes();
            let (src, mut dst) = (Buffer::new(bytes), Buffer::new(bytes));
            for profile in profiles {
                for &rate in &args.rates {
                    for &threads in &args.threads {
                        let setting =
                            Setting { op, rows, row_len, element, profile, rate, threads, backend };
                        let (samples, copies) = setting.measure(&src, &mut dst)?;
                        let line = Line::of_tensor(&setting, &samples, &copies);
                        line.write(args.json, out)?;
                        // A line as soon as it is known: all of them take minutes.
                        out.flush()?;
                    }
                }
            }
        }
    }
    Ok(())
}
