//! One program from records, text and a NEFF, on every generation.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::process::{Command, Output};

fn lanedrop(folder: &Path, arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lanedrop"))
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .output()
        .unwrap()
}

fn fine(folder: &Path, arguments: &str) -> String {
    let output = lanedrop(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// A NEFF of package version 1: a header, and a plain tar.
fn neff(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = Vec::new();
    for (name, content) in members {
        let mut header = [0u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..108].copy_from_slice(b"0000644\0");
        header[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
        header[148..156].fill(b' ');
        header[156] = b'0';
        header[257..265].copy_from_slice(b"ustar\x0000");
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        tar.extend(header);
        tar.extend(*content);
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    tar.extend([0; 1024]);
    let mut file = vec![0; 1024];
    file[0] = 1;
    file[8..16].copy_from_slice(&1024u64.to_le_bytes());
    file[16..24].copy_from_slice(&(tar.len() as u64).to_le_bytes());
    file[24] = 2;
    file.extend(tar);
    file
}

fn region(name: &str, offset: u32, dtype: &str, columns: u32) -> String {
    format!(
        "[[region]]\nname = \"{name}\"\nspace = \"sbuf\"\noffset_bytes = {offset}\n\
         dtype = \"{dtype}\"\nshape = [128, {columns}]\n"
    )
}

/// The data of one tensor of a .safetensors file.
fn tensor(path: &Path, name: &str) -> Vec<u32> {
    let bytes = std::fs::read(path).unwrap();
    let tensors = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let data = tensors.tensor(name).unwrap().data().to_vec();
    data.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// One step of the trn1 register, as its profile page writes it.
fn step(x: u32) -> u32 {
    let feedback = 1 ^ (x >> 31 ^ x >> 21 ^ x >> 1 ^ x) & 1;
    x << 1 | feedback
}

fn uniform(draw: u32) -> f32 {
    f32::from_bits(draw >> 9 | 0x3f80_0000) - 1.0
}

/// Writes a program in its three forms, and returns their names.
fn three_forms(folder: &Path, text: &str, generation: &str) -> [&'static str; 3] {
    std::fs::write(folder.join("program.asm"), text).unwrap();
    fine(folder, &format!("assemble program.asm -o program.bin --gen {generation}"));
    let records = std::fs::read(folder.join("program.bin")).unwrap();
    let nop = [&[0xa4, 0x10][..], &[0; 62]].concat();
    let members = [("sg00/pe.bin", &nop[..]), ("sg00/dve.bin", &records)];
    std::fs::write(folder.join("program.neff"), neff(&members)).unwrap();
    ["program.bin", "program.asm", "program.neff"]
}

const PROGRAM: &str = "
    pseudo_set_rng_seed seed=42
    rng dtype=uint32 channels=128 dst=sbuf[p0](4)
    memset dtype=fp32 channels=128 fill_value=0x40400000 dst=sbuf[p0+0x100](64)
    dropout dtype=fp32 channels=128 drop=0.5 src=sbuf[p0+0x100](64) dst=sbuf[p0+0x200](64)
    tensor_scalar_arith_op dtype=fp32 channels=128 op0=mult imm0=2.0
        src=sbuf[p0+0x200](64) dst=sbuf[p0+0x200](64)";

#[test]
fn a_program_seeds_draws_drops_and_scales_from_every_form_on_every_generation() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let map = [region("drawn", 0, "uint32", 4), region("y", 0x200, "float32", 64)].concat();
    std::fs::write(at.join("map.toml"), map).unwrap();
    let (mut drawn, mut scaled) = (Vec::new(), Vec::new());
    for lane in 0..128u32 {
        let mut state = lane << 24 | 42;
        let mut draw = || {
            state = step(state);
            state
        };
        drawn.extend((0..4).map(|_| draw()));
        let kept = |draw| if uniform(draw) < 0.5 { 0.0f32 } else { 6.0 };
        scaled.extend((0..64).map(|_| kept(draw()).to_bits()));
    }
    for generation in ["v2", "v3", "v4", "v5"] {
        for program in three_forms(at, PROGRAM, generation) {
            let exec = format!("exec {program} --gen {generation} --map map.toml");
            let json = fine(at, &format!("{exec} -o out.safetensors --json"));
            assert!(json.contains("\"executed\":5"), "{program}: {json}");
            let out = at.join("out.safetensors");
            assert_eq!(tensor(&out, "drawn"), drawn, "{program} {generation}");
            assert_eq!(tensor(&out, "y"), scaled, "{program} {generation}");
        }
    }
}

/// The same with four registers a lane, whose words are in memory: no rule makes
/// them from a seed. The state is read back before the last draws.
const WITH_STATE: &str = "
    rand_set_state algorithm=lfsr rand_generator=rng_lfsr in_dtype=uint32 channels=128
        src=sbuf[p0](4)
    rng dtype=uint32 channels=128 dst=sbuf[p0+0x40](7)
    memset dtype=fp32 channels=128 fill_value=0x40400000 dst=sbuf[p0+0x100](64)
    dropout dtype=fp32 channels=128 drop=0.5 src=sbuf[p0+0x100](64) dst=sbuf[p0+0x200](64)
    tensor_scalar_arith_op dtype=fp32 channels=128 op0=mult imm0=2.0
        src=sbuf[p0+0x200](64) dst=sbuf[p0+0x200](64)
    rand_get_state algorithm=lfsr rand_generator=rng_lfsr dtype=uint32 channels=128
        dst=sbuf[p0+0x80](4)
    rng dtype=uint32 channels=128 dst=sbuf[p0+0x300](10)";

#[test]
fn from_v4_on_a_state_that_a_program_reads_continues_its_stream() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let profile = fine(at, "profile show trn1");
    let four = profile.replace("registers_per_lane = 1", "registers_per_lane = 4");
    std::fs::write(at.join("four.toml"), four.replace("\"trn1\"", "\"four\"")).unwrap();
    let map = [
        region("start", 0, "uint32", 4),
        region("state", 0x80, "uint32", 4),
        region("y", 0x200, "float32", 64),
        region("more", 0x300, "uint32", 10),
    ];
    std::fs::write(at.join("map.toml"), map.concat()).unwrap();
    let resumed = "rand_set_state algorithm=lfsr rand_generator=rng_lfsr in_dtype=uint32
            channels=128 src=sbuf[p0](4)
        rng dtype=uint32 channels=128 dst=sbuf[p0+0x300](10)";
    std::fs::write(at.join("resumed.asm"), resumed).unwrap();
    let resumed_map = [region("state", 0, "uint32", 4), region("more", 0x300, "uint32", 10)];
    std::fs::write(at.join("resumed.toml"), resumed_map.concat()).unwrap();

    // The words to start from, as an array of the command's own making: the
    // draws of seed 5, whatever they are.
    std::fs::write(at.join("draw.asm"), "rng dtype=uint32 channels=128 dst=sbuf[p0](4)").unwrap();
    std::fs::write(at.join("draw.toml"), region("start", 0, "uint32", 4)).unwrap();
    fine(at, "exec draw.asm --seed 5 --map draw.toml -o start.safetensors");
    let start = tensor(&at.join("start.safetensors"), "start");

    for generation in ["v4", "v5"] {
        for program in three_forms(at, WITH_STATE, generation) {
            let common = format!("--gen {generation} --profile four.toml");
            fine(
                at,
                &format!(
                    "exec {program} {common} --map map.toml --memory start.safetensors \
                     -o out.safetensors"
                ),
            );
            let out = at.join("out.safetensors");
            // Lane 99 by hand: element k of its stream is from register k mod 4.
            let mut registers: Vec<u32> = start[4 * 99..4 * 100].to_vec();
            let stream: Vec<u32> = (0..81)
                .map(|k| {
                    registers[k % 4] = step(registers[k % 4]);
                    registers[k % 4]
                })
                .collect();
            let kept = |&draw: &u32| if uniform(draw) < 0.5 { 0.0f32 } else { 6.0 }.to_bits();
            let y: Vec<u32> = stream[7..71].iter().map(kept).collect();
            assert_eq!(tensor(&out, "y")[64 * 99..64 * 100], y, "{program}");
            let more = tensor(&out, "more");
            assert_eq!(more[990..1000], stream[71..], "{program}");
            // 71 draws in, register 3 serves next and is in column 0.
            let last = |register: usize| {
                *stream[..71].iter().skip(register).step_by(4).next_back().unwrap()
            };
            assert_eq!(tensor(&out, "state")[396..400], [3, 0, 1, 2].map(last), "{program}");
            fine(
                at,
                &format!(
                    "exec resumed.asm {common} --map resumed.toml --memory out.safetensors \
                     -o again.safetensors"
                ),
            );
            assert_eq!(tensor(&at.join("again.safetensors"), "more"), more, "{program}");
        }
    }
}

#[test]
fn a_trace_of_a_running_program_has_its_values() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let program = "pseudo_set_rng_seed seed=42
        memset dtype=fp32 channels=128 fill_value=0x3e800000 dst=sbuf[p0+0x80](1)
        dropout dtype=fp32 channels=128 drop=*sbuf[p0+0x80] src=reg[7](64) dst=sbuf[p0+0x200](64)
        nop wait=sem[3]>=1";
    for program in three_forms(at, program, "v3") {
        let json = fine(
            at,
            &format!(
                "trace {program} --execute --satisfy-waits --register 7=0x100 --elements 2 \
                 --channels 2 --json --cost"
            ),
        );
        let records: serde_json::Value = serde_json::from_str(&json).unwrap();
        let value = |record: usize, what: &str| -> Option<String> {
            let lines = records[record]["lines"].as_array().unwrap();
            let line = lines.iter().find(|line| line["what"] == what)?;
            assert!(line["standing"].as_str().is_some_and(|standing| !standing.is_empty()));
            line["value"].as_str().map(str::to_owned)
        };
        let expected = |lane: u32| [step(lane << 24 | 42), step(step(lane << 24 | 42))];
        let draws = |lane: u32| expected(lane).map(|draw| format!("{draw:#010x}")).join(" ");
        assert_eq!(value(0, "every lane is seeded").unwrap(), "seed 0x0000002a");
        assert_eq!(value(1, "elements written").unwrap(), "128");
        assert_eq!(value(2, "lane 0 draws").unwrap(), draws(0));
        assert_eq!(value(2, "lane 1 draws").unwrap(), draws(1));
        assert_eq!(value(2, "lane 2 draws"), None);
        let decided = expected(1).map(|draw| if uniform(draw) < 0.25 { "dropped" } else { "kept" });
        assert_eq!(value(2, "lane 1 elements").unwrap(), decided.join(" "));
        assert_eq!(value(2, "its values").unwrap(), "0.25 on every channel");
        assert_eq!(value(2, "load the elements of src").unwrap(), "sbuf[p0+0x100]");
        assert_eq!(records[2]["cost"]["cycles"], 64);
        let waited = value(3, "a wait that was let pass").unwrap();
        assert_eq!(waited, "semaphore 3 >= 1, which is 0");
    }

    // Without --satisfy-waits the last record is said, with why it stopped.
    let stopped = lanedrop(at, "trace program.asm --execute --register 7=0x100");
    assert_eq!(stopped.status.code(), Some(2));
    let said = String::from_utf8(stopped.stdout).unwrap();
    assert!(said.contains("0x00c0  NOP (0xa4)"), "{said}");
    assert!(said.contains("\n  stopped   deadlock: it waits for semaphore 3 >= 1"), "{said}");
    assert!(String::from_utf8_lossy(&stopped.stderr).contains("0xc0 NOP: deadlock"));
    let refused = lanedrop(at, "trace program.bin --seed 1");
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("add --execute"));
}

#[test]
fn lower_prints_an_estimate_that_calls_itself_one() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let lower = "lower --shape 300x70 --dtype Half --rate 0.5 --scale -o tile";
    // Three tiles of 70 elements a partition, more than the least of 64.
    assert!(fine(at, lower).contains("about 210 cycles for 3 DROPOUT records: an estimate"));
    let json: serde_json::Value =
        serde_json::from_str(&fine(at, &format!("{lower} --json"))).unwrap();
    assert_eq!(json["cost"]["cycles"], 210);
    assert_eq!(json["cost"]["estimate"], true);
    // The multiplies have no formula.
    assert_eq!(
        (json["cost"]["dropouts"].as_u64(), json["cost"]["left_out"].as_u64()),
        (Some(3), Some(3))
    );
    assert_eq!(json["cost"]["claim"], "dropout-cost");
}
