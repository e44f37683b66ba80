//! What the CPU offers, looked up at run time.

/// A set of instructions that kernels are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// Whatever the target has at least.
    Portable,
    /// Registers of 256 bits.
    Avx2,
    /// Registers of 512 bits.
    Avx512,
}

impl Level {
    /// Every level, the best first.
    pub(crate) const ALL: [Level; 3] = [Level::Avx512, Level::Avx2, Level::Portable];

    /// The best level of this CPU.
    pub(crate) fn detect() -> Self {
        Self::ALL.into_iter().find(|level| level.is_available()).unwrap_or(Level::Portable)
    }

    /// Whether this CPU has the instructions. The answer is looked up once per process.
    pub(crate) fn is_available(self) -> bool {
        match self {
            Level::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => has_avx2(),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => {
                has_avx2()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Level::Avx2 | Level::Avx512 => false,
        }
    }
}

/// AVX2 and the bit instructions that came with it.
#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}
