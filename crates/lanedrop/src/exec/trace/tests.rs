use super::*;
use crate::evidence::{Standing, claims};
use crate::isa::{Addr4, Dtype, ImmSrc, Tensor3d};

fn row(elements: u16) -> Tensor3d {
    Tensor3d::row(Addr4(0), elements)
}

fn lines(record: &Dropout) -> Vec<Line> {
    dropout(record, Generation::V3, &Profile::builtin("trn1").unwrap())
}

/// The last line about a slot: what it holds when worker B starts.
fn slot(lines: &[Line], slot: u8) -> &Line {
    lines.iter().rfind(|line| line.at == Some(At::Frame(slot))).unwrap()
}

#[test]
fn the_frame_holds_what_the_record_says() {
    let record = Dropout::new(Dtype::INT16, row(512), row(512), 128, 0.25);
    let lines = lines(&record);
    assert_eq!(slot(&lines, 8).value.as_deref(), Some("512"));
    assert_eq!(slot(&lines, 24).value.as_deref(), Some("0"));
    assert_eq!(slot(&lines, 20).value.as_deref(), Some("1"));
    // Which of both dtypes +12 and +16 hold, no page tells.
    for dtype in [12, 16] {
        assert_eq!(slot(&lines, dtype).value, None);
        let sides = &slot(&lines, dtype).sides;
        assert!(sides.contains(&"as in_dtype: 4 (INT16)".to_owned()), "{sides:?}");
        assert!(sides.contains(&"as threshold_dtype: 10 (FP32)".to_owned()), "{sides:?}");
    }
    assert!(slot(&lines, 28).sides.contains(&"as in_dtype: 4 (INT16)".to_owned()));
}

#[test]
fn is_integer_follows_the_checker_for_every_dtype() {
    for &dtype in Dtype::ALL {
        let record = Dropout::new(dtype, row(4), row(4), 1, 0.5);
        let expected = matches!(dtype.code(), 2 | 3 | 4 | 5 | 8 | 9);
        let lines = lines(&record);
        let value = slot(&lines, 20).value.clone().unwrap();
        assert_eq!(value, u8::from(expected).to_string(), "{dtype}");
    }
}

#[test]
fn a_single_element_sets_the_flag_and_none_does_not() {
    for (count, flag) in [(0, "0"), (1, "1"), (2, "0")] {
        let record = Dropout::new(Dtype::FP32, row(count), row(count), 1, 0.5);
        assert_eq!(slot(&lines(&record), 24).value.as_deref(), Some(flag));
    }
    let mut record = Dropout::new(Dtype::FP32, row(1), row(1), 1, 0.5);
    record.src_mem_pattern.start_addr = Addr4(Addr4::SHAPE_REG);
    assert_eq!(slot(&lines(&record), 24).value.as_deref(), Some("by a shape register, not known"));
    assert_eq!(slot(&lines(&record), 8).value.as_deref(), Some("by a shape register, not known"));
}

#[test]
fn dtype_0_becomes_10_and_both_sides_are_said() {
    let mut record = Dropout::new(Dtype::INVALID, row(4), row(4), 1, 0.5);
    record.threshold_dtype = Dtype::INVALID;
    let lines = lines(&record);
    assert_eq!(slot(&lines, 16).value.as_deref(), Some("10 (FP32), by the default"));
    let both = slot(&lines, 12);
    assert_eq!(both.ground.id(), "dtype-0-illegal");
    let said = both.sides.join("; ");
    assert!(said.contains("the checks refuse") && said.contains("0 for FP32"), "{said}");
}

#[test]
fn the_call_at_0x9624_says_both_sides() {
    let lines = lines(&Dropout::new(Dtype::FP32, row(4), row(4), 1, 0.5));
    let call = lines.iter().find(|line| line.at == Some(At::Iram(0x9624))).unwrap();
    let claim = &claims::firmware::WORKER_A_CALL_SITE;
    assert_eq!(call.ground, Ground::Claim(claim));
    assert_eq!(call.sides[0], claim.says);
    assert!(call.sides[1].contains("before the handler's entry 0x96bc"));
}

#[test]
fn every_contested_claim_of_a_trace_has_its_conflicts_as_sides() {
    for generation in Generation::ALL {
        let record = Dropout::new(Dtype::FP32, row(4), row(4), 1, 0.5);
        let profile = Profile::builtin("trn1").unwrap();
        for line in dropout(&record, generation, &profile) {
            assert!(!line.ground.standing().is_empty() && !line.ground.id().is_empty());
            let Ground::Claim(claim) = &line.ground else { continue };
            if claim.standing == Standing::Uncontested {
                continue;
            }
            for conflict in claim.conflicts {
                assert!(line.sides.iter().any(|side| side == conflict), "{}", line.what);
            }
        }
    }
}

#[test]
fn the_dispatch_goes_from_the_slot_of_0x7f_to_the_handler() {
    let lines = lines(&Dropout::new(Dtype::FP32, row(4), row(4), 1, 0.5));
    let places: Vec<_> = lines.iter().filter_map(|line| line.at).take(5).collect();
    let expected =
        [At::Iram(0x2f5a), At::Dram(0x90c), At::Dram(0xbb4), At::Iram(0x216c), At::Iram(0x96bc)];
    assert_eq!(places, expected);
}

#[test]
fn a_threshold_by_pointer_is_one_value_a_partition() {
    let mut record = Dropout::new(Dtype::FP32, row(4), row(4), 128, 0.5);
    record.threshold_src = ImmSrc::PointerImmediate;
    record.threshold = 0x40;
    let said: Vec<_> = lines(&record).into_iter().filter_map(|line| line.value).collect();
    assert!(
        said.iter().any(|v| v.contains("one value a partition from sbuf[p0+0x40]")),
        "{said:?}"
    );
}

#[test]
fn another_record_has_its_slot_or_the_runtime() {
    let mut word = Word::ZERO;
    word.0[0] = 0x43;
    let slots: Vec<_> = other(&word).iter().filter_map(|line| line.at).collect();
    assert_eq!(slots, [At::Iram(0x2f5a), At::Dram(0x81c), At::Dram(0xac4)]);
    word.0[0] = 0xd0;
    assert_eq!(other(&word)[0].ground.id(), "neff-pseudo-records");
    word.0[0] = 0x02;
    assert_eq!(other(&word).len(), 1);
}
