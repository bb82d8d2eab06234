#!/usr/bin/env python3
"""Writes generators.json, uniform.json and compare.json.

Expected values come from plain_rng.py. Published ones stand here as literals,
and the script fails where its own result differs from one.

    generate_rng.py [--check]    with --check compares instead of writing
"""

import json
import math
import random
import sys
from pathlib import Path

from plain_rng import (
    COMPARES, M32, M64, PCG_INCREMENT, PCG_MULTIPLIER, TYPES, UNIFORMS, bits_of, draw_lane,
    drop_words, f32_of, join, keeps, pcg_advance, pcg_draws, philox_word, seeded, split, to_f32,
    uniform,
)

# --- profiles ---------------------------------------------------------------


def fibonacci(direction, mask, feedback):
    return {"kind": "fibonacci", "direction": direction, "mask": mask, "feedback": feedback}


def galois(direction, mask, feedback):
    return {"kind": "galois", "direction": direction, "mask": mask, "feedback": feedback}


def xorshift(*shifts):
    return {"kind": "xorshift", "shifts": list(shifts)}


def profile(recurrence, steps=1, draw="after", registers=1):
    return {
        "recurrence": recurrence,
        "steps_per_draw": steps,
        "draw": draw,
        "registers_per_lane": registers,
    }


XORWOW = {"kind": "xorwow"}
DEFAULT_WORDS = [123456789, 362436069, 521288629, 88675123, 5783321, 6615241]
BUILT_IN = {
    "trn1": profile(fibonacci("left", 0x80200003, "xnor")),
    "trn3": profile(XORWOW, registers=4),
    "simulator": profile(fibonacci("left", 0x80200003, "xor")),
    "xorshift": profile(xorshift("L13", "R17", "L5")),
    "tenstorrent": profile(fibonacci("right", 0x80200003, "xnor"), draw="before"),
}
SKIPS = [10**6, (1 << 32) + 5, (1 << 62) + 12345, (1 << 63) - 1]


def hexes(text):
    return [int(word, 16) for word in text.split()]


# --- generators.json --------------------------------------------------------

GENERATOR_NOTES = {
    "published": "the draws were published by others: device dumps, reference implementations",
    "silicon": "printed by a real device (aws-neuron-sdk issues 724 and 676)",
    "built-in": "a built-in profile",
    "seeded": "the state is made from `seed` by the rule `seeding`",
    "jump": "`skip` draws are left out first; far too many to walk",
    "steps": "several steps a draw",
    "before": "the draw is the state before its steps",
    "four-registers": "element k uses register k mod 4; states begin with the register that serves next",
    "locked-up": "a state that never changes",
    "recovery": "first draws from state 0x12345678, of registers that recovery must tell apart",
    "matrix": "any affine map",
    "carry": "the counter carries into its next word, or comes round",
}


def profile_case(identity, flags, prof, state, count, skip=0, **extra):
    lanes = [draw_lane(prof, words, skip, count) for words in state]
    return {
        "id": identity,
        "flags": flags + (["jump"] if skip else []),
        "generator": "profile",
        "profile": prof,
        "state": state,
        "skip": str(skip),
        "draws": [draws for draws, _ in lanes],
        "end_state": [words for _, words in lanes],
        **extra,
    }


def silicon_cases():
    """Both public dumps, from the printed values to the draws."""
    printed = hexes(
        "04b7e848 496fd090 d2750b8b e73f4240 8d32484c 58d7a3a9 f3e85b20 a5f4240a 0a0bc62d 521c5ce5"
    )
    unmasked = [word ^ bits_of(1 / (i + 1)) for i, word in enumerate(printed)]
    assert unmasked == hexes(
        "3b37e848 766fd090 ecdfa120 d9bf4240 b37e8481 66fd0902 cdfa1205 9bf4240a 37e84814 6fd09028"
    )
    first = profile_case(
        "trn1-rngbitgenerator-2023-08",
        ["published", "silicon"],
        BUILT_IN["trn1"],
        [[0x9D9BF424]],
        10,
        printed_u32=printed,
    )
    assert first["draws"] == [unmasked]
    floats = [0.5] * 4
    for row in ([1, 2, 4, 8], [2, 4, 8, 16], [3, 6, 12, 24]):
        floats += [0.5 + n / 128 for n in row]
    second = profile_case(
        "trn1-rnguniform-2023-05",
        ["published", "silicon", "seeded"],
        BUILT_IN["trn1"],
        seeded("lane-shift24", 0, 4),
        4,
        seed=0,
        seeding="lane-shift24",
        uniform="signed-half",
        uniform_bits=[[bits_of(x) for x in floats[4 * i : 4 * i + 4]] for i in range(4)],
    )
    found = [[bits_of(uniform("signed-half", u)) for u in lane] for lane in second["draws"]]
    assert found == second["uniform_bits"]
    return [first, second]


