//! One kernel's images: those that are kept, or those that the compiler makes.
//!
//! It must never hand on an image of which it is in doubt what was read for it. Start at [`Work::images`].

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tileproof_model::program::KernelConfig;
use tileproof_model::thread::Thread;

use crate::bound;
use crate::cache::{Cache, Found, Key, Scratch, key};
use crate::compiler::{Compilation, Compiler};
use crate::config::{self, Variant};
use crate::diagnostics;
use crate::environment;
use crate::given::Given;
use crate::glance::Glance;
use crate::look_ups::{Ahead, Special, names_of};
use crate::manifest::{Before, Doubt, Manifest};
use crate::note::note;
use crate::request::{BuildError, CompileRequest, Diagnostic};
use crate::rule::prerequisites;
use crate::runtime::runtime;
use crate::shim::SHIM;
use crate::stamp::read_regular;

/// How often a kernel is compiled whose files change meanwhile.
const TRIES: usize = 8;

/// A request with what the cache needs to know.
pub(crate) struct Job<'a> {
    pub(crate) request: &'a CompileRequest,
    pub(crate) absolute: PathBuf,
    header: String,
    options: Vec<String>,
    /// Folders that are searched for headers.
    folders: Vec<PathBuf>,
    /// Names of headers in its definitions.
    names: BTreeSet<PathBuf>,
}

impl<'a> Job<'a> {
    pub(crate) fn of(request: &'a CompileRequest) -> Result<Job<'a>, BuildError> {
        let source = |error| BuildError::Source { file: request.source.clone(), error };
        let absolute = std::path::absolute(&request.source).map_err(source)?;
        let mut options = Vec::new();
        let mut names = BTreeSet::new();
        for (name, value) in &request.defines {
            options.push(format!("-D{name}={value}"));
            names.extend(names_of(&format!("#define {name} {value}")).into_iter().map(|name| name.path));
        }
        let mut folders = Vec::new();
        for folder in &request.include_dirs {
            let folder = std::path::absolute(folder).map_err(source)?;
            options.push(format!("-I{}", folder.display()));
            folders.push(folder);
        }
        folders.extend(environment::folders());
        Ok(Job { request, absolute, header: config::header(request), options, folders, names })
    }

    fn file(&self) -> &Path {
        &self.request.source
    }

    /// The day whose headers the kernel was written for, if the program says it.
    fn day(&self) -> Option<&str> {
        self.request.defines.iter().find(|(name, _)| name == "TP_API").map(|(_, day)| day.as_str())
    }
}

/// The images that make one kernel.
#[derive(Default)]
pub(crate) struct Images {
    pub(crate) files: Vec<Image>,
    /// One of them was compiled for this.
    pub(crate) is_new: bool,
}

/// One of them.
pub(crate) struct Image {
    pub(crate) variant: Variant,
    pub(crate) found: Arc<Found>,
    /// Its bytes, if it was compiled for this; else the cache has them.
    pub(crate) compiled: Option<Vec<u8>>,
}

impl Images {
    fn add(&mut self, variant: Variant, (found, compiled): (Arc<Found>, Option<Vec<u8>>)) {
        self.is_new |= compiled.is_some();
        self.files.push(Image { variant, found, compiled });
    }

    /// The bytes of all of them; `None` if one is not in the cache any more.
    pub(crate) fn bytes(files: Vec<Image>, cache: &Cache) -> Option<Vec<(Variant, Vec<u8>)>> {
        let bytes = |file: Image| Some((file.variant, file.compiled.or_else(|| cache.image(&file.found.digest))?));
        files.into_iter().map(bytes).collect()
    }
}

/// What all kernels of a build share.
pub(crate) struct Work<'a> {
    pub(crate) cache: &'a Cache,
    compiler: &'a Compiler,
    /// Folder of the shim.
    include: PathBuf,
    /// Whether the shim's files were looked at, and the runtime that goes with them.
    runtime: Mutex<Option<PathBuf>>,
}

