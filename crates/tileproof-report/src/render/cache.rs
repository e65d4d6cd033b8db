//! The cache as text for people.
//!
//! It must never look at the folder. Start at [`render_cache`].

use std::fmt::Write;

use crate::json::CacheDocument;

/// What is in the cache, and what was done with it.
pub fn render_cache(cache: &CacheDocument) -> String {
    let mut text = format!("{}\n", cache.folder);
    if let Some(why) = &cache.refused {
        let _ = writeln!(text, "is not used: {why}");
        return text;
    }
    let _ = writeln!(
        text,
        "{} images, {} in all; at most {}, and {} days after their last use",
        cache.images,
        size(cache.bytes),
        size(cache.most_bytes),
        cache.most_days
    );
    if let (Some(whole), Some(stale)) = (cache.whole, cache.stale) {
        let _ =
            writeln!(text, "{whole} kernels are as they were kept, {stale} of them of texts that have changed since");
        for path in &cache.damaged {
            let _ = writeln!(text, "damaged: {path}");
        }
        if !cache.damaged.is_empty() {
            let _ = writeln!(text, "\nwhat is damaged is made again when it is needed");
        }
    }
    if let (Some(removed), Some(bytes), Some(left)) = (cache.removed, cache.removed_bytes, cache.left) {
        let _ = writeln!(text, "{removed} files and folders removed, {}", size(bytes));
        if left > 0 {
            let _ = writeln!(text, "{left} could not be removed");
        }
    }
    text
}

/// Bytes in words.
fn size(bytes: u64) -> String {
    match bytes {
        0..=9_999 => format!("{bytes} bytes"),
        10_000..=9_999_999 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}
