//===- TmaOps.cpp - Converts TMA copies of boxes of tensors -------------------------------===//
//
//   nvvm.cp.async.bulk.tensor.global.shared.cta, reduce  store_tensor(lane, map, coordinates, offset, reduction, sites)
//   nvvm.cp.async.bulk.tensor.shared.cluster.global  load_tensor(lane, map, coordinates, offset, mbarrier, blocks, ...)
//   nvvm.cp.async.bulk.commit.group                commit_stores(lane)
//   nvvm.cp.async.bulk.wait_group                  wait_for_stores(lane, outstanding, read only)
//   llvm.nvvm.tensormap.replace.FIELD              replace_tensor_map(lane, map, field, dimension, value, site)
//
// A tensor map is an argument of the launch, in the emulator's format (runtime/TensorMap.h). The map determines the box
// that an instruction copies, as on the hardware.
//
// PTX ISA 9.0, "Data Movement and Conversion Instructions: Tensor copy".
//
//===--------------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/Conversions.h"

#include "dialect/hk_nv/HkNvDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "target/TmaLimits.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace hocket {

using host_abi::SiteKind;
using host_abi::SiteNumber;
using host_abi::TensorReduction;

static constexpr StringLiteral kReplaceField = "llvm.nvvm.tensormap.replace.";

/// Stores the coordinates, followed by the offsets of im2col (which are unsigned), as 64-bit numbers on the stack;
/// returns their address.
static Value coordinatesInMemory(HostFunction &host, ValueRange coordinates, ValueRange offsets = {}) {
  OpBuilder &builder = host.builder;
  constexpr int64_t kBytes = sizeof(int64_t);
  SmallVector<Value> wideNumbers;
  for (Value coordinate : coordinates)
    wideNumbers.push_back(LLVM::SExtOp::create(builder, host.loc(), builder.getI64Type(), coordinate));
  for (Value offset : offsets)
    wideNumbers.push_back(LLVM::ZExtOp::create(builder, host.loc(), builder.getI64Type(), offset));
  Value memory = host.stack.accesses.reserve(int64_t(wideNumbers.size()) * kBytes);
  for (auto [i, wide] : llvm::enumerate(wideNumbers)) {
    Value place = LLVM::GEPOp::create(builder, host.loc(), memory.getType(), builder.getI64Type(), memory,
                                      ArrayRef<LLVM::GEPArg>{int32_t(i)});
    LLVM::StoreOp::create(builder, host.loc(), wide, place);
  }
  return memory;
}

/// Returns the index of the kernel argument that is the tensor map `map`. Returns nullopt for a map that the kernel
/// builds, because such a map can describe any array.
static std::optional<unsigned> arrayOf(HostFunction &host, Value map) {
  std::optional<unsigned> origin = host.parameters.originOf(map);
  return origin && host.parameters.isImplicit(*origin) ? std::nullopt : origin;
}

/// Returns the site numbers of the copy's access of shared memory and of the copy's access of global memory. Both
/// accesses are checked element by element.
static std::pair<SiteNumber, SiteNumber> sitesOf(HostFunction &host, Operation *op, Value map, SiteKind inShared,
                                                 SiteKind inGlobal) {
  std::optional<int64_t> bytes = hk_nv::kElementBytesAttr.get(op);
  SiteNumber shared = host.sites.add(op, {.kind = inShared, .bytes = kTmaUnitBytes});
  SiteNumber global =
      host.sites.add(op, {.kind = inGlobal, .bytes = bytes.value_or(1), .argument = arrayOf(host, map)});
  return {shared, global};
}

static Value offsetOf(HostFunction &host, Value address) {
  return LLVM::PtrToIntOp::create(host.builder, host.loc(), host.builder.getI64Type(), address);
}

static LogicalResult requirePlain(Operation *op, bool isPlain) {
  if (isPlain)
    return success();
  return op->emitError("the emulator runs ")
         << op->getName() << " only in tiled mode (loads also by im2col), without predicate";
}

static TensorReduction reductionOf(NVVM::TMAReduxKind kind) {
  switch (kind) {
  case NVVM::TMAReduxKind::ADD:
    return TensorReduction::Add;
  case NVVM::TMAReduxKind::MIN:
    return TensorReduction::Min;
  case NVVM::TMAReduxKind::MAX:
    return TensorReduction::Max;
  case NVVM::TMAReduxKind::AND:
    return TensorReduction::And;
  case NVVM::TMAReduxKind::OR:
    return TensorReduction::Or;
  case NVVM::TMAReduxKind::XOR:
    return TensorReduction::Xor;
  default:
    return TensorReduction::None;
  }
}

