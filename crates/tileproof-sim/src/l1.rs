//! L1 memory: one window a core, at an address below 4 GiB.
//!
//! Kernels keep L1 addresses in 32-bit integers and dereference them, so a window lies where such an address points to it,
//! and windows lie 16 MiB apart so that the low 24 bits are the offset in L1. Windows come from one pool for the process:
//! several machines may live at once. What nobody has written is [`POISON`] everywhere, unless a run asks for another byte: a
//! window is a private mapping of one file of such bytes, which nothing can write any more, and whose pages the host copies when
//! they are written. No `&mut [u8]` over L1 lives while kernels run, because C++ kernels write there too: the packer alone forms one,
//! for a page that it fills.

#![allow(unsafe_code)]

use std::cell::Cell;
use std::fs::File;
use std::ops::Range;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::os::unix::fs::FileExt;
use std::ptr;
use std::sync::Mutex;

use tileproof_model::abi::l1::OFFSET_MASK;
use tileproof_numerics::search::has_datum;

use crate::dram::POISON;

/// Distance of windows.
const STEP: usize = 16 << 20;
/// Bytes mapped a window: more than the L1 of any chip.
pub(crate) const WINDOW_BYTES: usize = 2 << 20;
/// Bytes that are looked at to tell undefined memory: a face row of 16-bit datums.
const POISON_RUN: u32 = 32;
/// The least descriptor of the file of undefined bytes.
const AWAY: RawFd = 16;
/// A page of the host.
const PAGE: usize = 4096;
/// Bytes from which on it is faster to ask the host for all pages at once.
const WORTH_POPULATING: u32 = 1 << 16;
/// An address and its offset are told apart by this mask alone.
const _: () = assert!(OFFSET_MASK as usize == STEP - 1);

/// Bytes that windows which are not in use may hold together: a host page that comes back is filled in less time than a new one.
const MOST_LEFT: u32 = 64 << 20;

/// A window that is mapped and not in use.
struct Left {
    base: usize,
    /// Bytes that hold what the last machine left; all others are undefined.
    used: Range<u32>,
}

/// Windows that are mapped and not in use.
static FREE: Mutex<Vec<Left>> = Mutex::new(Vec::new());
/// Next base to try.
static NEXT: Mutex<usize> = Mutex::new(STEP);

/// The file that windows are mapped from, made when the first one is.
static UNDEFINED: Mutex<Option<File>> = Mutex::new(None);

/// Runs `f` with the descriptor of the file of undefined bytes.
fn with_undefined<R>(f: impl FnOnce(RawFd) -> R) -> std::io::Result<R> {
    let mut undefined = UNDEFINED.lock().expect("the file of undefined bytes");
    if undefined.is_none() {
        // SAFETY: the name is a C string; the descriptor that comes back is nobody else's.
        let file = unsafe {
            match libc::memfd_create(c"tileproof-l1".as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) {
                -1 => return Err(std::io::Error::last_os_error()),
                descriptor => File::from_raw_fd(descriptor),
            }
        };
        // Away from the streams of a process, which another may have to put in place beside it.
        // SAFETY: as above.
        let file = unsafe {
            match libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, AWAY) {
                -1 => return Err(std::io::Error::last_os_error()),
                descriptor => File::from_raw_fd(descriptor),
            }
        };
        let piece = [POISON; 16 * PAGE];
        for at in (0..WINDOW_BYTES).step_by(piece.len()) {
            file.write_all_at(&piece, at as u64)?;
        }
        // Kernels have the descriptor: what one wrote would be in windows to come, of other machines too.
        let seals = libc::F_SEAL_WRITE | libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
        // SAFETY: takes rights to a file of ours away, for good.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) } == -1 {
            return Err(std::io::Error::last_os_error());
        }
        *undefined = Some(file);
    }
    Ok(f(undefined.as_ref().expect("made above").as_raw_fd()))
}

/// The descriptor that windows to come are mapped from, if it is open.
pub fn open_descriptor() -> Option<RawFd> {
    UNDEFINED.lock().expect("the file of undefined bytes").as_ref().map(|file| file.as_raw_fd())
}

/// Makes the file of undefined bytes, where a process can make one no more later.
pub(crate) fn prepare() -> std::io::Result<()> {
    with_undefined(|_| ())
}

