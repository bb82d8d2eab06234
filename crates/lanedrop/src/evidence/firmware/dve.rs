//! The sites of the DVE images: Dropout's handler on CAYMAN, its siblings on
//! MARIANA.
//!
//! Quoted bytes are those that pages print. Derived ones are the encodings of
//! the instructions that pages name; a test encodes them anew.

use super::images::{
    CAYMAN_NX_DVE_DEBUG_DRAM as DRAM, CAYMAN_NX_DVE_DEBUG_IRAM as IRAM,
    MARIANA_NX_DVE_DEBUG_DRAM as V4_DRAM, MARIANA_NX_DVE_DEBUG_IRAM as V4_IRAM,
};
use super::site::sites;
use crate::evidence::claims::encoding::NO_SURVIVOR_SCALE;
use crate::evidence::claims::firmware::*;
use crate::evidence::claims::sites::*;

sites! {
    /// Reset, dispatch and registration on CAYMAN.
    DISPATCH:
    IRAM 0x0 quoted ["06 76 00 00 00 00 86 77 00 00 00 00"] DVE_RESET "reset: j 0x1dc; j 0x1e8 at 6";
    IRAM 0x1dc derived ["04 00 00 04 90 00"] DVE_RESET_TARGET "const16 a0,0; const16 a0,0x90";
    IRAM 0x2000 derived ["36 61 00"] STUB_STRIDE "stub of ParamLoad: entry a1,48" .inferred();
    IRAM 0x201c derived ["36 61 00"] STUB_STRIDE "stub of ParamLoad2: entry a1,48" .inferred();
    IRAM 0x216c derived ["36 61 00"] HANDLER_REGISTRATION "stub of Dropout: entry a1,48";
    IRAM 0x216f derived ["24 00 00"] STUB_REGISTERS "const16 a2,0, the high half" .inferred();
    IRAM 0x2172 quoted ["24 bc 96"] HANDLER_REGISTRATION "const16 a2,0x96bc, the handler";
    IRAM 0x2175 derived ["22 61 03"] HANDLER_REGISTRATION "s32i a2,[a1+12]";
    IRAM 0x2178 derived ["cf ?? ?? ?? ?? ?? ??"] STUB_REGISTERS "a bundle of 7 bytes, as in sibling stubs" .inferred();
    IRAM 0x217f derived ["e5 39 07"] HANDLER_REGISTRATION "call8 0x951c, the register routine";
    IRAM 0x2f5a derived ["22 c2 bf"] DISPATCH_CODE "dispatch: addi a2,a2,-65" .within(0x60);
    IRAM 0x2f5a derived ["?2 a0 a9"] DISPATCH_CODE "dispatch: movi of 169" .within(0x60);
    IRAM 0x2f5a derived ["?4 14 08"] DISPATCH_CODE "dispatch: const16 of 0x814, the table" .within(0x60);
    IRAM 0x30b6 quoted ["a5 f4 fe 46 55 00"] STUB_STRIDE "trampoline of ParamLoad: call8 0x2000; j 0x3212";
    IRAM 0x30be quoted ["e5 f5 fe 46 53 00"] STUB_STRIDE "trampoline of ParamLoad2: call8 0x201c; j 0x3212";
    IRAM 0x3739 derived ["22 c2 bf"] DISPATCH_CODE "second dispatch: addi a2,a2,-65" .within(0x60);
    IRAM 0x3739 derived ["?2 a0 a9"] DISPATCH_CODE "second dispatch: movi of 169" .within(0x60);
    IRAM 0x3739 derived ["?4 bc 0a"] DISPATCH_CODE "second dispatch: const16 of 0xabc, the table" .within(0x60);
    IRAM 0x951c derived ["36 ?1 ??"] CALL_TARGETS_ENTER "register routine: entry" .inferred();
}

