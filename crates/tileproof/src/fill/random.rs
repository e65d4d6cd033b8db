//! The bits and variates of seeded fills.
//! It must never use libm or the host's random numbers: a fill is the same on every host, for ever.
//! Start reading at [`SplitMix64`] and [`normal`].
//!
//! Element `i` of a seeded fill depends on the seed, the stream and `i` alone. The bits come from
//! SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014), the
//! normal variates from the ratio of uniforms (Kinderman and Monahan, 1977; Knuth volume 2, 3.4.1,
//! algorithm R), whose tails are the real ones and which needs a logarithm but no root.

/// SplitMix64. Element `i` of a stream has a generator of its own, so that a rejection at one element
/// moves no other.
pub(super) struct SplitMix64 {
    state: u64,
}

const GOLDEN_GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

impl SplitMix64 {
    pub(super) fn at(key: u64, index: u64) -> SplitMix64 {
        SplitMix64 { state: mix(key.wrapping_add(index.wrapping_mul(GOLDEN_GAMMA))) }
    }

    pub(super) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN_GAMMA);
        mix(self.state)
    }
}

/// The finaliser of SplitMix64: a bijection of 64-bit words.
const fn mix(word: u64) -> u64 {
    let word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}

/// The key of a stream: seeds and streams that differ by one must not give shifted copies.
pub(super) const fn stream_key(seed: u64, stream: u64) -> u64 {
    mix(mix(seed).wrapping_add(stream.wrapping_add(1).wrapping_mul(GOLDEN_GAMMA)))
}

/// The upper 53 bits as a number in [0, 1).
pub(super) fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// A standard normal variate: x = sqrt(8/e) (v - 1/2) / u where x^2 <= -4 ln u.
pub(super) fn normal(bits: &mut SplitMix64) -> f64 {
    const SQRT_8_OVER_E: f64 = 1.715_527_769_921_413_5;
    const FOUR_EXP_QUARTER: f64 = 5.136_101_666_750_965;
    const FOUR_EXP_MINUS_1_35: f64 = 1.036_961_042_583_566;
    loop {
        // Never 0: the upper 53 bits plus a half step.
        let u = unit(bits.next()) + 0.5 / (1u64 << 53) as f64;
        let v = unit(bits.next());
        let x = SQRT_8_OVER_E * (v - 0.5) / u;
        let square = x * x;
        // Knuth's quick acceptance and rejection, both implied by the exact test, spare most logarithms.
        if square <= 5.0 - FOUR_EXP_QUARTER * u {
            return x;
        }
        if square >= FOUR_EXP_MINUS_1_35 / u + 1.4 {
            continue;
        }
        if square <= -4.0 * ln(u) {
            return x;
        }
    }
}

/// The natural logarithm of a positive normal number, in plain arithmetic: ln 2 times the exponent,
/// and 2 artanh((m - 1) / (m + 1)) of a mantissa in [sqrt(1/2), sqrt(2)).
fn ln(x: f64) -> f64 {
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i64 - 1023;
    let mut mantissa = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    if mantissa > std::f64::consts::SQRT_2 {
        mantissa *= 0.5;
        exponent += 1;
    }
    let z = (mantissa - 1.0) / (mantissa + 1.0);
    let square = z * z;
    // |z| < 0.1716, so the first term left out is below 1e-18.
    let mut sum = 0.0;
    for k in (0..12).rev() {
        sum = sum * square + 1.0 / (2 * k + 1) as f64;
    }
    exponent as f64 * std::f64::consts::LN_2 + 2.0 * z * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_the_published_one() {
        // The first outputs of SplitMix64 from state 1234567, as its authors' C program prints them.
        let mut bits = SplitMix64 { state: 1_234_567 };
        assert_eq!(bits.next(), 6_457_827_717_110_365_317);
        assert_eq!(bits.next(), 3_203_168_211_198_807_973);
        assert_eq!(bits.next(), 9_817_491_932_198_370_423);
    }

    #[test]
    fn the_logarithm_is_right_to_the_last_bits() {
        for i in 1..2000 {
            let x = f64::from(i) * f64::from(i) * 1e-6;
            assert!((ln(x) - x.ln()).abs() <= 4e-16 * x.ln().abs().max(1.0), "{x}");
        }
        assert!((ln(1e-16) - 1e-16f64.ln()).abs() < 1e-14);
    }
}
