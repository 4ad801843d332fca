//===- SharedAccesses.cpp - Converts accesses of shared memory to checked accesses ----===//
//
// A pointer to shared memory is an offset in the block's shared memory, and can be cast to a 32-bit integer and back,
// as on a GPU. One unsigned comparison checks the offset. If the access is as wide as its alignment, the offset is
// rotated right by log2(width): low bits that should be 0 become high bits, so that the comparison also checks the
// alignment.
//
//   llvm.mlir.addressof @hocket_shared         ->  0; with clusters, lane->ownShared
//   llvm.load %p : !llvm.ptr<3> -> vector<4xf32>  ->  %bad = ror(%p, 4) > (shared bytes - 16) / 16
//                                                     if (%bad or lane->watched) shared(lane, %p, null, site, %bad)
//                                                     load lane->shared + %p
//
// The runtime call ends the lane if the check fails, and checks for races if `watched` is set. A store passes the value
// that it will write, because several warps can write the same value without a race.
//
// A batch of loads, or of stores, is checked by one call before the first access (Rows.h). The call passes the stored
// values only if the runtime needs these values.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/Conversions.h"
#include "conversion/lane_to_host/matrix/Rows.h"
#include "dialect/lane/AddressSpaces.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hocket {

using host_abi::SiteKind;
using host_abi::SiteNumber;

static bool isShared(Type type) {
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
  return pointer &&
         (pointer.getAddressSpace() == kSharedAddressSpace || pointer.getAddressSpace() == kClusterAddressSpace);
}

/// Converts an offset in the shared memory of a cluster to an offset in the shared memory of a block. The result is out
/// of bounds for an offset outside of the accessed memory, which is the block's own memory or, if `isOfCluster`, the
/// memory of all blocks.
static Value offsetInBlock(HostFunction &host, Value offset, bool isOfCluster) {
  OpBuilder &builder = host.builder;
  Location loc = host.loc();
  if (host.block.numCtas == 1)
    return offset;
  if (!isOfCluster) {
    Value own = host.laneField(offsetof(host_abi::LaneContext, ownShared), builder.getI64Type());
    return LLVM::SubOp::create(builder, loc, offset, own);
  }
  int64_t stride = host.block.sharedStride();
  Value inBlock = LLVM::AndOp::create(builder, loc, offset, host.i64(stride - 1));
  Value hasBlock =
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult, offset, host.i64(stride * host.block.numCtas));
  return LLVM::SelectOp::create(builder, loc, hasBlock, inBlock, host.i64(-1));
}

/// Returns an i1 that is true if an access of `bytes` at `offset` is not inside shared memory, or not aligned to
/// `alignment`.
static Value isViolated(HostFunction &host, Value offset, int64_t bytes, int64_t alignment) {
  OpBuilder &builder = host.builder;
  Location loc = host.loc();
  auto isAbove = [&](Value value, int64_t limit) -> Value {
    return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ugt, value, host.i64(limit));
  };
  if (bytes > host.block.sharedBytes)
    return host.i1(true);
  if (bytes == 1)
    return isAbove(offset, host.block.sharedBytes - 1);
  if (bytes == alignment) {
    Value rotated = LLVM::FshrOp::create(builder, loc, offset, offset, host.i64(llvm::Log2_64(bytes)));
    return isAbove(rotated, (host.block.sharedBytes - bytes) / bytes);
  }
  Value low = LLVM::AndOp::create(builder, loc, offset, host.i64(alignment - 1));
  Value misaligned = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, low, host.i64(0));
  return LLVM::OrOp::create(builder, loc, misaligned, isAbove(offset, host.block.sharedBytes - bytes));
}

static int64_t bytesOf(const CheckedAccess &access) { return llvm::divideCeil(bitWidthOf(access.type), 8); }

static int64_t alignmentOf(const CheckedAccess &access) {
  int64_t bytes = bytesOf(access), alignment = access.alignment;
  if (alignment == 0)
    alignment = llvm::isPowerOf2_64(bytes) ? bytes : llvm::divideCeil(bitWidthOf(getElementTypeOrSelf(access.type)), 8);
  return std::min<int64_t>(alignment, llvm::PowerOf2Ceil(bytes));
}

