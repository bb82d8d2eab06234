"""Checks `lanedrop run` against NumPy, bit for bit.

    python scripts/check_run.py target/release/lanedrop

Makes files with NumPy, ml_dtypes and safetensors in every element type, memory
order, byte order and a number of shapes, runs the command on them and compares
each output with what the plain model below computes. The model shares nothing
with the command: registers are stepped one draw at a time, uniforms are
float32, elements are picked by `np.where` on their bits.
"""

import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import ml_dtypes
import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

COMMAND = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/lanedrop").resolve()
checks = 0


# The model.


def taps(s):
    return (s >> 31 ^ s >> 21 ^ s >> 1 ^ s) & 1


def step_left_xnor(s):
    return s << 1 & 0xFFFFFFFF | taps(s) ^ 1


def step_left_xor(s):
    return s << 1 & 0xFFFFFFFF | taps(s)


def step_right_xnor(s):
    return s >> 1 | (taps(s) ^ 1) << 31


def step_xorshift(s):
    s ^= s << 13 & 0xFFFFFFFF
    s ^= s >> 17
    return s ^ s << 5 & 0xFFFFFFFF


def step_xorwow(words):
    x, y, z, w, v, d = words
    t = x ^ x >> 2
    v2 = (v ^ v << 4 ^ t ^ t << 1) & 0xFFFFFFFF
    return [y, z, w, v, v2, (d + 362437) & 0xFFFFFFFF]


STEPS = {
    "trn1": step_left_xnor,
    "simulator": step_left_xor,
    "xorshift": step_xorshift,
    "tenstorrent": step_right_xnor,
}
XORWOW_DEFAULT = [123456789, 362436069, 521288629, 88675123, 5783321, 6615241]


class Lane:
    """One lane of a profile: words in, draws out."""

    def __init__(self, profile, words):
        self.profile = profile
        self.words = words

    def draw(self):
        if self.profile == "trn3":
            # Four registers in turn; the one that serves next stands first.
            register = step_xorwow(self.words[:6])
            self.words = self.words[6:] + register
            return (register[4] + register[5]) & 0xFFFFFFFF
        (old,) = self.words
        self.words = [STEPS[self.profile](old)]
        return old if self.profile == "tenstorrent" else self.words[0]


def seeded(profile, seed, lanes):
    if profile == "trn3":
        return [Lane(profile, XORWOW_DEFAULT * 4) for _ in range(lanes)]
    return [Lane(profile, [(lane << 24 | seed & 0xFFFFFF) & 0xFFFFFFFF]) for lane in range(lanes)]


def keep_mask(lanes, shape, thresholds, keep_rate=False):
    """Keep mask of a tensor; moves the lanes on."""
    row_len = shape[-1] if shape else 1
    rows = int(np.prod(shape, dtype=np.int64)) // row_len if row_len else 0
    draws = np.empty((rows, row_len), np.uint32)
    for row in range(rows):
        lane = lanes[row % len(lanes)]
        for column in range(row_len):
            draws[row, column] = lane.draw()
    r = (draws >> np.uint32(9) | np.uint32(0x3F800000)).view(np.float32) - np.float32(1)
    t = np.float32(thresholds)[np.arange(rows) % len(thresholds)][:, None]
    below = r < t
    return (below if keep_rate else ~below).reshape(shape)


def bits_of(array):
    """The elements' bits, in C order and the machine's byte order."""
    array = np.asarray(array)
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    unsigned = np.dtype(f"u{array.dtype.itemsize}")
    return np.ascontiguousarray(array).reshape(array.shape).view(unsigned)


def dropped(array, mask):
    bits = bits_of(array)
    return np.where(mask, bits, np.zeros_like(bits))


def scaled(array, mask, factor):
    """Kept elements times a float32 factor, in their own type; NaNs made quiet."""
    wide = np.asarray(array).astype(np.float32)
    with np.errstate(all="ignore"):
        product = bits_of((wide * factor).astype(array.dtype.newbyteorder("=")))
    bits, nan = bits_of(array), np.isnan(wide)
    quiet = {
        "float32": 0x00400000,
        "float16": 0x0200,
        "bfloat16": 0x0040,
        "float8_e3m4": 0x08,
        "float8_e4m3": 0x04,
        "float8_e4m3fn": 0x04,
        "float8_e5m2": 0x02,
    }[array.dtype.newbyteorder("=").name]
    product = np.where(nan, bits | bits.dtype.type(quiet), product)
    return np.where(mask, product, np.zeros_like(product))


