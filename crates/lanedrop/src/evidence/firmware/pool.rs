//! The random-number sites of the POOL images: a second witness for the
//! generators around Dropout, and the check of the counter's start.

use super::images::{
    CAYMAN_NX_POOL_DEBUG_DRAM, CAYMAN_Q7_POOL_DEBUG_DRAM as V3_DRAM,
    CAYMAN_Q7_POOL_DEBUG_IRAM as V3, MARIANA_NX_POOL_DEBUG_DRAM, MARIANA_NX_POOL_DEBUG_IRAM,
    MARIANA_Q7_POOL_DEBUG_DRAM as V4_DRAM, MARIANA_Q7_POOL_DEBUG_IRAM as V4,
};
use super::site::sites;
use crate::evidence::claims::sites::*;

sites! {
    /// CAYMAN: XORWOW in software.
    V3_SITES:
    V3 0x749c derived ["36 01 04"] POOL_XORWOW_V3 "Init: entry a1,0x200" .inferred();
    V3 0x74b0 derived ["c2 a1 80"] POOL_STATE_SIZE "Init: movi a12,0x180 for its memset" .within(0x20) .inferred();
    V3 0x749c quoted ["32 a7 5b 34 15 cd"] POOL_DEFAULT_SEEDS "seed x: movi a3,0x75b; const16 a3,0xcd15" .within(0x200);
    V3 0x749c derived ["34 9a 15"] POOL_DEFAULT_SEEDS "seed y: const16 a3,0x159a, the high half" .within(0x200) .inferred();
    V3 0x749c quoted ["34 e5 55"] POOL_DEFAULT_SEEDS "seed y: const16 a3,0x55e5" .within(0x200);
    V3 0x749c derived ["34 12 1f"] POOL_DEFAULT_SEEDS "seed z: const16 a3,0x1f12, the high half" .within(0x200) .inferred();
    V3 0x749c quoted ["34 b5 3b"] POOL_DEFAULT_SEEDS "seed z: const16 a3,0x3bb5" .within(0x200);
    V3 0x749c quoted ["?2 a5 49 34 33 13"] POOL_DEFAULT_SEEDS "seed w: movi a3,0x549; const16 a3,0x1333" .within(0x200);
    V3 0x749c derived ["32 a0 58"] POOL_DEFAULT_SEEDS "seed v: movi a3,0x58, the high half" .within(0x200) .inferred();
    V3 0x749c quoted ["34 19 3f"] POOL_DEFAULT_SEEDS "seed v: const16 a3,0x3f19" .within(0x200);
    V3 0x7536 derived ["32 a0 64 34 c9 f0"] POOL_WEYL_START "seed d: movi a3,0x64; const16 a3,0xf0c9" .inferred();
    V3 0xb398 derived ["36 ?1 ??"] CALL_TARGETS_ENTER "RandSetState: entry" .inferred();
    V3 0xb3e4 derived ["36 ?1 ??"] CALL_TARGETS_ENTER "RandSetState, next: entry" .inferred();
    V3 0xb456 derived ["c2 a1 80"] POOL_STATE_SIZE "movi a12,0x180 for its memset" .within(0x20) .inferred();
    V3 0xb56c derived ["36 ?1 ??"] CALL_TARGETS_ENTER "RandGetState: entry" .inferred();
    V3 0xb5b8 derived ["36 ?1 ??"] CALL_TARGETS_ENTER "RandGetState, next: entry" .inferred();
    V3 0xb7b4 derived ["36 ?1 ??"] CALL_TARGETS_ENTER "draw driver: entry" .inferred();
    V3 0xb838 derived ["36 ?1 ??"] CALL_TARGETS_ENTER "Rng: entry" .inferred();
    V3 0xb90c derived ["36 ?1 ??"] CALL_TARGETS_ENTER "XORWOW: entry" .inferred();
    V3 0xba5d quoted ["0c 52 24 c5 87"] POOL_WEYL_INCREMENT "movi.n a2,5; const16 a2,0x87c5, the increment";
    V3 0xba62 quoted ["25 27 11"] POOL_XORWOW_V3 "a call8 behind it" .within(0x10) .inferred();
    V3_DRAM 0x18ae text [] POOL_LOG_STRINGS "log text of Init";
    V3_DRAM 0x1e80 text [] POOL_LOG_STRINGS "log text";
    V3_DRAM 0x1eb8 text [] POOL_LOG_STRINGS "log text";
    V3_DRAM 0x1ed1 text [] POOL_LOG_STRINGS "log text";
    V3_DRAM 0x1f09 text [] POOL_LOG_STRINGS "log text";
    V3_DRAM 0x1f22 text [] POOL_LOG_STRINGS "log text";
    V3_DRAM 0x1f3e text [] POOL_LOG_STRINGS "log text";
    CAYMAN_NX_POOL_DEBUG_DRAM 0xe51 text [] POOL_LOG_STRINGS "error text of RandGetState";
}

