#!/usr/bin/env python3
"""Times lanedrop beside torch.nn.functional.dropout, one thread each.

    scripts/bench_peers.py [--lanedrop PROGRAM] [--json]

Needs a release build of the command and a Python that has torch (the build for
CUDA runs on a CPU too). Every shape is measured in turn with both, lanedrop
before and after torch, so that a slow moment of the machine meets both. torch
allocates its output, as everybody who calls it does; lanedrop writes to a
place that it is given.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

SHAPES = [(128, 512), (128, 8192), (4096, 4096), (128, 524288)]
DTYPES = ["f32", "bf16"]
RATE = 0.1
SAMPLES = 7
SAMPLE_SECONDS = 0.05


def lanedrop_figures(program, shape, dtype):
    """Returns nanoseconds an element and the share of a copy's speed."""
    rows, row_len = shape
    command = [program, "bench", "--ops", "apply", "--profiles", "trn1", "--threads", "1"]
    command += ["--shapes", f"{rows}x{row_len}", "--dtypes", dtype, "--rates", str(RATE), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures = json.loads(done.stdout)
    return figures["ns_per_elem"], figures["vs_copy"]


def torch_figure(torch, shape, dtype):
    """Returns nanoseconds an element."""
    x = torch.ones(shape, dtype={"f32": torch.float32, "bf16": torch.bfloat16}[dtype])
    elements = shape[0] * shape[1]

    def sample(calls):
        start = time.perf_counter()
        for _ in range(calls):
            torch.nn.functional.dropout(x, RATE, training=True)
        return (time.perf_counter() - start) / calls

    calls = max(1, round(SAMPLE_SECONDS / sample(1)))
    return statistics.median(sample(calls) for _ in range(SAMPLES)) / elements * 1e9


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = Path(__file__).resolve().parent.parent
    parser.add_argument("--lanedrop", default=here / "target/release/lanedrop", metavar="PROGRAM")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    args = parser.parse_args()
    try:
        import torch
    except ImportError:
        sys.exit("this Python has no torch; `pip install torch` in a virtual environment does it")
    if not Path(args.lanedrop).is_file():
        sys.exit(f"{args.lanedrop}: no such file; `cargo build --release` makes it")
    torch.set_num_threads(1)
    version = torch.__version__.split("+")[0]
    if not args.json:
        print(f"| tensor | dtype | torch {version}, ns/element | lanedrop, ns/element | times |")
        print("|---|---|---|---|---|")
    for dtype in DTYPES:
        for shape in SHAPES:
            before, _ = lanedrop_figures(args.lanedrop, shape, dtype)
            theirs = torch_figure(torch, shape, dtype)
            after, share = lanedrop_figures(args.lanedrop, shape, dtype)
            ours = (before + after) / 2
            name = f"{shape[0]}x{shape[1]}"
            if args.json:
                figures = {"shape": name, "dtype": dtype, "torch": version, "vs_copy": share}
                figures |= {"torch_ns_per_element": theirs, "lanedrop_ns_per_element": ours}
                print(json.dumps(figures), flush=True)
            else:
                ratio = theirs / ours
                print(f"| {name} | {dtype} | {theirs:.2f} | {ours:.3f} | {ratio:.0f} |", flush=True)


if __name__ == "__main__":
    main()
