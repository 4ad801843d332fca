//===- NvidiaMbarrierBuiltins.cpp - nvidia.{ampere,hopper}.mbarrier, and hopper.async_store -===//
#include "dialect/hk/facts/ClusterAccesses.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/RequiredFeatures.h"
#include "frontend/semantics/memory/SharedMemory.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/values/LanguageObjects.h"
#include "target/Mbarriers.h"

namespace hocket::frontend {

static std::string allocationHint() {
  return "allocate it with mbarrier.allocate_mbarrier(), or as gl.allocate_shared_memory(gl.int64, [1], "
         "mbarrier.MBarrierLayout())";
}

static bool isNamedBarrier(const Value &value) {
  const Constexpr *constant = value.asConstexpr();
  return constant && py::isinstance(constant->object, languageObject("nvidia.ampere.named_barrier.NamedBarrier"));
}

/// Returns argument `parameter`, which must be shared memory that holds one mbarrier.
static mlir::Value mbarrierAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  const Runtime *barrier = args[parameter].asRuntime();
  if (!barrier || !barrier->type.isMemDesc())
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be shared memory, but is " + args[parameter].describe(),
              {{},
               isNamedBarrier(args[parameter])
                   ? "named barriers have functions of their own: named_barrier.arrive and arrive_and_wait"
                   : allocationHint()});
  const ValueType &type = barrier->type;
  if (type.dtype() != DType::Int64)
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be shared memory of int64, but is " + type.toString(),
              {{}, allocationHint()});
  if (!hk_nv::isOneMbarrier(llvm::cast<hk::MemDescType>(barrier->ir.getType()))) {
    bool isRing = type.rank() == 2 && type.shape[1] == 1;
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be one mbarrier, of shape [1], but is " + type.toString(),
              {{}, isRing ? "pick one: " + std::string(parameter.text) + ".index(i)" : allocationHint()});
  }
  return barrier->ir;
}

/// Returns argument `parameter`, a compile-time number from `least` to `most`.
static int32_t countAt(Emitter &e, const Arguments &args, ParameterName parameter, int64_t least, int64_t most,
                       const std::string &hint) {
  int64_t count = args.intAt(e, parameter);
  if (count < least || count > most)
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be from " + std::to_string(least) + " to " + std::to_string(most) +
                  ", but is " + std::to_string(count),
              {{}, hint});
  return static_cast<int32_t>(count);
}

/// Returns argument `parameter`, a predicate, as an i1; null for the constexpr True.
static mlir::Value predicateAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  const Constexpr *constant = args[parameter].asConstexpr();
  if (constant && constant->object.ptr() == Py_True)
    return {};
  return toCondition(e, args[parameter], args.what(parameter)).ir;
}

static void requireTransactions(Emitter &e, SourceRange where, const std::string &what, const std::string &hint) {
  requireFeature(e, where, what + " needs", kTransactionMbarriers, hint);
}

/// Returns the argument `from_cta`, a bit mask. For each block r of the cluster, the block with the rank `r & from_cta`
/// arrives at the mbarrier of block r. Returns null if the argument is omitted.
static mlir::IntegerAttr fromCtaAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  if (args[parameter].isNone())
    return {};
  if (e.options.numCtas == 1)
    e.errorAt(args.where(parameter), args.what(parameter) + " needs a cluster, but each program is one block",
              {{}, "leave it out: each block arrives at its own mbarrier"});
  if (hk_nv::sharersOf(llvm::cast<hk::MemDescType>(args["mbarrier"].asRuntime()->ir.getType())))
    e.errorAt(args.where(parameter),
              args.what(parameter) + " is for mbarriers of each block, but blocks share this one",
              {{{"mbarrier", args["mbarrier"].describe()}},
               "leave it out: all these blocks arrive at the mbarrier of the first block, which waits"});
  int32_t mask = countAt(e, args, parameter, 0, e.options.numCtas - 1,
                         "it is a mask: block r & from_cta arrives at the mbarrier of block r. With 0, block 0 arrives "
                         "at all mbarriers; without it, each block arrives at its own");
  return e.builder.getI32IntegerAttr(mask);
}

/// Returns the argument `relaxed`: true if an arrival at an mbarrier of another block need not make this block's writes
/// visible to that block.
static bool relaxedAt(Emitter &e, const Arguments &args, ParameterName parameter, mlir::Value barrier,
                      mlir::IntegerAttr fromCta) {
  bool isRelaxed = args.boolAt(e, parameter);
  if (isRelaxed && !fromCta && !hk_nv::sharersOf(llvm::cast<hk::MemDescType>(barrier.getType())))
    e.errorAt(args.where(parameter),
              args.what(parameter) + " is for mbarriers of other blocks, but each block arrives at its own",
              {{}, "leave it out: an arrival at the block's own mbarrier needs no fence"});
  return isRelaxed;
}

