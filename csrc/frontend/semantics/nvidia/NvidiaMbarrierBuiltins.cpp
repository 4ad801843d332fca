//===- NvidiaMbarrierBuiltins.cpp - nvidia.{ampere,hopper}.mbarrier, and hopper.async_store -===//
#include "dialect/hk/facts/ClusterAccesses.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "frontend/semantics/BuiltinTables.h"
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

/// Returns argument `index`, a handle to one mbarrier.
static mlir::Value mbarrierAt(Emitter &e, const Arguments &args, size_t index) {
  const Runtime *barrier = args[index].asRuntime();
  if (!barrier || !barrier->type.isMemDesc())
    e.errorAt(args.where(index), args.what(index) + " must be shared memory, but is " + args[index].describe(),
              {{},
               isNamedBarrier(args[index])
                   ? "named barriers have functions of their own: named_barrier.arrive and arrive_and_wait"
                   : allocationHint()});
  const ValueType &type = barrier->type;
  if (type.dtype() != DType::Int64)
    e.errorAt(args.where(index), args.what(index) + " must be shared memory of int64, but is " + type.toString(),
              {{}, allocationHint()});
  if (!hk_nv::isOneMbarrier(llvm::cast<hk::MemDescType>(barrier->ir.getType()))) {
    bool isRing = type.rank() == 2 && type.shape[1] == 1;
    e.errorAt(args.where(index), args.what(index) + " must be one mbarrier, of shape [1], but is " + type.toString(),
              {{}, isRing ? "pick one: " + std::string(args.parameter(index)) + ".index(i)" : allocationHint()});
  }
  return barrier->ir;
}

/// Returns argument `index`, a compile-time number from `least` to `most`.
static int32_t countAt(Emitter &e, const Arguments &args, size_t index, int64_t least, int64_t most,
                       const std::string &hint) {
  int64_t count = args.intAt(e, index);
  if (count < least || count > most)
    e.errorAt(args.where(index),
              args.what(index) + " must be from " + std::to_string(least) + " to " + std::to_string(most) +
                  ", but is " + std::to_string(count),
              {{}, hint});
  return static_cast<int32_t>(count);
}

/// Returns argument `index`, a condition; null for the constexpr True.
static mlir::Value predicateAt(Emitter &e, const Arguments &args, size_t index) {
  const Constexpr *constant = args[index].asConstexpr();
  if (constant && constant->object.ptr() == Py_True)
    return {};
  return toCondition(e, args[index], args.what(index)).ir;
}

static void requireHopper(Emitter &e, SourceRange where, const std::string &what, const std::string &hint) {
  if (!hasTransactionMbarriers(e.target))
    e.errorAt(where, what + " needs Hopper, but this kernel is compiled for " + std::string(e.target.name), {{}, hint});
}

/// Returns argument `index`, from_cta: the mask of bits of a block's number that gives the block that arrives at its
/// mbarrier; null if omitted.
static mlir::IntegerAttr fromCtaAt(Emitter &e, const Arguments &args, size_t index) {
  if (args[index].isNone())
    return {};
  if (e.options.numCtas == 1)
    e.errorAt(args.where(index), args.what(index) + " needs a cluster, but each program is one block",
              {{}, "leave it out: each block arrives at its own mbarrier"});
  if (hk_nv::sharersOf(llvm::cast<hk::MemDescType>(args[0].asRuntime()->ir.getType())))
    e.errorAt(args.where(index), args.what(index) + " is for mbarriers of each block, but blocks share this one",
              {{{"mbarrier", args[0].describe()}},
               "leave it out: all of them arrive at the mbarrier of the first, which waits"});
  int32_t mask = countAt(e, args, index, 0, e.options.numCtas - 1,
                         "it is a mask of the bits of a block's number that stay: with 0, block 0 arrives at the "
                         "mbarriers of all; left out, each block at its own");
  return e.builder.getI32IntegerAttr(mask);
}

/// Returns argument `index`: true if this block's writes need not be visible to other blocks.
static bool relaxedAt(Emitter &e, const Arguments &args, size_t index, mlir::Value barrier, mlir::IntegerAttr fromCta) {
  bool isRelaxed = args.boolAt(e, index);
  if (isRelaxed && !fromCta && !hk_nv::sharersOf(llvm::cast<hk::MemDescType>(barrier.getType())))
    e.errorAt(args.where(index),
              args.what(index) + " is for mbarriers of other blocks, but each block arrives at its own",
              {{}, "leave it out: arrivals within a block have no fence"});
  return isRelaxed;
}

