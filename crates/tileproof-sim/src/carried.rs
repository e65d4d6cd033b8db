//! What UNPACK and PACK carried, datum by datum, for observers that want values.
//!
//! It is looked up after the call, when L1 and the register hold what the call left; it must never be asked for an observer
//! that does not want it. Start at [`Engine::observe_fetched`].

use tileproof_model::event::{Carried, Event, What};
use tileproof_model::observe::Observer;
use tileproof_model::op_word::{OpWord, flag, unpack_kind};
use tileproof_numerics::format::DataFormat;
use tileproof_numerics::host::f16_to_f32;
use tileproof_numerics::tile::{FACE_DATUMS, ROW_DATUMS, TILE_DATUMS, Tile, face_index};
use tileproof_numerics::unpack::{converts, unpack_tile};

use crate::engine::Engine;
use crate::l1::L1Window;
use crate::step::Caller;
use crate::tensix::did::{Fetched, Packed};

/// No place in L1.
const NOWHERE: u32 = u32::MAX;

impl<O: Observer> Engine<O> {
    /// Shows an operand datum by datum, to an observer that wants values.
    pub(crate) fn observe_fetched(&mut self, by: Caller, what: What, fetched: &Fetched) {
        if !O::VALUES {
            return;
        }
        let core = &self.cores[by.core];
        let queue = if fetched.to_b { &core.tensix.src_b } else { &core.tensix.src_a };
        let Some(token) = queue.last() else { return };
        let mut at = places(fetched);
        if fetched.word.has(flag::TRANSPOSE) && !fetched.to_b {
            let straight = at;
            for row in 0..32 {
                for column in 0..32 {
                    at[face_index(row, column)] = straight[face_index(column, row)];
                }
            }
        }
        let in_register = numbers(fetched.register, &token.tile);
        let values = held(&core.l1, fetched.l1, &at, fetched.offset);
        // A register holds both of these whole: block floats, whose place alone does not tell their value, and integers of 8
        // bits, which Src keeps under an exponent.
        let values = if fetched.l1.is_block_float() { in_register } else { values };
        let is_8_bit = matches!(fetched.register, DataFormat::Int8 | DataFormat::UInt8);
        let in_register = if is_8_bit { values } else { in_register };
        let carried = Carried {
            l1: fetched.l1,
            register: fetched.register,
            at: &at,
            values: &values,
            in_register: &in_register,
            to_b: fetched.to_b,
            word: fetched.word,
        };
        let Caller { core, thread, site } = by;
        self.observer.carried(&Event { core, thread, site, cycle: 0, what }, &carried);
    }

    /// Shows what was packed datum by datum.
    pub(crate) fn observe_packed(&mut self, by: Caller, what: What, packed: &Packed) {
        if !O::VALUES {
            return;
        }
        let core = &self.cores[by.core];
        let mut at = [NOWHERE; TILE_DATUMS];
        let datum = packed.l1.datum_bytes();
        if let Some(datum) = datum.filter(|_| packed.row_bytes > 0) {
            for row in 0..32 {
                for column in 0..32 {
                    let within = row as u32 * packed.row_bytes + column as u32 * datum;
                    at[face_index(row, column)] = packed.offset + within;
                }
            }
        } else if let Some(datum) = datum {
            let first = packed.offset + first_datum(packed.l1);
            let count = if packed.is_tile { TILE_DATUMS } else { (packed.bytes / datum) as usize };
            for (number, place) in at.iter_mut().take(count).enumerate() {
                *place = first + number as u32 * datum;
            }
        }
        let values = held(&core.l1, packed.l1, &at, packed.offset);
        let in_register = numbers(packed.register, core.tensix.dst.tile(packed.dst.tile.into()));
        let carried = Carried {
            l1: packed.l1,
            register: packed.register,
            at: &at,
            values: &values,
            in_register: &in_register,
            to_b: false,
            word: core.tensix.pack.op.map_or_else(OpWord::default, |op| op.value),
        };
        let Caller { core, thread, site } = by;
        self.observer.carried(&Event { core, thread, site, cycle: 0, what }, &carried);
    }
}

/// Where in a tile the datums begin.
fn first_datum(format: DataFormat) -> u32 {
    if format.is_block_float() { 64 } else { 0 }
}

