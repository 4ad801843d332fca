//===- VendorNames.h - Names in the modules of GPU vendors ---------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_VENDORNAMES_H
#define HOCKET_FRONTEND_SEMANTICS_VENDORNAMES_H

#include "frontend/semantics/Emitter.h"
#include "target/Vendors.h"

namespace hocket::frontend {

/// Returns the vendor of the builtin `name`, such as AMD for "amd.cdna3.mfma". Returns null if this vendor is that of
/// `target`, or if `name` is not in the module of a vendor.
const VendorInfo *otherVendorOf(const TargetInfo &target, std::string_view name);

/// Raises an error if the builtin `name` ("amd.cdna3.mfma") belongs to another vendor than the target.
void checkVendor(Emitter &e, std::string_view name);

/// Returns the names of the MMA functions of `target`, for hints.
std::string matrixUnitsOf(const TargetInfo &target);

/// Returns a hint such as "it is gl.amd.cdna3.mfma" if a module of the language defines `name`; "" for other names.
std::string elsewhereInLanguage(const std::string &name);

} // namespace hocket::frontend

#endif
