//! The small language of op descriptions: numbers, names, arithmetic, comparisons and a closed set of functions.
//!
//! The same text serves for sizes ("count * x.wt"), for conditions ("x.w % 32 == 0") and for float64 references
//! ("x * rsqrt(mean(x * x) + eps)"). It must never read anything but the names that it is given. Start at
//! [`Expression::parse`]; [`super::tensor`] evaluates.

/// A parsed expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expression {
    /// As it was written.
    pub text: String,
    pub(crate) root: Node,
}

/// A part of an expression.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Node {
    Number(f64),
    /// A name and where it stands.
    Name(String, usize),
    Negate(Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
    Call(Function, Vec<Node>),
}

/// Between two values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// Operators, those of two characters first, and how tightly they bind.
const OPERATORS: [(&str, Operator, u8); 13] = [
    ("||", Operator::Or, 1),
    ("&&", Operator::And, 2),
    ("==", Operator::Equal, 3),
    ("!=", Operator::NotEqual, 3),
    ("<=", Operator::LessOrEqual, 3),
    (">=", Operator::GreaterOrEqual, 3),
    ("<", Operator::Less, 3),
    (">", Operator::Greater, 3),
    ("+", Operator::Add, 4),
    ("-", Operator::Subtract, 4),
    ("*", Operator::Multiply, 5),
    ("/", Operator::Divide, 5),
    ("%", Operator::Remainder, 5),
];

/// A function. Mean, sum, and max and min of one argument go over the last dimension and keep it as 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Function {
    Sqrt,
    Rsqrt,
    Exp,
    Log,
    Tanh,
    Abs,
    Floor,
    Ceil,
    Mean,
    Sum,
    Max,
    Min,
    NextMultiple,
}

/// Functions with the numbers of arguments that they take.
const FUNCTIONS: [(&str, Function, &[usize]); 13] = [
    ("sqrt", Function::Sqrt, &[1]),
    ("rsqrt", Function::Rsqrt, &[1]),
    ("exp", Function::Exp, &[1]),
    ("log", Function::Log, &[1]),
    ("tanh", Function::Tanh, &[1]),
    ("abs", Function::Abs, &[1]),
    ("floor", Function::Floor, &[1]),
    ("ceil", Function::Ceil, &[1]),
    ("mean", Function::Mean, &[1]),
    ("sum", Function::Sum, &[1]),
    ("max", Function::Max, &[1, 2]),
    ("min", Function::Min, &[1, 2]),
    ("next_multiple", Function::NextMultiple, &[2]),
];

/// What is wrong with the text of an expression, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExpressionError {
    /// Byte offset in the text.
    pub at: usize,
    /// One sentence.
    pub message: String,
}

/// Parentheses, functions and signs within each other; deeper text is no description of an op.
const DEEPEST: u32 = 64;
/// Operators in all. Each can be a level of the tree, which is walked by recursion: the stack must hold it.
const MOST_OPERATORS: u32 = 1000;

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// If the text is none; the error says where.
    pub fn parse(text: &str) -> Result<Expression, ExpressionError> {
        let mut parser = Parser { text, at: 0, depth: 0, operators: 0 };
        let root = parser.binary(0)?;
        parser.skip_spaces();
        if parser.at < text.len() {
            return Err(parser.expected("an operator"));
        }
        Ok(Expression { text: text.to_string(), root })
    }

    /// The names that it uses, with their places.
    pub fn names(&self) -> Vec<(&str, usize)> {
        let mut names = Vec::new();
        collect(&self.root, &mut names);
        names
    }
}

