#!/usr/bin/env python3
"""Makes neighbours.json: the records around Dropout, legal and with one rule
broken, for every generation.

Plain Python that shares no code with the library. A record is packed from the
published layouts; each vector changes one legal record in one place, and says
which rule that breaks and which byte is at fault. Run it to rewrite the file;
with --check it compares instead.
"""

import json
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).parent
GENERATIONS = ["v2", "v3", "v4", "v5"]
STRIDE = {"v2": 1 << 18, "v3": 1 << 18, "v4": 1 << 18, "v5": 1 << 20}
FP32, UINT32, FP32R, BF16 = 0x0A, 0x09, 0x0B, 0x06


def header(opcode):
    word = bytearray(64)
    word[0], word[1] = opcode, 0x10
    return word


def pattern(word, at, address, counts, steps=None):
    """Writes TENSORnD, n from the number of counts: address, steps, counts."""
    n = len(counts)
    struct.pack_into(f"<I{n}h{n}H", word, at, address, *(steps or [1] * n), *counts)


def tensor_scalar():
    word = header(0x43)
    pattern(word, 16, 0x100, [8, 4, 1], [1, 16, 1])
    word[32:40] = [BF16, FP32, 128, 0, 0x06, 0x04, 1, 0]
    struct.pack_into("<ff", word, 40, 1.25, -2.0)
    pattern(word, 48, 0x4000, [32, 1, 1])
    return word


def memset(opcode=0x49):
    word = header(opcode)
    struct.pack_into("<I", word, 28, 32)
    word[32], word[34] = UINT32, 64
    if opcode == 0x49:
        struct.pack_into("<I", word, 40, 0xDEADBEEF)
    pattern(word, 44, 0x200, [2, 4, 2, 2], [1, 2, 8, 16])
    return word


def rand():
    word = header(0x76)
    word[12:16] = [2, 1, 1, 2]
    struct.pack_into("<ff", word, 16, -1.0, 1.0)
    word[32], word[34] = FP32, 128
    pattern(word, 44, 0x0, [16, 1, 1, 1])
    return word


def get_state(algorithm, source, words):
    word = header(0x77)
    word[12], word[15] = algorithm, source
    word[32], word[34] = UINT32, 128
    pattern(word, 44, 0x40, [words, 1, 1, 1])
    return word


def set_state(algorithm, source, words):
    word = header(0x78)
    word[12:16] = [algorithm, 128, 0, UINT32]
    pattern(word, 16, 0x40, [words])
    word[24] = source
    return word


def set_state_immediate():
    word = header(0x78)
    word[12:16] = [2, 128, 1, UINT32]
    word[24] = 2
    struct.pack_into("<7I", word, 32, 1, 2, 3, 4, 5, 6, 7)
    return word


def rand2():
    word = header(0xE2)
    word[12], word[14] = 3, 1
    word[32], word[34] = FP32, 128
    struct.pack_into("<ff", word, 40, -1.0, 1.0)
    pattern(word, 48, 0x80, [16, 1, 1])
    return word


def seed():
    word = header(0xD0)
    struct.pack_into("<I", word, 16, 42)
    return word


def copy_predicated_scalar():
    word = header(0xE8)
    pattern(word, 16, 0x100, [8, 1, 1])
    word[32], word[34], word[41], word[42] = 0x03, 128, FP32, FP32
    struct.pack_into("<f", word, 44, 1.5)
    pattern(word, 48, 0x800, [8, 1, 1])
    return word


def tensor_scalar_select():
    word = header(0x98)
    pattern(word, 16, 0x100, [8, 1, 1])
    word[33], word[34], word[35] = 128, FP32, FP32
    struct.pack_into("<ff", word, 40, 1.5, 1.0)
    pattern(word, 48, 0x800, [8, 1, 1])
    return word


def activate():
    word = header(0x21)
    word[15] = 1
    pattern(word, 16, 0x100, [8, 1, 1])
    word[32], word[33], word[34], word[35] = 0xAA, FP32, 128, 3
    struct.pack_into("<fff", word, 36, 1.0, 0.0, 0.0)
    pattern(word, 48, 0x800, [8, 1, 1])
    return word


