//===- OpConversions.cpp - Table of the conversions of all operations in lane form ----===//
#include "conversion/lane_to_host/OpConversions.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket {

Converted OpConversions::convertBy(const SmallVectorImpl<Prefixed> &conversions, StringRef name, HostFunction &host,
                                   Operation *op) {
  const auto *found = llvm::find_if(conversions, [&](const Prefixed &it) { return name.starts_with(it.prefix); });
  return found == conversions.end() ? Converted(false) : found->convert(host, op);
}

Converted OpConversions::convert(HostFunction &host, Operation *op) const {
  if (auto found = byName.find(op->getName()); found != byName.end())
    return found->second(host, op);
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return convertBy(byIntrinsic, call.getIntrin(), host, op);
  if (isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
    return false;
  return convertBy(byPrefix, op->getName().getStringRef(), host, op);
}

} // namespace hocket
