//! Why a launch cannot begin.

use tileproof_model::thread::{CoreCoord, Thread};

use crate::core::MAX_ARGUMENTS;

/// Why a launch cannot begin.
#[derive(thiserror::Error, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum LaunchError {
    #[error("no memory for another core: {0}")]
    Host(#[from] std::io::Error),
    #[error("tensor {name}: {bytes} bytes do not fit in {memory}")]
    TensorTooLarge { name: String, bytes: u64, memory: &'static str },
    #[error("tensor {name}: address {address} is not free")]
    AddressTaken { name: String, address: u32 },
    #[error("circular buffer {index}: tensor {name} is not sharded over all cores of the buffer")]
    NotBacked { index: u8, name: String },
    #[error(
        "circular buffer {index}: {total} bytes from byte {offset} on are more than the {shard} that tensor {name} has on a core"
    )]
    BeyondShard { index: u8, name: String, total: u32, offset: u32, shard: u32 },
    #[error("argument names tensor {name}, which does not exist")]
    NoSuchTensor { name: String },
    #[error("circular buffers end at {end} on core {core}, their room at {limit}: {over} bytes too many\n{map}")]
    L1Overflow { core: CoreCoord, index: u8, end: u64, limit: u32, over: u64, map: String },
    #[error("circular buffer {index}: total_size {total} is not a multiple of page_size {page}")]
    UnevenPages { index: u8, total: u32, page: u32 },
    #[error("circular buffer {index}: {arch} has buffers 0 to {last}")]
    NoSuchBuffer { index: u8, arch: &'static str, last: u32 },
    #[error("core {core} is outside the compute grid of {columns} x {rows} cores")]
    NoSuchCore { core: CoreCoord, columns: u32, rows: u32 },
    #[error("semaphore {id}: ids are 0 to 15")]
    NoSuchSemaphore { id: u32 },
    #[error("two kernels on {thread} of core {core}")]
    TwoKernels { core: CoreCoord, thread: Thread },
    #[error("kernel {kernel}: {count} runtime arguments, a kernel can have {MAX_ARGUMENTS} with the common ones")]
    TooManyArguments { kernel: String, count: usize },
}