impl<'a> Work<'a> {
    pub(crate) fn new(cache: &'a Cache, compiler: &'a Compiler) -> Work<'a> {
        Work { cache, compiler, include: SHIM.include(cache), runtime: Mutex::new(None) }
    }

    /// Digest of all that is known before the included files are.
    pub(crate) fn first_key(&self, job: &Job<'_>, variant: Variant) -> Key {
        let mut hasher = blake3::Hasher::new();
        let mut add = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
        };
        add(&self.compiler.identity);
        add(&self.compiler.options().join("\n"));
        add(&environment::facts());
        add(&SHIM.digest);
        add(&job.header);
        add(&job.options.join("\n"));
        add(&format!("{:?}", job.absolute));
        add(&format!("{:?}", job.request.source));
        add(&config::variant_defines(variant).join(" "));
        key(&hasher)
    }

    /// The images that make one kernel; `None` if they were made of different texts, since a file changed in between.
    pub(crate) fn images(&self, job: &Job<'_>, key: &Key, glance: &Glance) -> Result<Option<Images>, BuildError> {
        let is_compute = matches!(job.request.config, KernelConfig::Compute(_));
        let asks = is_compute && glance.text(&job.absolute).is_some_and(|seen| seen.asks_for_thread);
        let mut images = Images::default();
        if !asks {
            // A file that the kernel includes may ask as well, and then one text for all threads may not compile.
            match self.image(job, Variant::Any, key, glance) {
                Ok((found, _)) if is_compute && found.manifest.asks_for_thread() => {}
                Ok(image) => {
                    images.add(Variant::Any, image);
                    return Ok(Some(images));
                }
                Err(BuildError::Compile { .. }) if is_compute && asks_ahead(job, glance) => {}
                Err(error) => return Err(error),
            }
        }
        for thread in [Thread::Unpack, Thread::Math, Thread::Pack] {
            let variant = Variant::Only(thread);
            let image = self.image(job, variant, &self.first_key(job, variant), glance)?;
            if !images.files.iter().all(|other| other.found.manifest.agrees(&image.0.manifest)) {
                return Ok(None);
            }
            images.add(variant, image);
        }
        Ok(Some(images))
    }

    /// The image of a variant; with its bytes if the compiler made it for this.
    fn image(
        &self,
        job: &Job<'_>,
        variant: Variant,
        key: &Key,
        glance: &Glance,
    ) -> Result<(Arc<Found>, Option<Vec<u8>>), BuildError> {
        if let Some(found) = self.cache.find(key, glance) {
            return Ok((found, None));
        }
        let mut known = Vec::new();
        for _ in 0..TRIES {
            let ahead = Ahead::of(&job.absolute, &job.folders, &job.names);
            let files = ahead.files.iter().chain(&known).map(PathBuf::as_path);
            let places = ahead.places(&job.folders);
            let before = Before::now(files, places, &|path| !self.compiler.owns(path));
            let scratch = self.cache.scratch().map_err(|error| self.broken(error))?;
            let (bytes, read) = match self.compile(job, variant, &scratch, &ahead) {
                Err(BuildError::Cache { folder, error }) => return Err(BuildError::Cache { folder, error }),
                // Half of a file that is being saved is no reason to refuse a kernel.
                Err(_) if !before.is_still() || self.was_taken_away(&scratch) || waits_for_rest(&ahead) => continue,
                compiled => compiled?,
            };
            let (of_shim, mut inputs): (Vec<PathBuf>, Vec<PathBuf>) =
                read.into_iter().partition(|path| path.starts_with(&self.include));
            if !SHIM.was_read(&self.include, &of_shim) {
                *self.runtime.lock().expect("the runtime") = None;
                continue;
            }
            inputs.retain(|path| !path.starts_with(scratch.path()));
            match Manifest::of(&inputs, (&job.folders, &job.names), &before, &|path| self.compiler.owns(path)) {
                Ok(manifest) => {
                    let found = Found { digest: blake3::hash(&bytes), manifest };
                    self.keep(key, &found, &bytes, &scratch);
                    return Ok((Arc::new(found), Some(bytes)));
                }
                // Saved while it was compiled: what the image was made of is not known.
                Err(Doubt::Moved) => known = inputs,
                Err(Doubt::Unreadable(path, error)) => {
                    let message = format!("it includes {}: {error}", path.display());
                    let diagnostic = Diagnostic { file: job.file().display().to_string(), line: 0, column: 0, message };
                    let diagnostic = Box::new(diagnostic);
                    return Err(BuildError::NotText { file: job.file().to_path_buf(), diagnostic });
                }
            }
        }
        Err(BuildError::Unsettled { file: job.file().to_path_buf() })
    }

    /// Has a kernel compiled anew.
    ///
    /// # Errors
    /// If the cache cannot forget it.
    pub(crate) fn forget(&self, job: &Job<'_>) -> Result<(), BuildError> {
        let variants = [Thread::Unpack, Thread::Math, Thread::Pack].map(Variant::Only);
        let mut variants = [Variant::Any].into_iter().chain(variants);
        variants.try_for_each(|variant| self.cache.forget(&self.first_key(job, variant))).map_err(|e| self.broken(e))
    }

    /// Whether what a compilation needs has been removed under its hands, as by `tileproof cache clear`.
    fn was_taken_away(&self, scratch: &Scratch) -> bool {
        let mut known = self.runtime.lock().expect("the runtime");
        let is_there = known.as_ref().is_none_or(|object| object.is_file());
        let taken = !scratch.path().is_dir() || !is_there || !SHIM.damaged(&self.cache.folder).is_empty();
        if taken {
            *known = None;
        }
        taken
    }

    fn keep(&self, key: &Key, found: &Found, bytes: &[u8], scratch: &Scratch) {
        if found.manifest.is_partial {
            return;
        }
        match self.cache.keep(key, found, bytes, scratch) {
            Ok(()) => bound::after_keeping(&self.cache.folder, bytes.len() as u64),
            // The image is here all the same.
            Err(error) => note(&format!("cache {}: an image cannot be kept: {error}", self.cache.folder.display())),
        }
    }

    fn broken(&self, error: io::Error) -> BuildError {
        BuildError::Cache { folder: self.cache.folder.clone(), error }
    }

    /// Compiles a variant; the image, and all files that went into it.
    fn compile(
        &self,
        job: &Job<'_>,
        variant: Variant,
        scratch: &Scratch,
        ahead: &Ahead,
    ) -> Result<(Vec<u8>, Vec<PathBuf>), BuildError> {
        let file = job.file();
        let (text, _) =
            read_regular(&job.absolute).map_err(|error| BuildError::Source { file: file.to_path_buf(), error })?;
        let text = String::from_utf8_lossy(&text);
        if !text.contains("kernel_main") && !text.contains("MAIN") && !text.contains("#include") {
            return Err(BuildError::NoEntryPoint { file: file.to_path_buf() });
        }
        let broken = |error| self.broken(error);
        let runtime = self.runtime(file)?;
        let header = scratch.file("kernel.h");
        fs::write(&header, &job.header).map_err(broken)?;
        let (output, rule) = (scratch.file("image.so"), scratch.file("image.d"));
        let mut options = job.options.clone();
        options.extend(config::variant_defines(variant).iter().map(|d| d.to_string()));
        let given = Given::of_kernel(&job.absolute, &job.folders, &ahead.files);
        let work = Compilation {
            source: &job.absolute,
            include: &self.include,
            header: &header,
            runtime: &runtime,
            options: &options,
            output: &output,
            inputs: &rule,
            given: &given,
            scratch: scratch.path(),
        };
        // What leads to a pipe or a device may stand in a comment: the preprocessor says whether it is read.
        if let Some(special) = ahead.special.first()
            && self.compiler.reads_without_end(&work)
        {
            return Err(not_text(job, special));
        }
        self.compiler
            .compile(&work)
            .map_err(|text| diagnostics::error_of(file, &job.absolute, &self.include, &text, job.day()))?;
        let image = fs::read(&output).map_err(broken)?;
        if !has_entry_point(&image) {
            return Err(BuildError::NoEntryPoint { file: file.to_path_buf() });
        }
        let mut inputs = prerequisites(&fs::read(&rule).map_err(broken)?);
        inputs.iter_mut().for_each(|i| *i = std::path::absolute(&*i).unwrap_or_else(|_| i.clone()));
        Ok((image, inputs))
    }

    /// The shim's runtime, once the shim was looked at.
    fn runtime(&self, file: &Path) -> Result<PathBuf, BuildError> {
        let mut known = self.runtime.lock().expect("the runtime");
        if let Some(path) = &*known {
            return Ok(path.clone());
        }
        let path = runtime(self.cache, self.compiler, file)?;
        *known = Some(path.clone());
        Ok(path)
    }
}

