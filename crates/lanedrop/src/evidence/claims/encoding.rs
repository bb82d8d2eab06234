//! What the 64 bytes are: the record, its header and its events.

super::claims! {
    RECORD_LEN = "record-len-64", High Observed,
        "every record is 64 bytes on v2..v5, little-endian, with no framing or padding between records",
        "pages \"The 64-Byte Instruction Record Format\" and \"Cross-Generation Arch-ISA Header Diff\"; size assertion of s3d3_dropout.h";
    DROPOUT_OPCODE = "dropout-opcode", High Observed,
        "Dropout is opcode 0x7f on v2, v3, v4 and v5, marked as maintained",
        "aws_neuron_isa_tpb_common.h, OPCODE_DROPOUT; instruction_mapping.json, struct2opcode",
        contested ["the firmware-body survey called the opcode unrecovered and the instruction CAYMAN-only; it had not read the headers"];
    DROPOUT_LAYOUT = "dropout-layout", High Observed,
        "S3D3_DROPOUT holds src at 16, in_dtype 32, out_dtype 33, num_active_channels 34, threshold_src 35, threshold_dtype 36, threshold_type 43, threshold 44 and dst at 48",
        "s3d3_dropout.h (size asserted to be 64); the count words are confirmed by the compiler's checker, page \"DVE Datamove / Misc Encoding\"";
    DROPOUT_STRUCT_SAME_V2_V4 = "dropout-struct-same-v2-v4", High Observed,
        "the Dropout struct is byte-identical on v2, v3 and v4; v5 differs in its channel-range rule alone",
        "page \"Dropout\", diff of the four headers",
        contested ["the dtype enumeration the rules refer to grows from generation to generation (page \"The Unified Datatype Model\"), so the same text admits different codes"];
    NO_RANDOM_OPERAND = "no-random-operand", High Observed,
        "the record has no random tensor, no seed, no algorithm, no step count and no scale",
        "s3d3_dropout.h; page \"RNG-Family Encoding\"",
        contested [
            "pages \"RNG - Xorwow TIE Hardware Path\", \"RNG - Xorwow Software Path\" and \"Rand2\" call Dropout a consumer of a staged random tensor",
            "the KLR front end has a seed operand on its Dropout node; it is bound through the helper that feeds byte 35, so it is most likely the threshold",
        ];
    S3D3_IS_A_SHAPE = "s3d3-is-a-shape", Med Inferred,
        "S3D3 names the shape: one three-dimensional source, one three-dimensional destination",
        "page \"S3D3 Collective\"; the struct has two patterns",
        contested ["the seed text reads S3D3 as a three-source family"];

    OPCODE_BYTE = "header-opcode", High Observed,
        "byte 0 selects the record's struct; an unknown value is rejected by the header check",
        "pages \"The 64-Byte Instruction Record Format\" and \"ISA Validator Architecture and Entry Tree\"";
    INST_WORD_LEN = "header-inst-word-len", High Observed,
        "byte 1 is the record's length in words of 4 bytes and must be 16; streams step by 64 bytes whatever it says",
        "pages \"The 64-Byte Instruction Bundle & Header Skeleton\" and \"ISA Validator Architecture and Entry Tree\" (has_valid_inst_len)";
    QUANTIZE_MX_SATURATE = "quantize-mx-saturate-flag", Med Observed,
        "QuantizeMX (0xe3, v4 and later) sets bit 0 of byte 1 as a saturate flag, so its byte 1 can be 0x11",
        "page \"The 64-Byte Instruction Bundle & Header Skeleton\"";
    DEBUG_BYTES = "header-debug-bytes", High Observed,
        "bytes 2 and 3 are debug_cmd (NONE 0, NOTIFY 1, START 3, END 5, START_END 7, INS_FIELD 9) and a free debug_hint; the compiler writes 0, the runtime may set them, the header check ignores them",
        "page \"The 64-Byte Instruction Record Format\" (names from debug data, v2..v4); page \"Pseudo-Instruction Lowering\"",
        contested ["pages \"The 64-Byte Instruction Bundle & Header Skeleton\" and its quick reference call both bytes reserved and always zero: true of compiler output alone"];
    INST_FLAGS_V5 = "inst-flags-v5", Low Observed,
        "on v5 the header has a member inst_flags that makes the channel-range check aware of tiles; which of bytes 2 and 3 it takes, and what its bits mean, is not known",
        "v5 validators use header.inst_flags (pages \"Dropout\", \"Rand2\", \"Tensor-Scalar + Tensor-Scalar-PTR\")",
        wall ClosableWithCorpus "the v5 aws_neuron_isa_tpb_common.h: struct HEADER and has_valid_active_channel_range_with_tile";

    EVENTS_LAYOUT = "events-layout", High Observed,
        "bytes 4..12 are wait_mode, wait_idx, update_mode, update_idx and a u32 semaphore_value shared by the wait's compare and the update's arithmetic",
        "pages \"The 64-Byte Instruction Record Format\" and \"Execution & sync model\"";
    WAIT_MODES = "wait-modes", High Observed,
        "wait_mode: 0 none; 1..5 semaphore ==, <, <=, >, >= value; 6 event set; 7 event set, then clear; 14 event clear; 15 event clear, then set",
        "page \"The 64-Byte Instruction Record Format\"; 1 and 5 also in \"Execution & sync model\"";
    WAIT_GT_IS_4 = "wait-gt-is-4", High Observed,
        "wait_mode 4 waits until the semaphore is greater than the value",
        "page \"The 64-Byte Instruction Record Format\"; a shipped .asm line prints `$S[10]>0` for it (page \"A Concrete NEFF, Carved\")",
        contested ["page \"Execution & sync model\" calls 4 the default wait-and-decrement; the decrement comes from update_mode 0x14"];
    WAIT_REG_GE = "wait-register-ge", Med Observed,
        "wait_mode 0x85 compares the semaphore, >=, with a register",
        "pages \"Execution & sync model\" and \"ISA Numeric Enum-Ordinal Tables\"";
    WAIT_REG_FORMS = "wait-register-forms", Low Inferred,
        "wait_mode 0x81..0x84 are the other comparisons with a register: bit 7 marks the register form",
        "the *_REG family exists and 0x85 is one of it (pages \"Execution & sync model\" and \"ISA Numeric Enum-Ordinal Tables\")",
        wall ClosableWithCorpus "the wait-mode enumeration of aws_neuron_isa_tpb_common.h";
    UPDATE_MODES = "update-modes", High Observed,
        "update_mode: 0 none; 1 event set; 2 event clear; 3 and 4 semaphore +1 and -1; 5, 7, 9 semaphore += value, -= value, = value; plus 16 to act at completion and not when the operands were read",
        "pages \"The 64-Byte Instruction Record Format\" and \"Execution & sync model\"; `++@complete` for 0x13 in \"A Concrete NEFF, Carved\"";
    UPDATE_REG_FORMS = "update-register-forms", Low Inferred,
        "update_mode 6, 8, 10 and 22, 24, 26 are the register forms of += , -= and =",
        "register forms exist by name and these numbers are the gaps (page \"The 64-Byte Instruction Record Format\")",
        wall ClosableWithCorpus "the update-mode enumeration of aws_neuron_isa_tpb_common.h";
    EVENT_INDEX = "event-index-one-byte", Med Observed,
        "an event or semaphore index is one byte; 256 semaphores on v2 and later",
        "page \"Execution & sync model\" (id < 256 asserted); group resets carry a 256-bit mask";
    INLINE_EVENTS = "inline-events", Med Observed,
        "a Dropout record may carry waits and updates of its own; all zero is as good",
        "pages \"DVE Datamove / Misc Encoding\" and \"The 64-Byte Instruction Bundle & Header Skeleton\"",
        contested ["page \"Execution & sync model\" finds no event writes in the compute encoders it sampled"];

    THRESHOLD_SRC_BYTE = "threshold-src-byte", High Observed,
        "byte 35 is threshold_src, an IMM_SRC; the value is at bytes 44..48",
        "s3d3_dropout.h; the same role as the *_src bytes of every sibling",
        contested ["pages \"DVE Datamove / Misc Encoding\" and \"RNG-Family Encoding\" read byte 35 as a one-byte operand slot named threshold_imm_ptr, which is the name of a predicate"];
    THRESHOLD_TYPE_BYTE = "threshold-type-byte", High Observed,
        "byte 43 is threshold_type: 0 DROP_RATE, 1 KEEP_RATE",
        "s3d3_dropout.h; common.h, DROPOUT_THRESHOLD_TYPE",
        contested [
            "pages \"DVE Datamove / Misc Encoding\" and \"RNG-Family Encoding\" read it as a generator mode; the object they name holds the keep flag",
            "the KLR text form numbers the types 1 and 2, with 0 for unset",
        ];
    IMM_SRC_CODES = "imm-src-codes", High Observed,
        "IMM_SRC: 0 the value itself, 1 an address with one value per partition, 2 a register that holds the address",
        "common.h, IMM_SRC; pages \"Tensor-Scalar + Tensor-Scalar-PTR\", \"CopyPredicatedScalar\", \"NonzeroWithCount\"",
        contested [
            "page \"ISA Numeric Enum-Ordinal Tables\" infers 1 register, 2 pointer",
            "a second enumeration, IMM_SRC_N, has pointer 0 and value 1; it is for the bias of Activate alone",
        ];
    THRESHOLD_PER_LANE = "threshold-per-lane", High Observed,
        "a threshold by pointer is one value per partition",
        "public NKI documentation of nki.isa.dropout: prob is a scalar or a tile (partitions, 1)";
    IMM_VAL_FIELD = "imm-val-field", High Observed,
        "the threshold's 4 bytes are a union: a pointer, a register number with three zero bytes, or fp32 bits",
        "pages \"Tensor-Scalar + Tensor-Scalar-PTR\" and \"NonzeroWithCount\" (IMM_VAL_INST_FIELD)";
    THRESHOLD_NO_RANGE = "threshold-no-range-check", Med Observed,
        "no rule looks at the value of an immediate threshold: any 32 bits are legal",
        "has_valid_immediates passes an instruction immediate unseen (pages \"CopyPredicatedScalar\", \"RangeSelect\")";
    THRESHOLD_POLARITY_NKI = "nki-prob-is-drop-rate", Med Observed,
        "the prob of nki.isa.dropout is a drop rate: 1.0 zeroes everything, 0.0 keeps everything",
        "public NKI documentation of nki.isa.dropout",
        contested ["the open KLR front end stamps KeepRate on nki.isa.dropout"];
    NO_SURVIVOR_SCALE = "no-survivor-scale", High Observed,
        "a kept element is copied; nothing multiplies it by 1/(1-p)",
        "s3d3_dropout.h, element algorithm; no scale literal in the firmware's body",
        contested [
            "the firmware-body survey listed a multiply as the rescale of inverted dropout",
            "page \"KLR-to-BIR leaf codegen\" infers that the compiler's simulator may apply one",
        ];
    DROPPED_IS_ZERO = "dropped-is-zero-bits", Med Inferred,
        "a dropped element becomes all-zero bits, +0 in every dtype",
        "s3d3_dropout.h writes 0.0; every dtype has +0 as its zero bits";

    OPCODE_TABLE = "opcode-table", High Observed,
        "174 opcodes have names; 145, 150, 159 and 165 of them exist on v2, v3, v4 and v5, and none ever changes its value",
        "page \"Cross-Generation Opcode-Table Diff + TONGA\" (four header enumerations)";
    STREAM_SHUFFLE_NAMES = "stream-shuffle-names", High Observed,
        "0x69 and 0x6a are LOAD_MASK_SELECT and STREAM_SHUFFLE",
        "header enumerations (page \"Cross-Generation Opcode-Table Diff + TONGA\")",
        contested ["page \"DVE Datamove / Misc Encoding\" names them stream_shuffle and stream_transpose"];
    OPCODES_IN_NO_HEADER = "opcodes-in-no-header", Low Observed,
        "0xb7 and 0xeb are named by the compiler's tables alone and exist in no generation's header",
        "page \"ISA Numeric Enum-Ordinal Tables\"";
    ALU_OPS = "alu-ops", High Observed,
        "ALU_OP: 0x00..0x1d on all generations, 0x20..0x23 on v4 and later; an integer band at 0xc4..0xe1, of which v2 has 0xc4..0xc6",
        "pages \"Tensor-Scalar + Tensor-Scalar-PTR\" and \"Cross-Generation Arch-ISA Header Diff\"";
    ACCUM_CMDS = "accum-cmds", Med Observed,
        "ACCUM_CMD: Idle 0, Zero 1, Accumulate 2, ZeroAccumulate 3, LoadAccumulate 4",
        "page \"Tensor-Scalar + Tensor-Scalar-PTR\"";
    STREAM_FORMAT = "stream-format", High Observed,
        "a stream is records one after another in program order; its length is a multiple of 64",
        "pages \"The 64-Byte Instruction Record Format\" and \"Per-Engine .bin Emission\"";
    NEFF_HEADER = "neff-header", Med Observed,
        "a NEFF has a header of 1024 bytes with u64 0x400 at offset 8, and its payload at 0x400, gzip or tar; there is no magic number",
        "page \"A Concrete NEFF, Carved\"; a public test of the vllm-neuron tree reads it so",
        contested ["pages \"Per-Engine .bin/.json Member Layout\" and \"A Concrete NEFF, Carved\" disagree on member names and tar dialect"];
    ENGINE_IS_DVE = "engine-is-dve", High Observed,
        "Dropout runs on the DVE (Vector) engine, index 3 in the runtime's order",
        "pages \"Dropout\" and \"Per-Arch Instruction Validators\"";
}
