//===- AmdScaledBuiltins.cpp - amd.cdna4.mfma_scaled, amd.cdna3.scaled_upcast, fp4_to_fp ----===//
#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk_amd/MfmaSelection.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/RequiredFeatures.h"
#include "frontend/semantics/amd/Float4.h"
#include "frontend/semantics/amd/MfmaChecks.h"
#include "frontend/semantics/matrix/MatrixOperands.h"
#include "frontend/semantics/memory/MemoryAccess.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/semantics/shapes/ShapeSemantics.h"
#include "frontend/values/layouts/Layouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hocket::frontend {

using hk_amd::ScaledFormat;

static bool isByte(DType type) { return type == DType::Int8 || type == DType::UInt8; }

// mfma_scaled ---------------------------------------------------------------------------------------------------------

namespace {
/// Operand a or b of mfma_scaled, with its element format and the parameter of its scales.
struct ScaledOperand {
  MatrixOperand matrix;
  ScaledFormat format;
  ParameterName scale;

  /// Returns the number of matrix elements in each byte of the operand's tensor.
  int64_t packing() const { return format == ScaledFormat::E2M1 ? 2 : 1; }
  /// Returns the shape of the operand in matrix elements; the shape of its tensor is in bytes.
  llvm::SmallVector<int64_t, 4> shape() const {
    llvm::SmallVector<int64_t, 4> result = matrix.value.type.shape;
    result[matrix.operand == 0 ? 1 : 0] *= packing();
    return result;
  }
};
} // namespace

static ScaledOperand scaledOperandAt(Emitter &e, const Arguments &args, unsigned operand) {
  ParameterName parameter = operand == 0 ? ParameterName("a") : ParameterName("b"),
                scale = operand == 0 ? ParameterName("a_scale") : ParameterName("b_scale"),
                formatName = operand == 0 ? ParameterName("a_format") : ParameterName("b_format");
  Runtime value = matrixAt(e, args, parameter, operandLayoutText(operand, "k_width"));
  auto format = enumAt<ScaledFormat>(e, args, formatName,
                                     {{"e4m3", ScaledFormat::E4M3},
                                      {"e5m2", ScaledFormat::E5M2},
                                      {"e2m1", ScaledFormat::E2M1},
                                      {"e2m3", ScaledFormat::E2M3},
                                      {"e3m2", ScaledFormat::E3M2}});
  DType type = value.type.dtype(), float8 = DType::Void;
  if (format == ScaledFormat::E4M3)
    float8 = DType::Float8E4NV;
  if (format == ScaledFormat::E5M2)
    float8 = DType::Float8E5;
  if (!isByte(type) && type != float8) {
    std::string takes = float8 == DType::Void ? "" : std::string(float8.name()) + " or ";
    e.errorAt(args.where(parameter), args.what(parameter) + " has the format \"" +
                                         hk_amd::stringifyScaledFormat(format).str() + "\", which is " + takes +
                                         "uint8, but it is " + value.type.toString());
  }
  if (value.type.rank() != 2)
    e.errorAt(args.where(parameter), args.what(parameter) + " must have rank 2, but is " + value.type.toString());
  return {{parameter, operand, value}, format, scale};
}

static hk_amd::MfmaAttr scaledLayoutAt(Emitter &e, const Arguments &args, const Runtime &acc) {
  hk_amd::MfmaAttr layout = accumulatorLayoutAt(e, args, "acc", acc.type, "[16, 16, 128], [32, 32, 64]");
  if (!findScaledMfma(layout.getVersion(), layout.getM(), layout.getN(), layout.getK()))
    e.errorAt(args.where("acc"),
              "there is no scaled matrix instruction of shape " + describeShape(layout.getInstrShape()),
              {{{"acc", acc.type.toString()}}, "use [16, 16, 128] or [32, 32, 64] as instr_shape"});
  if (acc.type.dtype() != DType::Float32)
    e.errorAt(args.where("acc"), "mfma_scaled accumulates in float32, but `acc` is " + acc.type.toString());
  return layout;
}

