#!/usr/bin/env python3
"""Makes recovery.json: captures of devices whose generator is known, and what
recovery has to answer.

Plain Python that shares no code with the library: every register is stepped by
its definition, every mask bit is a comparison of float32 numbers. Run it to
rewrite the file; with --check it compares instead.
"""

import json
import pathlib
import struct
import sys

from plain_rng import philox_block

HERE = pathlib.Path(__file__).parent
MASK = 0xFFFFFFFF
HALF = "3effffff"  # the float32 just below one half


# -- generators, one step each ------------------------------------------------

def xorshift(*stages):
    def step(x):
        for stage in stages:
            n = int(stage[1:])
            x ^= (x << n if stage[0] == "L" else x >> n) & MASK
        return x
    return step


def galois_right(mask):
    return lambda x: (x >> 1) ^ (mask if x & 1 else 0)


def galois_left(mask):
    return lambda x: ((x << 1) & MASK) ^ (mask if x >> 31 else 0)


def fibonacci_left(mask, invert=0):
    return lambda x: ((x << 1) & MASK) | ((x & mask).bit_count() & 1 ^ invert)


def lcg(a, c):
    return lambda x: (a * x + c) & MASK


def times(step, k):
    def draw(x):
        for _ in range(k):
            x = step(x)
        return x
    return draw


def power(step, k):
    """The same as times(step, k) of an affine step, for a k of any size."""
    def columns(f):
        return [f(1 << i) ^ f(0) for i in range(32)], f(0)

    def applied(map_, x):
        out = map_[1]
        for i in range(32):
            if x >> i & 1:
                out ^= map_[0][i]
        return out

    total, base = columns(lambda x: x), columns(step)
    while k:
        if k & 1:
            total = columns(lambda x, a=total, b=base: applied(b, applied(a, x)))
        base, k = columns(lambda x, b=base: applied(b, applied(b, x))), k >> 1
    return lambda x: applied(total, x)


# -- float32 and the rules of a mask ------------------------------------------

