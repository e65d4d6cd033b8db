//! Input data.