/// Marks `op` if it uses the mbarriers of other blocks: the compiler then waits until these are initialized.
template <typename OpTy>
static void markReach(Emitter &e, OpTy op, bool isForOthers) {
  if (isForOthers || hk_nv::sharersOf(llvm::cast<hk::MemDescType>(op.getBarrier().getType())))
    op->setAttr(hk::kReachesOtherMbarriersAttr, e.builder.getUnitAttr());
}

/// allocate_mbarrier(batch=None, two_ctas=False)
static Value allocateMbarrier(Emitter &e, Arguments &args) {
  std::vector<int64_t> shape = {1};
  if (!args[0].isNone())
    shape.insert(shape.begin(), countAt(e, args, 0, 1, 1 << 16, "it is the number of mbarriers in the ring"));
  if (args.boolAt(e, 1))
    e.errorAt(args.where(1), args.what(1) + " is not supported yet: pairs of blocks share no mbarriers on Hopper");
  auto layout = hk::SwizzledSharedAttr::get(e.context(), 1, 1, 1, {0}, {});
  ValueType type = ValueType::memDesc(DType::Int64, shape, layout);
  return e.make<hk::LocalAllocOp>(type, type.toMlir(e.context()), mlir::Value());
}

/// init(mbarrier, count)
static Value init(Emitter &e, Arguments &args) {
  mlir::Value barrier = mbarrierAt(e, args, 0);
  int32_t count = countAt(e, args, 1, 1, kMostMbarrierArrivals, "it is the number of arrivals that end a phase");
  e.create<hk_nv::MbarrierInitOp>(barrier, count);
  return Value::none();
}

/// invalidate(mbarrier)
static Value invalidate(Emitter &e, Arguments &args) {
  e.create<hk_nv::MbarrierInvalidateOp>(mbarrierAt(e, args, 0));
  return Value::none();
}

static mlir::Value phaseAt(Emitter &e, const Arguments &args, size_t index) {
  std::string hint = "phases are numbered from 0, and their parity counts: iteration // slots, or a bit that is "
                     "flipped (phase ^= 1)";
  if (args[index].isCompileTime()) {
    int64_t number = args.intAt(e, index);
    if (number < 0)
      e.errorAt(args.where(index), args.what(index) + " must not be negative, but is " + std::to_string(number),
                {{}, hint});
    return e.intConstant(number % 2).ir;
  }
  Runtime phase = tensorOrScalarAt(e, args, index);
  bool isNumber = phase.type.isScalar() && !phase.type.isPointer() &&
                  (phase.type.dtype().isInteger() || phase.type.dtype().isBool());
  if (!isNumber)
    e.errorAt(args.where(index), args.what(index) + " must be an integer scalar, but is " + args[index].describe(),
              {{}, hint});
  return castTo(e, phase, DType::Int32).ir;
}

/// wait(mbarrier, phase, pred=True, deps=())
static Value wait(Emitter &e, Arguments &args) {
  mlir::Value barrier = mbarrierAt(e, args, 0), phase = phaseAt(e, args, 1), pred = predicateAt(e, args, 2);
  std::string needed = args.what(3) + " must be a tuple or list of shared memory";
  std::optional<std::vector<Value>> used = args[3].asSequence();
  if (!used)
    e.errorAt(args.where(3), needed + ", but is " + args[3].describe());
  llvm::SmallVector<mlir::Value> deps;
  for (const Value &value : *used) {
    const Runtime *memory = value.asRuntime();
    if (!memory || !memory->type.isMemDesc())
      e.errorAt(args.where(3), needed + ", but holds " + value.describe());
    deps.push_back(memory->ir);
  }
  e.create<hk_nv::MbarrierWaitOp>(barrier, phase, pred, deps);
  return Value::none();
}

/// Ampere's arrive(mbarrier, *, pred=True, from_cta=None, per_warp=False)
static Value arriveOnce(Emitter &e, Arguments &args) {
  mlir::Value barrier = mbarrierAt(e, args, 0), pred = predicateAt(e, args, 1);
  mlir::IntegerAttr fromCta = fromCtaAt(e, args, 2);
  auto op = e.create<hk_nv::MbarrierArriveOp>(barrier, 1, pred, args.boolAt(e, 3), fromCta, /*relaxed=*/false);
  markReach(e, op, bool(fromCta));
  return Value::none();
}

