//! The checker of firmware libraries, on files made here from the tables.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use lanedrop::evidence::Basis;
use lanedrop::evidence::firmware::{
    CONTAINER, Check, CheckState, Expect, FileKind, FirmwareReport, HashState, IMAGES, Image,
    Pattern, Site, check, sites,
};

/// A small generator, so that the picks are the same in every run.
struct Picks(u64);

impl Picks {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(0x5851_f42d);
        (self.0 >> 33) as usize % limit
    }
}

/// A file in which every known byte stands where the tables say.
struct Made {
    file: Vec<u8>,
    taken: Vec<bool>,
    /// Each byte of a pattern: its place in the file, its known bits, its site.
    known: Vec<(usize, u8, usize)>,
}

/// Dropout's trampoline in the file; no page gives it.
const T: u32 = 0x3116;

impl Made {
    fn new() -> Self {
        let len = CONTAINER.size_bytes as usize;
        let mut made = Self { file: vec![0; len], taken: vec![false; len], known: Vec::new() };
        made.tables();
        let all: Vec<&Site> = sites().collect();
        let start = |site: &Site| (site.image.offset_bytes + site.offset_bytes) as usize;
        // What has one place goes first; what may stand in a window finds room.
        for (index, site) in all.iter().enumerate() {
            match &site.expect {
                Expect::Bytes(patterns) => made.put(start(site), patterns[0], index),
                Expect::Text => made.write(start(site), b"S: text\n\0"),
                _ => {}
            }
        }
        for (index, site) in all.iter().enumerate() {
            match &site.expect {
                Expect::Within { len_bytes, pattern } => {
                    let place = made.room(start(site), *len_bytes as usize, pattern.len());
                    made.put(place, *pattern, index);
                }
                Expect::Calls { len_bytes, target } => {
                    let place = made.room(start(site), *len_bytes as usize, 3);
                    let pc = (place as u64 - site.image.offset_bytes) as u32;
                    made.write(place, &call8(pc, *target));
                }
                _ => {}
            }
        }
        let iram = image("CAYMAN_NX_DVE_DEBUG_IRAM").offset_bytes as usize;
        let code = [call8(T, 0x216c), jump(T + 3, 0x3212)].concat();
        made.write(iram + T as usize, &code);
        made
    }

    /// Fills both dispatch tables: 75 trampolines, 95 defaults. The slots that
    /// sites know are left to those.
    fn tables(&mut self) {
        let dram = image("CAYMAN_NX_DVE_DEBUG_DRAM").offset_bytes as usize;
        let mut others = 72;
        for index in 0..170usize {
            let first: u32 = match index + 0x41 {
                0x7f => T,
                0x64 => 0x30b6,
                0x8e => 0x30be,
                _ if others > 0 => {
                    others -= 1;
                    0x3200 - 8 * others
                }
                _ => 0x3207,
            };
            let second = if first == 0x3207 { 0x39e6 } else { first + 0x7df };
            self.file[dram + 0x814 + 4 * index..][..4].copy_from_slice(&first.to_le_bytes());
            self.write(dram + 0xabc + 4 * index, &second.to_le_bytes());
        }
    }

    fn room(&self, start: usize, window: usize, len: usize) -> usize {
        (start..=start + window - len)
            .find(|&place| !self.taken[place..place + len].iter().any(|taken| *taken))
            .expect("the window has room")
    }

    fn put(&mut self, start: usize, pattern: Pattern, site: usize) {
        for (place, (value, mask)) in (start..).zip(pattern.bytes()) {
            self.known.push((place, mask, site));
            self.write(place, &[value | !mask & 0x5a]);
        }
    }

    fn write(&mut self, start: usize, bytes: &[u8]) {
        for (place, byte) in (start..).zip(bytes) {
            assert!(!self.taken[place], "two sites disagree about {place:#x}");
            self.taken[place] = true;
            self.file[place] = *byte;
        }
    }
}

fn image(name: &str) -> &'static Image {
    IMAGES.iter().find(|image| image.name == name).expect("a listed image")
}

/// The encoding of `call8`, written out apart from the library's.
fn call8(pc: u32, target: u32) -> Vec<u8> {
    let words = (i64::from(target) - i64::from((pc & !3) + 4)) / 4;
    (((words << 6) | 0x25) as u32).to_le_bytes()[..3].to_vec()
}

/// The encoding of `j`.
fn jump(pc: u32, target: u32) -> Vec<u8> {
    let bytes = i64::from(target) - i64::from(pc + 4);
    (((bytes << 6) | 6) as u32).to_le_bytes()[..3].to_vec()
}

/// The places and subjects of what a report refutes.
fn refuted(report: &FirmwareReport) -> BTreeSet<(&'static str, u64, &'static str)> {
    let place = |check: &Check| (check.image, check.offset_bytes, check.what);
    report.in_state(CheckState::Refuted).map(place).collect()
}

#[test]
fn a_file_made_from_the_tables_confirms_all_that_is_known() {
    let report = check(&Made::new().file);
    for line in &report.checks {
        let open = line.expected.is_empty();
        let expected = if open { CheckState::Shown } else { CheckState::Confirmed };
        assert_eq!(line.state, expected, "{line:?}");
    }
    assert_eq!(report.checks.len(), sites().count() + 5);
    assert!(report.claims.iter().all(|claim| claim.state == CheckState::Confirmed));
    assert_eq!(report.kind, FileKind::OtherBuild);
    assert_eq!(report.size_bytes, CONTAINER.size_bytes);
    for image in &report.images {
        let listed = !image.image.sha256_prefix.is_empty();
        assert_eq!(image.state, if listed { HashState::Other } else { HashState::Unlisted });
    }
}

