//! Loaded images, and the kernel that runs them.
//!
//! Every thread that runs a kernel has a private copy of its image, so that a kernel's variables are its own, as on the
//! device; copies are kept and used again, and never unloaded. Start at
//! [`LoadedKernel`].

#![allow(unsafe_code)]

use std::ffi::{CStr, CString};
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tileproof_model::abi::{Abi, Site};
use tileproof_model::kernel::{Kernel, KernelArgs, SourceLocation};
use tileproof_model::thread::Thread;

use crate::config::Variant;
use crate::host::memory_file;
use crate::image::Layout;
use crate::symbolize::Symbols;

/// `tp_run` of the shim's runtime: the table, the thread, and the image's constructors.
type EntryPoint = unsafe extern "C-unwind" fn(abi: *const Abi, thread: u32, constructors: *const usize, count: usize);

/// An image in memory.
struct Image {
    base: usize,
    variables: Range<usize>,
    /// Contents of the first of them before any run; the others are zero.
    fresh: Vec<u8>,
    run: EntryPoint,
    /// Addresses of the kernel's constructors, where the loader has put them.
    constructors: Range<usize>,
}

/// One compiled file and the copies of it that are loaded.
struct Compiled {
    variant: Variant,
    layout: Layout,
    /// What the copies are made of.
    loadable: Vec<u8>,
    symbols: Symbols,
    /// Copies that nobody runs.
    free: Mutex<Vec<Image>>,
    /// Load addresses of all copies.
    bases: Bases,
}

/// A C++ kernel that the machine can run.
pub(crate) struct LoadedKernel {
    name: String,
    compiled: Vec<Compiled>,
}

impl LoadedKernel {
    /// Takes compiled files for use. One copy of each is loaded, which tells whether the others can be.
    pub(crate) fn new(
        name: String,
        files: Vec<(Variant, Vec<u8>)>,
        symbols: impl Fn(Arc<[u8]>) -> Symbols,
    ) -> Result<LoadedKernel, String> {
        let mut compiled = Vec::new();
        for (variant, file) in files {
            let layout = Layout::read(&file)
                .ok_or("the compiler made no ELF64 image, or one whose addresses its own code makes (ifunc)")?;
            compiled.push(Compiled {
                variant,
                loadable: layout.loadable(&file),
                symbols: symbols(file.into()),
                layout,
                free: Mutex::new(Vec::new()),
                bases: Bases::new().map_err(|e| e.to_string())?,
            });
        }
        let kernel = LoadedKernel { name, compiled };
        // A file that cannot be loaded is an error of the build, not of the run.
        for compiled in &kernel.compiled {
            let image = compiled.load()?;
            compiled.give_back(image);
        }
        Ok(kernel)
    }

    fn compiled_for(&self, thread: Thread) -> &Compiled {
        let found = self.compiled.iter().find(|c| c.variant == Variant::Any || c.variant == Variant::Only(thread));
        found.expect("an image for every thread that the kernel can run on")
    }
}

/// Gives an image back when its kernel has returned or was unwound.
struct InUse<'a> {
    compiled: &'a Compiled,
    image: Option<Image>,
}

impl Drop for InUse<'_> {
    fn drop(&mut self) {
        if let Some(image) = self.image.take() {
            self.compiled.give_back(image);
        }
    }
}

impl Kernel for LoadedKernel {
    fn name(&self) -> &str {
        &self.name
    }

    fn run(&self, abi: &'static Abi, args: &KernelArgs<'_>) {
        let compiled = self.compiled_for(args.thread);
        let image = compiled.free.lock().expect("pool of images").pop();
        let image = match image.map_or_else(|| compiled.load(), Ok) {
            Ok(image) => image,
            Err(text) => panic!("{}: {text}", self.name),
        };
        let in_use = InUse { compiled, image: Some(image) };
        if let Some(image) = &in_use.image {
            image.reset();
            // SAFETY: `run` is `tp_run` of an image that was compiled against this table: the header that was written from the
            // table's declaration is in the digest under which the image was found. The copy is this run's alone. Kernels are
            // compiled with unwind tables, so that unwinding out of a call of the table is defined.
            // The loader has put the constructors' addresses where they are listed, and nothing writes there any more.
            unsafe {
                let count = image.constructors.len() / size_of::<usize>();
                (image.run)(abi, args.thread as u32, image.constructors.start as *const usize, count);
            }
        }
    }

