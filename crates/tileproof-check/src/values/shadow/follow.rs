//! Follows every datum from L1 through the units and back, beside what exact arithmetic would give.
//!
//! It sees what the machine shows and holds no opinion: must never raise a finding. Start at [`Followed::carried`].

use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use tileproof_model::abi::Site;
use tileproof_model::event::{Carried, DstTile, Event, NocPlace, Values, What};
use tileproof_model::numerics::tile::Tile;
use tileproof_model::op_word::{OpWord, eltwise, flag, math_kind, reduce_dim};
use tileproof_model::record::BufferAction;
use tileproof_model::thread::{CoreCoord, Thread};
use tileproof_numerics::format::DataFormat;
use tileproof_numerics::sfpu::SfpuOp;
use tileproof_numerics::tile::TILE_DATUMS;

use super::blame::{Blamed, Loss, multiplies};
use super::bound;
use super::copied::Copied;
use super::course::Course;
use super::elementary;
use super::exact::{self, Ran, place};
use super::fraction::Fractions;
use super::home::{self, Homes};
use super::memory::Memory;
use super::nodes::{Call, Node, Nodes, Op};
use super::origin::{Origin, Piece};
use super::pages::{Pages, Way};
use super::planes::{Numbers, Planes, Slope, numbers};
use super::seen::Seen;
use crate::by_core::TILES;

/// The numbers that words of Dst are.
fn read(format: DataFormat, tile: &Tile) -> Numbers {
    numbers(|at| format.dst_number(tile.0[at]))
}

/// A result in a tile of Dst.
#[derive(Clone, Copy, Debug)]
struct Held {
    node: u32,
    /// To read it as.
    format: DataFormat,
    /// Index of the tile in its section.
    index: u32,
    /// Something was added to what the tile held before.
    is_sum: bool,
    /// PACK, or an operation with another tile for its result, has read it.
    is_read: bool,
}

#[derive(Default, Debug)]
struct OfCore {
    /// Tiles handed over and not used.
    source: [VecDeque<(u32, DataFormat)>; 2],
    /// What lies in Dst.
    dst: [Option<Held>; TILES],
    /// Sums that were overwritten or cleared before anything read them: by the call that summed, and its tile.
    dropped: BTreeMap<(Site, u32), u32>,
    /// The last push of each buffer.
    pushed: BTreeMap<u32, (Thread, Site)>,
    edge: u32,
    edge_of_faces: bool,
    relu: u32,
    accumulates: bool,
}

/// All that is followed.
#[derive(Default, Debug)]
pub(super) struct Followed {
    pub(super) homes: Homes,
    pub(super) nodes: Nodes,
    pub(super) blamed: Blamed,
    pub(super) memory: Memory,
    pub(super) course: Course,
    pub(super) copied: Copied,
    /// What constants of threads may stand for.
    pub(super) fractions: Fractions,
    /// Somebody asks what each datum may be off by.
    pub(super) bounds: bool,
    /// The first operation of which exact arithmetic is not known.
    pub(super) not_exact: Option<Op>,
    /// The course is compared with another run's.
    pub(super) keeps_course: bool,
    pub(super) pages: Pages,
    /// What a run with other undefined memory gave.
    pub(super) other: Option<Seen>,
    pub(super) launch: usize,
    /// A comparison ran, or a conversion to integers.
    pub(super) jumps: bool,
    /// Not all cores are followed.
    pub(super) is_part: bool,
    /// Outputs that are asked about.
    pub(super) asked: usize,
    /// Data that may still be worked out again, for whoever asks what an operation could have been.
    pub(super) replays: Cell<usize>,
    coords: Vec<CoreCoord>,
    cores: Vec<OfCore>,
}

