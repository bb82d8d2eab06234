"""Generators, conversions and compare rules, plain and slow.

Written from the description, in the standard library alone, sharing nothing
with the Rust code. generate_rng.py makes the vectors with it.
"""

import json
import struct

M32 = 0xFFFFFFFF
M64 = 0xFFFFFFFFFFFFFFFF


# --- steps of one-word registers -------------------------------------------


def step(recurrence, x):
    """The state one step after x."""
    kind = recurrence["kind"]
    if kind in ("fibonacci", "galois"):
        left = recurrence["direction"] == "left"
        mask = recurrence["mask"]
        invert = recurrence["feedback"] == "xnor"
        if kind == "fibonacci":
            bit = bin(x & mask).count("1") % 2
            if invert:
                bit = 1 - bit
            return ((x << 1) & M32) | bit if left else (x >> 1) | (bit << 31)
        out = x >> 31 if left else x & 1
        x = (x << 1) & M32 if left else x >> 1
        return x ^ mask if out == (0 if invert else 1) else x
    if kind == "xorshift":
        for shift in recurrence["shifts"]:
            n = int(shift[1:])
            x ^= (x << n) & M32 if shift[0] == "L" else x >> n
        return x
    assert kind == "matrix"
    result = recurrence["constant"]
    for i in range(32):
        if x >> i & 1:
            result ^= recurrence["columns"][i]
    return result


def xorwow_step(words):
    x, y, z, w, v, d = words
    t = x ^ (x >> 2)
    new = (v ^ (v << 4) ^ t ^ (t << 1)) & M32
    return [y, z, w, v, new, (d + 362437) & M32]


# --- many steps by matrices over GF(2) -------------------------------------


class Power:
    """Powers of an affine map on `bits` bits, by repeated squaring.

    Vectors have one more bit, always 1, that carries the constant.
    """

    def __init__(self, bits, function):
        one = 1 << bits
        constant = function(0)
        self.bits = bits
        self.squares = [[function(1 << i) ^ constant for i in range(bits)] + [constant | one]]

    @staticmethod
    def times(matrix, vector):
        result = 0
        while vector:
            low = vector & -vector
            result ^= matrix[low.bit_length() - 1]
            vector ^= low
        return result

    def apply(self, n, vector):
        vector |= 1 << self.bits
        level = 0
        while n:
            if level == len(self.squares):
                last = self.squares[-1]
                self.squares.append([self.times(last, column) for column in last])
            if n & 1:
                vector = self.times(self.squares[level], vector)
            n >>= 1
            level += 1
        return vector & ((1 << self.bits) - 1)


def join(words):
    return sum(word << (32 * i) for i, word in enumerate(words))


def split(number, count):
    return [number >> (32 * i) & M32 for i in range(count)]


def linear_xorwow(number):
    return join(xorwow_step(split(number, 5) + [0])[:5])


POWERS = {}


def advance(recurrence, words, steps):
    """The register `steps` steps later; walks where they are few."""
    if recurrence["kind"] == "xorwow":
        if steps <= 5000:
            for _ in range(steps):
                words = xorwow_step(words)
            return words
        power = POWERS.setdefault("xorwow", Power(160, linear_xorwow))
        shifted = split(power.apply(steps, join(words[:5])), 5)
        return shifted + [(words[5] + steps * 362437) & M32]
    if steps <= 5000:
        x = words[0]
        for _ in range(steps):
            x = step(recurrence, x)
        return [x]
    key = json.dumps(recurrence)
    power = POWERS.setdefault(key, Power(32, lambda x: step(recurrence, x)))
    return [power.apply(steps, words[0])]


def output(recurrence, words):
    return (words[4] + words[5]) & M32 if recurrence["kind"] == "xorwow" else words[0]


# --- lanes under a profile --------------------------------------------------


def seeded(seeding, seed, lanes):
    if seeding == "same":
        return [[seed] for _ in range(lanes)]
    return [[(lane << 24) & M32 | seed & 0xFFFFFF] for lane in range(lanes)]


