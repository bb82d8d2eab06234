#!/usr/bin/env python3
"""Writes dropout.json: whole runs, small enough to be read.

Draws come from plain_rng.py; what happens to elements is here, one at a time,
in the standard library.

    generate_dropout.py [--check]    with --check compares instead of writing
"""

import math
import random
import struct
import sys
from pathlib import Path

from generate_rng import BUILT_IN, fibonacci, profile, text_of, xorshift
from plain_rng import bits_of, draw_lane, f32_of, keeps, seeded, to_f32, uniform

SIZES = {
    "float32": 4, "int32": 4, "uint32": 4, "float16": 2, "bfloat16": 2, "int16": 2, "uint16": 2,
    "float8_e3m4": 1, "float8_e4m3": 1, "float8_e4m3fn": 1, "float8_e5m2": 1, "int8": 1,
    "uint8": 1,
}  # fmt: skip

# --- small floats: every value there is, and the nearest of them -------------

# Bits of exponent and mantissa, bias, bits of the largest finite number.
FORMATS = {
    "float16": (5, 10, 15, 0x7BFF),
    "bfloat16": (8, 7, 127, 0x7F7F),
    "float8_e3m4": (3, 4, 3, 0x6F),
    "float8_e4m3": (4, 3, 7, 0x77),
    "float8_e4m3fn": (4, 3, 7, 0x7E),
    "float8_e5m2": (5, 2, 15, 0x7B),
}


def widen(element, bits):
    """The value of an element, as a double; its NaNs as NaN."""
    if element == "float32":
        return f32_of(bits)
    exponent_bits, mantissa_bits, bias, largest = FORMATS[element]
    magnitude = bits & ((1 << exponent_bits + mantissa_bits) - 1)
    sign = -1.0 if bits >> exponent_bits + mantissa_bits else 1.0
    if magnitude > largest:
        infinite = element != "float8_e4m3fn" and magnitude == largest + 1
        return sign * math.inf if infinite else math.nan
    exponent, mantissa = magnitude >> mantissa_bits, magnitude & ((1 << mantissa_bits) - 1)
    if exponent == 0:
        return sign * math.ldexp(mantissa, 1 - bias - mantissa_bits)
    return sign * math.ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits)


def narrow(element, x):
    """The bits nearest to x, of two the even ones; what follows the largest
    number stands for everything from the middle between it and the next on."""
    if element == "float32":
        return bits_of(x)
    exponent_bits, mantissa_bits, bias, largest = FORMATS[element]
    sign = (1 << exponent_bits + mantissa_bits) if math.copysign(1, x) < 0 else 0
    x = abs(x)
    if math.isinf(x):
        return sign | largest + 1
    exponent = max(math.frexp(x)[1] - 1, 1 - bias) if x else 1 - bias
    units = round(math.ldexp(x, mantissa_bits - exponent))  # ties to even; exact before
    return sign | min(units + (exponent + bias - 1 << mantissa_bits), largest + 1)


def single(x):
    """A double rounded to float32, beyond its range to infinity."""
    try:
        return to_f32(x)
    except OverflowError:
        return math.copysign(math.inf, x)


def times(element, bits, factor):
    """The element times a float32 factor: rounded to float32, then to its type."""
    value = widen(element, bits)
    if math.isnan(value):
        quiet = 22 if element == "float32" else FORMATS[element][1] - 1
        return bits | 1 << quiet
    return narrow(element, single(value * factor))


# --- the tensor path ----------------------------------------------------------


def run(rules, state, shape, threshold_type, thresholds, src):
    """Keep flags in element order, and the words of every lane afterwards."""
    rows, row_len = shape
    state = [list(lane) for lane in state]
    keep = []
    for row in range(rows):
        lane = row % len(state)
        draws, state[lane] = draw_lane(rules, state[lane], 0, row_len)
        t = f32_of(thresholds[lane % len(thresholds)])
        for u in draws:
            keep.append(int(keeps(rules["compare"], threshold_type, uniform(rules["uniform"], u), t)))
    return keep, state