impl Followed {
    /// A launch on some cores begins.
    pub(super) fn begin(&mut self, coords: Vec<CoreCoord>) {
        self.launch += 1;
        if self.launch > 1 && coords != self.coords {
            self.homes.forget_l1();
        }
        self.memory.forget_buffers(&self.homes);
        self.pages = Pages::default();
        self.cores = coords.iter().map(|_| OfCore::default()).collect();
        self.coords = coords;
    }

    pub(super) fn cores(&self) -> usize {
        self.cores.len()
    }

    /// The last push of a buffer of a core.
    pub(super) fn pushed(&self, core: usize, cb: u32) -> Option<(Thread, Site)> {
        self.cores.get(core)?.pushed.get(&cb).copied()
    }

    fn call(&self, event: &Event) -> Call {
        Call { launch: self.launch, core: event.core, thread: event.thread, site: event.site }
    }

    /// Whether a datum is another where undefined memory holds something else.
    pub(super) fn differs(&self, node: u32, at: usize) -> bool {
        let tile = || self.nodes.tile(Some(node));
        self.other.as_ref().is_some_and(|other| tile().is_some_and(|tile| other.differs(node, at, tile.actual[at])))
    }

    /// Keeps what a thread calls, where somebody compares that, and of its loads those of what is undefined.
    fn keep(&mut self, event: &Event) {
        let call = self.call(event);
        if self.keeps_course {
            self.course.on(call, event);
        }
        let What::Load { offset, bytes, buffer } = event.what else { return };
        self.note_loaded(call, (offset, bytes));
        if let Origin::Tensor { number, byte } = self.memory.get(&self.homes, Piece::L1(event.core), offset) {
            self.pages.loads(number, self.homes.all[usize::from(number)].page_number(byte));
        }
        let is_one = |origin: &Origin| match *origin {
            Origin::Datum { node, at } => self.differs(node, at.into()),
            other => self.homes.is_undefined(other),
        };
        let here = Piece::L1(event.core);
        let mut origins = (offset..offset.saturating_add(bytes)).map(|at| self.memory.get(&self.homes, here, at));
        if let Some(origin) = origins.find(is_one) {
            self.course.loads(call, (bytes, buffer), origin);
        }
    }

    /// Notes the data of units that a thread loads: it may store them elsewhere.
    fn note_loaded(&mut self, call: Call, (offset, bytes): (u32, u32)) {
        for at in offset..offset.saturating_add(bytes) {
            let Origin::Datum { node, at } = self.memory.get(&self.homes, Piece::L1(call.core), at) else { continue };
            if let Some(tile) = self.nodes.tile(Some(node)) {
                self.copied.loads(call, tile.actual[usize::from(at)], (node, at));
            }
        }
    }

    /// The datum of a unit that a thread has copied to where it stands now.
    pub(super) fn copied(&self, origin: Origin, value: f64) -> Option<Origin> {
        let Origin::Stored { by } = origin else { return None };
        let (node, at) = self.copied.of(self.course.store(by)?.call, value)?;
        Some(Origin::Datum { node, at })
    }

    /// The call of a thread that has stored what has this origin.
    pub(super) fn storer(&self, origin: Origin) -> Option<Call> {
        let Origin::Stored { by } = origin else { return None };
        self.course.store(by).map(|store| store.call)
    }

    /// Whether a number that a thread has stored may be made of data of units, in a way that nobody knows.
    pub(super) fn is_worked_out(&self, origin: Origin) -> bool {
        let Origin::Stored { by } = origin else { return false };
        self.course.store(by).is_none_or(|store| self.copied.is_of_data(store.call))
    }

