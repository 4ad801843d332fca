//===- VendorNames.h - Names of vendors' modules -------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_VENDORNAMES_H
#define HOCKET_FRONTEND_SEMANTICS_VENDORNAMES_H

#include "frontend/emit/Emitter.h"

namespace hocket::frontend {

/// Raises an error if the builtin `name` ("amd.cdna3.mfma") belongs to another vendor than the target.
void checkVendor(Emitter &e, std::string_view name);

/// Returns the MMA functions of `target`, for hints.
std::string matrixUnitsOf(const TargetInfo &target);

/// Returns a hint for a name that the language or a vendor's module has, "it is gl.amd.cdna3.mfma", or "".
std::string elsewhereInLanguage(const std::string &name);

} // namespace hocket::frontend

#endif
