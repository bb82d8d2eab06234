#!/usr/bin/env python3
"""Runs the script that `lanedrop recover plan` writes, with a stand-in for the
vendor's module, and has `lanedrop recover` find the stand-in's generator.

    python scripts/check_recover.py PATH_OF_LANEDROP

The stand-in has the public calls alone, with the shapes and types that their
documentation asks for, and draws from a register in NumPy.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import types

import numpy as np

LANES = 128


class Device:
    """128 lanes of the inverted shift register with taps 32, 22, 2, 1."""

    def __init__(self, by_lane):
        self.by_lane = by_lane
        self.state = np.zeros(LANES, dtype=np.uint32)

    def seed(self, words):
        if self.by_lane:
            assert words.shape == (LANES, 24) and words.dtype == np.uint32
            self.state = words[:, 0].copy()
        else:
            assert words.shape == (1, 1) and words.dtype == np.uint32
            lane = np.arange(LANES, dtype=np.uint32)
            self.state = lane << np.uint32(24) | words[0, 0] & np.uint32(0xFFFFFF)

    def draws(self, count):
        out = np.empty((LANES, count), dtype=np.uint32)
        for i in range(count):
            x = self.state
            feedback = ~(x >> 31 ^ x >> 21 ^ x >> 1 ^ x) & np.uint32(1)
            self.state = out[:, i] = x << np.uint32(1) | feedback
        return out


def uniforms(draws):
    return (draws >> np.uint32(9) | np.uint32(0x3F800000)).view(np.float32) - np.float32(1)


def stand_in(device):
    """The part of the vendor's module that the public documentation describes."""
    nki, isa, language = (types.ModuleType(name) for name in ("nki", "nki.isa", "nki.language"))
    nki.isa, nki.language, nki.jit = isa, language, lambda kernel: kernel
    language.sbuf, language.shared_hbm = "sbuf", "shared_hbm"
    language.float32, language.uint32 = np.dtype(np.float32), np.dtype(np.uint32)
    isa.engine = types.SimpleNamespace(vector="vector", gpsimd="gpsimd")

    def ndarray(shape, dtype, buffer):
        assert buffer in ("sbuf", "shared_hbm")
        assert buffer != "sbuf" or shape[0] <= 128
        return np.zeros(shape, dtype=dtype)

    def dma_copy(*, dst, src):
        assert dst.shape == src.shape and dst.dtype == src.dtype
        dst[...] = src

    def dropout(*, dst, data, prob):
        assert dst.shape == data.shape and dst.dtype == data.dtype
        assert prob.shape == (data.shape[0], 1) and prob.dtype == np.float32
        dst[...] = np.where(uniforms(device.draws(data.shape[1])) < prob, 0, data)

    def rng(*, dst, engine):
        assert dst.dtype == np.uint32 and engine == isa.engine.vector
        dst[...] = device.draws(dst.shape[1])

    def set_rng_seed(*, src_seeds):
        device.seed(src_seeds)

    def rand_set_state(*, src_seeds, engine):
        assert engine == isa.engine.vector
        device.seed(src_seeds)

    language.ndarray, isa.dma_copy, isa.dropout, isa.rng = ndarray, dma_copy, dropout, rng
    isa.set_rng_seed, isa.rand_set_state = set_rng_seed, rand_set_state
    return {"nki": nki, "nki.isa": isa, "nki.language": language}


def lanedrop(*words, cwd):
    done = subprocess.run([LANEDROP, *words], cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"lanedrop {' '.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def close_the_wall(folder, options):
    by_lane = "--lane-words" in options
    lanedrop("recover", "plan", "--elements", "64", *options, "-o", "plan", cwd=folder)
    script = folder / "plan" / "capture.py"
    code = compile(script.read_text(), str(script), "exec")
    sys.modules.update(stand_in(Device(by_lane)))
    before, sys.argv = sys.argv, [str(script), str(folder / "plan/plan.json"), "-o",
                                  str(folder / "capture.json")]
    exec(code, {"__name__": "__main__", "__doc__": "Runs a plan."})
    sys.argv = before
    report = json.loads(lanedrop("recover", "solve", "capture.json", "--json", "--profile-out",
                                 "mine.toml", cwd=folder))
    assert report["verdict"] == "affine", report
    assert report["mismatches"] == 0, report
    names = [h["generator"] for h in report["hypotheses"] if h["steps_per_draw"] == 1]
    assert names == ["fibonacci_left_xnor 80200003"], names
    # The last captures of the plan are held out: fresh seeds, other thresholds.
    whole = json.loads((folder / "capture.json").read_text())
    known, held_out = dict(whole), dict(whole)
    known["captures"] = [c for c in whole["captures"] if not c["id"].startswith("held-out")]
    held_out["captures"] = [c for c in whole["captures"] if c["id"].startswith("held-out")]
    assert len(held_out["captures"]) == 2
    (folder / "known.json").write_text(json.dumps(known))
    (folder / "held-out.json").write_text(json.dumps(held_out))
    lanedrop("recover", "solve", "known.json", "--profile-out", "from-known.toml", cwd=folder)
    check = json.loads(lanedrop("recover", "check", "held-out.json", "--profile",
                                "from-known.toml", "--json", cwd=folder))
    assert check["match"] and check["compared"] >= 2 * LANES * 1024, check
    run_again(folder, held_out["captures"])
    print(f"plan {' '.join(options) or 'with one seed'}: closed, {check['compared']} held-out "
          "elements agree")


def run_again(folder, captures):
    """`run` with the solved profile draws the masks of the held-out captures."""
    for capture in captures:
        if capture["seeds"] is not None:
            words = np.array([int(word, 16) for word in capture["seeds"]], dtype=np.uint32)
            np.save(folder / "state.npy", words)
            start = ["--state", "state.npy"]
        else:
            start = ["--seed", str(int(capture["seed"], 16))]
        np.save(folder / "ones.npy", np.ones((LANES, capture["num_elements"]), dtype=np.float32))
        lanedrop("run", "ones.npy", "--rate", repr(capture["threshold"]), *start, "--profile",
                 "from-known.toml", "--mask", "mask.npy", "-o", "out.npy", cwd=folder)
        mask = np.packbits(np.load(folder / "mask.npy"), axis=1, bitorder="little")
        assert [row.tobytes().hex() for row in mask] == capture["masks"], capture["id"]


if __name__ == "__main__":
    LANEDROP = str(pathlib.Path(sys.argv[1]).resolve())
    for options in ([], ["--lane-words"], ["--lane-words", "--raw-draws"]):
        with tempfile.TemporaryDirectory() as name:
            close_the_wall(pathlib.Path(name), options)
