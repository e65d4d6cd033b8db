//! NoC transfers that run past their circular buffer, or whose two ends are not aligned alike.
//!
//! The NoC knows neither buffers nor bytes: it moves flits, and takes the low bits of the address from one end alone. It must
//! never speak of transfers outside every buffer, such as those of a kernel's own scratch memory. Start reading at
//! [`Transfers::on`].

use tileproof_model::event::{Event, NocEnd, What};
use tileproof_model::finding::Code;
use tileproof_model::observe::{Raised, Raises};
use tileproof_model::wording::cb_name;

/// The check.
#[derive(Default, Debug)]
pub struct Transfers {}

impl Transfers {
    pub(crate) fn on(&mut self, event: &Event, raised: &mut Raises) {
        let (what, bytes, end, far) = match event.what {
            What::NocRead { bytes, end, far, .. } => ("read", bytes, end, far),
            What::NocWrite { bytes, end, far, .. } => ("write", bytes, end, far),
            _ => return,
        };
        for (buffer, at) in [(end.buffer, ""), (far, " at its far end")] {
            if let Some((cb, room)) = buffer.filter(|(_, room)| bytes > *room) {
                self.overrun(event, &format!("{what} of {bytes} bytes{at}"), bytes, (cb, room), raised);
            }
        }
        if end.skew != 0 {
            self.misaligned(event, what, end, raised);
        }
    }

    #[cold]
    fn overrun(&mut self, event: &Event, what: &str, bytes: u32, (cb, room): (u32, u32), raised: &mut Raises) {
        if !raised.first(Code::BUFFER_OVERRUN, event) {
            return;
        }
        let message = format!("NoC {what} begins {room} bytes before the end of {} and runs past it", cb_name(cb));
        raised.push(
            Raised::at(event, Code::BUFFER_OVERRUN, message)
                .text(format!("{} bytes too many", bytes - room))
                .fact("cb", cb_name(cb))
                .fact("bytes", bytes)
                .fact("room", room)
                .help(format!("transfer no more than is left of {}, and go on at its first page", cb_name(cb))),
        );
    }

    #[cold]
    fn misaligned(&mut self, event: &Event, what: &str, end: NocEnd, raised: &mut Raises) {
        if !raised.first(Code::NOC_ALIGNMENT, event) {
            return;
        }
        let NocEnd { alignment, skew, .. } = end;
        let message =
            format!("NoC {what} whose ends differ by {skew} bytes modulo {alignment}: the device moves other bytes");
        raised.push(
            Raised::at(event, Code::NOC_ALIGNMENT, message)
                .text(format!("the ends must be equal modulo {alignment}"))
                .fact("alignment", alignment)
                .fact("skew", skew)
                .help(format!(
                    "transfer whole {alignment}-byte pieces to an address that lies alike, and move the rest in L1"
                )),
        );
    }
}
