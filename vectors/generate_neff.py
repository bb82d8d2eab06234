#!/usr/bin/env python3
"""Makes neff/: small NEFF containers of each dialect, and what a reader should
find in them.

Python's tarfile, gzip and hashlib alone; shares no code with the library. Run
it to rewrite the files; with --check it compares instead. Compressors differ
from version to version, so a gzip payload is compared unpacked.
"""

import gzip
import hashlib
import io
import json
import pathlib
import struct
import sys
import tarfile


def tensor3d(address, count):
    return struct.pack("<I3h3H", address, 1, 1, 1, count, 1, 1)


def dropout(threshold, count):
    head = bytes([0x7F, 0x10, 0, 0]) + bytes(8) + bytes(4)
    middle = bytes([0x0A, 0x0A, 128, 0, 0x0A]) + bytes(6) + bytes([0])
    record = head + tensor3d(0, count) + middle + struct.pack("<f", threshold) + tensor3d(0x1000, count)
    assert len(record) == 64
    return record


def plain(opcode):
    return bytes([opcode, 0x10]) + bytes(62)


SEED = bytes([0xD0, 0x10]) + bytes(14) + struct.pack("<I", 42) + bytes(44)

DVE = SEED + dropout(0.25, 512) + plain(0xC1) + dropout(0.5, 64) + plain(0xA9) + plain(0x49)
PE = plain(0x01) + plain(0x02)
ACT = plain(0x21)
POOL = plain(0x4D) + dropout(0.75, 8) + dropout(0.75, 8)
SP = b""


def tar(dialect, members):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=dialect) as archive:
        for name, content, extra in members:
            info = tarfile.TarInfo(name)
            if content is None:
                info.type = tarfile.DIRTYPE
                info.mode = 0o755
                archive.addfile(info)
                continue
            info.size = len(content)
            info.pax_headers = extra
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def header(pkg_version, payload, name):
    head = bytearray(1024)
    struct.pack_into("<5Q", head, 0, pkg_version, 0x400, len(payload), 2, 0)
    head[0x28 : 0x28 + 8] = b"made-2.0"
    struct.pack_into("<I", head, 0xA8, 0)
    if pkg_version == 2:
        head[0xAC : 0xAC + 16] = hashlib.md5(payload).digest()
    else:
        head[0xAC : 0xAC + 32] = hashlib.sha256(payload).digest()
    head[0xCC : 0xCC + 16] = bytes(range(16))
    head[0xDC : 0xDC + len(name)] = name.encode()
    struct.pack_into("<I", head, 0x1DC, 1)
    struct.pack_into("<Q", head, 0x220, 5)
    struct.pack_into("<I", head, 0x228, 1)
    return bytes(head)


def stream(member, engine, content):
    records = [content[at : at + 64] for at in range(0, len(content), 64)]
    return {
        "member": member,
        "engine": engine,
        "bytes": content.hex(),
        "dropouts": [64 * i for i, r in enumerate(records) if r[:2] == b"\x7f\x10"],
        "pseudo": sum(0xC1 <= r[0] <= 0xDF or r[0] == 0xA9 for r in records),
    }


def containers():
    """Yields file name, bytes and the streams in the order a reader lists them."""
    # The older dialect: lower case, GNU tar, text beside the streams.
    older = [
        ("sg00/", None, {}),
        ("sg00/pe.bin", PE, {}),
        ("sg00/act.bin", ACT, {}),
        ("sg00/pool.bin", POOL, {}),
        ("sg00/dve.bin", DVE, {}),
        ("sg00/sp.bin", SP, {}),
        ("sg00/dve.asm", b"dropout\n", {}),
        ("sg00/def.json", b"{}", {}),
        ("weights.bin", bytes(range(128)), {}),
    ]
    payload = gzip.compress(tar(tarfile.GNU_FORMAT, older), 9, mtime=0)
    yield "older.neff", header(2, payload, "older") + payload, [
        stream("sg00/dve.bin", "DVE", DVE),
        stream("sg00/pe.bin", "PE", PE),
        stream("sg00/act.bin", "ACT", ACT),
        stream("sg00/pool.bin", "POOL", POOL),
        stream("sg00/sp.bin", "SP", SP),
    ]

    # The newer dialect: title case, numbered streams, PAX records, long names.
    deep = "nc0/" + "subgraph/" * 20
    newer = [
        (deep + "PE.bin", PE, {"mtime": "1.5"}),
        (deep + "Pool.bin", POOL[:64], {}),
        (deep + "Activation.bin", ACT, {"comment": "x" * 300}),
        (deep + "DVE.bin", DVE, {}),
        (deep + "DVE.1.bin", dropout(0.125, 4), {}),
        (deep + "DVE.json", b"{}", {}),
        (deep + "dve_instr", plain(0xA1), {}),
    ]
    payload = gzip.compress(tar(tarfile.PAX_FORMAT, newer), 6, mtime=0)
    yield "newer.neff", header(2, payload, "newer") + payload, [
        stream(deep + "DVE.bin", "DVE", DVE),
        stream(deep + "DVE.1.bin", "DVE", dropout(0.125, 4)),
        stream(deep + "dve_instr", "DVE", plain(0xA1)),
        stream(deep + "PE.bin", "PE", PE),
        stream(deep + "Pool.bin", "POOL", POOL[:64]),
        stream(deep + "Activation.bin", "ACT", ACT),
    ]

    # Package version 1: a tar without gzip; GNU records for the long name.
    raw = [("a" * 150 + "/dve.bin", DVE[:128], {}), ("b/pe.bin", PE, {})]
    payload = tar(tarfile.GNU_FORMAT, raw)
    yield "raw.neff", header(1, payload, "raw") + payload, [
        stream("a" * 150 + "/dve.bin", "DVE", DVE[:128]),
        stream("b/pe.bin", "PE", PE),
    ]


def same(one, other):
    """Compares two containers; the hash and the length follow from the packing."""
    if one[:1] == b"\x01":
        return one == other
    head = lambda file: file[:16] + file[24:0xAC] + file[0xBC:1024]
    return head(one) == head(other) and gzip.decompress(one[1024:]) == gzip.decompress(other[1024:])


def main():
    folder = pathlib.Path(__file__).parent / "neff"
    check = "--check" in sys.argv
    expected = {}
    for name, content, streams in containers():
        expected[name] = streams
        if not check:
            (folder / name).write_bytes(content)
        elif not same((folder / name).read_bytes(), content):
            sys.exit(f"neff/{name} is not what generate_neff.py makes")
    text = json.dumps(expected, indent=1) + "\n"
    path = folder / "expected.json"
    if not check:
        path.write_text(text)
    elif path.read_text() != text:
        sys.exit("neff/expected.json is not what generate_neff.py makes")


main()