# name: record, generations it is legal on
BASES = {
    "tensor_scalar": (tensor_scalar(), GENERATIONS),
    "memset": (memset(), GENERATIONS),
    "rng": (memset(0x4D), GENERATIONS),
    "rand": (rand(), GENERATIONS),
    "get_state_philox": (get_state(2, 2, 7), GENERATIONS),
    "get_state_xorwow": (get_state(3, 1, 24), ["v4", "v5"]),
    "get_state_lfsr": (get_state(0, 0, 4), ["v4", "v5"]),
    "get_state_pool": (get_state(3, 1, 6), ["v3", "v4", "v5"]),
    "get_state_act": (get_state(0, 3, 2), ["v4"]),
    "set_state_philox": (set_state(2, 2, 7), GENERATIONS),
    "set_state_xorwow": (set_state(3, 1, 24), ["v4", "v5"]),
    "set_state_lfsr": (set_state(0, 0, 4), ["v4", "v5"]),
    "set_state_immediate": (set_state_immediate(), GENERATIONS),
    "rand2": (rand2(), ["v4", "v5"]),
    "set_rng_seed": (seed(), GENERATIONS),
    "copy_predicated_scalar": (copy_predicated_scalar(), GENERATIONS),
    "tensor_scalar_select": (tensor_scalar_select(), GENERATIONS),
    "activate": (activate(), GENERATIONS),
}

# What breaks a base where it is not legal: rule and byte.
FOREIGN = {
    ("get_state_xorwow", "v2"): [("is_valid_enum_rand_generator", 15), ("is_valid_enum_algorithm", 12)],
    ("get_state_xorwow", "v3"): [("rand_state_words", 56)],
    ("get_state_lfsr", "v2"): [("rand_state_pairing", 15)],
    ("get_state_lfsr", "v3"): [("rand_state_pairing", 15)],
    ("get_state_pool", "v2"): [("is_valid_enum_rand_generator", 15), ("is_valid_enum_algorithm", 12)],
    ("get_state_act", "v2"): [("is_valid_enum_rand_generator", 15)],
    ("get_state_act", "v3"): [("rand_state_pairing", 15)],
    ("get_state_act", "v5"): [("rand_state_words", 56)],
    ("set_state_xorwow", "v2"): [("is_valid_enum_rand_generator", 24), ("is_valid_enum_algorithm", 12)],
    ("set_state_xorwow", "v3"): [("rand_state_words", 22)],
    ("set_state_lfsr", "v2"): [("rand_state_pairing", 24)],
    ("set_state_lfsr", "v3"): [("rand_state_pairing", 24)],
    ("rand2", "v2"): [("has_valid_opcode", 0)],
    ("rand2", "v3"): [("has_valid_opcode", 0)],
}


def le(value, size):
    return value.to_bytes(size, "little")


def reg(number, junk=0):
    return bytes([number, junk, 0, 0])


VECTORS = []


def vector(name, base, changes, rule, byte, flags, generations=None):
    """One change of a legal record, and the one rule it breaks.

    `changes` is a list of (offset, bytes). `byte` is where the fault is.
    """
    word, legal = BASES[base]
    word = bytearray(word)
    for at, data in changes:
        word[at : at + len(data)] = data
    broken = {}
    for generation in generations or legal:
        named = rule
        if rule == "has_valid_active_channel_range" and generation == "v5":
            named = "has_valid_active_channel_range_with_tile"
        broken[generation] = [] if rule is None else [[named, byte]]
    VECTORS.append({"name": name, "bytes": word.hex(), "flags": flags, "broken": broken})


def legal():
    for base, (_, generations) in BASES.items():
        vector(f"{base}_legal", base, [], None, None, ["legal"])
        for generation in GENERATIONS:
            if generation not in generations:
                word, _ = BASES[base]
                rows = [[rule, byte] for rule, byte in FOREIGN[base, generation]]
                VECTORS.append({
                    "name": f"{base}_on_{generation}",
                    "bytes": word.hex(),
                    "flags": ["generation"],
                    "broken": {generation: rows},
                })


def reserved(base, rule, blocks):
    """Each block: its first and its last byte."""
    for first, last in blocks:
        for at in sorted({first, last}):
            vector(f"{base}_reserved_{at}", base, [(at, b"\x80")], rule, at, ["reserved"])


