#!/usr/bin/env python3
"""Runs a plan of `lanedrop recover plan` on a device and saves the captures.

Uses public NKI calls alone: set_rng_seed (or rand_set_state), dropout, rng and
dma_copy. Keep-rate captures have no public call; they are left out here and
are in program.bin.

    python capture.py plan.json -o capture.json
    python capture.py plan.json -o capture.json --nki lanedrop.nki   # no device
"""

import argparse
import importlib
import json
import struct

import numpy as np


def kernel_of(nki, captures, lane_words, seeded):
    """One kernel for the captures of one seeding: it seeds and draws them all."""
    nisa, nl = nki.isa, nki.language

    def kernel(data, seed, thresholds):
        if seeded:
            seeds = nl.ndarray(seed.shape, dtype=nl.uint32, buffer=nl.sbuf)
            nisa.dma_copy(dst=seeds, src=seed)
            if lane_words:
                nisa.rand_set_state(src_seeds=seeds, engine=nisa.engine.vector)
            else:
                nisa.set_rng_seed(src_seeds=seeds)
        results = []
        for i, capture in enumerate(captures):
            shape = (data.shape[0], capture["num_elements"])
            dtype = nl.uint32 if capture["raw"] else data.dtype
            tile = nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)
            if capture["raw"]:
                nisa.rng(dst=tile, engine=nisa.engine.vector)
            else:
                ids = nl.ndarray(shape, dtype=data.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=ids, src=data[:, 0:shape[1]])
                prob = nl.ndarray((shape[0], 1), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=prob, src=thresholds[:, i:i + 1])
                nisa.dropout(dst=tile, data=ids, prob=prob)
            out = nl.ndarray(shape, dtype=dtype, buffer=nl.shared_hbm)
            nisa.dma_copy(dst=out, src=tile)
            results.append(out)
        return tuple(results)

    return nki.jit(kernel)


def runs_of(captures):
    """Captures that go on belong to the run of the one before in their group."""
    runs = []
    for capture in captures:
        if capture["threshold_type"] != "DROP_RATE":
            print(f"left out: {capture['id']} (a keep rate has no public call)")
            continue
        own = [run for run in runs if run[0]["seed_group"] == capture["seed_group"]]
        if capture["continues"] and own:
            own[-1].append(capture)
        else:
            runs.append([capture])
    return runs


def rows_of(mask):
    packed = np.packbits(mask, axis=1, bitorder="little")
    return [row.tobytes().hex() for row in packed]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plan")
    parser.add_argument("-o", "--output", default="capture.json")
    parser.add_argument("--nki", default="nki", help="the module that offers NKI")
    parser.add_argument("--device", default="device under test")
    args = parser.parse_args()
    nki = importlib.import_module(args.nki)
    for part in ("isa", "language"):
        importlib.import_module(f"{args.nki}.{part}")
    with open(args.plan) as file:
        plan = json.load(file)
    lanes, lane_words = plan["lanes"], plan["lane_words"]
    widest = max(capture["num_elements"] for capture in plan["captures"])
    # Unique and not zero: what survives proves which element it was.
    ids = np.arange(1, lanes * widest + 1, dtype=np.float32).reshape(lanes, widest)
    if ids.size >= 1 << 24:
        raise SystemExit("more elements than float32 can number")
    captures = []
    for run in runs_of(plan["captures"]):
        # A group without seeds goes on from the state as it was left.
        group = plan["seeds"].get(run[0]["seed_group"])
        words = [int(word, 16) for word in group or ["0"]]
        # The vector engine takes 24 words a lane. Which of them Dropout draws
        # from is not public: all are set to the lane's one word.
        seed = np.array([[word] * 24 for word in words] if lane_words else [words], dtype=np.uint32)
        bits = [[int(b, 16) for b in capture["threshold_bits"]] for capture in run]
        columns = [b * lanes if len(b) == 1 else b for b in bits]
        thresholds = np.array(columns, dtype=np.uint32).T.copy().view(np.float32)
        outs = kernel_of(nki, run, lane_words, group is not None)(ids, seed, thresholds)
        for capture, out, b in zip(run, outs, bits):
            out = np.asarray(out)
            if not capture["raw"]:
                wrong = (out != 0) & (out != ids[:, :capture["num_elements"]])
                if wrong.any():
                    print(f"{capture['id']}: {wrong.sum()} survivors are not where they were")
            captures.append({
                "id": capture["id"],
                "threshold_bits": f"{b[0]:08x}" if len(b) == 1 else [f"{x:08x}" for x in b],
                "threshold": struct.unpack("<f", struct.pack("<I", b[0]))[0],
                "threshold_type": capture["threshold_type"],
                "num_elements": capture["num_elements"],
                "start_element": capture["start_element"],
                "seed_group": capture["seed_group"],
                "seeds": [f"{word:08x}" for word in words] if lane_words and group else None,
                "seed": f"{words[0]:08x}" if group and not lane_words else None,
                "masks": None if capture["raw"] else rows_of(out != 0),
                "draws": ["".join(f"{u:08x}" for u in row) for row in out] if capture["raw"] else None,
            })
    with open(args.output, "w") as file:
        json.dump({
            "format": "dropout-capture/1",
            "device": args.device,
            "lanes": lanes,
            "capture_mode": "chosen_seeds" if lane_words else "single_seed",
            "captures": captures,
        }, file)
    print(f"{len(captures)} captures are in {args.output}")


if __name__ == "__main__":
    main()
