//! Vector code that is drawn: functions of two vectors of floats, in what sfpi has for floats, integers and conditions.
//!
//! A seed must always give the same text: digests of what it computes are recorded. Eight registers are all that the vector compiler
//! has, so few values live at once. Start at [`kernel`].

use std::fmt::Write;

/// Numbers that look drawn.
struct Draw(u32);

impl Draw {
    fn next(&mut self, below: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let x = (self.0 ^ self.0 >> 15).wrapping_mul(2_246_822_519);
        (x ^ x >> 13) % below
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.next(all.len() as u32) as usize]
    }
}

const NUMBERS: [&str; 10] = ["0.0f", "1.0f", "-1.0f", "0.5f", "2.0f", "-0.3f", "1.7f", "3.14159f", "-128.0f", "0.001f"];
const INTEGERS: [&str; 8] = ["0", "1", "-1", "5", "127", "-300", "0x7fffff", "0x12345678"];

struct Function {
    draw: Draw,
    text: String,
    depth: usize,
}

impl Function {
    /// A variable of floats.
    fn variable(&mut self) -> &'static str {
        self.draw.of(&["a", "b", "c"])
    }

    fn float(&mut self, deep: bool) -> String {
        if !deep {
            return match self.draw.next(5) {
                0 => self.draw.of(&NUMBERS).to_string(),
                _ => self.variable().to_string(),
            };
        }
        let (x, y, z) = (self.variable(), self.float(false), self.variable());
        match self.draw.next(20) {
            0 | 1 => format!("{x} + {y}"),
            2 | 3 => format!("{x} - {y}"),
            4 | 5 => format!("{x} * {y}"),
            6 | 7 => format!("{x} * {y} + {z}"),
            8 => format!("{z} - {x} * {y}"),
            9 => format!("{x} * {y} - {z}"),
            10 => format!("-{x} * {y} + {z} * {x}"),
            11 => format!("-{x}"),
            12 => format!("abs({x})"),
            13 => format!("copysgn({x}, {z})"),
            14 => format!("setexp({x}, {})", self.draw.of(&["0", "126", "127", "130", "255"])),
            15 => format!("addexp({x}, {})", self.draw.of(&["1", "-1", "3", "-20"])),
            16 => format!("{}({x}, {z})", self.draw.of(&["min", "max"])),
            17 => format!("copyman({x}, {z})"),
            18 => "as<vFloat>(i)".to_string(),
            _ => format!("vFloat(convert<vFloat16b>({x}, RoundMode::Nearest))"),
        }
    }

    fn integer(&mut self) -> String {
        let (x, number) = (self.variable(), self.draw.of(&INTEGERS));
        match self.draw.next(11) {
            0 => format!("exexp({x})"),
            1 => format!("as<vInt>(exman({x}))"),
            2 => format!("as<vInt>({x})"),
            3 => format!("i + {number}"),
            4 => format!("i - as<vInt>({x})"),
            5 => format!("i & {number}"),
            6 => format!("i | {number}"),
            7 => format!("i ^ as<vInt>({x})"),
            8 => format!("i << {}", self.draw.of(&["1", "3", "20"])),
            9 => format!("as<vInt>(as<vUInt>(i) >> {})", self.draw.of(&["1", "9", "23"])),
            _ => "as<vInt>(abs(i))".to_string(),
        }
    }

    fn comparison(&mut self) -> String {
        const HOW: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];
        let how = self.draw.of(&HOW);
        match self.draw.next(3) {
            0 => format!("i {how} {}", self.draw.of(&INTEGERS)),
            1 => format!("{} {how} {}", self.variable(), self.draw.of(&NUMBERS)),
            _ => format!("{} {how} {}", self.variable(), self.variable()),
        }
    }

    fn condition(&mut self) -> String {
        let one = self.comparison();
        match self.draw.next(6) {
            0 => format!("{one} && {}", self.comparison()),
            1 => format!("{one} || {}", self.comparison()),
            2 => format!("!({one})"),
            _ => one,
        }
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", 8 + 4 * self.depth);
    }

    fn statement(&mut self) {
        match self.draw.next(10) {
            0..5 => {
                let (to, how, value) =
                    (self.variable(), self.draw.of(&["=", "=", "=", "+=", "-=", "*="]), self.float(true));
                self.line(&format!("{to} {how} {value};"));
            }
            5 | 6 => {
                let value = self.integer();
                self.line(&format!("i = {value};"));
            }
            _ if self.depth < 2 => self.branches(),
            _ => {
                let (to, value) = (self.variable(), self.float(true));
                self.line(&format!("{to} = {value};"));
            }
        }
    }

    fn branches(&mut self) {
        let mut begin = format!("v_if({}) {{", self.condition());
        for part in 0..3 {
            self.line(&begin);
            self.depth += 1;
            for _ in 0..1 + self.draw.next(2) {
                self.statement();
            }
            self.depth -= 1;
            self.line("}");
            begin = match self.draw.next(3) {
                0 if part == 0 => format!("v_elseif({}) {{", self.condition()),
                1 if !begin.starts_with("v_else ") => "v_else {".to_string(),
                _ => break,
            };
        }
        self.line("v_endif;");
    }
}

