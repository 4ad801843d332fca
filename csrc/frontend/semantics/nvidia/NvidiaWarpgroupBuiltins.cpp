//===- NvidiaWarpgroupBuiltins.cpp - nvidia.hopper: wgmma -----------------------------------===//
#include "dialect/hk/facts/ClusterAccesses.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk/layouts/SharedOffsets.h"
#include "dialect/hk_nv/WgmmaSelection.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/RequiredFeatures.h"
#include "frontend/semantics/matrix/MatrixOperands.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/values/layouts/Layouts.h"
#include "layout/MatrixDescriptor.h"

namespace hocket::frontend {

using hk_nv::MmaAttr;

static void requireWgmma(Emitter &e, const Arguments &args) {
  requireFeature(e, e.here(), std::string(args.function) + " needs", kWgmma,
                 "tensor cores of every NVIDIA GPU since Ampere have gl.nvidia.ampere.mma_v2");
}

// Accumulators --------------------------------------------------------------------------------------------------------

/// Returns argument `parameter`, which must be a tensor in an accumulator layout of wgmma. If a wgmma that writes the
/// accumulators may be in flight, the pass MinimizeWaits inserts a wait.
static Runtime accumulatorAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  const Runtime *value = args[parameter].asRuntime();
  if (!value || value->type.isPointer() || !value->type.isTensor())
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be a tensor of numbers, but is " + args[parameter].describe());
  auto layout = llvm::dyn_cast_or_null<MmaAttr>(value->type.layout);
  if (!layout || layout.getMajorVersion() != 3)
    e.errorAt(args.where(parameter), args.what(parameter) + " must have an NVMMADistributedLayout of version [3, 0]",
              {{{"has", describeLayout(value->type.layout)}},
               "make it with gl.NVMMADistributedLayout([3, 0], warps_per_cta, [16, N, K]), whose first entry of "
               "warps_per_cta is a multiple of 4"});
  if (std::string reason = layout.whyNotWarpgroups(); !reason.empty())
    e.errorAt(args.where(parameter), args.what(parameter) + " cannot be an accumulator of wgmma: " + reason,
              {{{"has", describeLayout(value->type.layout)}},
               layout.getRank() == 2
                   ? "use warps_per_cta [4, n] or [8, n]"
                   : "multiply one matrix of the batch after the other, or use gl.nvidia.ampere.mma_v2"});
  return *value;
}

// Operands ------------------------------------------------------------------------------------------------------------

static std::optional<NumberFormat> elementOf(Emitter &e, DType type) {
  return hk_nv::mmaFormatOf(type.toMlir(e.context()), type.isUnsigned());
}

/// Returns argument `parameter`, operand a or b of warpgroup_mma. Operand b is shared memory; operand a is shared
/// memory or a tensor.
static Runtime operandAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  const Runtime *value = args[parameter].asRuntime();
  bool isTensor = value && value->type.isTensor() && !value->type.isPointer();
  bool isShared = value && value->type.isMemDesc();
  if (isShared) {
    if (value->type.rank() > llvm::cast<hk::SharedLayout>(value->type.layout).getRank())
      e.errorAt(args.where(parameter), args.what(parameter) + " is a ring of buffers: " + value->type.toString(),
                {{}, "select one buffer: " + std::string(parameter.text) + ".index(i)"});
    return *value;
  }
  bool isA = parameter == "a";
  if (isA && isTensor)
    return *value;
  std::string needed = isA ? " must be shared memory or a tensor of numbers" : " must be in shared memory";
  e.errorAt(args.where(parameter), args.what(parameter) + needed + ", but is " + args[parameter].describe(),
            {{},
             isTensor ? "store it first: smem = gl.allocate_shared_memory(x.dtype, shape, "
                        "gl.NVMMASharedLayout.get_default_for(shape, dtype), x)"
                      : ""});
}