    /// What moves data or changes the packer.
    pub(super) fn on(&mut self, event: &Event) {
        self.keep(event);
        let here = Piece::L1(event.core);
        let call = self.call(event);
        let Followed { memory, homes, cores, nodes, course, pages, .. } = self;
        let Some(core) = cores.get_mut(event.core) else { return };
        match event.what {
            What::NocRead { from, to, bytes, .. } => {
                if let Some(from) = home::place(from) {
                    if let Origin::Tensor { number, .. } = homes.origin(from.0, from.1) {
                        pages.reads(number, call);
                    }
                    homes.page(from.0, from.1).into_iter().for_each(|page| pages.goes(page, Way::Read, call));
                    memory.copy(homes, from, (here, to), bytes);
                }
            }
            What::NocWrite { from, to, bytes, .. } => {
                if let Some(to) = home::place(to) {
                    homes.page(to.0, to.1).into_iter().for_each(|page| pages.goes(page, Way::Written, call));
                    memory.copy(homes, (here, from), to, bytes);
                    memory.wrote(to, bytes, call);
                }
            }
            What::InlineWrite { to: NocPlace::L1(there, offset), .. } => {
                memory.stored(Piece::L1(there), offset, 4, course.stores(call));
            }
            What::Store { offset, bytes, .. } => memory.stored(here, offset, bytes, course.stores(call)),
            What::Release { first, count } => {
                for tile in usize::from(first)..(usize::from(first) + usize::from(count)).min(TILES) {
                    core.drop_sum(tile, nodes);
                    core.dst[tile] = None;
                }
            }
            What::Buffer { action: BufferAction::Push, cb, .. } => {
                core.pushed.insert(cb, (event.thread, event.site));
            }
            What::EdgeMask { dim, of_faces } => (core.edge, core.edge_of_faces) = (dim, of_faces),
            What::Relu { config } => core.relu = config,
            What::L1Accumulation { enable } => core.accumulates = enable,
            _ => {}
        }
    }

    /// The values that some datums of L1 had where they were made, as far as they are still these.
    fn gather(&self, origins: &[Origin; TILE_DATUMS], held: Option<&[f64; TILE_DATUMS]>) -> Planes {
        let mut all = Planes::fresh(numbers(|at| held.map_or(0.0, |held| held[at])));
        let mut nodes: Vec<(u32, &Rc<Planes>)> = Vec::new();
        let mut bound = self.bounds.then(|| numbers(|_| 0.0));
        for at in 0..TILE_DATUMS {
            let Origin::Datum { node, at: from } = origins[at] else {
                if self.is_worked_out(origins[at]) {
                    bound.iter_mut().for_each(|bound| bound[at] = f64::INFINITY);
                }
                continue;
            };
            let known = nodes.iter().find(|(known, _)| *known == node).map(|(_, tile)| *tile);
            let Some(tile) = known.or_else(|| self.nodes.tile(Some(node))) else {
                // Dropped: it is of long ago.
                bound.iter_mut().for_each(|bound| bound[at] = f64::INFINITY);
                continue;
            };
            if known.is_none() {
                nodes.push((node, tile));
            }
            let from = usize::from(from);
            let same = held.is_none_or(|held| held[at].to_bits() == tile.actual[from].to_bits());
            if same {
                (all.actual[at], all.exact[at]) = (tile.actual[from], tile.exact[from]);
                bound.iter_mut().for_each(|bound| bound[at] = tile.bound_at(from));
            }
        }
        all.bound = bound;
        for (node, tile) in nodes {
            for (who, share) in &tile.shares {
                all.add_error(*who, |at| match origins[at] {
                    Origin::Datum { node: its, at: from } if its == node => {
                        let from = usize::from(from);
                        let same = held.is_none_or(|held| held[at].to_bits() == tile.actual[from].to_bits());
                        if same { share[from].into() } else { 0.0 }
                    }
                    _ => 0.0,
                });
            }
        }
        all
    }

    fn origins(&self, core: usize, places: &[u32; TILE_DATUMS]) -> Box<[Origin; TILE_DATUMS]> {
        let mut all = Box::new([Origin::Unknown; TILE_DATUMS]);
        self.memory.gather(&self.homes, Piece::L1(core), places, &mut all[..]);
        all
    }

