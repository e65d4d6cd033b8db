//! A program file whose tensors are on a device.
//!
//! It knows the lines of the file, for errors and findings; it must never judge a value. Start at [`Loaded::prepare`].

use std::path::Path;
use std::time::{Duration, Instant};

use tileproof_model::finding;
use tileproof_model::kernel::SourceLocation;
use tileproof_model::observe::Observer;
use tileproof_model::program::TensorDescriptor;
use tileproof_model::record::RunRecord;
use tileproof_model::thread::{CoreCoord, Thread};
use tileproof_sim::LaunchError;

use super::compared::Compare;
use super::error::{Place, RunError};
use super::formula;
use super::needs;
use super::options::RunOptions;
use crate::cpp_kernels::{self, BuildKernels, Kernels, NoRequest};
use crate::device::{Device, host_threads};
use crate::elements;
use crate::fill::{Fill, FillError};
use crate::filling;
use crate::npy::{self, SaveAs};
use crate::output::Bounds;
use crate::pages::Padding;
use crate::program_file::{Expected, ProgramFile, Standing, TensorData};
use crate::tensor_findings::nowhere;
use crate::wanted::Wanted;

/// A program file whose tensors are on a device.
pub(super) struct Loaded<'a, O: Observer> {
    pub(super) file: &'a ProgramFile,
    pub(super) device: Device<O>,
    /// Elements of each `[[expect]]`; `None` where they are what the run leaves in another tensor.
    pub(super) expected: Vec<Option<Wanted>>,
    /// What elements of outputs may be off by, where their expectations go by that.
    pub(super) bounds: Bounds,
    /// Who compares its outputs, where the file does not say what they should be.
    pub(super) compare: Option<Compare<'a>>,
    /// A core and a thread of its kernels, for places in the file: a reader asks for one that is there.
    first: (CoreCoord, Thread),
    /// Its outputs are compared with those of another schedule.
    pub(super) compares: bool,
    /// How long the machine has run.
    pub(super) machine: Duration,
}

impl<'a, O: Observer> Loaded<'a, O> {
    /// Allocates and fills the tensors, and reads what is expected: a bad file is an error before anything runs.
    pub(super) fn prepare(file: &'a ProgramFile, options: &RunOptions) -> Result<Loaded<'a, O>, RunError> {
        let given = |tensor: &TensorDescriptor| options.padding.map(|value| elements::nearest(tensor.format, value));
        let padding = |tensor: &TensorDescriptor| given(tensor).unwrap_or(Padding::UNDEFINED.word());
        let loaded = Loaded::prepare_padded(file, options, &padding, None)?;
        loaded.check_expected()?;
        Ok(loaded)
    }

    /// What cannot be expected is said before anything runs; runs that look again need not ask.
    fn check_expected(&self) -> Result<(), RunError> {
        let fills = self.file.expects.iter().zip(&self.expected);
        for (expect, wanted) in fills.filter(|(expect, _)| matches!(expect.values, Expected::Fill(_))) {
            let Some(wanted) = wanted.as_ref().filter(|wanted| !wanted.is_there()) else { continue };
            let mut element = 0;
            for piece in filling::pieces(&self.file.program.tensors[expect.tensor]) {
                let place = || Place { path: self.file.path.clone(), line: expect.line };
                let error = |source: FillError| RunError::Expect { place: place(), source: source.into() };
                wanted.piece(element..element + piece.elements()).map_err(error)?;
                element += piece.elements();
            }
        }
        Ok(())
    }

    /// As [`Loaded::prepare`], with the element that a tensor's padding is to hold where the file does not say it, and the
    /// byte that all undefined memory is filled with, if it is another.
    pub(super) fn prepare_padded(
        file: &'a ProgramFile,
        options: &RunOptions,
        padding: &dyn Fn(&TensorDescriptor) -> u32,
        undefined: Option<u8>,
    ) -> Result<Loaded<'a, O>, RunError> {
        needs::check(file)?;
        let mut device = Device::empty(file.program.arch, host_threads(options.threads));
        if let Some(byte) = undefined {
            device.machine_mut().fill_undefined_with(byte);
        }
        if options.isolation.is_some() {
            // Else what is filled would be copied later.
            device.machine_mut().share_memory().map_err(|source| RunError::Launch {
                path: file.path.clone(),
                source: Box::new(LaunchError::from(source)),
            })?;
        }
        let place = |line| Place { path: file.path.clone(), line };
        for (i, (tensor, data)) in file.program.tensors.iter().zip(&file.tensors).enumerate() {
            let made = match (&data.standing, data.address) {
                (Some(standing), _) => device.place(tensor, standing),
                (None, Some(address)) => device.make_room(tensor, address),
                (None, None) => device.allocate(tensor),
            };
            made.map_err(|source| RunError::Allocate { place: place(data.line), source: source.into() })?;
            // Bytes that are all alike are next to nothing in blocks that share an exponent.
            let blocks =
                undefined.filter(|_| tensor.format.is_block_float() && !data.output && data.standing.is_none());
            let as_value = blocks.map(|byte| Fill::Constant(f32::from_bits(u32::from_ne_bytes([byte; 4])).into()));
            let Some(fill) = data.fill.as_ref().or(as_value.as_ref()) else { continue };
            let error = |source: FillError| RunError::Fill {
                place: place(data.line),
                tensor: tensor.name.clone(),
                source: source.into(),
            };
            let padding = match data.padding {
                Some(value) => Padding::Stated(elements::nearest(tensor.format, value)),
                None => Padding::Undefined(padding(tensor)),
            };
            filling::fill(&mut device, i, tensor, (fill, file.seed, i as u64), padding).map_err(error)?;
            if !data.undefined_pages.is_empty() {
                device.leave_undefined(i, &data.undefined_pages);
            }
        }
        let wanted = |of: &TensorDescriptor, stream: usize, fill: &Fill| {
            // The stream is the tensor's, so that a seeded fill gives what it gives as the fill of the tensor.
            Wanted::of(fill, &of.shape, of.format, file.seed, stream as u64)
        };
        let filled = |tensor: usize, fill: &Fill| wanted(&file.program.tensors[tensor], tensor, fill);
        let expected = file.expects.iter().map(|expect| {
            let words = match &expect.values {
                Expected::Fill(fill) => {
                    let of = expect.sums.as_deref().unwrap_or(&file.program.tensors[expect.tensor]);
                    wanted(of, expect.tensor, fill).map(Some)
                }
                Expected::Formula(formula) => {
                    formula::fill(file, expect.tensor, formula).and_then(|fill| filled(expect.tensor, &fill)).map(Some)
                }
                Expected::SameAs(other) => {
                    let format = |tensor: usize| file.program.tensors[tensor].format;
                    let wanted = file.tensors[*other].fill.as_ref().map(|fill| filled(*other, fill)).transpose();
                    wanted.map(|wanted| Some(wanted?.converted(format(*other), format(expect.tensor))))
                }
            };
            words.map_err(|source| RunError::Expect { place: place(expect.line), source: source.into() })
        });
        let expected = expected.collect::<Result<_, _>>()?;
        let core = file.cores().first().copied().unwrap_or(CoreCoord { x: 0, y: 0 });
        let first = (core, file.threads().first().copied().unwrap_or(Thread::Brisc));
        Ok(Loaded {
            file,
            device,
            expected,
            bounds: Bounds::new(),
            compare: None,
            first,
            compares: false,
            machine: Duration::ZERO,
        })
    }

