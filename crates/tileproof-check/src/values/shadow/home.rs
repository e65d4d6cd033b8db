//! Tensors as the shadow knows them: where their pages lie, which element a byte of them is, and back.
//!
//! Must never look at a value. Start at [`Home`].

use std::collections::BTreeMap;

use tileproof_model::event::NocPlace;
use tileproof_model::program::{Layout, TensorDescriptor};
use tileproof_numerics::tile::face_index;

use super::origin::{Origin, Piece};

/// A tensor, and where each of its pages lies.
#[derive(Clone, Debug)]
pub struct Home {
    /// What it is.
    pub tensor: TensorDescriptor,
    /// Its pages.
    pub pages: Vec<NocPlace>,
    /// It was filled before the launches.
    pub is_filled: bool,
    /// Pages that hold nothing all the same: the first and the last of each run of them.
    pub empty_pages: Vec<(u32, u32)>,
    /// What its padding holds is stated.
    pub is_padding_stated: bool,
}

/// A piece of memory and an address in it.
pub(super) fn place(of: NocPlace) -> Option<(Piece, u32)> {
    match of {
        NocPlace::Dram { bank, address } => Some((Piece::Bank(bank), address)),
        NocPlace::L1(core, offset) => Some((Piece::L1(core), offset)),
        NocPlace::Nowhere => None,
    }
}

impl Home {
    /// Rows, columns, and the number of matrices.
    pub(super) fn matrices(&self) -> (usize, usize, usize) {
        let side = |from_last: usize| self.tensor.shape.iter().rev().nth(from_last).map_or(1, |d| *d as usize);
        (side(1), side(0), self.tensor.shape.iter().rev().skip(2).map(|d| *d as usize).product())
    }

    /// Where the datums of a page of tiles begin.
    fn first(&self) -> u32 {
        if self.tensor.format.is_block_float() { 64 } else { 0 }
    }

    /// The page that a byte of its pages lies in.
    pub(super) fn page_number(&self, byte: u32) -> u32 {
        byte / self.tensor.page_bytes().max(1)
    }

    /// Whether a byte of its pages was filled before the launches.
    pub(super) fn holds(&self, byte: u32) -> bool {
        let page = self.page_number(byte);
        self.is_filled && !self.empty_pages.iter().any(|(first, last)| (*first..=*last).contains(&page))
    }

    /// Where the page of an element lies.
    pub(in crate::values) fn page_of(&self, element: usize) -> Option<NocPlace> {
        self.pages.get(self.page_and_byte(element)?.0).copied()
    }

    /// Where an element lies, by its place in row-major order. One that shares its byte with others has no place of its own.
    pub(super) fn lies(&self, element: usize) -> Option<(Piece, u32)> {
        let (page, within) = self.page_and_byte(element)?;
        let (piece, at) = place(*self.pages.get(page)?)?;
        Some((piece, at + within))
    }

    fn page_and_byte(&self, element: usize) -> Option<(usize, u32)> {
        let (rows, columns, _) = self.matrices();
        let datum = self.tensor.format.datum_bytes()?;
        let (matrix, row, column) = (element / (rows * columns), element / columns % rows, element % columns);
        Some(if self.tensor.layout == Layout::Tile {
            let (across, down) = (columns.div_ceil(32), rows.div_ceil(32));
            let tile = (matrix * down + row / 32) * across + column / 32;
            (tile, self.first() + face_index(row % 32, column % 32) as u32 * datum)
        } else {
            let byte = (element as u32).checked_mul(datum)?;
            let page = self.tensor.page_bytes().max(1);
            ((byte / page) as usize, byte % page)
        })
    }

    /// The element that a byte of its pages begins: its place in row-major order, or row and column of padding.
    pub(super) fn element(&self, byte: u32) -> Option<Result<usize, (usize, usize)>> {
        let (rows, columns, _) = self.matrices();
        let datum = self.tensor.format.datum_bytes()?;
        let page_bytes = self.tensor.page_bytes().max(1);
        let (page, within) = ((byte / page_bytes) as usize, byte % page_bytes);
        if self.tensor.layout != Layout::Tile {
            return Some(Ok((byte / datum) as usize));
        }
        let (across, down) = (columns.div_ceil(32), rows.div_ceil(32));
        let (matrix, tile) = (page / (across * down), page % (across * down));
        let at = (within.checked_sub(self.first())? / datum) as usize;
        let (face, in_face) = (at / 256, at % 256);
        let row = tile / across * 32 + face / 2 * 16 + in_face / 16;
        let column = tile % across * 32 + face % 2 * 16 + in_face % 16;
        let inside = row < rows && column < columns;
        Some(if inside { Ok((matrix * rows + row) * columns + column) } else { Err((row, column)) })
    }

    /// `x[3, 7]`.
    pub(super) fn spelled(&self, element: usize) -> String {
        let mut rest = element;
        let mut place: Vec<String> = Vec::new();
        for side in self.tensor.shape.iter().rev() {
            place.push((rest % (*side).max(1) as usize).to_string());
            rest /= (*side).max(1) as usize;
        }
        place.reverse();
        format!("{}[{}]", self.tensor.name, place.join(", "))
    }
}