/// Raises an error unless the operand's layout has the k_width that scaled MFMAs need for the operand's format. Only
/// one k_width is possible, because the hardware applies each scale to fixed positions along K.
static void checkScaledLayout(Emitter &e, const Arguments &args, hk_amd::MfmaAttr layout,
                              const ScaledOperand &operand) {
  const MatrixOperand &matrix = operand.matrix;
  int64_t kWidth = hk_amd::scaledKWidth(operand.format);
  mlir::Attribute expected = hk::DotOperandAttr::get(e.context(), matrix.operand, layout, kWidth);
  if (matrix.value.type.layout == expected)
    return;
  std::string text = operandLayoutText(matrix.operand, std::to_string(kWidth));
  e.errorAt(args.where(matrix.parameter),
            args.what(matrix.parameter) + " of format \"" + hk_amd::stringifyScaledFormat(operand.format).str() +
                "\" does not have the layout that scaled MFMAs need",
            {{{"has", describeLayout(matrix.value.type.layout)}, {"needs", describeLayout(expected)}},
             "convert it: gl.convert_layout(" + std::string(matrix.parameter.text) + ", " + text + ")"});
}

/// Returns the scales of an operand, one per 32 elements along K; null for None.
static mlir::Value scaleAt(Emitter &e, const Arguments &args, hk_amd::MfmaAttr layout, const ScaledOperand &operand) {
  ParameterName parameter = operand.scale;
  if (args[parameter].isNone())
    return {};
  unsigned operandIndex = operand.matrix.operand;
  llvm::SmallVector<int64_t, 4> matrix = operand.shape();
  std::array<int64_t, 2> shape{matrix[operandIndex], matrix[1 - operandIndex] / kElementsPerScale};
  mlir::Attribute expected = hk_amd::scaleLayoutOf(layout, operandIndex, shape);
  // If the argument is a scalar or a constant, it is the scale of all elements.
  const Runtime *given = args[parameter].asRuntime();
  if (given ? given->type.isScalar() && isByte(given->type.dtype()) : args[parameter].asConstexpr() != nullptr)
    return splat(e, valueAs(e, args, parameter, DType::UInt8), shape, expected).ir;
  Runtime scale = matrixAt(e, args, parameter, "gl.amd.cdna4.get_mfma_scale_layout(operand_layout, shape)");
  if (!isByte(scale.type.dtype()))
    e.errorAt(args.where(parameter), args.what(parameter) +
                                         " must be of uint8, the exponents s of 2 ** (s - 127), but is " +
                                         scale.type.toString());
  if (scale.type.shape != llvm::ArrayRef<int64_t>(shape))
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must have the shape " + describeShape(shape) + ", one scale per " +
                  std::to_string(kElementsPerScale) + " elements along K, but is " + scale.type.toString(),
              {{{std::string(operand.matrix.parameter.text), operand.matrix.value.type.toString()}}, {}});
  if (!hk::areEquivalentLayouts(shape, scale.type.layout, expected)) {
    std::string name(parameter.text);
    e.errorAt(args.where(parameter), args.what(parameter) + " does not have the layout that scaled MFMAs need",
              {{{"has", describeLayout(scale.type.layout)}, {"needs", describeLayout(expected)}},
               "convert it: gl.convert_layout(" + name + ", gl.amd.cdna4.get_mfma_scale_layout(" +
                   std::string(operand.matrix.parameter.text) + ".layout, " + name + ".shape))"});
  }
  return scale.ir;
}