    /// UNPACK or PACK carried a tile.
    pub(super) fn carried(&mut self, event: &Event, carried: &Carried<'_>) {
        match event.what {
            What::Unpack { access } => self.unpacked(event, access.cb, carried),
            What::Pack { dst, access, .. } => self.packed(event, dst, access.cb, carried),
            _ => {}
        }
    }

    fn unpacked(&mut self, event: &Event, cb: u32, carried: &Carried<'_>) {
        let mut origins = self.origins(event.core, carried.at);
        for (origin, _) in origins.iter_mut().zip(carried.at).filter(|(_, at)| **at == u32::MAX) {
            *origin = Origin::Shared;
        }
        for (origin, value) in origins.iter_mut().zip(carried.values) {
            *origin = self.copied(*origin, *value).unwrap_or(*origin);
        }
        let mut planes = self.gather(&origins, Some(carried.values));
        let (l1, register) = (carried.l1, carried.register);
        if let Some(fraction) = self.fractions.of(l1, carried.values, &origins) {
            let who = self.blamed.number(self.call(event), Loss::Fraction { cb, fraction });
            let is_it = |at: usize| carried.values[at] != 0.0;
            planes.exact = numbers(|at| if is_it(at) { fraction.meant() } else { 0.0 });
            planes.add_error(who, |at| if is_it(at) { fraction.held() - fraction.meant() } else { 0.0 });
        }
        let who = self.blamed.number(self.call(event), Loss::Register { cb, l1, register });
        planes.add_error(who, |at| carried.in_register[at] - carried.values[at]);
        if self.bounds {
            planes.bound = Some(bound::unpacked(&planes, (l1, register), carried.values, carried.in_register));
        }
        planes.actual = Box::new(*carried.in_register);
        let op = Op::Unpack { cb, word: carried.word };
        let node = Node {
            call: self.call(event),
            op,
            inputs: [None; 3],
            before: None,
            tile: Some(Rc::new(planes)),
            origins: Some(origins),
        };
        let node = self.nodes.add(node);
        if let Some(core) = self.cores.get_mut(event.core) {
            core.source[usize::from(carried.to_b)].push_back((node, register));
        }
    }

    fn packed(&mut self, event: &Event, dst: DstTile, cb: u32, carried: &Carried<'_>) {
        let Some(core) = self.cores.get(event.core) else { return };
        let (edge, of_faces, relu, accumulates) = (core.edge, core.edge_of_faces, core.relu, core.accumulates);
        let from = core.dst[usize::from(dst.tile) % TILES].map(|held| held.node);
        let origins = self.origins(event.core, carried.at);
        let kept = |at: usize| {
            let (row, column) = place(at);
            match edge.checked_sub(1).map(|dim| dim as u8) {
                None => true,
                // In both faces of a row (`EdgeMask::Row` of the numerics).
                Some(reduce_dim::ROW) => column % 16 == 0,
                Some(reduce_dim::COL) => row == 0 || of_faces && row == 16,
                Some(_) => at == 0 || of_faces && row % 16 == 0 && column % 16 == 0,
            }
        };
        let known = self.nodes.tile(from).cloned();
        let fresh = || Rc::new(Planes::fresh(Box::new(*carried.in_register)));
        let packed = known.unwrap_or_else(fresh).moved(|at| kept(at).then_some(at));
        let mut planes = packed;
        if let Some(relu) = exact::relu(relu, carried.register) {
            // Of a NaN it makes what its bits say.
            let is_none = |at: usize| planes.actual[at].is_nan() || planes.exact[at].is_nan();
            let actual = numbers(|at| if is_none(at) { carried.values[at] } else { relu(planes.actual[at]) });
            let exact = numbers(|at| if is_none(at) { carried.values[at] } else { relu(planes.exact[at]) });
            let off = |at: usize| bound::through(&relu, planes.actual[at], planes.bound_at(at));
            let bound = self.bounds.then(|| numbers(off));
            // What is cut to 0 or to a threshold carries no error on.
            planes = planes.moved(|at| (actual[at] == planes.actual[at]).then_some(at));
            (planes.actual, planes.exact, planes.bound) = (actual, exact, bound);
        }
        let loss = if accumulates {
            let old = self.gather(&origins, None);
            let exact = numbers(|at| planes.exact[at] + old.exact[at]);
            let actual = numbers(|at| planes.actual[at] + old.actual[at]);
            let bound = self.bounds.then(|| numbers(|at| planes.bound_at(at) + old.bound_at(at)));
            planes = Planes::combined(actual, exact, &[(&planes, Slope::One), (&old, Slope::One)]);
            planes.bound = bound;
            Loss::Added { cb, l1: carried.l1 }
        } else {
            Loss::Packed { cb, l1: carried.l1 }
        };
        let who = self.blamed.number(self.call(event), loss);
        let carries = |at: usize| carried.at[at] != u32::MAX;
        let made = planes.actual.clone();
        if self.bounds {
            planes.bound = Some(bound::packed(&planes, (carried.l1, carried.register), carried.values));
        }
        planes.add_error(who, |at| if carries(at) { carried.values[at] - made[at] } else { 0.0 });
        planes.actual = Box::new(*carried.values);
        let node = Node {
            call: self.call(event),
            op: Op::Pack { cb, accumulates, edge, word: carried.word },
            inputs: [from, None, None],
            before: None,
            tile: Some(Rc::new(planes)),
            origins: accumulates.then_some(origins),
        };
        let node = self.nodes.add(node);
        self.read_in(event.core, dst);
        for at in (0..TILE_DATUMS).filter(|at| carries(*at)) {
            self.memory.set(Piece::L1(event.core), carried.at[at], Origin::Datum { node, at: at as u16 });
        }
    }

