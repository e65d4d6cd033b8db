//! C++ kernels to images: what is compiled, kept and refused.

mod builder;
mod days;
mod own_names;
mod pages;
mod request;
