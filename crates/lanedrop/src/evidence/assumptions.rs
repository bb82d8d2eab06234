//! What the evidence leaves open, and what the model assumes instead.
//!
//! An [`Assumption`] is a decision that no source makes. The profiles point at
//! those behind their fields; the ones in [`MODEL`] stand behind every result.

use super::Claim;
use super::claims::{dtypes, encoding, firmware, neighbours, rng};

/// A question that the evidence leaves open, with the answer the model takes.
#[derive(Debug, PartialEq, Eq)]
pub struct Assumption {
    /// Stable name, lower case with hyphens.
    pub id: &'static str,
    /// What is taken to be so.
    pub assumes: &'static str,
    /// Why this and not another answer.
    pub because: &'static str,
    /// The experiment or file that would settle it.
    pub settled_by: &'static str,
    /// What is known that bears on it.
    pub claims: &'static [&'static Claim],
}

/// Defines assumptions as statics and lists them all.
macro_rules! assumptions {
    ($list:ident: $list_doc:literal;
     $($name:ident = $id:literal, $assumes:literal, because $because:literal,
       settled by $settled_by:literal, claims [$($claim:path),* $(,)?];)*) => {
        $(
            #[doc = $assumes]
            pub static $name: Assumption = Assumption {
                id: $id,
                assumes: $assumes,
                because: $because,
                settled_by: $settled_by,
                claims: &[$(&$claim),*],
            };
        )*
        #[doc = $list_doc]
        pub static $list: &[&Assumption] = &[$(&$name),*];
    };
}

assumptions! {
    MODEL: "What every result rests on, whatever the profile.";

    LANE_IS_PARTITION = "lane-is-partition",
        "active channel c works on partition p0 + c and draws from that partition's lane",
        because "there is a register for each partition, and channels and partitions run in step",
        settled by "masks of one instruction started at partition 0 and at partition 32, from known lane words",
        claims [rng::LANES_INDEPENDENT];
    ONE_DRAW_PER_ELEMENT = "one-draw-per-element",
        "a lane makes one draw for each element, in access-pattern order, dimension 0 innermost",
        because "the header speaks of one word for each lane and element, and the engine walks the pattern in that order",
        settled by "a mask of a three-dimensional pattern from known lane words",
        claims [rng::DROPOUT_RNG_IS_LFSR, firmware::WORKER_SCHEDULE];
    INACTIVE_LANES_STAY = "inactive-lanes-stay",
        "the lane of an inactive channel neither draws nor moves",
        because "the registers are independent, and no page tells of a step without a draw",
        settled by "a mask of 128 channels after one of 64, from known lane words",
        claims [rng::LANES_INDEPENDENT];
    STATE_PERSISTS = "state-persists",
        "lane states go on from one Dropout to the next in program order; the record neither saves nor restores them",
        because "the record has no seed, and the state is documented to last through a program",
        settled by "two masks in a row without a seed between them",
        claims [rng::STATE_KEPT_IN_ENGINE, rng::SEED_OUT_OF_BAND];
    ROWS_GO_ROUND = "rows-go-round",
        "row r of a tensor is on lane r mod 128, in tile r div 128, and a lane's stream goes on from tile to tile",
        because "it is how a compiler tiles rows over 128 partitions; another order of tiles would give other masks",
        settled by "the compiled program of the tensor at hand",
        claims [encoding::NO_RANDOM_OPERAND];
}

