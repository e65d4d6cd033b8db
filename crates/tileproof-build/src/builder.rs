//! From requests to kernels: look in the cache, compile what is not there, load.
//!
//! Kernels that are compiled are compiled at the same time; equal requests become one kernel. It must never give out an
//! image that was made of other text than the files hold now. Start at [`Builder::build`].

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;

use tileproof_model::kernel::SharedKernel;

use crate::bound;
use crate::cache::{Cache, Found, Key};
use crate::compiler::Compiler;
use crate::config::Variant;
use crate::folder;
use crate::glance::Glance;
use crate::load::LoadedKernel;
use crate::note::note;
use crate::request::{BuildError, CompileRequest};
use crate::shim::SHIM;
use crate::symbolize::Symbols;
use crate::work::{Images, Job, Work};

/// How often kernels are built whose files change meanwhile.
const TRIES: usize = 8;

/// Kernels by what they are made of, for the life of the process: loaded images stay loaded.
static LOADED: Mutex<BTreeMap<String, SharedKernel>> = Mutex::new(BTreeMap::new());

/// Builds kernels, with a cache on disk.
pub struct Builder {
    cache: Mutex<Arc<Cache>>,
    /// The caller chose the folder, so there is no other.
    is_given: bool,
}

/// A kernel with what it was made of, and whether it was compiled for this.
#[derive(Clone)]
struct Built {
    kernel: SharedKernel,
    made_of: Vec<Arc<Found>>,
    is_new: bool,
}

impl Builder {
    /// A builder with its cache in `cache_dir`, or where the environment says: `$TILEPROOF_CACHE_DIR`,
    /// `$XDG_CACHE_HOME/tileproof`, `~/.cache/tileproof`. Where that cannot be used it goes to the folder for temporary files,
    /// and [`listen`](crate::listen) tells of it.
    ///
    /// # Errors
    /// If the cache cannot be used.
    pub fn new(cache_dir: Option<PathBuf>) -> Result<Builder, BuildError> {
        let is_given = cache_dir.is_some();
        let folder = cache_dir.unwrap_or_else(folder::wanted);
        // Whoever gives a size that is none should hear of it, whether or not an image is kept.
        bound::most_bytes();
        // Compilers name what they read as they were told of it.
        let folder = std::path::absolute(&folder).unwrap_or(folder);
        let cache = match Cache::open(folder.clone()) {
            Err(error) if !is_given => other_than(&folder, &error)?,
            cache => cache.map_err(|error| BuildError::Cache { folder, error })?,
        };
        Ok(Builder { cache: Mutex::new(Arc::new(cache)), is_given })
    }

    /// Builds all kernels; the result has their order.
    ///
    /// # Errors
    /// The first request that cannot be built, in order.
    pub fn build(&self, requests: &[CompileRequest]) -> Result<Vec<SharedKernel>, BuildError> {
        loop {
            let cache = self.cache.lock().expect("the cache").clone();
            match build_in(&cache, requests) {
                Err(BuildError::Cache { folder, error }) if !self.is_given && !cache.is_private() => {
                    let other = other_than(&folder, &error)?;
                    *self.cache.lock().expect("the cache") = Arc::new(other);
                }
                result => return result,
            }
        }
    }
}

/// A cache elsewhere, because the one in `folder` cannot be used.
fn other_than(folder: &Path, error: &io::Error) -> Result<Cache, BuildError> {
    let last = folder::of_last_resort();
    let other = if folder == last { Err(io::ErrorKind::AlreadyExists.into()) } else { Cache::open(last) };
    let other = other.or_else(|_| Cache::private());
    let cache = other.map_err(|_| BuildError::Cache { folder: folder.to_path_buf(), error: same(error) })?;
    let instead = if cache.is_private() { "none is" } else { &format!("{} is", cache.folder.display()) };
    note(&format!(
        "cache {} cannot be used: {error}; {instead} used instead (TILEPROOF_CACHE_DIR names another)",
        folder.display()
    ));
    Ok(cache)
}

fn same(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), error.to_string())
}

impl Built {
    fn holds(&self, glance: &Glance) -> bool {
        self.made_of.iter().all(|image| image.manifest.holds(glance))
    }
}