/// Returns the wgmma instruction for the element types of `a`, `b` and `acc`, with the instruction size N of the
/// accumulator's layout. Raises an error if wgmma does not support these element types.
static WgmmaInstruction instructionFor(Emitter &e, const Arguments &args, const Runtime &a, const Runtime &b,
                                       const Runtime &acc) {
  for (auto [parameter, operand] : {std::pair(ParameterName("a"), &a), std::pair(ParameterName("b"), &b)})
    if (DType type = operand->type.dtype(); !elementOf(e, type))
      e.errorAt(args.where(parameter),
                "wgmma does not multiply " + std::string(type.name()) + ", but " + args.what(parameter) + " is " +
                    operand->type.toString(),
                {{}, "the operands are float16, bfloat16, float32 (as tf32), float8e4nv, float8e5, int8 or uint8"});
  NumberFormat left = *elementOf(e, a.type.dtype()), right = *elementOf(e, b.type.dtype());
  auto accumulates = [&](NumberFormat sum) { return isWgmma(left, right, sum); };
  if (!accumulates(NumberFormat::F32) && !accumulates(NumberFormat::I32))
    e.error("the operands of warpgroup_mma must have one dtype (or both be float8, or 8-bit integers)",
            {{{"a", a.type.toString()}, {"b", b.type.toString()}}, "convert one before it is stored: b.to(a.dtype)"});
  DType dtype = acc.type.dtype();
  std::optional<NumberFormat> sum = hk_nv::wgmmaSumOf(dtype.toMlir(e.context()));
  if (!sum || !accumulates(*sum) || dtype == DType::UInt32) {
    std::string needed = isInteger(left) ? "int32" : "float32";
    std::string also = accumulates(NumberFormat::F16) ? " or float16" : "";
    e.errorAt(args.where("acc"),
              "warpgroup_mma of " + std::string(a.type.dtype().name()) + " accumulates in " + needed + also +
                  ", but `acc` is " + acc.type.toString(),
              {{}, "begin with gl.zeros(shape, gl." + needed + ", layout), and convert the result at the end"});
  }
  auto layout = llvm::cast<MmaAttr>(acc.type.layout);
  return {left, right, *sum, int(layout.getInstrShape()[1])};
}

static void checkSizes(Emitter &e, const Arguments &args, const WgmmaInstruction &instruction, const Runtime &a,
                       const Runtime &acc) {
  auto layout = llvm::cast<MmaAttr>(acc.type.layout);
  if (int64_t depth = layout.getInstrShape()[2]; depth != instruction.k())
    e.errorAt(args.where("acc"),
              "instr_shape of the accumulator's layout has K = " + std::to_string(depth) + ", but wgmma of " +
                  std::string(a.type.dtype().name()) + " has K = " + std::to_string(instruction.k()) +
                  " (32 bytes of each operand)",
              {{{"has", describeLayout(layout)}},
               "use instr_shape [16, " + std::to_string(instruction.n) + ", " + std::to_string(instruction.k()) + "]"});
  struct Size {
    const char *name;
    ParameterName argument;
    int64_t size, step;
    const char *hint;
  };
  const Size sizes[] = {
      {"M", "acc", acc.type.shape[0], kWgmmaRows, "each wgmma computes 64 rows: use a tile with more rows"},
      {"N", "acc", acc.type.shape[1], instruction.n, "use a smaller N in instr_shape of the accumulator's layout"},
      {"K", "a", a.type.shape[1], instruction.k(), "use a tile with a larger K"}};
  for (const Size &it : sizes)
    if (it.size % it.step != 0)
      e.errorAt(args.where(it.argument),
                std::string(it.name) + " of warpgroup_mma must be a multiple of " + std::to_string(it.step) +
                    ", but is " + std::to_string(it.size),
                {{{std::string(it.argument.text), args[it.argument].describe()}}, it.hint});
}

static void checkRegistersOfA(Emitter &e, const Arguments &args, const Runtime &a, mlir::Attribute layout,
                              const WgmmaInstruction &instruction) {
  int64_t width = 32 / bitsOf(instruction.a);
  mlir::Attribute expected = hk::DotOperandAttr::get(e.context(), 0, layout, width);
  if (a.type.layout == expected)
    return;
  e.errorAt(args.where("a"), args.what("a") + " has a layout that does not match the accumulator's layout",
            {{{"has", describeLayout(a.type.layout)}, {"needs", describeLayout(expected)}},
             "convert it: gl.convert_layout(a, " + operandLayoutText(0, std::to_string(width)) +
                 ")\nor pass it in shared memory"});
}