sites! {
    /// Dropout's handler on CAYMAN, and the functions it calls.
    HANDLER:
    IRAM 0x95f5 derived ["a4 d2 1e"] LOG_STRINGS "Stream-Transpose: const16 a10,0x1ed2";
    IRAM 0x9624 derived ["a5 9c 05"] WORKER_A_CALL_SITE "call8 0xeff0, worker A";
    IRAM 0x96bc derived ["36 a1 00"] HANDLER_ENTRY "handler: entry a1,80";
    IRAM 0x96bc derived [] CONFIG_PACK_CALL "a call8 of 0x9b18, the flag packer, in the handler" .calls(0x40a, 0x9b18) .inferred();
    IRAM 0x0 unknown [] WORKER_A_CALL_SITE "every call8 of worker A, 0xeff0" .callers(0xeff0);
    IRAM 0x0 unknown [] WORKER_B_CALL_SITE "every call8 of worker B, 0xf110" .callers(0xf110);
    IRAM 0x96bf unknown [] HANDLER_ENTRY "three bytes no page tells" .over(3);
    IRAM 0x96c2 derived ["a4 08 00"] HANDLER_ENTRY "const16 a10,8";
    IRAM 0x96c5 quoted ["a4 e7 1e"] HANDLER_ENTRY "const16 a10,0x1ee7, `S: Dropout`";
    IRAM 0x96c8 derived ["65 94 0e"] HANDLER_ENTRY "call8 0x18010, the log";
    IRAM 0x96d7 derived ["22 61 02" "29 21"] HANDLER_FRAME "s32i a2,[a1+8], the count";
    IRAM 0x96e1 derived ["22 41 0c"] HANDLER_FRAME "s8i a2,[a1+12], the dtype";
    IRAM 0x96eb derived ["22 41 1c"] HANDLER_FRAME "s8i a2,[a1+28], the configuration";
    IRAM 0x96f8 derived ["28 21 0b 22 0c 13 ?? ?? ?? 22 41 18" "28 21 22 c2 ff 0c 13 ?? ?? ?? 22 41"] HANDLER_SINGLE_ELEMENT "l32i.n a2,[a1+8]; a2 - 1 < 1; s8i a2,[a1+24]";
    IRAM 0x9704 derived ["a2 01 1c"] HANDLER_FRAME "l8ui a10,[a1+28]";
    IRAM 0x9707 derived ["25 3c 00"] DTYPE_CLASS_CHECKER "call8 0x9ac8, the dtype class";
    IRAM 0x970a derived ["a2 41 14"] HANDLER_FRAME "s8i a10,[a1+20], is-integer";
    IRAM 0x970d unknown [] HANDLER_FRAME "three bytes no page tells" .over(3);
    IRAM 0x9710 derived ["cc 62"] HANDLER_DTYPE_DEFAULT "bnez.n a2,0x971a";
    IRAM 0x9712 derived ["c6 ff ff"] HANDLER_DTYPE_DEFAULT "j 0x9715";
    IRAM 0x9715 quoted ["0c a2"] HANDLER_DTYPE_DEFAULT "movi.n a2,10, FP32";
    IRAM 0x9717 derived ["22 41 0c"] HANDLER_DTYPE_DEFAULT "s8i a2,[a1+12]";
    IRAM 0x971a unknown [] HANDLER_DTYPE_COPY "where the branch lands: the store to [a1+16]?" .over(3);
    IRAM 0x9748 derived ["65 9c 05"] WORKER_B_CALL_SITE "call8 0xf110, worker B";
    IRAM 0x9abf derived ["a8 11"] HANDLER_TAIL "l32i.n a10,[a1+4]";
    IRAM 0x9ac1 derived ["65 09 00"] HANDLER_TAIL "call8 0x9b58";
    IRAM 0x9ac4 derived ["1d f0"] HANDLER_TAIL "retw.n";
    IRAM 0x9ac8 derived ["36 61 00"] DTYPE_CLASS_CHECKER "dtype class: entry a1,48";
    IRAM 0x9ad3 derived ["26 23 3c"] DTYPE_CLASS_CHECKER "beqi a3,2,0x9b13";
    IRAM 0x9ade derived ["26 43 31"] DTYPE_CLASS_CHECKER "beqi a3,4,0x9b13";
    IRAM 0x9ae9 derived ["26 83 26"] DTYPE_CLASS_CHECKER "beqi a3,8,0x9b13";
    IRAM 0x9af4 derived ["26 33 1b"] DTYPE_CLASS_CHECKER "beqi a3,3,0x9b13";
    IRAM 0x9aff derived ["26 53 10"] DTYPE_CLASS_CHECKER "beqi a3,5,0x9b13";
    IRAM 0x9b08 derived ["22 c2 f7"] DTYPE_CLASS_CHECKER "addi a2,a2,-9";
    IRAM 0x9b0b unknown [] DTYPE_CLASS_CHECKER "saltu a2,a2,a3" .over(3);
    IRAM 0x9b13 derived ["20 20 04 1d f0"] DTYPE_CLASS_CHECKER "extui a2,a2,0,1; retw.n";
    IRAM 0x9b18 derived ["36 ?1 ??"] CALL_TARGETS_ENTER "flag packer: entry" .inferred();
    IRAM 0x9b58 derived ["36 ?1 ??"] CALL_TARGETS_ENTER "tail routine: entry" .inferred();
    IRAM 0xeff0 derived ["36 ?1 ??"] CALL_TARGETS_ENTER "worker A: entry" .inferred();
    IRAM 0xf110 derived ["36 ?1 ??"] CALL_TARGETS_ENTER "worker B: entry" .inferred();
    IRAM 0x18010 derived ["36 ?1 ??"] CALL_TARGETS_ENTER "log: entry" .inferred();
    IRAM 0x96bc absent ["?4 80 3f" "00 00 80 3f"] NO_SURVIVOR_SCALE "no const16 of 0x3f80 and no word of 1.0 from the handler's entry to its end" .over(0x40a);
}

