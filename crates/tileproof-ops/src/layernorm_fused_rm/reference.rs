//! The same math in float64.

/// Results in float64.
pub struct Normalised {
    /// y, rows x width.
    pub y: Vec<f64>,
    /// Mean of each row.
    pub mean: Vec<f64>,
    /// 1 / sqrt(variance + eps) of each row.
    pub rstd: Vec<f64>,
}

/// y, mean and rstd of rows of `width` features. An absent gamma is 1, an absent beta 0.
pub fn forward(x: &[f32], width: usize, gamma: Option<&[f32]>, beta: Option<&[f32]>, eps: f64) -> Normalised {
    let mut result = Normalised { y: Vec::with_capacity(x.len()), mean: Vec::new(), rstd: Vec::new() };
    for row in x.chunks_exact(width) {
        let mean = row.iter().map(|v| f64::from(*v)).sum::<f64>() / width as f64;
        let variance = row.iter().map(|v| (f64::from(*v) - mean) * (f64::from(*v) - mean)).sum::<f64>() / width as f64;
        let rstd = 1.0 / (variance + eps).sqrt();
        for (i, value) in row.iter().enumerate() {
            let scale = gamma.map_or(1.0, |g| f64::from(g[i]));
            let offset = beta.map_or(0.0, |b| f64::from(b[i]));
            result.y.push((f64::from(*value) - mean) * rstd * scale + offset);
        }
        result.mean.push(mean);
        result.rstd.push(rstd);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_mean_0_and_variance_1_before_gamma_and_beta() {
        let x: Vec<f32> = (0..50).map(|i| (i * i % 11) as f32 + 1000.0).collect();
        let y = forward(&x, 25, None, None, 0.0).y;
        for row in y.chunks_exact(25) {
            assert!(row.iter().sum::<f64>().abs() < 1e-9);
            assert!((row.iter().map(|v| v * v).sum::<f64>() / 25.0 - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn gamma_scales_and_beta_shifts() {
        let x = [1.0, 3.0];
        let scaled = forward(&x, 2, Some(&[2.0, 4.0]), Some(&[10.0, 20.0]), 0.0);
        assert_eq!((scaled.y, scaled.mean, scaled.rstd), (vec![8.0, 24.0], vec![2.0], vec![1.0]));
    }
}
