// Stub.
#include "dialect/hk/HkDialect.h"

using namespace mlir;

namespace hocket::hk {

LogicalResult ReduceOp::verify() { return success(); }
LogicalResult DotFmaOp::verify() { return success(); }

} // namespace hocket::hk