sites! {
    /// MARIANA: LFSR and XORWOW.
    V4_SITES:
    V4 0x7500 quoted ["22 a7 5b 24 15 cd"] POOL_DEFAULT_SEEDS "seed x: movi a2,0x75b; const16 a2,0xcd15" .within(0x200);
    V4 0x7500 quoted ["24 e5 55"] POOL_DEFAULT_SEEDS "seed y: const16 a2,0x55e5" .within(0x200);
    V4 0x7500 quoted ["24 b5 3b"] POOL_DEFAULT_SEEDS "seed z: const16 a2,0x3bb5" .within(0x200);
    V4 0x7500 quoted ["24 19 3f"] POOL_DEFAULT_SEEDS "seed v: const16 a2,0x3f19" .within(0x200);
    V4 0x7615 derived ["22 a0 64 24 c9 f0"] POOL_WEYL_START "seed d: movi a2,0x64; const16 a2,0xf0c9" .inferred();
    V4 0xb5f4 derived ["36 ?1 ??"] CALL_TARGETS_ENTER "RandSetState: entry" .inferred();
    V4 0xb640 derived ["36 ?1 ??"] CALL_TARGETS_ENTER "select: entry" .inferred();
    V4 0xb67a unknown [] POOL_RNG_V4 "select: saltu" .over(3);
    V4 0xb683 quoted ["07 62 39"] POOL_RNG_V4 "select: bbci a2,0,0xb6c0";
    V4 0xb6c3 quoted ["07 62 11"] POOL_RNG_V4 "select: bbci a2,0,0xb6d8";
    V4 0xb6dc derived ["36 ?1 ??"] CALL_TARGETS_ENTER "SetSeeds: entry" .inferred();
    V4 0xb6e5 quoted ["07 62 0c"] POOL_FORK_POLARITY "SetSeeds: bbci a2,0,0xb6f5, the fork";
    V4 0xb6e8 derived [] POOL_FORK_POLARITY "bit set, the fall-through: a call8 of LfsrSetSeeds, 0xb700" .calls(0xd, 0xb700) .inferred();
    V4 0xb6f5 derived [] POOL_FORK_POLARITY "bit clear, the target: a call8 of XorwowSetSeeds, 0xb744" .calls(0xb, 0xb744) .inferred();
    V4 0xb700 derived ["36 81 01"] POOL_RNG_V4 "LfsrSetSeeds: entry a1,192";
    V4 0xb744 quoted ["36 01 08"] POOL_RNG_V4 "XorwowSetSeeds: entry a1,0x400";
    V4 0xb9ec derived ["36 ?1 ??"] CALL_TARGETS_ENTER "GetSeeds: entry" .inferred();
    V4 0xb9f5 quoted ["07 62 0c"] POOL_RNG_V4 "GetSeeds: bbci a2,0,0xba05, the fork" .inferred();
    V4 0xbc78 derived ["36 ?1 ??"] CALL_TARGETS_ENTER "draw driver: entry" .inferred();
    V4 0xbe08 quoted ["0c 52 24 c5 87"] POOL_WEYL_INCREMENT "movi.n a2,5; const16 a2,0x87c5, the increment";
    V4 0xbed8 derived ["36 ?1 ??"] CALL_TARGETS_ENTER "Rng, next: entry" .inferred();
    V4 0xbf74 derived ["36 ?1 ??"] CALL_TARGETS_ENTER "Rng: entry" .inferred();
    V4 0x0 absent ["57 00 00 80" "c2 00 00 80" "00 00 00 a3" "03 00 20 80" "b7 1d c1 04" "20 83 b8 ed" "00 00 00 d0" "0b 00 00 80"] POOL_NO_TAP_MASK "no classical tap mask in the instructions" .over(0x1ed40);
    V4_DRAM 0x0 absent ["57 00 00 80" "c2 00 00 80" "00 00 00 a3" "03 00 20 80" "b7 1d c1 04" "20 83 b8 ed" "00 00 00 d0" "0b 00 00 80"] POOL_NO_TAP_MASK "no classical tap mask in the data" .over(0x15d80);
    V4_DRAM 0x1e80 text [] POOL_LOG_STRINGS "log text";
    V4_DRAM 0x1eb8 text [] POOL_LOG_STRINGS "log text";
    V4_DRAM 0x1ecb text [] POOL_LOG_STRINGS "log text";
    V4_DRAM 0x1ee5 text [] POOL_LOG_STRINGS "log text";
    V4_DRAM 0x1f1d text [] POOL_LOG_STRINGS "log text of LfsrGetSeeds";
    V4_DRAM 0x1f30 text [] POOL_LOG_STRINGS "log text";
    V4_DRAM 0x1f4a text [] POOL_LOG_STRINGS "log text";
    V4_DRAM 0x1f66 text [] POOL_LOG_STRINGS "log text";
    MARIANA_NX_POOL_DEBUG_IRAM 0x301b unknown [] POOL_RNG_V4 "the gate that admits algorithms 0 and 3" .over(0x30);
    MARIANA_NX_POOL_DEBUG_DRAM 0xe41 text [] POOL_LOG_STRINGS "error text of RandGetState";
    MARIANA_NX_POOL_DEBUG_DRAM 0xe89 text [] POOL_LOG_STRINGS "error text of RandSetState";
}
