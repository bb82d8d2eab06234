//! A profile as JSON.

use serde_json::{Map, Value, json};

use super::{Ground, Profile};
use crate::rng::recurrence::taps;
use crate::rng::{Field, Recurrence};

impl Profile {
    /// Returns the profile as JSON: the keys of its TOML, `about` (null for a
    /// profile that is not built in), `assumptions` (names of fields) and
    /// `standing` (for each field what it rests on).
    ///
    /// ```
    /// # use lanedrop::rng::Profile;
    /// let json = Profile::builtin("trn1").unwrap().to_json();
    /// assert_eq!(json["recurrence"]["taps"][0], 32);
    /// assert_eq!(json["standing"]["draw"]["standing"], "known");
    /// ```
    pub fn to_json(&self) -> Value {
        let assumptions: Vec<_> =
            self.assumptions().into_iter().map(|(field, _)| field.as_str()).collect();
        let standing: Map<_, _> = Field::ALL
            .into_iter()
            .map(|field| (field.as_str().to_owned(), standing(self.ground(field))))
            .collect();
        json!({
            "name": self.name,
            "about": self.about(),
            "recurrence": recurrence(&self.recurrence),
            "steps_per_draw": self.steps_per_draw,
            "draw": self.draw.as_str(),
            "registers_per_lane": self.registers_per_lane,
            "uniform": self.uniform.as_str(),
            "compare": self.compare.as_str(),
            "seeding": self.seeding.as_str(),
            "fp8_exp4": self.fp8_exp4.as_str(),
            "assumptions": assumptions,
            "standing": standing,
        })
    }
}

fn standing(ground: Ground<'_>) -> Value {
    match ground {
        Ground::Known(claim) => json!({
            "standing": "known",
            "claim": claim.id,
            "because": claim.says,
        }),
        Ground::Stated(evidence) => json!({ "standing": "stated", "because": evidence }),
        Ground::Assumed(assumption) => json!({
            "standing": "assumed",
            "assumption": assumption.id,
            "because": assumption.because,
            "settled_by": assumption.settled_by,
        }),
        Ground::Unsupported => json!({ "standing": "assumed", "because": null }),
    }
}

fn recurrence(recurrence: &Recurrence) -> Value {
    let kind = recurrence.kind();
    match recurrence {
        Recurrence::Fibonacci { direction, mask, feedback }
        | Recurrence::Galois { direction, mask, feedback } => json!({
            "kind": kind,
            "direction": direction.as_str(),
            "mask": mask,
            "taps": taps(*mask).collect::<Vec<_>>(),
            "feedback": feedback.as_str(),
        }),
        Recurrence::Xorshift { shifts } => {
            let shifts: Vec<_> = shifts.iter().map(ToString::to_string).collect();
            json!({ "kind": kind, "shifts": shifts })
        }
        Recurrence::Matrix(map) => {
            json!({ "kind": kind, "columns": map.columns, "constant": map.offset })
        }
        Recurrence::Xorwow => json!({ "kind": kind }),
    }
}
