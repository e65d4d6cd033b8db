//! What lies where in a core's L1: circular buffers, memory that nothing owns, outputs.

use tileproof_model::layout::{BufferLayout, CoreLayout};

use crate::buffer::CircularBuffer;
use crate::core::{Core, SEMAPHORES};
use crate::l1_tensor::L1Tensor;

impl Core {
    /// All of it, for observers.
    pub(crate) fn layout<'a>(&self, tensors: impl Iterator<Item = (&'a str, &'a L1Tensor)>) -> CoreLayout {
        let buffers = self.cbs.iter().enumerate().filter_map(|(cb, buffer)| {
            let CircularBuffer { base, size, page_size, .. } = *buffer.as_ref()?;
            Some(BufferLayout { cb: cb as u32, bytes: base..base + size, page_bytes: page_size })
        });
        let tensors = tensors.map(|(name, tensor)| {
            (tensor.address..tensor.address.saturating_add(tensor.bytes_on_a_core), name.to_string())
        });
        let word = |id: u32| self.l1.read_word(self.semaphore_base + 16 * id);
        let begins = (0..SEMAPHORES).filter(|id| self.semaphores >> id & 1 == 1).map(|id| (id, word(id)));
        CoreLayout {
            coord: self.coord,
            semaphores: self.semaphore_base..self.semaphore_base + 16 * SEMAPHORES,
            begins: begins.collect(),
            buffers: buffers.collect(),
            tensors: tensors.collect(),
        }
    }

    /// The circular buffer that an offset in L1 lies in.
    pub(crate) fn buffer_at(&self, offset: u32) -> Option<u32> {
        let inside = |buffer: &CircularBuffer| (buffer.base..buffer.base + buffer.size).contains(&offset);
        self.cbs.iter().position(|buffer| buffer.as_ref().is_some_and(inside)).map(|cb| cb as u32)
    }

    /// The circular buffer that an offset in L1 lies in, and the bytes from there to its end: the longest where several share
    /// memory.
    pub(crate) fn longest_buffer(&self, offset: u32) -> Option<(u32, &CircularBuffer, u32)> {
        let inside = |(cb, base, size): &(u32, u32, u32)| {
            let room = (base + size).checked_sub(offset)?;
            (1..=*size).contains(&room).then_some((*cb, room))
        };
        let (cb, room) = self.cb_places.iter().filter_map(inside).max_by_key(|(_, room)| *room)?;
        Some((cb, self.cbs[cb as usize].as_ref()?, room))
    }

    /// The same, and no end where a tensor goes on behind the buffer: others reach its shards by their addresses.
    pub(crate) fn buffer_and_room(&self, offset: u32) -> Option<(u32, u32)> {
        let (cb, buffer, room) = self.longest_buffer(offset)?;
        Some((cb, if buffer.is_backed { u32::MAX } else { room }))
    }

    /// Which of some bytes lie in L1 that nothing owns: the last circular buffer, and how far behind its end the first is.
    pub(crate) fn past_buffers(&self, offset: u32, bytes: u32) -> Option<(u32, u32)> {
        let free = self.free.as_ref()?;
        let first = offset.max(free.start);
        (first < offset.saturating_add(bytes).min(free.end)).then(|| (free.cb, first - free.start))
    }

    /// True if a page of an output lies at an offset in L1: shards may have room behind the last page.
    pub(crate) fn is_output(&self, offset: u32) -> bool {
        self.outputs.range(..=offset).next_back().is_some_and(|(_, end)| offset < *end)
    }
}
