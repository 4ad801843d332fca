//===- MatrixMoves.cpp - Converts ldmatrix and stmatrix --------------------------------------===//
//
//   %v = nvvm.ldmatrix %p       ->  gather(lane)
//   %w = nvvm.ldmatrix %q           pieces[0] = llvm.load of 16 checked bytes at %p       on the lane's stack
//                                   pieces[1] = llvm.load of 16 checked bytes at %q
//                                   crossLane(lane, MatrixLoads, pieces, 2, matrices, ...)
//                                   %v, %w = words of pieces[0], pieces[1]
//
//   nvvm.stmatrix %p, %a, ...   ->  pieces[0] = %a, ...
//                                   crossLane(lane, MatrixStores, pieces, 1, matrices, ...)
//                                   llvm.store of pieces[0], 16 checked bytes at %p
//
// A batch of loads needs one rendezvous of the warp's lanes (Rows.h). If an instruction has fewer than four matrices,
// some lanes provide no row address. The conversion assumes that these lanes repeat the addresses of other lanes, as in
// the code of the lowerings.
//
// PTX ISA 9.0, "Warp-level matrix load instruction: ldmatrix", "stmatrix".
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/Conversions.h"
#include "conversion/lane_to_host/matrix/Rows.h"

#include "layout/MatrixAccess.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket {

using host_abi::CrossLaneOp;

static bool isOfHalfWords(NVVM::LdStMatrixShapeAttr shape, NVVM::LdStMatrixEltType type) {
  return shape.getM() == kMatrixRows && shape.getN() == kMatrixRows && type == NVVM::LdStMatrixEltType::B16;
}

/// Returns the operand `b` of crossLane: the number of matrices, and a flag that is set if the matrices are transposed.
static int64_t describeMove(int64_t matrices, NVVM::MMALayout layout) {
  return matrices | (layout == NVVM::MMALayout::col ? int64_t(host_abi::kTransposesMatrices) : 0);
}

static Value placeOf(HostFunction &host, int64_t offset) {
  return LLVM::GEPOp::create(host.builder, host.loc(), LLVM::LLVMPointerType::get(host.builder.getContext()),
                             host.builder.getI8Type(), host.stack.matrices.reserve(0),
                             ArrayRef<LLVM::GEPArg>{int32_t(offset)}, LLVM::GEPNoWrapFlags::inbounds);
}

static Type pieceType(HostFunction &host) {
  return VectorType::get(kMatrixRowBytes / kMatrixWordBytes, host.builder.getI32Type());
}

// Loads ---------------------------------------------------------------------------------------------------------------

static int64_t describeLoad(Operation *op) {
  auto load = cast<NVVM::LdMatrixOp>(op);
  return describeMove(load.getNum(), load.getLayout());
}

/// Loads the words of a lane from the lane's stack, as the result of an ldmatrix.
static Value wordsOf(HostFunction &host, int64_t piece, Type type) {
  OpBuilder &builder = host.builder;
  auto word = [&](int64_t number) -> Value {
    return LLVM::LoadOp::create(builder, host.loc(), builder.getI32Type(),
                                placeOf(host, piece * kMatrixRowBytes + number * kMatrixWordBytes),
                                unsigned(kMatrixWordBytes));
  };
  auto words = dyn_cast<LLVM::LLVMStructType>(type);
  if (!words)
    return word(0);
  Value all = LLVM::UndefOp::create(builder, host.loc(), type);
  for (int64_t number = 0; number < int64_t(words.getBody().size()); ++number)
    all = LLVM::InsertValueOp::create(builder, host.loc(), all, word(number), ArrayRef<int64_t>{number});
  return all;
}

namespace {

/// Collects loads whose rows are exchanged in one rendezvous.
class Loads {
public:
  LogicalResult add(HostFunction &host, NVVM::LdMatrixOp op) {
    if (!isOfHalfWords(op.getShape(), op.getEltType()))
      return op.emitError("the emulator supports nvvm.ldmatrix of 8 x 8 elements of 16 bits only");
    // Earlier stores of other lanes of the warp must be visible to the loads even without a barrier, so the lanes
    // converge first.
    if (pending.empty())
      calls::gather(host);
    pending.push_back(op);
    if (!canGoOn())
      exchange(host);
    return success();
  }

private:
  bool canGoOn() const;
  void exchange(HostFunction &host);

