// Stub.
#include "dialect/hk/HkDialect.h"

using namespace mlir;

namespace hocket::hk {

LogicalResult AddPtrOp::verify() { return success(); }
LogicalResult PtrToIntOp::verify() { return success(); }
LogicalResult IntToPtrOp::verify() { return success(); }
LogicalResult PtrCastOp::verify() { return success(); }
OpFoldResult AddPtrOp::fold(FoldAdaptor) { return {}; }

} // namespace hocket::hk
