//===- MfmaSelection.cpp - Selection of the MFMA instruction for an operation -----===//
#include "dialect/hk_amd/MfmaSelection.h"
#include "dialect/hk/layouts/Layouts.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket::hk_amd {

std::optional<NumberFormat> mfmaFormatOf(Type type) {
  if (type.isInteger(8))
    return NumberFormat::I8;
  return TypeSwitch<Type, std::optional<NumberFormat>>(type)
      .Case([](Float64Type) { return NumberFormat::F64; })
      .Case([](Float32Type) { return NumberFormat::F32; })
      .Case([](Float16Type) { return NumberFormat::F16; })
      .Case([](BFloat16Type) { return NumberFormat::BF16; })
      .Case([](Float8E4M3FNUZType) { return NumberFormat::E4M3Fnuz; })
      .Case([](Float8E5M2FNUZType) { return NumberFormat::E5M2Fnuz; })
      .Case([](Float8E4M3FNType) { return NumberFormat::E4M3; })
      .Case([](Float8E5M2Type) { return NumberFormat::E5M2; })
      .Default([](Type) { return std::nullopt; });
}

Type typeOf(MLIRContext *context, NumberFormat format) {
  switch (format) {
  case NumberFormat::F64:
    return Float64Type::get(context);
  case NumberFormat::F32:
    return Float32Type::get(context);
  case NumberFormat::F16:
    return Float16Type::get(context);
  case NumberFormat::BF16:
    return BFloat16Type::get(context);
  case NumberFormat::I32:
    return IntegerType::get(context, 32);
  case NumberFormat::I8:
    return IntegerType::get(context, 8);
  case NumberFormat::E4M3Fnuz:
    return Float8E4M3FNUZType::get(context);
  case NumberFormat::E5M2Fnuz:
    return Float8E5M2FNUZType::get(context);
  case NumberFormat::E4M3:
    return Float8E4M3FNType::get(context);
  case NumberFormat::E5M2:
    return Float8E5M2Type::get(context);
  default:
    llvm_unreachable("no MFMA has operands or accumulators of this format");
  }
}

// Messages -----------------------------------------------------------------------------------------------------------

namespace {
/// Collects a list of different shapes: "[32, 32, 8], [16, 16, 16]".
class ShapeList {
public:
  void add(int m, int n, int k) {
    if (llvm::is_contained(shapes, std::array{m, n, k}))
      return;
    shapes.push_back({m, n, k});
    text += text.empty() ? "" : ", ";
    text += "[" + std::to_string(m) + ", " + std::to_string(n) + ", " + std::to_string(k) + "]";
  }
  std::string text;

private:
  SmallVector<std::array<int, 3>> shapes;
};
} // namespace

std::string describeMfmaShapes(int64_t version) {
  ShapeList shapes;
  for (const MfmaShape &known : olderMfmaShapes())
    if (version < 3)
      shapes.add(known.m, known.n, known.k);
  for (const MfmaInstruction &known : allMfmaInstructions())
    if (known.isOn(version))
      shapes.add(known.m, known.n, known.k);
  for (const ScaledMfmaInstruction &known : allScaledMfmaInstructions())
    if (hasMfmaShape(version, known.m, known.n, known.k))
      shapes.add(known.m, known.n, known.k);
  return shapes.text;
}

std::string describeMfmaShapes(int64_t version, NumberFormat a, NumberFormat b) {
  ShapeList shapes;
  for (const MfmaInstruction &known : allMfmaInstructions())
    if (known.isOn(version) && known.a == a && known.b == b)
      shapes.add(known.m, known.n, known.k);
  return shapes.text;
}

/// Returns the 8-bit float format with the same bit fields in the other encoding (FNUZ or OCP); nullopt for other
/// formats.
static std::optional<NumberFormat> otherEncoding(NumberFormat element) {
  switch (element) {
  case NumberFormat::E4M3Fnuz:
    return NumberFormat::E4M3;
  case NumberFormat::E5M2Fnuz:
    return NumberFormat::E5M2;
  case NumberFormat::E4M3:
    return NumberFormat::E4M3Fnuz;
  case NumberFormat::E5M2:
    return NumberFormat::E5M2Fnuz;
  default:
    return std::nullopt;
  }
}

/// Returns the name that kernels use for an 8-bit float type.
static StringRef nameOfFloat8(NumberFormat element) {
  switch (element) {
  case NumberFormat::E4M3Fnuz:
    return "float8e4b8";
  case NumberFormat::E5M2Fnuz:
    return "float8e5b16";
  case NumberFormat::E4M3:
    return "float8e4nv";
  default:
    return "float8e5";
  }
}

const MfmaInstruction *selectMfma(MfmaAttr layout, Type a, Type b, EmitError emitError) {
  int version = layout.getVersion();
  std::string_view generation = mfmaVersionName(version);
  const Type types[] = {a, b};
  std::optional<NumberFormat> elements[] = {mfmaFormatOf(a), mfmaFormatOf(b)};
  for (auto [element, type] : llvm::zip_equal(elements, types)) {
    std::optional<NumberFormat> other = element ? otherEncoding(*element) : std::nullopt;
    if (other && !hasMfma(version, *element, *element)) {
      emitError() << "multiplies " << type << " (" << nameOfFloat8(*element) << "), but the matrix cores of "
                  << generation << " read 8-bit floats as " << (version == 3 ? "FNUZ" : "OCP") << " encodings: use "
                  << typeOf(type.getContext(), *other) << " (" << nameOfFloat8(*other) << ")";
      return nullptr;
    }
  }
  if (!elements[0] || !elements[1] || !hasMfma(version, *elements[0], *elements[1])) {
    emitError() << "multiplies " << a << " by " << b << ", for which " << generation << " has no matrix instruction";
    return nullptr;
  }
  const MfmaInstruction *instruction =
      findMfma(version, layout.getM(), layout.getN(), layout.getK(), *elements[0], *elements[1]);
  if (!instruction)
    emitError() << "multiplies " << a << " by " << b << ", for which " << generation << " has no instr_shape ["
                << layout.getInstrShape() << "], but " << describeMfmaShapes(version, *elements[0], *elements[1]);
  return instruction;
}

int64_t stepAlongK(MfmaAttr layout, int64_t kWidth, const MfmaInstruction &instruction) {
  return layout.getParams().laneGroupsAlongK() * std::max<int64_t>(kWidth, instruction.elementsPerLane);
}

int64_t scaledKWidth(ScaledFormat format) {
  return format == ScaledFormat::E2M3 || format == ScaledFormat::E3M2 ? 32 : 16;
}

hk::LinearAttr scaleLayoutOf(MfmaAttr layout, unsigned opIdx, ArrayRef<int64_t> shape) {
  return hk::linearAttrOf(layout.getContext(), mfmaScaleLayout(opIdx, shape, layout.getParams()));
}

} // namespace hocket::hk_amd
