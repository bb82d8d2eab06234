//! Which claims of the ledger to show.

use super::{Basis, Claim, Confidence, Standing, WallKind};

/// A choice of claims; what is not set lets every claim pass.
///
/// ```
/// use lanedrop::evidence::{Filter, Standing, claims};
/// let contested = Filter { standing: vec![Standing::Contested], ..Filter::default() };
/// assert!(contested.apply(claims::all()).all(|claim| !claim.conflicts.is_empty()));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Lets one of these confidences pass.
    pub confidence: Vec<Confidence>,
    /// Lets one of these bases pass.
    pub basis: Vec<Basis>,
    /// Lets one of these standings pass.
    pub standing: Vec<Standing>,
    /// Lets claims behind one of these kinds of wall pass.
    pub wall: Vec<WallKind>,
    /// Lets only claims behind a wall of any kind pass.
    pub any_wall: bool,
    /// Lets claims pass that hold this text in their id, statement or source,
    /// whatever the case.
    pub text: Option<String>,
}

impl Filter {
    /// Returns whether `claim` passes.
    pub fn admits(&self, claim: &Claim) -> bool {
        fn among<T: PartialEq>(set: &[T], value: &T) -> bool {
            set.is_empty() || set.contains(value)
        }
        let wall = match claim.wall {
            Some(wall) => among(&self.wall, &wall.kind),
            None => self.wall.is_empty() && !self.any_wall,
        };
        let text = self.text.as_ref().is_none_or(|text| {
            let text = text.to_lowercase();
            [claim.id, claim.says, claim.source]
                .iter()
                .chain(claim.conflicts)
                .any(|part| part.to_lowercase().contains(&text))
        });
        among(&self.confidence, &claim.confidence)
            && among(&self.basis, &claim.basis)
            && among(&self.standing, &claim.standing)
            && wall
            && text
    }

    /// Returns the claims that pass, in their order.
    pub fn apply<'a>(
        &'a self,
        claims: impl Iterator<Item = &'static Claim> + 'a,
    ) -> impl Iterator<Item = &'static Claim> + 'a {
        claims.filter(|claim| self.admits(claim))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static PLAIN: Claim =
        Claim::new("plain", "Says one", Confidence::High, Basis::Observed, "a page");
    static WALLED: Claim =
        Claim::new("walled", "says two", Confidence::Low, Basis::Inferred, "another")
            .contested(&["a third page says three"])
            .behind(WallKind::ClosableWithHardware, "a dump");

    #[test]
    fn an_empty_filter_admits_everything() {
        assert!(Filter::default().admits(&PLAIN) && Filter::default().admits(&WALLED));
    }

    #[test]
    fn each_part_of_a_filter_can_refuse_alone() {
        let parts = [
            Filter { confidence: vec![Confidence::Low], ..Filter::default() },
            Filter { basis: vec![Basis::Inferred, Basis::Carried], ..Filter::default() },
            Filter { standing: vec![Standing::Contested], ..Filter::default() },
            Filter { wall: vec![WallKind::ClosableWithHardware], ..Filter::default() },
            Filter { any_wall: true, ..Filter::default() },
            Filter { text: Some("SAYS THREE".into()), ..Filter::default() },
        ];
        for part in parts {
            assert!(part.admits(&WALLED) && !part.admits(&PLAIN), "{part:?}");
        }
        let other_wall = Filter { wall: vec![WallKind::Fundamental], ..Filter::default() };
        assert!(!other_wall.admits(&WALLED));
    }
}
