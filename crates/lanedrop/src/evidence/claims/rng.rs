//! Generators, seeding, conversion and comparison.

super::claims! {
    // The register that Dropout draws from.
    DROPOUT_RNG_IS_LFSR = "dropout-rng-is-lfsr", High Observed,
        "Dropout's generator is an LFSR that gives one u32 for each lane and element",
        "s3d3_dropout.h, first comment, on every generation",
        contested ["the Trainium3 guide gives the Vector engine of v4 a XORWOW with four 32-bit values a lane and cycle; the v4 header still says LFSR"],
        wall ClosableWithHardware "a Dropout mask from known lane words on each generation";
    LFSR_WALL = "lfsr-recurrence-wall", High Observed,
        "taps, direction and feedback of Dropout's LFSR are in no header and in no constant of the firmware images that were searched",
        "page \"Dropout\", section 5; page \"RNG - LFSR + rand_algo Dispatch Tree\" (eight classical tap masks, no hit)",
        contested [
            "page \"Sim BN / RNG / Search / Collective / DMA Kernels\" quotes the taps 32, 22, 2, 1 from the compiler's simulator",
            "aws-neuron-sdk issue 724 has ten words of a trn1 that step by those taps, on the Rng path",
        ],
        wall ClosableWithHardware "one Dropout of 128 lanes by 33 elements from known dense seeds at threshold 0x3effffff; or more of the firmware's corpus";
    LFSR_IN_DATAPATH = "lfsr-in-datapath", Low Inferred,
        "the register is hardware of the Vector engine and not a program of its processor, which is why no firmware image holds a tap constant",
        "public NKI documentation and Trainium3 guide on the Vector engine's generator",
        contested ["page \"Dropout\" composes the step from the processor's shift and xor operations"],
        wall ClosableWithStatic "the instructions of worker B (0xf110) with bundle tables";
    LFSR_TAPS_DEVICE = "lfsr-taps-device", Med Inferred,
        "the Rng path of a trn1 is a 32-bit Fibonacci register that shifts left by one, with taps 32, 22, 2, 1 and XNOR feedback",
        "aws-neuron-sdk issue 724: 279 of 279 carried bits and nine of nine feedback bits; of 9,052 candidates with two or four taps 24 fit, two of them maximal, one in a published table",
        contested ["the compiler's simulator has the same taps with XOR feedback (page \"Sim BN / RNG / Search / Collective / DMA Kernels\")"],
        wall ClosableWithHardware "64 raw words of nisa.rng from the Vector engine";
    LFSR_TAPS_SIMULATOR = "lfsr-taps-simulator", Med Observed,
        "the compiler's simulator steps an LFSR left by one with taps 32, 22, 2, 1 and XOR feedback, one step a draw, and puts out the new state",
        "page \"Sim BN / RNG / Search / Collective / DMA Kernels\" (table at libBIRSimulator.so rodata 0x5f2700)",
        contested ["the words of aws-neuron-sdk issue 724 have the complement of that feedback bit at all nine steps"];
    LFSR_TAPS_PUBLISHED = "lfsr-taps-published", High Observed,
        "taps 32, 22, 2, 1 with XNOR are the standard 32-bit register of maximal length, period 2^32-1, stuck at all ones",
        "Xilinx application note XAPP052, table of taps";
    LFSR_XORSHIFT_STYLE = "lfsr-xorshift-style", Low Inferred,
        "Dropout's LFSR is xorshift-style and no register with taps",
        "page \"RNG - LFSR + rand_algo Dispatch Tree\"; page \"Dropout\", section 5",
        refuted ["the simulator's tap table and the words of aws-neuron-sdk issue 724 are those of a register with taps, for the Vector engine's LFSR"];
    DROPOUT_USES_RNG_REGISTER = "dropout-uses-rng-register", Med Inferred,
        "Dropout draws from the register that RNG and random memset use on the Vector engine",
        "both belong to one engine, for which the public documentation names one LFSR; no Dropout mask was ever published",
        wall ClosableWithHardware "a Dropout mask and raw words of nisa.rng from one seed";
    SUNDA_GENERATOR = "sunda-generator", Low Inferred,
        "v2 has the Vector engine's LFSR too",
        "public NKI documentation: nisa.rng runs on the Vector engine of v2",
        contested ["the v2 Pool image has no generator string, and no v2 DVE image was read"],
        wall ClosableWithCorpus "a v2 DVE image";

    // Draws from real silicon.
    DUMP_RNG_BIT_GENERATOR = "dump-rngbitgenerator-2023-08", High Observed,
        "a device printed 04b7e848 496fd090 d2750b8b e73f4240 8d32484c 58d7a3a9 f3e85b20 a5f4240a 0a0bc62d 521c5ce5 as the first words of a u32[100,100]",
        "aws-neuron-sdk issue 724, 2023-08-11";
    DUMP_RNG_BIT_GENERATOR_MASK = "dump-rngbitgenerator-unmasked", Med Inferred,
        "word j of that output is the generator's state xor the float32 bits of 1/(j+1)",
        "aws-neuron-sdk issue 724: so unmasked, each word is the one before shifted left by one; the last feedback bit depends on how 1/10 was rounded";
    DUMP_RNG_BIT_GENERATOR_ENGINE = "dump-rngbitgenerator-engine", Low Inferred,
        "those words come from the Vector engine of a trn1 (v2)",
        "aws-neuron-sdk issue 724: date and XLA lowering; the report does not say",
        wall ClosableWithHardware "the same program on a trn1, engine by engine";
    DUMP_RNG_UNIFORM = "dump-rnguniform-2023-05", High Observed,
        "a trn1 printed sixteen RngUniform floats: 0.5 four times, then 0.5 + {1,2,4,8}/128, 0.5 + {2,4,8,16}/128, 0.5 + {3,6,12,24}/128",
        "aws-neuron-sdk issue 676, 2023-05-12";
    DUMP_RNG_UNIFORM_READING = "dump-rnguniform-reading", Med Inferred,
        "those floats are four lanes of four draws: float(int32(state)) * 2^-32 + 0.5, the state lane<<24 shifted left once before the first draw",
        "aws-neuron-sdk issue 676; the low bits lie below float32, so it cannot tell XOR from XNOR";

    // How lanes step.
    LANES_INDEPENDENT = "lanes-independent", High Observed,
        "there are 128 lanes with a register each, one per partition",
        "d4_rand.h, comment (page \"RNG - LFSR + rand_algo Dispatch Tree\")";
    LFSR_WORD_PER_LANE = "lfsr-word-per-lane", High Observed,
        "an LFSR lane's state is one u32, rand_state[0]",
        "page \"Dropout\", section 5; page \"RNG - LFSR + rand_algo Dispatch Tree\"",
        contested ["the checker gives the DVE's LFSR state four words a lane on v4 and v5 (page \"RNG Seed-State Opcodes\")"];
    DVE_STATE_FOUR_GENERATORS = "dve-state-four-generators", Med Inferred,
        "the DVE of v4 runs four generators a lane: 4 words of LFSR, 24 of XORWOW, four values a cycle",
        "checker arms (page \"RNG Seed-State Opcodes\"); Trainium3 guide; which element uses which of the four, and how their words are ordered, is on no page",
        wall ClosableWithHardware "RAND_GET_STATE before and after one, two and three draws";
    DRAW_AFTER_STEPS = "draw-after-steps", High Observed,
        "the u32 that a draw gives is the state after its steps",
        "d4_rand.h, comment; both dumps read so";
    ONE_STEP_A_DRAW = "one-step-a-draw", Med Inferred,
        "the Rng path takes one step for each element",
        "aws-neuron-sdk issues 676 and 724: consecutive elements are one shift apart";
    NUM_STEPS_FIELD = "num-steps-field", High Observed,
        "num_steps (at least 1, LFSR only) is a field of D4_RAND alone; neither Dropout nor RNG has one",
        "d4_rand.h and s3d3_dropout.h",
        contested ["page \"Dropout\" has its register advance rand_num_steps times; no field of the record holds such a number"];
    STATE_KEPT_IN_ENGINE = "state-kept-in-engine", Med Observed,
        "the Vector engine keeps its lanes' state inside, over a whole program; it can be neither read nor set by an instruction before v4",
        "public NKI documentation of rand_set_state; page \"RNG Seed-State Opcodes\"",
        contested ["page \"RNG Seed-State Opcodes\" finds the state in DRAM scratch: that is the Pool engine's"];

    // Seeding.
    SEED_OUT_OF_BAND = "seed-out-of-band", High Observed,
        "a Dropout record has no seed: lanes are seeded before, by 0xd0 or 0x78",
        "s3d3_dropout.h; page \"RNG Seed-State Opcodes\"",
        contested ["the KLR form of Dropout has a seed operand; it is bound where the record has its threshold, so it is most likely that"];
    SEEDING_LANE_SHIFT24 = "seeding-lane-shift24", Med Observed,
        "the simulator makes a lane's first word of one seed as (lane << 24) | (seed & 0xffffff)",
        "page \"Sim BN / RNG / Search / Collective / DMA Kernels\", immediate path of the Pool engine; aws-neuron-sdk issue 676 fits with seed 0",
        contested ["how the DVE's lanes get their words from the seed of 0xd0 is on no page; the compiler's simulator seeds a host generator instead"],
        wall ClosableWithHardware "the first draws of 128 lanes from two or three known seeds";
    SEED_32_BITS = "seed-32-bits", Med Observed,
        "a seed is 32 bits; before the compiler of 2023-08-28 seeds were ignored",
        "release note of neuronx-cc 2.9.0.16";
    SEED_STATE_LOST_ON_RESET = "seed-state-lost-on-reset", Med Observed,
        "lane states last through a program and are lost when the core is reset or the runtime starts anew",
        "public NKI documentation of rand_set_state";

    // From a draw to a number.
    UNIFORM_INTERVAL = "uniform-interval", Med Observed,
        "a draw becomes an f32 in a range written (0.0 to 1.0)",
        "s3d3_dropout.h, first comment",
        contested ["every formula on the pages gives [0, 1), and nl.rand documents that; rand2 documents [min, max]"];
    UNIFORM_TOP23 = "uniform-top23", Low Inferred,
        "a draw becomes ((u >> 9) | 0x3f800000) - 1",
        "page \"Dropout\", section 5",
        contested [
            "the constants of the Pool's firmware and the simulator's code mask the low 23 bits, and no constant for a shift by 9 was found",
            "the trn1 RngUniform of aws-neuron-sdk issue 676 converts a signed integer and adds 0.5",
        ],
        wall ClosableWithHardware "a mask at threshold 0.25 from words that the conversions tell apart";
    UNIFORM_LOW23 = "uniform-low23", Med Observed,
        "the Pool's generator and the simulator's XORWOW make ((u & 0x7fffff) | 0x3f800000) - 1; for Dropout it is open",
        "page \"RNG - Xorwow Software Path\" (mask 0x007fffff and 0x3f800000 at 0xb838); page \"Sim BN / RNG / Search / Collective / DMA Kernels\"",
        contested ["page \"RNG - Xorwow Software Path\" itself writes it as a shift by 9"];
    UNIFORM_INTEGER_CONVERT = "uniform-integer-convert", Low Inferred,
        "the conversion is the vector processor's integer-to-float, of the top 24 bits or of all 32 with some rounding",
        "operation vocabulary of the PERF image (ivp_ufloatn_2x32 class, page \"Dropout\")",
        wall ClosableWithHardware "masks at thresholds 0.25 and 0.25 + 2^-25 from 22 chosen words";
    UNIFORM_SIGNED_HALF = "uniform-signed-half", Med Inferred,
        "XLA's RngUniform on trn1 made float(int32(u)) * 2^-32 + 0.5; for Dropout it is open",
        "aws-neuron-sdk issue 676";
    PACKED_BF16_CONSTANT = "packed-bf16-constant", Med Inferred,
        "the Pool firmware's const16 0x3f80 done twice is two packed bf16 ones, 0x3f803f80, of the bf16 branch",
        "rule of const16, page \"RNG - Xorwow Software Path\"",
        contested ["page \"RNG - Xorwow Software Path\" reads it as 1.0 in fp32"];

    // From a number to kept or dropped.
    COMPARE_HEADER_ALGORITHM = "compare-header-algorithm", Med Observed,
        "a drop rate keeps when rand > threshold, a keep rate when rand < threshold",
        "s3d3_dropout.h, algorithm comment (page \"Dropout\", section 6)",
        contested [
            "the comments at the header's enumeration keep what is equal",
            "page \"RNG - LFSR + rand_algo Dispatch Tree\" quotes the same header with both directions turned round",
        ],
        wall ClosableWithHardware "a mask with a draw that equals the threshold, in both polarities";
    COMPARE_ENUM_COMMENT = "compare-enum-comment", Med Observed,
        "a drop rate zeroes when rand < threshold, a keep rate when rand > threshold",
        "common.h, comments at DROPOUT_THRESHOLD_TYPE",
        contested ["the algorithm comment of s3d3_dropout.h drops what is equal"],
        wall ClosableWithHardware "a mask with a draw that equals the threshold, in both polarities";
    COMPARE_LESS_THAN = "compare-less-than", Low Inferred,
        "one ordered less-than decides: a drop rate drops where it holds, a keep rate keeps there",
        "the image's compares are all ordered less-than (ivp_olt); the one rule under which rates 0 and 1 do what nki.isa.dropout documents in both polarities",
        contested ["the header's two comments each say something else where rand equals threshold"],
        wall ClosableWithHardware "a mask with a draw that equals the threshold, in both polarities";
    PHRASINGS_AGREE = "compare-phrasings-agree", Low Carried,
        "the header's two phrasings of the comparison agree",
        "page \"Dropout\", section 6",
        refuted ["where rand equals threshold the algorithm drops and the enumeration's comments keep; so too for a NaN threshold"];
    POLARITY_REVERSED = "threshold-polarity-reversed", Low Carried,
        "a drop rate zeroes when rand > threshold, a keep rate when rand < threshold",
        "page \"RNG - LFSR + rand_algo Dispatch Tree\", section 7, quoting s3d3_dropout.h",
        refuted ["page \"Dropout\" quotes the header the other way, twice; nki.isa.dropout documents that prob 1.0 zeroes everything"];

    // The simulator is no oracle.
    SIMULATOR_NO_ORACLE = "simulator-no-oracle", Med Inferred,
        "the compiler's simulator draws Dropout's words from another generator than the hardware, so its masks prove nothing about a device",
        "pages \"Sim Dispatch & State\" and \"Codegen of DVE-Search, RNG, Fill, Control, Barrier, Debug\"",
        contested ["the pages disagree on which: XORWOW states from a seed operand, MT19937-64, or the v2 stream of LFSR, PCG32 and Philox; no page shows its Dropout"];

    // XORWOW.
    XORWOW_RECURRENCE = "xorwow-recurrence", High Observed,
        "t = x ^ (x >> 2); the window moves on; v' = v ^ (v << 4) ^ t ^ (t << 1); d += 362437; the draw is v' + d",
        "page \"Sim BN / RNG / Search / Collective / DMA Kernels\"; Marsaglia, \"Xorshift RNGs\" (2003)";
    XORWOW_DEFAULT_WORDS = "xorwow-default-words", High Observed,
        "the firmware starts every lane from x, y, z, w, v = 123456789, 362436069, 521288629, 88675123, 5783321",
        "pages \"RNG - Xorwow Software Path\" and \"RNG - Xorwow TIE Hardware Path\"; the simulator starts from six ones instead";
    XORWOW_WEYL_START = "xorwow-weyl-start", Med Inferred,
        "the Weyl counter starts from 6615241 (0x0064f0c9), the textbook value, on v3 and v4",
        "the quoted bytes 64 34 c9 and 64 24 c9 lie inside movi 0x64; const16 0xf0c9 (32 a0 64 34 c9 f0, 22 a0 64 24 c9 f0)",
        contested ["pages \"RNG - Xorwow Software Path\" and \"RNG - Xorwow TIE Hardware Path\" read 0xc934 and 0xc924"],
        wall ClosableWithStatic "CAYMAN Q7 Pool IRAM at 0x7536 and MARIANA at 0x7615 of a held image";
    XORWOW_WEYL_DIVERGES = "xorwow-weyl-diverges", Low Observed,
        "the Weyl counter's start differs from the textbook and between v3 and v4 (0xc934, 0xc924)",
        "pages \"RNG - Xorwow Software Path\" and \"RNG - Xorwow TIE Hardware Path\"",
        refuted ["the bytes were read two late; the nibble that differs is the register's number, as in the other five words"];
    XORWOW_ZERO_GUARD = "xorwow-zero-guard", Low Observed,
        "the simulator replaces a state whose words 0..4 are all zero by one with a 1; this model changes no state",
        "page \"RNG-Family Encoding\" (first word becomes 1)",
        contested ["page \"Sim BN / RNG / Search / Collective / DMA Kernels\" puts the 1 into word 4; what the hardware does is on no page"],
        wall ClosableWithHardware "RAND_SET_STATE with zeros, then RAND_GET_STATE";
    XORWOW_V4_VECTOR = "xorwow-v4-vector", High Observed,
        "the Vector engine of v4 has a XORWOW in hardware that makes four 32-bit values a lane and cycle; RAND2 draws from it",
        "Trainium3 architecture guide for NKI",
        contested ["page \"Rand2\" has its words staged from the Pool engine by DMA"];
    XORWOW_POOL_SIX_WORDS = "xorwow-pool-six-words", High Observed,
        "the Pool engine's state is six words a lane, a XORWOW",
        "public NKI documentation of rand_get_state; page \"RNG Seed-State Opcodes\"",
        contested ["page \"Sim BN / RNG / Search / Collective / DMA Kernels\" calls six words the generation of LFSR, PCG32 and Philox"];

    // The other algorithms of the enumeration.
    PCG32_CONSTANTS = "pcg32-constants", High Observed,
        "PCG32 is XSH-RR with multiplier 5851f42d4c957f2d and the fixed increment 14057b7ef767814f; no engine can be set to it",
        "page \"Sim BN / RNG / Search / Collective / DMA Kernels\"; RAND_STATE pairings (page \"RNG Seed-State Opcodes\")";
    PCG32_WORD_ORDER = "pcg32-word-order", Med Inferred,
        "of PCG32's two state words the first is the low half",
        "page \"Sim BN / RNG / Search / Collective / DMA Kernels\"";
    PHILOX_CONSTANTS = "philox-constants", High Observed,
        "Philox is 4x32 with ten rounds and the published constants; its state is one for the whole engine, 4 counter words, 2 key words and an offset",
        "page \"Sim BN / RNG / Search / Collective / DMA Kernels\"; Salmon and others, \"Parallel random numbers: as easy as 1, 2, 3\" (2011)";
    PHILOX_WORD_ORDER = "philox-word-order", Low Inferred,
        "the words of consecutive blocks go to the lanes in turn",
        "page \"Sim BN / RNG / Search / Collective / DMA Kernels\": the state serves all lanes; how its words are dealt out is not told",
        wall ClosableWithHardware "Philox words of two lanes from one state";

    // Another vendor's register, for comparison.
    TENSTORRENT_PRNG = "tenstorrent-prng", High Observed,
        "a Tenstorrent Wormhole lane shifts right with the inverted parity of 0x80200003 going in at bit 31, and gives the state before the step",
        "tenstorrent/tt-isa-documentation, WormholeB0, SFPMOV (AdvancePRNG)";
}