sites! {
    /// The data image on CAYMAN; its tables are in `slots`.
    DATA:
    DRAM 0x0 quoted ["34 cb 99 60"] DRAM_HEADER "header word 0x6099cb34";
    DRAM 0x8a0 derived ["b6 30 00 00"] STUB_STRIDE "slot of 0x64, BATCH_NORM_PARAM_LOAD: its trampoline" .inferred();
    DRAM 0x948 derived ["be 30 00 00"] STUB_STRIDE "slot of 0x8e, BATCH_NORM_PARAM_LOAD2: its trampoline" .inferred();
    DRAM 0xde0 quoted ["53 3a 20 44 69 73 70 61 74 63 68 20 6f 70 63 6f 64 65 3d 30 78 25 78"] LOG_STRINGS "`S: Dispatch opcode=0x%x`";
    DRAM 0x1ed2 quoted ["53 3a 20 53 74 72 65 61 6d 2d 54 72 61 6e 73 70 6f 73 65"] LOG_STRINGS "`S: Stream-Transpose`";
    DRAM 0x1ee5 derived ["0a 00"] LOG_STRING_END "its line feed and end" .inferred();
    DRAM 0x1ee7 quoted ["53 3a 20 44 72 6f 70 6f 75 74"] LOG_STRINGS "`S: Dropout`";
    DRAM 0x1ef1 derived ["0a 00"] LOG_STRING_END "its line feed and end" .inferred();
}

sites! {
    /// Dropout's siblings on MARIANA; no page gives an address of Dropout there.
    SIBLINGS_V4:
    V4_IRAM 0x230e quoted ["24 e0 eb"] SIBLING_STUBS_V4 "stub of RandSetState: const16 a2,0xebe0";
    V4_IRAM 0x232a quoted ["24 cc f2"] SIBLING_STUBS_V4 "stub of Rand2: const16 a2,0xf2cc";
    V4_IRAM 0x2346 quoted ["24 98 f6"] SIBLING_STUBS_V4 "stub of Exponential: const16 a2,0xf698";
    V4_IRAM 0x9920 derived ["36 ?1 ??"] CALL_TARGETS_ENTER "register routine: entry" .inferred();
    V4_IRAM 0xebe0 derived ["36 ?1 ??"] CALL_TARGETS_ENTER "RandSetState: entry" .inferred();
    V4_IRAM 0xf2cc quoted ["36 a1 00"] RAND2_HANDLER_V4 "Rand2: entry a1,80";
    V4_IRAM 0xf2d9 quoted ["25 94 fd"] RAND2_HANDLER_V4 "call8 0xcc1c";
    V4_IRAM 0xf2df quoted ["e5 6d fa"] RAND2_HANDLER_V4 "call8 0x99bc";
    V4_IRAM 0xf650 quoted ["a4 68 30"] RAND2_HANDLER_V4 "const16 a10,0x3068, `S: Rand2`";
    V4_IRAM 0xf653 quoted ["25 25 09"] RAND2_HANDLER_V4 "call8 of the log";
    V4_IRAM 0xf660 quoted ["25 ba 05"] RAND2_HANDLER_V4 "call8";
    V4_IRAM 0xf68e quoted ["bc 59"] RAND2_HANDLER_V4 "beqz.n to 0xf6c7";
    V4_IRAM 0xf694 derived ["1d f0"] RAND2_HANDLER_V4 "retw.n";
    V4_IRAM 0xf698 derived ["36 ?1 ??"] CALL_TARGETS_ENTER "Exponential: entry" .inferred();
    V4_DRAM 0x3068 quoted ["53 3a 20 52 61 6e 64 32 0a 00"] RAND2_HANDLER_V4 "`S: Rand2`, line feed, end";
}
