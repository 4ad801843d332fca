//===- BufferOps.cpp - Converts buffer accesses of AMD GPUs to checked accesses ----------===//
//
//   %r = rocdl.make.buffer.rsrc %base, 0, %records, %flags          erased
//   %v = rocdl.raw.ptr.buffer.load %r, %offset, %scalar, %aux
//     ->  %inside = zext(%offset) + bytes <= %records
//         %q = global(lane, %base + zext(%offset) + zext(%scalar), site, %inside)
//         %v = select %inside, (llvm.load %q), 0
//
// An access outside of the resource is legal: a load returns zeros, a store or an atomic does nothing. An access inside
// the resource is also checked against the arrays of the launch, because a resource is usually larger than its array.
// Offsets are unsigned and in bytes, so a negative offset is outside of the resource.
//
// Buffer accesses are aligned to their elements or to 4 bytes, whichever is less.
//
// "AMD Instinct MI300" ISA guide, "Buffer Addressing" and "Range checking" (raw buffers).
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/Conversions.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace hocket {

using host_abi::SiteKind;

FailureOr<BufferAddress> bufferAddress(HostFunction &host, Operation *op, Value resource, Value offset,
                                       Value scalarOffset, int64_t immediateOffset, int64_t bytes) {
  auto made = resource.getDefiningOp<ROCDL::MakeBufferRsrcOp>();
  if (!made)
    return op->emitError("the emulator cannot find the operation that creates the buffer resource of ")
           << op->getName();
  if (!matchPattern(made.getStride(), m_Zero()))
    return op->emitError("the emulator supports buffer resources of stride 0 only");
  OpBuilder &builder = host.builder;
  Location loc = host.loc();
  Type i64 = builder.getI64Type();
  Value checked = LLVM::ZExtOp::create(builder, loc, i64, offset);
  if (immediateOffset)
    checked = LLVM::AddOp::create(builder, loc, checked, host.i64(immediateOffset));
  Value end = LLVM::AddOp::create(builder, loc, checked, host.i64(bytes));
  Value isInside = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ule, end, made.getNumRecords());
  Value scalar = LLVM::ZExtOp::create(builder, loc, i64, scalarOffset);
  Value distance = LLVM::AddOp::create(builder, loc, checked, scalar);
  Value pointer = LLVM::GEPOp::create(builder, loc, made.getBase().getType(), builder.getI8Type(), made.getBase(),
                                      ValueRange{distance});
  return BufferAddress{pointer, isInside};
}

namespace {

/// A buffer access and its checked address.
struct Access {
  Value address, isInside;
  host_abi::SiteNumber site;
  Site description;
  unsigned alignment;
};

} // namespace

/// Emits the check of an access. Operand `first` of `op` is the resource, and the next two operands are the offset and
/// the scalar offset.
static FailureOr<Access> checkAccess(HostFunction &host, Operation *op, SiteKind kind, Type type, unsigned first) {
  int64_t bytes = bitWidthOf(type) / 8;
  if (bytes == 0 || bytes > 16)
    return op->emitError("the emulator cannot run a buffer access of ") << type;
  auto made = op->getOperand(first).getDefiningOp<ROCDL::MakeBufferRsrcOp>();
  FailureOr<BufferAddress> place =
      bufferAddress(host, op, op->getOperand(first), op->getOperand(first + 1), op->getOperand(first + 2), 0, bytes);
  if (failed(place))
    return failure();
  int64_t alignment = kind == SiteKind::Atomic ? bytes : std::min<int64_t>(bytes, 4);
  Site description = {
      .kind = kind, .bytes = bytes, .alignment = alignment, .argument = host.parameters.originOf(made.getBase())};
  description.unusedCopies = unusedCopiesOf(op);
  host_abi::SiteNumber site = host.sites.add(op, description);
  Value address = calls::global(host, place->pointer, site, place->isInside);
  return Access{address, place->isInside, site, description, unsigned(alignment)};
}

/// Returns `value` if the access is inside the resource, and zero otherwise.
static Value orZero(HostFunction &host, const Access &access, Value value) {
  Value zero = LLVM::ZeroOp::create(host.builder, host.loc(), value.getType());
  return LLVM::SelectOp::create(host.builder, host.loc(), access.isInside, value, zero);
}

static LogicalResult convertBufferLoad(HostFunction &host, ROCDL::RawPtrBufferLoadOp op) {
  Type type = op.getRes().getType();
  FailureOr<Access> access = checkAccess(host, op, SiteKind::Read, type, 0);
  if (failed(access))
    return failure();
  Value value = LLVM::LoadOp::create(host.builder, host.loc(), type, access->address, access->alignment);
  op.getRes().replaceAllUsesWith(orZero(host, *access, value));
  return success();
}

static LogicalResult convertBufferStore(HostFunction &host, ROCDL::RawPtrBufferStoreOp op) {
  FailureOr<Access> access = checkAccess(host, op, SiteKind::Write, op.getVdata().getType(), 1);
  if (failed(access))
    return failure();
  LLVM::StoreOp::create(host.builder, host.loc(), op.getVdata(), access->address, access->alignment);
  return success();
}

