//===- ImplicitArguments.cpp - Kernel arguments that the runtime passes ------------===//
#include "dialect/hk/facts/ImplicitArguments.h"

#include "dialect/hk/facts/Facts.h"

using namespace mlir;

namespace hocket::hk {

LogicalResult ImplicitAttr::verify(function_ref<InFlightDiagnostic()> emitError, ImplicitKind, int64_t bytesPerLaunch,
                                   int64_t bytesPerBlock) {
  if (bytesPerLaunch < 0 || bytesPerBlock < 0)
    return emitError() << "bytes_per_launch and bytes_per_block must not be negative, but are " << bytesPerLaunch
                       << " and " << bytesPerBlock;
  return success();
}

BlockArgument appendImplicitArgument(FunctionOpInterface function, ImplicitAttr what) {
  Builder builder(function.getContext());
  auto facts = builder.getDictionaryAttr(
      {builder.getNamedAttr(kDivisibilityAttr.getName(), builder.getI32IntegerAttr(kImplicitAlignment)),
       builder.getNamedAttr(kImplicitAttr.getName(), what)});
  unsigned index = function.getNumArguments();
  LogicalResult inserted =
      function.insertArgument(index, PointerType::get(builder.getI8Type()), facts, function.getLoc());
  (void)inserted;
  assert(succeeded(inserted) && "a pointer is an argument of any function");
  return function.getArgument(index);
}

SmallVector<ImplicitAttr> implicitArgumentsOf(FunctionOpInterface function) {
  SmallVector<ImplicitAttr> found;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (ImplicitAttr what = kImplicitAttr.getAttrOfArgument(function, i))
      found.push_back(what);
  return found;
}

} // namespace hocket::hk
