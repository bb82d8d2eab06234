use super::*;

/// Returns the value of a small float, or none for a NaN, by the formats'
/// definitions: sign, exponent with bias, mantissa.
fn small_float(element: Element, bits: u8) -> Option<f64> {
    let (exponent_bits, mantissa_bits, bias) = match element {
        Element::F8E3M4 => (3, 4, 3),
        Element::F8E4M3 | Element::F8E4M3FN => (4, 3, 7),
        _ => (5, 2, 15),
    };
    let sign = if bits >> 7 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> mantissa_bits & ((1 << exponent_bits) - 1));
    let fraction = f64::from(bits & ((1 << mantissa_bits) - 1)) / f64::from(1 << mantissa_bits);
    if element == Element::F8E4M3FN {
        if bits & 0x7f == 0x7f {
            return None;
        }
    } else if exponent == (1 << exponent_bits) - 1 {
        return (fraction == 0.0).then_some(sign * f64::INFINITY);
    }
    Some(match exponent {
        0 => sign * fraction * 2f64.powi(1 - bias),
        _ => sign * (1.0 + fraction) * 2f64.powi(exponent - bias),
    })
}

/// Returns the bits nearest to `x`, of two the even ones. From the middle
/// between the largest number and the one that would follow it on, that is
/// what comes after the largest: infinity, or the NaN of float8_e4m3fn.
fn nearest(element: Element, x: f64) -> u8 {
    let sign = if x.is_sign_negative() { 0x80 } else { 0 };
    let mut values: Vec<(u8, f64)> = (0..0x80)
        .filter_map(|bits| Some((bits, small_float(element, bits)?)))
        .filter(|(_, value)| value.is_finite())
        .collect();
    let &[.., (_, before), (largest, last)] = &values[..] else { unreachable!() };
    values.push((largest + 1, last + (last - before)));
    // No type here goes beyond 57344.
    let x = x.abs().min(1e6);
    let key = |&(bits, value): &(u8, f64)| ((value - x).abs(), bits % 2);
    let best = values.iter().min_by(|a, b| key(a).partial_cmp(&key(b)).unwrap()).unwrap();
    sign | best.0
}

#[test]
fn products_of_small_floats_are_the_nearest_values() {
    for element in [Element::F8E3M4, Element::F8E4M3, Element::F8E4M3FN, Element::F8E5M2] {
        for factor in [1.0, 1.111_111_2, 2.0, 1.5, 1.0 / 3.0, 1e-3, 1e6, 3e38] {
            let multiply = Multiply::new(element, factor).unwrap();
            for bits in 0..=255u8 {
                let product = multiply.product(bits);
                match small_float(element, bits) {
                    // Sign and payload stay, and the NaN is quiet.
                    None => {
                        assert!(small_float(element, product).is_none());
                        assert_eq!(product & bits, bits, "{element:?} {bits:#x}");
                    }
                    Some(x) => {
                        // The f32 product, from an exact f64 one.
                        let wanted = nearest(element, f64::from((x * f64::from(factor)) as f32));
                        assert_eq!(product, wanted, "{element:?} {bits:#x} * {factor}");
                    }
                }
            }
        }
    }
}

#[test]
fn wider_floats_are_rounded_to_even_and_nans_become_quiet() {
    let multiply = Multiply::new(Element::F32, 1.5).unwrap();
    assert_eq!(multiply.single(0x7fa0_1234), 0x7fe0_1234);
    assert_eq!(multiply.single(0xff80_0001), 0xffc0_0001);
    assert_eq!(multiply.single(0x0000_0001), 0x0000_0002);
    assert_eq!(multiply.single(0x8000_0000), 0x8000_0000);
    assert_eq!(multiply.single(f32::MAX.to_bits()), f32::INFINITY.to_bits());
    assert_eq!(multiply.half(0x7d01), 0x7f01);
    assert_eq!(multiply.brain(0xff81), 0xffc1);
    // 1 + 2^-10 times 1.5 is half-way between two halves: 1.5 + 3 * 2^-11.
    assert_eq!(multiply.half(0x3c01), 0x3e02);
    assert_eq!(multiply.half(0x3c03), 0x3e04);
    // 65504 * 1.5 is beyond every half.
    assert_eq!(multiply.half(0x7bff), 0x7c00);
    // 1 + 2^-7 times 1.5: 1.5 + 3 * 2^-8.
    assert_eq!(multiply.brain(0x3f81), 0x3fc2);
}

#[test]
fn factors_are_rounded_once_and_finite() {
    for (t, keep_rate, wanted) in [
        (0.0, false, Some(1.0)),
        (0.25, false, Some(4.0f32 / 3.0)),
        (0.1, false, Some(1.0 / (1.0 - f64::from(0.1f32))).map(|c| c as f32)),
        (0.9, true, Some(1.0 / f64::from(0.9f32)).map(|c| c as f32)),
        (1.0, false, None),
        (2.0, false, None),
        (0.0, true, None),
        (1e-45, true, None),
        (f32::NAN, false, None),
    ] {
        assert_eq!(scale_factor(t, keep_rate), wanted, "{t}");
    }
    assert!(Multiply::new(Element::I32, 2.0).is_none());
}