/// The L1 of one core.
pub(crate) struct L1Window {
    base: usize,
    bytes: u32,
    /// What undefined memory is filled with.
    poison: u8,
    /// Where arguments, circular buffers and tensors lay: bytes whose host pages are there, most of them.
    used: Cell<(u32, u32)>,
    /// Bytes whose host pages were there from the beginning.
    there: Range<u32>,
}

impl L1Window {
    fn at(base: usize, bytes: u32, poison: u8, there: Range<u32>) -> L1Window {
        L1Window { base, bytes, poison, used: Cell::new((u32::MAX, 0)), there }
    }

    /// Takes a window of `bytes` bytes from the pool, all of them `poison`.
    pub(crate) fn new(bytes: u32, poison: u8) -> std::io::Result<L1Window> {
        let window = L1Window::take(bytes, poison)?;
        if poison != POISON {
            window.undefine(0, bytes);
        }
        Ok(window)
    }

    fn take(bytes: u32, poison: u8) -> std::io::Result<L1Window> {
        assert!(bytes as usize <= WINDOW_BYTES);
        let left = FREE.lock().expect("pool of L1 windows").pop();
        if let Some(Left { base, used }) = left {
            let window = L1Window::at(base, bytes, poison, used.clone());
            window.undefine_again(used);
            return Ok(window);
        }
        let mut next = NEXT.lock().expect("pool of L1 windows");
        while *next + STEP <= 1 << 32 {
            let base = *next;
            *next += STEP;
            // SAFETY: MAP_FIXED_NOREPLACE maps this range or fails; it never replaces a mapping.
            let mapped = with_undefined(|file| unsafe {
                libc::mmap(
                    base as *mut libc::c_void,
                    WINDOW_BYTES,
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_PRIVATE | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE,
                    file,
                    0,
                )
            })?;
            if mapped as usize == base {
                return Ok(L1Window::at(base, bytes, poison, 0..0));
            }
            if mapped != libc::MAP_FAILED {
                // A kernel older than MAP_FIXED_NOREPLACE took the address as a hint.
                // SAFETY: this range was mapped just now and nobody knows of it.
                unsafe { libc::munmap(mapped, WINDOW_BYTES) };
            }
        }
        Err(std::io::Error::other("no room for another core's L1 below 4 GiB"))
    }

    /// The L1 address of offset 0, as kernels see it.
    pub(crate) fn base(&self) -> u32 {
        self.base as u32
    }

    /// The offset of an L1 address given by a kernel: an address in this window, or a plain offset.
    pub(crate) fn offset(&self, address: u32) -> u32 {
        address & OFFSET_MASK
    }

    /// True if `bytes` bytes at `offset` lie in L1.
    pub(crate) fn contains(&self, offset: u32, bytes: u32) -> bool {
        u64::from(offset) + u64::from(bytes) <= u64::from(self.bytes)
    }

    /// Pointer to `bytes` bytes at `offset`.
    ///
    /// # Panics
    /// If they do not lie in L1: callers check first and make a finding.
    pub(crate) fn pointer(&self, offset: u32, bytes: u32) -> *mut u8 {
        assert!(self.contains(offset, bytes), "L1 access at {offset:#x} of {bytes} bytes");
        (self.base + offset as usize) as *mut u8
    }

    /// Copies out of L1.
    pub(crate) fn read(&self, offset: u32, to: &mut [u8]) {
        let from = self.pointer(offset, to.len() as u32);
        // SAFETY: `pointer` checked the range; `to` is ordinary memory outside every window.
        unsafe { ptr::copy_nonoverlapping(from, to.as_mut_ptr(), to.len()) };
    }

    /// Copies into L1.
    pub(crate) fn write(&self, offset: u32, from: &[u8]) {
        let to = self.pointer(offset, from.len() as u32);
        // SAFETY: as in `read`.
        unsafe { ptr::copy_nonoverlapping(from.as_ptr(), to, from.len()) };
    }

    /// Copies within L1, or to the L1 of another core; the two ranges may share memory.
    pub(crate) fn copy_to(&self, offset: u32, other: &L1Window, to: u32, bytes: u32) {
        let (from, to) = (self.pointer(offset, bytes), other.pointer(to, bytes));
        // SAFETY: `pointer` checked both ranges.
        unsafe { ptr::copy(from, to, bytes as usize) };
    }

