//! Expressions of a description in the words of C++ and of torch.
//!
//! Both are worked out in double precision, as here. Start at [`cpp`] and [`torch`].

use crate::op::expression::{Expression, Function, Node, Operator};

/// A number of double precision in C++. Names are members of `of`, but those of a core, which are variables.
pub(super) fn cpp(expression: &Expression) -> String {
    in_cpp(&expression.root)
}

fn in_cpp(node: &Node) -> String {
    match node {
        Node::Number(number) => format!("{number:?}"),
        Node::Name(name, _) if OF_A_CORE.contains(&name.as_str()) => format!("static_cast<double>({name})"),
        Node::Name(name, _) => format!("of.{name}"),
        Node::Negate(inner) => format!("-({})", in_cpp(inner)),
        Node::Binary(Operator::Remainder, left, right) => format!("std::fmod({}, {})", in_cpp(left), in_cpp(right)),
        Node::Binary(operator, left, right) => format!("({} {} {})", in_cpp(left), sign(*operator), in_cpp(right)),
        Node::Call(function, arguments) => {
            let parts: Vec<String> = arguments.iter().map(in_cpp).collect();
            match (function, &parts[..]) {
                (Function::Max, [a, b]) => format!("std::max<double>({a}, {b})"),
                (Function::Min, [a, b]) => format!("std::min<double>({a}, {b})"),
                (Function::NextMultiple, [a, b]) => format!("(std::ceil({a} / {b}) * {b})"),
                (Function::Rsqrt, [x]) => format!("(1.0 / std::sqrt({x}))"),
                (Function::Sqrt, [x]) => format!("std::sqrt({x})"),
                (Function::Exp, [x]) => format!("std::exp({x})"),
                (Function::Log, [x]) => format!("std::log({x})"),
                (Function::Tanh, [x]) => format!("std::tanh({x})"),
                (Function::Abs, [x]) => format!("std::abs({x})"),
                (Function::Floor, [x]) => format!("std::floor({x})"),
                (Function::Ceil, [x]) => format!("std::ceil({x})"),
                // Over the last dimension of what has none.
                _ => parts[0].clone(),
            }
        }
    }
}

/// Names that have another value on each core.
const OF_A_CORE: [&str; 3] = ["first", "count", "core"];

/// The value of an expression as torch has it; `number` puts the sizes of tensors in its words.
pub(super) fn torch(expression: &Expression) -> String {
    in_torch(&expression.root)
}

fn in_torch(node: &Node) -> String {
    match node {
        Node::Number(number) => format!("{number:?}"),
        Node::Name(name, _) => match name.split_once('.') {
            Some((tensor, what)) => format!("size({tensor}, \"{what}\")"),
            None => name.clone(),
        },
        Node::Negate(inner) => format!("-({})", in_torch(inner)),
        Node::Binary(Operator::And, left, right) => {
            format!("((t({}) != 0) & (t({}) != 0))", in_torch(left), in_torch(right))
        }
        Node::Binary(Operator::Or, left, right) => {
            format!("((t({}) != 0) | (t({}) != 0))", in_torch(left), in_torch(right))
        }
        Node::Binary(Operator::Remainder, left, right) => {
            format!("torch.fmod(t({}), t({}))", in_torch(left), in_torch(right))
        }
        Node::Binary(operator, left, right) => format!("({} {} {})", in_torch(left), sign(*operator), in_torch(right)),
        Node::Call(function, arguments) => {
            let parts: Vec<String> = arguments.iter().map(|argument| format!("t({})", in_torch(argument))).collect();
            match (function, &parts[..]) {
                (Function::Max, [a, b]) => format!("torch.maximum({a}, {b})"),
                (Function::Min, [a, b]) => format!("torch.minimum({a}, {b})"),
                (Function::NextMultiple, [a, b]) => format!("(torch.ceil({a} / {b}) * {b})"),
                (Function::Mean, [x]) => format!("{x}.mean(-1, keepdim=True)"),
                (Function::Sum, [x]) => format!("{x}.sum(-1, keepdim=True)"),
                (Function::Max, [x]) => format!("{x}.amax(-1, keepdim=True)"),
                (Function::Min, [x]) => format!("{x}.amin(-1, keepdim=True)"),
                (Function::Rsqrt, [x]) => format!("torch.rsqrt({x})"),
                (Function::Sqrt, [x]) => format!("torch.sqrt({x})"),
                (Function::Exp, [x]) => format!("torch.exp({x})"),
                (Function::Log, [x]) => format!("torch.log({x})"),
                (Function::Tanh, [x]) => format!("torch.tanh({x})"),
                (Function::Abs, [x]) => format!("torch.abs({x})"),
                (Function::Floor, [x]) => format!("torch.floor({x})"),
                (Function::Ceil, [x]) => format!("torch.ceil({x})"),
                _ => parts.join(", "),
            }
        }
    }
}

const fn sign(operator: Operator) -> &'static str {
    match operator {
        Operator::Or => "||",
        Operator::And => "&&",
        Operator::Equal => "==",
        Operator::NotEqual => "!=",
        Operator::Less => "<",
        Operator::LessOrEqual => "<=",
        Operator::Greater => ">",
        Operator::GreaterOrEqual => ">=",
        Operator::Add => "+",
        Operator::Subtract => "-",
        Operator::Multiply => "*",
        Operator::Divide => "/",
        Operator::Remainder => "%",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_keeps_its_order_in_both_languages() {
        let of = |text: &str| Expression::parse(text).unwrap();
        assert_eq!(
            cpp(&of("2 * (count + x.wt) % 3")),
            "std::fmod((2.0 * (static_cast<double>(count) + of.x.wt)), 3.0)"
        );
        assert_eq!(
            cpp(&of("next_multiple(x.w, 32) >= 64 && eps > 0")),
            "(((std::ceil(of.x.w / 32.0) * 32.0) >= 64.0) && (of.eps > 0.0))"
        );
        assert_eq!(
            torch(&of("x * rsqrt(mean(x * x) + eps) / x.w")),
            "((x * torch.rsqrt(t((t((x * x)).mean(-1, keepdim=True) + eps)))) / size(x, \"w\"))"
        );
        assert_eq!(torch(&of("max(x, 0) - max(x)")), "(torch.maximum(t(x), t(0.0)) - t(x).amax(-1, keepdim=True))");
    }
}
