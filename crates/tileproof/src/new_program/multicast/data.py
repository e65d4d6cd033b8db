"""The arrays of this program: python data.py writes them anew."""

import numpy as np


def bfloat16(values):
    """The bits of the nearest bfloat16, which numpy has no type for; halves are rounded up, as the packer does."""
    return ((np.asarray(values, np.float32).view(np.uint32) + 0x8000) >> 16).astype(np.uint16)


# Whole 64ths up to 1: bfloat16 holds their sums.
random = np.random.default_rng(0)
shared = random.integers(-64, 65, (32, 32)) / 64
x = random.integers(-64, 65, (4, 32, 32)) / 64
np.save("shared.npy", bfloat16(shared))
np.save("x.npy", bfloat16(x))
np.save("out.npy", bfloat16(x + shared))