/// Returns the stored value that is passed to the runtime; null if the value is too large or `access` is not a store.
static Value shownBy(const CheckedAccess &access) {
  auto store = dyn_cast<LLVM::StoreOp>(access.op);
  return store && bytesOf(access) <= host_abi::kMaxStoreBytes ? store.getValue() : Value();
}

static Value placeIn(HostFunction &host, Value memory, int64_t offset) {
  return LLVM::GEPOp::create(host.builder, host.loc(), memory.getType(), host.builder.getI8Type(), memory,
                             ArrayRef<LLVM::GEPArg>{int32_t(offset)}, LLVM::GEPNoWrapFlags::inbounds);
}

/// Copies the operand values of the batch's stores to the lane's stack, where the runtime reads the values. Returns the
/// address of the copies.
static Value show(HostFunction &host, ArrayRef<CheckedAccess> accesses) {
  auto count = int64_t(accesses.size());
  Value stored = host.stack.accesses.reserve(count * host_abi::kMaxStoreBytes);
  for (auto [i, access] : llvm::enumerate(accesses))
    LLVM::StoreOp::create(host.builder, host.loc(), shownBy(access),
                          placeIn(host, stored, int64_t(i) * host_abi::kMaxStoreBytes));
  return stored;
}

/// Calls the runtime for accesses at `offsets`.
static void callRuntime(HostFunction &host, ArrayRef<CheckedAccess> accesses, ArrayRef<Value> offsets,
                        ArrayRef<SiteNumber> sites, Value violated) {
  OpBuilder &builder = host.builder;
  auto count = int64_t(accesses.size());
  bool areShown = llvm::all_of(accesses, [](const CheckedAccess &access) { return bool(shownBy(access)); });
  auto nothing = [&] {
    return LLVM::ZeroOp::create(builder, host.loc(), LLVM::LLVMPointerType::get(builder.getContext()));
  };
  if (count == 1) {
    Value stored = areShown ? show(host, accesses) : nothing();
    calls::shared(host, offsets.front(), stored, sites.front(), violated);
    return;
  }
  SmallVector<int32_t> row = {int32_t(count)};
  for (SiteNumber site : sites)
    row.push_back(int32_t(site));
  constexpr int64_t kOffsetBytes = sizeof(uint64_t);
  int64_t begin = areShown ? count * host_abi::kMaxStoreBytes : 0;
  Value memory = host.stack.accesses.reserve(begin + count * kOffsetBytes), first = placeIn(host, memory, begin);
  for (auto [i, offset] : llvm::enumerate(offsets))
    LLVM::StoreOp::create(builder, host.loc(), offset, placeIn(host, memory, begin + int64_t(i) * kOffsetBytes));
  Value numbers = host.constantNumbers(row);
  if (areShown)
    host.guards.skipIf(calls::storedRow(host, numbers, first, violated), accesses.back().op);
  Value stored = areShown ? show(host, accesses) : nothing();
  calls::sharedRow(host, numbers, first, stored, violated);
}

SmallVector<Value> checkedSharedAddresses(HostFunction &host, ArrayRef<CheckedAccess> accesses) {
  OpBuilder &builder = host.builder;
  SmallVector<Value> offsets, addresses;
  SmallVector<SiteNumber> sites;
  Value violated;
  for (const CheckedAccess &access : accesses) {
    host.shared.areLanesTogether &= access.kind == SiteKind::SharedRead;
    Value offset = LLVM::PtrToIntOp::create(builder, host.loc(), builder.getI64Type(), access.pointer);
    int64_t bytes = bytesOf(access), alignment = alignmentOf(access);
    offsets.push_back(offset);
    sites.push_back(host.sites.add(access.op, {.kind = access.kind, .bytes = bytes, .alignment = alignment}));
    bool isOfCluster = cast<LLVM::LLVMPointerType>(access.pointer.getType()).getAddressSpace() == kClusterAddressSpace;
    Value isBad = isViolated(host, offsetInBlock(host, offset, isOfCluster), bytes, alignment);
    violated = violated ? LLVM::OrOp::create(builder, host.loc(), violated, isBad) : isBad;
  }
  Value isOfInterest = LLVM::OrOp::create(builder, host.loc(), violated, host.shared.isWatched());
  host.guards.buildIf(isOfInterest, accesses.back().op, [&] { callRuntime(host, accesses, offsets, sites, violated); });
  Type plain = LLVM::LLVMPointerType::get(builder.getContext());
  Value base = host.laneField(offsetof(host_abi::LaneContext, shared), plain);
  for (Value offset : offsets) {
    addresses.push_back(LLVM::GEPOp::create(builder, host.loc(), plain, builder.getI8Type(), base, ValueRange{offset},
                                            LLVM::GEPNoWrapFlags::inbounds));
    host.shared.add(addresses.back(), offset);
  }
  return addresses;
}

