#!/usr/bin/env python3
"""Writes encoding.json and validation.json, or compares them with --check.

This is a second implementation of the record, made from the written layout and
rules with struct.pack alone; it shares nothing with the Rust library, so that
the two can find each other's mistakes. It needs only Python 3.11.
"""

import json
import random
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
GENERATIONS = ["v2", "v3", "v4", "v5"]
FP32_TENTH = 0x3DCCCCCD

# ---------------------------------------------------------------- the record

# name, offset, struct format; lists are three 16-bit numbers, "hex" are bytes
LAYOUT = [
    ("header.opcode", 0, "B"),
    ("header.inst_word_len", 1, "B"),
    ("header.debug_cmd", 2, "B"),
    ("header.debug_hint", 3, "B"),
    ("events.wait_mode", 4, "B"),
    ("events.wait_idx", 5, "B"),
    ("events.update_mode", 6, "B"),
    ("events.update_idx", 7, "B"),
    ("events.semaphore_value", 8, "I"),
    ("reserved0", 12, "4s"),
    ("src_mem_pattern.start_addr", 16, "I"),
    ("src_mem_pattern.step_elem", 20, "3h"),
    ("src_mem_pattern.num_elem", 26, "3H"),
    ("in_dtype", 32, "B"),
    ("out_dtype", 33, "B"),
    ("num_active_channels", 34, "B"),
    ("threshold_src", 35, "B"),
    ("threshold_dtype", 36, "B"),
    ("reserved1", 37, "6s"),
    ("threshold_type", 43, "B"),
    ("threshold", 44, "I"),
    ("dst_mem_pattern.start_addr", 48, "I"),
    ("dst_mem_pattern.step_elem", 52, "3h"),
    ("dst_mem_pattern.num_elem", 58, "3H"),
]
OFFSET = {name: offset for name, offset, _ in LAYOUT}
COMMON = 9  # header and events

BASE = {
    "header.opcode": 0x7F,
    "header.inst_word_len": 16,
    "header.debug_cmd": 0,
    "header.debug_hint": 0,
    "events.wait_mode": 0,
    "events.wait_idx": 0,
    "events.update_mode": 0,
    "events.update_idx": 0,
    "events.semaphore_value": 0,
    "reserved0": "00000000",
    "src_mem_pattern.start_addr": 0,
    "src_mem_pattern.step_elem": [1, 512, 1],
    "src_mem_pattern.num_elem": [512, 4, 1],
    "in_dtype": 6,
    "out_dtype": 6,
    "num_active_channels": 128,
    "threshold_src": 0,
    "threshold_dtype": 10,
    "reserved1": "000000000000",
    "threshold_type": 0,
    "threshold": FP32_TENTH,
    "dst_mem_pattern.start_addr": 0x4000,
    "dst_mem_pattern.step_elem": [1, 1, 1],
    "dst_mem_pattern.num_elem": [2048, 1, 1],
}


def pack(fields):
    word = bytearray(64)
    for name, offset, form in LAYOUT:
        value = fields[name]
        if isinstance(value, str):
            values = [bytes.fromhex(value)]
        elif isinstance(value, list):
            values = value
        else:
            values = [value]
        struct.pack_into("<" + form, word, offset, *values)
    return bytes(word)


def unpack(word):
    fields = {}
    for name, offset, form in LAYOUT:
        values = struct.unpack_from("<" + form, word, offset)
        if form.endswith("s"):
            fields[name] = values[0].hex()
        elif len(values) > 1:
            fields[name] = list(values)
        else:
            fields[name] = values[0]
    return fields


# -------------------------------------------------------------- the encoding


