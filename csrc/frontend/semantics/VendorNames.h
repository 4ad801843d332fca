//===- VendorNames.h - Names of vendors' modules -------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_VENDORNAMES_H
#define HOCKET_FRONTEND_SEMANTICS_VENDORNAMES_H

#include "frontend/semantics/Emitter.h"
#include "target/Vendors.h"

namespace hocket::frontend {

/// Returns the vendor whose module of the language has `name` ("amd.cdna3.mfma"); null if that is the vendor of
/// `target`, or if the name is in no vendor's module.
const VendorInfo *otherVendorOf(const TargetInfo &target, std::string_view name);

/// Raises an error if the builtin `name` ("amd.cdna3.mfma") belongs to another vendor than the target.
void checkVendor(Emitter &e, std::string_view name);

/// Returns the MMA functions of `target`, for hints.
std::string matrixUnitsOf(const TargetInfo &target);

/// Returns a hint for a name that the language or a vendor's module has, "it is gl.amd.cdna3.mfma", or "".
std::string elsewhereInLanguage(const std::string &name);

} // namespace hocket::frontend

#endif