def f32(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def top23(u):
    return f32(u >> 9 | 0x3F800000) - 1.0


def keep(u, threshold, rule="less-than", keep_rate=False):
    """Whether an element stays: exact, both numbers being float32."""
    r, t = top23(u), f32(int(threshold, 16))
    if keep_rate:
        return not r > t if rule == "enum-comment" else r < t
    return r > t if rule == "header-algorithm" else not r < t


def pack(bits):
    data = bytearray((len(bits) + 7) // 8)
    for i, bit in enumerate(bits):
        data[i // 8] |= bit << i % 8
    return data.hex()


# -- polynomials ----------------------------------------------------------------

def shortest_recurrence(bits):
    """Berlekamp and Massey over GF(2): the polynomial as an integer."""
    c, b, length, m = 1, 1, 0, 1
    for n in range(len(bits)):
        d = 0
        for i in range(length + 1):
            d ^= (c >> i & 1) & bits[n - i]
        if not d:
            m += 1
        elif 2 * length <= n:
            c, b, length, m = c ^ b << m, c, n + 1 - length, 1
        else:
            c, m = c ^ b << m, m + 1
    return sum((c >> i & 1) << (length - i) for i in range(length + 1))


def mul_mod(a, b, p):
    out = 0
    while b:
        if b & 1:
            out ^= a
        a, b = a << 1, b >> 1
        if a >> p.bit_length() - 1 & 1:
            a ^= p
    return out


def power_of_x(n, p):
    out, base = 1, 2
    while n:
        if n & 1:
            out = mul_mod(out, base, p)
        base, n = mul_mod(base, base, p), n >> 1
    return out


# -- the table --------------------------------------------------------------------

TABLE = [
    ("xorshift L13-R17-L5", xorshift("L13", "R17", "L5"), 1),
    ("xorshift L13-R17-L5", xorshift("L13", "R17", "L5"), 2),
    ("xorshift L13-R17-L5", xorshift("L13", "R17", "L5"), 3),
    ("xorshift L5-R17-L13", xorshift("L5", "R17", "L13"), 1),
    ("xorshift R9-L5-R14", xorshift("R9", "L5", "R14"), 7),
    ("galois_right a3000000", galois_right(0xA3000000), 1),
    ("galois_left 04c11db7", galois_left(0x04C11DB7), 37),
    ("galois_left 000000c5", galois_left(0x000000C5), 1),
    ("fibonacci_left a3000000", fibonacci_left(0xA3000000), 1),
    ("fibonacci_left_xnor 80200003", fibonacci_left(0x80200003, 1), 5),
]


def table_row(name, step, steps):
    draw = times(step, steps)
    constant = draw(0)
    state, draws = 0x12345678, []
    for _ in range(32):
        state = draw(state)
        draws.append(state)
    # The linear part: what the map does, less what it does to 0.
    state, bits = 0x9E3779B9, []
    for _ in range(70):
        bits.append(state >> 31)
        state = draw(state) ^ constant
    polynomial = shortest_recurrence(bits)
    order = MASK
    for prime in (3, 5, 17, 257, 65537):
        if power_of_x(order // prime, polynomial) == 1:
            order //= prime
    return {
        "generator": name,
        "steps_per_draw": steps,
        "draws": [f"{u:08x}" for u in draws[:4]],
        "minimal_polynomial": f"{polynomial:x}",
        "order": str(order),
        "constant": f"{constant:08x}",
        "row": pack([top23(u) > f32(int(HALF, 16)) for u in draws]),
    }


# -- captures ---------------------------------------------------------------------

def words(seed, count):
    """Dense words of a 64-bit congruential generator's high half."""
    state, out = seed, []
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        out.append(state >> 32)
    return out


def streams(step, seeds, count, skip=0):
    rows = []
    for x in seeds:
        row = []
        for i in range(skip + count):
            x = step(x)
            row.append(x)
        rows.append(row[skip:])
    return rows


def capture(id, rows, seeds=None, threshold=HALF, group="a", start=0, rule="less-than",
            keep_rate=False, raw=False):
    masks = [pack([keep(u, threshold, rule, keep_rate) for u in row]) for row in rows]
    return {
        "id": id,
        "threshold_bits": threshold,
        "threshold": f32(int(threshold, 16)),
        "threshold_type": "KEEP_RATE" if keep_rate else "DROP_RATE",
        "num_elements": len(rows[0]),
        "start_element": start,
        "seed_group": group,
        "seeds": [f"{x:08x}" for x in seeds] if seeds else None,
        "masks": None if raw else masks,
        "draws": ["".join(f"{u:08x}" for u in row) for row in rows] if raw else None,
    }


def transition(draw):
    constant = draw(0)
    columns = [f"{draw(1 << i) ^ constant:08x}" for i in range(32)]
    return {"columns": columns, "constant": f"{constant:08x}"}


CASES = []


def case(name, flags, captures, expect, mode="chosen_seeds"):
    lanes = len(captures[0]["masks"] or captures[0]["draws"])
    file = {"format": "dropout-capture/1", "device": name, "lanes": lanes,
            "capture_mode": mode, "captures": captures}
    CASES.append({"name": name, "flags": flags, "capture_file": file, "expect": expect})


def chosen(name, flags, draw, expect, seeds=None, count=64, **more):
    seeds = seeds or words(7, 128)
    case(name, flags, [capture("main", streams(draw, seeds, count), seeds, **more)], expect)


def raw(name, flags, draw, expect, seeds=None, count=4):
    seeds = seeds or words(7, 128)
    case(name, flags, [capture("raw", streams(draw, seeds, count), raw=True)], expect,
         "raw_draws_unknown_seeds")


def pcg_streams(seeds, count):
    rows = []
    for state in seeds:
        row = []
        for _ in range(count):
            old = state
            state = (old * 6364136223846793005 + 0xDA3E39CB94B95BDB) % 2**64
            word, turn = ((old >> 18 ^ old) >> 27) & MASK, old >> 59
            row.append((word >> turn | word << (32 - turn) % 32) & MASK)
        rows.append(row)
    return rows


def weyl_streams(seeds, count):
    step = xorshift("L13", "R17", "L5")
    rows = []
    for x in seeds:
        row = []
        for n in range(count):
            x = step(x)
            row.append((x + (n + 1) * 362437) & MASK)
        rows.append(row)
    return rows


def philox_streams(seeds, count):
    """The lane's word is the key, and each draw a block of its own."""
    return [[philox_block([n, 0, 0, 0], [key, 0])[0] for n in range(count)] for key in seeds]


def star_streams(seeds, count):
    return [[u * 0x9E3779B5 & MASK for u in row]
            for row in streams(xorshift("L13", "R17", "L5"), seeds, count)]


def build():
    plain = xorshift("L13", "R17", "L5")
    seeds = words(7, 128)
    solved = {"verdict": ["linear"], "transition": transition(plain), "layout": "as-is",
              "mismatches": 0, "contains": {"generator": "xorshift L13-R17-L5",
                                            "steps_per_draw": 1, "draw": "after"}}

    l31 = xorshift("L31")
    raw("L31 in raw draws", ["involution"], l31,
        {"verdict": ["linear"], "transition": transition(l31), "minimal_polynomial": "5",
         "order": "2"})
    chosen("L31 in masks", ["quotient"], l31,
           {"verdict": ["linear_on_observable_quotient"], "observable_rank": 2,
            "transition": None})
    l13r17 = xorshift("L13", "R17")
    raw("L13-R17 in raw draws", ["unipotent"], l13r17,
        {"verdict": ["linear"], "transition": transition(l13r17), "order": "32",
         "minimal_polynomial": "1010101"})
    chosen("L13-R17 in masks", ["quotient", "unipotent"], l13r17,
           {"verdict": ["linear_on_observable_quotient"], "observable_rank": 8,
            "transition": None})
    shift = galois_right(0)
    raw("a pure shift in raw draws", ["singular"], shift,
        {"verdict": ["under_determined"], "observable_rank": 31, "transition": None})
    case("a pure shift in raw draws of known words", ["singular"],
         [capture("raw", streams(shift, seeds, 4), seeds, raw=True)],
         {"verdict": ["linear"], "transition": transition(shift), "order": None,
          "minimal_polynomial": "100000000"})
    chosen("a pure shift in masks", ["singular", "quotient"], shift,
           {"verdict": ["linear_on_observable_quotient", "under_determined"], "observable_rank": 0,
            "transition": None})
    raw("the identity in raw draws", ["degenerate"], lambda x: x,
        {"verdict": ["linear"], "transition": transition(lambda x: x), "order": "1"})
    chosen("the identity in masks", ["degenerate", "quotient"], lambda x: x,
           {"verdict": ["linear_on_observable_quotient"], "observable_rank": 1,
            "transition": None})
    raw("all zero in raw draws", ["degenerate"], lambda x: 0,
        {"verdict": ["under_determined"], "transition": None})
    affine = lcg(0x80000001, 0x80000000)
    raw("an LCG that is affine", ["lcg"], affine,
        {"verdict": ["affine"], "transition": transition(affine), "order": "2"})
    raw("an ordinary LCG", ["lcg", "reject"], lcg(1664525, 1013904223),
        {"verdict": ["not_gf2_affine"], "transition": None,
         "lcg": {"multiplier": "0019660d", "increment": "3c6ef35f"}})
    chosen("all zero in masks", ["degenerate", "quotient"], lambda x: 0,
           {"verdict": ["linear_on_observable_quotient", "under_determined"], "transition": None,
            "hypotheses": []})
    for name, make in (("pcg32", pcg_streams), ("philox", philox_streams),
                       ("xorshift times odd", star_streams)):
        rows = make(seeds, 128)
        case(f"{name} in raw draws", ["reject"],
             [capture("raw", [row[:8] for row in rows], raw=True)],
             {"verdict": ["not_gf2_affine"], "transition": None}, "raw_draws_unknown_seeds")
        case(f"{name} with chosen seeds", ["reject"], [capture("main", rows, seeds)],
             {"verdict": ["rejected_not_linear"], "transition": None})
        case(f"{name} with unknown seeds", ["reject"], [capture("main", rows)],
             {"verdict": ["rejected_not_linear"], "transition": None}, "unknown_seeds")
    case("xorshift plus Weyl, unknown seeds", ["reject", "structured"],
         [capture("main", weyl_streams(words(9, 64), 512))],
         {"verdict": ["rejected_structured", "rejected_not_linear"], "transition": None},
         "unknown_seeds")
    case("xorshift plus Weyl, chosen seeds", ["reject", "structured"],
         [capture("main", weyl_streams(words(9, 128), 128), words(9, 128))],
         {"verdict": ["rejected_structured", "rejected_not_linear"], "transition": None})
    units = [1 << i % 32 for i in range(128)]
    galois = galois_right(0xA3000000)
    left = galois_left(0xC5)
    mixed = units[:64] + words(3, 64)
    chosen("unit vectors at one half exactly", ["tie"], left,
           {"verdict": ["linear"], "transition": transition(left), "mismatches": 0,
            "contains": {"generator": "galois_left 000000c5", "steps_per_draw": 1,
                         "compare_only": ["header-algorithm"]}},
           seeds=mixed, threshold="3f000000", rule="header-algorithm")
    chosen("all seeds odd", ["seeds"], plain,
           {"verdict": ["under_determined"], "transition": None},
           seeds=[x | 1 for x in seeds])
    chosen("all seeds equal", ["seeds"], plain,
           {"verdict": ["under_determined"], "observable_rank": 1, "transition": None},
           seeds=[0x12345678] * 128)
    chosen("all seeds zero", ["seeds"], plain,
           {"verdict": ["under_determined"], "observable_rank": 0, "transition": None},
           seeds=[0] * 128)
    rows = streams(plain, seeds, 64)
    backwards = [row[::-1] for row in rows]
    case("elements reversed, chosen seeds", ["layout"], [capture("main", backwards, seeds)],
         dict(solved, layout="elements-reversed"), "chosen_seeds_layout_wrong")
    case("elements reversed, unknown seeds", ["layout"], [capture("main", backwards)],
         {"verdict": ["ambiguous", "minimal_polynomial_only"], "transition": None,
          "minimal_polynomial": f"{int(bin(0x1003EC241)[:1:-1], 2):x}"}, "unknown_seeds")
    long = streams(plain, seeds, 128)
    swapped = [[row[i % 8 * 16 + i // 8] for i in range(128)] for row in long]
    case("axes of 16 by 8", ["layout"], [capture("main", swapped, seeds)],
         dict(solved, layout="element-axes 16x8"), "chosen_seeds_layout_wrong")
    swapped = [[row[i % 16 * 8 + i // 16] for i in range(128)] for row in long]
    case("axes of 8 by 16", ["layout"], [capture("main", swapped, seeds)],
         dict(solved, layout="element-axes 8x16"), "chosen_seeds_layout_wrong")
    swapped = [[row[i % 32 * 4 + i // 32] for i in range(128)] for row in long]
    case("axes of 4 by 32", ["layout"], [capture("main", swapped, seeds)],
         dict(solved, layout="element-axes 4x32"), "chosen_seeds_layout_wrong")
    one = capture("main", long, seeds)
    mask = bytearray.fromhex(one["masks"][77])
    mask[5] ^= 4
    one["masks"][77] = mask.hex()
    case("one bit in 16384 flipped", ["noise"], [one], dict(solved, mismatches=1))
    x, flat = seeds[0], []
    for _ in range(128 * 128):
        x = plain(x)
        flat.append(x)
    case("one register for all lanes", ["shared"],
         [capture("main", [flat[lane::128] for lane in range(128)])],
         {"verdict": ["ambiguous", "minimal_polynomial_only"], "shared_stream": True,
          "minimal_polynomial": "1003ec241", "transition": None}, "unknown_seeds")
    case("a second capture that goes on", ["start"],
         [capture("first", rows, seeds),
          capture("second", streams(plain, seeds, 64, skip=64), seeds, threshold="3e99999a")],
         solved)
    cubed = times(galois, 3)
    chosen("three steps a draw", ["steps"], cubed,
           {"verdict": ["linear"], "transition": transition(cubed), "mismatches": 0,
            "order": "1431655765",
            "contains": {"generator": "galois_right a3000000", "steps_per_draw": 3}})
    far = power(plain, 1000003)
    chosen("a million steps a draw", ["steps"], far,
           {"verdict": ["linear"], "transition": transition(far), "mismatches": 0,
            "contains": {"generator": "xorshift L13-R17-L5", "steps_per_draw": 1000003,
                         "draw": "after"}})
    case("three steps a draw, unknown seeds", ["steps"],
         [capture("main", streams(cubed, seeds, 64))],
         {"verdict": ["ambiguous"], "transition": None,
          "contains": {"generator": "galois_right a3000000", "steps_per_draw": 3},
          "names_with_steps": {"family": "galois_right", "steps_per_draw": 3, "count": 3}},
         "unknown_seeds")
    left = galois_left(0xC5)
    rows_left = streams(left, seeds, 128)
    case("a tap too low to see", ["inseparable"],
         [capture(f"at {t}", rows_left, threshold=t)
          for t in (HALF, "3e7fffff", "3f3fffff", "3dcccccd")],
         {"verdict": ["ambiguous"], "transition": None,
          "contains": {"generator": "galois_left 000000c5", "steps_per_draw": 1},
          "also_contains": {"generator": "fibonacci_left a3000000", "steps_per_draw": 1}},
         "unknown_seeds")
    chosen("thirty-three elements", ["unverified"], plain,
           {"verdict": ["linear_unverified"], "transition": transition(plain), "checks": 0},
           count=33)
    chosen("thirty-four elements", ["verified"], plain,
           dict(solved, checks=1), count=34)
    xnor = fibonacci_left(0x80200003, 1)
    chosen("inverted feedback", ["xnor"], xnor,
           {"verdict": ["affine"], "transition": transition(xnor), "mismatches": 0,
            "order": "4294967295",
            "contains": {"generator": "fibonacci_left_xnor 80200003", "steps_per_draw": 1,
                         "draw": "after"}})
    zero = [0] + seeds[1:]
    replaced = streams(plain, [0x9E3779B9] + seeds[1:], 64)
    case("a zero seed is replaced", ["zero"], [capture("main", replaced, zero)],
         dict(solved, zero_seed_becomes="9e3779b9"))
    before = [[x] + row[:-1] for x, row in zip(seeds, rows)]
    case("drawn before the steps", ["draw"], [capture("main", before, seeds)],
         dict(solved, contains={"generator": "xorshift L13-R17-L5", "steps_per_draw": 1,
                                "draw": "before"}))
    late = streams(plain, seeds, 64, skip=20)
    case("twenty draws thrown away", ["warm-up"],
         [capture("main", late, seeds), capture("quarter", late, seeds, threshold="3e7fffff")],
         dict(solved, contains={"generator": "xorshift L13-R17-L5", "steps_per_draw": 1,
                                "draw": None}, warm_up=20))


def text():
    CASES.clear()
    build()
    about = ("Captures of devices whose generator is known, made by generate_recovery.py, and what "
             "recovery has to answer. In `expect`, `verdict` lists what would do; `contains` is a "
             "hypothesis that must be listed.")
    notes = {
        "involution": "the map is its own inverse",
        "unipotent": "the minimal polynomial is a power of x + 1",
        "quotient": "masks see less than the state",
        "singular": "the map has no inverse",
        "degenerate": "no natural name is implied",
        "lcg": "a congruential generator",
        "reject": "not affine over GF(2)",
        "structured": "nearly linear",
        "tie": "uniforms equal to the threshold",
        "seeds": "words too alike",
        "layout": "the file's order is not that of the draws",
        "noise": "a wrong bit",
        "shared": "lanes draw from one register",
        "start": "a capture begins elsewhere than its file says",
        "steps": "several steps a draw",
        "inseparable": "models that no mask tells apart",
        "unverified": "no redundant equation",
        "verified": "one redundant equation",
        "xnor": "a constant in the map",
        "zero": "a zero word is replaced",
        "draw": "the draw comes before the steps",
        "warm-up": "draws are thrown away after seeding",
    }
    data = {"about": about, "notes": notes, "table": [table_row(*row) for row in TABLE],
            "cases": CASES}
    head = json.dumps({k: data[k] for k in ("about", "notes", "table")}, indent=1)[:-2]
    cases = ",\n".join(json.dumps(c) for c in CASES)
    return f'{head},\n "cases": [\n{cases}\n]\n}}\n'


if __name__ == "__main__":
    path = HERE / "recovery.json"
    if "--check" in sys.argv[1:]:
        if path.read_text() != text():
            sys.exit("recovery.json is not what generate_recovery.py makes")
    else:
        path.write_text(text())
