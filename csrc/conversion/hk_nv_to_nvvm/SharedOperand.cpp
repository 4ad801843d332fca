//===- SharedOperand.cpp - Matrix descriptors of wgmma operands in shared memory ----------===//
#include "conversion/hk_nv_to_nvvm/SharedOperand.h"

#include "conversion/hk_to_lane/patterns/RegisterIndices.h"
#include "conversion/hk_to_lane/patterns/SharedTile.h"
#include "dialect/hk/layouts/Layouts.h"
#include "target/WgmmaInstructions.h"

using namespace mlir;

namespace hocket {

FailureOr<SharedOperand> SharedOperand::find(Operation *op, StringRef name, hk::MemDescType type, unsigned own,
                                             int64_t rows, int64_t slots) {
  if (type.getSlotRank() != 0)
    return op->emitError("wgmma cannot read all buffers of a ring at once; select one with memdesc_index");
  if (std::optional<DescribedMatrix> matrix = describeSlots(type, own, rows, slots))
    return SharedOperand(type, own, *std::move(matrix));
  int64_t bits = type.getElementType().getIntOrFloatBitWidth();
  InFlightDiagnostic error = op->emitError() << "wgmma cannot read `" << name << "` in its layout in shared memory: no "
                                             << "matrix descriptor can describe the layout " << type.getLayout();
  error.attachNote() << "hint: use an NVMMASharedLayout with a swizzle, as get_default_for makes"
                     << (bits == 16 ? "" : ", with K as the fastest dimension (transposed=True for b)");
  return failure();
}

/// All warps of a warpgroup use the same descriptor, so only the warpgroup's index selects rows or columns.
LinearLayout SharedOperand::bytesOfWarpgroup(const LinearLayout &acc) const {
  DimBits warps = {Dim::Warp, uint8_t(acc.getInDimSizeLog2(Dim::Warp))};
  LinearLayout result = LinearLayout::zeros(std::span(&warps, 1), matrix.bytes.getOutDims());
  for (unsigned bit = log2Exact(kWarpsPerWarpgroup); bit < warps.bits; ++bit) {
    int32_t row = acc.getBasis(Dim::Warp, bit, tensorDim(own));
    Coords bytes = matrix.bytes.apply({{tensorDim(own), row}});
    result.setBasis(Dim::Warp, bit, bytes);
  }
  return result;
}

void SharedOperand::begin(LoweringContext &lowering, OpBuilder &builder, Location loc, ValueRange lowered,
                          const LinearLayout &acc) {
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  auto constant = [&](int64_t value) { return LLVM::ConstantOp::create(builder, loc, i32, value); };
  Value address = LLVM::PtrToIntOp::create(builder, loc, i32, lowered.front());
  ViewStart start = emitViewStart(builder, loc, type, lowered.drop_front(), matrix.bytes);
  if (start.offset)
    address = LLVM::AddOp::create(builder, loc, address, start.offset);
  else if (start.constant)
    address = LLVM::AddOp::create(builder, loc, address, constant(start.constant));
  LinearLayout ofWarpgroup = bytesOfWarpgroup(acc);
  if (ofWarpgroup.getRank()) {
    Value warp = lowering.uniformWarpId(builder, loc);
    Value bytes = applyLayout(builder, loc, ofWarpgroup, {{Dim::Warp, warp}}).front();
    address = LLVM::AddOp::create(builder, loc, address, bytes);
  }
  constexpr int64_t kUnitBits = 4, kAddressMask = 0x3fff;
  Value units = LLVM::LShrOp::create(builder, loc, address, constant(kUnitBits));
  units = LLVM::AndOp::create(builder, loc, units, constant(kAddressMask));
  Value rest = LLVM::ConstantOp::create(builder, loc, i64, int64_t(matrix.descriptor.encode()));
  first = LLVM::OrOp::create(builder, loc, LLVM::ZExtOp::create(builder, loc, i64, units), rest);
}

Value SharedOperand::at(OpBuilder &builder, Location loc, int32_t row, int32_t k) const {
  int32_t bytes = matrix.bytes.apply({{tensorDim(own), row}, {tensorDim(1 - own), k}})[Dim::Offset];
  if (!bytes)
    return first;
  Value constant =
      LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), int64_t(MatrixDescriptor::advance(bytes)));
  return LLVM::AddOp::create(builder, loc, first, constant);
}

} // namespace hocket