  SmallVector<Operation *> pending;
};

/// True if the rows of the next load can be exchanged together with the rows of the pending loads.
bool Loads::canGoOn() const {
  constexpr size_t kMostLoads = 16;
  if (pending.size() == kMostLoads)
    return false;
  Row row(pending);
  auto isNext = [&](Operation *op) {
    return isa<NVVM::LdMatrixOp>(op) && describeLoad(op) == describeLoad(pending.back()) &&
           !row.gives(op->getOperand(0));
  };
  return row.canGoOn(isNext, [](Operation *op) { return isa<LLVM::LoadOp>(op); });
}

/// Emits the exchange of the rows of all pending loads, at the last of these loads.
void Loads::exchange(HostFunction &host) {
  auto count = int64_t(pending.size());
  Value pieces = host.stack.matrices.reserve(count * kMatrixRowBytes);
  Operation *last = pending.back();
  SmallVector<CheckedAccess> accesses = llvm::map_to_vector(pending, [&](Operation *op) {
    return CheckedAccess{op, host_abi::SiteKind::SharedRead, op->getOperand(0), pieceType(host), kMatrixRowBytes};
  });
  for (auto [number, address] : llvm::enumerate(checkedSharedAddresses(host, accesses))) {
    Value row = LLVM::LoadOp::create(host.builder, host.loc(), pieceType(host), address, unsigned(kMatrixRowBytes));
    LLVM::StoreOp::create(host.builder, host.loc(), row, placeOf(host, int64_t(number) * kMatrixRowBytes),
                          unsigned(kMatrixWordBytes));
  }
  crossLane(host, last, CrossLaneOp::MatrixLoads, pieces, host.i64(count), describeLoad(last));
  Row row(pending);
  for (auto [number, load] : llvm::enumerate(pending)) {
    Value result = load->getResult(0);
    result.replaceAllUsesWith(wordsOf(host, int64_t(number), result.getType()));
  }
  row.moveDependents(last);
  for (Operation *op : pending)
    op->erase();
  pending.clear();
}

} // namespace

// Stores --------------------------------------------------------------------------------------------------------------

static Converted convertStore(HostFunction &host, NVVM::StMatrixOp op, const OpConversions &table) {
  if (!isOfHalfWords(op.getShape(), op.getEltType()))
    return op.emitError("the emulator supports nvvm.stmatrix of 8 x 8 elements of 16 bits only");
  OpBuilder &builder = host.builder;
  Value piece = host.stack.matrices.reserve(kMatrixRowBytes);
  for (auto [number, word] : llvm::enumerate(op.getSources()))
    LLVM::StoreOp::create(builder, host.loc(), word, placeOf(host, int64_t(number) * kMatrixWordBytes),
                          unsigned(kMatrixWordBytes));
  crossLane(host, op, CrossLaneOp::MatrixStores, piece, host.i64(1),
            describeMove(int64_t(op.getSources().size()), op.getLayout()));
  Value row = LLVM::LoadOp::create(builder, host.loc(), pieceType(host), placeOf(host, 0), unsigned(kMatrixWordBytes));
  auto store = LLVM::StoreOp::create(builder, host.loc(), row, op.getPtr(), unsigned(kMatrixRowBytes));
  op.erase();
  host.at(store);
  return table.convert(host, store);
}

void addMatrixMoves(OpConversions &table) {
  auto loads = std::make_shared<Loads>();
  table.add([loads](HostFunction &host, NVVM::LdMatrixOp op) -> Converted {
    if (failed(loads->add(host, op)))
      return failure();
    return true;
  });
  table.add([&table](HostFunction &host, NVVM::StMatrixOp op) { return convertStore(host, op, table); });
}

} // namespace hocket