#[test]
fn a_reasoned_site_becomes_a_confirmed_one() {
    let report = check(&Made::new().file);
    let line = report.checks.iter().find(|line| line.what.starts_with("trampoline T")).unwrap();
    assert_eq!((line.basis, line.state), (Basis::Inferred, CheckState::Confirmed));
    assert_eq!(line.offset_bytes, u64::from(T));
    let claim = report.claims.iter().find(|claim| claim.claim.id == "pool-weyl-start").unwrap();
    assert_eq!(claim.claim.basis, Basis::Inferred);
    assert_eq!((claim.state, claim.confirmed), (CheckState::Confirmed, 2));
}

#[test]
fn fifty_corrupted_bytes_are_named_one_by_one_and_together() {
    let mut made = Made::new();
    // Up to the end of the last image with sites; the rest only takes time.
    made.file.truncate(0x517000);
    let all: Vec<&Site> = sites().collect();
    let dram = image("CAYMAN_NX_DVE_DEBUG_DRAM");
    let mut picks = Picks(7);
    let mut together = made.file.clone();
    let mut named = BTreeSet::new();
    let mut places = BTreeSet::new();
    while places.len() < 50 {
        let (place, mask, site) = made.known[picks.below(made.known.len())];
        let flip = (1 + picks.below(255)) as u8 & mask;
        if flip == 0 || !places.insert(place) {
            continue;
        }
        let site = all[site];
        let mut expected = BTreeSet::from([(site.image.name, site.offset_bytes, site.what)]);
        // A word of a dispatch table is also half of the relation between both.
        let in_dram = (place as u64).wrapping_sub(dram.offset_bytes);
        if (0x814..0xabc).contains(&in_dram) {
            expected.insert((dram.name, 0xabc, "table 2: each slot follows from table 1's"));
        }
        made.file[place] ^= flip;
        assert_eq!(refuted(&check(&made.file)), expected, "byte {place:#x}");
        made.file[place] ^= flip;
        together[place] ^= flip;
        named.append(&mut expected);
    }
    assert_eq!(refuted(&check(&together)), named);
}

#[test]
fn a_slot_that_leads_elsewhere_is_told_with_where_it_leads() {
    let mut made = Made::new();
    let iram = image("CAYMAN_NX_DVE_DEBUG_IRAM").offset_bytes as usize;
    made.file[iram + T as usize..][..3].copy_from_slice(&call8(T, 0x2188));
    let report = check(&made.file);
    let wrong: Vec<_> = report.in_state(CheckState::Refuted).collect();
    assert_eq!(wrong.len(), 1);
    assert!(wrong[0].found.contains("call8 0x2188; j 0x3212"), "{}", wrong[0].found);
}

#[test]
fn the_callers_of_worker_a_are_listed() {
    let mut made = Made::new();
    let iram = image("CAYMAN_NX_DVE_DEBUG_IRAM").offset_bytes as usize;
    made.file[iram + 0x9800..][..3].copy_from_slice(&call8(0x9800, 0xeff0));
    let report = check(&made.file);
    let line = report.checks.iter().find(|line| line.what.contains("worker A, 0xeff0")).unwrap();
    assert_eq!((line.state, line.found.as_str()), (CheckState::Shown, "0x9624, 0x9800"));
}

#[test]
fn one_image_alone_is_recognised() {
    let made = Made::new();
    for name in ["CAYMAN_NX_DVE_DEBUG_IRAM", "MARIANA_NX_DVE_DEBUG_DRAM"] {
        let image = image(name);
        let part = &made.file[image.offset_bytes as usize..][..image.size_bytes as usize];
        let report = check(part);
        assert_eq!(report.kind, FileKind::CarvedImage(name));
        assert!(refuted(&report).is_empty());
        for line in &report.checks {
            // The trampoline's place is in the data image.
            let here = line.image == name && !line.what.starts_with("trampoline T");
            assert_eq!(here, line.state != CheckState::NotPresent, "{line:?}");
        }
    }
}

#[test]
fn another_file_refutes_nothing() {
    let same_length = vec![0x36; CONTAINER.size_bytes as usize];
    for file in [&b""[..], b"\x7fELF", &[0; 4096], &same_length] {
        let report = check(file);
        assert_eq!(report.kind, FileKind::NotRecognised);
        assert!(refuted(&report).is_empty());
        assert!(report.claims.iter().all(|claim| claim.state == CheckState::NotPresent));
    }
}

#[test]
fn a_file_cut_short_misses_what_lies_behind_its_end() {
    let made = Made::new();
    let dram = image("CAYMAN_NX_DVE_DEBUG_DRAM").offset_bytes as usize;
    for end in [dram, dram + 0x814, dram + 0x1ee9, dram + 0x1eee] {
        let report = check(&made.file[..end]);
        assert!(refuted(&report).is_empty(), "{:?}", refuted(&report));
        for line in report.in_state(CheckState::Confirmed) {
            let start = image(line.image).offset_bytes + line.offset_bytes;
            assert!(start < end as u64, "{line:?}");
        }
    }
}

#[test]
fn an_image_that_has_moved_is_not_present() {
    let mut made = Made::new();
    let iram = image("CAYMAN_NX_DVE_DEBUG_IRAM");
    let span = iram.offset_bytes as usize..(iram.offset_bytes + iram.size_bytes) as usize;
    made.file[span].rotate_right(4);
    let report = check(&made.file);
    assert_eq!(report.kind, FileKind::OtherBuild);
    for line in report.checks.iter().filter(|line| line.image == iram.name) {
        assert!(matches!(line.state, CheckState::NotPresent | CheckState::Shown), "{line:?}");
    }
}