fn collect<'a>(node: &'a Node, names: &mut Vec<(&'a str, usize)>) {
    match node {
        Node::Number(_) => {}
        Node::Name(name, at) => names.push((name, *at)),
        Node::Negate(inner) => collect(inner, names),
        Node::Binary(_, left, right) => {
            collect(left, names);
            collect(right, names);
        }
        Node::Call(_, arguments) => arguments.iter().for_each(|argument| collect(argument, names)),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
    operators: u32,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_spaces(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn error<T>(&self, at: usize, message: impl Into<String>) -> Result<T, ExpressionError> {
        Err(ExpressionError { at, message: message.into() })
    }

    fn expected(&self, what: &str) -> ExpressionError {
        let found = match self.rest().chars().next() {
            Some(c) => format!("\"{c}\""),
            None => "its end".into(),
        };
        ExpressionError { at: self.at, message: format!("\"{}\": expected {what}, found {found}", self.text) }
    }

    /// A number, name, function or parenthesis, and the operators behind it that bind more tightly than `least`.
    fn binary(&mut self, least: u8) -> Result<Node, ExpressionError> {
        let mut left = self.unary()?;
        loop {
            self.skip_spaces();
            let rest = self.rest();
            let Some((word, operator, strength)) = OPERATORS.iter().find(|(word, ..)| rest.starts_with(word)) else {
                return Ok(left);
            };
            if *strength <= least {
                return Ok(left);
            }
            if self.operators == MOST_OPERATORS {
                return self.error(self.at, format!("more than {MOST_OPERATORS} operators"));
            }
            self.operators += 1;
            self.at += word.len();
            let right = self.binary(*strength)?;
            left = Node::Binary(*operator, left.into(), right.into());
        }
    }

    fn unary(&mut self) -> Result<Node, ExpressionError> {
        self.skip_spaces();
        if self.depth == DEEPEST {
            return self.error(self.at, format!("\"{}\": nested deeper than {DEEPEST}", self.text));
        }
        self.depth += 1;
        let node = self.operand();
        self.depth -= 1;
        node
    }

    fn operand(&mut self) -> Result<Node, ExpressionError> {
        let rest = self.rest();
        match rest.chars().next() {
            Some('-') => {
                self.at += 1;
                Ok(Node::Negate(self.unary()?.into()))
            }
            Some('(') => {
                self.at += 1;
                let inner = self.binary(0)?;
                self.close()?;
                Ok(inner)
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => self.name(),
            _ => Err(self.expected("a number, a name, a function or (")),
        }
    }

    fn close(&mut self) -> Result<(), ExpressionError> {
        self.skip_spaces();
        if !self.rest().starts_with(')') {
            return Err(self.expected("an operator or )"));
        }
        self.at += 1;
        Ok(())
    }

    fn number(&mut self) -> Result<Node, ExpressionError> {
        let bytes = self.rest().as_bytes();
        let mut end = 0;
        while end < bytes.len() {
            let sign = matches!(bytes[end], b'+' | b'-') && end > 0 && matches!(bytes[end - 1], b'e' | b'E');
            if !(bytes[end].is_ascii_alphanumeric() || bytes[end] == b'.' || sign) {
                break;
            }
            end += 1;
        }
        let word = &self.rest()[..end];
        match word.parse::<f64>() {
            Ok(number) => {
                self.at += end;
                Ok(Node::Number(number))
            }
            Err(_) => self.error(self.at, format!("\"{}\": {word} is not a number", self.text)),
        }
    }

    fn name(&mut self) -> Result<Node, ExpressionError> {
        let begin = self.at;
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
        let word = &rest[..end];
        self.at += end;
        self.skip_spaces();
        if !self.rest().starts_with('(') {
            return Ok(Node::Name(word.to_string(), begin));
        }
        let Some((_, function, counts)) = FUNCTIONS.iter().find(|(name, ..)| *name == word) else {
            let known = FUNCTIONS.map(|(name, ..)| name).join(", ");
            return self.error(begin, format!("\"{}\": there is no function {word}; there are {known}", self.text));
        };
        self.at += 1;
        let mut arguments = vec![self.binary(0)?];
        self.skip_spaces();
        while self.rest().starts_with(',') {
            self.at += 1;
            arguments.push(self.binary(0)?);
            self.skip_spaces();
        }
        self.close()?;
        if !counts.contains(&arguments.len()) {
            let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
            let (takes, given) = (counts.join(" or "), arguments.len());
            return self.error(begin, format!("\"{}\": {word} takes {takes} arguments, here are {given}", self.text));
        }
        Ok(Node::Call(*function, arguments))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> (usize, String) {
        let error = Expression::parse(text).unwrap_err();
        (error.at, error.message)
    }

    #[test]
    fn an_error_says_where_it_stands_and_what_is_allowed() {
        assert_eq!(error("x * rsqt(y)").0, 4);
        assert!(error("x * rsqt(y)").1.contains("there is no function rsqt; there are sqrt, rsqrt"));
        assert_eq!(error("x +").0, 3);
        assert!(error("x +").1.ends_with("found its end"));
        assert_eq!(error("x $ y").0, 2);
        assert_eq!(error("(x").0, 2);
        assert_eq!(error("1.2.3 + x").0, 0);
        assert!(error("mean(x, y)").1.contains("takes 1 arguments, here are 2"));
        assert!(error(&"(".repeat(1000)).1.contains("nested deeper"));
        let sum = |terms: usize| vec!["1"; terms].join("+");
        assert_eq!(error(&sum(100_000)), (2001, "more than 1000 operators".into()));
        assert_eq!(error(&format!("max({0}, {0})", sum(600))).1, "more than 1000 operators");
    }

    #[test]
    fn names_keep_their_places() {
        assert_eq!(Expression::parse("a * mean(x.w)").unwrap().names(), [("a", 0), ("x.w", 9)]);
    }
}
