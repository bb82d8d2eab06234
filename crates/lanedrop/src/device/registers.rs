//! The 64 registers that addresses and operands may come from.

use thiserror::Error;

use crate::isa::Addr4;

/// The engine's registers, all zero at first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers([u32; Addr4::REGISTERS as usize]);

/// A register's number is too great.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("register is {number}, expected one below 64")]
pub struct RegisterError {
    /// The number.
    pub number: u32,
}

impl Default for Registers {
    fn default() -> Self {
        Self([0; Addr4::REGISTERS as usize])
    }
}

impl Registers {
    /// Returns what a register holds.
    ///
    /// # Errors
    /// Where there is no such register.
    pub fn read(&self, number: u32) -> Result<u32, RegisterError> {
        self.0.get(number as usize).copied().ok_or(RegisterError { number })
    }

    /// Makes a register hold `value`.
    ///
    /// # Errors
    /// Where there is no such register.
    pub fn write(&mut self, number: u32, value: u32) -> Result<(), RegisterError> {
        let register = self.0.get_mut(number as usize).ok_or(RegisterError { number })?;
        *register = value;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_64_registers() {
        let mut registers = Registers::default();
        assert_eq!(registers.write(63, 7), Ok(()));
        assert_eq!(registers.read(63), Ok(7));
        let error = registers.write(64, 7).unwrap_err();
        assert_eq!(error.to_string(), "register is 64, expected one below 64");
    }
}
