"""The arrays of this program: python data.py writes them anew."""

import numpy as np


def bfloat16(values):
    """The bits of the nearest bfloat16, which numpy has no type for; halves are rounded up, as the packer does."""
    return ((np.asarray(values, np.float32).view(np.uint32) + 0x8000) >> 16).astype(np.uint16)


def float32(bits):
    """The values of bfloat16 bits."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


random = np.random.default_rng(1)
# The numbers before are those of `eltwise_8_cores` and `row_max`.
random.uniform(size=2 * 20 * 32 * 32)
random.standard_normal(64 * 96)
x = bfloat16(random.uniform(-1, 1, (256, 64)))
w = bfloat16(random.uniform(0.5, 1.5, (1, 64)))
np.save("x.npy", x)
np.save("w.npy", w)
np.save("y.npy", bfloat16(float32(x) * float32(w)))