    /// Reads a word.
    pub(crate) fn read_word(&self, offset: u32) -> u32 {
        let mut bytes = [0; 4];
        self.read(offset, &mut bytes);
        u32::from_le_bytes(bytes)
    }

    /// The byte that undefined memory is filled with.
    pub(crate) fn poison(&self) -> u8 {
        self.poison
    }

    /// Writes a word.
    pub(crate) fn write_word(&self, offset: u32, value: u32) {
        self.write(offset, &value.to_le_bytes());
    }

    /// All of L1.
    pub(crate) fn copy(&self) -> Box<[u8]> {
        self.with(0, self.bytes, |bytes| bytes.into())
    }

    /// Forgets what was written: the contents are those of a window that nobody has used, where that is filled with [`POISON`].
    pub(crate) fn discard(&self) {
        // SAFETY: the range is this window's mapping, private and of a file, so that it reads as the file afterwards.
        unsafe { libc::madvise(self.base as *mut libc::c_void, WINDOW_BYTES, libc::MADV_DONTNEED) };
    }

    /// Makes all of it undefined, where nothing but some whole pages holds anything or shall stay.
    fn undefine_again(&self, used: Range<u32>) {
        let at = |offset: u32| (self.base + offset as usize) as *mut libc::c_void;
        // SAFETY: the window's own mapping, private and of a file, so that it reads as the file where its pages are given back. No machine
        // has the window yet.
        unsafe {
            ptr::write_bytes(at(used.start).cast::<u8>(), POISON, used.len());
            libc::madvise(at(0), used.start as usize, libc::MADV_DONTNEED);
            libc::madvise(at(used.end), WINDOW_BYTES - used.end as usize, libc::MADV_DONTNEED);
        }
    }

    /// Makes bytes undefined.
    pub(crate) fn undefine(&self, offset: u32, bytes: u32) {
        let to = self.pointer(offset, bytes);
        self.prepare(offset, bytes);
        // SAFETY: `pointer` checked the range.
        unsafe { ptr::write_bytes(to, self.poison, bytes as usize) };
    }

    /// Has the host make room for what will be written, where asking once is faster than being asked page by page. The contents
    /// stay.
    pub(crate) fn prepare(&self, offset: u32, bytes: u32) {
        let to = self.pointer(offset, bytes);
        let (first, past) = self.used.get();
        self.used.set((first.min(offset), past.max(offset + bytes)));
        let is_there = self.there.start <= offset && offset + bytes <= self.there.end;
        if bytes > WORTH_POPULATING && !is_there {
            let first = to as usize & !(PAGE - 1);
            // Where the host cannot do it the pages come one by one, as they are touched.
            // SAFETY: the range is mapped, and this call changes nothing that is there.
            unsafe {
                libc::madvise(
                    first as *mut libc::c_void,
                    to as usize + bytes as usize - first,
                    libc::MADV_POPULATE_WRITE,
                )
            };
        }
    }

    /// True if it holds what undefined memory is filled with, from an offset on, for as long as no datum is.
    pub(crate) fn is_poison(&self, offset: u32) -> bool {
        self.contains(offset, POISON_RUN)
            && self.with(offset, POISON_RUN, |bytes| bytes.iter().all(|byte| *byte == self.poison))
    }

    /// True if a datum of so many bytes is as undefined memory is filled, among `bytes` bytes from an offset on.
    pub(crate) fn has_poison(&self, offset: u32, bytes: u32, datum: u32) -> bool {
        if !self.contains(offset, bytes) {
            return false;
        }
        self.with(offset, bytes, |bytes| has_datum(bytes, datum, self.poison))
    }

    /// Lets `f` write the bytes at `offset`.
    pub(crate) fn with_mut<R>(&mut self, offset: u32, bytes: u32, f: impl FnOnce(&mut [u8]) -> R) -> R {
        let to = self.pointer(offset, bytes);
        // SAFETY: the range is mapped; while `f` runs no kernel code runs on this window, which is borrowed for it alone, and cores that run
        // apart on other host threads do not reach it (`epochs.rs`).
        f(unsafe { std::slice::from_raw_parts_mut(to, bytes as usize) })
    }

