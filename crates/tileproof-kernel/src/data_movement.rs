//! What a reader or writer kernel calls: circular buffers, NoC, L1.

use tileproof_model::abi::{Abi, CbInterface, bank, barrier, compare, l1, noc_address};
use tileproof_model::kernel::KernelArgs;
use tileproof_model::thread::Thread;

use crate::call::{argument, here};

/// The calls of a data-movement kernel, on BRISC or NCRISC.
pub struct DataMovement<'a> {
    abi: &'static Abi,
    args: &'a KernelArgs<'a>,
    noc: u32,
}

impl<'a> DataMovement<'a> {
    pub(crate) fn new(abi: &'static Abi, args: &'a KernelArgs<'a>) -> Self {
        // Readers use NoC 0 and writers NoC 1 unless the program says otherwise (tt-metal's default assignment).
        let noc = u32::from(args.thread == Thread::Brisc);
        DataMovement { abi, args, noc }
    }

    /// Runtime argument `index`.
    ///
    /// # Panics
    /// If the program gave fewer arguments.
    #[track_caller]
    pub fn get_arg_val(&self, index: usize) -> u32 {
        argument(self.args.runtime, index, "runtime")
    }

    /// Compile-time argument `index`.
    ///
    /// # Panics
    /// If the program gave fewer arguments.
    #[track_caller]
    pub fn get_compile_time_arg_val(&self, index: usize) -> u32 {
        argument(self.args.compile_time, index, "compile-time")
    }

    /// Waits until `pages` pages can be read.
    #[track_caller]
    pub fn cb_wait_front(&self, cb: u32, pages: u32) {
        (self.abi.cb_wait_front)(here(), cb, pages);
    }

    /// Gives `pages` pages back to the producer.
    #[track_caller]
    pub fn cb_pop_front(&self, cb: u32, pages: u32) {
        (self.abi.cb_pop_front)(here(), cb, pages);
    }

    /// Waits until `pages` pages are free.
    #[track_caller]
    pub fn cb_reserve_back(&self, cb: u32, pages: u32) {
        (self.abi.cb_reserve_back)(here(), cb, pages);
    }

    /// Publishes `pages` pages to the consumer.
    #[track_caller]
    pub fn cb_push_back(&self, cb: u32, pages: u32) {
        (self.abi.cb_push_back)(here(), cb, pages);
    }

    #[track_caller]
    fn interface(&self, cb: u32) -> CbInterface {
        interface(self.abi, cb)
    }

    /// L1 address of the next page to write.
    #[track_caller]
    pub fn get_write_ptr(&self, cb: u32) -> u32 {
        self.interface(cb).fifo_wr_ptr
    }

    /// L1 address of the next page to read.
    #[track_caller]
    pub fn get_read_ptr(&self, cb: u32) -> u32 {
        self.interface(cb).fifo_rd_ptr
    }

    /// Bytes of a page of the buffer.
    #[track_caller]
    pub fn get_page_size(&self, cb: u32) -> u32 {
        self.interface(cb).fifo_page_size
    }

    /// Starts reading `bytes` bytes from a NoC address to L1.
    #[track_caller]
    pub fn noc_async_read(&self, from: u64, to_l1: u32, bytes: u32) {
        (self.abi.noc_read)(here(), self.noc, from, to_l1, bytes);
    }

    /// Starts writing `bytes` bytes from L1 to a NoC address.
    #[track_caller]
    pub fn noc_async_write(&self, from_l1: u32, to: u64, bytes: u32) {
        (self.abi.noc_write)(here(), self.noc, from_l1, to, bytes, 0);
    }

    /// [`DataMovement::noc_async_write`] with the template parameter `posted`: nobody acknowledges it.
    #[track_caller]
    pub fn noc_async_write_posted(&self, from_l1: u32, to: u64, bytes: u32) {
        (self.abi.noc_write)(here(), self.noc, from_l1, to, bytes, 1);
    }

    /// Starts reading page `page` of a tensor to L1.
    #[track_caller]
    pub fn noc_async_read_page(&self, page: u32, tensor: &TensorAccessor, to_l1: u32) {
        let from = tensor.get_noc_addr(self, page, 0);
        (self.abi.noc_read)(here(), self.noc, from, to_l1, tensor.page_size);
    }

    /// Starts writing page `page` of a tensor from L1.
    #[track_caller]
    pub fn noc_async_write_page(&self, page: u32, tensor: &TensorAccessor, from_l1: u32) {
        let to = tensor.get_noc_addr(self, page, 0);
        (self.abi.noc_write)(here(), self.noc, from_l1, to, tensor.page_size, 0);
    }

    /// Waits until all reads of this thread have landed.
    #[track_caller]
    pub fn noc_async_read_barrier(&self) {
        (self.abi.noc_barrier)(here(), self.noc, barrier::READS);
    }

