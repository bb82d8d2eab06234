//! The two branches a dispatch trampoline is made of, in the processor's
//! 24-bit encodings.

/// Returns the bytes of `call8 target` at `pc`, both offsets into one image.
///
/// The target counts in words of 4 bytes from the word behind `pc`'s, so it
/// must be a multiple of 4.
///
/// ```
/// use lanedrop::evidence::firmware::xtensa;
/// // A trampoline that a page quotes: ParamLoad's, which calls the stub at 0x2000.
/// assert_eq!(xtensa::call8(0x30b6, 0x2000), [0xa5, 0xf4, 0xfe]);
/// ```
pub fn call8(pc: u32, target: u32) -> [u8; 3] {
    let from = (pc & !3).wrapping_add(4);
    branch(target.wrapping_sub(from) >> 2, 0x25)
}

/// Returns the bytes of `j target` at `pc`.
///
/// ```
/// use lanedrop::evidence::firmware::xtensa;
/// assert_eq!(xtensa::j(0x30b9, 0x3212), [0x46, 0x55, 0x00]);
/// ```
pub fn j(pc: u32, target: u32) -> [u8; 3] {
    branch(target.wrapping_sub(pc.wrapping_add(4)), 0x06)
}

/// Returns where `bytes` at `pc` call, if they are a `call8`.
pub fn call8_target(pc: u32, bytes: [u8; 3]) -> Option<u32> {
    let offset = offset_of(bytes, 0x25)?;
    Some((pc & !3).wrapping_add(4).wrapping_add(offset << 2))
}

/// Returns where `bytes` at `pc` jump, if they are a `j`.
pub fn j_target(pc: u32, bytes: [u8; 3]) -> Option<u32> {
    let offset = offset_of(bytes, 0x06)?;
    Some(pc.wrapping_add(4).wrapping_add(offset))
}

/// Puts 18 bits of offset over the 6 bits that name the branch.
fn branch(offset: u32, name: u32) -> [u8; 3] {
    let [low, middle, high, _] = (offset << 6 | name).to_le_bytes();
    [low, middle, high]
}

/// Returns the offset with its sign, if the low 6 bits are `name`.
fn offset_of([low, middle, high]: [u8; 3], name: u32) -> Option<u32> {
    let word = u32::from_le_bytes([low, middle, high, 0]);
    let signed = (word << 8) as i32 >> 14;
    (word & 0x3f == name).then_some(signed as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quoted_trampolines_call_the_quoted_stubs() {
        assert_eq!(call8_target(0x30b6, [0xa5, 0xf4, 0xfe]), Some(0x2000));
        assert_eq!(j_target(0x30b9, [0x46, 0x55, 0x00]), Some(0x3212));
        assert_eq!(call8_target(0x30be, [0xe5, 0xf5, 0xfe]), Some(0x201c));
        assert_eq!(j_target(0x30c1, [0x46, 0x53, 0x00]), Some(0x3212));
    }

    #[test]
    fn a_target_is_read_back_from_every_alignment() {
        for pc in 0x3000..0x3010 {
            for target in [0u32, 4, 0x216c, 0x3000, 0x1bcbc] {
                assert_eq!(call8_target(pc, call8(pc, target)), Some(target));
                assert_eq!(j_target(pc, j(pc, target)), Some(target));
            }
        }
    }

    #[test]
    fn other_instructions_have_no_target() {
        assert_eq!(call8_target(0, [0x36, 0xa1, 0x00]), None);
        assert_eq!(j_target(0, [0x25, 0, 0]), None);
    }
}
