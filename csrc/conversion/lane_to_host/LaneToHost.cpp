//===- LaneToHost.cpp - Converts one lane of a kernel to a host function ------------===//
//
// Input:    one kernel function in lane form. Output: see HostAbi.h.
// Method:   every operation is rewritten in place by the conversion in the table of OpConversions.h. Afterwards, ticks
//           are inserted in loops, and all pointers become host pointers. No pattern driver is used: each operation is
//           visited only once, so that the conversion takes much less time than code generation.
// Not done: functions other than the kernel (the front end inlines calls). An unsupported operation is reported by its
//           name.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/LaneToHost.h"

#include "conversion/hk_to_lane/passes/ShortenBlocks.h"
#include "conversion/lane_to_host/Conversions.h"
#include "conversion/lane_to_host/steps/StagesOfPipelines.h"
#include "conversion/lane_to_llvm/RequireExportable.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/lane/AddressSpaces.h"
#include "dialect/lane/LaneDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_CONVERTLANETOHOST
#include "conversion/lane_to_host/Passes.h.inc"

static FailureOr<LLVM::LLVMFuncOp> findKernel(ModuleOp module) {
  LLVM::LLVMFuncOp kernel;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (function.isExternal())
      continue;
    if (kernel || !(function->hasAttr("nvvm.kernel") || function->hasAttr("rocdl.kernel")))
      return function.emitError("expected a kernel as the only function with a body");
    kernel = function;
  }
  if (!kernel)
    return module.emitError("expected a function with the attribute nvvm.kernel or rocdl.kernel");
  return kernel;
}

/// Rejects unconverted operations that the host cannot execute, or would execute without checks.
static LogicalResult rejectIfForeign(Operation *op) {
  if (isa<LLVM::InlineAsmOp>(op))
    return op->emitError("the emulator cannot run inline assembly");
  if (auto call = dyn_cast<LLVM::CallOp>(op); call && !call.getCallee())
    return op->emitError("the emulator cannot run an indirect call");
  // The size of a lane's stack frame must be static, because the code generator reports this size.
  if (auto memory = dyn_cast<LLVM::AllocaOp>(op);
      memory && (!op->getBlock()->isEntryBlock() || !memory.getArraySize().getDefiningOp<LLVM::ConstantOp>()))
    return op->emitError("the emulator cannot run an allocation whose size is not known when it compiles");
  if (isa<LLVM::LLVMDialect>(op->getDialect())) {
    if (isa<LLVM::GEPOp, LLVM::AddrSpaceCastOp>(op))
      return success();
    bool accessesMemory = isa<LLVM::LoadOp, LLVM::StoreOp, LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp, LLVM::MemcpyOp,
                              LLVM::MemsetOp, LLVM::MemmoveOp>(op);
    bool toGlobal = llvm::any_of(op->getOperandTypes(), [](Type type) {
      auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
      return pointer && llvm::is_contained({kGlobalAddressSpace, kSharedAddressSpace, kBufferAddressSpace},
                                           pointer.getAddressSpace());
    });
    if (accessesMemory && toGlobal)
      return op->emitError("the emulator cannot check this access; global memory is accessed by lane operations");
    return success();
  }
  return op->emitError("the emulator does not support the operation ") << op->getName();
}

static void addAll(OpConversions &table) {
  addBufferOps(table);
  addClockReads(table);
  addCopiesToShared(table);
  addGlobalAccesses(table);
  addHostHazards(table);
  addMatrixMoves(table);
  addMmas(table);
  addMbarrierOps(table);
  addNvvmOps(table);
  addRocdlOps(table);
  addSharedAccesses(table);
  addTmaOps(table);
  addTransposedReads(table);
  addWarpgroupOps(table);
  addIntrinsicCalls(table);
}

/// Removes attributes of the GPU dialects, which would be exported as GPU metadata.
static void dropGpuAttributes(Operation *op) {
  SmallVector<StringAttr> names;
  for (NamedAttribute attr : op->getDiscardableAttrs())
    if (attr.getName().strref().starts_with("nvvm.") || attr.getName().strref().starts_with("rocdl."))
      names.push_back(attr.getName());
  for (StringAttr name : names)
    op->removeDiscardableAttr(name);
}

LogicalResult convertLaneToHost(ModuleOp module, HostCodeOptions options) {
  FailureOr<LLVM::LLVMFuncOp> kernel = findKernel(module);
  if (failed(kernel) || failed(hk::requireFacts(module)))
    return failure();
  LlvmTypeCheck types;
  if (module.walk([&](Operation *op) { return WalkResult(types.check(op)); }).wasInterrupted())
    return failure();
  if (options.timing)
    removeCommonSubexpressions(*kernel);
  else
    carryVectors(*kernel);
  shortenBlocks(kernel->getBody());
  SmallVector<StagedOp> ops = operationsByStage(*kernel);

  HostFunction host(module, *kernel);
  OpConversions conversions(module.getContext());
  addAll(conversions);
  if (options.timing)
    insertTiming(host);
  gatherAfterCopies(host);
  for (auto [op, stage] : ops) {
    host.sites.enterStage(stage);
    bool endsBlock = op->hasTrait<OpTrait::IsTerminator>();
    host.at(op);
    Converted converted = conversions.convert(host, op);
    if (failed(converted) || (!*converted && failed(rejectIfForeign(op))))
      return failure();
    host.shared.areLanesTogether &= !endsBlock;
  }
  if (failed(eraseBufferResources(host)))
    return failure();
  joinToBarriers(host);
  if (options.undefined)
    trackUndefined(host, options.unwritten);
  insertTicks(host);
  host.finish(/*tracksUndefined=*/options.undefined);

  for (auto global : llvm::make_early_inc_range(module.getOps<LLVM::GlobalOp>())) {
    if (global.getAddrSpace() == 3)
      global.erase();
    else
      global.setAddrSpace(0);
  }
  dropGpuAttributes(module);
  dropGpuAttributes(*kernel);
  module->removeAttr(LLVM::LLVMDialect::getDataLayoutAttrName());
  module->removeAttr(LLVM::LLVMDialect::getTargetTripleAttrName());
  eraseAddressSpaces(module);
  return success();
}

namespace {

struct ConvertLaneToHost : impl::ConvertLaneToHostBase<ConvertLaneToHost> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(convertLaneToHost(getOperation(), {.timing = timing, .undefined = undefined, .unwritten = unwritten})))
      signalPassFailure();
  }
};

} // namespace

} // namespace hocket