NOTES = {
    "built-in": "a built-in profile",
    "four-registers": "element k of a lane uses register k mod 4, counted on from row to row",
    "steps": "several steps a draw",
    "before": "the draw is the state before its steps",
    "seeded": "the state is made from `seed` by the rule lane-shift24",
    "tiles": "more rows than lanes: a lane's stream goes on from tile to tile",
    "partial-tile": "lanes without a row in the last tile neither draw nor move",
    "per-lane": "one threshold a lane",
    "keep-rate": "thresholds are keep rates",
    "equality": "a threshold that equals the uniform of a draw, where compare rules differ",
    "nan-threshold": "a NaN threshold, where compare rules differ",
    "outside": "thresholds outside 0 to 1",
    "extremes": "rates 0 and 1",
    "conversion": "another conversion than top23",
    "special-bits": "signalling NaNs, infinities, -0.0, subnormals: kept bit for bit, dropped to zero bits",
    "bytes": "elements of one byte",
    "halves": "elements of two bytes",
    "integers": "integer elements",
    "scale": "`scaled` is `dst` after a separate multiply of the kept elements by `factors`",
    "empty": "no elements: every lane stays as it was",
    "overflow": "products beyond the largest number of the type",
}

SPECIAL = [
    0x7FA00001, 0xFFC0DEAD, 0x7F800000, 0xFF800000, 0x80000000, 0x00000001, 0x807FFFFF,
    0x7F7FFFFF, 0x3F800000, 0xFFFFFFFF,
]  # fmt: skip