def recovery_cases():
    rows = [
        ("xorshift-13-17-5", xorshift("L13", "R17", "L5"), 1, "87985aa5 155b24a3 4820f4c4 81b3ac98"),
        ("xorshift-13-17-5-k2", xorshift("L13", "R17", "L5"), 2, "155b24a3 81b3ac98 29a8e24d c5186e29"),
        ("xorshift-13-17-5-k3", xorshift("L13", "R17", "L5"), 3, "4820f4c4 29a8e24d d37862a7 4e0f25f8"),
        ("xorshift-5-17-13", xorshift("L5", "R17", "L13"), 1, "82da5327 d2f1bb0f 5f571c8c 2f4e17d6"),
        ("xorshift-9-5-14-k7", xorshift("R9", "L5", "R14"), 7, "dceebdfb 8cdbfb0c 05559816 aa506c8a"),
        ("galois-right-a3000000", galois("right", 0xA3000000, "xor"), 1, "091a2b3c 048d159e 02468acf a2234567"),
        ("galois-left-04c11db7-k37", galois("left", 0x04C11DB7, "xor"), 37, "1c89ccd9 8d575b5b 5b0741d3 b8445952"),
        ("galois-left-c5", galois("left", 0xC5, "xor"), 1, "2468acf0 48d159e0 91a2b3c0 23456745"),
        ("fibonacci-left-a3000000", fibonacci("left", 0xA3000000, "xor"), 1, "2468acf1 48d159e3 91a2b3c6 2345678c"),
        ("fibonacci-left-80200003-xnor-k5", fibonacci("left", 0x80200003, "xnor"), 5, "468acf04 d159e098 2b3c130c 67826186"),
    ]
    cases = []
    for identity, recurrence, steps, expected in rows:
        flags = ["recovery"] + (["steps"] if steps > 1 else [])
        case = profile_case(identity, flags, profile(recurrence, steps), [[0x12345678]], 4)
        assert case["draws"] == [hexes(expected)], identity
        cases.append(case)
    return cases


def built_in_cases():
    cases = []
    for name, prof in BUILT_IN.items():
        flags = ["built-in"]
        if name == "trn3":
            flags.append("four-registers")
            state, extra = [DEFAULT_WORDS * 4], {}
        else:
            flags.append("seeded")
            if prof["draw"] == "before":
                flags.append("before")
            state = seeded("lane-shift24", 42, 3)
            extra = {"seed": 42, "seeding": "lane-shift24"}
        cases.append(profile_case(name, flags, prof, state, 12, profile_name=name, **extra))
        for skip in SKIPS:
            cases.append(profile_case(f"{name}-skip-{skip}", flags, prof, state, 4, skip, profile_name=name, **extra))
    cases.append(
        profile_case(
            "trn1-seeded-same", ["seeded"], BUILT_IN["trn1"], seeded("same", 0xDEADBEEF, 2), 4,
            seed=0xDEADBEEF, seeding="same",
        )
    )
    return cases