static Value mfmaScaled(Emitter &e, Arguments &args) {
  requireFeature(e, e.here(), "gl.amd.cdna4.mfma_scaled needs", kScaledMfma,
                 "gl.amd.cdna3.scaled_upcast and gl.amd.cdna3.mfma do the same in two steps");
  ScaledOperand a = scaledOperandAt(e, args, 0), b = scaledOperandAt(e, args, 1);
  Runtime acc = matrixAt(e, args, "acc", "acc_layout");
  ValueType wholeA = a.matrix.value.type, wholeB = b.matrix.value.type;
  wholeA.shape = a.shape();
  wholeB.shape = b.shape();
  checkMmaShapes(e, wholeA, wholeB, acc.type);
  hk_amd::MfmaAttr layout = scaledLayoutAt(e, args, acc);
  checkScaledLayout(e, args, layout, a);
  checkScaledLayout(e, args, layout, b);
  if (int64_t depth = wholeA.shape[1]; depth % layout.getK() != 0)
    e.errorAt(args.where("a"),
              "K of mfma_scaled must be a multiple of " + std::to_string(layout.getK()) + " for instr_shape " +
                  describeShape(layout.getInstrShape()) + ", but is " + std::to_string(depth),
              {{{"a", a.matrix.value.type.toString()}}, "use a tile with a larger K"});
  mlir::Value aScale = scaleAt(e, args, layout, a), bScale = scaleAt(e, args, layout, b);
  return e.make<hk_amd::MfmaScaledOp>(acc.type, acc.type.toMlir(e.context()), a.matrix.value.ir, aScale, a.format,
                                      b.matrix.value.ir, bScale, b.format, acc.ir);
}

// Conversions ---------------------------------------------------------------------------------------------------------

static DType upcastTypeAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  DType type = e.requireDType(args[parameter], args.what(parameter), args.where(parameter));
  if (type != DType::Float16 && type != DType::BFloat16 && type != DType::Float32)
    e.errorAt(args.where(parameter), args.what(parameter) + " must be gl.float16, gl.bfloat16 or gl.float32, but is " +
                                         std::string(type.name()));
  return type;
}

/// Returns the elements of argument `src` as float32. Each byte of `src` holds two float4 elements that are adjacent
/// along the argument `axis`.
static Runtime float4At(Emitter &e, const Arguments &args) {
  Runtime source = matrixAt(e, args, "src", "layout");
  int64_t axis = normalizeAxis(e, args.where("axis"), args.intAt(e, "axis"), source.type.rank());
  return unpackFloat4(e, source, axis);
}

static Value scaledUpcast(Emitter &e, Arguments &args) {
  Runtime source = matrixAt(e, args, "src", "layout");
  DType type = source.type.dtype(), result = upcastTypeAt(e, args, "elem_type");
  if (!isByte(type) && !type.isFloat8())
    e.errorAt(args.where("src"), args.what("src") +
                                     " must be of a float8, or of uint8 that hold two float4 each, but is " +
                                     source.type.toString());
  if (isByte(type) && args["axis"].isNone())
    e.errorAt(args.where("axis"), "scaled_upcast of uint8 needs `axis`, the dimension along which pairs of float4 lie");
  Runtime values = isByte(type) ? float4At(e, args) : castTo(e, source, DType::Float32);
  const Runtime *scale = args["scale"].asRuntime();
  if (!scale || scale->type.isMemDesc() || scale->type.isPointer() || !isByte(scale->type.dtype()))
    e.errorAt(args.where("scale"), args.what("scale") +
                                       " must be of uint8, the exponents s of 2 ** (s - 127), but is " +
                                       args["scale"].describe());
  Runtime factors = elementsAt(e, args, "scale", {values.type, scale->type.dtype(), "result"});
  factors = decodeScale(e, factors);
  return castTo(e, e.make<mlir::arith::MulFOp>(values.type, values.ir, factors.ir), result);
}

static Value fp4ToFp(Emitter &e, Arguments &args) {
  Runtime source = matrixAt(e, args, "src", "layout");
  DType result = upcastTypeAt(e, args, "elem_type");
  if (!isByte(source.type.dtype()))
    e.errorAt(args.where("src"),
              args.what("src") + " must be of uint8 that hold two float4 each, but is " + source.type.toString());
  return castTo(e, float4At(e, args), result);
}

std::span<const BuiltinEntry> amdScaledBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"amd.cdna3.scaled_upcast", scaledUpcast, "(src, scale, elem_type, axis=None)"},
      {"amd.cdna4.mfma_scaled", mfmaScaled, "(a, a_scale, a_format, b, b_scale, b_format, acc)",
       /*returnsAccumulator=*/true},
      {"fp4_to_fp", fp4ToFp, "(src, elem_type, axis)"},
  };
  return entries;
}

} // namespace hocket::frontend
