//! Names of generators in reports.

use crate::rng::{Direction, Feedback, Recurrence, Shift};

/// Returns the name of a recurrence in a report, or `None` for one that has
/// none there.
///
/// ```
/// # use lanedrop::{recover::generator_name, rng::Profile};
/// let trn1 = Profile::builtin("trn1").unwrap();
/// assert_eq!(generator_name(&trn1.recurrence).as_deref(), Some("fibonacci_left_xnor 80200003"));
/// ```
pub fn generator_name(recurrence: &Recurrence) -> Option<String> {
    let lfsr = |kind: &str, direction: &Direction, mask: &u32, feedback: &Feedback| {
        let side = if *direction == Direction::Left { "left" } else { "right" };
        let xnor = if *feedback == Feedback::Xnor { "_xnor" } else { "" };
        format!("{kind}_{side}{xnor} {mask:08x}")
    };
    match recurrence {
        Recurrence::Fibonacci { direction, mask, feedback } => {
            Some(lfsr("fibonacci", direction, mask, feedback))
        }
        Recurrence::Galois { direction, mask, feedback } => {
            Some(lfsr("galois", direction, mask, feedback))
        }
        Recurrence::Xorshift { shifts } => {
            let shift = |shift: &Shift| match shift {
                Shift::Left(n) => format!("L{n}"),
                Shift::Right(n) => format!("R{n}"),
            };
            Some(format!("xorshift {}", shifts.iter().map(shift).collect::<Vec<_>>().join("-")))
        }
        _ => None,
    }
}

/// Returns the recurrence of a name in a report, or `None` where the text is
/// no such name.
pub fn parse_generator(name: &str) -> Option<Recurrence> {
    let (family, value) = name.split_once(' ')?;
    if family == "xorshift" {
        let shift = |text: &str| {
            let n: u8 = text.get(1..)?.parse().ok().filter(|n| (1..=31).contains(n))?;
            match &text[..1] {
                "L" => Some(Shift::Left(n)),
                "R" => Some(Shift::Right(n)),
                _ => None,
            }
        };
        let shifts = value.split('-').map(shift).collect::<Option<Vec<_>>>()?;
        return Some(Recurrence::Xorshift { shifts });
    }
    let mask = u32::from_str_radix(value, 16).ok()?;
    let (family, feedback) = match family.strip_suffix("_xnor") {
        Some(family) => (family, Feedback::Xnor),
        None => (family, Feedback::Xor),
    };
    let (kind, direction) = match family.rsplit_once('_')? {
        (kind, "left") => (kind, Direction::Left),
        (kind, "right") => (kind, Direction::Right),
        _ => return None,
    };
    match kind {
        "fibonacci" => Some(Recurrence::Fibonacci { direction, mask, feedback }),
        "galois" => Some(Recurrence::Galois { direction, mask, feedback }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_was_written() {
        for name in [
            "xorshift L13-R17-L5",
            "xorshift R9",
            "galois_right a3000000",
            "galois_left_xnor 000000c5",
            "fibonacci_left 80200003",
            "fibonacci_right_xnor 00000001",
        ] {
            assert_eq!(generator_name(&parse_generator(name).unwrap()).unwrap(), name);
        }
    }

    #[test]
    fn other_texts_are_no_names() {
        for name in [
            "",
            "xorshift",
            "xorshift L0",
            "xorshift M3",
            "xorshift L32-R1",
            "galois 1",
            "x_left 1",
        ] {
            assert_eq!(parse_generator(name), None, "{name}");
        }
    }
}