def other_profile_cases(rng):
    words = lambda n: [rng.getrandbits(32) for _ in range(n)]
    cases = []
    for direction in ("left", "right"):
        for feedback in ("xor", "xnor"):
            for make in (fibonacci, galois):
                recurrence = make(direction, 0x80200003, feedback)
                name = f"{recurrence['kind']}-{direction}-{feedback}"
                cases.append(profile_case(name, [], profile(recurrence), [words(1)], 8))
                cases.append(profile_case(f"{name}-before", ["before"], profile(recurrence, draw="before"), [words(1)], 4))
                cases.append(
                    profile_case(f"{name}-many-steps", ["steps"], profile(recurrence, M32), [words(1)], 4)
                )
    matrix = {"kind": "matrix", "columns": words(32), "constant": words(1)[0]}
    cases.append(profile_case("matrix", ["matrix"], profile(matrix), [words(1), words(1)], 6))
    cases.append(profile_case("matrix-steps", ["matrix", "steps"], profile(matrix, 1000003), [words(1)], 6))
    for skip in [0, 1, 2, 3, 6] + SKIPS:
        four = profile(xorshift("L13", "R17", "L5"), steps=3, registers=4)
        cases.append(profile_case(f"four-registers-skip-{skip}", ["four-registers", "steps"], four, [words(4), words(4)], 6, skip))
    for draw in ("after", "before"):
        for registers in (1, 4):
            for steps in (1, 3, 13, 14, 1000, M32):
                flags = ["steps"] * (steps > 1) + ["before"] * (draw == "before") + ["four-registers"] * (registers == 4)
                prof = profile(XORWOW, steps, draw, registers)
                cases.append(profile_case(f"xorwow-{draw}-{registers}-{steps}", flags, prof, [words(6 * registers)], 5))
    cases.append(profile_case("xorwow-steps-jump", ["steps"], profile(XORWOW, M32), [words(6)], 3, (1 << 63) - 1))
    for name, recurrence, stuck in [
        ("locked-up-xor", BUILT_IN["simulator"]["recurrence"], 0),
        ("locked-up-xnor", BUILT_IN["trn1"]["recurrence"], M32),
        ("locked-up-xorshift", BUILT_IN["xorshift"]["recurrence"], 0),
    ]:
        case = profile_case(name, ["locked-up"], profile(recurrence), [[stuck]], 4, (1 << 40))
        assert case["draws"] == [[stuck] * 4]
        cases.append(case)
    return cases


def xorwow_cases(rng):
    published = [
        246875399, 3690007200, 1264581005, 3906711041, 1866187943,
        2481925219, 2464530826, 1604040631, 3653403911,
    ]  # D's std.random, unit test of Xorshift192
    prof = profile(XORWOW)
    case = profile_case("xorwow-firmware-default", ["published"], prof, [DEFAULT_WORDS], len(published))
    assert case["draws"] == [published]
    cases = [case]
    for skip in SKIPS:
        cases.append(profile_case(f"xorwow-skip-{skip}", [], prof, [DEFAULT_WORDS, [rng.getrandbits(32) for _ in range(6)]], 4, skip))
    return cases


def pcg_case(identity, flags, states, increment, count, skip=0):
    lanes = [pcg_draws(pcg_advance(s, increment, skip), increment, count) for s in states]
    return {
        "id": identity,
        "flags": flags + (["jump"] if skip else []),
        "generator": "pcg32",
        "increment": str(increment),
        "state": [split(s, 2) for s in states],
        "skip": str(skip),
        "draws": [draws for draws, _ in lanes],
        "end_state": [split(s, 2) for _, s in lanes],
    }


def pcg_cases(rng):
    # pcg32_srandom_r(42, 54) of the reference implementation, by hand.
    increment = 54 << 1 | 1
    state = increment + 42 & M64
    state = (state * PCG_MULTIPLIER + increment) & M64
    demo = pcg_case("pcg32-demo-42-54", ["published"], [state], increment, 6)
    assert demo["draws"] == [hexes("a15c02b7 7b47f409 ba1d3330 83d2f293 bfa4784b cbed606e")]
    cases = [demo]
    states = [0, 1, rng.getrandbits(64)]
    for skip in [0] + SKIPS:
        cases.append(pcg_case(f"pcg32-skip-{skip}", [], states, PCG_INCREMENT, 4, skip))
    return cases