def elements(element, count, seed, special):
    size = SIZES[element]
    rng = random.Random(seed)
    src = [rng.getrandbits(8 * size) for _ in range(count)]
    if special:
        for at in range(0, count, 2):
            src[at] = SPECIAL[at // 2 % len(SPECIAL)] >> 8 * (4 - size)
    return src


def record(name, flags, rules, shape, thresholds, *, lanes=3, seed=None, element="float32",
           threshold_type="drop-rate", scale=False, special=False):  # fmt: skip
    rules = {"uniform": "top23", "compare": "less-than", **rules}
    words = rules["registers_per_lane"] * (6 if rules["recurrence"]["kind"] == "xorwow" else 1)
    if seed is None:
        rng = random.Random(name)
        state = [[rng.getrandbits(32) for _ in range(words)] for _ in range(lanes)]
    else:
        state = seeded("lane-shift24", seed, lanes)
        flags = [*flags, "seeded"]
    rows, row_len = shape
    flags = list(flags)
    if rows > lanes:
        flags.append("tiles")
    if rows % lanes:
        flags.append("partial-tile")
    if special:
        flags.append("special-bits")
    if threshold_type == "keep-rate":
        flags.append("keep-rate")
    if len(thresholds) > 1:
        flags.append("per-lane")
    src = elements(element, rows * row_len, name, special)
    keep, end_state = run(rules, state, shape, threshold_type, thresholds, src)
    dst = [bits if kept else 0 for bits, kept in zip(src, keep)]
    out = {"id": name, "flags": flags, "profile": rules}
    if seed is not None:
        out["seed"] = seed
    out |= {
        "state": state, "element": element, "rows": rows, "row_len": row_len,
        "threshold_type": threshold_type, "thresholds": thresholds, "src": src, "keep": keep,
        "dst": dst, "end_state": end_state,
    }  # fmt: skip
    if scale:
        rates = [f32_of(t) for t in thresholds]
        factors = [to_f32(1 / (t if threshold_type == "keep-rate" else 1 - t)) for t in rates]
        out["flags"].append("scale")
        out["factors"] = [bits_of(factor) for factor in factors]
        out["scaled"] = [
            times(element, bits, factors[at // row_len % lanes % len(factors)]) if kept else 0
            for at, (bits, kept) in enumerate(zip(src, keep))
        ]
    return out


def records():
    tenth, half, quarter = bits_of(0.1), bits_of(0.5), bits_of(0.25)
    for name, rules in BUILT_IN.items():
        flags = ["built-in"]
        if rules["registers_per_lane"] == 4:
            flags.append("four-registers")
        if rules["draw"] == "before":
            flags.append("before")
        yield record(f"{name}-third", flags, rules, (7, 9), [bits_of(0.3)], special=True)
        if rules["registers_per_lane"] == 1:
            yield record(f"{name}-seed-42", flags, rules, (4, 40), [half], seed=42, lanes=4)
    trn1 = BUILT_IN["trn1"]
    four = profile(fibonacci("left", 0x80200003, "xnor"), registers=4)
    yield record("four-lfsr", ["four-registers"], four, (5, 7), [half])
    yield record("three-steps", ["steps"], profile(xorshift("L13", "R17", "L5"), steps=3), (5, 7), [half])
    for element in SIZES:
        flags = {1: ["bytes"], 2: ["halves"], 4: []}[SIZES[element]]
        if "int" in element:
            flags.append("integers")
        yield record(f"bits-{element}", flags, trn1, (5, 9), [bits_of(0.4)], element=element, special=True)
    for threshold_type in ("drop-rate", "keep-rate"):
        yield record(f"extremes-{threshold_type}", ["extremes"], trn1, (6, 5),
                     [bits_of(0.0), bits_of(1.0), quarter], threshold_type=threshold_type)  # fmt: skip
        for compare in ("less-than", "header-algorithm", "enum-comment"):
            rules = trn1 | {"compare": compare}
            name = f"edges-{compare}-{threshold_type}"
            # A threshold that is the uniform of lane 0's third draw exactly.
            state = random.Random(name).getrandbits(32)
            third = draw_lane(rules, [state], 2, 1)[0][0]
            yield record(name, ["equality", "nan-threshold"], rules, (3, 5),
                         [bits_of(uniform("top23", third)), 0x7FC00000, half],
                         threshold_type=threshold_type)  # fmt: skip
            yield record(f"outside-{compare}-{threshold_type}", ["outside"], rules, (3, 4),
                         [bits_of(-0.5), bits_of(1.5), 0xFF800000],
                         threshold_type=threshold_type)  # fmt: skip
    for rule in ("low23", "trunc24", "nearest", "truncate", "signed-half"):
        yield record(f"uniform-{rule}", ["conversion"], trn1 | {"uniform": rule}, (4, 12), [bits_of(0.6)])
    yield record("empty-rows", ["empty"], trn1, (0, 5), [half])
    yield record("empty-columns", ["empty"], trn1, (5, 0), [half])
    xor = BUILT_IN["xorshift"]
    for element in ("float32", *FORMATS):
        yield record(f"scale-{element}", [], xor, (6, 9), [tenth], element=element, scale=True, special=True)
    yield record("scale-keep", [], xor, (6, 9), [bits_of(0.7)], threshold_type="keep-rate",
                 element="bfloat16", scale=True)  # fmt: skip
    yield record("scale-per-lane", [], xor, (6, 9), [tenth, half, bits_of(0.9)], element="float16",
                 scale=True)  # fmt: skip
    yield record("scale-overflow", ["overflow"], xor, (6, 40), [bits_of(0.999), half, quarter],
                 element="float8_e4m3fn", scale=True)  # fmt: skip


def main():
    document = {
        "format": "lanedrop-dropout/1",
        "about": "Whole runs: bits in, state, rule; bits out, keep mask, state after.",
        "notes": NOTES,
        "records": list(records()),
    }
    path, text = Path(__file__).parent / "dropout.json", text_of(document)
    if "--check" not in sys.argv[1:]:
        path.write_text(text)
    elif not path.exists() or path.read_text() != text:
        sys.exit(f"{path.name} is not what {Path(__file__).name} makes")


if __name__ == "__main__":
    main()