/// Hopper's arrive(mbarrier, *, count=1, pred=True, from_cta=None, per_warp=False, relaxed=False)
static Value arrive(Emitter &e, Arguments &args) {
  mlir::Value barrier = mbarrierAt(e, args, 0);
  int32_t count =
      countAt(e, args, 1, 1, kMostMbarrierArrivals, "it is the number of arrivals that this call counts as");
  if (count != 1)
    requireHopper(e, args.where(1), "arriving more than once at a time", "arrive " + std::to_string(count) + " times");
  mlir::Value pred = predicateAt(e, args, 2);
  mlir::IntegerAttr fromCta = fromCtaAt(e, args, 3);
  auto op = e.create<hk_nv::MbarrierArriveOp>(barrier, count, pred, args.boolAt(e, 4), fromCta,
                                              relaxedAt(e, args, 5, barrier, fromCta));
  markReach(e, op, bool(fromCta));
  return Value::none();
}

/// expect(mbarrier, bytes_per_cta=None, pred=True, *, from_cta=None)
static Value expect(Emitter &e, Arguments &args) {
  mlir::Value barrier = mbarrierAt(e, args, 0);
  requireHopper(e, e.here(), "an mbarrier that counts bytes",
                "copies of sm_80 arrive by async_copy.mbarrier_arrive, or are waited for by groups");
  if (args[1].isNone())
    e.errorAt(args.where(1),
              args.what(1) + " is missing: how many bytes do the copies bring that this phase waits for?",
              {{}, "for a tile `smem` that is copied whole, smem.nbytes_per_cta"});
  int32_t bytes = countAt(e, args, 1, 0, kMostMbarrierBytes, "a phase counts at most 1 MiB - 1 of copies");
  mlir::Value pred = predicateAt(e, args, 2);
  mlir::IntegerAttr fromCta = fromCtaAt(e, args, 3);
  markReach(e, e.create<hk_nv::MbarrierExpectOp>(barrier, bytes, pred, fromCta), bool(fromCta));
  return Value::none();
}

/// mbarrier_arrive(mbarrier, increment_count=True)
static Value arriveCopies(Emitter &e, Arguments &args) {
  mlir::Value barrier = mbarrierAt(e, args, 0);
  e.create<hk_nv::MbarrierArriveCopiesOp>(barrier, args.boolAt(e, 1));
  return Value::none();
}

/// async_store(dst, value, mbarrier)
static Value asyncStore(Emitter &e, Arguments &args) {
  requireHopper(e, e.here(), std::string(args.function), "store it with dst.store(value): each program is one block");
  if (e.options.numCtas == 1)
    e.errorAt(e.here(), std::string(args.function) + " needs a cluster, but each program is one block",
              {{}, "launch with num_ctas=2 or more, or store it with dst.store(value)"});
  Runtime dst = descriptorAt(e, args), value = tensorOrScalarAt(e, args, 1);
  checkStored(e, args.where(1), value, dst.type);
  markReach(e, e.create<hk_nv::AsyncStoreOp>(value.ir, dst.ir, mbarrierAt(e, args, 2)), /*isForOthers=*/true);
  return Value::none();
}

/// fence_init_release_cluster()
static Value fenceInit(Emitter &e, Arguments &) {
  requireHopper(e, e.here(), "fence_init_release_cluster", "leave it out: sm_80 has no clusters");
  e.create<hk_nv::FenceMbarrierInitOp>();
  return Value::none();
}

std::span<const BuiltinEntry> nvidiaMbarrierBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"nvidia.ampere.async_copy.mbarrier_arrive", arriveCopies},
      {"nvidia.ampere.mbarrier.allocate_mbarrier", allocateMbarrier},
      {"nvidia.ampere.mbarrier.arrive", arriveOnce},
      {"nvidia.ampere.mbarrier.init", init},
      {"nvidia.ampere.mbarrier.invalidate", invalidate},
      {"nvidia.ampere.mbarrier.wait", wait},
      {"nvidia.hopper.async_store", asyncStore},
      {"nvidia.hopper.mbarrier.arrive", arrive},
      {"nvidia.hopper.mbarrier.expect", expect},
      {"nvidia.hopper.mbarrier.fence_init_release_cluster", fenceInit},
  };
  return entries;
}

} // namespace hocket::frontend
