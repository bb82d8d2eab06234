//! Bounds on being wrong, in log2.

/// The bound that an acceptance has to stay under.
pub(super) const ACCEPT_LOG2: f64 = -20.0;

/// Returns the binary entropy of `p` in bits.
pub(super) fn entropy(p: f64) -> f64 {
    if p <= 0.0 || p >= 1.0 {
        return 0.0;
    }
    -p * p.log2() - (1.0 - p) * (1.0 - p).log2()
}

/// Returns log2 of how many words of `n` bits differ from one in at most 0, 1,
/// ... `n` places.
fn balls_log2(n: usize) -> impl Iterator<Item = f64> {
    let mut term = 0.0f64;
    let mut total = 0.0f64;
    (0..=n).map(move |i| {
        if i > 0 {
            term += ((n - i + 1) as f64 / i as f64).log2();
            let (high, low) = if term > total { (term, total) } else { (total, term) };
            total = high + (1.0 + (low - high).exp2()).log2();
        }
        total
    })
}

/// Returns how many of `n` equations in `unknowns` unknown bits may fail while
/// a random right side would still be accepted with probability 2^-20 at most,
/// or `None` where even none may.
pub(super) fn tolerated(n: usize, unknowns: usize) -> Option<usize> {
    let limit = ACCEPT_LOG2 + n as f64 - unknowns as f64;
    balls_log2(n).take(n.max(1)).take_while(|&ball| ball <= limit).count().checked_sub(1)
}

/// Returns log2 of the chance that `n` random bits differ from given ones in
/// at most `wrong` places.
pub(super) fn agreement_log2(n: u64, wrong: u64) -> f64 {
    if n == 0 || 2 * wrong >= n {
        return 0.0;
    }
    -(n as f64) * (1.0 - entropy(wrong as f64 / n as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tolerated_errors_are_those_of_the_hamming_ball() {
        // Summed exactly: 2^33 * V(128, t) / 2^128 passes 2^-20 after 18.
        assert_eq!(tolerated(127, 33), Some(18));
        assert_eq!(tolerated(95, 33), Some(9));
        assert_eq!(tolerated(52, 33), None);
        assert_eq!(tolerated(53, 33), Some(0));
    }

    #[test]
    fn a_ball_counts_its_words() {
        // 1 + 10 + 45 + 120
        let balls: Vec<f64> = balls_log2(10).collect();
        assert!((balls[3] - 176f64.log2()).abs() < 1e-9);
        assert!((balls[10] - 10.0).abs() < 1e-9);
    }
}