/// Builds all kernels with one cache, until all of them were made of what the files hold.
fn build_in(cache: &Cache, requests: &[CompileRequest]) -> Result<Vec<SharedKernel>, BuildError> {
    let compiler = Compiler::find(cache)?;
    let work = Work::new(cache, &compiler);
    let jobs = requests.iter().map(Job::of).collect::<Result<Vec<_>, _>>()?;
    let keys: Vec<Key> = jobs.iter().map(|job| work.first_key(job, Variant::Any)).collect();
    for _ in 0..TRIES {
        let Some(built) = build_once(&work, &jobs, &keys)? else { continue };
        // What was compiled took its time: a file may have been saved since, of another kernel too.
        let now = Glance::default();
        if built.iter().all(|built| !built.is_new) || built.iter().all(|built| built.holds(&now)) {
            return Ok(built.into_iter().map(|built| built.kernel).collect());
        }
    }
    let file = requests.first().map(|request| request.source.clone()).unwrap_or_default();
    Err(BuildError::Unsettled { file })
}

/// Builds each kernel once; `None` if a file changed in between.
fn build_once(work: &Work<'_>, jobs: &[Job<'_>], keys: &[Key]) -> Result<Option<Vec<Built>>, BuildError> {
    let glance = Glance::default();
    // Equal requests are built once.
    let mut first_of: BTreeMap<&Key, usize> = BTreeMap::new();
    let mut distinct = Vec::new();
    for (index, key) in keys.iter().enumerate() {
        first_of.entry(key).or_insert_with(|| {
            distinct.push(index);
            index
        });
    }
    let mut results: Vec<Option<Result<Option<Built>, BuildError>>> = Vec::new();
    results.resize_with(jobs.len(), || None);
    let next = Mutex::new(distinct.iter());
    let results_of = Mutex::new(&mut results);
    let hand = || {
        loop {
            let Some(&index) = next.lock().expect("list of jobs").next() else { break };
            let result = build_one(work, &jobs[index], &keys[index], &glance);
            results_of.lock().expect("results")[index] = Some(result);
        }
    };
    let missing = distinct.iter().filter(|i| !work.cache.knows(&keys[**i])).count();
    // How many hands there are is asked of a dozen files.
    let hands = if missing < 2 { 1 } else { thread::available_parallelism().map_or(1, |n| n.get()).min(missing) };
    thread::scope(|scope| {
        for _ in 1..hands {
            scope.spawn(hand);
        }
        hand();
    });
    let mut all: Vec<Built> = Vec::with_capacity(jobs.len());
    for (index, key) in keys.iter().enumerate() {
        match results[index].take() {
            Some(result) => match result? {
                Some(built) => all.push(built),
                None => return Ok(None),
            },
            None => all.push(all[first_of[key]].clone()),
        }
    }
    Ok(Some(all))
}

fn build_one(work: &Work<'_>, job: &Job<'_>, key: &Key, glance: &Glance) -> Result<Option<Built>, BuildError> {
    let Some(Images { files, is_new }) = work.images(job, key, glance)? else { return Ok(None) };
    let source = &job.request.source;
    let mut identity = format!("{source:?} {:?}", job.absolute);
    files.iter().for_each(|image| identity += &format!(" {:?} {}", image.variant, image.found.digest));
    let made_of = files.iter().map(|image| image.found.clone()).collect();
    let built = |kernel| Built { kernel, made_of, is_new };
    if let Some(kernel) = LOADED.lock().expect("loaded kernels").get(&identity) {
        return Ok(Some(built(kernel.clone())));
    }
    let Some(files) = Images::bytes(files, work.cache) else {
        // The image is gone, or was damaged: its manifest is of no use either.
        work.forget(job)?;
        return Ok(None);
    };
    let include = SHIM.include(work.cache);
    let symbols = |image: Arc<[u8]>| Symbols::new(image, &include, &job.absolute, source);
    let kernel: SharedKernel = match LoadedKernel::new(source.display().to_string(), files, symbols) {
        Ok(kernel) => Arc::new(kernel),
        // Made where the libraries are others: not by the compiler that is here.
        Err(_) if !is_new => {
            work.forget(job)?;
            return Ok(None);
        }
        Err(text) => return Err(BuildError::Load { file: source.clone(), text }),
    };
    LOADED.lock().expect("loaded kernels").insert(identity, kernel.clone());
    Ok(Some(built(kernel)))
}