/// Which tensor a byte of memory belongs to.
#[derive(Default, Debug)]
pub(super) struct Homes {
    pub(super) all: Vec<Home>,
    /// By the first byte of each page.
    by_place: BTreeMap<(Piece, u32), (u16, u32, u32)>,
}

impl Homes {
    pub(super) fn of(all: Vec<Home>) -> Homes {
        let mut by_place = BTreeMap::new();
        for (number, home) in all.iter().enumerate() {
            let bytes = home.tensor.page_bytes();
            for (page, at) in home.pages.iter().enumerate() {
                if let Some(key) = place(*at) {
                    by_place.insert(key, (number as u16, page as u32 * bytes, bytes));
                }
            }
        }
        Homes { all, by_place }
    }

    /// The tensor in tiles whose page lies there, and its number.
    pub(super) fn page(&self, piece: Piece, at: u32) -> Option<(u16, u32)> {
        let Origin::Tensor { number, byte } = self.origin(piece, at) else { return None };
        let tensor = &self.all[usize::from(number)].tensor;
        (tensor.layout == Layout::Tile).then(|| (number, byte / tensor.page_bytes().max(1)))
    }

    /// Whether nothing wrote what has this origin: memory of nobody, a tensor that was not filled, padding.
    pub(super) fn is_undefined(&self, origin: Origin) -> bool {
        match origin {
            Origin::Unknown => true,
            Origin::Tensor { number, byte } => {
                let home = &self.all[usize::from(number)];
                !home.holds(byte) || !home.is_padding_stated && matches!(home.element(byte), Some(Err(_)))
            }
            _ => false,
        }
    }

    /// All pages: where each begins, and its bytes.
    pub(super) fn pages(&self) -> impl Iterator<Item = (Piece, u32, u32)> {
        let of = |home: &Home, page: &NocPlace| place(*page).map(|(piece, at)| (piece, at, home.tensor.page_bytes()));
        self.all.iter().flat_map(move |home| home.pages.iter().filter_map(move |page| of(home, page)))
    }

    /// Numbers of cores mean others from here on: nothing that goes by them is known any more.
    pub(super) fn forget_l1(&mut self) {
        self.by_place.retain(|(piece, _), _| matches!(piece, Piece::Bank(_)));
        for page in self.all.iter_mut().flat_map(|home| &mut home.pages) {
            if matches!(page, NocPlace::L1(..)) {
                *page = NocPlace::Nowhere;
            }
        }
    }

    /// Gives the bytes from `at` on that have no origin theirs of a tensor, as it was filled.
    pub(super) fn fill_unknown(&self, piece: Piece, at: u32, origins: &mut [Origin]) {
        let end = at.saturating_add(origins.len() as u32);
        // The page that `at` lies in, and those that begin behind it.
        let before = self.by_place.range(..=(piece, at)).next_back();
        let behind = self.by_place.range((piece, at.saturating_add(1))..(piece, end));
        for ((there, first), (number, byte, bytes)) in before.into_iter().chain(behind) {
            if *there != piece || first.saturating_add(*bytes) <= at {
                continue;
            }
            for place in (*first).max(at)..first.saturating_add(*bytes).min(end) {
                let origin = &mut origins[(place - at) as usize];
                if *origin == Origin::Unknown {
                    *origin = Origin::Tensor { number: *number, byte: byte + (place - first) };
                }
            }
        }
    }

    /// The byte of a tensor that lies there, as it was filled.
    pub(super) fn origin(&self, piece: Piece, at: u32) -> Origin {
        let below = self.by_place.range(..=(piece, at)).next_back();
        match below {
            Some(((there, first), (number, byte, bytes))) if *there == piece && at - first < *bytes => {
                Origin::Tensor { number: *number, byte: byte + (at - first) }
            }
            _ => Origin::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use tileproof_model::program::MemoryConfig;
    use tileproof_numerics::format::DataFormat;

    use super::*;

    fn home(format: DataFormat) -> Home {
        let shape = vec![32, 64];
        let memory = MemoryConfig::Dram;
        let tensor = TensorDescriptor { name: "x".into(), shape, format, layout: Layout::Tile, memory, output: false };
        let pages = (0..2).map(|bank| NocPlace::Dram { bank, address: 4096 }).collect();
        Home { tensor, pages, is_filled: true, empty_pages: Vec::new(), is_padding_stated: false }
    }

    #[test]
    fn elements_that_share_a_byte_have_no_place_of_their_own() {
        let lies = |format| home(format).lies(32);
        assert_eq!(lies(DataFormat::Float32), Some((Piece::Bank(1), 4096)));
        assert_eq!(lies(DataFormat::Bfp8_b), Some((Piece::Bank(1), 4096 + 64)));
        let whole = home(DataFormat::Bfp8_b);
        assert_eq!(whole.element(1088 + 64), Some(Ok(32)));
        // An exponent is no element.
        assert_eq!(whole.element(1088), None);
        for format in [DataFormat::Bfp4_b, DataFormat::Bfp4, DataFormat::Bfp2_b, DataFormat::Bfp2] {
            assert_eq!((lies(format), home(format).element(576)), (None, None));
        }
    }
}