    fn load(&self, threads: &[Thread]) -> Result<(), String> {
        for compiled in &self.compiled {
            compiled.bases.forget_others();
            let runs = threads.iter().filter(|thread| std::ptr::eq(self.compiled_for(**thread), compiled)).count();
            while compiled.free.lock().expect("pool of images").len() < runs {
                let image = compiled.load()?;
                compiled.give_back(image);
            }
        }
        Ok(())
    }

    unsafe fn locate(&self, site: Site) -> Option<SourceLocation> {
        let address = usize::try_from(site.0).ok()?;
        self.compiled.iter().find_map(|compiled| compiled.symbols.locate(compiled.offset_of(address)?))
    }

    fn contains(&self, address: u64) -> bool {
        usize::try_from(address).is_ok_and(|address| self.compiled.iter().any(|c| c.offset_of(address).is_some()))
    }
}

impl Compiled {
    fn give_back(&self, image: Image) {
        self.free.lock().expect("pool of images").push(image);
    }

    /// The offset in the image of an address in one of its copies.
    fn offset_of(&self, address: usize) -> Option<u64> {
        let length = self.layout.memory_end as usize;
        // Any address may be asked for, such as those that a kernel has written over.
        let mut offsets = self.bases.all().filter_map(|base| address.checked_sub(base));
        offsets.find(|offset| *offset < length).map(|offset| offset as u64)
    }

    /// Loads another copy.
    fn load(&self) -> Result<Image, String> {
        let file = memory_file(&self.loadable).map_err(|error| error.to_string())?;
        let path = unique_path(file.as_raw_fd());
        // SAFETY: the file is an image that our compiler made, and its layout was read: nothing of it runs when it is opened.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            return Err(last_error());
        }
        // SAFETY: `handle` is open and stays open for the life of the process.
        let run = unsafe { libc::dlsym(handle, c"tp_run".as_ptr()) };
        if run.is_null() {
            return Err(last_error());
        }
        let mut info = libc::Dl_info {
            dli_fname: std::ptr::null(),
            dli_fbase: std::ptr::null_mut(),
            dli_sname: std::ptr::null(),
            dli_saddr: std::ptr::null_mut(),
        };
        // SAFETY: `info` is writable; the address lies in the image that was loaded just now.
        if unsafe { libc::dladdr(run, &mut info) } == 0 {
            return Err("dladdr does not know the image".into());
        }
        let base = info.dli_fbase as usize;
        let variables = self.layout.variables.clone().unwrap_or_default();
        let held = self.layout.zeroed.saturating_sub(variables.start) as usize;
        let variables = base + variables.start as usize..base + variables.end as usize;
        let fresh = if held == 0 {
            Vec::new()
        } else {
            // SAFETY: the range begins the image's writable memory and is no longer; nothing runs in this copy yet.
            unsafe { std::slice::from_raw_parts(variables.start as *const u8, held) }.to_vec()
        };
        self.bases.add(base);
        let constructors = &self.layout.constructors;
        Ok(Image {
            base,
            variables,
            fresh,
            constructors: base + constructors.start as usize..base + constructors.end as usize,
            // SAFETY: `tp_run` of the shim's runtime has this type.
            run: unsafe { std::mem::transmute::<*mut libc::c_void, EntryPoint>(run) },
        })
    }
}

impl Image {
    /// Gives the kernel's variables their first values.
    fn reset(&self) {
        let Range { start, end } = self.variables;
        if start == end {
            return;
        }
        debug_assert!(start > self.base && start + self.fresh.len() <= end);
        let zeroed = start + self.fresh.len()..end;
        // SAFETY: the range is the image's writable memory, which `fresh` and the zeros behind it fill, and no kernel runs in this
        // copy.
        unsafe {
            std::ptr::copy_nonoverlapping(self.fresh.as_ptr(), start as *mut u8, self.fresh.len());
            zero(zeroed);
        }
    }
}

