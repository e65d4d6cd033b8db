//! The same math in float64.

/// Inputs of one call, row-major, already rounded to the op's format.
pub struct Inputs<'a> {
    /// Rows (N C H) and features (W).
    pub rows: usize,
    /// Features.
    pub width: usize,
    /// x, rows x width.
    pub x: &'a [f32],
    /// gamma, width.
    pub gamma: &'a [f32],
    /// dy, rows x width.
    pub dy: &'a [f32],
    /// mean, rows; fp32, as forward returns it.
    pub mean: &'a [f32],
    /// rstd, rows; fp32, as forward returns it.
    pub rstd: &'a [f32],
}

/// Results in float64.
pub struct Gradients {
    /// dx, rows x width.
    pub dx: Vec<f64>,
    /// dgamma, width.
    pub dgamma: Vec<f64>,
    /// dbeta, width.
    pub dbeta: Vec<f64>,
}

/// mean and rstd of each row, computed in float64 and rounded to fp32.
pub fn statistics(x: &[f32], width: usize, eps: f64) -> (Vec<f32>, Vec<f32>) {
    let of_row = |row: &[f32]| {
        let mean = row.iter().map(|v| f64::from(*v)).sum::<f64>() / width as f64;
        let variance = row.iter().map(|v| (f64::from(*v) - mean) * (f64::from(*v) - mean)).sum::<f64>() / width as f64;
        (mean as f32, (1.0 / (variance + eps).sqrt()) as f32)
    };
    x.chunks_exact(width).map(of_row).unzip()
}

/// dx, dgamma and dbeta.
pub fn backward(inputs: &Inputs<'_>) -> Gradients {
    let width = inputs.width;
    let mut gradients =
        Gradients { dx: Vec::with_capacity(inputs.x.len()), dgamma: vec![0.0; width], dbeta: vec![0.0; width] };
    let mut x_hat = vec![0.0; width];
    for row in 0..inputs.rows {
        let (mean, rstd) = (f64::from(inputs.mean[row]), f64::from(inputs.rstd[row]));
        let x = &inputs.x[row * width..(row + 1) * width];
        let dy = &inputs.dy[row * width..(row + 1) * width];
        let (mut s1, mut s2) = (0.0, 0.0);
        for i in 0..width {
            x_hat[i] = (f64::from(x[i]) - mean) * rstd;
            let g = f64::from(dy[i]) * f64::from(inputs.gamma[i]);
            s1 += g;
            s2 += g * x_hat[i];
            gradients.dgamma[i] += f64::from(dy[i]) * x_hat[i];
            gradients.dbeta[i] += f64::from(dy[i]);
        }
        let (s1, s2) = (s1 / width as f64, s2 / width as f64);
        for i in 0..width {
            let g = f64::from(dy[i]) * f64::from(inputs.gamma[i]);
            gradients.dx.push(rstd * (g - s1 - x_hat[i] * s2));
        }
    }
    gradients
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The loss whose gradient backward computes: sum of dy times LayerNorm(x).
    fn loss(x: &[f64], gamma: &[f64], dy: &[f64], eps: f64) -> f64 {
        let n = x.len() as f64;
        let mean = x.iter().sum::<f64>() / n;
        let variance = x.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n;
        let rstd = 1.0 / (variance + eps).sqrt();
        x.iter().zip(gamma).zip(dy).map(|((x, g), d)| d * g * (x - mean) * rstd).sum()
    }

    #[test]
    fn dx_is_the_slope_of_the_loss() {
        let x: Vec<f32> = (0..13).map(|i| (i * i % 7) as f32 * 0.25 - 0.5).collect();
        let gamma: Vec<f32> = (0..13).map(|i| 0.5 + i as f32 * 0.0625).collect();
        let dy: Vec<f32> = (0..13).map(|i| 1.0 - (i % 5) as f32 * 0.375).collect();
        let eps = 1e-3;
        let (mean, rstd) = statistics(&x, 13, eps);
        let inputs = Inputs { rows: 1, width: 13, x: &x, gamma: &gamma, dy: &dy, mean: &mean, rstd: &rstd };
        let gradients = backward(&inputs);
        let wide = |v: &[f32]| v.iter().map(|v| f64::from(*v)).collect::<Vec<f64>>();
        let (x, gamma, dy) = (wide(&x), wide(&gamma), wide(&dy));
        for i in 0..13 {
            let step = 1e-5;
            let at = |delta: f64| {
                let mut moved = x.clone();
                moved[i] += delta;
                loss(&moved, &gamma, &dy, eps)
            };
            let slope = (at(step) - at(-step)) / (2.0 * step);
            assert!((slope - gradients.dx[i]).abs() < 1e-5, "{i}: {slope} against {}", gradients.dx[i]);
        }
    }

    #[test]
    fn a_constant_row_with_constant_dy_has_no_gradient() {
        let x = [0.5f32; 100];
        let (mean, rstd) = statistics(&x, 100, 1e-6);
        assert_eq!((mean[0], rstd[0]), (0.5, 1000.0));
        let ones = [1.0f32; 100];
        let inputs = Inputs { rows: 1, width: 100, x: &x, gamma: &ones, dy: &ones, mean: &mean, rstd: &rstd };
        assert!(backward(&inputs).dx.iter().all(|d| *d == 0.0));
    }
}