assumptions! {
    PROFILE: "What fields of built-in profiles rest on, where no source settles them.";

    RNG_REGISTER = "rng-register",
        "Dropout draws from the register of the Rng path: Fibonacci, left, taps 32, 22, 2, 1, XNOR",
        because "it matches every word of both public dumps of real silicon, which are of the Rng path; that Dropout shares that register is inferred",
        settled by "one Dropout of 128 lanes by 33 elements from known dense seeds",
        claims [rng::LFSR_WALL, rng::LFSR_TAPS_DEVICE, rng::DROPOUT_USES_RNG_REGISTER];
    ONE_STEP = "one-step",
        "one step of the register makes one draw",
        because "the record has no step count, and the Rng path takes one",
        settled by "a mask of two elements a lane from known lane words",
        claims [rng::ONE_STEP_A_DRAW, rng::NUM_STEPS_FIELD];
    DRAW_AFTER = "draw-after",
        "the draw is the generator's output after the step",
        because "it is so on the Rng path and in the textbook form",
        settled by "the first element of a mask from known lane words",
        claims [rng::DRAW_AFTER_STEPS, rng::XORWOW_RECURRENCE];
    ONE_REGISTER = "one-register",
        "a lane has one register",
        because "the header gives a lane's LFSR one word; from v4 on the state is four words, and how elements share them is not told",
        settled by "RAND_GET_STATE on v4; a mask of eight elements a lane from known lane words",
        claims [rng::LFSR_WORD_PER_LANE, rng::DVE_STATE_FOUR_GENERATORS];
    FOUR_REGISTERS = "four-registers",
        "a lane has four registers, and its element k uses register k mod 4",
        because "the v4 state is 4 x 6 words and four values come a cycle; the order is a guess",
        settled by "RAND_GET_STATE before and after one, two and three draws on v4",
        claims [rng::DVE_STATE_FOUR_GENERATORS, rng::XORWOW_V4_VECTOR];
    V4_XORWOW = "v4-xorwow",
        "on v4 Dropout draws from the Vector engine's XORWOW",
        because "the public guide names XORWOW as that engine's generator; the v4 header still says LFSR for Dropout",
        settled by "a Dropout mask on v4 after RAND_SET_STATE with known words",
        claims [rng::DROPOUT_RNG_IS_LFSR, rng::XORWOW_V4_VECTOR];
    XORSHIFT_STAND_IN = "xorshift-stand-in",
        "the register is the xorshift 13, 17, 5",
        because "the page that calls the LFSR xorshift-style names no shifts; these are Marsaglia's best known, a stand-in that the dumps refute for the Rng path",
        settled by "one Dropout of 128 lanes by 33 elements from known dense seeds",
        claims [rng::LFSR_XORSHIFT_STYLE, rng::LFSR_WALL];
    CONVERT_TOP23 = "convert-top23",
        "the top 23 bits of a draw become the mantissa",
        because "the text this model implements says so; other sources mask the low 23 bits or convert an integer",
        settled by "masks at thresholds 0.25 and 0.25 + 2^-25 from 22 chosen words",
        claims [
            rng::UNIFORM_TOP23, rng::UNIFORM_LOW23, rng::UNIFORM_INTEGER_CONVERT,
            rng::UNIFORM_SIGNED_HALF, rng::UNIFORM_INTERVAL,
        ];
    ORDERED_LESS_THAN = "ordered-less-than",
        "a drop rate drops where uniform < threshold, a keep rate keeps there",
        because "it is the one rule under which rates 0 and 1 do what is documented, in both polarities; the header has two others that differ from it at equality and for NaN",
        settled by "a mask with a draw that equals the threshold, in both polarities",
        claims [
            rng::COMPARE_LESS_THAN, rng::COMPARE_HEADER_ALGORITHM, rng::COMPARE_ENUM_COMMENT,
            encoding::THRESHOLD_POLARITY_NKI,
        ];
    LANE_SHIFT24 = "lane-shift24",
        "a lane's first word is (lane << 24) | (seed & 0xffffff)",
        because "the simulator does so on another engine's path, and the 2023-05 dump fits it with seed 0",
        settled by "the first draws of 128 lanes from two or three known seeds",
        claims [rng::SEEDING_LANE_SHIFT24, rng::DUMP_RNG_UNIFORM_READING, rng::SEED_32_BITS];
    UNUSED_SEEDING = "unused-seeding",
        "no rule makes XORWOW's words from one seed; the field is not used",
        because "the firmware starts all lanes from the same words, and other states are set word by word",
        settled by "RAND_GET_STATE after 0xd0 on v4",
        claims [rng::XORWOW_DEFAULT_WORDS, rng::SEEDING_LANE_SHIFT24];
}

