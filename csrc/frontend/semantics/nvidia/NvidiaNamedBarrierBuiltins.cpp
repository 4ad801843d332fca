//===- NvidiaNamedBarrierBuiltins.cpp - nvidia.{ampere,hopper}.named_barrier ---------------===//
//
// The handle of a named barrier is a compile-time constant of the Python class named_barrier.NamedBarrier. The kernel
// passes the handle to the partitions of warp_specialize like any other constant. The index of the handle in
// Emitter::namedBarriers identifies the barrier.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk_nv/HkNvDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/values/LanguageObjects.h"

namespace hocket::frontend {

static constexpr const char *kAllocationHint =
    "allocate it before gl.warp_specialize, with named_barrier.allocate(num_warps=8), and pass it to the partitions";

static Value allocate(Emitter &e, Arguments &args) {
  int64_t numWarps = args.intAt(e, "num_warps");
  if (numWarps < 1 || numWarps > e.target.maxWarps())
    e.errorAt(
        args.where("num_warps"),
        args.what("num_warps") + " must be from 1 to " + std::to_string(e.target.maxWarps()) + ", but is " +
            std::to_string(numWarps),
        {{}, "it is the number of warps, of all partitions together, that must arrive before waiting warps continue"});
  if (e.isInPartition)
    e.error("a named barrier that is allocated in a partition can be used only in this partition", kAllocationHint);
  mlir::Operation *around = e.builder.getInsertionBlock()->getParentOp();
  if (llvm::isa<mlir::LoopLikeOpInterface>(around) || around->getParentOfType<mlir::LoopLikeOpInterface>())
    e.error("a named barrier cannot be allocated in a loop that runs at run time: a block has 16 barriers, each of "
            "which has its number at compile time",
            "allocate it before the loop: it can be used any number of times");
  py::object handle =
      languageObject("nvidia.ampere.named_barrier.NamedBarrier").attr("_of")(e.namedBarriers.size(), numWarps);
  e.namedBarriers.push_back(handle);
  return Value::constant(handle);
}

/// Returns the index of the named barrier `barrier` in Emitter::namedBarriers.
static size_t barrierAt(Emitter &e, const Arguments &args) {
  const Constexpr *constant = args["barrier"].asConstexpr();
  if (constant)
    for (auto [index, handle] : llvm::enumerate(e.namedBarriers))
      if (handle.is(constant->object))
        return index;
  e.errorAt(args.where("barrier"),
            args.what("barrier") + " must be a named barrier of this kernel, but is " + args["barrier"].describe(),
            {{},
             args["barrier"].asSequence() ? "pick one: barrier[0]"
             : args["barrier"].asRuntime() && args["barrier"].asRuntime()->type.isMemDesc()
                 ? "an mbarrier, in shared memory, has functions of its own: mbarrier.arrive and mbarrier.wait"
                 : kAllocationHint});
}

template <typename OpT>
static Value use(Emitter &e, Arguments &args) {
  size_t barrier = barrierAt(e, args);
  e.create<OpT>(static_cast<uint32_t>(barrier), e.namedBarriers[barrier].attr("num_warps").cast<uint32_t>(),
                mlir::IntegerAttr());
  return Value::none();
}

std::span<const BuiltinEntry> nvidiaNamedBarrierBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"nvidia.ampere.named_barrier.allocate", allocate, "(num_warps)"},
      {"nvidia.ampere.named_barrier.arrive", use<hk_nv::NamedBarrierArriveOp>, "(barrier)"},
      {"nvidia.ampere.named_barrier.arrive_and_wait", use<hk_nv::NamedBarrierWaitOp>, "(barrier)"},
  };
  return entries;
}

} // namespace hocket::frontend