/// Sets the attribute reaches_other_ctas of `op` if `op` uses mbarriers of other blocks. For such an operation, the
/// compiler makes the kernel wait until these mbarriers are initialized.
template <typename OpTy>
static void markReach(Emitter &e, OpTy op, bool isForOthers) {
  if (isForOthers || hk_nv::sharersOf(llvm::cast<hk::MemDescType>(op.getBarrier().getType())))
    op.setReachesOtherCtas(true);
}

static Value allocateMbarrier(Emitter &e, Arguments &args) {
  std::vector<int64_t> shape = {1};
  if (!args["batch"].isNone())
    shape.insert(shape.begin(), countAt(e, args, "batch", 1, 1 << 16, "it is the number of mbarriers in the ring"));
  if (args.boolAt(e, "two_ctas"))
    e.errorAt(args.where("two_ctas"),
              args.what("two_ctas") + " is not supported yet: pairs of blocks share no mbarriers on Hopper");
  auto layout = hk::SwizzledSharedAttr::get(e.context(), 1, 1, 1, {0}, {});
  ValueType type = ValueType::memDesc(DType::Int64, shape, layout);
  return e.make<hk::LocalAllocOp>(type, type.toMlir(e.context()), mlir::Value());
}

static Value init(Emitter &e, Arguments &args) {
  mlir::Value barrier = mbarrierAt(e, args, "mbarrier");
  int32_t count = countAt(e, args, "count", 1, kMostMbarrierArrivals, "it is the number of arrivals that end a phase");
  e.create<hk_nv::MbarrierInitOp>(barrier, count);
  return Value::none();
}

static Value invalidate(Emitter &e, Arguments &args) {
  e.create<hk_nv::MbarrierInvalidateOp>(mbarrierAt(e, args, "mbarrier"));
  return Value::none();
}

static mlir::Value phaseAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  std::string hint = "phases are numbered from 0, and only the parity is compared: pass iteration // num_buffers, or a "
                     "bit that is flipped (phase ^= 1)";
  if (args[parameter].isCompileTime()) {
    int64_t number = args.intAt(e, parameter);
    if (number < 0)
      e.errorAt(args.where(parameter), args.what(parameter) + " must not be negative, but is " + std::to_string(number),
                {{}, hint});
    return e.intConstant(number % 2).ir;
  }
  Runtime phase = tensorOrScalarAt(e, args, parameter);
  bool isNumber = phase.type.isScalar() && !phase.type.isPointer() &&
                  (phase.type.dtype().isInteger() || phase.type.dtype().isBool());
  if (!isNumber)
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be an integer scalar, but is " + args[parameter].describe(), {{}, hint});
  return castTo(e, phase, DType::Int32).ir;
}

static Value wait(Emitter &e, Arguments &args) {
  mlir::Value barrier = mbarrierAt(e, args, "mbarrier"), phase = phaseAt(e, args, "phase"),
              pred = predicateAt(e, args, "pred");
  std::string needed = args.what("deps") + " must be a tuple or list of shared memory";
  std::optional<std::vector<Value>> used = args["deps"].asSequence();
  if (!used)
    e.errorAt(args.where("deps"), needed + ", but is " + args["deps"].describe());
  llvm::SmallVector<mlir::Value> deps;
  for (const Value &value : *used) {
    const Runtime *memory = value.asRuntime();
    if (!memory || !memory->type.isMemDesc())
      e.errorAt(args.where("deps"), needed + ", but holds " + value.describe());
    deps.push_back(memory->ir);
  }
  e.create<hk_nv::MbarrierWaitOp>(barrier, phase, pred, deps);
  return Value::none();
}

/// Implements ampere.mbarrier.arrive(mbarrier, *, pred=True, from_cta=None, per_warp=False).
static Value arriveOnce(Emitter &e, Arguments &args) {
  mlir::Value barrier = mbarrierAt(e, args, "mbarrier"), pred = predicateAt(e, args, "pred");
  mlir::IntegerAttr fromCta = fromCtaAt(e, args, "from_cta");
  auto op = e.create<hk_nv::MbarrierArriveOp>(barrier, 1, pred, args.boolAt(e, "per_warp"), fromCta, /*relaxed=*/false);
  markReach(e, op, bool(fromCta));
  return Value::none();
}

