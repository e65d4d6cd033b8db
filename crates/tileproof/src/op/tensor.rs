//! Float64 tensors, and expressions over them: how a description becomes numbers.
//!
//! Shapes broadcast as in numpy. It must never round: that is for the formats of the device. Start at [`evaluate`].

use super::expression::{Expression, Function, Node, Operator};

/// Values, row-major. A number has no dimensions.
#[derive(Clone, PartialEq, Debug)]
pub struct Tensor {
    /// Dimensions, outermost first.
    pub shape: Vec<usize>,
    /// Values.
    pub values: Vec<f64>,
}

impl Tensor {
    /// One number.
    pub fn number(value: f64) -> Tensor {
        Tensor { shape: Vec::new(), values: vec![value] }
    }

    fn map(self, f: impl Fn(f64) -> f64) -> Tensor {
        Tensor { shape: self.shape, values: self.values.into_iter().map(f).collect() }
    }

    /// Goes over the last dimension, which becomes 1.
    fn fold(&self, f: impl Fn(&[f64]) -> f64) -> Tensor {
        let width = self.shape.last().copied().unwrap_or(1).max(1);
        let mut shape = self.shape.clone();
        if let Some(last) = shape.last_mut() {
            *last = 1;
        }
        Tensor { shape, values: self.values.chunks(width).map(f).collect() }
    }

    fn zip(&self, other: &Tensor, f: impl Fn(f64, f64) -> f64) -> Result<Tensor, String> {
        let rank = self.shape.len().max(other.shape.len());
        let padded = |t: &Tensor| [vec![1; rank - t.shape.len()], t.shape.clone()].concat();
        let (a, b) = (padded(self), padded(other));
        let side = |(a, b): (&usize, &usize)| match (*a, *b) {
            (a, b) if a == b => Ok(a),
            (1, b) => Ok(b),
            (a, 1) => Ok(a),
            _ => Err(format!("shapes {:?} and {:?} do not go together", self.shape, other.shape)),
        };
        let shape = a.iter().zip(&b).map(side).collect::<Result<Vec<usize>, String>>()?;
        let strides = |of: &[usize]| {
            let mut strides = vec![0; rank];
            let mut step = 1;
            for i in (0..rank).rev() {
                strides[i] = if of[i] == 1 { 0 } else { step };
                step *= of[i];
            }
            strides
        };
        let (a, b) = (strides(&a), strides(&b));
        let count: usize = shape.iter().product();
        let mut values = Vec::with_capacity(count);
        let mut place = vec![0; rank];
        let (mut at_a, mut at_b) = (0, 0);
        for _ in 0..count {
            values.push(f(self.values[at_a], other.values[at_b]));
            for i in (0..rank).rev() {
                place[i] += 1;
                at_a += a[i];
                at_b += b[i];
                if place[i] < shape[i] {
                    break;
                }
                at_a -= a[i] * place[i];
                at_b -= b[i] * place[i];
                place[i] = 0;
            }
        }
        Ok(Tensor { shape, values })
    }
}

/// The value of an expression. `lookup` knows the names.
///
/// # Errors
/// If a name is not known, or shapes do not go together.
pub fn evaluate(expression: &Expression, lookup: &dyn Fn(&str) -> Option<Tensor>) -> Result<Tensor, String> {
    value(&expression.root, lookup).map_err(|message| format!("\"{}\": {message}", expression.text))
}

/// The value of an expression that is a number.
///
/// # Errors
/// As [`evaluate`], and if it is not one number.
pub fn number(expression: &Expression, lookup: &dyn Fn(&str) -> Option<f64>) -> Result<f64, String> {
    let result = evaluate(expression, &|name| lookup(name).map(Tensor::number))?;
    Ok(result.values[0])
}

fn value(node: &Node, lookup: &dyn Fn(&str) -> Option<Tensor>) -> Result<Tensor, String> {
    match node {
        Node::Number(number) => Ok(Tensor::number(*number)),
        Node::Name(name, _) => lookup(name).ok_or_else(|| format!("there is no {name}")),
        Node::Negate(inner) => Ok(value(inner, lookup)?.map(|v| -v)),
        Node::Binary(operator, left, right) => {
            value(left, lookup)?.zip(&value(right, lookup)?, |a, b| apply(*operator, a, b))
        }
        Node::Call(function, arguments) => {
            let first = value(&arguments[0], lookup)?;
            match arguments.get(1) {
                None => Ok(call(*function, first)),
                Some(second) => first.zip(&value(second, lookup)?, |a, b| call_two(*function, a, b)),
            }
        }
    }
}

