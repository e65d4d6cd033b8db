//! Who moves what: tensors, kernels and circular buffers of a launch as a graph, with pages and bytes.
//!
//! Cores that run the same kernels are one; what they move is added up. Start at [`flow`].

use std::collections::BTreeMap;

use tileproof_model::thread::Thread;
use tileproof_model::timeline::{CoreTimeline, Doing, FarEnd, LaunchTimeline};

/// Something that data are in, or a kernel.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Node {
    /// A tensor in DRAM.
    Tensor(String),
    /// A kernel. One that moves data both in and out is two.
    Kernel {
        /// Its name.
        name: String,
        /// The part of it that takes pages and moves them on.
        takes_out: bool,
    },
    /// A circular buffer.
    Buffer(u32),
    /// L1 of other cores.
    OtherCores,
    /// DRAM that is no tensor's.
    Dram,
}

/// Data that go from one node to another.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Amount {
    /// Pages, where that is what is counted.
    pub pages: u64,
    /// Bytes, where they are.
    pub bytes: u64,
}

/// The graph.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Flow {
    /// Edges with what goes over them.
    pub edges: BTreeMap<(Node, Node), Amount>,
    /// Threads of each kernel.
    pub threads: BTreeMap<String, Vec<Thread>>,
}

/// What is moved in a launch.
pub fn flow(launch: &LaunchTimeline) -> Flow {
    let mut flow = Flow::default();
    for core in &launch.cores {
        of_core(launch, core, &mut flow);
    }
    flow
}

fn of_core(launch: &LaunchTimeline, core: &CoreTimeline, flow: &mut Flow) {
    let mut kernels: BTreeMap<Thread, &str> = BTreeMap::new();
    for total in &core.totals {
        let kernel = launch.places[total.place as usize].kernel.as_str();
        kernels.entry(total.thread).or_insert(kernel);
        let threads = flow.threads.entry(kernel.into()).or_default();
        if !threads.contains(&total.thread) {
            threads.push(total.thread);
        }
    }
    let calls = |thread: Thread, doing: Doing| core.totals.iter().any(|t| t.thread == thread && t.doing == doing);
    // A compute kernel gives what it takes; one that moves data may do both for others.
    let is_two = |thread: Thread| thread.is_data_movement() && calls(thread, Doing::Push) && calls(thread, Doing::Pop);
    let node = |thread: Thread, out: bool| {
        let name = (*kernels.get(&thread)?).to_string();
        Some(Node::Kernel { name, takes_out: out && is_two(thread) })
    };
    for total in &core.totals {
        let (from, to) = match total.doing {
            Doing::Push => (node(total.thread, false), Some(Node::Buffer(total.of))),
            Doing::Pop => (Some(Node::Buffer(total.of)), node(total.thread, true)),
            _ => continue,
        };
        if let (Some(from), Some(to)) = (from, to) {
            flow.edges.entry((from, to)).or_default().pages += total.amount;
        }
    }
    for traffic in &core.traffic {
        let far = match traffic.far {
            FarEnd::Dram(_) => {
                launch.tensors.get(traffic.tensor as usize).map_or(Node::Dram, |t| Node::Tensor(t.clone()))
            }
            FarEnd::Core(_) => Node::OtherCores,
            FarEnd::Own | FarEnd::Nowhere => continue,
        };
        let Some(kernel) = node(traffic.thread, !traffic.is_read && far != Node::OtherCores) else { continue };
        let edge = if traffic.is_read { (far, kernel) } else { (kernel, far) };
        flow.edges.entry(edge).or_default().bytes += traffic.bytes;
    }
}

impl Flow {
    /// The nodes in columns: each behind all that it gets data from, as far as the graph has no circle.
    pub fn columns(&self) -> Vec<Vec<Node>> {
        let mut column: BTreeMap<&Node, usize> = BTreeMap::new();
        for (from, to) in self.edges.keys() {
            column.insert(from, 0);
            column.insert(to, 0);
        }
        // A kernel that fills a buffer for itself makes a circle: after as many rounds as there are nodes it stays as it is.
        let rounds = column.len();
        for _ in 0..rounds {
            let mut changed = false;
            for (from, to) in self.edges.keys().filter(|(from, to)| !self.is_back(from, to)) {
                let least = column[from] + 1;
                if column[to] < least && least < rounds {
                    column.insert(to, least);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let mut columns: Vec<Vec<Node>> = Vec::new();
        for (node, at) in column {
            columns.resize_with(columns.len().max(at + 1), Vec::new);
            columns[at].push(node.clone());
        }
        columns.retain(|column| !column.is_empty());
        columns
    }

    /// Whether an edge goes back: the other way is there too, and of the two this one ends at the buffer's own producer.
    fn is_back(&self, from: &Node, to: &Node) -> bool {
        let both = self.edges.contains_key(&(to.clone(), from.clone()));
        both && matches!(from, Node::Buffer(_) | Node::OtherCores)
    }
}
