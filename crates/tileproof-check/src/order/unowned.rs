//! Reads over the NoC of L1 that nothing owns and nobody has written, by an address that means something elsewhere.
//!
//! A `TensorAccessor` finds a page by words that say where its tensor lies. Made of the words of another tensor, it takes an
//! address of DRAM for one of L1, which every core has as well. L1 that a kernel uses as it likes is no concern of this:
//! somebody has written it. Start at [`Races::unowned`].

use tileproof_model::event::{Event, What};
use tileproof_model::finding::Code;
use tileproof_model::layout::Owner;
use tileproof_model::observe::{Raised, Raises};

use super::races::Races;

impl Races {
    /// A read takes bytes from the L1 of a core.
    pub(super) fn unowned(&mut self, event: &Event, core: usize, offset: u32, raised: &mut Raises) {
        let What::NocRead { bytes, .. } = event.what else { return };
        let there = &self.layout.cores[core];
        if !matches!(there.owner(offset), Owner::Nobody(_)) || self.l1[core].written(offset).is_some() {
            return;
        }
        let Some(tensor) = self.layout.tensor_in_dram(offset) else { return };
        let name = &tensor.name;
        if !raised.first(Code::ADDRESS_ELSEWHERE, event) {
            return;
        }
        let message = format!(
            "NoC read takes {bytes} bytes from L1 of core {} at {offset}, which nothing owns and nobody has written: that is an \
             address of tensor {name}, which lies in DRAM",
            there.coord
        );
        raised.push(
            Raised::at(event, Code::ADDRESS_ELSEWHERE, message)
                .text("takes whatever lies there")
                .fact("tensor", name)
                .fact("address", offset)
                .help(format!(
                    "make the accessor of the compile-time args of {name}: those that it has are the words of a tensor in L1"
                )),
        );
    }
}