def philox_case(identity, flags, state, lanes, count, skip=0):
    draws = [[philox_word(state, k * lanes + lane) for k in range(skip, skip + count)] for lane in range(lanes)]
    words = (skip + count) * lanes
    assert words % 4 == 0
    end = split((join(state[:4]) + words // 4) % (1 << 128), 4) + state[4:]
    return {
        "id": identity,
        "flags": flags + (["jump"] if skip else []),
        "generator": "philox",
        "state": state,
        "skip": str(skip),
        "draws": draws,
        "end_state": end,
    }


def philox_cases(rng):
    known = [
        ("zeros", [0] * 6, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ("ones", [M32] * 6, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        ("pi", hexes("243f6a88 85a308d3 13198a2e 03707344 a4093822 299f31d0"), "d16cfe09 94fdcceb 5001e420 24126ea1"),
    ]  # Random123, kat_vectors
    cases = []
    for name, state, expected in known:
        case = philox_case(f"philox-{name}", ["published"], state, 1, 4)
        assert case["draws"] == [hexes(expected)]
        cases.append(case)
    state = [rng.getrandbits(32) for _ in range(6)]
    cases.append(philox_case("philox-three-lanes", [], state, 3, 8))
    cases.append(philox_case("philox-carry", ["carry"], [M32, M32, 7, 0, 1, 2], 1, 12))
    cases.append(philox_case("philox-round", ["carry"], [M32] * 4 + [3, 4], 2, 4))
    for skip in SKIPS:
        lanes = 4
        cases.append(philox_case(f"philox-skip-{skip}", [], state, lanes, 3, skip))
    return cases


def generators():
    rng = random.Random(20230811)
    cases = silicon_cases() + recovery_cases() + built_in_cases() + other_profile_cases(rng)
    cases += xorwow_cases(rng) + pcg_cases(rng) + philox_cases(rng)
    return {
        "format": "lanedrop-generators/1",
        "about": "Streams of every generator: draws of each lane from a state, and the state after them.",
        "notes": GENERATOR_NOTES,
        "records": cases,
    }


# --- uniform.json -----------------------------------------------------------

UNIFORM_NOTES = {
    "lowest": "the smallest draw in the order of the conversion",
    "highest": "the greatest draw in the order of the conversion: reaches 1.0 or does not",
    "half": "around 0.5",
    "ignored-bits": "draws that differ in bits the conversion ignores",
    "tie": "halfway between two float32: goes to the even one, or down",
    "sign": "around the change of sign of a signed reading",
    "small": "few significant bits",
    "any": "no special place",
}


def uniform_file():
    draws = {
        "small": [0, 1, 2, 3, 0xFF, 0x100, 0x1FF, 0x200, 0x3FF, 0x400, 0xFFFFFF],
        "tie": [0x1000001, 0x1000003, 0x2000002, 0x2000006, 0x40000040, 0x400000C0, 0x80000080,
                0x80000180, 0xFFFFFF80, 0x7FFFFFC0, 0x3FFFFFE0, 0xC0000040, 0xBFFFFFC0],
        "half": [0x7FFFFF7F, 0x7FFFFF80, 0x7FFFFFBF, 0x7FFFFFFF, 0x80000000, 0x80000001,
                 0x80000081, 0x800000FF, 0x80000100, 0x800001FF, 0x80000200, 0x80000300,
                 0x400000, 0x3FFFFF],
        "ignored-bits": [0x12345600, 0x123456FF, 0x12345700, 0x12FFFFFF, 0x92FFFFFF, 0xFF800000,
                         0x7FFFFF, 0x800000, 0x1000000],
        "sign": [0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0, 1],
        "highest": [0xFFFFFFFF, 0xFFFFFF7F, 0xFFFFFF00, 0xFFFFFE00, 0xFFFFFDFF, 0x7FFFFFFF],
        "lowest": [0, 0x80000000],
        "any": [random.Random(676).getrandbits(32) for _ in range(24)],
    }
    flags = {}
    for flag, values in draws.items():
        for value in values:
            flags.setdefault(value, []).append(flag)
    cases = [
        {"uniform": rule, "draw": u, "bits": bits_of(uniform(rule, u)), "flags": flags[u]}
        for rule in UNIFORMS
        for u in sorted(flags)
    ]
    return {
        "format": "lanedrop-uniform/1",
        "about": "The float32 (as bits) that each conversion makes of a draw.",
        "notes": UNIFORM_NOTES,
        "records": cases,
    }


# --- compare.json -----------------------------------------------------------

COMPARE_NOTES = {
    "less": "the uniform is below the threshold",
    "equal": "the uniform equals the threshold: the rules part",
    "greater": "the uniform is above the threshold",
    "nan": "the threshold is a NaN, quiet or signalling, of either sign: the rules part",
    "infinite": "the threshold is infinite",
    "negative": "the threshold is below 0",
    "zero": "the threshold is 0 or -0",
    "one": "the threshold is 1",
    "above-one": "the threshold is above 1",
    "subnormal": "the threshold is subnormal and not flushed to 0",
    "grid": "the threshold is a value that the conversion makes, or next to one",
}


def compare_file():
    half, tenth = bits_of(0.5), bits_of(0.1)
    pairs = [
        (half, half, []), (half - 1, half, []), (half + 1, half, []),
        (0, 0, ["zero"]), (0, 0x80000000, ["zero"]), (1, 0, ["zero"]),
        (bits_of(1.0), bits_of(1.0), ["one"]), (bits_of(1.0) - 1, bits_of(1.0), ["one"]),
        (0, bits_of(1.0), ["one"]), (tenth, tenth, []), (0, tenth, []), (half, tenth, []),
        (0, 1, ["subnormal"]), (1, 1, ["subnormal"]), (bits_of(2.0**-23), 1, ["subnormal"]),
        (0, bits_of(-1.0), ["negative"]), (half, bits_of(-0.5), ["negative"]),
        (bits_of(1.0), bits_of(1.5), ["above-one"]), (0, bits_of(2.0), ["above-one"]),
        (0, 0x7F800000, ["infinite"]), (bits_of(1.0), 0x7F800000, ["infinite"]),
        (0, 0xFF800000, ["infinite"]), (bits_of(1.0), 0xFF800000, ["infinite"]),
    ]
    pairs += [(r, t, ["nan"]) for t in (0x7FC00000, 0x7F800001, 0xFFC00000) for r in (0, half)]
    cases = []
    for compare in COMPARES:
        for threshold_type in TYPES:
            for r_bits, t_bits, flags in pairs:
                r, t = f32_of(r_bits), f32_of(t_bits)
                order = [] if math.isnan(t) else ["less" if r < t else "equal" if r == t else "greater"]
                cases.append({
                    "compare": compare,
                    "threshold_type": threshold_type,
                    "r_bits": r_bits,
                    "t_bits": t_bits,
                    "keeps": keeps(compare, threshold_type, r, t),
                    "flags": flags + order,
                })
    thresholds = {
        "zero": [0.0, -0.0],
        "one": [1.0, f32_of(bits_of(1.0) - 1), f32_of(bits_of(1.0) - 2)],
        "grid": [0.5, 0.25, f32_of(half - 1), f32_of(half + 1), 2.0**-23, 2.0**-24, 2.0**-32,
                 to_f32(0.25 + 2.0**-25), 0.75],
        "subnormal": [f32_of(1)],
        "negative": [-1.0],
        "above-one": [1.5],
        "infinite": [math.inf, -math.inf],
        "nan": [f32_of(0x7FC00000)],
        "less": [to_f32(x) for x in (0.1, 0.3, 0.9, 1e-3, 1e-6, 1e-7)],
    }
    counts = [
        {
            "uniform": rule,
            "compare": compare,
            "threshold_type": threshold_type,
            "t_bits": bits_of(t),
            "drop_words": drop_words(rule, compare, threshold_type, t),
            "flags": [] if flag == "less" else [flag],
        }
        for rule in UNIFORMS
        for compare in COMPARES
        for threshold_type in TYPES
        for flag, values in thresholds.items()
        for t in values
    ]
    return {
        "format": "lanedrop-compare/1",
        "about": "Whether a uniform r is kept at a threshold t (float32 bits), and how many of the 2^32 draws a threshold drops.",
        "notes": COMPARE_NOTES,
        "records": cases,
        "counts": counts,
    }


def text_of(document):
    """JSON with one record a line, so that differences can be read."""
    lists = [key for key in ("records", "counts") if key in document]
    for record in (record for key in lists for record in document[key]):
        assert set(record["flags"]) <= set(document["notes"]), record
    head = {key: value for key, value in document.items() if key not in lists}
    text = json.dumps(head, indent=1)[:-2]
    for key in lists:
        rows = ",\n".join("  " + json.dumps(record) for record in document[key])
        text += f',\n "{key}": [\n{rows}\n ]'
    return text + "\n}\n"


def main():
    check = "--check" in sys.argv[1:]
    wrong = []
    documents = {
        "generators.json": generators(),
        "uniform.json": uniform_file(),
        "compare.json": compare_file(),
    }
    for name, document in documents.items():
        path, text = Path(__file__).parent / name, text_of(document)
        if not check:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            wrong.append(name)
    if wrong:
        sys.exit(f"{', '.join(wrong)} is not what {Path(__file__).name} makes")


if __name__ == "__main__":
    main()