/// So many bytes are sooner filled with zeros than given back.
const FEW: usize = 64 << 10;

/// Zeros for variables that the file holds nothing of. Whole pages of them are given back, since a kernel with large arrays uses
/// little of them in most runs: the host makes such a page anew where it is touched.
///
/// # Safety
/// The range must be memory of an image that nobody else uses, none of it what the file holds.
unsafe fn zero(range: Range<usize>) {
    let fill = |range: Range<usize>| {
        // SAFETY: the range is part of the caller's.
        unsafe { std::ptr::write_bytes(range.start as *mut u8, 0, range.len()) };
    };
    // SAFETY: sysconf has no preconditions.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(0);
    if range.len() < FEW || !page.is_power_of_two() {
        return fill(range);
    }
    // The loader has mapped all pages behind the file's last as memory of no file, which becomes zero when it is given back.
    let pages = range.start.next_multiple_of(page)..range.end & !(page - 1);
    fill(range.start..pages.start);
    // SAFETY: the pages lie within the caller's range, and belong to no file.
    if unsafe { libc::madvise(pages.start as *mut libc::c_void, pages.len(), libc::MADV_DONTNEED) } != 0 {
        fill(pages.clone());
    }
    fill(pages.end..range.end);
}

/// Load addresses of the copies of an image: those of this process, and in memory that processes to come share those of the last
/// that has opened any, for whoever has watched it and asks for its places after its end. Handlers of signals look here: there is no
/// lock.
struct Bases {
    own: Box<[AtomicUsize; BASES]>,
    shared: &'static [AtomicUsize; BASES],
}

/// Copies whose addresses are known: more than a chip has cores, three of its threads each.
const BASES: usize = 512;

impl Bases {
    /// Room for them. What is shared is never given back: neither is a copy.
    fn new() -> std::io::Result<Bases> {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        let bytes = size_of::<[AtomicUsize; BASES]>();
        // SAFETY: a new mapping at an address of the host's choice.
        let memory = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
        if memory == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error());
        }
        let own = Box::new([const { AtomicUsize::new(0) }; BASES]);
        // SAFETY: the mapping is zeroed, aligned to a page, large enough and never unmapped.
        Ok(Bases { own, shared: unsafe { &*memory.cast::<[AtomicUsize; BASES]>() } })
    }

    fn add(&self, base: usize) {
        for known in [&*self.own, self.shared] {
            let is_put = |at: &AtomicUsize| at.compare_exchange(0, base, Ordering::Relaxed, Ordering::Relaxed).is_ok();
            // Addresses of further ones stay unknown.
            let _ = known.iter().any(is_put);
        }
    }

    /// What another process has shared is over: its copies may have lain where this one's will.
    fn forget_others(&self) {
        for (shared, own) in self.shared.iter().zip(self.own.iter()) {
            shared.store(own.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }

    /// Those of this process, then those of another.
    fn all(&self) -> impl Iterator<Item = usize> {
        let each = self.own.iter().take_while(|own| own.load(Ordering::Relaxed) != 0).chain(self.shared.iter());
        each.map(|base| base.load(Ordering::Relaxed)).take_while(|base| *base != 0)
    }
}

/// A path to the descriptor that no earlier image was opened by: the loader takes a known name for a known image.
fn unique_path(descriptor: i32) -> CString {
    static LOADS: AtomicU32 = AtomicU32::new(0);
    let number = LOADS.fetch_add(1, Ordering::Relaxed);
    let mut path = String::from("/proc/self/fd/");
    for bit in 0..u32::BITS {
        path.push_str(if number >> bit & 1 == 1 { "./" } else { "/" });
    }
    path.push_str(&descriptor.to_string());
    CString::new(path).expect("no zero byte")
}

fn last_error() -> String {
    // SAFETY: dlerror returns null or a C string that lives until the next call of this thread.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "unknown error of the loader".into();
    }
    // SAFETY: as above.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
