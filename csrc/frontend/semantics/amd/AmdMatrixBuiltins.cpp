//===- AmdMatrixBuiltins.cpp - amd.cdna3.mfma ----------------------------------------------===//
#include "dialect/hk_amd/MfmaSelection.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/amd/MfmaChecks.h"
#include "frontend/semantics/matrix/MatrixOperands.h"
#include "frontend/semantics/operators/Broadcast.h"

namespace hocket::frontend {

/// Returns the MFMA operand format of elements of `type`; nullopt for types that MFMA does not support. MFMA supports
/// no unsigned integers.
static std::optional<NumberFormat> elementOf(Emitter &e, DType type) {
  if (type.isUnsigned())
    return std::nullopt;
  return hk_amd::mfmaFormatOf(type.toMlir(e.context()));
}

/// Returns the float8 type of the other encoding (FNUZ or OCP) with the same number of exponent bits.
static DType otherFloat8(DType type) {
  switch (type) {
  case DType::Float8E4NV:
    return DType::Float8E4B8;
  case DType::Float8E4B8:
    return DType::Float8E4NV;
  case DType::Float8E5:
    return DType::Float8E5B16;
  default:
    return DType::Float8E5;
  }
}

static std::string targetText(Emitter &e) {
  return std::string(e.target.name) + " (" + std::string(e.target.family) + ")";
}

/// Returns the MFMA format of the elements of `operand`. Raises an error if the target's MFMA does not support these
/// elements.
static NumberFormat elementAt(Emitter &e, const Arguments &args, const MatrixOperand &operand) {
  DType type = operand.value.type.dtype();
  int version = e.target.mfmaVersion;
  std::optional<NumberFormat> element = elementOf(e, type);
  if (element && hasMfma(version, *element, *element))
    return *element;
  std::string hint = "the operands are float16, bfloat16, float32, float64, int8, or ";
  hint += version == 4 ? "float8e4nv and float8e5" : "float8e4b8 and float8e5b16";
  if (type.isFloat8())
    hint = "the same format in the encoding of " + std::string(e.target.family) + " is gl." +
           std::string(otherFloat8(type).name());
  if (type == DType::UInt8)
    hint = "they multiply signed bytes: " + std::string(operand.parameter.text) + ".to(gl.int8)";
  e.errorAt(args.where(operand.parameter),
            "the matrix cores of " + targetText(e) + " do not multiply " + std::string(type.name()) + ", but " +
                args.what(operand.parameter) + " is " + operand.value.type.toString(),
            {{}, hint});
}

/// The target's MFMA instructions for operands with the element formats `a` and `b`.
struct Instructions {
  NumberFormat a, b;
  std::string shapes; ///< list of shapes for messages, such as "[32, 32, 8], [16, 16, 16]"
};

static Instructions instructionsFor(Emitter &e, const Arguments &args, const MatrixOperand &a, const MatrixOperand &b) {
  NumberFormat elementA = elementAt(e, args, a), elementB = elementAt(e, args, b);
  int version = e.target.mfmaVersion;
  if (!hasMfma(version, elementA, elementB))
    e.error("the operands of mfma must have one dtype (or both be float8)",
            {{{"a", a.value.type.toString()}, {"b", b.value.type.toString()}}, "convert one: b.to(a.dtype)"});
  return {elementA, elementB, hk_amd::describeMfmaShapes(version, elementA, elementB)};
}

static const MfmaInstruction &instructionOf(Emitter &e, const Arguments &args, hk_amd::MfmaAttr layout,
                                            const Instructions &known) {
  const MfmaInstruction *instruction =
      findMfma(layout.getVersion(), layout.getM(), layout.getN(), layout.getK(), known.a, known.b);
  if (!instruction)
    e.errorAt(
        args.where("acc"),
        targetText(e) + " has no matrix instruction of shape " + describeShape(layout.getInstrShape()) + " for " +
            std::string(args["a"].asRuntime()->type.dtype().name()),
        {{{"acc", args["acc"].asRuntime()->type.toString()}}, "use one of these as instr_shape: " + known.shapes});
  return *instruction;
}

static void checkAccumulator(Emitter &e, const Arguments &args, hk_amd::MfmaAttr layout, const ValueType &a,
                             const ValueType &acc, NumberFormat accumulator) {
  DType needed = accumulator == NumberFormat::F32   ? DType::Float32
                 : accumulator == NumberFormat::I32 ? DType::Int32
                                                    : DType::Float64;
  std::string name(needed.name());
  if (acc.dtype() != needed)
    e.errorAt(args.where("acc"),
              "mfma of " + std::string(a.dtype().name()) + " accumulates in " + name + ", but `acc` is " +
                  acc.toString(),
              {{}, "begin with gl.zeros(shape, gl." + name + ", layout), and convert the result at the end"});
  int64_t bits = needed.bitWidth();
  if (layout.getElementBits() != bits)
    e.errorAt(args.where("acc"),
              "the layout of `acc` is for accumulators of " + std::to_string(layout.getElementBits()) +
                  " bits, but mfma of " + std::string(a.dtype().name()) + " accumulates in " + name,
              {{{"acc", acc.toString()}}, "make the layout with element_bitwidth=" + std::to_string(bits)});
}

static Value mfma(Emitter &e, Arguments &args) {
  MatrixOperand a{"a", 0, matrixAt(e, args, "a", operandLayoutText(0, "k_width"))};
  MatrixOperand b{"b", 1, matrixAt(e, args, "b", operandLayoutText(1, "k_width"))};
  Runtime acc = matrixAt(e, args, "acc", "acc_layout");
  checkMmaShapes(e, a.value.type, b.value.type, acc.type);
  Instructions known = instructionsFor(e, args, a, b);
  hk_amd::MfmaAttr layout = accumulatorLayoutAt(e, args, "acc", acc.type, known.shapes);
  const MfmaInstruction &instruction = instructionOf(e, args, layout, known);
  checkAccumulator(e, args, layout, a.value.type, acc.type, instruction.accumulator);
  int64_t kWidth = checkOperandLayouts(e, args, layout, a, b, instruction.elementsPerLane);
  checkDepth(e, args, layout, a, kWidth, hk_amd::stepAlongK(layout, kWidth, instruction));
  return e.make<hk_amd::MfmaOp>(acc.type, acc.type.toMlir(e.context()), a.value.ir, b.value.ir, acc.ir);
}

std::span<const BuiltinEntry> amdMatrixBuiltins() {
  static constexpr BuiltinEntry entries[] = {{"amd.cdna3.mfma", mfma, "(a, b, acc)", /*returnsAccumulator=*/true}};
  return entries;
}

} // namespace hocket::frontend
