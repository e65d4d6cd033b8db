//! npy files.
