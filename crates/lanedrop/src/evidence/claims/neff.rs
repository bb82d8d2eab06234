//! The container that compiled programs come in.

super::claims! {
    NEFF_HEADER_FIELDS = "neff-header-fields", Med Observed,
        "the header holds pkg_version at 0 (2: gzip tar with an MD5, 1: raw tar with a SHA-256), header_size 8, data_size 16, version 24 and 32, build label 40, hash 172, uuid 204, name 220, tpb count 476, feature bits 544 and vnc size 552",
        "page \"A Concrete NEFF, Carved\"";
    NEFF_HASH = "neff-hash", Med Observed,
        "the hash is over the packed payload: MD5 in the first 16 bytes for pkg_version 2, SHA-256 for 1",
        "page \"A Concrete NEFF, Carved\"";
    NEFF_MEMBER_NAMES = "neff-member-names", Med Observed,
        "an engine's stream is the member named by the engine: `sg00/dve.bin` in older containers, `DVE.bin` and `DVE.<id>.bin` or `dve_instr` in newer ones",
        "pages \"A Concrete NEFF, Carved\" and \"Per-Engine .bin Emission\"",
        contested ["page \"Per-Engine .bin/.json Member Layout\" gives `dve_instr` and its like; the carved container has `dve.bin`, so both are matched by their ends"];
    NEFF_TAR_DIALECT = "neff-tar-dialect", Med Observed,
        "older containers are plain GNU ustar, newer ones carry PAX records",
        "page \"A Concrete NEFF, Carved\"",
        contested ["page \"Per-Engine .bin/.json Member Layout\" describes the newer alone"];
    NEFF_PSEUDO_RECORDS = "neff-pseudo-records", High Observed,
        "a stream that has not been loaded still holds records the runtime replaces: 0xc1..0xdf, and 0xa9",
        "pages \"Pseudo-Instruction Lowering\" and \"A Concrete NEFF, Carved\"";
}
