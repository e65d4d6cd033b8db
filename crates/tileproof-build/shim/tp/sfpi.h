// The vector unit by hand: vectors of 32 lanes, conditions on lanes, rows of Dst and registers.
// Nothing is computed here: each operation is noted as a step, and the machine joins the steps as the vector compiler does and
// runs them. Names follow sfpi 6 to 7.87 (`sfpi.h`, `sfpi_lib.h`). Start at vFloat; steps are in sfpi_steps.h.
#pragma once
#include "tp/kernel_api.h"
#ifdef COMPILE_FOR_TRISC
#include "tp/sfpi_steps.h"

namespace sfpi {

class vInt;
class vUInt;
class vFloat;

namespace impl_ {
// A value: the number of the step that gave it. What is assigned where not all lanes run keeps the rest.
class vVal {
public:
    constexpr vVal() = default;
    constexpr explicit vVal(tp::Value v) : value_(v) {}
    vVal(const vVal&) = default;
    ALWI vVal& operator=(const vVal& other) {
        value_ = value_.number == tp::NO_VALUE ? other.value_ : tp::step(tp::step_code::Assign, value_, other.value_);
        return *this;
    }
    constexpr tp::Value get() const { return value_; }

private:
    tp::Value value_;
};
template <typename T>
concept Vector = std::is_base_of_v<vVal, T>;
template <typename T>
concept Integral = std::is_integral_v<T> && !std::is_same_v<T, bool>;
}  // namespace impl_

// Scalars by their bits.
class sFloat16b {
public:
    ALWI explicit sFloat16b(float value) : bits_(__builtin_bit_cast(uint32_t, value) >> 16) {}
    template <impl_::Integral T>
    ALWI explicit sFloat16b(T bits) : bits_(uint16_t(bits)) {}
    ALWI uint32_t get() const { return bits_; }

private:
    uint32_t bits_;
};
using s2vFloat16b = sFloat16b;

class vFloat : public impl_::vVal {
public:
    vFloat() = default;
    vFloat(const vFloat&) = default;
    vFloat& operator=(const vFloat&) = default;
    constexpr explicit vFloat(tp::Value v) : vVal(v) {}
    // What the compiler sees it may leave out.
    ALWI vFloat(float value)
        : vVal(tp::constant(__builtin_bit_cast(uint32_t, value), __builtin_constant_p(value))) {}
    ALWI vFloat(sFloat16b value) : vVal(tp::constant(value.get() << 16, false)) {}
    ALWI vFloat& operator+=(vFloat other);
    ALWI vFloat& operator-=(vFloat other);
    ALWI vFloat& operator*=(vFloat other);
};

class vInt : public impl_::vVal {
public:
    vInt() = default;
    vInt(const vInt&) = default;
    vInt& operator=(const vInt&) = default;
    constexpr explicit vInt(tp::Value v) : vVal(v) {}
    template <impl_::Integral T>
    ALWI vInt(T value) : vVal(tp::constant(uint32_t(value), __builtin_constant_p(value))) {}
    ALWI vInt(vUInt value);
    ALWI vInt& operator+=(vInt other);
    ALWI vInt& operator-=(vInt other);
    ALWI vInt& operator&=(vInt other);
    ALWI vInt& operator|=(vInt other);
    ALWI vInt& operator^=(vInt other);
    ALWI vInt& operator<<=(uint32_t by);
};

class vUInt : public impl_::vVal {
public:
    vUInt() = default;
    vUInt(const vUInt&) = default;
    vUInt& operator=(const vUInt&) = default;
    constexpr explicit vUInt(tp::Value v) : vVal(v) {}
    template <impl_::Integral T>
    ALWI vUInt(T value) : vVal(tp::constant(uint32_t(value), __builtin_constant_p(value))) {}
    ALWI vUInt(vInt value) : vVal(value.get()) {}
    ALWI vUInt& operator+=(vUInt other);
    ALWI vUInt& operator-=(vUInt other);
    ALWI vUInt& operator&=(vUInt other);
    ALWI vUInt& operator|=(vUInt other);
    ALWI vUInt& operator^=(vUInt other);
    ALWI vUInt& operator<<=(uint32_t by);
    ALWI vUInt& operator>>=(uint32_t by);
};
ALWI vInt::vInt(vUInt value) : vVal(value.get()) {}
using vMag = vUInt;
using vUInt16 = vUInt;
using vUInt8 = vUInt;
// One that fits in bf16, and is stored as such.
class vFloat16b : public vFloat {
public:
    vFloat16b() = default;
    vFloat16b(const vFloat16b&) = default;
    vFloat16b& operator=(const vFloat16b&) = default;
    constexpr explicit vFloat16b(tp::Value v) : vFloat(v) {}
};

// Sign and magnitude.
class vSMag : public impl_::vVal {
public:
    vSMag() = default;
    vSMag(const vSMag&) = default;
    vSMag& operator=(const vSMag&) = default;
    constexpr explicit vSMag(tp::Value v) : vVal(v) {}
};
using vSMag16 = vSMag;
using vSMag8 = vSMag;

// A condition, lane by lane.
class vBool {
public:
    constexpr explicit vBool(tp::Value v) : value_(v) {}
    constexpr tp::Value get() const { return value_; }

private:
    tp::Value value_;
};

// The bits of one kind read as another.
template <impl_::Vector To>
ALWI To as(impl_::vVal from) { return To(from.get()); }
template <impl_::Vector To>
ALWI To reinterpret(impl_::vVal from) { return To(from.get()); }

ALWI vFloat operator+(vFloat a, vFloat b) { return vFloat(tp::step(tp::step_code::Add, a.get(), b.get())); }
ALWI vFloat operator*(vFloat a, vFloat b) { return vFloat(tp::step(tp::step_code::Multiply, a.get(), b.get())); }
ALWI vFloat operator-(vFloat a) { return vFloat(tp::step(tp::step_code::Negate, a.get())); }
ALWI vFloat operator-(vFloat a, vFloat b) { return a + -b; }
ALWI vFloat operator+(vFloat a) { return a; }
ALWI vFloat& vFloat::operator+=(vFloat other) { return *this = *this + other; }
// The library spells it as a multiply-add of its own, by -1.
ALWI vFloat& vFloat::operator-=(vFloat other) {
    const vFloat difference(tp::step(tp::step_code::MultiplyAdd, tp::constant(0xbf800000, false), other.get(), get()));
    return *this = difference;
}
ALWI vFloat& vFloat::operator*=(vFloat other) { return *this = *this * other; }

#define TP_INTEGERS(TYPE)                                                                                              \
    ALWI TYPE operator+(TYPE a, TYPE b) { return TYPE(tp::step(tp::step_code::AddInt, a.get(), b.get())); }            \
    ALWI TYPE operator-(TYPE a, TYPE b) { return TYPE(tp::step(tp::step_code::SubtractInt, a.get(), b.get())); }       \
    ALWI TYPE operator-(TYPE a) { return TYPE(0) - a; }                                                                \
    ALWI TYPE operator+(TYPE a) { return a; }                                                                          \
    ALWI TYPE operator&(TYPE a, TYPE b) { return TYPE(tp::step(tp::step_code::And, a.get(), b.get())); }               \
    ALWI TYPE operator|(TYPE a, TYPE b) { return TYPE(tp::step(tp::step_code::Or, a.get(), b.get())); }                \
    ALWI TYPE operator^(TYPE a, TYPE b) { return TYPE(tp::step(tp::step_code::Xor, a.get(), b.get())); }               \
    ALWI TYPE operator~(TYPE a) { return TYPE(tp::step(tp::step_code::Not, a.get())); }                                \
    template <impl_::Integral T>                                                                                       \
    ALWI TYPE operator<<(TYPE a, T by) {                                                                               \
        return TYPE(tp::step(tp::step_code::Shift, a.get(), tp::constant(uint32_t(by), true)));                        \
    }                                                                                                                  \
    ALWI TYPE operator<<(TYPE a, vUInt by) { return TYPE(tp::step(tp::step_code::Shift, a.get(), by.get())); }         \
    ALWI TYPE& TYPE::operator+=(TYPE other) { return *this = *this + other; }                                          \
    ALWI TYPE& TYPE::operator-=(TYPE other) { return *this = *this - other; }                                          \
    ALWI TYPE& TYPE::operator&=(TYPE other) { return *this = *this & other; }                                          \
    ALWI TYPE& TYPE::operator|=(TYPE other) { return *this = *this | other; }                                          \
    ALWI TYPE& TYPE::operator^=(TYPE other) { return *this = *this ^ other; }                                          \
    ALWI TYPE& TYPE::operator<<=(uint32_t by) { return *this = *this << by; }                                          \
    TP_MIXED(TYPE, +)                                                                                                  \
    TP_MIXED(TYPE, -)                                                                                                  \
    TP_MIXED(TYPE, &)                                                                                                  \
    TP_MIXED(TYPE, |)                                                                                                  \
    TP_MIXED(TYPE, ^)
// With a number: its type is that of the vector.
#define TP_MIXED(TYPE, OP)                                            \
    template <impl_::Integral T>                                      \
    ALWI TYPE operator OP(TYPE a, T b) { return a OP TYPE(b); }       \
    template <impl_::Integral T>                                      \
    ALWI TYPE operator OP(T a, TYPE b) { return TYPE(a) OP b; }
TP_INTEGERS(vInt)
TP_INTEGERS(vUInt)
#undef TP_INTEGERS
#undef TP_MIXED
// Of both kinds the one without a sign.
#define TP_BOTH(OP)                                                    \
    ALWI vUInt operator OP(vUInt a, vInt b) { return a OP vUInt(b); }  \
    ALWI vUInt operator OP(vInt a, vUInt b) { return vUInt(a) OP b; }
TP_BOTH(&)
TP_BOTH(|)
TP_BOTH(^)
TP_BOTH(-)
TP_BOTH(+)
#undef TP_BOTH
template <impl_::Integral T>
ALWI vUInt operator>>(vUInt a, T by) { return vUInt(tp::step(tp::step_code::Shift, a.get(), tp::constant(0u - uint32_t(by), true))); }
ALWI vUInt operator>>(vUInt a, vUInt by) { return vUInt(tp::step(tp::step_code::Shift, a.get(), (vUInt(0) - by).get())); }
ALWI vUInt& vUInt::operator>>=(uint32_t by) { return *this = *this >> by; }

// Conditions. How is what the machine's comparisons are called by.
#define TP_COMPARE(OP, HOW)                                                                                                    \
    ALWI vBool operator OP(vFloat a, vFloat b) { return vBool(tp::step(tp::step_code::CompareFloat, a.get(), b.get(), HOW)); } \
    ALWI vBool operator OP(vInt a, vInt b) { return vBool(tp::step(tp::step_code::CompareInt, a.get(), b.get(), HOW)); }       \
    ALWI vBool operator OP(vUInt a, vUInt b) { return vBool(tp::step(tp::step_code::CompareInt, a.get(), b.get(), HOW)); }     \
    template <impl_::Integral T>                                                                                               \
    ALWI vBool operator OP(vInt a, T b) { return a OP vInt(b); }                                                               \
    template <impl_::Integral T>                                                                                               \
    ALWI vBool operator OP(vUInt a, T b) { return a OP vUInt(b); }
TP_COMPARE(<, 0)
TP_COMPARE(>=, 1)
TP_COMPARE(>, 2)
TP_COMPARE(<=, 3)
TP_COMPARE(==, 4)
TP_COMPARE(!=, 5)
#undef TP_COMPARE
ALWI vBool operator&&(vBool a, vBool b) { return vBool(tp::step(tp::step_code::Both, a.get(), b.get())); }
ALWI vBool operator||(vBool a, vBool b) { return vBool(tp::step(tp::step_code::Either, a.get(), b.get())); }
ALWI vBool operator!(vBool a) { return vBool(tp::step(tp::step_code::Opposite, a.get())); }
ALWI vBool nearby(vBool a) { return a; }

namespace impl_ {
// Where lanes run, from v_if to v_endif.
class Branch {
public:
    Branch() = default;
    Branch(const Branch&) = delete;
    ALWI void begin() {
        tp::note(tp::step_code::Begin);
        ++depth_;
    }
    ALWI void where(vBool condition) { tp::note(tp::step_code::Where, condition.get().number); }
    ALWI void where(vInt value) { where(value != 0); }
    ALWI void where(vUInt value) { where(value != 0); }
    ALWI void otherwise() { tp::note(tp::step_code::Otherwise); }
    ALWI void end() {
        tp::note(tp::step_code::End, depth_);
        depth_ = 0;
    }

private:
    uint32_t depth_ = 0;
};
}  // namespace impl_

}  // namespace sfpi

#define v_if(...)                                \
    {                                            \
        ::sfpi::impl_::Branch tp_branch;         \
        tp_branch.begin();                       \
        tp_branch.where(__VA_ARGS__);            \
        {
#define v_elseif(...)                            \
        }                                        \
        tp_branch.otherwise();                   \
        tp_branch.begin();                       \
        tp_branch.where(__VA_ARGS__);            \
        {
#define v_else                                   \
        }                                        \
        tp_branch.otherwise();                   \
        {
#define v_endif                                  \
        }                                        \
        tp_branch.end();                         \
    }
#define v_block                                  \
    {                                            \
        ::sfpi::impl_::Branch tp_branch;         \
        tp_branch.begin();
#define v_and(...) tp_branch.where(__VA_ARGS__)
#define v_endblock                               \
        tp_branch.end();                         \
    }

#include "tp/sfpi_registers.h"
#include "tp/sfpi_functions.h"
#endif
