//! From requests to kernels: look in the cache, compile what is not there, load.
//!
//! Kernels that are compiled are compiled at the same time; equal requests become one kernel. It must never give out an
//! image that was made of other text than the files hold now. Start at [`Builder::build`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::{fs, thread};

use tileproof_model::kernel::SharedKernel;
use tileproof_model::program::KernelConfig;
use tileproof_model::thread::Thread;

use crate::cache::{self, Cache, Key};
use crate::compiler::{Compilation, Compiler};
use crate::config::{self, Variant};
use crate::diagnostics;
use crate::load::LoadedKernel;
use crate::manifest::{Before, Manifest};
use crate::request::{BuildError, CompileRequest};
use crate::shim::Shim;
use crate::symbolize::Symbols;

/// Words in a compute kernel's text that make it another text for each thread.
const THREAD_WORDS: &[&str] =
    &["TRISC_UNPACK", "TRISC_MATH", "TRISC_PACK", "COMPILE_FOR_TRISC", "UNPACK(", "MATH(", "PACK("];

/// How often a kernel is compiled whose files change meanwhile.
const TRIES: usize = 8;

/// Kernels by key, for the life of the process: loaded images stay loaded.
static LOADED: Mutex<BTreeMap<Key, SharedKernel>> = Mutex::new(BTreeMap::new());

/// Builds kernels, with a cache on disk.
pub struct Builder {
    cache: Cache,
    shim: Shim,
}

/// A request with what the cache needs to know.
struct Job<'a> {
    request: &'a CompileRequest,
    absolute: PathBuf,
    header: String,
    options: Vec<String>,
    /// Folders that are searched for headers.
    folders: Vec<PathBuf>,
}

impl Builder {
    /// A builder with its cache in `cache_dir`, or where the environment says: `$TILEPROOF_CACHE_DIR`,
    /// `$XDG_CACHE_HOME/tileproof`, `~/.cache/tileproof`.
    ///
    /// # Errors
    /// If the cache cannot be written.
    pub fn new(cache_dir: Option<PathBuf>) -> Result<Builder, BuildError> {
        let folder = cache_dir.clone().unwrap_or_default();
        let cache = Cache::open(cache_dir).map_err(|error| BuildError::Cache { folder, error })?;
        let shim = Shim::write_out(&cache.folder)
            .map_err(|error| BuildError::Cache { folder: cache.folder.clone(), error })?;
        Ok(Builder { cache, shim })
    }

    /// Builds all kernels; the result has their order.
    ///
    /// # Errors
    /// The first request that cannot be built, in order.
    pub fn build(&self, requests: &[CompileRequest]) -> Result<Vec<SharedKernel>, BuildError> {
        let compiler = Compiler::find()?;
        let jobs = requests.iter().map(|r| self.job(r)).collect::<Result<Vec<_>, _>>()?;
        let keys: Vec<Key> = jobs.iter().map(|job| self.first_key(&compiler, job, Variant::Any)).collect();
        let mut results: Vec<Option<Result<SharedKernel, BuildError>>> = Vec::new();
        results.resize_with(jobs.len(), || None);
        // Equal requests are built once.
        let mut first_of: BTreeMap<&Key, usize> = BTreeMap::new();
        let mut distinct = Vec::new();
        for (index, key) in keys.iter().enumerate() {
            first_of.entry(key).or_insert_with(|| {
                distinct.push(index);
                index
            });
        }
        let next = Mutex::new(distinct.iter());
        let results_of = Mutex::new(&mut results);
        let work = || {
            loop {
                let Some(&index) = next.lock().expect("list of jobs").next() else { break };
                let result = self.build_one(&compiler, &jobs[index], &keys[index]);
                results_of.lock().expect("results")[index] = Some(result);
            }
        };
        let missing = distinct.iter().filter(|i| !self.cache.knows(&keys[**i])).count();
        let hands = thread::available_parallelism().map_or(1, |n| n.get()).min(missing).max(1);
        thread::scope(|scope| {
            for _ in 1..hands {
                scope.spawn(work);
            }
            work();
        });
        let mut kernels: Vec<SharedKernel> = Vec::with_capacity(jobs.len());
        for (index, key) in keys.iter().enumerate() {
            let kernel = match results[index].take() {
                Some(result) => result?,
                None => kernels[first_of[key]].clone(),
            };
            kernels.push(kernel);
        }
        Ok(kernels)
    }