static std::optional<LLVM::AtomicBinOp> binaryOf(StringRef name) {
  using Result = std::optional<LLVM::AtomicBinOp>;
  return llvm::StringSwitch<Result>(name)
      .Case("add", LLVM::AtomicBinOp::add)
      .Case("sub", LLVM::AtomicBinOp::sub)
      .Case("and", LLVM::AtomicBinOp::_and)
      .Case("or", LLVM::AtomicBinOp::_or)
      .Case("xor", LLVM::AtomicBinOp::_xor)
      .Case("smin", LLVM::AtomicBinOp::min)
      .Case("smax", LLVM::AtomicBinOp::max)
      .Case("umin", LLVM::AtomicBinOp::umin)
      .Case("umax", LLVM::AtomicBinOp::umax)
      .Case("swap", LLVM::AtomicBinOp::xchg)
      .Case("fadd", LLVM::AtomicBinOp::fadd)
      .Case("fmin", LLVM::AtomicBinOp::fmin)
      .Case("fmax", LLVM::AtomicBinOp::fmax)
      .Default(std::nullopt);
}

/// Emits a compare-and-swap. Returns the old value, and an i1 that is true if the old value has been replaced.
static std::pair<Value, Value> compareAndSwap(HostFunction &host, Value address, Value compare, Value value) {
  OpBuilder &builder = host.builder;
  Type type = value.getType(), bits = builder.getIntegerType(unsigned(bitWidthOf(type)));
  auto asBits = [&](Value operand) -> Value {
    return operand.getType() == bits ? operand : LLVM::BitcastOp::create(builder, host.loc(), bits, operand);
  };
  Value pair = LLVM::AtomicCmpXchgOp::create(builder, host.loc(), address, asBits(compare), asBits(value),
                                             LLVM::AtomicOrdering::monotonic, LLVM::AtomicOrdering::monotonic);
  Value old = LLVM::ExtractValueOp::create(builder, host.loc(), pair, 0);
  Value stored = LLVM::ExtractValueOp::create(builder, host.loc(), pair, 1);
  return {type == bits ? old : LLVM::BitcastOp::create(builder, host.loc(), type, old).getResult(), stored};
}

static constexpr StringLiteral kAtomicOps = "rocdl.raw.ptr.buffer.atomic.";
static constexpr StringLiteral kAtomicIntrinsics = "llvm.amdgcn.raw.ptr.buffer.atomic.";

/// Returns the name of the atomic in the name of an operation or of a called intrinsic, without prefix and type suffix.
static StringRef atomicName(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    name = call.getIntrin();
  if (!name.consume_front(kAtomicOps))
    name.consume_front(kAtomicIntrinsics);
  return name.split('.').first;
}

/// Converts a buffer atomic. The part of the operation's name after "buffer.atomic." selects the kind of access. A
/// buffer atomic returns the old value, or has no result.
static LogicalResult convertAtomic(HostFunction &host, Operation *op) {
  StringRef name = atomicName(op);
  bool isExchange = name == "cmpswap";
  std::optional<LLVM::AtomicBinOp> binary = binaryOf(name);
  if (!isExchange && !binary)
    return op->emitError("the emulator does not support the buffer atomic ") << name;
  Value value = op->getOperand(0);
  FailureOr<Access> access = checkAccess(host, op, SiteKind::Atomic, value.getType(), isExchange ? 2 : 1);
  if (failed(access))
    return failure();
  Value old, stored = host.i1(true);
  if (isExchange)
    std::tie(old, stored) = compareAndSwap(host, access->address, op->getOperand(1), value);
  else
    old = LLVM::AtomicRMWOp::create(host.builder, host.loc(), *binary, access->address, value,
                                    LLVM::AtomicOrdering::monotonic);
  endAtomic(host, access->description, access->site, access->address, access->isInside, stored);
  if (op->getNumResults() && !op->getResult(0).use_empty())
    op->getResult(0).replaceAllUsesWith(orZero(host, *access, old));
  return success();
}

void addBufferOps(OpConversions &table) {
  // Operations that create buffer resources are kept, because the conversions of accesses read their operands.
  // eraseBufferResources erases them.
  table.add([](HostFunction &, ROCDL::MakeBufferRsrcOp) -> Converted { return true; });
  table.add(convertBufferLoad);
  table.add(convertBufferStore);
  table.addPrefix(kAtomicOps, convertAtomic);
  table.addIntrinsics(kAtomicIntrinsics, convertAtomic);
}

LogicalResult eraseBufferResources(HostFunction &host) {
  SmallVector<ROCDL::MakeBufferRsrcOp> resources;
  host.function().walk([&](ROCDL::MakeBufferRsrcOp op) { resources.push_back(op); });
  for (ROCDL::MakeBufferRsrcOp op : resources) {
    if (!op->use_empty())
      return op->emitError("the emulator supports buffer resources as operands of buffer accesses only, not of ")
             << op->user_begin()->getName();
    op->erase();
  }
  return success();
}

} // namespace hocket
