//===- WarpgroupOps.cpp - Converts wgmma and the waits for it -------------------------------===//
//
//   %d:n = lane.wgmma "..." %a, %b into %c...        operands[0...] = %c..., and %a... if A is in registers
//                                                    multiply(lane, {64 x N, ...}, operands, a, b, use_acc, site)
//                                                    %d... = operands[0...]
//   nvvm.wgmma.commit.group.sync.aligned             commit(lane, site)
//   %e:n = lane.wgmma_wait %d...                     operands[0...] = %d...
//                                                    wait(lane, operands, n, outstanding, site)
//                                                    %e... = operands[0...]
//
//   nvvm.fence.proxy                                 fence(lane)
//
// emulator/block/OutstandingWgmmas.h describes the contents of %d... before the wait.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/Conversions.h"
#include "emulator_abi/MatrixOperations.h"

#include "dialect/lane/LaneDialect.h"
#include "layout/MatrixAccess.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "target/WgmmaInstructions.h"

using namespace mlir;

namespace hocket {

using host_abi::SiteKind;

static constexpr int64_t kWordBytes = 4;

namespace {

/// A range of words on the lane's stack.
class Words {
public:
  Words(HostFunction &host, int64_t count) : host(host), memory(host.stack.warpgroup.reserve(count * kWordBytes)) {}

  Value address() const { return memory; }
  /// Returns a null pointer, a placeholder for the address of the shadows (undefined bits). TrackUndefined.cpp replaces
  /// the null pointer.
  Value noShadows() const { return LLVM::ZeroOp::create(host.builder, host.loc(), memory.getType()); }
  void store(ValueRange values, int64_t first = 0) {
    for (auto [index, value] : llvm::enumerate(values))
      LLVM::StoreOp::create(host.builder, host.loc(), value, at(first + int64_t(index)), kWordBytes);
  }
  SmallVector<Value> load(TypeRange types) {
    SmallVector<Value> values;
    for (auto [index, type] : llvm::enumerate(types))
      values.push_back(LLVM::LoadOp::create(host.builder, host.loc(), type, at(int64_t(index)), kWordBytes));
    return values;
  }

private:
  Value at(int64_t index) {
    return LLVM::GEPOp::create(host.builder, host.loc(), memory.getType(), host.builder.getI8Type(), memory,
                               ArrayRef<LLVM::GEPArg>{int32_t(index * kWordBytes)}, LLVM::GEPNoWrapFlags::inbounds);
  }

  HostFunction &host;
  Value memory;
};

} // namespace

static LogicalResult convertWgmma(HostFunction &host, lane::WgmmaOp op) {
  if (!host.block.target.hasWgmma)
    return op->emitError() << StringRef(host.block.target.name) << " has no wgmma";
  const WgmmaInstruction instruction = *findWgmma(op.getInstruction());
  bool isInRegisters = op.getA().size() > 1;
  Words words(host, int64_t(op.getAcc().size() + (isInRegisters ? op.getA().size() : 0)));
  words.store(op.getAcc());
  if (isInRegisters)
    words.store(op.getA(), int64_t(op.getAcc().size()));
  Value constant =
      host.constantNumbers({instruction.n, int32_t(instruction.a), int32_t(instruction.b), int32_t(instruction.sum),
                            op.getTransposedA(), op.getTransposedB(), isInRegisters});
  static_assert(sizeof(host_abi::WarpgroupMma) == 7 * sizeof(int32_t));
  calls::multiplyByWarpgroup(host, constant, words.address(), words.noShadows(),
                             isInRegisters ? host.i64(0) : op.getA().front(), op.getB(),
                             op.getUseAcc() ? op.getUseAcc() : host.i1(true),
                             host.sites.add(op, {.kind = SiteKind::SharedOperand, .bytes = kMatrixRowBytes}));
  op.replaceAllUsesWith(words.load(op.getResultTypes()));
  return success();
}

static void convertWait(HostFunction &host, lane::WgmmaWaitOp op) {
  auto count = int64_t(op.getAccs().size());
  Words words(host, std::max<int64_t>(count, 1));
  words.store(op.getAccs());
  calls::waitForWgmmas(host, words.address(), words.noShadows(), count, op.getOutstanding(),
                       host.sites.add(op, {.kind = SiteKind::Barrier}));
  op.replaceAllUsesWith(words.load(op.getResultTypes()));
}

static void convertCommit(HostFunction &host, NVVM::WgmmaGroupSyncAlignedOp op) {
  calls::commitWgmmas(host, host.sites.add(op, {.kind = SiteKind::Barrier}));
}

static void convertProxyFence(HostFunction &host, NVVM::FenceProxyOp fence) {
  bool isGlobal = fence.getKind() == NVVM::ProxyKind::async_global;
  calls::proxyFence(host, isGlobal ? host_abi::kOfGlobal : host_abi::kOfShared);
}

void addWarpgroupOps(OpConversions &table) {
  table.add(convertWgmma);
  table.add([](HostFunction &, lane::WgmmaFenceOp fence) { fence->replaceAllUsesWith(fence.getRegisters()); });
  table.add(convertWait);
  table.add(convertCommit);
  table.add(convertProxyFence);
}

} // namespace hocket
