//! Every datum beside what exact arithmetic would give, for a second run of a program whose output is wrong.
//!
//! It follows data from the tensors through L1, the units and the NoC to the outputs, by the datum, and says at the end why an
//! output is not as expected: which call lost the digits, or that the kernel computes another function, and which. Must never
//! run where outputs are right: what it names happens in right kernels too. Start at [`Shadow::end`].

mod birth;
mod blame;
mod bound;
mod copied;
mod course;
mod elementary;
mod exact;
mod follow;
mod fraction;
mod home;
mod memory;
mod nodes;
mod origin;
mod pages;
mod planes;
mod readings;
mod recipe;
mod seen;
mod series;
mod special;
mod undefined;

use tileproof_model::abi::Site;
use tileproof_model::event::{Carried, Event, Values};
use tileproof_model::finding::Code;
use tileproof_model::kernel::SourceLocation;
use tileproof_model::layout::MemoryLayout;
use tileproof_model::observe::{Observer, Raised, Raises};
use tileproof_model::thread::Thread;
use tileproof_model::wording::figure;

pub use birth::{BORN_IN, IS_PADDING};

pub use elementary::function_of;
use follow::Followed;
use fraction::Fractions;
pub use home::Home;
use origin::Origin;
pub use readings::case::Question;
pub use readings::verdict::{
    BORNE_OUT, IN_A_REGISTER, LOST_IN, OF_THE_OUTPUT, ONE_OVER, STANDS_FOR_IT, SUSPECT, WITHOUT_IT,
};
use readings::{audit, shapes, verdict};
pub use seen::Seen;
pub use undefined::GOES_BY_IT;

/// The padding of an input that an output depends on.
#[derive(Clone, Copy, Debug)]
pub struct PaddingQuestion {
    /// The input, by its number among the tensors.
    pub input: usize,
    /// The output.
    pub output: usize,
    /// Its element.
    pub element: usize,
}

/// The observer.
#[derive(Default, Debug)]
pub struct Shadow {
    /// What is to be explained.
    pub questions: Vec<Question>,
    /// Outputs of which nothing is expected.
    pub audits: Vec<usize>,
    /// An element that is no number, where no input holds such: its tensor, and its place in row-major order.
    pub not_finite: Option<(usize, usize)>,
    /// What came of undefined memory: an element of an output that differs from the other run, if one does.
    undefined: Option<Option<(usize, usize)>>,
    /// What came of padding.
    pub padding: Option<PaddingQuestion>,
    /// An element whose recipe is asked for: its tensor, and its place in row-major order.
    pub follow: Option<(usize, usize)>,
    /// Elements of tensors whose recipes are asked for together: one note a tensor.
    pub recipes: Vec<(usize, Vec<usize>)>,
    /// The last launch, counted from 1: only then are its calls known.
    pub launches: usize,
    /// The core that is followed, if one is enough.
    pub only: Option<usize>,
    followed: Followed,
}

impl Shadow {
    /// What there is to know before the first launch.
    pub fn prepare(&mut self, homes: Vec<Home>, launches: usize) {
        self.launches = launches;
        self.followed.homes = home::Homes::of(homes);
    }

    /// Has constants that stand for 1/N be that in exact arithmetic; to be said behind [`Shadow::prepare`].
    pub fn take_fractions_as_meant(&mut self) {
        let tensors = self.followed.homes.all.iter().map(|home| &home.tensor.shape[..]);
        self.followed.fractions = Fractions::of_shapes(tensors);
    }

    /// Has this run keep what [`Shadow::bounds`] gives; to be said before the first launch.
    pub fn will_be_bounded(&mut self) {
        self.followed.bounds = true;
    }

    /// What each element of a tensor may be off by from exact arithmetic on the same inputs, row-major; infinity where no bound is
    /// known.
    pub fn bounds(&self, tensor: usize) -> Vec<f64> {
        let of = &self.followed;
        let Some(home) = of.homes.all.get(tensor) else { return Vec::new() };
        let bound = |element: usize| {
            let Some((piece, at)) = home.lies(element) else { return f64::INFINITY };
            match of.memory.get(&of.homes, piece, at) {
                Origin::Datum { node, at } => of.nodes.tile(Some(node)).map_or(f64::INFINITY, |tile| {
                    let at = usize::from(at);
                    // What is no number is as expected where that is expected, and else by nothing.
                    if tile.actual[at].is_finite() { tile.bound_at(at) } else { 0.0 }
                }),
                // A thread made something of what a unit had made.
                origin @ Origin::Stored { .. } if of.is_worked_out(origin) => f64::INFINITY,
                // It was moved, or is a constant of a thread.
                Origin::Tensor { .. } | Origin::Stored { .. } => 0.0,
                Origin::Unknown | Origin::Shared => f64::INFINITY,
            }
        };
        (0..home.tensor.elements()).map(bound).collect()
    }

    /// Of which operation exact arithmetic is not known, if of one.
    pub fn not_exact(&self) -> Option<String> {
        self.followed.not_exact.map(nodes::Op::name)
    }

    /// Has this run keep what [`Shadow::seen`] gives; to be said before the first launch.
    pub fn will_be_seen(&mut self) {
        self.followed.keeps_course = true;
    }

    /// What this run gave, for one that differs from it in undefined memory alone.
    pub fn seen(&mut self) -> Seen {
        Seen::of(&self.followed.nodes, std::mem::take(&mut self.followed.course))
    }

