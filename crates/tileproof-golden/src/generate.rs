//! Arrays that need no bytes in the repository because a rule makes them.
//! A rule must be exact, and the packing program uses one only after it gave the recorded bits.
//! Start reading at [`Rule`].

/// How to make an array's bytes.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Rule {
    /// All 65,536 patterns of 16 bits in order.
    Arange,
    /// Uniform bf16 values of `numpy.random.default_rng(seed)`: `count` draws from `low` to `high` after `skip` draws.
    UniformBf16 { seed: u32, skip: usize, count: usize, low: f64, high: f64 },
    /// `x / 2 + 1 / 2 + e` in bf16: x the first `count` draws from -1 to 1 rounded to bf16, e the next from -1/4 to 1/4.
    HalfPlusNoiseBf16 { seed: u32, count: usize },
}

impl Rule {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match *self {
            Self::Arange => (0..=u16::MAX).flat_map(u16::to_le_bytes).collect(),
            Self::UniformBf16 { seed, skip, count, low, high } => {
                let mut stream = Pcg64::seeded(seed);
                for _ in 0..skip {
                    stream.next();
                }
                (0..count).flat_map(|_| bf16_nearest_even(stream.uniform(low, high)).to_le_bytes()).collect()
            }
            Self::HalfPlusNoiseBf16 { seed, count } => {
                let mut stream = Pcg64::seeded(seed);
                let x: Vec<u16> = (0..count).map(|_| bf16_nearest_even(stream.uniform(-1.0, 1.0))).collect();
                x.into_iter()
                    .flat_map(|x| {
                        let x = f64::from(f32::from_bits(u32::from(x) << 16));
                        bf16_nearest_even(x / 2.0 + 0.5 + stream.uniform(-0.25, 0.25)).to_le_bytes()
                    })
                    .collect()
            }
        }
    }
}

/// By way of single precision, as the vectors were made.
fn bf16_nearest_even(value: f64) -> u16 {
    let bits = (value as f32).to_bits();
    ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16) as u16
}

/// PCG XSL RR 128/64 with the seeding of NumPy's `SeedSequence`, both as NumPy documents them (numpy.random.PCG64).
struct Pcg64 {
    state: u128,
    increment: u128,
}

const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

impl Pcg64 {
    fn seeded(seed: u32) -> Self {
        let words = seed_sequence(seed);
        let wide = |high: usize| (u128::from(words[high]) << 64) | u128::from(words[high + 1]);
        let mut stream = Self { state: 0, increment: (wide(2) << 1) | 1 };
        stream.step();
        stream.state = stream.state.wrapping_add(wide(0));
        stream.step();
        stream
    }

    fn step(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }

    fn next(&mut self) -> u64 {
        self.step();
        let folded = (self.state >> 64) as u64 ^ self.state as u64;
        folded.rotate_right((self.state >> 122) as u32)
    }

    fn next_double(&mut self) -> f64 {
        (self.next() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next_double()
    }
}

/// NumPy's `SeedSequence(seed).generate_state(4, uint64)` for a seed of one 32-bit word.
fn seed_sequence(seed: u32) -> [u64; 4] {
    const MIX_LEFT: u32 = 0xca01_f9dd;
    const MIX_RIGHT: u32 = 0x4973_f715;
    let mut constant = 0x43b0_d7e5_u32;
    let mut hash = |value: u32| {
        let value = value ^ constant;
        constant = constant.wrapping_mul(0x931e_8875);
        let value = value.wrapping_mul(constant);
        value ^ (value >> 16)
    };
    let mut pool = [seed, 0, 0, 0].map(&mut hash);
    for source in 0..4 {
        for target in (0..4).filter(|target| *target != source) {
            let mixed = MIX_LEFT.wrapping_mul(pool[target]).wrapping_sub(MIX_RIGHT.wrapping_mul(hash(pool[source])));
            pool[target] = mixed ^ (mixed >> 16);
        }
    }
    let mut constant = 0x8b51_f9dd_u32;
    let mut word = |value: u32| {
        let value = value ^ constant;
        constant = constant.wrapping_mul(0x58f3_8ded);
        let value = value.wrapping_mul(constant);
        u64::from(value ^ (value >> 16))
    };
    let halves: Vec<u64> = (0..8).map(|i| word(pool[i % 4])).collect();
    std::array::from_fn(|i| halves[2 * i] | (halves[2 * i + 1] << 32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_numpys() {
        // numpy 2.4: np.random.default_rng(12345), .random() twice.
        let mut stream = Pcg64::seeded(12345);
        assert_eq!(stream.next_double(), 0.227_336_022_467_169_66_f64);
        assert_eq!(stream.next_double(), 0.316_758_339_709_752_87);
    }
}