def channels(base, at):
    for count in (0, 129, 255):
        vector(f"{base}_channels_{count}", base, [(at, bytes([count]))],
               "has_valid_active_channel_range", at, ["channels"])


def address(base, at, valid, start, size, psum, writes, channel_byte, wide=True):
    """A pattern's address: alignment, placement, markers, start partition."""
    flags = ["address"]
    for generation in BASES[base][1]:
        stride = STRIDE[generation]
        end = {"v5": 0x8000000}.get(generation, 0x2400000)
        name = f"{base}_{at}_{generation}"
        vector(f"{name}_beyond", base, [(at, le(end, 4))], valid, at, flags, [generation])
        vector(f"{name}_partition_1", base, [(at, le(stride, 4)), (channel_byte, b"\x01")],
               start, at, flags, [generation])
        vector(f"{name}_partition_32_with_33", base,
               [(at, le(32 * stride, 4)), (channel_byte, b"\x21")], start, at, flags, [generation])
        vector(f"{name}_partition_64_with_64", base,
               [(at, le(64 * stride, 4)), (channel_byte, b"\x40")], None, None, flags, [generation])
        if generation != "v5":
            fault = None if psum and (not writes or wide) else valid
            vector(f"{name}_psum", base, [(at, le(0x2000000, 4))], fault,
                   None if fault is None else at, flags, [generation])
    if size > 1:
        vector(f"{base}_{at}_misaligned", base, [(at, le(0x101, 4))], valid, at, flags)
    vector(f"{base}_{at}_indirect", base, [(at, le(0x2000_0100, 4))], valid, at, flags)
    vector(f"{base}_{at}_register", base, [(at, le(0x8000_003F, 4))], None, None, flags)
    vector(f"{base}_{at}_register_64", base, [(at, le(0x8000_0040, 4))], valid, at, flags)
    vector(f"{base}_{at}_register_junk", base, [(at, le(0x8000_0101, 4))], valid, at, flags)


def counts(base, at, n, valid, both=None):
    """A count of 0 along each dimension. `both`: the other pattern's counts."""
    del both
    for i in range(n):
        vector(f"{base}_count_{at + 2 * i}", base, [(at + 2 * i, le(0, 2))], valid, at + 2 * i,
               ["counts"])


def enum(base, name, rule, at, bad):
    vector(f"{base}_{name}_{bad:02x}", base, [(at, bytes([bad]))], rule, at, ["enum"])


def scalar(base, name, enum_rule, src, rule, at, size):
    """An operand by immediate, pointer and register."""
    flags = ["scalar"]
    enum(base, name, enum_rule, src, 3)
    pointer = [(src, b"\x01")]
    register = [(src, b"\x02")]
    vector(f"{base}_{name}_pointer", base, [*pointer, (at, le(0x40, 4))], None, None, flags)
    vector(f"{base}_{name}_pointer_nowhere", base, [*pointer, (at, le(0x1FFFFFFC, 4))], rule, at, flags)
    if size > 1:
        vector(f"{base}_{name}_pointer_misaligned", base, [*pointer, (at, le(0x41, 4))], rule, at, flags)
    vector(f"{base}_{name}_register", base, [*register, (at, reg(63))], None, None, flags)
    vector(f"{base}_{name}_register_64", base, [*register, (at, reg(64))], rule, at, flags)
    vector(f"{base}_{name}_register_junk", base, [*register, (at, reg(1, 7))], rule, at, flags)


def dtype(base, rule, at, fp32r, extra=()):
    bad = [0x00, 0x01, 0x0C, 0x10, 0x12, 0x77, *([] if fp32r else [FP32R]), *extra]
    for code in bad:
        vector(f"{base}_dtype_{at}_{code:02x}", base, [(at, bytes([code]))], rule, at, ["dtype"])


