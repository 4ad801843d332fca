//===- NvidiaMatrixBuiltins.cpp - nvidia.ampere.mma_v2 --------------------------------------===//
#include "dialect/hk_nv/MmaSelection.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/matrix/MatrixOperands.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/values/layouts/Layouts.h"
#include "target/Features.h"

namespace hocket::frontend {

static std::string targetText(Emitter &e) {
  return std::string(e.target.name) + " (" + std::string(e.target.family) + ")";
}

static std::optional<NumberFormat> elementOf(Emitter &e, DType type) {
  return hk_nv::mmaFormatOf(type.toMlir(e.context()), type.isUnsigned());
}

/// Returns the MMA instruction for the element types of `a` and `b`. Raises an error if the target has no such
/// instruction.
static const MmaInstruction &instructionFor(Emitter &e, const Arguments &args, const MatrixOperand &a,
                                            const MatrixOperand &b) {
  for (const MatrixOperand *operand : {&a, &b}) {
    DType type = operand->value.type.dtype();
    std::optional<NumberFormat> element = elementOf(e, type);
    if (element && hasMma(e.target, *findMma(*element, *element)))
      continue;
    bool isLater = element.has_value();
    e.errorAt(args.where(operand->parameter),
              "the tensor cores of " + targetText(e) + " do not multiply " + std::string(type.name()) + ", but " +
                  args.what(operand->parameter) + " is " + operand->value.type.toString(),
              {{},
               isLater ? "this needs " + kMmaFloat8.describe() + "; convert them first, as in x.to(gl.float16)"
                       : "the operands are float16, bfloat16, float32 (as tf32), int8, uint8; on " +
                             kMmaFloat8.targets() + " float8e4nv and float8e5, too"});
  }
  DType typeA = a.value.type.dtype(), typeB = b.value.type.dtype();
  const MmaInstruction *instruction = findMma(*elementOf(e, typeA), *elementOf(e, typeB));
  if (!instruction)
    e.error("the operands of mma_v2 must have one dtype (or both be float8, or 8-bit integers)",
            {{{"a", a.value.type.toString()}, {"b", b.value.type.toString()}}, "convert one: b.to(a.dtype)"});
  return *instruction;
}

static hk_nv::MmaAttr accumulatorLayoutAt(Emitter &e, const Arguments &args, ParameterName parameter,
                                          const ValueType &acc) {
  auto layout = llvm::dyn_cast<hk_nv::MmaAttr>(acc.layout);
  if (!layout || layout.getMajorVersion() != 2)
    e.errorAt(args.where(parameter), args.what(parameter) + " must have an NVMMADistributedLayout of version [2, 0]",
              {{{"has", describeLayout(acc.layout)}},
               "make it with gl.NVMMADistributedLayout([2, 0], warps_per_cta, [16, 8])"});
  return layout;
}

/// Raises an error unless argument `parameter`, the input precision, is None, "tf32" or, for elements other than
/// float32, "ieee".
static void checkPrecision(Emitter &e, const Arguments &args, ParameterName parameter, NumberFormat element) {
  if (args[parameter].isNone())
    return;
  std::string precision = args.stringAt(e, parameter);
  if (precision == "tf32" || (precision == "ieee" && element != NumberFormat::TF32))
    return;
  bool isKnown = precision == "ieee" || precision == "tf32x3" || precision == "bf16x3" || precision == "bf16x6";
  e.errorAt(args.where(parameter),
            args.what(parameter) + (isKnown ? " is not supported by tensor cores for float32: \"" : " is unknown: \"") +
                precision + "\"",
            {{}, "\"tf32\" uses the upper 10 bits of the fraction; gl.dot_fma uses all 23"});
}

static Value mmaV2(Emitter &e, Arguments &args) {
  MatrixOperand a{"a", 0, matrixAt(e, args, "a", operandLayoutText(0, "k_width"))};
  MatrixOperand b{"b", 1, matrixAt(e, args, "b", operandLayoutText(1, "k_width"))};
  Runtime acc = matrixAt(e, args, "acc", "acc_layout");
  checkMmaShapes(e, a.value.type, b.value.type, acc.type);
  const MmaInstruction &instruction = instructionFor(e, args, a, b);
  hk_nv::MmaAttr layout = accumulatorLayoutAt(e, args, "acc", acc.type);
  DType needed = isInteger(instruction.a) ? DType::Int32 : DType::Float32;
  // An MMA of float16 accumulates in float32, also if `acc` is float16. On the tensor cores of data center GPUs,
  // accumulating in float16 would not be faster, and would round at each step along K.
  bool isRounded = instruction.a == NumberFormat::F16 && acc.type.dtype() == DType::Float16;
  if (isRounded)
    acc = castTo(e, acc, DType::Float32);
  if (std::string name(needed.name()); acc.type.dtype() != needed)
    e.errorAt(args.where("acc"),
              "mma_v2 of " + std::string(a.value.type.dtype().name()) + " accumulates in " + name + ", but `acc` is " +
                  acc.type.toString(),
              {{}, "begin with gl.zeros(shape, gl." + name + ", layout), and convert the result at the end"});
  int64_t narrowest = instruction.elementsPerWord();
  int64_t kWidth = checkOperandLayouts(e, args, layout, a, b, narrowest);
  if (kWidth < narrowest)
    e.errorAt(args.where("a"),
              "k_width of " + std::string(a.value.type.dtype().name()) + " must be at least " +
                  std::to_string(narrowest) + ", but is " + std::to_string(kWidth) +
                  ": a lane holds 4 adjacent bytes along K for the tensor core",
              {{{"a", a.value.type.toString()}}, "use " + operandLayoutText(0, std::to_string(narrowest))});
  if (int64_t step = 2 * kNvidiaMmaLanesAlongK * kWidth, depth = a.value.type.shape.back(); depth % step != 0)
    e.errorAt(args.where("a"),
              "K of mma_v2 must be a multiple of " + std::to_string(step) + ", but is " + std::to_string(depth) +
                  ": k_width " + std::to_string(kWidth) + " takes " + std::to_string(step) + " at a time",
              {{{"a", a.value.type.toString()}},
               kWidth > narrowest ? "use a smaller k_width in both operands, or a tile with a larger K"
                                  : "use a tile with a larger K"});
  checkPrecision(e, args, "input_precision", instruction.a);
  Runtime sum = e.make<hk_nv::MmaOp>(acc.type, acc.type.toMlir(e.context()), a.value.ir, b.value.ir, acc.ir,
                                     instruction.a == NumberFormat::U8, instruction.b == NumberFormat::U8);
  return isRounded ? castTo(e, sum, DType::Float16) : sum;
}

std::span<const BuiltinEntry> nvidiaMatrixBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"nvidia.ampere.mma_v2", mmaV2, "(a, b, acc, input_precision=None)", /*returnsAccumulator=*/true}};
  return entries;
}

} // namespace hocket::frontend