# Running the command.


def run(folder, *arguments, fails=None):
    global checks
    checks += 1
    command = [str(COMMAND), "run", *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    if fails is None:
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}\nexit {done.returncode}: {done.stderr}")
        return done
    if done.returncode != 2 or fails not in done.stderr or "panicked" in done.stderr:
        raise SystemExit(
            f"{' '.join(command)}\nexit {done.returncode}: {done.stderr}expected: {fails}"
        )
    return done


def same(found, wanted, what):
    if found.shape != wanted.shape or not np.array_equal(found, wanted):
        at = np.argwhere(found != wanted)[:1] if found.shape == wanted.shape else ""
        raise SystemExit(f"{what}: differs, {found.shape} and {wanted.shape}, first at {at}")


def elements(dtype, shape, rng):
    """Random bits of a type: every kind of NaN, infinity and subnormal."""
    size = np.dtype(dtype).itemsize
    count = int(np.prod(shape, dtype=np.int64))
    return rng.integers(0, 256, count * size, np.uint8).view(dtype).reshape(shape)


def stored(path, name):
    """The bits of the one tensor in a .safetensors file, whatever its type."""
    with safe_open(path, "np") as file:
        assert list(file.keys()) == [name], list(file.keys())
    raw = path.read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    entry = json.loads(raw[8:start])[name]
    size = {"F8": 1, "I8": 1, "U8": 1, "BF": 2, "F1": 2, "I1": 2, "U1": 2}.get(entry["dtype"][:2], 4)
    return np.frombuffer(raw[start:], f"u{size}").reshape(entry["shape"])


def raw(path, like, order):
    """The bits of an .npy whose type string NumPy does not read."""
    bits = np.frombuffer(path.read_bytes()[128:], bits_of(like).dtype)
    return bits.reshape(like.shape, order=order)


NATIVE = ["f4", "f2", "i1", "i2", "i4", "u1", "u2", "u4"]
SMALL = ["bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3fn", "float8_e5m2"]
SHAPES = [
    (), (1,), (7,), (0,), (300,), (5, 0), (0, 5), (1, 1), (130, 9), (2, 3, 4), (3, 5, 7, 11),
    (2, 1000), (1000, 2), (1, 700), (700, 1), (140, 1, 3), (2, 0, 3), (600, 520),
]  # fmt: skip


def every_type_order_and_shape(folder, rng):
    for shape in SHAPES:
        mask = keep_mask(seeded("trn1", 42, 128), shape, [0.3])
        types = NATIVE if np.prod(shape) < 10_000 else ["f4", "u1", "i2"]
        for dtype, order, swapped in itertools.product(types, "CF", (False, True)):
            if swapped and dtype.endswith("1"):
                continue
            array = np.array(elements(dtype, shape, rng), order=order)
            if swapped:
                array = array.astype(array.dtype.newbyteorder(">"), order=order)
                # A cast of NaNs may change bits; start from what is stored.
            np.save(folder / "in.npy", array)
            array = np.load(folder / "in.npy")
            run(folder, "in.npy", "--rate", 0.3, "--seed", 42, "-o", "out.npy",
                "--mask", "mask.npy", "--packed-mask", "packed.npy")  # fmt: skip
            out = np.load(folder / "out.npy")
            what = f"{dtype} {shape} {order} swapped={swapped}"
            same(bits_of(out), dropped(array, mask), what)
            if out.dtype != array.dtype or out.flags.f_contiguous != array.flags.f_contiguous:
                raise SystemExit(f"{what}: came back as {out.dtype}, {out.flags}")
            same(np.load(folder / "mask.npy"), mask, what + " mask")
            packed = np.packbits(mask.reshape(shape or (1,)), axis=-1, bitorder="little")
            same(np.load(folder / "packed.npy"), packed, what + " packed")