/// Where in L1 each datum of an operand lies, before it is transposed. Datums that share a byte have no place of their own.
fn places(fetched: &Fetched) -> [u32; TILE_DATUMS] {
    let mut at = [NOWHERE; TILE_DATUMS];
    let Some(datum) = fetched.l1.datum_bytes() else { return at };
    match fetched.word.kind() {
        _ if fetched.is_tilized() => {
            for row in 0..32 {
                for column in 0..32 {
                    let within = row as u32 * fetched.row_bytes + column as u32 * datum;
                    at[face_index(row, column)] = fetched.offset + within;
                }
            }
        }
        // The next 1024 datums of the block, read row by row across its tiles.
        unpack_kind::UNTILIZE => {
            let width = 32 * fetched.word.wide().max(1) as usize;
            for (number, place) in at.iter_mut().enumerate() {
                let chunk = fetched.tile as usize * TILE_DATUMS + number / ROW_DATUMS * ROW_DATUMS;
                let (row, column) = (chunk / width, chunk % width + number % ROW_DATUMS);
                let tile = (column / 32) as u32 * fetched.row_bytes;
                let within = first_datum(fetched.l1) + face_index(row % 32, column % 32) as u32 * datum;
                *place = fetched.offset + tile + within;
            }
        }
        _ => {
            let first = fetched.offset + first_datum(fetched.l1);
            for (number, place) in at.iter_mut().enumerate() {
                let number = if fetched.is_one_face() { number % FACE_DATUMS } else { number };
                *place = first + number as u32 * datum;
            }
        }
    }
    at
}

/// What L1 holds at some places, as numbers.
fn held(l1: &L1Window, format: DataFormat, at: &[u32; TILE_DATUMS], tile: u32) -> [f64; TILE_DATUMS] {
    let mut values = [0.0; TILE_DATUMS];
    if format.is_block_float() {
        let register = [DataFormat::Bfp8_b, DataFormat::Bfp8].into_iter().find(|to| converts(format, *to));
        let Some(register) = register.filter(|_| l1.contains(tile, format.tile_bytes())) else { return values };
        let mut words = Tile::ZERO;
        l1.with(tile, format.tile_bytes(), |bytes| unpack_tile(format, register, bytes, &mut words));
        return numbers(register, &words);
    }
    let bytes = format.datum_bytes().unwrap_or(0);
    for (value, place) in values.iter_mut().zip(at) {
        if *place != NOWHERE && l1.contains(*place, bytes) {
            let mut word = [0; 4];
            l1.read(*place, &mut word[..bytes as usize]);
            *value = number(format, u32::from_le_bytes(word));
        }
    }
    values
}

/// A datum of L1 as a number.
fn number(format: DataFormat, word: u32) -> f64 {
    match format {
        DataFormat::Float32 | DataFormat::Tf32 => f32::from_bits(word).into(),
        DataFormat::Float16_b => f32::from_bits(word << 16).into(),
        DataFormat::Float16 => f16_to_f32(word as u16).into(),
        DataFormat::Int32 => f64::from(word.cast_signed()),
        DataFormat::Int8 => f64::from((word as u8).cast_signed()),
        _ => f64::from(word),
    }
}

/// The words of a register as numbers.
fn numbers(format: DataFormat, tile: &Tile) -> [f64; TILE_DATUMS] {
    std::array::from_fn(|at| format.dst_number(tile.0[at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fetched(l1: DataFormat, kind: u8) -> Fetched {
        let word = OpWord::new(kind, 0, 0, 0, 1);
        let (cb, tile, offset, bytes) = (0, 0, 4096, l1.tile_bytes());
        Fetched { word, cb, tile, offset, bytes, l1, register: DataFormat::Bfp8_b, to_b: false, row_bytes: bytes }
    }

    #[test]
    fn datums_of_block_floats_lie_behind_the_exponents_and_those_that_share_a_byte_nowhere() {
        for kind in [unpack_kind::A, unpack_kind::UNTILIZE] {
            let at = places(&fetched(DataFormat::Bfp8_b, kind));
            assert_eq!((at[0], at.iter().max()), (4096 + 64, Some(&(4096 + 1087))));
            for l1 in [DataFormat::Bfp4_b, DataFormat::Bfp2_b, DataFormat::Bfp4, DataFormat::Bfp2] {
                assert_eq!(places(&fetched(l1, kind)), [NOWHERE; TILE_DATUMS]);
            }
        }
    }
}
