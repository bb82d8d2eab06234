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
    TS_LAYOUT = "tensor-scalar-layout", High Observed,
        "S3D3_TS (0x43): accumulator_cmd 12, src 16, in_dtype 32, out_dtype 33, channels 34, imm0_src 35, op0 36, op1 37, reverse_operands 38, imm1_src 39, imm0 40, imm1 44, dst 48",
        "page \"Tensor-Scalar + Tensor-Scalar-PTR\"";
    TS_RULES = "tensor-scalar-rules", Med Observed,
        "TensorScalar wants accumulator_cmd Idle, equal element counts, op1 Bypass where op0 is, no Divide, Pow or Mod; out_dtype may differ from in_dtype and be FP32R",
        "page \"Tensor-Scalar + Tensor-Scalar-PTR\"";
    TS_RESULT = "tensor-scalar-result", High Observed,
        "the result is (x op0 imm0) op1 imm1, immediates of 0x43 are fp32, and reverse_operands swaps the operands of the first operation (1), the second (2) or both (3)",
        "page \"Tensor-Scalar + Tensor-Scalar-PTR\"";
    TS_BITWISE_OPS = "tensor-scalar-bitwise-ops", Low Inferred,
        "bitwise, shift, CRC and integer operators belong to 0x53 and other opcodes and are not meant for 0x43",
        "0x43 is the arithmetic and 0x53 the bitwise form (page \"Tensor-Scalar + Tensor-Scalar-PTR\"); no page lists what 0x43 refuses beyond Divide, Pow and Mod",
        wall ClosableWithCorpus "the operator check of s3d3_ts.h";
    D4_MR_LAYOUT = "d4-mr-layout", Med Observed,
        "D4_MR (0x49, 0x4d): dst element count u32 28, dtype 32, channels 34, reserved 36, fill value 40, dst TENSOR4D 44; what bytes 12..28, 33 and 35 are is on no page",
        "pages \"RNG-Family Encoding\" and the DVE read-state page",
        wall ClosableWithCorpus "the struct D4_MR in the headers";
    D4_MR_COUNT = "d4-mr-element-count", Low Inferred,
        "the element count at 28 is the product of the counts of dst",
        "its name; no check of it is on any page",
        wall ClosableWithCorpus "the struct D4_MR in the headers";
    RNG_FILL_ZERO = "rng-fill-zero", Med Observed,
        "RNG writes 0 where MEMSET has its fill value; it has no algorithm and no seed",
        "page \"RNG-Family Encoding\"";
    RNG_LOW_BITS = "rng-low-bits", High Observed,
        "RNG writes 32 random bits an element, of which a narrower integer keeps the low ones",
        "public NKI documentation of nki.isa.rng";
    RNG_FLOAT_DTYPES = "rng-float-dtypes", Low Inferred,
        "what RNG writes for a float dtype on the DVE is not known",
        "public NKI documentation has integers alone; the firmware of another engine has branches for FP32 and BFLOAT16",
        wall ClosableWithHardware "one RNG record with dtype FP32";
    D3_RAND_LAYOUT = "d3-rand-layout", High Observed,
        "D3_RAND (RAND2, 0xe2): algorithm 12, post_process 14, dtype 32, channels 34, min_src 38, max_src 39, min 40, max 44, dst TENSOR3D 48, all else reserved",
        "page \"Rand2 (user random-tensor op)\", compile-checked there";
    RAND2_RULES = "rand2-rules", High Observed,
        "RAND2 wants algorithm XORWOW, post_process UNIFORM_IN_RANGE and a float dtype, FP32R included",
        "page \"Rand2 (user random-tensor op)\"",
        contested ["public NKI documentation admits integers and FP8 too"];
    RAND2_RANGE = "rand2-range", Med Observed,
        "RAND2 writes min + (max - min) * u, where u has the low 23 bits of a draw as its mantissa",
        "the compiler's simulator (page \"Sim BN / RNG / Search / Collective / DMA Kernels\"); the firmware of another engine builds the same masks",
        contested ["the header calls the interval open, public documentation calls it closed"];
    D4_RAND_LAYOUT = "d4-rand-layout", High Observed,
        "D4_RAND (RAND 0x76, RAND_GET_STATE 0x77): algorithm 12, num_steps 13, post_process 14, rand_generator 15, params 16, dtype 32, channels 34, dst TENSOR4D 44",
        "pages \"RNG - LFSR + rand_algo Dispatch Tree\" and \"RNG Seed-State Opcodes (0x77/0x78)\"",
        contested ["page \"RNG-Family Encoding\" calls byte 13 the generator and byte 15 post_process"];
    RAND_UNMAINTAINED = "rand-unmaintained", High Observed,
        "RAND (0x76) is unmaintained: its header refuses all algorithms but Philox and no engine wires it",
        "pages \"RNG - LFSR + rand_algo Dispatch Tree\" and \"Rand2 (user random-tensor op)\"";
    RAND_NUM_STEPS = "rand-num-steps", High Observed,
        "num_steps of RAND is 1, for LFSR 1 or more",
        "page \"RNG - LFSR + rand_algo Dispatch Tree\" (has_valid_rand_num_steps)";
    GET_STATE_RULES = "rand-get-state-rules", High Observed,
        "RAND_GET_STATE wants num_steps, post_process and params 0, dtype UINT32 and as many elements as the generator has words",
        "page \"RNG Seed-State Opcodes (0x77/0x78)\"";
    SET_STATE_RULES = "rand-set-state-rules", High Observed,
        "RAND_SET_STATE wants UINT32; from a tensor, imm_state is zero and the source, in SBUF, has as many elements as the generator has words; immediates are for Philox alone, with imm_state[7] zero",
        "page \"RNG Seed-State Opcodes (0x77/0x78)\"";
    RAND_STATE_PAIRINGS = "rand-state-pairings", High Observed,
        "which engine keeps which state, and in how many words: POOL Philox 7 (v2..v5), XORWOW 6 (v3..v5), output LFSR 1 (v4, v5); DVE XORWOW 24, LFSR 4, output LFSR 4 (v4, v5); ACT output LFSR 2 (v4)",
        "page \"RNG Seed-State Opcodes (0x77/0x78)\"; the public v4 guide has four XORWOW states a lane",
        contested ["the firmware of POOL refuses Philox, which the validator admits"];
    SET_RNG_SEED_LAYOUT = "set-rng-seed-layout", Med Observed,
        "PSEUDO_SET_RNG_SEED: seed_src 12, seed 16; the other bytes are on no page and are taken to be zero",
        "page \"RNG Seed-State Opcodes (0x77/0x78)\"",
        wall ClosableWithCorpus "the struct PSEUDO_SET_RNG_SEED in the headers";
    SEED_WIDTH = "seed-width", High Observed,
        "a seed has 32 bits, in one element",
        "public NKI documentation of set_rng_seed; compiler release notes 2.9.0.16";
    CP_PRED_SCALAR_LAYOUT = "copy-predicated-scalar-layout", High Observed,
        "S3D3_CP_PRED_SCALAR (0xe8): predicate pattern 16, pred_dtype 32, reversed_pred 33, channels 34, in_dtype 41, out_dtype 42, src0_imm_src 43, src0_imm 44, dst 48",
        "page \"CopyPredicatedScalar\"";
    TS_SELECT_LAYOUT = "tensor-scalar-select-layout", High Observed,
        "S3D3_TS_SELECT (0x98): src 16, reversed_pred 32, channels 33, dtype 34, pred_imm_dtype 35, src1_imm_src 38, pred_imm_src 39, src1_imm 40, pred_imm 44, dst 48",
        "page \"TensorScalarSelect\"";
    ACTIVATE_LAYOUT = "activate-layout", High Observed,
        "S3D3_AC (0x21): imm_src 12, scale_src 13, accumulator_cmd 14, bias_src 15, src 16, in and bias dtypes as halves of 32, out_dtype 33, channels 34, activation_func 35, scale 36, bias 40, imm 44, dst 48",
        "page \"Activate + the PWL Application Mechanism\"";
    IMM_SRC_N_CODES = "imm-src-n-codes", High Observed,
        "IMM_SRC_N, for the bias of Activate alone, swaps two codes: pointer 0, instruction immediate 1, register pointer 2",
        "pages \"Tensor-Scalar + Tensor-Scalar-PTR\" and \"Activate + the PWL Application Mechanism\"";
    NEIGHBOUR_RULES = "neighbour-rules", Med Inferred,
        "what Dropout's neighbours ask of dtypes, operands, channels and patterns is what every sibling asks",
        "the shared predicates of pages \"CopyPredicatedScalar\", \"TensorScalarSelect\", \"Activate + the PWL Application Mechanism\" and \"Tensor-Scalar + Tensor-Scalar-PTR\"",
        wall ClosableWithCorpus "the headers of the neighbours";
    EVENTS_EXTENDED = "events-extended", Low Inferred,
        "EVENT_SEMAPHORE compares with the u32 at 8 and updates with the u32 at 12",
        "its events are 12 bytes with a value each for wait and update (page \"The 64-Byte Instruction Record Format\"); their order is ours",
        wall ClosableWithCorpus "the struct EVENTS_EXTENDED in the headers";
}
