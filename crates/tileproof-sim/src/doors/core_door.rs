//! The way from a call that concerns a core alone to its step.

/// A function that does one step of a core.
macro_rules! core_door {
    ($how:ident, $name:ident($($arg:ident: $type:ty),*) |$core:ident, $sink:ident, $by:ident| $body:expr) => {
        pub(super) extern "C-unwind" fn $name<O: Observer>(site: Site, $($arg: $type),*) {
            $how::<O, _>(site, |engine, $by| {
                let Engine { cores, sink: $sink, .. } = engine;
                let $core = &mut cores[$by.core];
                $body
            });
        }
    };
}
pub(super) use core_door;