def two_patterns(base, src_name, count_rule, src_size, dst_wide, channel_byte, writes_at=48):
    address(base, 16, f"tensor3d_valid_{src_name}", f"start_addr_active_channels_{src_name}",
            src_size, True, False, channel_byte)
    address(base, writes_at, "tensor3d_valid_dst", "start_addr_active_channels_dst",
            4, True, True, channel_byte, dst_wide)
    counts(base, 26, 3, f"tensor3d_valid_{src_name}")
    counts(base, 58, 3, "tensor3d_valid_dst")
    word, generations = BASES[base]
    word = bytearray(word)
    struct.pack_into("<H", word, 58, 7)
    VECTORS.append({
        "name": f"{base}_count_products", "bytes": word.hex(), "flags": ["counts"],
        "broken": {g: [[count_rule, 26], [count_rule, 58]] for g in generations},
    })
    struct.pack_into("<I", word, 16, 0xC000_0000)
    VECTORS.append({
        "name": f"{base}_count_products_by_shape_register", "bytes": word.hex(),
        "flags": ["counts"], "broken": {g: [] for g in generations if g != "v2"},
    })


def make():
    legal()

    base = "tensor_scalar"
    reserved(base, "s3d3_ts_reserved_zero", [(13, 15)])
    for command in (1, 2, 3, 4, 9):
        enum(base, "accumulator", "s3d3_ts_accumulator_idle", 12, command)
    dtype(base, "is_valid_dtype_in", 32, False)
    dtype(base, "is_valid_dtype_out", 33, True)
    vector(f"{base}_out_fp32r", base, [(33, bytes([FP32R]))], None, None, ["dtype"])
    for name, at in (("op0", 36), ("op1", 37)):
        for op in (0x07, 0x1A, 0x1B, 0x1E, 0xC3, 0xE2, 0xFF):
            enum(base, name, f"s3d3_ts_valid_{name}", at, op)
        vector(f"{base}_{name}_abs_max_before_v4", base, [(at, b"\x20")], f"s3d3_ts_valid_{name}",
               at, ["enum", "generation"], ["v2", "v3"])
        vector(f"{base}_{name}_abs_max", base, [(at, b"\x20")], None, None, ["enum"], ["v4", "v5"])
    vector(f"{base}_op0_bypass", base, [(36, b"\x00")], "s3d3_ts_bypass", 37, ["operator"])
    vector(f"{base}_both_bypass", base, [(36, b"\x00\x00")], None, None, ["operator"])
    enum(base, "reverse_operands", "is_valid_enum_reverse_operands", 38, 4)
    channels(base, 34)
    scalar(base, "imm0", "is_valid_enum_imm0_src", 35, "imm0_ptr", 40, 4)
    scalar(base, "imm1", "is_valid_enum_imm1_src", 39, "imm1_ptr", 44, 4)
    two_patterns(base, "src", "s3d3_ts_src_dst_count_check", 2, True, 34)

    for base in ("memset", "rng"):
        reserved(base, "d4_mr_reserved_zero", [(36, 39)])
        dtype(base, "is_valid_dtype", 32, True)
        channels(base, 34)
        address(base, 44, "tensor4d_valid_dst", "start_addr_active_channels_dst", 4, True, True, 34)
        counts(base, 56, 4, "tensor4d_valid_dst")
    vector("memset_narrow_in_psum", "memset", [(32, bytes([BF16])), (44, le(0x2000000, 4))],
           "tensor4d_valid_dst", 44, ["address"], ["v2", "v3", "v4"])
    vector("rng_fill", "rng", [(43, b"\x01")], "d4_mr_rng_fill_zero", 40, ["reserved"])

    base = "rand"
    reserved(base, "d4_rand_reserved_zero", [(33, 33), (35, 43)])
    enum(base, "algorithm", "is_valid_enum_algorithm", 12, 4)
    for algorithm in (0, 1):
        enum(base, "algorithm", "rand_only_philox", 12, algorithm)
    for steps in (0, 2, 255):
        enum(base, "num_steps", "has_valid_rand_num_steps", 13, steps)
    for post in (2, 3):
        enum(base, "post_process", "is_valid_rand_post_process", 14, post)
    enum(base, "rand_generator", "is_valid_enum_rand_generator", 15, 4)
    for generator in (1, 3):
        vector(f"{base}_generator_{generator}_on_v2", base, [(15, bytes([generator]))],
               "is_valid_enum_rand_generator", 15, ["enum", "generation"], ["v2"])
    dtype(base, "is_valid_dtype", 32, True)
    channels(base, 34)
    address(base, 44, "tensor4d_valid_dst", "start_addr_active_channels_dst", 4, True, True, 34)
    counts(base, 56, 4, "tensor4d_valid_dst")

    for base in ("get_state_philox", "get_state_xorwow", "get_state_lfsr"):
        reserved(base, "d4_rand_reserved_zero", [(33, 33), (35, 43)])
        for at in (13, 14, 16, 20, 24, 28):
            vector(f"{base}_not_zero_{at}", base, [(at, b"\x01")], "rand_get_state_zero", at, ["state"])
        enum(base, "algorithm", "is_valid_enum_algorithm", 12, 4)
        enum(base, "algorithm", "rand_state_pairing", 12, 1)
        VECTORS[-1]["broken"] = {g: [["rand_state_pairing", 15]] for g in BASES[base][1]}
        enum(base, "rand_generator", "is_valid_enum_rand_generator", 15, 4)
        for code in (0x08, FP32, 0x00, 0x77):
            vector(f"{base}_dtype_{code:02x}", base, [(32, bytes([code]))], "rand_state_dtype", 32, ["state"])
        vector(f"{base}_too_many_words", base, [(56, le(25, 2))], "rand_state_words", 56, ["state"])
        vector(f"{base}_words_over_dimensions", base, [(58, le(2, 2))], "rand_state_words", 56, ["state"])
        channels(base, 34)
        address(base, 44, "tensor4d_valid_dst", "start_addr_active_channels_dst", 4, True, True, 34)
        counts(base, 56, 4, "tensor4d_valid_dst")

    for base in ("set_state_philox", "set_state_xorwow", "set_state_lfsr"):
        reserved(base, "s1_rand_reserved_zero", [(25, 31)])
        enum(base, "algorithm", "is_valid_enum_algorithm", 12, 4)
        vector(f"{base}_pcg32", base, [(12, b"\x01")], "rand_state_pairing", 24, ["state"])
        enum(base, "rand_generator", "is_valid_enum_rand_generator", 24, 4)
        enum(base, "update_state", "is_valid_enum_update_state", 14, 3)
        for code in (0x08, FP32, 0x00, 0x77):
            vector(f"{base}_dtype_{code:02x}", base, [(15, bytes([code]))], "rand_state_dtype", 15, ["state"])
        for at in range(32, 64, 4):
            vector(f"{base}_immediate_{at}", base, [(at + 3, b"\x01")], "rand_set_state_imm_zero", at, ["state"])
        vector(f"{base}_too_many_words", base, [(22, le(25, 2))], "rand_state_words", 22, ["state"])
        channels(base, 13)
        address(base, 16, "tensor1d_valid_src", "start_addr_active_channels_src", 4, False, False, 13)
        counts(base, 22, 1, "tensor1d_valid_src")
    for update in (1, 2):
        vector(f"set_state_immediate_{update}", "set_state_immediate", [(14, bytes([update]))],
               None, None, ["state"])
        vector(f"set_state_immediate_last_{update}", "set_state_immediate",
               [(14, bytes([update])), (60, b"\x01")], "rand_set_state_imm_last", 60, ["state"])
    vector("set_state_immediate_xorwow", "set_state_immediate", [(12, b"\x03"), (24, b"\x01")],
           "rand_set_state_imm_philox", 12, ["state"], ["v3", "v4", "v5"])

    base = "rand2"
    reserved(base, "d3_rand_reserved_zero", [(13, 13), (15, 31), (33, 33), (35, 37)])
    for algorithm in (0, 1, 2, 4):
        enum(base, "algorithm", "restrict_rand2_algorithm", 12, algorithm)
    for post in (0, 2, 3):
        enum(base, "post_process", "restrict_rand2_post_process", 14, post)
    for code in (0x00, 0x02, 0x08, 0x0C, 0x10, 0x77):
        vector(f"{base}_dtype_{code:02x}", base, [(32, bytes([code]))], "is_valid_fp_dtype", 32, ["dtype"])
    for code in (FP32R, BF16, 0x07, 0x0D, 0x0E, 0x0F):
        vector(f"{base}_dtype_{code:02x}", base, [(32, bytes([code]))], None, None, ["dtype"])
    channels(base, 34)
    scalar(base, "min", "is_valid_enum_min_src", 38, "min_ptr", 40, 4)
    scalar(base, "max", "is_valid_enum_max_src", 39, "max_ptr", 44, 4)
    address(base, 48, "tensor3d_valid_dst", "start_addr_active_channels_dst", 4, True, True, 34)
    counts(base, 58, 3, "tensor3d_valid_dst")

    base = "set_rng_seed"
    reserved(base, "set_rng_seed_reserved_zero", [(13, 15), (20, 63)])
    scalar(base, "seed", "is_valid_enum_seed_src", 12, "seed_ptr", 16, 4)
    vector(f"{base}_of_64_bits", base, [(16, bytes(range(1, 9)))], "set_rng_seed_reserved_zero", 20,
           ["reserved", "seed"])

    base = "copy_predicated_scalar"
    reserved(base, "s3d3_cp_pred_scalar_reserved_zero", [(12, 15), (35, 40)])
    dtype(base, "is_valid_dtype_pred", 32, False)
    dtype(base, "is_valid_dtype_in", 41, False)
    dtype(base, "is_valid_dtype_out", 42, True)
    channels(base, 34)
    scalar(base, "src0_imm", "is_valid_enum_src0_imm_src", 43, "src0_imm_ptr", 44, 4)
    two_patterns(base, "pred", "s3d3_cp_pred_scalar_count_check", 1, True, 34)

    base = "tensor_scalar_select"
    reserved(base, "s3d3_ts_select_reserved_zero", [(12, 15), (36, 37)])
    dtype(base, "is_valid_dtype_in", 34, False)
    dtype(base, "is_valid_dtype_pred", 35, False)
    channels(base, 33)
    scalar(base, "src1_imm", "is_valid_enum_src1_imm_src", 38, "src1_imm_ptr", 40, 4)
    scalar(base, "pred_imm", "is_valid_enum_pred_imm_src", 39, "pred_imm_ptr", 44, 4)
    two_patterns(base, "src", "s3d3_ts_select_count_check", 4, True, 33)

    base = "activate"
    dtype(base, "is_valid_dtype_out", 33, True)
    enum(base, "accumulator_cmd", "is_valid_enum_accumulator_cmd", 14, 5)
    channels(base, 34)
    scalar(base, "imm", "is_valid_enum_imm_src", 12, "imm_ptr", 44, 1)
    scalar(base, "scale", "is_valid_enum_scale_src", 13, "scale_ptr", 36, 1)
    enum(base, "bias", "is_valid_enum_bias_src", 15, 3)
    vector(f"{base}_bias_pointer", base, [(15, b"\x00"), (40, le(0x40, 4))], None, None, ["scalar"])
    vector(f"{base}_bias_nowhere", base, [(15, b"\x00"), (40, le(0x1FFFFFFC, 4))], "bias_ptr", 40, ["scalar"])
    vector(f"{base}_bias_register_64", base, [(15, b"\x02"), (40, reg(64))], "bias_ptr", 40, ["scalar"])
    two_patterns(base, "src", "s3d3_ac_src_dst_count_check", 1, True, 34)


