//! What the validator asks.

super::claims! {
    RULE_ORDER = "rule-order", Low Inferred,
        "the rules are asked in the order header, events, opcode, fields; the text of is_valid_dropout is on no page",
        "sibling validators all run in this order (page \"ISA Validator Architecture and Entry Tree\")",
        wall ClosableWithCorpus "the validation block of s3d3_dropout.h";
    HAS_VALID_OPCODE = "rule-has-valid-opcode", High Observed,
        "the opcode is a member of the generation's OPCODE enumeration",
        "page \"ISA Validator Architecture and Entry Tree\" (has_valid_neuron_header)";
    HAS_VALID_INST_LEN = "rule-has-valid-inst-len", High Observed,
        "byte 1 is 16",
        "page \"ISA Validator Architecture and Entry Tree\" (has_valid_inst_len)";
    HAS_VALID_NEURON_EVENTS = "rule-has-valid-neuron-events", Med Observed,
        "wait_mode and update_mode are members of their enumerations; a further consistency rule on semaphore updates exists, its body is not known",
        "page \"ISA Validator Architecture and Entry Tree\"",
        wall ClosableWithCorpus "the bodies of has_valid_neuron_events and is_update_semaphore";
    RESERVED_ZERO = "rule-reserved-zero", High Observed,
        "bytes 12..16 and 37..43 are zero",
        "s3d3_dropout.h, s3d3_dropout_reserved_zero";
    IS_VALID_DTYPE = "rule-is-valid-dtype", High Observed,
        "in_dtype passes is_valid_dtype without FP32R, out_dtype with it",
        "s3d3_dropout.h; page \"The Unified Datatype Model\"";
    SAME_ELEMENT_COUNT = "rule-same-element-count", High Observed,
        "the products of the three counts of src and dst are equal; steps and shapes may differ",
        "s3d3_dropout.h, s3d3_dropout_src_dst_count_check",
        contested ["a shape register on either side lifts it: observed for siblings on v3 and later, while two siblings on v2 lack the escape"];
    ENUM_MEMBERS = "rule-enum-members", Med Inferred,
        "threshold_src is 0..=2 and threshold_type 0..=1",
        "siblings check each enumeration, and the compiler's checker reads both bytes (page \"DVE Datamove / Misc Encoding\")";
    THRESHOLD_IMM_PTR = "rule-threshold-imm-ptr", Med Inferred,
        "a threshold pointer is aligned to its dtype and placed for the channels; a register number is below 64 with zeros behind it",
        "name threshold_imm_ptr from page \"DVE Datamove / Misc Encoding\"; body by analogy with has_valid_immediates (pages \"CopyPredicatedScalar\", \"RangeSelect\")",
        wall ClosableWithCorpus "the bodies of threshold_imm_ptr and tpb_addr_active_channels";
    CHANNEL_RANGE = "rule-channel-range", High Observed,
        "has_valid_active_channel_range: num_active_channels is 1..=128",
        "page \"Dropout\" (v3 and v4 text; v2 byte-identical)";
    CHANNEL_RANGE_TILE = "rule-channel-range-with-tile", Low Observed,
        "v5 asks has_valid_active_channel_range_with_tile, which also looks at inst_flags; its body is unknown, so 1..=128 is asked whatever the flags",
        "page \"Dropout\", one-line header difference",
        wall ClosableWithCorpus "the v5 body of has_valid_active_channel_range_with_tile";
    START_ADDR_ACTIVE_CHANNELS = "rule-start-addr-active-channels", Med Inferred,
        "src and dst start in a partition that leaves room for the active channels",
        "every S3D3 sibling asks it of both patterns; the table is start-partition-table",
        wall ClosableWithCorpus "the body of start_addr_active_channels";
    TENSOR3D_VALID = "rule-tensor3d-valid", Med Inferred,
        "every count is at least 1 (or the shape comes from a register) and the start address is aligned and placed",
        "body from page \"S3D3 Collective\"; that Dropout asks it of both patterns is by analogy with its siblings";
}