    /// What went through a compute unit.
    pub(super) fn ran(&mut self, event: &Event, values: &Values<'_>) {
        match event.what {
            What::Math { word, dst } => self.matrix(event, word, dst, values),
            What::Sfpu { op, inputs, output, rows, .. } => self.vector(event, op, (inputs, output, rows), values),
            _ => {}
        }
    }

    fn matrix(&mut self, event: &Event, word: OpWord, dst: DstTile, values: &Values<'_>) {
        let (a, b) = match word.kind() {
            math_kind::DATACOPY => (word.a() == 0, word.a() == 1),
            math_kind::ELTWISE if word.has(flag::REUSE_SRCA) => (false, true),
            math_kind::ELTWISE if word.has(flag::REUSE_SRCB) => (true, false),
            _ => (true, true),
        };
        let call = self.call(event);
        let Some(core) = self.cores.get_mut(event.core) else { return };
        let [source_a, source_b] = &mut core.source;
        let (a, b) = (a.then(|| source_a.pop_front()).flatten(), b.then(|| source_b.pop_front()).flatten());
        let copied = a.or(b).filter(|_| word.kind() == math_kind::DATACOPY);
        let format = copied.map_or(DataFormat::Float32, |(_, format)| format);
        let old = core.dst[usize::from(dst.tile) % TILES];
        let accumulates = match word.kind() {
            math_kind::ELTWISE => {
                word.a() == eltwise::MUL || word.flags() & (flag::ACCUMULATE | flag::REUSE_SRCA | flag::REUSE_SRCB) != 0
            }
            math_kind::MATMUL => true,
            math_kind::REDUCE => true,
            _ => false,
        };
        let adds = accumulates && word.flags() & (flag::REUSE_SRCA | flag::REUSE_SRCB) == 0 && !word.is_maximum();
        let before = old.filter(|_| accumulates).map(|held| held.node);
        let after = read(format, values.after);
        let inputs = [a.map(|(node, _)| node), b.map(|(node, _)| node), None];
        let zero = Rc::new(Planes::zero());
        let tile_of = |node: Option<u32>| self.nodes.tile(node).cloned();
        let (tile_a, tile_b) = (tile_of(inputs[0]), tile_of(inputs[1]));
        let tile_before = tile_of(before).unwrap_or(zero);
        let operands = [tile_a.as_deref(), tile_b.as_deref()];
        let ran = exact::run(word, operands, &tile_before, before.is_some(), after.clone());
        let planes = match ran {
            Some(Ran { mut planes, ideal }) => {
                let loss = |wide| Loss::Matrix { word, wide, phases: values.phases };
                let off = |at: usize| if computes(word, at) { after[at] - ideal[at] } else { 0.0 };
                // At four phases, or without products, the width of Dst is all that is the kernel's choice.
                let own = loss(values.wide || values.phases < 4 && multiplies(word));
                self.round(call, [own, loss(false)], values.wide, (&mut planes, &ideal), &off);
                if adds {
                    self.read_otherwise(call, Op::Math(word), (old, &tile_before), dst, &mut planes);
                }
                if self.bounds {
                    let of = bound::Setting { phases: values.phases, wide: values.wide };
                    let before = (&*tile_before, before.is_some());
                    planes.bound = Some(bound::matrix(word, operands, before, of, (&after, &off)));
                }
                planes
            }
            None => self.unknown(Op::Math(word), after),
        };
        let held = Held { node: 0, format, index: dst.index, is_sum: adds, is_read: false };
        self.leave(call, Op::Math(word), (inputs, before), dst, (planes, held));
    }

