//! The records around Dropout: random-number and seeding instructions.

super::claims! {
    RNG_RECORD_D4_MR = "rng-record-d4-mr", Med Observed,
        "RNG (0x4d) uses the struct D4_MR, as MEMSET does",
        "page \"RNG-Family Encoding\" and the instruction_mapping.json files of four generations",
        contested ["page \"RNG - LFSR + rand_algo Dispatch Tree\" gives it D3_RAND"];
    S1_RAND_LAYOUT = "s1-rand-layout", High Observed,
        "RAND_SET_STATE (0x78): algorithm 12, channels 13, update_state 14, in_dtype 15, src 16, rand_generator 24, imm_state u32[8] at 32",
        "page \"RNG Seed-State Opcodes (0x77/0x78)\", from the header",
        contested ["page \"RNG-Family Encoding\" places update_state at 16 and the seeds at 32"];
    SET_RNG_SEED_OPCODE = "set-rng-seed-opcode", Med Observed,
        "0xd0 is PSEUDO_SET_RNG_SEED, lowered by the runtime; only the DVE is supported",
        "page \"RNG Seed-State Opcodes (0x77/0x78)\"",
        contested ["page \"RNG-Family Encoding\" calls 0xd0 a legacy spelling of 0x78"];
    RAND_ALGORITHMS = "rand-algorithms", High Observed,
        "RAND_ALGORITHM: LFSR 0, PCG32 1, PHILOX 2, XORWOW 3; v2 has no 3",
        "page \"RNG - LFSR + rand_algo Dispatch Tree\"",
        contested ["page \"RNG-Family Encoding\" finds three values in the compiler's own enumeration and takes a 3 on the wire for something else"];
    RAND_SOURCES = "rand-sources", High Observed,
        "RAND_SRC: RNG_LFSR 0, RNG_XORWOW 1, RNG_PHILOX 2, OUTPUT_CVT_LFSR 3; v2 has 0 and 2 alone",
        "pages \"RNG - LFSR + rand_algo Dispatch Tree\" and \"RNG Seed-State Opcodes (0x77/0x78)\"";
    RAND_POST_PROCS = "rand-post-procs", High Observed,
        "RAND_POST_PROC: RAW_U32 0, UNIFORM_IN_RANGE 1, NORMAL 2 (unsupported)",
        "page \"RNG - LFSR + rand_algo Dispatch Tree\"";
    RAND_STATE_UPDATES = "rand-state-updates", High Observed,
        "RAND_STATE_UPDATE: SRC_TENSOR 0, IMM_SINGLE 1, IMM_LANE 2",
        "page \"RNG Seed-State Opcodes (0x77/0x78)\"";
    RAND_STATE_GENERATIONS = "rand-state-generations", High Observed,
        "RAND_GET_STATE and RAND_SET_STATE reach the DVE on v4 and v5 only",
        "page \"RNG Seed-State Opcodes (0x77/0x78)\"; public NKI documentation";
    RAND2_IS_XORWOW = "rand2-is-xorwow", High Observed,
        "RAND2 (0xe2, v4 and later) must name XORWOW and UNIFORM_IN_RANGE",
        "page \"Rand2 (user random-tensor op)\" (restrict_rand2_algorithm)",
        contested ["public NKI documentation admits more dtypes than the header does"];
}
