//! Which formats tensors, circular buffers and ops may have, and the words that name them in files and on command lines.
//!
//! The names themselves are [`DataFormat`]'s. The order is that in which an error lists them. Start at [`dtype_words`].

use tileproof_numerics::format::DataFormat;

/// Of tensors.
pub(crate) const OF_TENSORS: [DataFormat; 9] = [
    DataFormat::Float16_b,
    DataFormat::Float32,
    DataFormat::Int32,
    DataFormat::UInt32,
    DataFormat::UInt16,
    DataFormat::UInt8,
    DataFormat::Int8,
    DataFormat::Bfp8_b,
    DataFormat::Bfp4_b,
];

/// Of circular buffers.
pub(crate) const OF_BUFFERS: [DataFormat; 11] = [
    DataFormat::Float32,
    DataFormat::Float16,
    DataFormat::Float16_b,
    DataFormat::Bfp8_b,
    DataFormat::Bfp4_b,
    DataFormat::Bfp2_b,
    DataFormat::Int32,
    DataFormat::UInt32,
    DataFormat::UInt16,
    DataFormat::Int8,
    DataFormat::UInt8,
];

/// Of ops: those that the workbench has references for.
pub(crate) const OF_OPS: [DataFormat; 2] = [DataFormat::Float16_b, DataFormat::Float32];

/// All words for the formats of tensors: the names of ttnn's `DataType`, then the short ones of the command line.
pub(crate) fn dtype_words(formats: &[DataFormat]) -> Vec<(&'static str, DataFormat)> {
    let long = formats.iter().map(|format| (format.dtype_name(), *format));
    let short = formats.iter().map(|format| (format.short_name(), *format));
    long.chain(short.filter(|(word, format)| *word != format.dtype_name())).collect()
}

/// The format that a word names, among those of circular buffers and tensors.
pub fn format_named(word: &str) -> Option<DataFormat> {
    buffer_words().into_iter().find(|(known, _)| *known == word).map(|(_, format)| format)
}

/// All words for the formats of circular buffers: those of tensors, and the names of tt-metal's `DataFormat`.
pub(crate) fn buffer_words() -> Vec<(&'static str, DataFormat)> {
    let names = OF_BUFFERS.iter().map(|format| (format.name(), *format));
    dtype_words(&OF_TENSORS).into_iter().chain(names).collect()
}