def small_floats(folder, rng):
    shape = (130, 11)
    mask = keep_mask(seeded("trn1", 1, 128), shape, [0.5])
    for name, order in itertools.product(SMALL, "CF"):
        array = np.array(elements(getattr(ml_dtypes, name), shape, rng), order=order)
        np.save(folder / "in.npy", array)
        run(folder, "in.npy", "--rate", 0.5, "--seed", 1, "-o", "out.npy", "--dtype", name)
        head = (folder / "in.npy").read_bytes()[:128]
        if (folder / "out.npy").read_bytes()[:128] != head:
            raise SystemExit(f"{name}: the header changed")
        same(raw(folder / "out.npy", array, order), dropped(array, mask), f"{name} {order}")
        run(folder, "in.npy", "--rate", 0.5, "-o", "out.npy", fails="is_valid_dtype_in")
        # The same bits as unsigned integers.
        np.save(folder / "in.npy", bits_of(array))
        run(folder, "in.npy", "--rate", 0.5, "--seed", 1, "-o", "out.npy", "--dtype", name)
        same(np.load(folder / "out.npy"), dropped(array, mask), f"{name} as integers")


def archives_and_safetensors(folder, rng):
    shape = (140, 6)
    mask = keep_mask(seeded("trn1", 5, 128), shape, [0.2])
    a, b = elements("f4", shape, rng), np.asfortranarray(elements("i2", shape, rng))
    for save in (np.savez, np.savez_compressed):
        save(folder / "in.npz", a=a, b=b)
        for name, array in (("a", a), ("b", b)):
            for ending in ("npy", "npz", "safetensors"):
                out = folder / f"out.{ending}"
                run(folder, f"in.npz#{name}", "--rate", 0.2, "--seed", 5, "-o", out)
                if ending == "npy":
                    found = np.load(out)
                elif ending == "npz":
                    found = np.load(out)["out"]
                    assert zipfile.ZipFile(out).testzip() is None
                else:
                    found = safe_open(out, "np").get_tensor(name)
                same(bits_of(found), dropped(array, mask), f"npz {name} to {ending}")
        run(folder, "in.npz", "--rate", 0.2, "-o", "out.npy", fails="there are a, b")
        run(folder, "in.npz#c", "--rate", 0.2, "-o", "out.npy", fails="there are a, b")
    np.savez(folder / "one.npz", a)
    run(folder, "one.npz", "--rate", 0.2, "--seed", 5, "-o", "out.npy")
    same(bits_of(np.load(folder / "out.npy")), dropped(a, mask), "npz without a name")

    tensors = {
        np.dtype(dtype).name: elements(dtype, shape, rng)
        for dtype in [*NATIVE, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]
    }
    save_file(tensors, folder / "in.safetensors")
    for name, array in tensors.items():
        run(folder, f"in.safetensors#{name}", "--rate", 0.2, "--seed", 5, "-o", "out.safetensors")
        same(stored(folder / "out.safetensors", name), dropped(array, mask), f"tensor {name}")
        run(folder, f"in.safetensors#{name}", "--rate", 0.2, "--seed", 5, "-o", "out.npy")
        found = np.load(folder / "out.npy").view(array.dtype)
        assert found.shape == array.shape
        same(bits_of(found), dropped(array, mask), f"safetensors {name} to npy")
    # From big-endian and Fortran order into a format that has neither.
    swapped = np.asfortranarray(a.astype(">f4"))
    np.save(folder / "in.npy", swapped)
    run(folder, "in.npy", "--rate", 0.2, "--seed", 5, "-o", "out.safetensors")
    found = safe_open(folder / "out.safetensors", "np").get_tensor("out")
    same(bits_of(found), dropped(swapped, mask), "big-endian to safetensors")


