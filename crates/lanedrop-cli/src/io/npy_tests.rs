use super::*;

fn v1(text: &str) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

fn error(text: &str) -> String {
    NpyHeader::parse(&v1(text)).unwrap_err().to_string()
}

#[test]
fn headers_numpy_wrote_are_read() {
    // The bytes `np.save` writes for bfloat16[2, 3].
    let text = "{'descr': '<V2', 'fortran_order': False, 'shape': (2, 3), }                     \n";
    let (header, data) = NpyHeader::parse(&v1(text)).unwrap();
    assert_eq!(header, NpyHeader { descr: "<V2".into(), order: Order::C, shape: vec![2, 3] });
    assert_eq!(data, 10 + text.len());
    for (text, shape) in [
        ("{'descr': '>f4', 'fortran_order': True, 'shape': (), }", vec![]),
        ("{\"shape\": (0,), 'fortran_order': True, 'descr': '>f4'}", vec![0]),
        ("{'descr': '>f4', 'fortran_order': True, 'shape': (3L, 4L), }\n", vec![3, 4]),
        ("{'descr': '>f4', 'fortran_order': True, 'shape': (1, 0, 5,), }", vec![1, 0, 5]),
    ] {
        let (header, _) = NpyHeader::parse(&v1(text)).unwrap();
        assert_eq!(header, NpyHeader { descr: ">f4".into(), order: Order::Fortran, shape });
    }
}

#[test]
fn versions_2_and_3_have_a_longer_length() {
    let text = b"{'descr': '|u1', 'fortran_order': False, 'shape': (7,), }";
    for major in [2, 3] {
        let mut bytes = b"\x93NUMPY".to_vec();
        bytes.extend([major, 0]);
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text);
        bytes.extend([0; 7]);
        let (header, data) = NpyHeader::parse(&bytes).unwrap();
        assert_eq!((header.shape, data), (vec![7], 12 + text.len()));
    }
}

#[test]
fn a_written_header_is_read_back_and_aligned() {
    for shape in [vec![], vec![5], vec![2, 3], vec![u64::MAX, 1], vec![1; 30_000]] {
        for order in [Order::C, Order::Fortran] {
            let header = NpyHeader { descr: "<f4".into(), order, shape: shape.clone() };
            let bytes = header.to_bytes();
            assert_eq!(bytes.len() % 64, 0);
            assert_eq!(NpyHeader::parse(&bytes).unwrap(), (header, bytes.len()));
        }
    }
}

#[test]
fn errors_say_where_what_and_what_would_do() {
    let said = |bytes: &[u8]| NpyHeader::parse(bytes).unwrap_err().to_string();
    assert_eq!(said(b""), "file ends after 0 bytes, expected an .npy header of at least 10");
    assert_eq!(
        said(b"PK\x03\x04aaaaaaaaaa"),
        "byte 0: found 50 4b 03 04 61 61, expected the .npy magic 93 4e 55 4d 50 59"
    );
    assert_eq!(
        said(b"\x93NUMPY\x04\x00\x00\x00"),
        "byte 6: format version is 4.0, expected 1.0, 2.0 or 3.0"
    );
    assert_eq!(
        said(b"\x93NUMPY\x01\x00\x76\x00{"),
        "byte 8: header length is 118, but the file has 1 bytes after it"
    );
    assert_eq!(
        said(b"\x93NUMPY\x02\x00\xff\xff\xff\xff{"),
        "byte 8: header length is 4294967295, expected at most 1048576"
    );
    assert_eq!(error("[1]"), "byte 10: found `[1]`, expected '{'");
    assert_eq!(
        error("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}"),
        "byte 20: found `[('a', '<f4')], 'fortran`, expected a type string in quotes"
    );
    assert_eq!(error("{'descr': '<f4'}"), "header has no key 'fortran_order'");
    assert_eq!(error("{'descr': '<f4', 'descr': '<f4'}"), "byte 27: key 'descr' is given twice");
    assert_eq!(
        error("{'colour': 1}"),
        "byte 11: key 'colour' is unknown, expected descr, fortran_order and shape"
    );
    assert_eq!(
        error("{'shape': (-1,), 'descr': '<f4', 'fortran_order': False}"),
        "byte 21: found `-1,), 'descr': '<f4', 'f`, expected an axis length below 2^64, or ')'"
    );
    assert_eq!(
        error("{'shape': (99999999999999999999,)}"),
        "byte 21: found `99999999999999999999,)}`, expected an axis length below 2^64, or ')'"
    );
    assert_eq!(
        error("{'shape': (4294967296, 4294967296), 'descr': '<f4', 'fortran_order': False}"),
        "shape (4294967296, 4294967296) has more elements than a u64 counts"
    );
    assert_eq!(
        error("{'descr': '<f4'"),
        "byte 25: found the end of the header, expected ',' or '}'"
    );
}

#[test]
fn every_change_of_a_byte_is_read_or_refused() {
    let seeds = [
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
        "{\"shape\": (3L,), 'fortran_order':True,'descr':'|V2'}\n",
    ];
    for seed in seeds {
        let whole = v1(seed);
        for at in 0..whole.len() {
            body::check(&whole[..at]);
            for byte in 0..=255 {
                let mut changed = whole.clone();
                changed[at] = byte;
                body::check(&changed);
                changed.insert(at, byte);
                body::check(&changed);
            }
        }
        body::check(&whole);
    }
}
