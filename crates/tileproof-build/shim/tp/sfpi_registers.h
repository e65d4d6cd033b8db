// Where vectors come from and go: rows of Dst, registers, constants.
// Addresses are rows of Dst from the first of MATH's half; a vector is four of them, even columns or odd ones. Start at dst_reg.
#pragma once

namespace sfpi {

// How a datum of Dst is read (sfpi `DataLayout`).
enum class DataLayout { None = -1, Default = 0, FSrcB, F32, F16a, F16b, I32, U32, U16, U8, SM32, SM16, SM8, M32, LO16, HI16 };

namespace impl_ {
using tp::ROWS_A_VECTOR;
// The format of a load or store, of those that the machine knows (sfpi `SFPLOAD_MOD0_FMT_*`).
constexpr uint32_t format_of(DataLayout layout, uint32_t other) {
    return layout == DataLayout::Default ? other
           : layout == DataLayout::FSrcB ? 0
           : layout == DataLayout::F16a  ? 1
           : layout == DataLayout::F16b  ? 2
           : layout == DataLayout::F32   ? 3
           : layout == DataLayout::I32 || layout == DataLayout::U32 || layout == DataLayout::M32 ? 4
           : layout == DataLayout::U16   ? 6
           : layout == DataLayout::SM32  ? 12
                                         : 0xff;
}

template <DataLayout layout = DataLayout::Default>
class DstVector {
public:
    constexpr explicit DstVector(uint32_t row) : row_(row) {}
    DstVector(const DstVector&) = default;
    template <DataLayout other>
    constexpr DstVector<other> mode(int = -1) const { return DstVector<other>(row_); }
    ALWI operator vFloat() const { return load<vFloat>(0); }
    // Integers lie in Dst as sign and magnitude.
    ALWI operator vInt() const { return load<vInt>(12); }
    ALWI operator vUInt() const { return load<vUInt>(4); }
    ALWI const DstVector& operator=(vFloat value) const { return store(value, 0); }
    ALWI const DstVector& operator=(vFloat16b value) const { return store(value, 2); }
    ALWI const DstVector& operator=(vInt value) const { return store(value, 12); }
    ALWI const DstVector& operator=(vUInt value) const { return store(value, 4); }
    ALWI const DstVector& operator=(float value) const { return store(vFloat(value), 0); }
    ALWI const DstVector& operator=(const DstVector& other) const { return *this = vFloat(other); }

private:
    template <typename T>
    ALWI T load(uint32_t format) const {
        return T(tp::Value{tp::note(tp::step_code::Load, row_, format_of(layout, format))});
    }
    ALWI const DstVector& store(vVal value, uint32_t format) const {
        tp::note(tp::step_code::Store, value.get().number, row_, format_of(layout, format));
        return *this;
    }
    uint32_t row_;
};

struct DstVectors {
    template <typename T>
    ALWI DstVector<> operator[](T index) const {
        return DstVector<>(tp::steps.face + tp::steps.moved + ROWS_A_VECTOR * uint32_t(index));
    }
    ALWI void operator++() const { tp::steps.moved += ROWS_A_VECTOR; }
    ALWI void operator++(int) const { tp::steps.moved += ROWS_A_VECTOR; }
    ALWI void operator+=(int count) const { tp::steps.moved += ROWS_A_VECTOR * uint32_t(count); }
};

// A register that holds one number in all lanes, and may take another.
template <Vector T, uint32_t number>
struct ConstantRegister {
    ALWI operator T() const { return T(tp::Value{tp::note(tp::step_code::ReadConstant, number)}); }
    ALWI void operator=(T value) const { tp::note(tp::step_code::SetConstant, value.get().number, number); }
    template <typename U>
        requires std::is_convertible_v<U, T>
    ALWI void operator=(U value) const { *this = T(value); }
};

struct Register {
    uint32_t number;
    template <Vector T>
    ALWI operator T() const { return T(tp::Value{tp::note(tp::step_code::ReadRegister, number)}); }
    ALWI void operator=(vVal value) const { tp::note(tp::step_code::WriteRegister, value.get().number, number); }
    ALWI void in_use() const {}
};
}  // namespace impl_

// Arithmetic on rows of Dst is arithmetic on the floats in them.
#define TP_ON_DST(RESULT, OP)                                                                                        \
    template <DataLayout a, DataLayout b>                                                                            \
    ALWI RESULT operator OP(impl_::DstVector<a> x, impl_::DstVector<b> y) { return vFloat(x) OP vFloat(y); }         \
    template <DataLayout a>                                                                                          \
    ALWI RESULT operator OP(impl_::DstVector<a> x, vFloat y) { return vFloat(x) OP y; }                              \
    template <DataLayout b>                                                                                          \
    ALWI RESULT operator OP(vFloat x, impl_::DstVector<b> y) { return x OP vFloat(y); }
TP_ON_DST(vFloat, +)
TP_ON_DST(vFloat, -)
TP_ON_DST(vFloat, *)
TP_ON_DST(vBool, <)
TP_ON_DST(vBool, <=)
TP_ON_DST(vBool, >)
TP_ON_DST(vBool, >=)
TP_ON_DST(vBool, ==)
TP_ON_DST(vBool, !=)
#undef TP_ON_DST
template <DataLayout a>
ALWI vFloat operator-(impl_::DstVector<a> x) { return -vFloat(x); }

enum class LRegs : uint8_t { LReg0, LReg1, LReg2, LReg3, LReg4, LReg5, LReg6, LReg7, LRegCount = 8 };
namespace impl_ {
struct Registers {
    ALWI Register operator[](LRegs which) const { return {uint32_t(which)}; }
};
}  // namespace impl_

constexpr impl_::DstVectors dst_reg;
constexpr impl_::Registers l_reg;
constexpr impl_::ConstantRegister<vFloat, 8> vConst0p8373;
constexpr impl_::ConstantRegister<vFloat, 9> vConst0;
constexpr impl_::ConstantRegister<vFloat, 10> vConst1;
constexpr impl_::ConstantRegister<vFloat, 11> vConstNeg1;
constexpr impl_::ConstantRegister<vFloat, 12> vConstFloatPrgm0;
constexpr impl_::ConstantRegister<vFloat, 13> vConstFloatPrgm1;
constexpr impl_::ConstantRegister<vFloat, 14> vConstFloatPrgm2;
constexpr impl_::ConstantRegister<vInt, 12> vConstIntPrgm0;
constexpr impl_::ConstantRegister<vInt, 13> vConstIntPrgm1;
constexpr impl_::ConstantRegister<vInt, 14> vConstIntPrgm2;
constexpr impl_::ConstantRegister<vInt, 15> vConstTileId;

// The compiler keeps fewer values in registers; nothing else.
class lreg_pressure {
public:
    constexpr lreg_pressure(bool = true) {}
};

}  // namespace sfpi
