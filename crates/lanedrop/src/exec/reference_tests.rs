use super::*;
use crate::isa::{Addr4, Dtype, Tensor3d};
use crate::rng::Profile;

fn dropout(dtype: Dtype, elements: u16, channels: u8, rate: f32) -> Dropout {
    let row = |address| Tensor3d::row(Addr4(address), elements);
    Dropout::new(dtype, row(0), row(0x1000), channels, rate)
}

fn lanes() -> Lanes {
    Lanes::seeded(&Profile::builtin("xorshift").unwrap(), 5, 128).unwrap()
}

#[test]
fn tiles_of_instructions_are_the_tensor() {
    // 200 rows: a tile of 128 channels and one of 72.
    let (rows, row_len) = (200, 6);
    let src: Vec<u8> = (0..rows * row_len * 2).map(|at| at as u8 | 1).collect();
    let mut whole = vec![0xa5; src.len()];
    let mut by_tensor = lanes();
    let kept =
        tensor(&mut by_tensor, row_len, ThresholdType::DropRate, &[0.4], 2, &src, &mut whole);
    let mut tiles = vec![0xa5; src.len()];
    let mut by_instruction = lanes();
    let (cut, mut sum) = (128 * row_len * 2, 0);
    for (channels, part) in [(128, 0..cut), (72, cut..src.len())] {
        let dropout = dropout(Dtype::BFLOAT16, row_len as u16, channels, 0.4);
        let (src, dst) = (&src[part.clone()], &mut tiles[part]);
        sum += instruction(&dropout, &mut by_instruction, 0, &[], src, dst).unwrap();
    }
    assert_eq!((tiles, sum), (whole, kept));
    assert_eq!(by_instruction, by_tensor);
}

#[test]
fn channels_draw_from_the_lanes_of_their_partitions_and_no_other_lane_moves() {
    let mut some = lanes();
    let dropout = dropout(Dtype::INT8, 9, 2, 0.5);
    let mut dst = [0; 18];
    instruction(&dropout, &mut some, 64, &[], &[1; 18], &mut dst).unwrap();
    let mut wanted = lanes();
    let mut keep = [false; 9];
    for (channel, dst) in dst.chunks(9).enumerate() {
        let half = Threshold { threshold_type: ThresholdType::DropRate, value: 0.5 };
        keep_channel(&mut wanted, 64 + channel, half, &mut keep);
        assert_eq!(dst, keep.map(u8::from));
    }
    assert_eq!(some, wanted);
}

#[test]
fn thresholds_behind_a_pointer_are_one_a_channel() {
    let mut dropout = dropout(Dtype::FP32, 3, 2, 0.5);
    dropout.threshold_src = ImmSrc::PointerImmediate;
    dropout.threshold_type = ThresholdType::KeepRate;
    let (src, mut dst) = ([7; 24], [9; 24]);
    let kept = instruction(&dropout, &mut lanes(), 0, &[1.0, 0.0], &src, &mut dst);
    assert_eq!(kept, Ok(3));
    assert_eq!((&dst[..12], &dst[12..]), (&[7; 12][..], &[0; 12][..]));
    assert_eq!(
        instruction(&dropout, &mut lanes(), 0, &[1.0], &src, &mut dst),
        Err(ExecError::Thresholds { found: 1, lanes: 2 })
    );
}

#[test]
fn operands_that_do_not_fit_are_refused_before_a_draw() {
    let mut state = lanes();
    let good = dropout(Dtype::FP32, 3, 2, 0.5);
    let mut run = |dropout: &Dropout, first_lane, src: usize, dst: usize| {
        instruction(dropout, &mut state, first_lane, &[], &vec![0; src], &mut vec![0; dst])
            .unwrap_err()
    };
    let out_dtype = Dtype::INT32;
    assert_eq!(
        run(&Dropout { out_dtype, ..good }, 0, 24, 24),
        ExecError::Dtypes { in_dtype: Dtype::FP32, out_dtype }
    );
    let dst_mem_pattern = Tensor3d::row(Addr4(0), 4);
    assert_eq!(
        run(&Dropout { dst_mem_pattern, ..good }, 0, 24, 24),
        ExecError::Counts { src: 3, dst: 4 }
    );
    let wrong_len = ExecError::OutputLen { output: "the destination", found: 20, wanted: 24 };
    assert_eq!(run(&good, 0, 24, 20), wrong_len);
    for first_lane in [127, usize::MAX] {
        let wanted = ExecError::Channels { channels: 2, first_lane, lanes: 128 };
        assert_eq!(run(&good, first_lane, 24, 24), wanted);
    }
    assert_eq!(state, lanes());
}