    fn job<'a>(&self, request: &'a CompileRequest) -> Result<Job<'a>, BuildError> {
        let source = |error| BuildError::Source { file: request.source.clone(), error };
        let absolute = std::path::absolute(&request.source).map_err(source)?;
        let mut options = Vec::new();
        for (name, value) in &request.defines {
            options.push(format!("-D{name}={value}"));
        }
        let mut folders = Vec::new();
        for folder in &request.include_dirs {
            let folder = std::path::absolute(folder).map_err(source)?;
            options.push(format!("-I{}", folder.display()));
            folders.push(folder);
        }
        Ok(Job { request, absolute, header: config::header(request), options, folders })
    }

    /// Digest of all that is known before the included files are.
    fn first_key(&self, compiler: &Compiler, job: &Job<'_>, variant: Variant) -> Key {
        let mut hasher = blake3::Hasher::new();
        let mut add = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
        };
        add(&compiler.identity);
        add(&compiler.options().join("\n"));
        add(&self.shim.digest);
        add(&job.header);
        add(&job.options.join("\n"));
        add(&job.absolute.to_string_lossy());
        add(&job.request.source.to_string_lossy());
        add(&config::variant_defines(variant).join(" "));
        cache::key(&hasher)
    }

    fn build_one(&self, compiler: &Compiler, job: &Job<'_>, key: &Key) -> Result<SharedKernel, BuildError> {
        let mut files = None;
        for _ in 0..TRIES {
            files = self.images(compiler, job, key)?;
            if files.is_some() {
                break;
            }
        }
        let files = files.ok_or_else(|| BuildError::Unsettled { file: job.request.source.clone() })?;
        // The contents of all inputs are in the name of the image.
        let identity = files.iter().map(|(_, path)| path.to_string_lossy()).collect::<Vec<_>>().join("\n");
        if let Some(kernel) = LOADED.lock().expect("loaded kernels").get(&identity) {
            return Ok(kernel.clone());
        }
        let name = job.request.source.display().to_string();
        let symbols = |path: PathBuf| Symbols::new(path, &self.shim.include, &job.absolute, &job.request.source);
        let kernel: SharedKernel = Arc::new(
            LoadedKernel::new(name, files, symbols)
                .map_err(|text| BuildError::Load { file: job.request.source.clone(), text })?,
        );
        LOADED.lock().expect("loaded kernels").insert(identity, kernel.clone());
        Ok(kernel)
    }

    /// The images that make one kernel; `None` if they were made of different texts, since a file changed in between.
    fn images(
        &self,
        compiler: &Compiler,
        job: &Job<'_>,
        key: &Key,
    ) -> Result<Option<Vec<(Variant, PathBuf)>>, BuildError> {
        let is_compute = matches!(job.request.config, KernelConfig::Compute(_));
        if !(is_compute && asks_for_thread(&job.absolute)) {
            let (image, manifest) = self.image(compiler, job, Variant::Any, key)?;
            // A file that the kernel includes may ask as well.
            let asks = is_compute && manifest.inputs.iter().any(|(input, _)| asks_for_thread(input));
            // That was asked of the text that was compiled only if it is still there.
            if !manifest.holds() {
                return Ok(None);
            }
            if !asks {
                return Ok(Some(vec![(Variant::Any, image)]));
            }
        }
        let mut files: Vec<(Variant, PathBuf)> = Vec::new();
        let mut first: Option<Manifest> = None;
        for thread in [Thread::Unpack, Thread::Math, Thread::Pack] {
            let variant = Variant::Only(thread);
            let key = self.first_key(compiler, job, variant);
            let (image, manifest) = self.image(compiler, job, variant, &key)?;
            if !first.get_or_insert_default().agrees(&manifest) {
                return Ok(None);
            }
            first.get_or_insert_default().inputs.extend(manifest.inputs);
            files.push((variant, image));
        }
        Ok(Some(files))
    }

    /// The compiled file of a variant and what it was made of, from the cache or from the compiler.
    fn image(
        &self,
        compiler: &Compiler,
        job: &Job<'_>,
        variant: Variant,
        key: &Key,
    ) -> Result<(PathBuf, Manifest), BuildError> {
        if let Some(found) = self.cache.find(key) {
            return Ok(found);
        }
        let mut known = vec![job.absolute.clone()];
        for _ in 0..TRIES {
            let before = Before::now(known.iter().map(PathBuf::as_path));
            let (output, inputs) = self.compile(compiler, job, variant)?;
            known.clone_from(&inputs);
            match Manifest::of(inputs, &job.folders, &before) {
                Some(manifest) => {
                    let image = self.cache.keep(key, &manifest, &output).map_err(|error| self.broken(error))?;
                    return Ok((image, manifest));
                }
                // Saved while it was compiled: what the image was made of is not known.
                None => drop(fs::remove_file(&output)),
            }
        }
        Err(BuildError::Unsettled { file: job.request.source.clone() })
    }

    fn broken(&self, error: std::io::Error) -> BuildError {
        BuildError::Cache { folder: self.cache.folder.clone(), error }
    }

    /// Compiles a variant; the image, nowhere yet, and the files of the user that went into it.
    fn compile(
        &self,
        compiler: &Compiler,
        job: &Job<'_>,
        variant: Variant,
    ) -> Result<(PathBuf, Vec<PathBuf>), BuildError> {
        let file = &job.request.source;
        let text =
            fs::read_to_string(&job.absolute).map_err(|error| BuildError::Source { file: file.clone(), error })?;
        if !text.contains("kernel_main") && !text.contains("MAIN") && !text.contains("#include") {
            return Err(BuildError::NoEntryPoint { file: file.clone() });
        }
        let cache = |error| self.broken(error);
        let runtime = self.runtime(compiler, file)?;
        let header = self.cache.scratch("h");
        fs::write(&header, &job.header).map_err(cache)?;
        let (output, rule) = (self.cache.scratch("so"), self.cache.scratch("d"));
        let mut options = job.options.clone();
        options.extend(config::variant_defines(variant).iter().map(|d| d.to_string()));
        let work = Compilation {
            source: &job.absolute,
            include: &self.shim.include,
            header: &header,
            runtime: &runtime,
            options: &options,
            output: &output,
            inputs: &rule,
        };
        let done = compiler
            .compile(&work)
            .map_err(|text| diagnostics::error_of(file, &job.absolute, &self.shim.include, &text));
        let inputs = fs::read_to_string(&rule).map(|rule| self.user_inputs(&rule, &header));
        let _ = fs::remove_file(&header);
        let _ = fs::remove_file(&rule);
        done?;
        if !has_entry_point(&fs::read(&output).map_err(cache)?) {
            let _ = fs::remove_file(&output);
            return Err(BuildError::NoEntryPoint { file: file.clone() });
        }
        Ok((output, inputs.map_err(cache)?))
    }

    /// Files of the user in a makefile rule.
    fn user_inputs(&self, rule: &str, header: &Path) -> Vec<PathBuf> {
        let mut inputs = cache::prerequisites(rule);
        inputs.retain(|i| !i.starts_with(&self.shim.include) && i != header && i.extension().is_none_or(|e| e != "o"));
        inputs.iter_mut().for_each(|i| *i = std::path::absolute(&*i).unwrap_or_else(|_| i.clone()));
        inputs
    }

    /// The shim's runtime, compiled once for each compiler.
    fn runtime(&self, compiler: &Compiler, file: &Path) -> Result<PathBuf, BuildError> {
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let mut hasher = blake3::Hasher::new();
        hasher.update(compiler.identity.as_bytes()).update(compiler.options().join("\n").as_bytes());
        hasher.update(self.shim.digest.as_bytes());
        let path = self.cache.folder.join(format!("runtime-{}.o", cache::key(&hasher)));
        let _turn = ONE_AT_A_TIME.lock();
        if !path.is_file() {
            let scratch = self.cache.scratch("o");
            compiler
                .compile_runtime(&self.shim.include, &scratch)
                .map_err(|text| BuildError::Compiler { file: file.to_path_buf(), text })?;
            self.cache
                .publish(&scratch, &path)
                .map_err(|error| BuildError::Cache { folder: self.cache.folder.clone(), error })?;
        }
        Ok(path)
    }
}

/// True if a file's text can differ between the threads that it is compiled for.
fn asks_for_thread(input: &Path) -> bool {
    let Ok(text) = fs::read_to_string(input) else { return false };
    THREAD_WORDS.iter().any(|word| text.contains(word)) || text.lines().any(asks_for_one_thread)
}

/// True if a line asks for a thread by the names of tt-metal's build. One that names all three asks only whether the kernel
/// is a compute kernel.
fn asks_for_one_thread(line: &str) -> bool {
    let named = ["UCK_CHLKC_UNPACK", "UCK_CHLKC_MATH", "UCK_CHLKC_PACK"].iter().filter(|w| line.contains(*w)).count();
    named != 0 && named != 3
}

/// True if an image defines one of the entry points: the name of a symbol that is only referred to is not in a hidden,
/// weak and unresolved form in a linked image.
fn has_entry_point(image: &[u8]) -> bool {
    crate::image::defines(image, "_Z11kernel_mainv") || crate::image::defines(image, "_ZN9tp_kernel7tp_mainEv")
}