    fn vector(
        &mut self,
        event: &Event,
        op: SfpuOp,
        (inputs, output, rows): ([DstTile; 3], DstTile, u64),
        values: &Values<'_>,
    ) {
        let call = self.call(event);
        self.jumps |= elementary::jumps(op);
        let Some(core) = self.cores.get(event.core) else { return };
        let count = op.inputs();
        let known = |tile: DstTile| core.dst[usize::from(tile.tile) % TILES];
        let mut nodes = [None; 3];
        let mut tiles: Vec<Rc<Planes>> = Vec::new();
        for (number, input) in inputs.iter().enumerate().take(count) {
            nodes[number] = known(*input).map(|held| held.node);
            let held = || {
                values.inputs[number].map_or_else(Planes::zero, |tile| Planes::fresh(read(DataFormat::Float32, tile)))
            };
            tiles.push(self.nodes.tile(nodes[number]).cloned().unwrap_or_else(|| Rc::new(held())));
        }
        let moved = || elementary::moves(op).and_then(|input| known(inputs[input])).map(|held| held.format);
        let format = elementary::integers(op).or_else(moved).unwrap_or(DataFormat::Float32);
        let after = read(format, values.after);
        let old = known(output).and_then(|held| self.nodes.tile(Some(held.node))).cloned();
        // A sum in place: of two tiles, one of which it goes to.
        let in_place = (op == SfpuOp::AddBinary).then(|| inputs[..2].iter().position(|tile| tile.tile == output.tile));
        let in_place = in_place.flatten();
        let held_before = known(output);
        let runs = |at: usize| rows >> (at / 16) & 1 == 1;
        let formats = inputs.iter().take(count).filter_map(|input| known(*input)).map(|held| held.format);
        let taken_for_floats = formats.filter(|format| is_integer(*format)).find(|_| elementary::takes_floats(op));
        let planes = exact::applied(op, values.parameters, &tiles, &after).map(|Ran { mut planes, ideal }| {
            let loss = |wide| match taken_for_floats {
                Some(format) => Loss::AsFloats { op, format },
                None => Loss::Vector { op, wide },
            };
            let off = |at: usize| if runs(at) { after[at] - ideal[at] } else { 0.0 };
            self.round(call, [loss(true), loss(false)], values.wide, (&mut planes, &ideal), &off);
            if self.bounds {
                planes.bound = Some(bound::vector(op, values.parameters, &tiles, values.wide, (&after, &ideal), &off));
            }
            planes
        });
        let its = Op::Vector { op, parameters: values.parameters, rows };
        let mut planes = planes.unwrap_or_else(|| self.unknown(its, after.clone()));
        if rows != u64::MAX
            && let Some(old) = old
        {
            for at in (0..TILE_DATUMS).filter(|at| !runs(*at)) {
                (planes.actual[at], planes.exact[at]) = (old.actual[at], old.exact[at]);
                planes.bound.iter_mut().for_each(|bound| bound[at] = old.bound_at(at));
            }
        }
        for input in inputs.iter().take(count).filter(|input| input.tile != output.tile) {
            self.read_in(event.core, *input);
        }
        if let Some(number) = in_place {
            self.read_otherwise(call, its, (held_before, &tiles[number]), output, &mut planes);
        }
        let held = Held { node: 0, format, index: output.index, is_sum: in_place.is_some(), is_read: false };
        self.leave(call, its, (nodes, None), output, (planes, held));
    }

