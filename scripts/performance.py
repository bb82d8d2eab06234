#!/usr/bin/env python3
"""Measures with `lanedrop bench` and prints the tables of docs/performance.md.

    scripts/performance.py [--lanedrop PROGRAM] [--runs N]

Every figure is the median of some runs of `lanedrop bench`, which itself takes
medians. Wants a machine that does nothing else, and some minutes.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
SHAPES = ["128x512", "128x8192", "4096x4096", "128x524288"]
KEY = ("op", "shape", "dtype", "profile", "rate", "threads")
MATRIX = "examples/any-matrix.toml"


class Bench:
    """Runs `lanedrop bench` some times."""

    def __init__(self, program, runs):
        self.program, self.runs = program, runs

    def __call__(self, **options):
        """Returns `{(op, shape, dtype, profile, rate, threads): medians}`."""
        command = [self.program, "bench", "--json"]
        for name, value in options.items():
            command += [f"--{name}", ",".join(value) if isinstance(value, list) else str(value)]
        found = {}
        for _ in range(self.runs):
            done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                sys.exit(done.stderr)
            for row in map(json.loads, done.stdout.splitlines()):
                found.setdefault(tuple(row[part] for part in KEY), []).append(row)
        return {key: median(rows) for key, rows in found.items()}

    def by_shape(self, **options):
        """Returns the figures of one setting, those of each shape in turn."""
        found = {key[1]: figures for key, figures in self(shapes=SHAPES, **options).items()}
        return [found[shape] for shape in SHAPES]


def median(rows):
    """Returns a row whose numbers are the medians of some rows'."""
    numbers = [name for name, value in rows[0].items() if isinstance(value, float)]
    return rows[0] | {name: statistics.median(row[name] for row in rows) for name in numbers}


def table(title, head, rows):
    print(f"{title}\n\n| " + " | ".join(["", *head]) + " |")
    print("|" + "---|" * (len(head) + 1))
    for row in rows:
        print("| " + " | ".join(row) + " |", flush=True)
    print()


def share(figures):
    return f"{figures['vs_copy']:.2f} ({figures['ns_per_elem']:.3f})"


def speed(bench):
    settings = [
        ("f32, trn1", "apply", "f32", "trn1"),
        ("bf16, trn1", "apply", "bf16", "trn1"),
        ("i8, trn1", "apply", "i8", "trn1"),
        ("f32 in place, trn1", "inplace", "f32", "trn1"),
        ("f32, xorshift", "apply", "f32", "xorshift"),
        ("bf16, xorshift", "apply", "bf16", "xorshift"),
        ("f32, any matrix", "apply", "f32", MATRIX),
        ("f32, XORWOW (trn3)", "apply", "f32", "trn3"),
        ("f32 and multiply, trn1", "scale", "f32", "trn1"),
        ("bf16 and multiply, trn1", "scale", "bf16", "trn1"),
    ]
    rows = (
        [name, *map(share, bench.by_shape(ops=op, dtypes=dtype, profiles=profile))]
        for name, op, dtype, profile in settings
    )
    table("Share of a copy's speed (nanoseconds an element)", SHAPES, rows)


def masks(bench):
    settings = [
        ("packed mask, trn1", "packed-mask", "trn1"),
        ("byte mask, trn1", "mask", "trn1"),
        ("draws and comparison, trn1", "draw", "trn1"),
        ("packed mask, xorshift", "packed-mask", "xorshift"),
    ]

    def cell(figures):
        return f"{1 / figures['vs_copy']:.2f} ({figures['gelem_s']:.0f})"

    rows = (
        [name, *map(cell, bench.by_shape(ops=op, dtypes="f32", profiles=profile))]
        for name, op, profile in settings
    )
    title = "Time as a share of copying the f32 tensor (10^9 elements a second)"
    table(title, SHAPES, rows)


def rates(bench):
    rates = ["0.5", "0.1", "0.001"]
    rows = []
    for profile in ("trn1", "xorshift"):
        found = bench(ops="apply", dtypes="f32", profiles=profile, shapes="128x8192", rates=rates)
        by_rate = {str(key[4]): figures for key, figures in found.items()}
        rows.append([profile, *(f"{by_rate[rate]['ns_per_elem']:.3f}" for rate in rates)])
    table("By rate, 128x8192 f32, nanoseconds an element", rates, rows)


def threads(bench):
    rows = (
        [
            f"{dtype}, {count}",
            *map(share, bench.by_shape(ops="apply", dtypes=dtype, profiles="trn1", threads=count)),
        ]
        for dtype in ("f32", "bf16")
        for count in (1, 2)
    )
    table("By threads, trn1, share of a copy by as many", SHAPES, rows)


def backends(bench):
    listed = subprocess.run(
        [bench.program, "backends", "--json"], capture_output=True, text=True, check=True
    )
    names = [row["name"] for row in map(json.loads, listed.stdout.splitlines())]
    rows = (
        [
            f"{name}, {dtype}, {profile}",
            *map(share, bench.by_shape(ops="apply", dtypes=dtype, profiles=profile, backend=name)),
        ]
        for name in names
        if name != "reference"
        for dtype in ("f32", "bf16")
        for profile in ("trn1", "xorshift")
    )
    table("By backend, share of a copy", SHAPES, rows)


def calls(bench):
    shapes = ["128x1", "128x2", "128x8", "128x64", "128x512"]
    found = bench(ops=["apply", "draw"], dtypes="bf16", profiles="trn1", shapes=shapes)

    def cell(op, shape):
        rows, row_len = map(int, shape.split("x"))
        return f"{found[op, shape, 'bf16', 'trn1', 0.1, 1]['ns_per_elem'] * rows * row_len:.0f}"

    rows = ([op, *(cell(op, shape) for shape in shapes)] for op in ("apply", "draw"))
    table("A call on a small tensor, bf16, nanoseconds", shapes, rows)


def others(bench):
    found = bench(ops=["jump", "jump-lanes", "decode", "validate"], profiles="trn1")
    rows = ([key[0], f"{figures['ns_per_elem']:.0f}"] for key, figures in found.items())
    table("Others", ["nanoseconds each"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    program = HERE / "target/release/lanedrop"
    parser.add_argument("--lanedrop", default=program, metavar="PROGRAM", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    if not args.lanedrop.is_file():
        sys.exit(f"{args.lanedrop}: no such file; `cargo build --release` makes it")
    bench = Bench(str(args.lanedrop), args.runs)
    for part in (speed, masks, rates, threads, backends, calls, others):
        part(bench)


if __name__ == "__main__":
    main()