def profiles_rates_and_states(folder, rng):
    shape = (20, 13)
    array = elements("u2", shape, rng)
    np.save(folder / "in.npy", array)
    rates = rng.random(7).astype("f4")
    rates[:2] = 0, 1
    np.save(folder / "rates.npy", rates)
    for profile, keep in itertools.product([*STEPS, "trn3"], (False, True)):
        flags = ["--keep"] if keep else []
        lanes = seeded(profile, 99, 7)
        seed = [] if profile == "trn3" else ["--seed", 99]
        common = ["in.npy", "--profile", profile, "-o", "out.npy", *flags]
        mask = keep_mask(lanes, shape, rates, keep)
        run(folder, *common, *seed, "--lanes", 7, "--rates", "rates.npy", "--save-state", "s.npy")
        same(np.load(folder / "out.npy"), dropped(array, mask), f"{profile} rates")
        state = np.load(folder / "s.npy")
        words = np.array([lane.words for lane in lanes], "u4")
        same(state, words if profile == "trn3" else words[:, 0], f"{profile} state")
        # On from there, the state file in its own place.
        mask = keep_mask(lanes, shape, [0.25], keep)
        run(folder, *common, "--state", "s.npy", "--save-state", "s.npy", "--rate", 0.25)
        same(np.load(folder / "out.npy"), dropped(array, mask), f"{profile} from state")
        words = np.array([lane.words for lane in lanes], "u4")
        same(np.load(folder / "s.npy"), words if profile == "trn3" else words[:, 0], "state after")
    # An empty tensor leaves every lane as it was.
    before = np.load(folder / "s.npy")
    np.save(folder / "empty.npy", np.zeros((3, 0), "f4"))
    run(folder, "empty.npy", "--profile", "trn3", "--state", "s.npy", "--save-state", "s2.npy",
        "--rate", 0.5, "-o", "out.npy")  # fmt: skip
    same(np.load(folder / "s2.npy"), before, "state after an empty tensor")
    # Rates 0 and 1 mean what they say.
    for rate, flags, kept in ((0, [], 1), (1, [], 0), (1, ["--keep"], 1), (0, ["--keep"], 0)):
        done = run(folder, "in.npy", "--rate", rate, *flags, "--json", "-o", "out.npy")
        report = json.loads(done.stdout)
        assert (report["kept"], report["dropped"]) == (kept * 260, (1 - kept) * 260), report


def scaling(folder, rng):
    shape = (130, 40)
    for name in ["float32", "float16", *SMALL]:
        dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
        for order, swapped, keep in itertools.product("CF", (False, True), (False, True)):
            if swapped and name not in ("float32", "float16"):
                continue
            array = np.array(elements(dtype, shape, rng), order=order)
            if swapped:
                array = bits_of(array).astype(f">u{dtype.itemsize}").view(dtype.newbyteorder(">"))
            np.save(folder / "in.npy", array)
            told = ["--dtype", name] if name in SMALL else []
            flags = ["--keep"] if keep else []
            mask = keep_mask(seeded("xorshift", 3, 128), shape, [0.3], keep)
            t = float(np.float32(0.3))
            factor = np.float32(1 / t if keep else 1 / (1 - t))
            run(folder, "in.npy", "--rate", 0.3, "--seed", 3, "--profile", "xorshift", "--scale",
                "-o", "out.npy", *told, *flags)  # fmt: skip
            if name in SMALL:
                found = raw(folder / "out.npy", array, order)
            else:
                found = bits_of(np.load(folder / "out.npy"))
            same(found, scaled(array, mask, factor), f"scaled {name} {order} {swapped}")
    array = elements("f4", (9, 50), rng)
    np.save(folder / "in.npy", array)
    rates = np.float32([0.1, 0.5, 0.9])
    np.save(folder / "rates.npy", rates)
    mask = keep_mask(seeded("xorshift", 3, 3), array.shape, rates)
    factors = np.float32([1 / (1 - float(t)) for t in rates])[np.arange(9) % 3][:, None]
    run(folder, "in.npy", "--rates", "rates.npy", "--lanes", 3, "--seed", 3, "--profile",
        "xorshift", "--scale", "-o", "out.npy")  # fmt: skip
    same(bits_of(np.load(folder / "out.npy")), scaled(array, mask, factors), "scaled by lane")