    /// What an operation gave of which exact arithmetic is not known: it is what it is.
    fn unknown(&mut self, op: Op, after: Numbers) -> Planes {
        let mut planes = Planes::fresh(after);
        if self.bounds {
            self.not_exact.get_or_insert(op);
            planes.bound = Some(numbers(|_| f64::INFINITY));
        }
        planes
    }

    /// Adds what a unit was off by: in a Dst of 16 bits, what it would be off by there if all else were exact, and the rest, which
    /// is the operation's own.
    fn round(
        &mut self,
        call: Call,
        [own, of_dst]: [Loss; 2],
        wide: bool,
        (planes, ideal): (&mut Planes, &Numbers),
        off: &dyn Fn(usize) -> f64,
    ) {
        let rounds = |at: usize| if wide { 0.0 } else { within(off(at), ideal[at]) };
        let who = [own, of_dst].map(|loss| self.blamed.number(call, loss));
        planes.add_error(who[1], rounds);
        planes.add_error(who[0], |at| off(at) - rounds(at));
    }

    /// A result lies in a tile of Dst from here on.
    fn leave(
        &mut self,
        call: Call,
        op: Op,
        (inputs, before): ([Option<u32>; 3], Option<u32>),
        dst: DstTile,
        (planes, held): (Planes, Held),
    ) {
        let node = Node { call, op, inputs, before, tile: Some(Rc::new(planes)), origins: None };
        let node = self.nodes.add(node);
        if let Some(core) = self.cores.get_mut(call.core) {
            let tile = usize::from(dst.tile) % TILES;
            let goes_on =
                core.dst[tile].is_some_and(|old| inputs.contains(&Some(old.node)) || before == Some(old.node));
            if !goes_on {
                core.drop_sum(tile, &self.nodes);
            }
            core.dst[tile] = Some(Held { node, ..held });
        }
    }

    /// Something has read a tile of Dst.
    fn read_in(&mut self, core: usize, tile: DstTile) {
        let held = self.cores.get_mut(core).and_then(|core| core.dst[usize::from(tile.tile) % TILES].as_mut());
        if let Some(held) = held {
            held.is_read = true;
        }
    }

    /// What a sum would be if its tile had been clear, or had kept what the same call summed up before. `held` is what the
    /// tile held before it, and those numbers.
    fn read_otherwise(
        &mut self,
        call: Call,
        op: Op,
        (held, numbers): (Option<Held>, &Planes),
        dst: DstTile,
        planes: &mut Planes,
    ) {
        let own = |held: &Held| self.nodes.get(held.node).is_some_and(|node| node.call.site == call.site);
        if let (Op::Math(word), Some(held)) = (op, held)
            && (held.is_read || !own(&held))
        {
            let who = self.blamed.what_if(call, Loss::Onto { word });
            planes.add_error(who, |at| if computes(word, at) { numbers.actual[at] } else { 0.0 });
        }
        let Some(core) = self.cores.get_mut(call.core) else { return };
        let Some(dropped) = core.dropped.remove(&(call.site, dst.index)) else { return };
        let by = match op {
            Op::Vector { op, .. } => Op::Vector { op, parameters: [0; 4], rows: 0 },
            other => other,
        };
        if let Some(sum) = self.nodes.tile(Some(dropped)).cloned() {
            let who = self.blamed.what_if(call, Loss::Dropped { by });
            planes
                .add_error(who, |at| numbers.actual[at] - numbers.share(who, at) - sum.actual[at] + sum.share(who, at));
        }
    }
}

