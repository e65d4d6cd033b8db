use tileproof::layernorm::{BackwardRequest, ForwardRequest, backward, forward};
fn main() {
    let threads: usize = std::env::args().nth(1).and_then(|t| t.parse().ok()).unwrap_or(1);
    for shape in [[1u32, 1, 64, 2048], [1, 1, 96, 8462]] {
        let mut r = ForwardRequest::new(shape);
        r.checks = false;
        r.threads = Some(1);
        let t: Vec<f64> = (0..12).map(|_| forward(&r).unwrap().wall_s * 1e3).collect();
        println!("{shape:?} {}", t.iter().map(|t| format!("{t:.2}")).collect::<Vec<_>>().join(" "));
    }
    let mut r = BackwardRequest::new([3u32, 1, 273, 8462]);
    r.checks = false;
    r.threads = Some(threads);
    let t: Vec<f64> = (0..4).map(|_| backward(&r).unwrap().wall_s * 1e3).collect();
    println!("bw {}", t.iter().map(|t| format!("{t:.1}")).collect::<Vec<_>>().join(" "));
}