def encoding_records():
    """Each field at its extremes, everything else as in the base record."""
    ranges = {"B": (0, 0xFF), "I": (0, 0xFFFF_FFFF), "h": (-0x8000, 0x7FFF), "H": (0, 0xFFFF)}
    yield "base", [], BASE
    for name, _, form in LAYOUT[1:]:
        if form.endswith("s"):
            size = int(form[:-1])
            for i in range(size):
                raw = bytes(0xA0 + i if j == i else 0 for j in range(size))
                yield f"{name}-byte-{i}", ["reserved"], BASE | {name: raw.hex()}
            yield f"{name}-ones", ["reserved"], BASE | {name: "ff" * size}
        elif form[0] == "3":
            low, high = ranges[form[1]]
            for i in range(3):
                for label, extreme in (("min", low), ("max", high)):
                    values = list(BASE[name])
                    values[i] = extreme
                    flags = ["signed"] if form[1] == "h" else ["count"]
                    yield f"{name}-{i}-{label}", flags, BASE | {name: values}
            yield f"{name}-order", ["order"], BASE | {name: [0x0102, 0x0304, 0x0506]}
        else:
            low, high = ranges[form]
            yield f"{name}-min", ["extreme"], BASE | {name: low}
            yield f"{name}-max", ["extreme"], BASE | {name: high}
            if form == "I":
                yield f"{name}-order", ["order"], BASE | {name: 0x04030201}
    for code in range(32):
        yield f"dtype-{code:02x}", ["code"], BASE | {"in_dtype": code, "out_dtype": code}
    for code in [*range(16), *range(0x80, 0x87)]:
        yield f"wait-mode-{code:02x}", ["code"], BASE | {"events.wait_mode": code}
    for code in range(28):
        yield f"update-mode-{code:02x}", ["code"], BASE | {"events.update_mode": code}
    for bits in (0x0000_0000, 0x8000_0000, 0x3F80_0000, 0x0000_0001, 0x7F80_0000, 0x7FC0_0001):
        yield f"threshold-{bits:08x}", ["threshold"], BASE | {"threshold": bits}
    counting = bytes(range(0x80, 0xC0))
    yield "all-bytes-differ", ["order"], unpack(b"\x7f" + counting[1:])
    yield "all-ones", ["extreme"], unpack(b"\x7f" + b"\xff" * 63)


def encoding():
    records = []
    for label, flags, fields in encoding_records():
        word = pack(fields)
        assert unpack(word) == fields, label
        records.append({"id": label, "flags": flags, "bytes": word.hex(), "fields": fields})
    for opcode, name in ((0x02, "MATMUL"), (0xA4, "NOP"), (0xFF, "INVALID"), (0xFE, None)):
        word = bytes([opcode, 16]) + bytes(range(2, 64))
        fields = dict(list(unpack(word).items())[:COMMON])
        flags = ["header-only"]
        label = f"opcode-{opcode:02x}"
        records.append({"id": label, "flags": flags, "name": name, "bytes": word.hex(), "fields": fields})
    return {
        "format": "lanedrop-encoding/1",
        "notes": {
            "code": "a member of an enumeration, or a gap in one",
            "count": "an unsigned count at its extremes; 0 is not legal, but it is read",
            "extreme": "a number at its extremes",
            "header-only": "a record of which only header and events are known: no other fields",
            "order": "every byte differs, so that a swapped or shifted byte shows",
            "reserved": "bytes that a legal record has zero; they are kept all the same",
            "signed": "a signed step at its extremes",
            "threshold": "fp32 patterns: both zeros, one, a subnormal, infinity, a quiet NaN",
        },
        "records": records,
    }


# ------------------------------------------------------------ the validation

ONLY_V2 = {0x87, 0x88, 0x8A, 0x8B, 0x8C, 0x8D, 0x8F}
FROM_V3 = {
    0x06, 0x07, 0x81, 0xBC, 0xBD, 0xBE, 0xBF, 0xD7, 0xE4, 0xE9, 0xF1, 0xF2,
}
FROM_V4 = {0x08, 0x09, 0x0A, 0x25, 0xB4, 0xE0, 0xE1, 0xE2, 0xE3}
FROM_V5 = {0x26, 0xB6, 0xB9, 0xBA, 0xF3, 0xF4}
EVERYWHERE = (
    set(range(0x01, 0x06)) | {0x21, 0x22, 0x23, 0x24, 0x30} | set(range(0x41, 0x50))
    | {0x51, 0x52, 0x53, 0x54, 0x58, 0x5E, 0x5F} | set(range(0x60, 0x75))
    | set(range(0x76, 0x80)) | {0x82, 0x83, 0x84, 0x85, 0x86, 0x8E}
    | (set(range(0x92, 0xA0)) - {0x97}) | set(range(0xA0, 0xAC))
    | {0xB0, 0xB1, 0xB2, 0xB3, 0xB5, 0xB8, 0xBB}
    | (set(range(0xC1, 0xE0)) - {0xD7}) | {0xE5, 0xE6, 0xE7, 0xE8, 0xEA, 0xF0, 0xFF}
)


def opcodes(gen):
    n = int(gen[1])
    out = set(EVERYWHERE)
    if n == 2:
        out |= ONLY_V2
    if n >= 3:
        out |= FROM_V3
    if n >= 4:
        out |= FROM_V4
    if n >= 5:
        out |= FROM_V5
    return out


assert [len(opcodes(gen)) for gen in GENERATIONS] == [145, 150, 159, 165]

