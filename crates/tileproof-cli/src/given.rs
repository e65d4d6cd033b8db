//! The words that the command was given, its name the first of them: those of the process, unless another program runs the command.
//!
//! For what asks before they are read or after they could not be. Start at [`words`].

use std::ffi::OsString;
use std::sync::Mutex;

static WORDS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Says what they are. What is no Unicode is shown as far as it is.
pub(crate) fn are(words: &[OsString]) {
    let words = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    *WORDS.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = words;
}

/// What they are.
pub(crate) fn words() -> Vec<String> {
    WORDS.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
}