    /// Runs `f` over the bytes at `offset`.
    pub(crate) fn with<R>(&self, offset: u32, bytes: u32, f: impl FnOnce(&[u8]) -> R) -> R {
        let from = self.pointer(offset, bytes);
        // SAFETY: the range is mapped; while `f` runs no kernel code runs on this window, so nothing writes it.
        f(unsafe { std::slice::from_raw_parts(from, bytes as usize) })
    }
}

impl Drop for L1Window {
    fn drop(&mut self) {
        let mut free = FREE.lock().expect("pool of L1 windows");
        let (first, past) = self.used.get();
        let used = first & !(PAGE as u32 - 1)..past.next_multiple_of(PAGE as u32);
        let held: u32 = free.iter().map(|left| left.used.len() as u32).sum();
        // The next machine must not see what this one left: it goes when the window is taken again, or now.
        if used.is_empty() || held + used.len() as u32 > MOST_LEFT {
            self.discard();
            free.push(Left { base: self.base, used: 0..0 });
        } else {
            free.push(Left { base: self.base, used });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_undefined_memory_holds_can_be_written_by_nobody() {
        prepare().unwrap();
        let undefined = UNDEFINED.lock().unwrap();
        let file = undefined.as_ref().unwrap();
        assert!(file.write_all_at(&[0], 0).is_err(), "written");
        assert!(file.set_len(0).is_err() && file.set_len(4 * WINDOW_BYTES as u64).is_err(), "made shorter, or longer");
        // SAFETY: a new mapping, or none.
        let shared = unsafe {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            libc::mmap(ptr::null_mut(), PAGE, access, libc::MAP_SHARED, file.as_raw_fd(), 0)
        };
        assert_eq!(shared, libc::MAP_FAILED, "mapped to be written");
    }

    #[test]
    fn a_window_of_another_byte_holds_it_wherever_nobody_wrote_and_the_next_window_does_not() {
        let window = L1Window::new(1464 << 10, 0x42).unwrap();
        assert_eq!((window.read_word(0), window.read_word((1464 << 10) - 4)), (0x4242_4242, 0x4242_4242));
        window.write(64, &[7, 0x42, 0x42, 0x42]);
        assert!(window.is_poison(128) && !window.is_poison(64));
        // A datum is told, not bytes that happen to be alike.
        assert_eq!([1, 2, 4].map(|datum| window.has_poison(64, 4, datum)), [true, true, false]);
        assert!(window.has_poison(64, 8, 4) && !window.has_poison(1464 << 10, 4, 4));
        window.undefine(64, 4);
        assert_eq!(window.read_word(64), 0x4242_4242);
        drop(window);
        assert_eq!(L1Window::new(1464 << 10, POISON).unwrap().read_word(0), u32::MAX);
    }

    #[test]
    fn a_window_that_is_taken_again_holds_nothing_of_what_was_written_anywhere_in_it() {
        let places = [0x100, 0x2_0000, 0x2_fffc, 0x3_0000, 0x10_0000];
        let window = L1Window::new(1464 << 10, POISON).unwrap();
        window.prepare(0x2_0000, 0x1_0000);
        places.iter().for_each(|at| window.write_word(*at, 7));
        let base = window.base();
        drop(window);
        // Other tests take windows beside this one.
        let mut taken = Vec::new();
        while taken.last().is_none_or(|window: &L1Window| window.base() != base) {
            assert!(taken.len() < 200, "it is not taken again");
            taken.push(L1Window::new(1464 << 10, POISON).unwrap());
        }
        let again = taken.last().unwrap();
        assert_eq!(places.map(|at| again.read_word(at)), [u32::MAX; 5]);
    }

    #[test]
    fn an_l1_address_fits_in_32_bits_and_its_low_24_bits_are_the_offset() {
        let window = L1Window::new(1464 << 10, POISON).unwrap();
        let address = window.base() + 0x1_8f40;
        assert_eq!(window.offset(address), 0x1_8f40);
        assert_eq!(window.read_word(0x1_8f40), u32::MAX, "what nobody has written");
        window.write_word(0x1_8f40, 7);
        assert_eq!(window.read_word(0x1_8f40), 7);
        assert!(!window.contains(1464 << 10, 1));
        window.discard();
        assert_eq!(window.read_word(0x1_8f40), u32::MAX, "as if nobody had written it");
    }
}
