//! What lies in the L1 of a core, as text, for circular buffers that do not fit.

use tileproof_model::arch::Chip;
use tileproof_model::program::CbDescriptor;
use tileproof_model::thread::CoreCoord;
use tileproof_model::wording::cb_name;

use crate::l1_tensor::L1Tensor;
use crate::launch_error::LaunchError;

/// The circular buffers of a core, one a line, when they do not fit.
pub(crate) fn l1_overflow<'a>(
    core: CoreCoord,
    descriptors: &[CbDescriptor],
    arch: &Chip,
    limit: u32,
    tensors: impl Iterator<Item = (&'a str, &'a L1Tensor)>,
) -> LaunchError {
    let (end_of_room, limit) =
        (if limit < arch.l1_bytes { "the tensors in L1" } else { "the end of L1" }, u64::from(limit));
    let mut top = u64::from(arch.l1_unreserved_base);
    let mut lines = vec![format!("{:>10}  {:>9}  {:<12} pages", "address", "bytes", "buffer")];
    for descriptor in
        descriptors.iter().filter(|d| d.tensor.is_none() && d.core_ranges.iter().any(|r| r.contains(core)))
    {
        let end = top + u64::from(descriptor.total_size);
        let names: Vec<String> = descriptor.format_descriptors.iter().map(|f| cb_name(f.buffer_index)).collect();
        let pages = descriptor.format_descriptors.first().map_or_else(String::new, |f| {
            let count = descriptor.total_size / f.page_size.max(1);
            format!("{count} x {} bytes, {:?}", f.page_size, f.data_format)
        });
        let beyond = match end.checked_sub(limit) {
            None | Some(0) => String::new(),
            Some(_) if top >= limit => format!("  <- beyond {end_of_room}"),
            Some(_) => format!("  <- runs into {end_of_room}"),
        };
        lines.push(format!("{top:>10}  {:>9}  {:<12} {pages}{beyond}", descriptor.total_size, names.join(", ")));
        top = end.next_multiple_of(u64::from(arch.l1_alignment));
    }
    let (end, over) = (top, top - limit);
    // Tensors are allocated from the top down: the last one lies lowest.
    let mut tensors: Vec<(&str, &L1Tensor)> = tensors.collect();
    tensors.reverse();
    for (name, tensor) in tensors {
        lines.push(format!("{:>10}  {:>9}  tensor {name}", tensor.address, tensor.bytes_on_a_core));
    }
    // The buffer that could give the most.
    let own = descriptors.iter().filter(|d| d.tensor.is_none() && d.core_ranges.iter().any(|r| r.contains(core)));
    let largest = own.max_by_key(|d| d.total_size);
    let index = largest.and_then(|d| d.format_descriptors.first()).map_or(0, |f| f.buffer_index);
    if let Some((descriptor, format)) = largest.and_then(|d| Some((d, d.format_descriptors.first()?))) {
        let fewer = over.div_ceil(u64::from(format.page_size.max(1)));
        if fewer * u64::from(format.page_size) < u64::from(descriptor.total_size) {
            lines.push(format!("they fit if {} has {fewer} pages fewer", cb_name(index)));
        }
    }
    let room = limit - u64::from(arch.l1_unreserved_base);
    lines.push(format!("{room} bytes can be used, from {} to {limit}", arch.l1_unreserved_base));
    LaunchError::L1Overflow { core, index, end, limit: limit as u32, over, map: lines.join("\n") }
}
