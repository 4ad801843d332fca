//===- SharedAccesses.cpp - Checked accesses of shared memory -------------------------===//
//
// A pointer to shared memory is the offset in the block's shared memory, as on a GPU: it survives a trip through a
// 32-bit integer, and one unsigned comparison checks it. Where the access is as wide as its alignment, rotating the
// offset right by log2(width) checks the alignment in the same comparison: low bits that should be 0 become high bits.
//
//   llvm.mlir.addressof @hocket_shared         ->  0
//   llvm.load %p : !llvm.ptr<3> -> vector<4xf32>  ->  %bad = ror(%p, 4) > (shared bytes - 16) / 16
//                                                     if (%bad or lane->watched) shared(lane, %p, null, site, %bad)
//                                                     load lane->shared + %p
//
// The runtime call ends a lane that would do wrong, and looks for races while the lane is watched. A store shows it
// what it is about to write: warps may write the same value without order.
//
//===------------------------------------------------------------------------------===//
#include "conversion/gpu_to_host/Conversions.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hocket {

using host_abi::SiteKind;

static bool isShared(Type type) {
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
  return pointer && pointer.getAddressSpace() == 3;
}

/// True where an access of `bytes` at `offset` leaves shared memory or is not aligned to `alignment`.
static Value isViolated(HostFunction &host, Value offset, int64_t bytes, int64_t alignment) {
  OpBuilder &builder = host.builder;
  Location loc = host.loc();
  auto isAbove = [&](Value value, int64_t limit) -> Value {
    return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ugt, value, host.i64(limit));
  };
  if (bytes > host.sharedBytes())
    return host.i1(true);
  if (bytes == 1)
    return isAbove(offset, host.sharedBytes() - 1);
  if (bytes == alignment) {
    Value rotated = LLVM::FshrOp::create(builder, loc, offset, offset, host.i64(llvm::Log2_64(bytes)));
    return isAbove(rotated, (host.sharedBytes() - bytes) / bytes);
  }
  Value low = LLVM::AndOp::create(builder, loc, offset, host.i64(alignment - 1));
  Value misaligned = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, low, host.i64(0));
  return LLVM::OrOp::create(builder, loc, misaligned, isAbove(offset, host.sharedBytes() - bytes));
}

Value checkedSharedAddress(HostFunction &host, Operation *op, SiteKind kind, Value pointer, Type type,
                           int64_t alignment) {
  OpBuilder &builder = host.builder;
  int64_t bytes = llvm::divideCeil(bitWidthOf(type), 8);
  if (alignment == 0)
    alignment = llvm::isPowerOf2_64(bytes) ? bytes : llvm::divideCeil(bitWidthOf(getElementTypeOrSelf(type)), 8);
  alignment = std::min<int64_t>(alignment, llvm::PowerOf2Ceil(bytes));
  Value offset = LLVM::PtrToIntOp::create(builder, host.loc(), builder.getI64Type(), pointer);
  Value site = host.site(op, {.kind = kind, .bytes = bytes, .alignment = alignment});
  Value violated = isViolated(host, offset, bytes, alignment);
  Value isOfInterest = LLVM::OrOp::create(builder, host.loc(), violated, host.isWatched());
  Type plain = LLVM::LLVMPointerType::get(builder.getContext());
  host.buildIf(isOfInterest, op, [&] {
    Value bytesStored = LLVM::ZeroOp::create(builder, host.loc(), plain);
    if (auto store = dyn_cast<LLVM::StoreOp>(op); store && bytes <= HostFunction::kMaxStoreBytes) {
      bytesStored = host.storedBytes();
      LLVM::StoreOp::create(builder, host.loc(), store.getValue(), bytesStored);
    }
    host.call(host_abi::kShared, nullptr, {host.lane(), offset, bytesStored, site, violated});
  });
  Value base = host.laneField(offsetof(host_abi::LaneContext, shared), plain);
  Value address = LLVM::GEPOp::create(builder, host.loc(), plain, builder.getI8Type(), base, ValueRange{offset},
                                      LLVM::GEPNoWrapFlags::inbounds);
  host.addSharedAddress(address, offset);
  return address;
}

Converted convertSharedAccess(HostFunction &host, Operation *op) {
  return llvm::TypeSwitch<Operation *, Converted>(op)
      .Case([&](LLVM::AddressOfOp address) -> Converted {
        if (!isShared(address.getType()))
          return false;
        if (address.getGlobalName() != "hocket_shared")
          return op->emitError("the emulator knows one shared array, @hocket_shared, not @") << address.getGlobalName();
        address.replaceAllUsesWith(LLVM::ZeroOp::create(host.builder, host.loc(), address.getType()).getResult());
        op->erase();
        return true;
      })
      .Case([&](LLVM::LoadOp load) -> Converted {
        if (!isShared(load.getAddr().getType()))
          return false;
        load.getAddrMutable().assign(checkedSharedAddress(host, op, SiteKind::SharedRead, load.getAddr(),
                                                          load.getType(), load.getAlignment().value_or(0)));
        return true;
      })
      .Case([&](LLVM::StoreOp store) -> Converted {
        if (!isShared(store.getAddr().getType()))
          return false;
        store.getAddrMutable().assign(checkedSharedAddress(host, op, SiteKind::SharedWrite, store.getAddr(),
                                                           store.getValue().getType(),
                                                           store.getAlignment().value_or(0)));
        return true;
      })
      .Case([&](LLVM::AtomicRMWOp atomic) -> Converted {
        if (!isShared(atomic.getPtr().getType()))
          return false;
        atomic.getPtrMutable().assign(
            checkedSharedAddress(host, op, SiteKind::SharedAtomic, atomic.getPtr(), atomic.getVal().getType(), 0));
        atomic.removeSyncscopeAttr();
        return true;
      })
      .Default([](Operation *) -> Converted { return false; });
}

} // namespace hocket
