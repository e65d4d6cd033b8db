//! The faults, one a specimen.
//!
//! It must never do anything: compute looks at the number. Start at [`Specimen`].

/// What is wrong with the kernels. The number is a compile-time argument of the compute kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Specimen {
    /// Nothing.
    Right = 0,
    /// dy gamma is multiplied onto the tile that holds s1, which has been used: the mean is not subtracted.
    AccumulatesOntoMean = 1,
    /// The window of the sums is open when x_hat is computed in windows of its own.
    NestedWindow = 2,
    /// Each block starts its sums at 0: of all blocks the last survives.
    OverwrittenSum = 3,
    /// The totals of a row are packed and not pushed.
    MissingPush = 4,
    /// 1/N is cut off to bf16.
    TruncatedScaler = 5,
    /// No hardware start-up.
    MissingStartup = 6,
}

impl Specimen {
    /// Those with a fault.
    pub const WRONG: [Specimen; 6] = [
        Specimen::AccumulatesOntoMean,
        Specimen::NestedWindow,
        Specimen::OverwrittenSum,
        Specimen::MissingPush,
        Specimen::TruncatedScaler,
        Specimen::MissingStartup,
    ];

    /// What is wrong, for a sentence.
    pub const fn words(self) -> &'static str {
        match self {
            Specimen::Right => "nothing",
            Specimen::AccumulatesOntoMean => {
                "the mean is not subtracted: a product goes onto the tile that holds the sum"
            }
            Specimen::NestedWindow => "sums are lost: a window of Dst is opened inside another",
            Specimen::OverwrittenSum => "each block starts its sums at 0: the last one survives",
            Specimen::MissingPush => "the totals of a row are packed and not pushed",
            Specimen::TruncatedScaler => "1/N is cut off to bf16",
            Specimen::MissingStartup => "there is no hardware start-up",
        }
    }
}
