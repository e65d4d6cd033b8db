//! The memory of circular buffers.

use tileproof_model::observe::Observer;
use tileproof_model::program::{CbDescriptor, MemoryConfig};

use crate::buffer::CircularBuffer;
use crate::core::{Core, FreeL1};
use crate::l1_map::l1_overflow;
use crate::launch_error::LaunchError;
use crate::machine::{Home, Machine, Tensor};

impl<O: Observer> Machine<O> {
    /// Where the memory of a circular buffer lies that a tensor backs; `None` for one with memory of its own.
    fn backing(&self, cb: &CbDescriptor) -> Result<Option<u32>, LaunchError> {
        let Some((name, offset)) = &cb.tensor else { return Ok(None) };
        let index = cb.format_descriptors.first().map_or(0, |f| f.buffer_index);
        let Tensor { descriptor, home } = self.tensor(name)?;
        let (MemoryConfig::Sharded(sharding), Home::L1(tensor)) = (&descriptor.memory, home) else {
            return Err(LaunchError::NotBacked { index, name: name.clone() });
        };
        if cb.core_ranges.iter().flat_map(|r| r.cores()).any(|core| !sharding.cores.contains(&core)) {
            return Err(LaunchError::NotBacked { index, name: name.clone() });
        }
        let shard = tensor.bytes_on_a_core;
        if u64::from(*offset) + u64::from(cb.total_size) > u64::from(shard) {
            let (total, offset) = (cb.total_size, *offset);
            return Err(LaunchError::BeyondShard { index, name: name.clone(), total, offset, shard });
        }
        Ok(Some(tensor.address + offset))
    }

    /// Allocates circular buffers in the order of their descriptors, in lock-step over the cores that share one.
    pub(crate) fn allocate_cbs(&mut self, descriptors: &[CbDescriptor]) -> Result<(), LaunchError> {
        let arch = self.engine.arch.constants();
        let mut tops = vec![u64::from(arch.l1_unreserved_base); self.engine.cores.len()];
        for descriptor in descriptors {
            let on = |core: &Core| descriptor.core_ranges.iter().any(|r| r.contains(core.coord));
            let backed = self.backing(descriptor)?;
            let tops_here = self.engine.cores.iter().zip(&tops).filter(|(c, _)| on(c)).map(|(_, top)| *top);
            let Some(top) = tops_here.max() else { continue };
            let base = backed.map_or(top, u64::from);
            let end = (base + u64::from(descriptor.total_size)).next_multiple_of(u64::from(arch.l1_alignment));
            let limit = self.l1_top;
            for (core, top) in self.engine.cores.iter_mut().zip(&mut tops).filter(|(c, _)| on(c)) {
                if backed.is_none() {
                    if end > u64::from(limit) {
                        let in_l1 = self.tensors.iter().filter_map(|tensor| match &tensor.home {
                            Home::L1(home) => Some((tensor.descriptor.name.as_str(), home)),
                            Home::Dram { .. } => None,
                        });
                        return Err(l1_overflow(core.coord, descriptors, arch, limit, in_l1));
                    }
                    *top = end;
                    if core.is_used {
                        core.l1.undefine(base as u32, descriptor.total_size);
                    } else {
                        core.l1.prepare(base as u32, descriptor.total_size);
                    }
                }
                for format in &descriptor.format_descriptors {
                    let index = format.buffer_index;
                    if u32::from(index) >= arch.circular_buffers {
                        let last = arch.circular_buffers - 1;
                        return Err(LaunchError::NoSuchBuffer { index, arch: self.engine.arch.name(), last });
                    }
                    if format.page_size == 0 || descriptor.total_size % format.page_size != 0 {
                        let (total, page) = (descriptor.total_size, format.page_size);
                        return Err(LaunchError::UnevenPages { index, total, page });
                    }
                    let (size, page) = (descriptor.total_size, format.page_size);
                    let mut buffer = CircularBuffer::new(base as u32, size, page, format.data_format);
                    buffer.is_backed = backed.is_some();
                    core.cbs[usize::from(index)] = Some(buffer);
                }
            }
        }
        self.note_places();
        Ok(())
    }

    /// Notes where circular buffers lie on each core, and where free L1 begins.
    fn note_places(&mut self) {
        let top = self.l1_top;
        for core in &mut self.engine.cores {
            let place = |(cb, buffer): (usize, &Option<CircularBuffer>)| {
                buffer.as_ref().map(|buffer| (cb as u32, buffer.base, buffer.size))
            };
            core.cb_places = core.cbs.iter().enumerate().filter_map(place).collect();
            // Those that a tensor backs lie above.
            let below = core.cb_places.iter().filter(|(_, base, _)| *base < top);
            let ends = below.map(|(cb, base, size)| (base + size, *cb));
            core.free = ends.max().map(|(start, cb)| FreeL1 { start, end: top, cb });
        }
    }
}
