//! The names that the cache gives to what it keeps, those of earlier versions too.
//!
//! What has another name must never be taken for the cache's: its folder may be a home or a project, with anybody's files in
//! `images` and `work`. Start at [`of_image`].

/// Files of [`IMAGES`](crate::folder::IMAGES): images by the digest of their bytes, manifests by the key of what they are for.
/// Earlier versions kept images by a key, with their manifests as `.inputs`.
pub(crate) fn of_image(name: &str) -> bool {
    name.split_once('.').is_some_and(|(stem, extension)| match extension {
        "so" => is_hex(stem, 64) || is_hex(stem, 32),
        "manifest" | "inputs" => is_hex(stem, 32),
        _ => false,
    })
}

/// Files of [`COMPILERS`](crate::folder::COMPILERS).
pub(crate) fn of_compiler(name: &str) -> bool {
    is_hex(name, 32)
}

/// What [`drawn`](crate::folder::drawn) makes for a compilation, a folder. In earlier versions it had no first word, and before
/// there were folders every file had a number behind it.
pub(crate) fn of_work(name: &str, is_folder: bool) -> bool {
    let parts: Vec<&str> = name.strip_prefix("compile-").unwrap_or(name).split('-').collect();
    match parts[..] {
        [process, drawn] => is_folder && is_number(process) && is_hex(drawn, 16),
        [process, drawn, file] => {
            let is_file = file.split_once('.').is_some_and(|(number, extension)| {
                is_number(number) && matches!(extension, "h" | "so" | "d" | "o" | "inputs")
            });
            !is_folder && is_file && is_number(process) && is_hex(drawn, 16) && !name.starts_with("compile-")
        }
        _ => false,
    }
}

/// What is laid out in the cache: headers of kernels, headers of host programs, texts of kernels that have no file.
pub(crate) const LAID_OUT: [&str; 3] = ["shim-", "sdk-", "source-"];

/// A folder of what is laid out. An earlier version that was ended has left the one that it was at.
pub(crate) fn of_shim(name: &str) -> bool {
    let Some(rest) = LAID_OUT.iter().find_map(|kind| name.strip_prefix(kind)) else { return false };
    let (digest, rest) = rest.split_once('.').unwrap_or((rest, ""));
    let is_left = |(process, thread): (&str, &str)| {
        let thread = thread.strip_prefix("ThreadId(").and_then(|thread| thread.strip_suffix(')'));
        is_number(process) && thread.is_some_and(is_number)
    };
    is_hex(digest, 24) && (rest.is_empty() || rest.split_once('.').is_some_and(is_left))
}

/// Files of a runtime.
pub(crate) fn of_runtime(name: &str) -> bool {
    let parts = name.strip_prefix("runtime-").and_then(|rest| rest.split_once('.'));
    parts.is_some_and(|(key, extension)| is_hex(key, 32) && matches!(extension, "o" | "digest"))
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_were_ever_written_and_no_others() {
        let [drawn, shim, key, digest] = [16, 24, 32, 64].map(|digits| "a7".repeat(digits / 2));
        for name in [format!("{digest}.so"), format!("{key}.so"), format!("{key}.manifest"), format!("{key}.inputs")] {
            assert!(of_image(&name), "{name}");
        }
        for name in ["mine.png", "mine.so", ".so", &format!("{key}.png"), &format!("{digest}.manifest"), &digest] {
            assert!(!of_image(name), "{name}");
        }
        assert!(of_image(&format!("{digest}.so")) && !of_image(&format!("{}.so", digest.to_uppercase())));
        assert!(of_compiler(&key) && !of_compiler("mine") && !of_compiler(&digest));
        for name in [format!("compile-12-{drawn}"), format!("12-{drawn}")] {
            assert!(of_work(&name, true) && !of_work(&name, false), "{name}");
        }
        assert!(of_work(&format!("12-{drawn}-7.h"), false) && !of_work(&format!("12-{drawn}-7.h"), true));
        for name in ["mine", "compile-mine", "2026-11", "compile-12-34", &format!("12-{drawn}-7.png"), &drawn] {
            assert!(!of_work(name, true) && !of_work(name, false), "{name}");
        }
        for name in [format!("shim-{shim}"), format!("shim-{shim}.12.ThreadId(3)")] {
            assert!(of_shim(&name), "{name}");
        }
        for name in ["shim-mine", "shim-", &format!("shim-{shim}.zip"), &format!("shim-{shim}.12.mine")] {
            assert!(!of_shim(name), "{name}");
        }
        assert!(of_runtime(&format!("runtime-{key}.o")) && of_runtime(&format!("runtime-{key}.digest")));
        assert!(!of_runtime("runtime-notes.o") && !of_runtime(&format!("runtime-{key}.txt")));
    }
}
