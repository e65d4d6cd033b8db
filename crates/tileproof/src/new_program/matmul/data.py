"""The arrays of this program: python data.py writes them anew."""

import numpy as np


def bfloat16(values):
    """The bits of the nearest bfloat16, which numpy has no type for; halves are rounded up, as the packer does."""
    return ((np.asarray(values, np.float32).view(np.uint32) + 0x8000) >> 16).astype(np.uint16)


def float32(bits):
    """The values of bfloat16 bits."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


random = np.random.default_rng(0)
a = bfloat16(random.uniform(-1, 1, (64, 96)))
b = bfloat16(random.uniform(-1, 1, (96, 32)))
np.save("a.npy", a)
np.save("b.npy", b)
np.save("out.npy", bfloat16(float32(a) @ float32(b)))