/// Implements hopper.mbarrier.arrive(mbarrier, *, count=1, pred=True, from_cta=None, per_warp=False, relaxed=False).
static Value arrive(Emitter &e, Arguments &args) {
  mlir::Value barrier = mbarrierAt(e, args, "mbarrier");
  int32_t count =
      countAt(e, args, "count", 1, kMostMbarrierArrivals, "it is the number of arrivals that this call counts as");
  if (count != 1)
    requireTransactions(e, args.where("count"), "arriving more than once at a time",
                        "arrive " + std::to_string(count) + " times");
  mlir::Value pred = predicateAt(e, args, "pred");
  mlir::IntegerAttr fromCta = fromCtaAt(e, args, "from_cta");
  auto op = e.create<hk_nv::MbarrierArriveOp>(barrier, count, pred, args.boolAt(e, "per_warp"), fromCta,
                                              relaxedAt(e, args, "relaxed", barrier, fromCta));
  markReach(e, op, bool(fromCta));
  return Value::none();
}

static Value expect(Emitter &e, Arguments &args) {
  mlir::Value barrier = mbarrierAt(e, args, "mbarrier");
  requireTransactions(e, e.here(), "an mbarrier that counts bytes",
                      "on this GPU, copies arrive by async_copy.mbarrier_arrive, or complete in commit groups");
  if (args["bytes_per_cta"].isNone())
    e.errorAt(args.where("bytes_per_cta"),
              args.what("bytes_per_cta") +
                  " is missing: it is the number of bytes of the copies that this phase waits for",
              {{}, "for a tile `smem` that is copied whole, smem.nbytes_per_cta"});
  int32_t bytes =
      countAt(e, args, "bytes_per_cta", 0, kMostMbarrierBytes, "a phase counts at most 2^20 - 1 bytes of copies");
  mlir::Value pred = predicateAt(e, args, "pred");
  mlir::IntegerAttr fromCta = fromCtaAt(e, args, "from_cta");
  markReach(e, e.create<hk_nv::MbarrierExpectOp>(barrier, bytes, pred, fromCta), bool(fromCta));
  return Value::none();
}

static Value arriveCopies(Emitter &e, Arguments &args) {
  mlir::Value barrier = mbarrierAt(e, args, "mbarrier");
  e.create<hk_nv::MbarrierArriveCopiesOp>(barrier, args.boolAt(e, "increment_count"));
  return Value::none();
}

static Value asyncStore(Emitter &e, Arguments &args) {
  requireTransactions(e, e.here(), std::string(args.function),
                      "store it with dst.store(value): each program is one block");
  if (e.options.numCtas == 1)
    e.errorAt(e.here(), std::string(args.function) + " needs a cluster, but each program is one block",
              {{}, "launch with num_ctas=2 or more, or store it with dst.store(value)"});
  Runtime dst = descriptorAt(e, args, "dst"), value = tensorOrScalarAt(e, args, "value");
  checkStored(e, args.where("value"), value, dst.type);
  markReach(e, e.create<hk_nv::AsyncStoreOp>(value.ir, dst.ir, mbarrierAt(e, args, "mbarrier")), /*isForOthers=*/true);
  return Value::none();
}

static Value fenceInit(Emitter &e, Arguments &) {
  requireFeature(e, e.here(), "fence_init_release_cluster needs", kClusters, "leave it out");
  e.create<hk_nv::FenceMbarrierInitOp>();
  return Value::none();
}

std::span<const BuiltinEntry> nvidiaMbarrierBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"nvidia.ampere.async_copy.mbarrier_arrive", arriveCopies, "(mbarrier, increment_count=True)"},
      {"nvidia.ampere.mbarrier.allocate_mbarrier", allocateMbarrier, "(batch=None, two_ctas=False)"},
      {"nvidia.ampere.mbarrier.arrive", arriveOnce, "(mbarrier, *, pred=True, from_cta=None, per_warp=False)"},
      {"nvidia.ampere.mbarrier.init", init, "(mbarrier, count)"},
      {"nvidia.ampere.mbarrier.invalidate", invalidate, "(mbarrier)"},
      {"nvidia.ampere.mbarrier.wait", wait, "(mbarrier, phase, pred=True, deps=())"},
      {"nvidia.hopper.async_store", asyncStore, "(dst, value, mbarrier)"},
      {"nvidia.hopper.mbarrier.arrive", arrive,
       "(mbarrier, *, count=1, pred=True, from_cta=None, per_warp=False, relaxed=False)"},
      {"nvidia.hopper.mbarrier.expect", expect, "(mbarrier, bytes_per_cta=None, pred=True, *, from_cta=None)"},
      {"nvidia.hopper.mbarrier.fence_init_release_cluster", fenceInit, "()"},
  };
  return entries;
}

} // namespace hocket::frontend