def refusals(folder, rng):
    out = ["-o", "out.npy"]
    (folder / "out.npy").write_bytes(b"as it was")
    for dtype in ("f8", "i8", "u8", "?", "c8", "V1", "V2", "S3", "M8[s]"):
        np.save(folder / "bad.npy", np.zeros(3, dtype))
        run(folder, "bad.npy", "--rate", 0.1, *out, fails="is_valid_dtype_in")
    save_file({"x": np.zeros(3, "i8")}, folder / "bad.safetensors")
    run(folder, "bad.safetensors#x", "--rate", 0.1, *out, fails="is_valid_dtype_in")
    np.save(folder / "in.npy", np.zeros((4, 4), "f4"))
    for rate in ("1.5", "-0.1", "nan", "inf", "-inf", "1.0000000000001", "x", ""):
        run(folder, "in.npy", f"--rate={rate}", *out, fails="expected a number from 0 to 1")
    for seed in (2**32, "x", "1.5"):
        run(folder, "in.npy", "--rate", 0.1, "--seed", seed, *out, fails="32 bits")
    run(folder, "in.npy", *out, fails="--rate")
    run(folder, "in.npy", "--rate", 0.1, "--rates", "r.npy", *out, fails="cannot be used with")
    run(folder, "in.npy", "--rate", 0.1, "--scale", "--keep", "--lanes", 0, *out, fails="lanes")
    run(folder, "in.npy", "--rate", 0.1, "--threads", 0, *out, fails="at least 1")
    run(folder, "in.npy", "--rate", 0.1, "--backend", "abacus", *out, fails="reference")
    run(folder, "in.npy", "--rate", 0.1, "-o", "out.txt", fails=".npy, .npz or .safetensors")
    run(folder, "in.npy", "--rate", 0.1, *out, "--mask", "./out.npy", fails="both name")
    run(folder, "in.npy#x", "--rate", 0.1, *out, fails="without a name")
    run(folder, "none.npy", "--rate", 0.1, *out, fails="none.npy")
    run(folder, "in.npy", "--rate", 1, "--scale", *out, fails="keeps nothing")
    run(folder, "in.npy", "--rate", 0, "--keep", "--scale", *out, fails="keeps nothing")
    np.save(folder / "int.npy", np.zeros(3, "i4"))
    run(folder, "int.npy", "--rate", 0.1, "--scale", *out, fails="only floats")
    np.save(folder / "r.npy", np.float32([0.1, 0.2]))
    run(folder, "in.npy", "--rates", "r.npy", *out, fails="(128,)")
    run(folder, "in.npy", "--rates", "in.npy", *out, fails="(128,)")
    run(folder, "in.npy", "--rates", "int.npy", *out, fails="float32")
    np.save(folder / "r.npy", np.float32([0.1, 1.2]))
    run(folder, "in.npy", "--rates", "r.npy", "--lanes", 2, *out, fails="lane 1 is 1.2")
    np.save(folder / "s.npy", np.arange(5, dtype="u4"))
    run(folder, "in.npy", "--rate", 0.1, "--state", "s.npy", "--lanes", 4, *out, fails="5 rows")
    run(folder, "in.npy", "--rate", 0.1, "--state", "r.npy", *out, fails="uint32")
    run(folder, "in.npy", "--rate", 0.1, "--seed", 1, "--profile", "trn3", *out, fails="seed")
    whole = (folder / "in.npy").read_bytes()
    for length in (0, 1, 6, 9, 60, 127, 128, len(whole) - 1):
        (folder / "cut.npy").write_bytes(whole[:length])
        run(folder, "cut.npy", "--rate", 0.1, *out, fails="cut.npy")
    (folder / "big.npy").write_bytes(
        whole[:128].replace(b"(4, 4), }    ", b"(9999999, 9999999), }") + whole[128:]
    )
    run(folder, "big.npy", "--rate", 0.1, *out, fails="big.npy")
    save_file({"x": np.zeros(30, "f4")}, folder / "in.safetensors")
    whole = (folder / "in.safetensors").read_bytes()
    for length in (0, 7, 20, len(whole) - 1):
        (folder / "cut.safetensors").write_bytes(whole[:length])
        run(folder, "cut.safetensors#x", "--rate", 0.1, *out, fails="cut.safetensors")
    run(folder, "in.safetensors#y", "--rate", 0.1, *out, fails="there are x")
    np.savez_compressed(folder / "in.npz", a=np.zeros((300, 300), "f4"))
    whole = (folder / "in.npz").read_bytes()
    for length in (4, 100, len(whole) - 3):
        (folder / "cut.npz").write_bytes(whole[:length])
        run(folder, "cut.npz#a", "--rate", 0.1, *out, fails="cut.npz")
    assert (folder / "out.npy").read_bytes() == b"as it was"
    left = [path.name for path in folder.iterdir() if path.name.startswith(".lanedrop")]
    assert not left, left