WAITS = {*range(8), 14, 15, *range(0x81, 0x86)}
UPDATES = {*range(11), *range(17, 27)}
INTEGERS = {2, 3, 4, 5, 8, 9}
FLOATS = {6, 7, 10, 13, 14, 15}
SIZE = {2: 1, 3: 1, 13: 1, 14: 1, 15: 1, 0x11: 1, 4: 2, 5: 2, 6: 2, 7: 2, 8: 4, 9: 4, 10: 4, 11: 4}
ROOM = {0: 128, 32: 32, 64: 64, 96: 32}
PSUM = 0x200_0000


def legal_dtypes(gen):
    return INTEGERS | FLOATS | ({0x11} if gen == "v5" else set())


def place(address, gen):
    """(space, partition) of a byte address, or None."""
    stride = 1 << (20 if gen == "v5" else 18)
    if address < 128 * stride:
        return "sbuf", address // stride
    if gen != "v5" and PSUM <= address < PSUM + 128 * 0x8000:
        return "psum", (address - PSUM) // 0x8000
    return None


def validate(word, gen):
    """The broken rules as (rule, field, byte, found), in the order of the table."""
    f = unpack(word)
    out = []

    def broken(rule, field, byte=None, size=None):
        offset = OFFSET[field] if byte is None else byte
        if size is None:
            size = struct.calcsize("<" + next(form for name, _, form in LAYOUT if name == field))
        out.append((rule, field, offset, word[offset : offset + size].hex()))

    if f["header.opcode"] not in opcodes(gen):
        broken("has_valid_opcode", "header.opcode")
    if f["header.inst_word_len"] != 16:
        broken("has_valid_inst_len", "header.inst_word_len")
    if f["events.wait_mode"] not in WAITS:
        broken("has_valid_neuron_events", "events.wait_mode")
    if f["events.update_mode"] not in UPDATES:
        broken("has_valid_neuron_events", "events.update_mode")
    if f["header.opcode"] != 0x7F:
        return out

    for block in ("reserved0", "reserved1"):
        raw = bytes.fromhex(f[block])
        nonzero = [i for i, byte in enumerate(raw) if byte]
        if nonzero:
            broken("s3d3_dropout_reserved_zero", block, OFFSET[block] + nonzero[0], 1)

    in_ok = f["in_dtype"] in legal_dtypes(gen)
    out_ok = f["out_dtype"] in legal_dtypes(gen) | {11}
    if not in_ok:
        broken("is_valid_dtype_in", "in_dtype")
    if not out_ok:
        broken("is_valid_dtype_out", "out_dtype")
    if f["in_dtype"] != f["out_dtype"]:
        broken("s3d3_dropout_same_src_dst_type", "out_dtype")

    shape_register = any(f[f"{side}_mem_pattern.start_addr"] >> 30 & 1 for side in ("src", "dst"))
    products = []
    for side in ("src", "dst"):
        a, b, c = f[f"{side}_mem_pattern.num_elem"]
        products.append(a * b * c)
    if not shape_register and 0 not in products and products[0] != products[1]:
        for side in ("src", "dst"):
            broken("s3d3_dropout_src_dst_count_check", f"{side}_mem_pattern.num_elem")

    src_ok = f["threshold_src"] in (0, 1, 2)
    if not src_ok:
        broken("is_valid_enum_threshold_src", "threshold_src")
    if f["threshold_type"] not in (0, 1):
        broken("is_valid_enum_threshold_type", "threshold_type")

    n = f["num_active_channels"]
    channels_ok = 1 <= n <= 128
    threshold_dtype = f["threshold_dtype"] or 10
    alignment = SIZE[threshold_dtype] if threshold_dtype in FLOATS else None
    if src_ok:
        if f["threshold_src"] == 0:
            allowed = {10}
        elif not in_ok:
            allowed = None
        elif f["in_dtype"] in INTEGERS:
            allowed = {10}
        else:
            allowed = FLOATS
        if allowed is not None and threshold_dtype not in allowed:
            broken("s3d3_dropout_threshold_dtype_check", "threshold_dtype")
            alignment = None
        t = f["threshold"]
        if f["threshold_src"] == 1:
            where = place(t, gen)
            if (
                where is None
                or (alignment and t % alignment)
                or (channels_ok and n > ROOM.get(where[1], 0))
            ):
                broken("threshold_imm_ptr", "threshold")
        elif f["threshold_src"] == 2 and t >= 64:
            broken("threshold_imm_ptr", "threshold")

    if not channels_ok:
        tile = "_with_tile" if gen == "v5" else ""
        broken("has_valid_active_channel_range" + tile, "num_active_channels")

    for side in ("src", "dst"):
        address = f[f"{side}_mem_pattern.start_addr"]
        if channels_ok and not address >> 31 and not address >> 29 & 1:
            where = place(address & 0x1FFF_FFFF, gen)
            if where is not None and n > ROOM.get(where[1], 0):
                broken(f"start_addr_active_channels_{side}", f"{side}_mem_pattern.start_addr")

    for side, dtype, ok in (("src", "in_dtype", in_ok), ("dst", "out_dtype", out_ok)):
        rule = f"tensor3d_valid_{side}"
        field = f"{side}_mem_pattern.start_addr"
        address = f[field]
        counts = f[f"{side}_mem_pattern.num_elem"]
        if 0 in counts and not address >> 30 & 1:
            first = OFFSET[f"{side}_mem_pattern.num_elem"] + 2 * counts.index(0)
            broken(rule, f"{side}_mem_pattern.num_elem", first, 2)
            continue
        size = SIZE[f[dtype]] if ok else None
        if address >> 29 & 1:
            bad = True
        elif address >> 31:
            zero = 0x7FFF_FF00 if gen == "v2" else 0x00FF_FF00
            bad = address & 0xFF >= 64 or address & zero != 0
        else:
            where = place(address & 0x1FFF_FFFF, gen)
            bad = where is None
            if where and size:
                bad = address % size != 0
                bad |= side == "dst" and where[0] == "psum" and size != 4
        if bad:
            broken(rule, field)
    return out