    /// Asks what the program makes of undefined memory, in which the other run differed; `at` is an element of an output that came
    /// out otherwise, by its tensor and its place in row-major order.
    pub fn compare_with(&mut self, other: Seen, at: Option<(usize, usize)>) {
        self.followed.other = Some(other);
        self.followed.keeps_course = true;
        self.undefined = Some(at);
    }

    /// Where padding came among data on the way to an element.
    fn mixed(&self, asked: PaddingQuestion) -> Option<Raised> {
        let of = &self.followed;
        let output = of.homes.all.get(asked.output)?;
        let (piece, at) = output.lies(asked.element)?;
        let Origin::Datum { node, at } = of.memory.get(&of.homes, piece, at) else { return None };
        let mixed = recipe::mixed(of, node, at.into(), asked.input)?;
        let its = of.nodes.get(mixed.node).filter(|node| node.call.launch == of.launch)?;
        let input = &of.homes.all[mixed.tensor].tensor;
        let (rows, columns, _) = of.homes.all[mixed.tensor].matrices();
        let (row, column) = mixed.place;
        let name = its.op.name();
        let mut found = Raised::of(its.call.core, blame::label(its.call), Code::PADDING, String::new());
        found = found.text(format!("{name} takes in [{row}, {column}] of {}, which is padding", input.name));
        let extent = match (rows, columns) {
            (_, 1) => "one column".into(),
            (1, _) => format!("one row of {columns} elements"),
            _ => format!("{rows} rows and {columns} columns"),
        };
        found = found.remark(format!("{} holds {extent}; what lies beside it is undefined", input.name));
        if let nodes::Op::Math(word) = its.op
            && let Some(help) = other_broadcast(word, rows, columns)
        {
            found = found.help(help);
        }
        let made = recipe::spelled(of, recipe::Part::Of(node, at.into()));
        let value =
            recipe::value(of, node, at.into()).map_or_else(String::new, |value| format!(", here {}", figure(value)));
        Some(found.remark(format!("the recipe: {} = {made}{value}", output.spelled(asked.element))))
    }
}

/// Where a broadcast takes a row of a tensor that is a column, or a column of one that is a row.
fn other_broadcast(word: tileproof_model::op_word::OpWord, rows: usize, columns: usize) -> Option<&'static str> {
    use tileproof_model::op_word::broadcast;
    match word.b() {
        broadcast::ROW if columns == 1 => {
            Some("the operand is one column: broadcast columns, as add_tiles_bcast_cols does")
        }
        broadcast::COL if rows == 1 => Some("the operand is one row: broadcast rows, as add_tiles_bcast_rows does"),
        _ => None,
    }
}

/// How an output goes with what was expected, from its values alone; matrices have that many columns.
pub fn pattern(found: &[f64], expected: &[f64], columns: usize) -> Option<String> {
    let element = |at: usize| format!("[{}, {}]", at / columns.max(1), at % columns.max(1));
    shapes::Pattern::of(found, expected, columns).map(|pattern| pattern.says(element))
}

impl Observer for Shadow {
    const ACTIVE: bool = true;
    const VALUES: bool = true;

    fn launch(&mut self, layout: &MemoryLayout) {
        self.followed.is_part = self.only.is_some();
        self.followed.begin(layout.cores.iter().map(|core| core.coord).collect());
    }

    fn on(&mut self, event: &Event, _raised: &mut Raises) {
        if self.only.is_none_or(|only| only == event.core) {
            self.followed.on(event);
        }
    }

    fn values(&mut self, event: &Event, values: &Values<'_>, _raised: &mut Raises) {
        if self.only.is_none_or(|only| only == event.core) {
            self.followed.ran(event, values);
        }
    }

    fn carried(&mut self, event: &Event, carried: &Carried<'_>) {
        if self.only.is_none_or(|only| only == event.core) {
            self.followed.carried(event, carried);
        }
    }

    fn places(&mut self, place: &dyn Fn(usize, Thread, Site) -> Option<SourceLocation>) {
        let launch = self.followed.launch;
        self.followed.blamed.join(launch, place);
    }

    fn end(&mut self, core: usize, raised: &mut Raises) {
        if core + 1 != self.followed.cores() {
            return;
        }
        let is_last = self.followed.launch == self.launches;
        self.followed.asked = self.questions.len();
        // Places are known while their launch is, and an output may have what it ends with long before the last.
        self.questions.retain(|question| {
            let found = (is_last || verdict::is_settled(&self.followed, question))
                .then(|| verdict::judge(&self.followed, question));
            let Some(found) = found.flatten() else { return true };
            raised.push(found);
            false
        });
        if !is_last {
            let is_asked = !self.questions.is_empty();
            raised.extend(is_asked.then(|| verdict::suspects(&self.followed)).into_iter().flatten());
            return;
        }
        raised.extend(self.audits.iter().filter_map(|tensor| audit::judge(&self.followed, *tensor)));
        raised.extend(self.not_finite.and_then(|asked| birth::judge(&self.followed, asked)));
        raised.extend(self.undefined.and_then(|at| undefined::judge(&self.followed, at)));
        raised.extend(self.padding.and_then(|asked| self.mixed(asked)));
        raised.extend(self.follow.and_then(|(tensor, element)| verdict::follow(&self.followed, tensor, element)));
        raised.extend(self.recipes.iter().filter_map(|(tensor, of)| verdict::recipes(&self.followed, *tensor, of)));
    }
}