/// Raises an error unless wgmma's matrix descriptors can describe the operand's layout in shared memory.
static void checkMatrixDescriptor(Emitter &e, const Arguments &args, ParameterName parameter, const Runtime &operand,
                                  int64_t rows) {
  auto type = llvm::cast<hk::MemDescType>(operand.ir.getType());
  int64_t bits = operand.type.dtype().bitWidth();
  auto layout = llvm::cast<hk::SharedLayout>(type.getLayout());
  unsigned own = parameter == "a" ? 0 : 1;
  if (layout.getPaddings().empty() &&
      describeMatrix(hk::offsetsOfPart(type), tensorDim(own), tensorDim(1 - own), rows, bits))
    return;
  std::string shape = describeShape(operand.type.shape), dtype = "gl." + std::string(operand.type.dtype().name());
  std::string transposed = own == 1 && bits != 16 ? ", transposed=True" : "";
  e.errorAt(
      args.where(parameter),
      "wgmma cannot read " + args.what(parameter) + " in its layout in shared memory" +
          (bits == 16 ? "" : ": of " + std::string(operand.type.dtype().name()) + ", K must be the fastest dimension"),
      {{{"has", operand.type.toString()}},
       "use gl.NVMMASharedLayout.get_default_for(" + shape + ", " + dtype + transposed + ")"});
}

// Options -------------------------------------------------------------------------------------------------------------

/// Returns the argument `use_acc` as an i1; null for the constant True.
static mlir::Value useAccAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  if (const Runtime *value = args[parameter].asRuntime()) {
    if (!value->type.isScalar() || value->type.isPointer() || !value->type.dtype().isInteger())
      e.errorAt(args.where(parameter), args.what(parameter) + " must be a bool, but is " + args[parameter].describe());
    return castTo(e, *value, DType(DType::Int1)).ir;
  }
  return args.boolAt(e, parameter) ? mlir::Value() : e.scalarConstant(py::bool_(false), DType(DType::Int1)).ir;
}

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

static void checkImpreciseSteps(Emitter &e, const Arguments &args, ParameterName parameter, int64_t depth) {
  if (args[parameter].isNone())
    return;
  if (int64_t most = args.intAt(e, parameter); most < depth)
    e.errorAt(args.where(parameter), args.what(parameter) + " below K is not supported yet: " + std::to_string(most),
              {{},
               "with None, or K or more, the tensor cores accumulate all of K; for shorter sums multiply smaller "
               "k-tiles with use_acc=False, and add the results"});
}

// Builtins ------------------------------------------------------------------------------------------------------------

static int32_t outstandingAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  int64_t outstanding = args.intAt(e, parameter);
  if (outstanding < 0 || outstanding > int64_t(kMostWgmmaGroups))
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be from 0 to " + std::to_string(kMostWgmmaGroups) + ", but is " +
                  std::to_string(outstanding),
              {{}, "it counts the newest wgmmas that may still be in flight; 0 waits for all"});
  return int32_t(outstanding);
}

static Value warpgroupMma(Emitter &e, Arguments &args) {
  requireWgmma(e, args);
  Runtime a = operandAt(e, args, "a"), b = operandAt(e, args, "b"), acc = accumulatorAt(e, args, "acc");
  checkMmaShapes(e, a.type, b.type, acc.type);
  WgmmaInstruction instruction = instructionFor(e, args, a, b, acc);
  checkSizes(e, args, instruction, a, acc);
  if (a.type.isMemDesc())
    checkMatrixDescriptor(e, args, "a", a, kWgmmaRows);
  else
    checkRegistersOfA(e, args, a, acc.type.layout, instruction);
  checkMatrixDescriptor(e, args, "b", b, instruction.n);
  mlir::Value useAcc = useAccAt(e, args, "use_acc");
  checkPrecision(e, args, "precision", instruction.a);
  checkImpreciseSteps(e, args, "max_num_imprecise_acc", a.type.shape[1]);
  bool isAsync = args.boolAt(e, "is_async");
  auto wgmma = e.create<hk_nv::WarpgroupMmaOp>(acc.ir.getType(), a.ir, b.ir, acc.ir, useAcc,
                                               instruction.a == NumberFormat::U8, instruction.b == NumberFormat::U8,
                                               /*group_goes_on=*/false);
  if (isAsync)
    return Runtime{wgmma.getResult(), acc.type};
  auto wait = e.create<hk_nv::WarpgroupMmaWaitOp>(mlir::ValueRange(wgmma.getResult()), 0);
  wait.setImplied(true);
  return Runtime{wait.getResult(0), acc.type};
}