    /// A line of the program file; a call of a shipped op has no file, and so no lines.
    pub(super) fn place(&self, line: usize) -> finding::Place {
        if line == 0 {
            return nowhere();
        }
        let path = self.file.path.display().to_string();
        finding::Place {
            location: Some(SourceLocation { file: path.clone(), line: line as u32, column: 0 }),
            kernel: path,
            core: self.first.0,
            thread: self.first.1,
        }
    }

    /// The kernels of all launches, built together; those in Rust are there already.
    pub(super) fn build(&self, builder: &dyn BuildKernels) -> Result<Kernels, RunError> {
        let program = &self.file.program;
        let mut requests = Vec::new();
        for (launch, lines) in program.launches.iter().zip(&self.file.launches) {
            for (kernel, line) in launch.kernels.iter().zip(&lines.kernels) {
                let place = || Place { path: self.file.path.clone(), line: *line };
                let request = self.device.request(program, launch, kernel, self.file.api);
                requests.extend(request.map_err(|why| match why {
                    NoRequest::Argument(source) => RunError::Kernel { place: place(), source: source.into() },
                    NoRequest::CbsDiffer(cb) => RunError::CbsDiffer { place: place(), cb },
                })?);
            }
        }
        cpp_kernels::build(program, &requests, builder).map_err(|source| RunError::Build {
            path: self.file.path.clone(),
            source: source.into(),
            places: cpp_kernels::kernel_places(program),
        })
    }

    /// Runs the launches; one that does not complete is the last.
    pub(super) fn launch(&mut self, kernels: &Kernels) -> Result<RunRecord, RunError> {
        let begin = Instant::now();
        let launched = self.device.launch(&self.file.program, kernels);
        self.machine += begin.elapsed();
        launched.map_err(|source| self.cannot_launch(source))
    }

    /// The error of a launch that cannot begin, at the circular buffer that is the reason.
    pub(super) fn cannot_launch(&self, source: LaunchError) -> RunError {
        let index = match &source {
            LaunchError::L1Overflow { index, .. } | LaunchError::BeyondShard { index, .. } => Some(*index),
            _ => None,
        };
        let launches = self.file.program.launches.iter().zip(&self.file.launches);
        let mut cbs = launches.flat_map(|(launch, lines)| launch.cbs.iter().zip(&lines.cbs));
        let cb = cbs.find(|(cb, _)| cb.format_descriptors.iter().any(|f| Some(f.buffer_index) == index));
        match cb {
            Some((_, line)) => {
                RunError::Buffer { place: Place { path: self.file.path.clone(), line: *line }, source: source.into() }
            }
            None => RunError::Launch { path: self.file.path.clone(), source: source.into() },
        }
    }

    /// The elements of a tensor of the program.
    pub(super) fn elements(&self, tensor: usize) -> Option<Vec<u32>> {
        self.device.elements(tensor)
    }

    /// What is on its tensors now, each where it stood before.
    pub(super) fn standing(&self) -> Vec<Standing> {
        let address = |data: &TensorData| data.standing.as_ref().map_or(0, |standing| standing.address);
        self.file.tensors.iter().enumerate().map(|(i, data)| self.device.standing(i, address(data))).collect()
    }

    /// Saves the outputs.
    pub(super) fn save(&self, folder: &Path, save_as: SaveAs) -> Result<(), RunError> {
        std::fs::create_dir_all(folder)
            .map_err(|error| RunError::SaveFolder { folder: folder.to_path_buf(), error })?;
        for (i, (tensor, data)) in self.file.program.tensors.iter().zip(&self.file.tensors).enumerate() {
            if data.output && npy::dtype_of(tensor.format).is_some() {
                let path = folder.join(format!("{}.npy", tensor.name));
                self.save_tensor(i, &path, save_as).map_err(|error| RunError::Save(error.into()))?;
            }
        }
        Ok(())
    }
}