ALL = "v2 v3 v4 v5"


def validation_cases():
    """(id, flags, changed fields, generations that object -> the violations)."""
    src, dst = "src_mem_pattern.start_addr", "dst_mem_pattern.start_addr"
    src_num, dst_num = "src_mem_pattern.num_elem", "dst_mem_pattern.num_elem"
    pointer = {"threshold_src": 1, "threshold": 0x40}
    register = {"threshold_src": 2}
    fp32 = {"in_dtype": 10, "out_dtype": 10}

    def one(rule, field, byte, found, gens=ALL):
        return {gens: [(rule, field, byte, found)]}

    yield "base", ["legal"], {}, {}
    yield "inst-len-0", ["header"], {"header.inst_word_len": 0}, one("has_valid_inst_len", "header.inst_word_len", 1, "00")
    yield "inst-len-17", ["header"], {"header.inst_word_len": 17}, one("has_valid_inst_len", "header.inst_word_len", 1, "11")
    yield "debug-bytes", ["legal", "header"], {"header.debug_cmd": 0xEE, "header.debug_hint": 0xDD}, {}

    for mode in (8, 13, 16, 0x80, 0x86, 0xFF):
        yield f"wait-mode-{mode:02x}", ["events"], {"events.wait_mode": mode}, one("has_valid_neuron_events", "events.wait_mode", 4, f"{mode:02x}")
    for mode in (11, 16, 27, 0xFF):
        yield f"update-mode-{mode:02x}", ["events"], {"events.update_mode": mode}, one("has_valid_neuron_events", "events.update_mode", 6, f"{mode:02x}")
    yield "both-modes", ["events", "several"], {"events.wait_mode": 9, "events.update_mode": 12}, {
        ALL: [("has_valid_neuron_events", "events.wait_mode", 4, "09"), ("has_valid_neuron_events", "events.update_mode", 6, "0c")]
    }
    for mode in (0, 1, 2, 3, 4, 5, 6, 7, 14, 15, 0x81, 0x82, 0x83, 0x84, 0x85):
        yield f"wait-mode-{mode:02x}", ["legal", "events"], {"events.wait_mode": mode}, {}
    for mode in (*range(11), *range(17, 27)):
        yield f"update-mode-{mode:02x}", ["legal", "events"], {"events.update_mode": mode}, {}

    yield "reserved0-first", ["reserved"], {"reserved0": "01000000"}, one("s3d3_dropout_reserved_zero", "reserved0", 12, "01")
    yield "reserved0-last", ["reserved"], {"reserved0": "00000080"}, one("s3d3_dropout_reserved_zero", "reserved0", 15, "80")
    yield "reserved1-first", ["reserved"], {"reserved1": "010000000000"}, one("s3d3_dropout_reserved_zero", "reserved1", 37, "01")
    yield "reserved1-last", ["reserved"], {"reserved1": "0000000000ff"}, one("s3d3_dropout_reserved_zero", "reserved1", 42, "ff")
    yield "reserved-both", ["reserved", "several"], {"reserved0": "00020300", "reserved1": "000004000500"}, {
        ALL: [("s3d3_dropout_reserved_zero", "reserved0", 13, "02"), ("s3d3_dropout_reserved_zero", "reserved1", 39, "04")]
    }

    for code in (2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15):
        yield f"dtype-{code:02x}", ["legal", "dtype"], {"in_dtype": code, "out_dtype": code}, {}
    for code in (0, 1, 12, 0x10, 0x12, 0x13, 0x16, 0x17, 0x18, 0x19, 0x1F, 0x20, 0xFF):
        found = f"{code:02x}"
        yield f"dtype-{found}", ["dtype", "several"], {"in_dtype": code, "out_dtype": code}, {
            ALL: [("is_valid_dtype_in", "in_dtype", 32, found), ("is_valid_dtype_out", "out_dtype", 33, found)]
        }
    yield "dtype-11", ["dtype", "generation"], {"in_dtype": 0x11, "out_dtype": 0x11}, {
        "v2 v3 v4": [("is_valid_dtype_in", "in_dtype", 32, "11"), ("is_valid_dtype_out", "out_dtype", 33, "11")]
    }
    yield "dtype-fp32r", ["dtype"], {"in_dtype": 11, "out_dtype": 11}, one("is_valid_dtype_in", "in_dtype", 32, "0b")
    yield "dtype-differs", ["dtype"], {"out_dtype": 7}, one("s3d3_dropout_same_src_dst_type", "out_dtype", 33, "07")
    yield "dtype-out-alone", ["dtype", "several"], {"out_dtype": 1}, {
        ALL: [("is_valid_dtype_out", "out_dtype", 33, "01"), ("s3d3_dropout_same_src_dst_type", "out_dtype", 33, "01")]
    }
    yield "dtype-in-alone", ["dtype", "several"], {"in_dtype": 0}, {
        ALL: [("is_valid_dtype_in", "in_dtype", 32, "00"), ("s3d3_dropout_same_src_dst_type", "out_dtype", 33, "06")]
    }

    yield "counts-differ", ["count"], {dst_num: [2047, 1, 1]}, {
        ALL: [
            ("s3d3_dropout_src_dst_count_check", src_num, 26, "000204000100"),
            ("s3d3_dropout_src_dst_count_check", dst_num, 58, "ff0701000100"),
        ]
    }
    yield "counts-same-product", ["legal", "count"], {src_num: [2, 4, 8], dst_num: [8, 8, 1]}, {}
    yield "counts-beyond-32-bits", ["count"], {src_num: [65535, 65535, 2], dst_num: [65534, 1, 1]}, {
        ALL: [
            ("s3d3_dropout_src_dst_count_check", src_num, 26, "ffffffff0200"),
            ("s3d3_dropout_src_dst_count_check", dst_num, 58, "feff01000100"),
        ]
    }
    yield "shape-register-src", ["legal", "count"], {src: 0x4000_0000, src_num: [9, 0, 9]}, {}
    yield "shape-register-dst", ["legal", "count"], {dst: 0x4000_4000, dst_num: [7, 1, 1]}, {}
    for i in range(3):
        counts = [1, 1, 1]
        counts[i] = 0
        yield f"count-zero-src-{i}", ["count"], {src_num: counts}, one("tensor3d_valid_src", src_num, 26 + 2 * i, "0000")
        yield f"count-zero-dst-{i}", ["count"], {dst_num: counts}, one("tensor3d_valid_dst", dst_num, 58 + 2 * i, "0000")

    yield "threshold-src-3", ["threshold"], {"threshold_src": 3}, one("is_valid_enum_threshold_src", "threshold_src", 35, "03")
    yield "threshold-src-ff", ["threshold", "skip"], {"threshold_src": 255, "threshold_dtype": 99}, one("is_valid_enum_threshold_src", "threshold_src", 35, "ff")
    yield "threshold-type-2", ["threshold"], {"threshold_type": 2}, one("is_valid_enum_threshold_type", "threshold_type", 43, "02")
    yield "keep-rate", ["legal", "threshold"], {"threshold_type": 1}, {}
    yield "threshold-nan", ["legal", "threshold"], {"threshold": 0x7FC0_0001}, {}
    yield "threshold-out-of-range", ["legal", "threshold"], {"threshold": 0xC2F6_E979}, {}
    yield "threshold-dtype-0", ["legal", "threshold"], {"threshold_dtype": 0}, {}
    for code in (6, 7, 11, 14, 0x11, 0xFF):
        yield f"threshold-dtype-immediate-{code:02x}", ["threshold"], {"threshold_dtype": code}, one("s3d3_dropout_threshold_dtype_check", "threshold_dtype", 36, f"{code:02x}")
    for code in (0, 6, 7, 10, 13, 14, 15):
        yield f"threshold-dtype-pointer-{code:02x}", ["legal", "threshold"], pointer | {"threshold_dtype": code}, {}
    for code in (1, 2, 8, 9, 11, 12, 0x10, 0x11, 0x42):
        yield f"threshold-dtype-pointer-{code:02x}", ["threshold"], pointer | {"threshold_dtype": code}, one("s3d3_dropout_threshold_dtype_check", "threshold_dtype", 36, f"{code:02x}")
    integer = {"in_dtype": 8, "out_dtype": 8}
    yield "threshold-dtype-integer-data", ["threshold"], pointer | integer | {"threshold_dtype": 6}, one("s3d3_dropout_threshold_dtype_check", "threshold_dtype", 36, "06")
    yield "threshold-dtype-integer-data-register", ["threshold"], register | integer | {"threshold_dtype": 7, "threshold": 1}, one("s3d3_dropout_threshold_dtype_check", "threshold_dtype", 36, "07")
    yield "threshold-dtype-skipped", ["threshold", "skip"], pointer | {"in_dtype": 11, "out_dtype": 11, "threshold_dtype": 99}, one("is_valid_dtype_in", "in_dtype", 32, "0b")

    yield "pointer-misaligned-4", ["threshold"], pointer | {"threshold": 0x42}, one("threshold_imm_ptr", "threshold", 44, "42000000")
    yield "pointer-misaligned-2", ["threshold"], pointer | {"threshold": 0x41, "threshold_dtype": 6}, one("threshold_imm_ptr", "threshold", 44, "41000000")
    yield "pointer-byte", ["legal", "threshold"], pointer | {"threshold": 0x41, "threshold_dtype": 14}, {}
    yield "pointer-alignment-skipped", ["threshold", "skip"], pointer | {"threshold": 0x41, "threshold_dtype": 99}, one("s3d3_dropout_threshold_dtype_check", "threshold_dtype", 36, "63")
    yield "pointer-unplaced", ["threshold"], pointer | {"threshold": 0x1000_0000}, one("threshold_imm_ptr", "threshold", 44, "00000010")
    for bit in (29, 30, 31):
        yield f"pointer-bit-{bit}", ["threshold"], pointer | {"threshold": 1 << bit}, one("threshold_imm_ptr", "threshold", 44, struct.pack("<I", 1 << bit).hex())
    yield "pointer-psum", ["threshold", "generation"], pointer | {"threshold": PSUM}, one("threshold_imm_ptr", "threshold", 44, "00000002", "v5")
    yield "pointer-behind-psum", ["threshold", "generation"], pointer | {"threshold": PSUM + 0x40_0000, "num_active_channels": 1, src: 0}, one("threshold_imm_ptr", "threshold", 44, "00004002")
    yield "pointer-start-partition", ["threshold"], pointer | {"threshold": 1 << 20}, one("threshold_imm_ptr", "threshold", 44, "00001000")
    yield "pointer-channels-skipped", ["threshold", "skip"], pointer | {"threshold": 1 << 20, "num_active_channels": 0}, {
        "v2 v3 v4": [("has_valid_active_channel_range", "num_active_channels", 34, "00")],
        "v5": [("has_valid_active_channel_range_with_tile", "num_active_channels", 34, "00")],
    }
    yield "pointer-placed-all-the-same", ["threshold", "several"], pointer | {"threshold": 1 << 28, "num_active_channels": 129}, {
        "v2 v3 v4": [("threshold_imm_ptr", "threshold", 44, "00000010"), ("has_valid_active_channel_range", "num_active_channels", 34, "81")],
        "v5": [("threshold_imm_ptr", "threshold", 44, "00000010"), ("has_valid_active_channel_range_with_tile", "num_active_channels", 34, "81")],
    }
    yield "register-63", ["legal", "threshold"], register | {"threshold": 63}, {}
    yield "register-64", ["threshold"], register | {"threshold": 64}, one("threshold_imm_ptr", "threshold", 44, "40000000")
    for byte in (1, 2, 3):
        yield f"register-rest-{byte}", ["threshold"], register | {"threshold": 1 << 8 * byte}, one("threshold_imm_ptr", "threshold", 44, struct.pack("<I", 1 << 8 * byte).hex())

    for channels in (0, 129, 255):
        found = f"{channels:02x}"
        yield f"channels-{channels}", ["channels", "generation"], {"num_active_channels": channels}, {
            "v2 v3 v4": [("has_valid_active_channel_range", "num_active_channels", 34, found)],
            "v5": [("has_valid_active_channel_range_with_tile", "num_active_channels", 34, found)],
        }
    for channels in (1, 128):
        yield f"channels-{channels}", ["legal", "channels"], {"num_active_channels": channels}, {}

    for partition, room in ((32, 32), (64, 64), (96, 32)):
        for gens, shift in (("v2 v3 v4", 18), ("v5", 20)):
            address = partition << shift
            found = struct.pack("<I", address).hex()
            # On the other side of the stride the address is another place.
            yield f"start-{partition}-full-{gens[-2:]}", ["channels", "generation", "elsewhere"], {src: address, "num_active_channels": room}, {gens: []}
            yield f"start-{partition}-over-{gens[-2:]}", ["channels", "generation", "elsewhere"], {src: address, "num_active_channels": room + 1}, {
                gens: [("start_addr_active_channels_src", src, 16, found)]
            }
            yield f"start-{partition}-over-dst-{gens[-2:]}", ["channels", "generation", "elsewhere"], {dst: address, "num_active_channels": room + 1}, {
                gens: [("start_addr_active_channels_dst", dst, 48, found)]
            }
    yield "start-partition-4-or-1", ["channels"], {src: 1 << 20, "num_active_channels": 1}, one("start_addr_active_channels_src", src, 16, "00001000")
    yield "start-partition-127", ["channels", "elsewhere"], {dst: 127 << 18, "num_active_channels": 1}, one("start_addr_active_channels_dst", dst, 48, "0000fc01", "v2 v3 v4")
    yield "start-skipped", ["channels", "skip", "generation"], {src: 1 << 20, "num_active_channels": 0}, {
        "v2 v3 v4": [("has_valid_active_channel_range", "num_active_channels", 34, "00")],
        "v5": [("has_valid_active_channel_range_with_tile", "num_active_channels", 34, "00")],
    }

    yield "address-misaligned-src", ["address"], {src: 1}, one("tensor3d_valid_src", src, 16, "01000000")
    yield "address-misaligned-dst", ["address"], {dst: 0x4001}, one("tensor3d_valid_dst", dst, 48, "01400000")
    yield "address-misaligned-4", ["address"], fp32 | {src: 2}, one("tensor3d_valid_src", src, 16, "02000000")
    yield "address-byte", ["legal", "address"], {"in_dtype": 3, "out_dtype": 3, src: 1, dst: 0x4001}, {}
    yield "address-alignment-skipped", ["address", "skip", "several"], {"in_dtype": 0, "out_dtype": 0, src: 1}, {
        ALL: [("is_valid_dtype_in", "in_dtype", 32, "00"), ("is_valid_dtype_out", "out_dtype", 33, "00")]
    }
    yield "address-unplaced-src", ["address"], {src: 0x1FFF_FFFE}, one("tensor3d_valid_src", src, 16, "feffff1f")
    yield "address-unplaced-dst", ["address"], {dst: 0x0800_0000}, one("tensor3d_valid_dst", dst, 48, "00000008")
    yield "address-indirect-src", ["address"], {src: 0x2000_0000}, one("tensor3d_valid_src", src, 16, "00000020")
    yield "address-indirect-dst", ["address"], {dst: 0x2000_4000}, one("tensor3d_valid_dst", dst, 48, "00400020")
    yield "address-indirect-register", ["address"], {src: 0xA000_0001}, one("tensor3d_valid_src", src, 16, "010000a0")
    yield "address-register-63", ["legal", "address"], {src: 0x8000_003F}, {}
    yield "address-register-64", ["address"], {src: 0x8000_0040}, one("tensor3d_valid_src", src, 16, "40000080")
    yield "address-register-byte-1", ["address"], {src: 0x8000_0101}, one("tensor3d_valid_src", src, 16, "01010080")
    yield "address-register-byte-2", ["address"], {dst: 0x8080_0001}, one("tensor3d_valid_dst", dst, 48, "01008080")
    yield "address-register-bit-24", ["address", "generation"], {src: 0x8100_0001}, one("tensor3d_valid_src", src, 16, "01000081", "v2")
    yield "address-and-shape-register", ["address", "generation"], {src: 0xC000_0001}, one("tensor3d_valid_src", src, 16, "010000c0", "v2")
    yield "address-register-count-zero", ["address", "count"], {src: 0x8000_0001, src_num: [0, 1, 1]}, one("tensor3d_valid_src", src_num, 26, "0000")
    yield "psum-read", ["address", "generation"], {src: PSUM}, one("start_addr_active_channels_src", src, 16, "00000002", "v5")
    yield "psum-write-2-bytes", ["address", "generation"], {dst: PSUM}, {
        "v2 v3 v4": [("tensor3d_valid_dst", dst, 48, "00000002")],
        "v5": [("start_addr_active_channels_dst", dst, 48, "00000002")],
    }
    yield "psum-write-4-bytes", ["address", "generation"], fp32 | {dst: PSUM}, one("start_addr_active_channels_dst", dst, 48, "00000002", "v5")
    yield "psum-end", ["address", "generation"], fp32 | {src: PSUM + 0x40_0000, "num_active_channels": 1}, {
        "v2 v3 v4": [("tensor3d_valid_src", src, 16, "00004002")],
        "v5": [("start_addr_active_channels_src", src, 16, "00004002")],
    }
    yield "marker-01", ["address", "generation"], {src: 0x0100_0000, "num_active_channels": 64}, one("start_addr_active_channels_src", src, 16, "00000001", "v5")


