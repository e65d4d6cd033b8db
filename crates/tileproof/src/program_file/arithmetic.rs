//! Whole-number arithmetic for parameters: `"${W}*2048"`, `"(${W}+31)/32"`, `"${W * 2048}"`.
//! It must never round in another way than people expect: a quotient is rounded down, divisors are sizes, nothing overflows.
//! Start reading at [`evaluate`].

/// The value of an expression of integers, `+ - * / %` and parentheses. `named` gives the values of names.
///
/// # Errors
/// One sentence that says what is wrong with it.
pub(crate) fn evaluate(text: &str, named: &dyn Fn(&str) -> Result<i64, String>) -> Result<i64, String> {
    let mut parser = Parser { rest: text.trim(), named, depth: 0 };
    let value = parser.sum()?;
    if parser.rest.is_empty() { Ok(value) } else { Err(format!("\"{}\" is left over", parser.rest)) }
}

/// True if a text is more than a name or a number.
pub(crate) fn is_expression(text: &str) -> bool {
    text.chars().any(|c| "+-*/%()".contains(c))
}

/// Signs and parentheses inside each other that an expression may have.
const DEEPEST: usize = 100;

struct Parser<'a> {
    rest: &'a str,
    named: &'a dyn Fn(&str) -> Result<i64, String>,
    depth: usize,
}

impl Parser<'_> {
    fn take(&mut self, wanted: &[char]) -> Option<char> {
        let first = self.rest.chars().next().filter(|c| wanted.contains(c))?;
        self.rest = self.rest[first.len_utf8()..].trim_start();
        Some(first)
    }

    fn sum(&mut self) -> Result<i64, String> {
        let mut value = self.product()?;
        while let Some(sign) = self.take(&['+', '-']) {
            let other = self.product()?;
            let result = if sign == '+' { value.checked_add(other) } else { value.checked_sub(other) };
            value = result.ok_or("it does not fit in 64 bits")?;
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<i64, String> {
        let mut value = self.factor()?;
        while let Some(sign) = self.take(&['*', '/', '%']) {
            let other = self.factor()?;
            if sign != '*' && other <= 0 {
                return Err(format!("it divides by {other}; a divisor is 1 or above"));
            }
            let result = match sign {
                '*' => value.checked_mul(other),
                '/' => value.checked_div_euclid(other),
                _ => value.checked_rem_euclid(other),
            };
            value = result.ok_or("it does not fit in 64 bits")?;
        }
        Ok(value)
    }

    fn factor(&mut self) -> Result<i64, String> {
        self.depth += 1;
        let value = if self.depth > DEEPEST { Err("it is nested too deeply".into()) } else { self.innermost() };
        self.depth -= 1;
        value
    }

    fn innermost(&mut self) -> Result<i64, String> {
        if self.take(&['-']).is_some() {
            return self.factor()?.checked_neg().ok_or("it does not fit in 64 bits".into());
        }
        if self.take(&['(']).is_some() {
            let value = self.sum()?;
            return if self.take(&[')']).is_some() { Ok(value) } else { Err("a ) is missing".into()) };
        }
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        match word.chars().next() {
            None => Err("a number or a name is missing".into()),
            Some(c) if c.is_ascii_digit() => word.parse().map_err(|_| format!("{word} is no whole number")),
            Some(_) => (self.named)(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<i64, String> {
        evaluate(text, &|name| if name == "W" { Ok(33) } else { Err(format!("no {name}")) })
    }

    #[test]
    fn expressions_have_the_values_that_arithmetic_gives_them() {
        for (text, expected) in [
            ("7", 7),
            (" 3 * 2048 ", 6144),
            ("2+3*4-1", 13),
            ("(2+3)*4", 20),
            ("(W+31)/32", 2),
            ("W%32", 1),
            ("-W+1", -32),
            ("64/2/2", 16),
            ("-7/2", -4),
            ("-W", -33),
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
        assert!(is_expression("-W") && is_expression("(W)") && !is_expression("W"));
    }

    #[test]
    fn depth_is_bounded_and_length_is_not() {
        for (open, close) in [("(", ")"), ("-", "")] {
            let nested = |n: usize| open.repeat(n) + "1" + &close.repeat(n);
            assert_eq!(value(&nested(98)), Ok(1));
            assert_eq!(value(&nested(100_000)), Err("it is nested too deeply".into()));
        }
        assert_eq!(value(&("1".to_string() + &"+1".repeat(9999))), Ok(10_000));
    }

    #[test]
    fn what_is_no_expression_is_an_error() {
        for text in ["", "2+", "(1", "1)", "2 3", "W/0", "7/-2", "7%-2", "X", "0x10", "1.5", "9223372036854775807+1"] {
            assert!(value(text).is_err(), "{text}");
        }
    }
}