def draw_lane(profile, words, skip, count):
    """The draws of one lane, and its words after them, next register first."""
    recurrence = profile["recurrence"]
    width = 6 if recurrence["kind"] == "xorwow" else 1
    registers = [words[i : i + width] for i in range(0, len(words), width)]
    number = len(registers)
    assert number == profile["registers_per_lane"]
    steps = profile["steps_per_draw"]
    # Register j makes the draws j, j + number, j + 2 number, ...
    for j in range(number):
        before = len(range(j, skip, number)) if skip < 10**6 else (skip - j + number - 1) // number
        registers[j] = advance(recurrence, registers[j], before * steps)
    draws = []
    for k in range(skip, skip + count):
        j = k % number
        old = output(recurrence, registers[j])
        registers[j] = advance(recurrence, registers[j], steps)
        draws.append(output(recurrence, registers[j]) if profile["draw"] == "after" else old)
    first = (skip + count) % number
    return draws, sum(registers[first:] + registers[:first], [])


# --- PCG32 and Philox -------------------------------------------------------

PCG_MULTIPLIER = 0x5851F42D4C957F2D
PCG_INCREMENT = 0x14057B7EF767814F


def pcg_output(state):
    folded = (((state >> 18) ^ state) >> 27) & M32
    turn = state >> 59
    return (folded >> turn | folded << (-turn & 31)) & M32


def pcg_advance(state, increment, n):
    # a^n and (a^n - 1) / (a - 1), modulo 2^64; the division by modulus 2^64 (a - 1).
    a = PCG_MULTIPLIER
    power = pow(a, n, (1 << 64) * (a - 1))
    return (power * state + (power - 1) // (a - 1) * increment) & M64


def pcg_draws(state, increment, count):
    draws = []
    for _ in range(count):
        draws.append(pcg_output(state))
        state = (state * PCG_MULTIPLIER + increment) & M64
    return draws, state


def philox_block(counter, key):
    a, b, c, d = counter
    k0, k1 = key
    for _ in range(10):
        p, q = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = (q >> 32) ^ b ^ k0, q & M32, (p >> 32) ^ d ^ k1, p & M32
        k0, k1 = (k0 + 0x9E3779B9) & M32, (k1 + 0xBB67AE85) & M32
    return [a, b, c, d]


def philox_word(words, index):
    counter = (join(words[:4]) + index // 4) % (1 << 128)
    return philox_block(split(counter, 4), words[4:])[index % 4]


# --- conversions ------------------------------------------------------------


def to_f32(x):
    """The float32 nearest to a double, ties to even, as a double."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def bits_of(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def f32_of(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def uniform(rule, u):
    if rule == "top23":
        return f32_of(u >> 9 | 0x3F800000) - 1.0
    if rule == "low23":
        return f32_of(u & 0x7FFFFF | 0x3F800000) - 1.0
    if rule == "trunc24":
        return (u >> 8) / 2**24
    if rule == "nearest":
        return to_f32(u / 2**32)  # u / 2^32 is exact in a double
    if rule == "truncate":
        below = max(u.bit_length() - 24, 0)
        return (u >> below << below) / 2**32
    assert rule == "signed-half"
    signed = u - (1 << 32) if u >> 31 else u
    return to_f32(to_f32(signed) / 2**32 + 0.5)  # the sum is exact in a double


UNIFORMS = ["top23", "low23", "trunc24", "nearest", "truncate", "signed-half"]
COMPARES = ["less-than", "header-algorithm", "enum-comment"]
TYPES = ["drop-rate", "keep-rate"]


def keeps(compare, threshold_type, r, t):
    if compare == "less-than":
        return not r < t if threshold_type == "drop-rate" else r < t
    if compare == "header-algorithm":
        return r > t if threshold_type == "drop-rate" else r < t
    return not r < t if threshold_type == "drop-rate" else not r > t


def in_order(rule, position):
    """A draw such that uniforms never fall as the position grows."""
    if rule == "low23":
        return position >> 9 | (position & 0x1FF) << 23
    return position ^ 0x80000000 if rule == "signed-half" else position


def drop_words(rule, compare, threshold_type, t):
    """How many of the 2^32 draws drop, by bisection over draws in order."""

    def kept(position):
        return keeps(compare, threshold_type, uniform(rule, in_order(rule, position)), t)

    first = kept(0)
    if kept(M32) == first:
        return 0 if first else 1 << 32
    low, high = 0, M32  # `low` does as the first draw does, `high` does not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if kept(middle) == first else (low, middle)
    return (1 << 32) - high if first else high