assumptions! {
    DEVICE: "What a program on the device model rests on, where its records come to it.";

    LANE_OF_SOURCE = "lane-of-source",
        "where source and destination start in other partitions, a channel draws from the lane of the partition it reads",
        because "a lane reads its own partition; what is written elsewhere has passed it by then",
        settled by "a mask from partition 32 to partition 64, from known lane words",
        claims [rng::LANES_INDEPENDENT];
    FP8_EXP4_READING = "fp8-exp4-reading",
        "FP8_EXP4 is read as the profile says: with infinities where it says nothing",
        because "it is so on v2 and v3; later generations are configured one way or the other",
        settled by "one FP8_EXP4 threshold of each special code, read through a pointer",
        claims [dtypes::FP8_E4M3_READING];
    ARITHMETIC_IN_FP32 = "arithmetic-in-fp32",
        "TensorScalar computes in fp32, rounds each operation to nearest even, keeps a NaN's payload and makes it quiet; integers are converted by value and back by rounding to nearest even, with saturation",
        because "its immediates are fp32; rounding and conversion are on no page",
        settled by "one record of each operator on chosen words",
        claims [neighbours::TS_RESULT];
    MEMSET_LOW_BITS = "memset-low-bits",
        "MEMSET writes the low bits of its fill value to a narrower element",
        because "the field is called a value of 32 bits, and the compiler writes bits",
        settled by "one MEMSET of 2-byte elements",
        claims [neighbours::D4_MR_LAYOUT];
    STATE_WORD_ORDER = "state-word-order",
        "state words lie register after register, six words each for XORWOW (x, y, z, w, v, d), the register that serves next first",
        because "it is the order of the state files; the simulator transposes 24 words when it restores them",
        settled by "RAND_GET_STATE before and after one, two and three draws on v4",
        claims [rng::DVE_STATE_FOUR_GENERATORS, neighbours::RAND_STATE_PAIRINGS];
    RAND2_ROUNDING = "rand2-rounding",
        "RAND2 rounds max - min, its product with the uniform, the sum and the conversion to the element type to nearest even",
        because "the formula is known and the rounding is not",
        settled by "one RAND2 with bounds that do not divide evenly",
        claims [neighbours::RAND2_RANGE];
    EVENT_SEMAPHORE_VALUES = "event-semaphore-values",
        "EVENT_SEMAPHORE compares with the u32 at 8 and updates with the u32 at 12",
        because "it has a value each for wait and update behind its four bytes of modes and indices; wait comes first there",
        settled by "a compiled stream with both",
        claims [neighbours::EVENTS_EXTENDED];
    CONTROL_BY_NAME = "control-by-name",
        "NOP, ENGINE_NOP, DRAIN and INSTRUCTION_FLUSH only wait and update, and HALT ends the program",
        because "their names say so, and records here run one after another",
        settled by "the headers of the control records",
        claims [encoding::OPCODE_TABLE];
    RUNTIME_RECORDS = "runtime-records-passed-over",
        "pseudo records and COMPARE_BRANCH are for the runtime and change nothing here",
        because "a stream before loading still holds them, and the runtime lowers them",
        settled by "the loaded stream of the same program",
        claims [encoding::STREAM_FORMAT];
}

/// Returns every assumption: the model's, the profiles', then the device's.
pub fn all() -> impl Iterator<Item = &'static Assumption> {
    MODEL.iter().chain(PROFILE).chain(DEVICE).copied()
}

/// Returns the assumption with this id.
pub fn find(id: &str) -> Option<&'static Assumption> {
    all().find(|assumption| assumption.id == id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::evidence::claims;

    #[test]
    fn every_id_is_unique_also_among_the_claims() {
        let mut seen: BTreeSet<_> = claims::all().map(|claim| claim.id).collect();
        for assumption in all() {
            assert!(seen.insert(assumption.id), "{} is there twice", assumption.id);
            assert!(!assumption.claims.is_empty(), "{} rests on nothing known", assumption.id);
        }
    }

    #[test]
    fn find_returns_the_assumption_of_that_id() {
        assert_eq!(find("one-step").map(|found| found.id), Some("one-step"));
        assert_eq!(find("no-such-assumption"), None);
    }
}
