//! C++ kernels to images: what is compiled, kept and refused.

mod builder;
mod own_names;
mod pages;
mod request;