/// Converts a bulk store. `isPlain` is true for tiled mode without further options. `reduction` is applied to the
/// elements in memory.
template <typename OpT>
static LogicalResult convertStore(HostFunction &host, OpT op, bool isPlain, TensorReduction reduction) {
  if (failed(requirePlain(op, isPlain && op.getMode() == NVVM::TMAStoreMode::TILE)))
    return failure();
  bool isStore = reduction == TensorReduction::None;
  auto [shared, global] =
      sitesOf(host, op, op.getTmaDescriptor(), SiteKind::TensorStore, isStore ? SiteKind::Write : SiteKind::Atomic);
  calls::storeTensor(host, op.getTmaDescriptor(), coordinatesInMemory(host, op.getCoordinates()),
                     offsetOf(host, op.getSrcMem()), reduction, shared, global);
  return success();
}

static Converted convertLoad(HostFunction &host, NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp op) {
  bool isKnown = op.getMode() == NVVM::TMALoadMode::TILE || op.getMode() == NVVM::TMALoadMode::IM2COL;
  bool isPlain = isKnown && !op.getPredicate();
  // The destination is an address in the block's shared memory, cast to the shared memory of the cluster.
  auto cast = op.getDstMem().getDefiningOp<LLVM::AddrSpaceCastOp>();
  if (failed(requirePlain(op, isPlain && cast)))
    return failure();
  auto [shared, global] = sitesOf(host, op, op.getTmaDescriptor(), SiteKind::TensorLoad, SiteKind::Read);
  Value blocks =
      op.getMulticastMask()
          ? LLVM::ZExtOp::create(host.builder, host.loc(), host.builder.getI32Type(), op.getMulticastMask()).getResult()
          : host.i32(0);
  calls::loadTensor(host, op.getTmaDescriptor(), coordinatesInMemory(host, op.getCoordinates(), op.getIm2colOffsets()),
                    offsetOf(host, cast.getArg()), offsetOf(host, op.getMbar()), blocks, global, shared);
  op->erase();
  if (cast.use_empty())
    cast->erase();
  return true;
}

/// Converts a write of a descriptor field. Writes of fields that the lowering always sets to the same value (element
/// strides, interleave) are erased, because the emulator's format lacks these fields.
static void convertReplace(HostFunction &host, Operation *op) {
  using host_abi::TensorMapField;
  auto call = cast<LLVM::CallIntrinsicOp>(op);
  StringRef name = call.getIntrin();
  name.consume_front(kReplaceField);
  name.consume_back(".p1");
  auto field = llvm::StringSwitch<std::optional<TensorMapField>>(name)
                   .Case("global.address", TensorMapField::Address)
                   .Case("rank", TensorMapField::Rank)
                   .Case("box.dim", TensorMapField::BoxSize)
                   .Case("global.dim", TensorMapField::Size)
                   .Case("global.stride", TensorMapField::StrideBytes)
                   .Case("elemtype", TensorMapField::Element)
                   .Case("swizzle.mode", TensorMapField::Swizzle)
                   .Case("fill.mode", TensorMapField::Fill)
                   .Default(std::nullopt);
  if (field) {
    OpBuilder &builder = host.builder;
    ValueRange args = call.getArgs();
    Value dimension = args.size() == 3 ? args[1] : host.i32(0), value = args.back();
    if (value.getType().isInteger(32))
      value = LLVM::ZExtOp::create(builder, host.loc(), builder.getI64Type(), value);
    calls::replaceTensorMap(host, args[0], *field, dimension, value,
                            host.sites.add(call, {.kind = SiteKind::TensorMap}));
  }
}

void addTmaOps(OpConversions &table) {
  table.add([](HostFunction &host, NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp store) {
    return convertStore(host, store, !store.getPredicate(), TensorReduction::None);
  });
  table.add([](HostFunction &host, NVVM::CpAsyncBulkTensorReduceOp reduce) {
    TensorReduction reduction = reductionOf(reduce.getRedKind());
    return convertStore(host, reduce, reduction != TensorReduction::None, reduction);
  });
  table.add(convertLoad);
  table.addIntrinsics(kReplaceField, convertReplace);
  table.add([](HostFunction &host, NVVM::CpAsyncBulkCommitGroupOp) { calls::commitStores(host); });
  table.add([](HostFunction &host, NVVM::CpAsyncBulkWaitGroupOp wait) {
    calls::waitForStores(host, wait.getGroup(), bool(wait.getRead()));
  });
}

} // namespace hocket
