//! The devices that a process has open, by number, and what lies on them.
//!
//! It must never hold two devices at once, nor the list while a program runs. Start at [`Device`].

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tileproof::build::Builder;
use tileproof::built_by;
use tileproof::model::numerics::format::DataFormat;
use tileproof::model::program::{Layout, MemoryConfig, Sharding, TensorDescriptor};
use tileproof::model::thread::CoreCoord;
use tileproof::open_device::OpenDevice;
use tileproof::run_file::{Place, RunResult};

use crate::settings::Settings;
use crate::told::Program;

/// What cannot be done, and the line of the host program that is to blame, if it is not the one that asked.
pub(crate) struct Refused {
    pub(crate) at: Option<Place>,
    pub(crate) why: String,
}

impl<E: std::fmt::Display> From<E> for Refused {
    fn from(error: E) -> Refused {
        Refused { at: None, why: error.to_string() }
    }
}

/// All that is open.
struct Open {
    devices: BTreeMap<u64, Arc<Device>>,
    next: u64,
}

static OPEN: Mutex<Open> = Mutex::new(Open { devices: BTreeMap::new(), next: 1 });

/// What is held is replaced whole: a panic leaves it as it was.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A device, which its own threads share.
pub(crate) struct Device {
    /// The number that the host program calls it by.
    pub(crate) chip: u32,
    device: Mutex<OpenDevice>,
}

/// How a buffer is described: pages in a row, or a matrix of pages cut into shards.
pub(crate) struct BufferSpec {
    pub(crate) page_size: u32,
    pub(crate) pages: u32,
    pub(crate) in_l1: bool,
    pub(crate) shards: Option<Shards>,
}

/// A matrix of pages, and the part of it that each core has.
pub(crate) struct Shards {
    /// Rows and columns of the buffer, in pages.
    pub(crate) buffer: [u32; 2],
    /// Rows and columns of a shard, in pages.
    pub(crate) shard: [u32; 2],
    /// In turn.
    pub(crate) cores: Vec<CoreCoord>,
}

impl BufferSpec {
    /// The buffer as a tensor of bytes, a page a row; shards several pages wide are of tiles.
    fn tensor(self, place: &Place) -> Result<TensorDescriptor, String> {
        let file = place.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let bytes = TensorDescriptor {
            name: format!("{file}:{} buffer", place.line),
            shape: vec![self.pages, self.page_size],
            format: DataFormat::UInt8,
            layout: Layout::RowMajor,
            memory: if self.in_l1 { MemoryConfig::L1 } else { MemoryConfig::Dram },
            output: false,
        };
        let Some(Shards { buffer: [rows, columns], shard: [height, width], cores }) = self.shards else {
            return Ok(bytes);
        };
        if !self.in_l1 {
            return Err(
                "a sharded buffer in DRAM is not modelled: shards lie in L1, so that buffer_type must be L1".into()
            );
        }
        if cores.is_empty() {
            return Err("a sharded buffer needs cores: the grid of its shards is an empty set".into());
        }
        if height == 0 || width == 0 || rows.checked_mul(columns) != Some(self.pages) {
            let pages = self.pages;
            return Err(format!(
                "shard of {height} x {width} pages of a buffer of {rows} x {columns}: it has {pages} pages"
            ));
        }
        let sharded = |shard_shape| MemoryConfig::Sharded(Sharding { shard_shape, cores });
        let times = |count: u32, by: u32| {
            let too_large = || format!("sharded buffer: {count} times {by} is more than 32 bits hold");
            count.checked_mul(by).ok_or_else(too_large)
        };
        if width == 1 {
            let shape = vec![rows, times(columns, self.page_size)?];
            return Ok(TensorDescriptor { shape, memory: sharded([height, self.page_size]), ..bytes });
        }
        let tile = [DataFormat::UInt8, DataFormat::Float16_b, DataFormat::Float32]
            .into_iter()
            .find(|format| format.tile_bytes() == self.page_size);
        let format = tile.ok_or_else(|| {
            format!("shards {width} pages wide, of {} B each, are not modelled: pages must be tiles", self.page_size)
        })?;
        let shape = vec![times(rows, 32)?, times(columns, 32)?];
        let memory = sharded([times(height, 32)?, times(width, 32)?]);
        Ok(TensorDescriptor { shape, format, layout: Layout::Tile, memory, ..bytes })
    }
}

/// Opens a device; its number here.
pub(crate) fn open(chip: u32) -> Result<u64, Refused> {
    let settings = Settings::of_environment()?;
    let count = settings.devices;
    if chip >= count {
        let more = if count == 1 { "; TILEPROOF_DEVICES is how many there are" } else { "" };
        return Err(format!("device {chip}: there are {count}, numbered from 0{more}").into());
    }
    let mut device = OpenDevice::new(settings.arch, settings.api);
    if let Some(folder) = settings.record {
        device.record_into(folder);
    }
    let mut open = locked(&OPEN);
    if open.devices.values().any(|other| other.chip == chip) {
        return Err(format!("device {chip} is open already").into());
    }
    let number = open.next;
    open.next += 1;
    open.devices.insert(number, Arc::new(Device { chip, device: Mutex::new(device) }));
    Ok(number)
}

/// Closes a device; it, if it was open.
pub(crate) fn close(number: u64) -> Option<Arc<Device>> {
    locked(&OPEN).devices.remove(&number)
}

/// An open device.
pub(crate) fn device(number: u64) -> Result<Arc<Device>, Refused> {
    let open = locked(&OPEN);
    open.devices.get(&number).cloned().ok_or_else(|| "the device is closed".into())
}

impl Device {
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut OpenDevice) -> T) -> T {
        work(&mut locked(&self.device))
    }

    /// Makes a buffer; its number and address.
    pub(crate) fn allocate(&self, spec: BufferSpec, place: Place) -> Result<(u64, u32), Refused> {
        let tensor = spec.tensor(&place)?;
        self.with(|device| {
            let id = device.allocate(tensor, Some(place))?;
            Ok((id.0, device.address(id)?))
        })
    }

    /// Runs a program.
    pub(crate) fn run(&self, program: &Program, at: &Place, settings: &Settings) -> Result<RunResult, Refused> {
        let builder = built_by(Builder::new(settings.options.cache.clone())?, settings.options.isolation);
        self.with(|device| {
            let described = program.read(at, device);
            let (launch, lines) = described.map_err(|(at, why)| Refused { at: Some(at), why })?;
            Ok(device.run((at.path.clone(), lines), launch, &[], &settings.options, &*builder)?)
        })
    }
}