    /// Waits until all writes of this thread are acknowledged.
    #[track_caller]
    pub fn noc_async_write_barrier(&self) {
        (self.abi.noc_barrier)(here(), self.noc, barrier::WRITES);
    }

    /// Waits until the data of all writes of this thread has left L1.
    #[track_caller]
    pub fn noc_async_writes_flushed(&self) {
        (self.abi.noc_barrier)(here(), self.noc, barrier::WRITES_FLUSHED);
    }

    /// Waits until the data of all posted writes of this thread has left L1.
    #[track_caller]
    pub fn noc_async_posted_writes_flushed(&self) {
        (self.abi.noc_barrier)(here(), self.noc, barrier::POSTED_FLUSHED);
    }

    /// The same calls over NoC 0 or 1, whichever is given: the parameter `noc` of the calls in C++.
    #[must_use]
    pub fn on_noc(&self, noc: u32) -> DataMovement<'a> {
        DataMovement { abi: self.abi, args: self.args, noc: noc & 1 }
    }

    /// NoC coordinates of this core.
    pub fn my_coordinates(&self) -> (u32, u32) {
        let word = (self.abi.my_coordinates)(self.noc);
        (word & 0xffff, word >> 16)
    }

    /// NoC address of `offset` in the L1 of the core at NoC coordinates (x, y).
    pub fn get_noc_addr(&self, (x, y): (u32, u32), offset: u32) -> u64 {
        let node = u64::from(y) << noc_address::Y_SHIFT | u64::from(x) << noc_address::X_SHIFT;
        node | u64::from(offset & l1::OFFSET_MASK)
    }

    /// Multicast address of `offset` in the L1 of the cores from `start` to `end`, NoC coordinates, as given: on NoC 1, where a
    /// rectangle runs from its high corner down to the low one, the caller exchanges them.
    pub fn get_noc_multicast_addr(&self, start: (u32, u32), end: (u32, u32), offset: u32) -> u64 {
        self.get_noc_addr(start, 0) << noc_address::START_SHIFT | self.get_noc_addr(end, offset)
    }

    /// Starts writing `bytes` bytes from L1 to all cores of a multicast address but this one; `num_dests` is how many.
    #[track_caller]
    pub fn noc_async_write_multicast(&self, from_l1: u32, to: u64, bytes: u32, num_dests: u32) {
        (self.abi.noc_multicast)(here(), self.noc, from_l1, to, bytes, num_dests, 0);
    }

    /// As [`DataMovement::noc_async_write_multicast`], this core included.
    #[track_caller]
    pub fn noc_async_write_multicast_loopback_src(&self, from_l1: u32, to: u64, bytes: u32, num_dests: u32) {
        (self.abi.noc_multicast)(here(), self.noc, from_l1, to, bytes, num_dests, 1);
    }

    /// L1 address of a semaphore, the same offset on every core.
    #[track_caller]
    pub fn get_semaphore(&self, id: u32) -> u32 {
        (self.abi.semaphore_address)(here(), id)
    }

    /// Sets a semaphore of this core.
    #[track_caller]
    pub fn noc_semaphore_set(&self, semaphore: u32, value: u32) {
        (self.abi.semaphore_set)(here(), semaphore, value);
    }

    /// Waits until a semaphore of this core is `value`.
    #[track_caller]
    pub fn noc_semaphore_wait(&self, semaphore: u32, value: u32) {
        (self.abi.semaphore_wait)(here(), semaphore, compare::EQUAL, value);
    }

    /// Waits until a semaphore of this core is `value` or more.
    #[track_caller]
    pub fn noc_semaphore_wait_min(&self, semaphore: u32, value: u32) {
        (self.abi.semaphore_wait)(here(), semaphore, compare::AT_LEAST, value);
    }

    /// Starts adding `value` to a semaphore of another core.
    #[track_caller]
    pub fn noc_semaphore_inc(&self, to: u64, value: u32) {
        (self.abi.noc_semaphore_inc)(here(), self.noc, to, value);
    }

    /// Starts writing the word at `from_l1` to the semaphores of all cores of a multicast address but this one.
    #[track_caller]
    pub fn noc_semaphore_set_multicast(&self, from_l1: u32, to: u64, num_dests: u32) {
        (self.abi.noc_multicast)(here(), self.noc, from_l1, to, 4, num_dests, 0);
    }

    /// Starts writing a word to a NoC address.
    #[track_caller]
    pub fn noc_inline_dw_write(&self, to: u64, value: u32) {
        (self.abi.noc_inline_write)(here(), self.noc, value, to);
    }

    /// Waits until all additions of this thread are acknowledged.
    #[track_caller]
    pub fn noc_async_atomic_barrier(&self) {
        (self.abi.noc_barrier)(here(), self.noc, barrier::ATOMICS);
    }

    /// Whether all reads with a transaction id, 0 for those that have none, have landed by now: a poll, as good as a barrier where it finds
    /// that.
    #[track_caller]
    pub fn ncrisc_noc_read_with_transaction_id_flushed(&self, trid: u32) -> bool {
        (self.abi.noc_trid_poll)(here(), self.noc, barrier::READS, trid) != 0
    }

    /// Stores words at an L1 address: what a C++ kernel does through a `volatile tt_l1_ptr uint32_t*`.
    #[track_caller]
    pub fn l1_store(&self, address: u32, words: &[u32]) {
        l1_store(self.abi, address, words);
    }

    /// Loads words from an L1 address.
    #[track_caller]
    pub fn l1_load(&self, address: u32, words: &mut [u32]) {
        l1_load(self.abi, address, words);
    }

    /// Spends `cycles` cycles of this thread on work of its own, such as a loop over L1.
    #[track_caller]
    pub fn spend(&self, cycles: u32) {
        (self.abi.spend)(here(), cycles);
    }

    /// NoC address of the first byte of a bank.
    #[track_caller]
    fn bank_address(&self, dram: bool, bank: u32) -> u64 {
        (self.abi.bank_address)(here(), kind_of_bank(dram), bank, self.noc)
    }
}

