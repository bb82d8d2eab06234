//! The firmware's handler and its sites (CAYMAN NX_DVE, DEBUG build).

super::claims! {
    HANDLER_ENTRY = "handler-entry", High Observed,
        "the handler starts at IRAM 0x96bc and logs `S: Dropout`",
        "page \"Dropout\", disassembly of CAYMAN_NX_DVE_DEBUG_IRAM";
    HANDLER_REGISTRATION = "handler-registration", High Observed,
        "the stub at IRAM 0x216c registers 0x96bc with the DVE's kernel table",
        "page \"Dropout\" (bytes 24 bc 96 at 0x2172)";
    DISPATCH_SLOT = "dispatch-slot", Med Inferred,
        "opcode 0x7f indexes slot 0x3e of the DVE dispatch table at DRAM 0x814 (0x90c); what the slot holds is not known",
        "table base and index rule from pages \"CAYMAN x DVE image\" and \"SEQ Decode / Dispatch Hub\"",
        contested ["page \"Dropout\" calls the edge from opcode to trampoline bound at run time"],
        wall ClosableWithStatic "the word at DRAM 0x90c of a held image";
    HANDLER_FRAME = "handler-frame", Med Observed,
        "the handler's frame holds the count at +8, a dtype at +12 and +16, is-integer at +20, count==1 at +24, a configuration byte at +28",
        "page \"Dropout\", section on the frame";
    HANDLER_DTYPE_DEFAULT = "handler-dtype-default", High Observed,
        "a dtype byte of 0 in the handler becomes 10 (FP32)",
        "page \"Dropout\" (bytes 0c a2 at 0x9715)",
        contested ["whether that byte is in_dtype or threshold_dtype is not told: the header has the same default for threshold_dtype"];
    DTYPE_CLASS_CHECKER = "dtype-class-checker", High Observed,
        "the checker at IRAM 0x9ac8 answers yes for dtypes 2, 3, 4, 5, 8 and 9",
        "page \"Dropout\", branch immediates";
    WORKER_A_CALL_SITE = "worker-a-call-site", Low Observed,
        "the handler calls worker A (0xeff0) at IRAM 0x9624",
        "page \"Dropout\"",
        contested ["0x9624 lies before the handler's entry 0x96bc and behind the log of Stream-Transpose at 0x95f5 (page \"CAYMAN x DVE image\"), so the call is most likely another handler's or a shared routine's"],
        wall ClosableWithStatic "the functions around 0x9624 of a held image";
    WORKER_B_CALL_SITE = "worker-b-call-site", Med Observed,
        "the handler calls worker B (0xf110), the vector loop, at IRAM 0x9748",
        "page \"Dropout\"";
    WORKER_SCHEDULE = "worker-schedule", Med Inferred,
        "the vector loop draws, converts, compares, selects and stores; the order of its bundles is not recoverable from the flat image",
        "operation vocabulary of the PERF image (page \"Dropout\")",
        wall ClosableWithCorpus "the FLIX bundle tables of the DSP configuration";
    INLINE_RANDOMNESS = "inline-randomness", High Observed,
        "Dropout draws its random words itself, one LFSR word per lane and element; it reads no staged tensor",
        "s3d3_dropout.h, first comment; the struct has no random operand",
        contested [
            "the firmware-body survey, and pages \"RNG - Xorwow TIE Hardware Path\", \"Rand2\" and \"RNG - Xorwow Software Path\", call it a consumer of a staged random tensor",
            "page \"Sim Dispatch & State\" has the compiler's simulator build XORWOW states for it; page \"KLR-to-BIR leaf codegen\" names MT19937-64",
        ];
    HANDLER_CONFIG_IS_DTYPE = "handler-config-is-in-dtype", Low Inferred,
        "the configuration byte at +28 is in_dtype, and the dtype at +12 that defaults to FP32 is threshold_dtype",
        "the byte at +28 is what the dtype-class checker compares with dtype codes; the header gives threshold_dtype alone that default",
        contested ["page \"Dropout\" calls +12 the dtype of the data and +28 a configuration byte"],
        wall ClosableWithStatic "the loads before the stores at IRAM 0x96e1 and 0x96eb of a held image";
    HANDLER_COUNT = "handler-count", Low Inferred,
        "the count at +8 is the product of the source's three counts",
        "page \"Dropout\" calls it a count or dimension field, and loops worker B over that product",
        wall ClosableWithStatic "the loads before the store at IRAM 0x96d7 of a held image";
    HANDLER_OTHER_GENERATIONS = "handler-other-generations", Low Inferred,
        "the handlers of v2 and v4 are of the same family as the v3 one that was read; no page gives their addresses",
        "the struct and its rules are the same on v2, v3 and v4 (page \"Dropout\")",
        wall ClosableWithStatic "the stub in a carved DVE image of that generation whose handler logs `S: Dropout`";
    VECTOR_OPERATIONS = "vector-operations", Med Observed,
        "the DVE's code has conversions of unsigned words to floats, ordered less-than into a predicate, and selects under one",
        "page \"Dropout\", histogram of the PERF image";
    DROPOUT_COST = "dropout-cost", Med Observed,
        "a Dropout takes about max(64, N) cycles of the Vector engine, N the elements of a partition",
        "public NKI documentation of nki.isa.dropout, releases up to 2.25, estimated instruction cost",
        contested [
            "later releases of the documentation give no cost",
            "page \"RNG - LFSR + rand_algo Dispatch Tree\" quotes about 30 cycles an element and lane for the LFSR of the general Rand instruction",
        ],
        wall ClosableWithHardware "times of Dropouts of 1 to 8192 elements";
    V5_BODY = "v5-body", Low Inferred,
        "the v5 firmware body is of the same family as the v3 one that was read",
        "page \"Dropout\", policy on v5",
        wall ClosableWithCorpus "a carved MAVERICK DVE image";
}
