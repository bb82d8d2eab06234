//! The element types.

super::claims! {
    DTYPE_CODES = "dtype-codes", High Observed,
        "DTYPE 0x0..=0xf are the same on every generation; v4 adds FP4_EXP2 and CPTC1..7, v5 FP8_EXP2, INT4 and SFP8_*",
        "common.h, DTYPE; pages \"The Unified Datatype Model\" and \"Cross-Generation Arch-ISA Header Diff\"";
    DTYPE_SIZES = "dtype-sizes", High Observed,
        "elements are 1 byte (2, 3, 0xd, 0xe, 0xf), 2 bytes (4..=7), 4 bytes (8..=0xb) or 8 bytes (1, 0xc)",
        "pages \"ADDR4, the 32-Bit Address Word\" and \"The BIR Dtype Enum and its LUTs\"";
    DTYPE_64_BIT_ILLEGAL = "dtype-64-bit-illegal", High Observed,
        "is_valid_dtype refuses INT64 and UINT64",
        "pages \"The Unified Datatype Model\" and \"CopyPredicatedScalar\"",
        contested ["the seed text, read literally, admits any dtype but FP32R"];
    DTYPE_FP32R_OUTPUT = "dtype-fp32r-output-only", High Observed,
        "FP32R is never a source; the output check admits it, and equality with in_dtype then excludes it",
        "s3d3_dropout.h, is_valid_dtype calls; page \"The Unified Datatype Model\"";
    DTYPE_FP8_LEGAL = "dtype-fp8-legal", Med Inferred,
        "FP8_EXP3, FP8_EXP4 and FP8_EXP5 are legal for Dropout",
        "they pass is_valid_dtype and no gate against them was found (pages \"The Unified Datatype Model\", \"FP8 and dtype Encoding\")",
        contested ["the dtype table of page \"Dropout\" leaves them out"];
    DTYPE_ABOVE_15 = "dtype-above-15", Med Inferred,
        "codes above 15 are illegal for Dropout: 4-bit and scale types are refused by is_valid_dtype, CPTC by the compiled test",
        "pages \"The Unified Datatype Model\" and \"FP8 and dtype Encoding\" (compiled test is code <= 15 on v2..v4)",
        wall ClosableWithCorpus "the v5 body of is_valid_dtype";
    DTYPE_FP8_EXP2_V5 = "dtype-fp8-exp2-v5", Low Inferred,
        "FP8_EXP2 is legal for Dropout on v5: nothing in the printed predicate refuses it",
        "page \"The Unified Datatype Model\"",
        wall ClosableWithCorpus "the v5 body of is_valid_dtype";
    DTYPE_0_CHECKER = "dtype-0-illegal", High Observed,
        "in_dtype 0 (INVALID) is refused by the checker",
        "page \"The Unified Datatype Model\" (is_valid_dtype)",
        contested ["the firmware's handler replaces a dtype byte of 0 by FP32 (page \"Dropout\"); that byte is most likely threshold_dtype"];
    THRESHOLD_DTYPE_0 = "threshold-dtype-0-is-fp32", High Observed,
        "threshold_dtype 0 is read as FP32, for backward compatibility",
        "s3d3_dropout.h, comment of threshold_dtype";
    THRESHOLD_DTYPE_RULE = "threshold-dtype-rule", High Observed,
        "an immediate threshold is FP32; by pointer it is FP32 for integer data and any float dtype for float data",
        "s3d3_dropout.h, s3d3_dropout_threshold_dtype_check; public NKI documentation of prob says the same";
    THRESHOLD_ANY_FP = "threshold-any-fp", Med Inferred,
        "\"any float dtype\" for a threshold is FP8_EXP3, FP8_EXP4, FP8_EXP5, FP16, BFLOAT16 and FP32; FP32R and FP8_EXP2 are not among them",
        "the set of is_valid_fp_dtype_datapath (page \"The Unified Datatype Model\"); its use here is inferred";
    IN_EQUALS_OUT = "in-equals-out", High Observed,
        "out_dtype equals in_dtype: Dropout converts nothing",
        "s3d3_dropout.h, s3d3_dropout_same_src_dst_type; latest public NKI documentation",
        contested ["older NKI documentation lets a float output dtype differ from the input"];
    INTEGER_DTYPES = "integer-dtypes", High Observed,
        "the integer dtypes are INT8, UINT8, INT16, UINT16, INT32 and UINT32",
        "the firmware's dtype-class checker admits {2, 3, 4, 5, 8, 9} (page \"Dropout\")";
    FP8_E4M3_READING = "fp8-e4m3-reading", Low Inferred,
        "FP8_EXP4 is IEEE-like with infinities on v2 and v3; v4 and later read it so or as e4m3fn, by configuration",
        "public NKI dtype documentation and compiler error EVRF051",
        contested ["page \"FP8 and dtype Encoding\" gives it the OCP form without infinities, with the range set by per-engine registers"],
        wall ClosableWithHardware "one FP8_EXP4 threshold of each special code, read through a pointer";
    FP8_E3M4_SPECIALS = "fp8-e3m4-specials", Low Inferred,
        "FP8_EXP3 (1-3-4, bias 3) has infinities and NaNs as IEEE would",
        "ml_dtypes float8_e3m4; the headers do not say",
        wall ClosableWithHardware "one FP8_EXP3 threshold of each special code, read through a pointer";
    C10_MAP = "c10-scalar-type-map", High Observed,
        "c10 Byte, Char, Short, Int, Half, Float and BFloat16 map to 0x3, 0x2, 0x4, 0x8, 0x7, 0xa and 0x6, Long to 0xc; nothing else has a code",
        "page \"ScalarType/DTYPE Rosetta\" (decoded compare chain)",
        contested ["page \"The Unified Datatype Model\" adds FP32R to Float; page \"The Custom-Op CPU ABI\" lists double among type names"];
    KBIN_NUMBERING = "kbin-dtype-numbering", Med Observed,
        "the KBIN and runtime interfaces number dtypes differently; those numbers never stand in a record",
        "page \"FP8 and dtype Encoding\"";
}
