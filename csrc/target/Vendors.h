//===- Vendors.h - Facts about each vendor's targets -----------------------------===//
#ifndef HOCKET_TARGET_VENDORS_H
#define HOCKET_TARGET_VENDORS_H

#include "target/TargetInfo.h"

#include <span>
#include <string_view>

namespace hocket {

struct VendorInfo {
  Vendor vendor;
  /// The vendor's name in Python, which is also the name of its module of the language, such as "nvidia".
  std::string_view name;
  /// The vendor's name in messages, such as "NVIDIA".
  std::string_view label;
  /// LLVM's target triple for the vendor's GPUs.
  std::string_view triple;
  /// Number of the LLVM address space that holds stack variables.
  unsigned stackAddressSpace;
};

std::span<const VendorInfo> allVendors();
const VendorInfo &infoOf(Vendor vendor);

} // namespace hocket

#endif