def validation():
    records = []

    def add(label, flags, word, expected):
        records.append({"id": label, "flags": flags, "bytes": word.hex(), "expected": expected})

    def as_objects(found):
        keys = ("rule", "field", "byte", "found")
        return [dict(zip(keys, violation)) for violation in found]

    for label, flags, changes, objections in validation_cases():
        word = pack(BASE | changes)
        by_hand = {gen: found for gens, found in objections.items() for gen in gens.split()}
        expected = {}
        for gen in GENERATIONS:
            found = validate(word, gen)
            # What is written down above and what the checker here finds agree.
            if gen in by_hand or "elsewhere" not in flags:
                assert found == by_hand.get(gen, []), (label, gen, found, by_hand.get(gen))
            expected[gen] = as_objects(found)
        assert ("legal" in flags) == (not any(expected.values())) or "elsewhere" in flags, label
        add(label, flags, word, expected)

    for opcode in range(256):
        word = bytes([opcode, 16]) + bytes(62)
        if opcode != 0x7F:
            expected = {gen: as_objects(validate(word, gen)) for gen in GENERATIONS}
            add(f"opcode-{opcode:02x}", ["opcode"], word, expected)

    chance = random.Random(0x7F)
    for index in range(600):
        word = bytearray(pack(BASE))
        for _ in range(chance.randint(1, 6)):
            at = chance.randrange(1, 64)
            word[at] = chance.choice((0, 1, 2, 0x10, 0x20, 0x40, 0x80, 0xFF, chance.randrange(256)))
        expected = {gen: as_objects(validate(bytes(word), gen)) for gen in GENERATIONS}
        add(f"mixed-{index}", ["mixed"], bytes(word), expected)
    return {
        "format": "lanedrop-validation/1",
        "notes": {
            "address": "start addresses: placement, alignment, markers and register forms",
            "channels": "the number of channels, and the partitions they start in",
            "count": "counts of 0, and products that differ",
            "dtype": "element types",
            "elsewhere": "on the generations with another stride the address is another place",
            "events": "wait and update modes",
            "generation": "the generations answer differently",
            "header": "bytes 0 to 3",
            "legal": "legal on every generation",
            "mixed": "a legal record with a few bytes changed at random",
            "opcode": "every other opcode: what header, events and opcode table are asked, and no more",
            "reserved": "reserved bytes",
            "several": "more than one rule or operand is at fault, and each is listed",
            "skip": "a rule is not asked because a value it needs is at fault already",
            "threshold": "where the threshold comes from, and its type",
        },
        "records": records,
    }


def text_of(document):
    """JSON with one record a line, so that differences can be read."""
    head = {key: value for key, value in document.items() if key != "records"}
    lines = ",\n".join("  " + json.dumps(record) for record in document["records"])
    return json.dumps(head, indent=1)[:-2] + ',\n "records": [\n' + lines + "\n ]\n}\n"


def main():
    check = "--check" in sys.argv[1:]
    wrong = []
    for name, document in (("encoding.json", encoding()), ("validation.json", validation())):
        path, text = HERE / name, text_of(document)
        if check:
            if not path.exists() or path.read_text() != text:
                wrong.append(name)
        else:
            path.write_text(text)
    if wrong:
        sys.exit(f"{', '.join(wrong)} is not what {Path(__file__).name} makes")


if __name__ == "__main__":
    main()