def in_place_and_streams(folder, rng):
    array = elements("f4", (200, 31), rng)
    np.save(folder / "x.npy", array)
    mask = keep_mask(seeded("trn1", 42, 128), array.shape, [0.1])
    run(folder, "x.npy", "--rate", 0.1, "--seed", 42, "-o", "x.npy")
    same(bits_of(np.load(folder / "x.npy")), dropped(array, mask), "in place")
    np.save(folder / "x.npy", array)
    with open(folder / "x.npy", "rb") as file:
        command = [COMMAND, "run", "-", "--rate", "0.1", "--seed", "42", "-o", "y.npy"]
        subprocess.run(command, cwd=folder, stdin=file, check=True, capture_output=True)
    same(bits_of(np.load(folder / "y.npy")), dropped(array, mask), "from standard input")
    # A link stays a link, and a file keeps its permissions.
    (folder / "link.npy").symlink_to("y.npy")
    (folder / "y.npy").chmod(0o640)
    run(folder, "x.npy", "--rate", 0.1, "--seed", 42, "-o", "link.npy")
    assert (folder / "link.npy").is_symlink()
    assert (folder / "y.npy").stat().st_mode & 0o777 == 0o640


def large(folder, rng):
    """Shapes of many blocks and boxes, against a faster form of the model."""
    shapes = [(2, 1_000_000), (1_000_000, 2), (1, 1_500_000), (1_500_000, 1), (1111, 1203),
              (60, 70, 80), (3, 300_001, 3)]  # fmt: skip
    for shape in shapes:
        row_len = shape[-1]
        rows = int(np.prod(shape)) // row_len
        count = min(rows, 128)
        state = np.arange(count, dtype=np.uint32) << np.uint32(24) | np.uint32(77)
        tiles = -(-rows // 128)
        keep = np.empty((tiles, count, row_len), bool)
        one, limit = np.uint32(1), np.float32(0.4)
        for tile, column in np.ndindex(tiles, row_len):
            bit = state >> np.uint32(31) ^ state >> np.uint32(21) ^ state >> one ^ state
            state = state << one | ~bit & one
            r = (state >> np.uint32(9) | np.uint32(0x3F800000)).view(np.float32) - np.float32(1)
            keep[tile, :, column] = ~(r < limit)
        mask = keep.reshape(tiles * count, row_len)[:rows].reshape(shape)
        for dtype, order in (("f4", "C"), ("f4", "F"), ("u1", "F")):
            array = np.array(elements(dtype, shape, rng), order=order)
            np.save(folder / "in.npy", array)
            run(folder, "in.npy", "--rate", 0.4, "--seed", 77, "-o", "out.npy",
                "--packed-mask", "packed.npy", "--mask", "mask.npy")  # fmt: skip
            same(bits_of(np.load(folder / "out.npy")), dropped(array, mask), f"{shape} {order}")
            same(np.load(folder / "mask.npy"), mask, f"{shape} {order} mask")
            packed = np.packbits(mask, axis=-1, bitorder="little")
            same(np.load(folder / "packed.npy"), packed, f"{shape} {order} packed")


def main():
    rng = np.random.default_rng(20250101)
    for part in (
        every_type_order_and_shape,
        small_floats,
        archives_and_safetensors,
        profiles_rates_and_states,
        scaling,
        refusals,
        in_place_and_streams,
        large,
    ):
        before = checks
        with tempfile.TemporaryDirectory() as folder:
            part(pathlib.Path(folder), rng)
        print(f"{part.__name__.replace('_', ' ')}: {checks - before} runs agree")


main()