impl OfCore {
    /// What a tile of Dst holds goes: a sum that nothing has read is remembered by its call.
    fn drop_sum(&mut self, tile: usize, nodes: &Nodes) {
        let Some(held) = self.dst[tile].filter(|held| held.is_sum && !held.is_read) else { return };
        if let Some(node) = nodes.get(held.node) {
            self.dropped.insert((node.call.site, held.index), held.node);
        }
    }
}

fn is_integer(format: DataFormat) -> bool {
    use DataFormat::*;
    matches!(format, Int32 | UInt32 | UInt16 | UInt8)
}

/// The part of a difference that rounding to 8 significant bits may be the reason of, whichever way it goes.
fn within(off: f64, ideal: f64) -> f64 {
    // Sums are rounded on the way, too.
    let step = ideal.abs() / 64.0;
    if off.abs() <= step || !off.is_finite() { off } else { 0.0 }
}

/// Whether a datum is a result: a reduce has few.
fn computes(word: OpWord, at: usize) -> bool {
    word.kind() != math_kind::REDUCE || exact::taken_in(word.b(), at).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is held of a tile that an operation made of three that hold this word in this format.
    fn made(op: SfpuOp, word: u32, format: DataFormat) -> (DataFormat, f64, f64) {
        let mut of = Followed::default();
        of.begin(vec![CoreCoord { x: 0, y: 0 }]);
        let tile = Tile([word; TILE_DATUMS]);
        let at = |tile| DstTile { tile, exists: true, rows: u64::MAX, ..DstTile::default() };
        let (inputs, output) = ([at(0), at(1), at(2)], at(3));
        let what = What::Sfpu { op, parameter: 0, inputs, output, rows: u64::MAX };
        let event = Event { core: 0, thread: Thread::Math, site: Default::default(), cycle: 0, what };
        for tile_of in inputs {
            let planes = Planes::fresh(read(format, &tile));
            let held = Held { node: 0, format, index: 0, is_sum: false, is_read: false };
            of.leave(of.call(&event), Op::Math(OpWord::default()), ([None; 3], None), tile_of, (planes, held));
        }
        let (before, after) = (&tile, &tile);
        let read = [Some(&tile); 3];
        let values = Values { inputs: read, before, after, alone: None, wide: true, phases: 4, parameters: [0; 4] };
        of.ran(&event, &values);
        let Held { node, format, .. } = of.cores[0].dst[3].unwrap();
        let planes = of.nodes.tile(Some(node)).unwrap();
        assert!(planes.shares.is_empty(), "{op:?}");
        (format, planes.actual[0], planes.exact[0])
    }

    #[test]
    fn what_only_moves_a_tile_keeps_its_format() {
        for op in [SfpuOp::CopyDestValues, SfpuOp::Identity, SfpuOp::Where, SfpuOp::Mask] {
            assert_eq!(made(op, 3_000_000_000, DataFormat::UInt32), (DataFormat::UInt32, 3e9, 3e9));
            assert_eq!(made(op, 7 << 16, DataFormat::UInt16), (DataFormat::UInt16, 7.0, 7.0));
            assert_eq!(made(op, 1.5f32.to_bits(), DataFormat::Float32), (DataFormat::Float32, 1.5, 1.5));
        }
        assert_eq!(made(SfpuOp::CopyDestValues, u32::MAX, DataFormat::Int32), (DataFormat::Int32, -1.0, -1.0));
    }
}