static CheckedAccess describe(Operation *op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return {op, SiteKind::SharedRead, load.getAddr(), load.getType(), int64_t(load.getAlignment().value_or(0))};
  if (auto store = dyn_cast<LLVM::StoreOp>(op))
    return {op, SiteKind::SharedWrite, store.getAddr(), store.getValue().getType(),
            int64_t(store.getAlignment().value_or(0))};
  auto atomic = cast<LLVM::AtomicRMWOp>(op);
  return {op, SiteKind::SharedAtomic, atomic.getPtr(), atomic.getVal().getType(), 0};
}

static void setAddress(Operation *op, Value address) { op->setOperand(isa<LLVM::StoreOp>(op) ? 1 : 0, address); }

static bool isAccess(Operation *op) {
  return isa<LLVM::LoadOp, LLVM::StoreOp, LLVM::AtomicRMWOp>(op) && isShared(describe(op).pointer.getType());
}

namespace {

/// Collects accesses of one kind that are checked in one batch.
class Batch {
public:
  Converted add(HostFunction &host, Operation *op) {
    if (!isAccess(op))
      return false;
    if (auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op))
      atomic.removeSyncscopeAttr();
    pending.push_back(op);
    if (!canGoOn())
      access(host);
    return true;
  }

private:
  /// True if the next access can be checked and converted together with the pending accesses.
  bool canGoOn() const {
    constexpr size_t kMost = 16;
    Operation *last = pending.back();
    CheckedAccess access = describe(last);
    bool isLoad = access.kind == SiteKind::SharedRead;
    if (pending.size() == kMost || !(isLoad || shownBy(access)))
      return false;
    Row row(pending);
    auto isNext = [&](Operation *op) {
      if (op->getName() != last->getName() || !isAccess(op))
        return false;
      CheckedAccess next = describe(op);
      return !row.gives(next.pointer) && (isLoad || shownBy(next));
    };
    return row.canGoOn(isNext, [](Operation *) { return false; });
  }

  /// Emits, at the last of the pending accesses, the check and the accesses.
  void access(HostFunction &host) {
    Operation *last = pending.back();
    Row row(pending);
    SmallVector<CheckedAccess> accesses = llvm::map_to_vector(pending, describe);
    for (auto [op, address] : llvm::zip_equal(pending, checkedSharedAddresses(host, accesses))) {
      setAddress(op, address);
      if (op != last)
        op->moveBefore(last);
    }
    row.moveDependents(last->getNextNode());
    pending.clear();
  }

  SmallVector<Operation *> pending;
};

} // namespace

static Converted convertAddress(HostFunction &host, LLVM::AddressOfOp address) {
  if (!isShared(address.getType()))
    return false;
  if (address.getGlobalName() != "hocket_shared")
    return address->emitError("the emulator supports one shared array, @hocket_shared, not @")
           << address.getGlobalName();
  if (host.block.numCtas == 1) {
    address.replaceAllUsesWith(LLVM::ZeroOp::create(host.builder, host.loc(), address.getType()).getResult());
  } else {
    Value own = host.laneField(offsetof(host_abi::LaneContext, ownShared), host.builder.getI64Type());
    address.replaceAllUsesWith(LLVM::IntToPtrOp::create(host.builder, host.loc(), address.getType(), own).getResult());
  }
  address->erase();
  return true;
}

void addSharedAccesses(OpConversions &table) {
  auto batch = std::make_shared<Batch>();
  table.add(convertAddress);
  table.addAll<LLVM::LoadOp, LLVM::StoreOp, LLVM::AtomicRMWOp>(
      [batch](HostFunction &host, Operation *op) { return batch->add(host, op); });
}

} // namespace hocket
