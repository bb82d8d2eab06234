#!/usr/bin/env python3
"""Writes activations.npy: float32 [256, 64], a row a token, a column a feature.

Element (i, j) is GELU(3 sin(0.37 (i + 1) (j + 1))): numbers of both signs as a
layer's activations have, made by a formula so that anyone can make them again.
It needs only Python 3.11.
"""

import math
import struct
from pathlib import Path

ROWS, COLUMNS = 256, 64


def gelu(x):
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))


def main():
    values = [
        gelu(3 * math.sin(0.37 * (i + 1) * (j + 1))) for i in range(ROWS) for j in range(COLUMNS)
    ]
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({ROWS}, {COLUMNS}), }}"
    header = header.ljust(128 - 10 - 1) + "\n"
    out = Path(__file__).with_name("activations.npy")
    out.write_bytes(
        b"\x93NUMPY\x01\x00"
        + struct.pack("<H", len(header))
        + header.encode()
        + struct.pack(f"<{len(values)}f", *values)
    )


main()
