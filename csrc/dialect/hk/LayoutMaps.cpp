// The linear map of each layout attribute: the bridge from IR to layout/.
#include "dialect/hk/HkDialect.h"

using namespace mlir;

namespace hocket::hk {

LinearLayout BlockedAttr::toLinearLayout(ArrayRef<int64_t> shape) const { return {}; }
LinearLayout SliceAttr::toLinearLayout(ArrayRef<int64_t> shape) const { return {}; }
LinearLayout LinearAttr::toLinearLayout(ArrayRef<int64_t> shape) const { return {}; }
LinearLayout DotOperandAttr::toLinearLayout(ArrayRef<int64_t> shape) const { return {}; }
LinearLayout SwizzledSharedAttr::toLinearLayout(ArrayRef<int64_t> shape) const { return {}; }
LinearLayout PaddedSharedAttr::toLinearLayout(ArrayRef<int64_t> shape) const { return {}; }

} // namespace hocket::hk