/// A function that is drawn.
fn function(seed: u32) -> String {
    let mut function =
        Function { draw: Draw(seed.wrapping_mul(2_654_435_761).wrapping_add(12_345)), text: String::new(), depth: 0 };
    for _ in 0..6 {
        function.statement();
    }
    let store = function.draw.of(&["a", "b", "a + c", "a * b + c"]);
    format!(
        "inline void drawn_{seed}(uint32_t x, uint32_t y, uint32_t out) {{\n    for (uint32_t v = 0; v < 8; v++) {{\n        \
         vFloat a = dst_reg[32 * x + v];\n        vFloat b = dst_reg[32 * y + v];\n        vFloat c = a * 0.25f;\n        \
         vInt i = exexp(b);\n{}        dst_reg[32 * out + v] = {store};\n    }}\n}}\n",
        function.text
    )
}

/// A kernel that runs the functions of some seeds on each pair of its input tiles, in order.
pub(super) fn kernel(seeds: &[u32], pairs: u32) -> String {
    let mut text = "#include <cstdint>\n#include \"api/compute/common.h\"\n#include \"api/compute/tile_move_copy.h\"\n\
        #include \"api/compute/compute_kernel_api.h\"\n#include \"api/compute/eltwise_unary/eltwise_unary.h\"\n\
        #ifdef TRISC_MATH\n#include \"sfpi.h\"\nusing namespace sfpi;\n"
        .to_string();
    let mut calls = String::new();
    for seed in seeds {
        text += &function(*seed);
        let _ = writeln!(
            calls,
            "    each([] {{ MATH((_llk_math_eltwise_binary_sfpu_params_(drawn_{seed}, 0, 1, 0))); }});"
        );
    }
    let _ = write!(
        text,
        "#endif\n\ntemplate <typename Function>\nvoid each(Function&& function) {{\n    for (uint32_t pair = 0; pair < {pairs}; pair++) {{\n        \
         cb_reserve_back(16, 1);\n        tile_regs_acquire();\n        copy_tile(0, 2 * pair, 0);\n        copy_tile(0, 2 * pair + 1, 1);\n        \
         function();\n        tile_regs_commit();\n        tile_regs_wait();\n        pack_tile(0, 16);\n        tile_regs_release();\n        \
         cb_push_back(16, 1);\n    }}\n}}\n\nvoid kernel_main() {{\n    unary_op_init_common(0, 16);\n    cb_wait_front(0, {});\n{calls}    \
         cb_pop_front(0, {0});\n}}\n",
        2 * pairs
    );
    text
}