NOTES = {
    "legal": "breaks nothing",
    "generation": "exists on some generations alone",
    "reserved": "bytes that have to be zero are not",
    "channels": "the number of channels is out of 1..=128",
    "address": "alignment, placement, markers and the start partition of a pattern",
    "counts": "a count is 0, or two patterns have other numbers of elements",
    "enum": "a byte is no member of its enumeration, or one that is refused",
    "scalar": "an operand by pointer or register",
    "dtype": "an element type that is refused, or one that is not",
    "operator": "what one operator asks of the other",
    "state": "generator state: what goes with which generator",
    "seed": "a seed has 32 bits",
}


def main():
    make()
    names = [entry["name"] for entry in VECTORS]
    doubled = {name for name in names if names.count(name) > 1}
    assert not doubled, doubled
    rows = ",\n".join("  " + json.dumps(entry) for entry in VECTORS)
    text = '{"notes": ' + json.dumps(NOTES, indent=1) + ',\n"vectors": [\n' + rows + "\n]}\n"
    path = HERE / "neighbours.json"
    if "--check" in sys.argv:
        if path.read_text() != text:
            sys.exit("neighbours.json is not what generate_neighbours.py makes")
    else:
        path.write_text(text)
        print(f"{len(VECTORS)} vectors")


main()