/// Page id to NoC address, for an interleaved tensor.
#[derive(Clone, Copy, Debug)]
pub struct TensorAccessor {
    base: u32,
    page_size: u32,
    aligned_page_size: u32,
    dram: bool,
    banks: u32,
}

/// The bit of a tensor accessor's first word that says DRAM (tt-metal `hostdevcommon/tensor_accessor/arg_config.hpp`). The
/// others say that it is sharded, or that what it needs comes as common runtime arguments.
const IS_DRAM: u32 = 2;

impl TensorAccessor {
    /// The accessor of a tensor whose accessor word is compile-time argument `offset`, at `base`, with pages of
    /// `page_size` bytes. The kernel stops, as on anything that the tool does not model, if the tensor is sharded.
    #[track_caller]
    pub fn new(dm: &DataMovement<'_>, offset: usize, base: u32, page_size: u32) -> TensorAccessor {
        let word = dm.get_compile_time_arg_val(offset);
        if word & !IS_DRAM != 0 {
            unsupported(
                dm.abi,
                &format!("TensorAccessor::new with the configuration {word:#x}: it knows interleaved ones"),
            );
        }
        let dram = word & IS_DRAM != 0;
        let alignment = (dm.abi.bank_alignment)(kind_of_bank(dram));
        TensorAccessor {
            base,
            page_size,
            aligned_page_size: page_size.next_multiple_of(alignment),
            dram,
            banks: (dm.abi.bank_count)(kind_of_bank(dram)),
        }
    }

    /// NoC address of byte `offset` of page `page`: bank page mod N, row page div N.
    #[track_caller]
    pub fn get_noc_addr(&self, dm: &DataMovement<'_>, page: u32, offset: u32) -> u64 {
        let row = page / self.banks;
        let local = u64::from(self.base) + u64::from(row) * u64::from(self.aligned_page_size) + u64::from(offset);
        dm.bank_address(self.dram, page % self.banks) + local
    }
}

const fn kind_of_bank(dram: bool) -> u32 {
    if dram { bank::DRAM } else { bank::L1 }
}

#[allow(unsafe_code)]
#[track_caller]
fn interface(abi: &Abi, cb: u32) -> CbInterface {
    let interface = (abi.cb_interface)(here(), cb);
    assert!(!interface.is_null(), "circular buffer {cb} does not exist on this chip");
    // SAFETY: the machine returns null or its own interface of the calling thread, which lives while the kernel runs.
    unsafe { *interface }
}

#[allow(unsafe_code)]
#[track_caller]
fn unsupported(abi: &Abi, text: &str) {
    // SAFETY: the text is `text.len()` readable bytes.
    unsafe { (abi.unsupported)(here(), text.as_ptr(), text.len()) }
}

#[allow(unsafe_code)]
#[track_caller]
fn l1_store(abi: &Abi, address: u32, words: &[u32]) {
    // SAFETY: the slice is `words.len()` readable words.
    unsafe { (abi.l1_store)(here(), address, words.as_ptr(), words.len() as u32) }
}

#[allow(unsafe_code)]
#[track_caller]
fn l1_load(abi: &Abi, address: u32, words: &mut [u32]) {
    // SAFETY: the slice is `words.len()` writable words.
    unsafe { (abi.l1_load)(here(), address, words.as_mut_ptr(), words.len() as u32) }
}
