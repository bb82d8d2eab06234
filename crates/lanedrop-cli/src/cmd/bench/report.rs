//! Lines of the bench, as a table or as JSON.

use std::io::{self, Write};

use clap::ValueEnum;
use lanedrop::exec::Element;
use lanedrop::rng::Profile;
use serde::Serialize;

use super::clock::Samples;
use super::copy::Copies;
use super::tensor::Setting;

/// The figures of one setting; what does not apply is null.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Line {
    op: String,
    shape: String,
    dtype: Option<&'static str>,
    rate: Option<f32>,
    profile: Option<String>,
    threads: usize,
    backend: Option<&'static str>,
    ns_per_elem: f64,
    gb_s: Option<f64>,
    gelem_s: f64,
    memcpy_gb_s: Option<f64>,
    copy_gb_s: Option<f64>,
    vs_memcpy: Option<f64>,
    vs_copy: Option<f64>,
    spread: f64,
}

impl Line {
    pub(crate) fn of_tensor(setting: &Setting<'_>, samples: &Samples, copies: &Copies) -> Self {
        let seconds = samples.median();
        let elements = (setting.rows * setting.row_len) as f64;
        // The input once and the output once, whatever the operation.
        let gigabytes = 2.0 * setting.bytes() as f64 / 1e9;
        let name = setting.op.to_possible_value();
        Self {
            op: name.map(|name| name.get_name().to_owned()).unwrap_or_default(),
            shape: format!("{}x{}", setting.rows, setting.row_len),
            dtype: Some(short(setting.element)),
            rate: Some(setting.rate),
            profile: Some(setting.profile.name.clone()),
            threads: setting.threads,
            backend: Some(setting.backend.name()),
            ns_per_elem: seconds * 1e9 / elements,
            gb_s: Some(gigabytes / seconds),
            gelem_s: elements / seconds / 1e9,
            memcpy_gb_s: Some(gigabytes / copies.memcpy),
            copy_gb_s: Some(gigabytes / copies.best),
            vs_memcpy: Some(copies.memcpy / seconds),
            vs_copy: Some(copies.best / seconds),
            spread: samples.spread(),
        }
    }

    /// A line about calls that do `count` things each.
    pub(crate) fn of_calls(op: &str, shape: &str, count: usize, samples: &Samples) -> Self {
        let seconds = samples.median() / count as f64;
        Self {
            op: op.to_owned(),
            shape: shape.to_owned(),
            threads: 1,
            ns_per_elem: seconds * 1e9,
            gelem_s: 1e-9 / seconds,
            spread: samples.spread(),
            ..Self::default()
        }
    }

    pub(crate) fn with_profile(mut self, profile: &Profile) -> Self {
        self.profile = Some(profile.name.clone());
        self
    }

    pub(crate) fn write(&self, json: bool, out: &mut impl Write) -> io::Result<()> {
        if json {
            serde_json::to_writer(&mut *out, self)?;
            return writeln!(out);
        }
        let text =
            |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.2}"));
        writeln!(
            out,
            "{:<12} {:<12} {:<6} {:<12} {:>6} {:>7} {:<9} {:>9.4} {:>8} {:>9.3} {:>8} {:>7}",
            self.op,
            self.shape,
            self.dtype.unwrap_or(""),
            self.profile.as_deref().unwrap_or(""),
            self.rate.map_or_else(String::new, |rate| format!("{rate}")),
            self.threads,
            self.backend.unwrap_or(""),
            self.ns_per_elem,
            text(self.gb_s),
            self.gelem_s,
            text(self.copy_gb_s),
            text(self.vs_copy),
        )
    }
}

/// Writes the heading of the table.
pub(crate) fn heading(out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "{:<12} {:<12} {:<6} {:<12} {:>6} {:>7} {:<9} {:>9} {:>8} {:>9} {:>8} {:>7}",
        "op",
        "shape",
        "dtype",
        "profile",
        "rate",
        "threads",
        "backend",
        "ns/elem",
        "GB/s",
        "Gelem/s",
        "copy",
        "vs copy"
    )
}

/// The short name of an element type, as `--dtypes` takes it.
fn short(element: Element) -> &'static str {
    match element {
        Element::F32 => "f32",
        Element::F16 => "f16",
        Element::BF16 => "bf16",
        Element::I8 => "i8",
        Element::I16 => "i16",
        Element::I32 => "i32",
        Element::U8 => "u8",
        Element::U16 => "u16",
        Element::U32 => "u32",
        _ => element.name(),
    }
}