static Value warpgroupMmaInit(Emitter &e, Arguments &args) {
  requireWgmma(e, args);
  return accumulatorAt(e, args, "acc");
}

/// Appends the accumulators in `value`, which is the argument `deps` or a part of it, to `accs`. Ignores shared memory,
/// and raises an error for values of other kinds.
static void collect(Emitter &e, const Arguments &args, const Value &value, std::vector<mlir::Value> &accs) {
  if (const Runtime *runtime = value.asRuntime()) {
    if (llvm::isa_and_nonnull<MmaAttr>(runtime->type.layout)) {
      accs.push_back(runtime->ir);
      return;
    }
    if (runtime->type.isMemDesc())
      return;
  }
  for (const Value &part : value.parts())
    collect(e, args, part, accs);
  if (!value.asTuple())
    e.errorAt(args.where("deps"),
              args.what("deps") + " must be accumulators of warpgroup_mma, but it has " + value.describe(),
              {{}, "pass results of warpgroup_mma: deps=[acc]"});
}

static Value replaced(const Value &value, mlir::ValueRange &left) {
  const Runtime *runtime = value.asRuntime();
  if (runtime && !runtime->type.isMemDesc()) {
    Runtime result{left.front(), runtime->type};
    left = left.drop_front();
    return result;
  }
  if (runtime)
    return value;
  std::vector<Value> parts;
  for (const Value &part : value.parts())
    parts.push_back(replaced(part, left));
  return value.withParts(std::move(parts));
}

static Value warpgroupMmaWait(Emitter &e, Arguments &args) {
  requireWgmma(e, args);
  int32_t outstanding = outstandingAt(e, args, "num_outstanding");
  if (args["deps"].isNone())
    e.error("warpgroup_mma_wait needs `deps`: the accumulators that can be used after it",
            "acc = warpgroup_mma_wait(" + std::to_string(outstanding) + ", deps=[acc])");
  std::vector<mlir::Value> accs;
  collect(e, args, args["deps"], accs);
  auto wait = e.create<hk_nv::WarpgroupMmaWaitOp>(mlir::ValueRange(accs), outstanding);
  mlir::ValueRange left = wait.getResults();
  Value result = replaced(args["deps"], left);
  const Tuple *tuple = result.asTuple();
  return tuple && tuple->elements.size() == 1 ? tuple->elements.front() : result;
}

static Value fenceAsyncShared(Emitter &e, Arguments &args) {
  requireFeature(e, e.here(), std::string(args.function) + " needs", kAsyncProxy,
                 "remove it: without an async proxy, every access is ordered by barriers");
  auto fence = e.create<hk::ProxyFenceOp>();
  if (args.boolAt(e, "cluster"))
    hk::kStoresToOtherCtasAttr.set(fence->getParentOfType<mlir::ModuleOp>());
  return Value::none();
}

std::span<const BuiltinEntry> nvidiaWarpgroupBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"nvidia.hopper.fence_async_shared", fenceAsyncShared, "(cluster=False)"},
      {"nvidia.hopper.warpgroup_mma", warpgroupMma,
       "(a, b, acc, *, use_acc=True, precision=None, max_num_imprecise_acc=None, is_async=False)",
       /*returnsAccumulator=*/true},
      {"nvidia.hopper.warpgroup_mma_init", warpgroupMmaInit, "(acc)"},
      {"nvidia.hopper.warpgroup_mma_wait", warpgroupMmaWait, "(num_outstanding=0, deps=None)"},
  };
  return entries;
}

} // namespace hocket::frontend