fn apply(operator: Operator, a: f64, b: f64) -> f64 {
    let truth = |yes: bool| f64::from(u8::from(yes));
    match operator {
        Operator::Or => truth(a != 0.0 || b != 0.0),
        Operator::And => truth(a != 0.0 && b != 0.0),
        Operator::Equal => truth(a == b),
        Operator::NotEqual => truth(a != b),
        Operator::Less => truth(a < b),
        Operator::LessOrEqual => truth(a <= b),
        Operator::Greater => truth(a > b),
        Operator::GreaterOrEqual => truth(a >= b),
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide => a / b,
        Operator::Remainder => a % b,
    }
}

#[allow(
    clippy::disallowed_methods,
    reason = "a reference is compared within a tolerance; its last bits may be the host's"
)]
fn call(function: Function, of: Tensor) -> Tensor {
    let sum = |row: &[f64]| row.iter().sum::<f64>();
    match function {
        Function::Sqrt => of.map(f64::sqrt),
        Function::Rsqrt => of.map(|v| 1.0 / v.sqrt()),
        Function::Exp => of.map(f64::exp),
        Function::Log => of.map(f64::ln),
        Function::Tanh => of.map(f64::tanh),
        Function::Abs => of.map(f64::abs),
        Function::Floor => of.map(f64::floor),
        Function::Ceil => of.map(f64::ceil),
        Function::Mean => of.fold(|row| sum(row) / row.len() as f64),
        Function::Sum => of.fold(sum),
        Function::Max => of.fold(|row| row.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
        Function::Min => of.fold(|row| row.iter().copied().fold(f64::INFINITY, f64::min)),
        // It takes two arguments, which the parser has counted.
        Function::NextMultiple => of,
    }
}

fn call_two(function: Function, a: f64, b: f64) -> f64 {
    match function {
        Function::Min => a.min(b),
        Function::NextMultiple => (a / b).ceil() * b,
        _ => a.max(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> f64 {
        let known = |name: &str| (name == "x.w").then_some(100.0);
        number(&Expression::parse(text).unwrap(), &known).unwrap()
    }

    #[test]
    fn operators_bind_as_in_mathematics() {
        assert_eq!(of("1 + 2 * 3 - 4 / 2"), 5.0);
        assert_eq!(of("10 - 3 - 2"), 5.0);
        // As many as there may be.
        assert_eq!(of(&vec!["1"; 1001].join("+")), 1001.0);
        assert_eq!(of("-2 * (3 + 1) % 3"), -2.0);
        assert_eq!(of("x.w % 32 == 4 && x.w >= 100 || 0 > 1"), 1.0);
        assert_eq!(of("ceil(x.w / 32) + next_multiple(x.w, 32) + min(2, 3) + 1e-1 * 10"), 4.0 + 128.0 + 2.0 + 1.0);
    }

    #[test]
    fn reductions_go_over_the_last_dimension_and_the_rest_broadcasts() {
        let x = Tensor { shape: vec![2, 2], values: vec![3.0, 4.0, 6.0, 8.0] };
        let gamma = Tensor { shape: vec![1, 2], values: vec![1.0, 10.0] };
        let known = |name: &str| match name {
            "x" => Some(x.clone()),
            "gamma" => Some(gamma.clone()),
            _ => None,
        };
        let of = |text: &str| evaluate(&Expression::parse(text).unwrap(), &known);
        let rms = of("x * rsqrt(mean(x * x)) * gamma").unwrap();
        assert_eq!(rms.shape, [2, 2]);
        let root = 12.5f64.sqrt();
        for (found, wanted) in rms.values.iter().zip([3.0 / root, 40.0 / root, 6.0 / (2.0 * root), 80.0 / (2.0 * root)])
        {
            assert!((found - wanted).abs() < 1e-12);
        }
        assert_eq!(of("x - max(x) + sum(gamma)").unwrap().values, [10.0, 11.0, 9.0, 11.0]);
        assert_eq!(of("y + 1").unwrap_err(), "\"y + 1\": there is no y");
        let three = Tensor { shape: vec![3], values: vec![0.0; 3] };
        assert!(x.zip(&three, |a, _| a).unwrap_err().contains("do not go together"));
    }
}
