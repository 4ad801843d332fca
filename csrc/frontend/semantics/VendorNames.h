//===- VendorNames.h - Names that only a vendor's module of the language has ---------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_VENDORNAMES_H
#define HOCKET_FRONTEND_SEMANTICS_VENDORNAMES_H

#include "frontend/emit/Emitter.h"

namespace hocket::frontend {

/// Stops where the builtin `name` ("amd.cdna3.mfma") belongs to another vendor than the target.
void checkVendor(Emitter &e, std::string_view name);

/// The functions that multiply matrices on `target`, for hints.
std::string matrixUnitsOf(const TargetInfo &target);

/// A hint for a name that the language or a vendor's module has, "it is gl.amd.cdna3.mfma", or "".
std::string elsewhereInLanguage(const std::string &name);

} // namespace hocket::frontend

#endif