/// A file that was saved so lately may be one of which a half is there yet: empty first, then what it is to be.
const SAVING: Duration = Duration::from_millis(150);

/// Waits until files rest that have just been saved. False if all did.
fn waits_for_rest(ahead: &Ahead) -> bool {
    let is_new = |path: &PathBuf| {
        let saved = fs::metadata(path).and_then(|facts| facts.modified()).ok();
        saved.and_then(|saved| saved.elapsed().ok()).is_some_and(|age| age < SAVING)
    };
    let waits = ahead.files.iter().any(is_new);
    if waits {
        std::thread::sleep(SAVING);
    }
    waits
}

/// Whether a file that a kernel includes can differ between the threads that it is compiled for.
fn asks_ahead(job: &Job<'_>, glance: &Glance) -> bool {
    let ahead = Ahead::of(&job.absolute, &job.folders, &job.names);
    ahead.files.iter().any(|file| glance.text(file).is_some_and(|seen| seen.asks_for_thread))
}

/// A kernel that includes what is no text.
fn not_text(job: &Job<'_>, special: &Special) -> BuildError {
    let file = diagnostics::as_given(job.file(), &job.absolute, &special.file.display().to_string());
    let message =
        format!("#include leads to {}, which is {}, not a file with a text", special.path.display(), special.what);
    let diagnostic = Box::new(Diagnostic { file, line: special.line, column: 1, message });
    BuildError::NotText { file: job.file().to_path_buf(), diagnostic }
}

/// True if an image defines one of the entry points: the name of a symbol that is only referred to is not in a hidden,
/// weak and unresolved form in a linked image.
fn has_entry_point(image: &[u8]) -> bool {
    crate::image::defines(image, "_Z11kernel_mainv") || crate::image::defines(image, "_ZN9tp_kernel7tp_mainEv")
}
