//! The firmware library and its images: what a user's own copy can settle.

super::claims! {
    CONTAINER_BUILD = "firmware-container", High Observed,
        "the sites were read from libnrtucode_internal.so of 10,276,288 bytes, an x86-64 shared object whose first segment maps file offset to the same address",
        "pages \"CAYMAN x DVE image\" and \"MARIANA x DVE image\"";
    IMAGE_HASHES = "firmware-images", High Observed,
        "the container holds the images at the listed offsets, with the listed SHA-256 prefixes",
        "pages \"Dropout\", \"CAYMAN x DVE image\", \"MARIANA x DVE image\" and \"MARIANA x POOL image\"";
    DVE_RESET = "dve-reset-vector", High Observed,
        "the DVE's DEBUG image starts with j 0x1dc, and j 0x1e8 at 6",
        "page \"CAYMAN x DVE image\" (12 bytes quoted)";
    DVE_RESET_TARGET = "dve-reset-target", Med Observed,
        "at 0x1dc the reset code builds 0x90 in a0 and jumps to it",
        "page \"CAYMAN x DVE image\"",
        contested ["the page prints the second instruction two bytes on, where one of three bytes cannot be"],
        wall ClosableWithStatic "the bytes at IRAM 0x1dc of a held image";
    DISPATCH_TABLES = "dispatch-tables", High Observed,
        "the DVE decodes opcodes through two tables of 170 words: DRAM 0x814 with default 0x3207 (75 entries that are not it), and 0xabc with default 0x39e6, whose other entries are the first table's plus 0x7df",
        "page \"CAYMAN x DVE image\"";
    DISPATCH_CODE = "dispatch-code", High Observed,
        "the dispatch at IRAM 0x2f5a subtracts 0x41 from the opcode, compares with 169 and jumps through the table",
        "page \"CAYMAN x DVE image\"; the same code of the POOL image in \"SEQ Decode / Dispatch Hub\"";
    DISPATCH_TRAMPOLINE = "dispatch-trampoline", Med Inferred,
        "the word T in the slot of 0x7f is the address of a trampoline: call8 0x216c, the registration stub, then j 0x3212",
        "the trampolines of ParamLoad (0x30b6) and ParamLoad2 (0x30be) have that form, and 0x216c is the 13th stub behind ParamLoad's",
        wall ClosableWithStatic "the word at DRAM 0x90c of a held image and the code it points at";
    STUB_STRIDE = "registration-stub-stride", Med Observed,
        "registration stubs stand 0x1c apart from 0x2000 on; ParamLoad's and ParamLoad2's trampolines call the first two",
        "page on the batch-norm ParamLoad kernel";
    STUB_REGISTERS = "registration-stub-body", Med Inferred,
        "a stub builds its handler's address in a2, high half first, stores it at [a1+12] and calls the register routine 0x951c",
        "page \"Dropout\" for 0x2172 and on; the other bytes by analogy with sibling stubs";
    LOG_STRINGS = "firmware-log-strings", High Observed,
        "the DVE's data image holds `S: Dispatch opcode=0x%x` at 0xde0, `S: Stream-Transpose` at 0x1ed2 and `S: Dropout` at 0x1ee7",
        "page \"CAYMAN x DVE image\"";
    LOG_STRING_END = "firmware-log-string-end", Med Inferred,
        "a log string ends with a line feed and a zero byte",
        "the dump of `S: Rand2` on MARIANA ends so, and the offsets 0x1ed2 and 0x1ee7 leave room for it";
    DRAM_HEADER = "dve-dram-header", High Observed,
        "the DVE's data image starts with the word 0x6099cb34",
        "page \"CAYMAN x DVE image\"";
    HANDLER_TAIL = "handler-tail", High Observed,
        "the handler ends at 0x9ac4 with a call of 0x9b58 for the word at [a1+4]",
        "page \"Dropout\"";
    HANDLER_SINGLE_ELEMENT = "handler-single-element", High Observed,
        "the handler stores at [a1+24] whether the count at [a1+8], less one, is below one",
        "page \"Dropout\" (0x96f8)",
        contested ["the page spells a subtraction of three bytes; with it the sequence is one byte longer than the place it stands in, so it must be the narrow form of two"];
    HANDLER_DTYPE_COPY = "handler-dtype-copy", Med Observed,
        "the defaulted dtype is stored at [a1+12] and at [a1+16]",
        "page \"Dropout\"",
        contested ["0x971a is where the branch over the default lands, three bytes behind 0x9717, so the second store is behind the branch's target or elsewhere"],
        wall ClosableWithStatic "the bytes at IRAM 0x971a of a held image";
    CONFIG_PACK_CALL = "handler-calls-flag-packer", Med Observed,
        "the handler calls the flag packer 0x9b18; no page tells from where",
        "page \"Dropout\", section 7";
    CALL_TARGETS_ENTER = "call-targets-enter", Med Inferred,
        "every address that a call8 reaches starts with an entry of the windowed calling convention",
        "the processor's calling convention; addresses from pages \"Dropout\", \"RNG - Xorwow Software Path\", \"RNG - LFSR + rand_algo Dispatch Tree\"";
    SIBLING_STUBS_V4 = "sibling-stubs-v4", High Observed,
        "on MARIANA the stubs of RandSetState (0x230e), Rand2 (0x232a) and Exponential (0x2346) register 0xebe0, 0xf2cc and 0xf698",
        "page \"MARIANA x DVE image\"";
    RAND2_HANDLER_V4 = "rand2-handler-v4", High Observed,
        "on MARIANA the handler of Rand2 is at IRAM 0xf2cc and logs `S: Rand2` (DRAM 0x3068) at 0xf650",
        "page \"Rand2 (user random-tensor op)\"";
    POOL_XORWOW_V3 = "pool-xorwow-v3", High Observed,
        "CAYMAN's POOL processor has XORWOW alone: Init 0x749c, RandSetState 0xb398, RandGetState 0xb56c, Rng 0xb838",
        "page \"RNG - Xorwow Software Path\"";
    POOL_RNG_V4 = "pool-rng-v4", High Observed,
        "MARIANA's POOL processor selects between LFSR (0xb700) and XORWOW (0xb744) by bit 0 of a select word",
        "pages \"RNG - LFSR + rand_algo Dispatch Tree\" and \"RNG - Xorwow TIE Hardware Path\"";
    POOL_FORK_POLARITY = "pool-fork-polarity", Med Observed,
        "at MARIANA's fork 0xb6e5 a set bit selects the LFSR",
        "page \"RNG - LFSR + rand_algo Dispatch Tree\"",
        contested ["page \"RNG - Xorwow TIE Hardware Path\" has a set bit select XORWOW, and marks it MED"];
    POOL_STATE_SIZE = "pool-state-384-bytes", High Observed,
        "the POOL's XORWOW state is cleared as 0x180 bytes: 6 words for 16 lanes",
        "page \"RNG - Xorwow Software Path\"";
    POOL_WEYL_INCREMENT = "pool-weyl-increment", High Observed,
        "the POOL's XORWOW adds 0x000587c5 a step",
        "pages \"RNG - Xorwow Software Path\" (0xba5d) and \"RNG - Xorwow TIE Hardware Path\" (0xbe08)";
    POOL_DEFAULT_SEEDS = "pool-default-seeds", High Observed,
        "the POOL's Init builds the published XORWOW seeds 123456789, 362436069, 521288629, 88675123 and 5783321",
        "pages \"RNG - Xorwow Software Path\" and \"RNG - Xorwow TIE Hardware Path\", immediates";
    POOL_WEYL_START = "pool-weyl-start", Med Inferred,
        "the POOL's XORWOW counter starts at 0x0064f0c9 on both generations, as published",
        "the bytes 64 34 c9 and 64 24 c9 that the pages quote are the middle of movi aN,0x64 and const16 aN,0xf0c9",
        contested ["pages \"RNG - Xorwow Software Path\" and \"RNG - Xorwow TIE Hardware Path\" read const16 a6 of 0xc934 and 0xc924 from them, two bytes late"],
        wall ClosableWithStatic "six bytes at 0x7536 of CAYMAN's and at 0x7615 of MARIANA's POOL image";
    POOL_NO_TAP_MASK = "pool-no-tap-mask", High Observed,
        "none of eight classical 32-bit tap masks is in MARIANA's POOL images",
        "page \"RNG - LFSR + rand_algo Dispatch Tree\"";
    POOL_LOG_STRINGS = "pool-log-strings", Med Observed,
        "the POOL images hold log and error texts of the random-number handlers at the listed offsets",
        "pages \"RNG - Xorwow Software Path\" and \"RNG - LFSR + rand_algo Dispatch Tree\"";
}
