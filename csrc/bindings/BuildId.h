//===- BuildId.h - Which build of the compiler this is -----------------------------===//
#ifndef HOCKET_BINDINGS_BUILDID_H
#define HOCKET_BINDINGS_BUILDID_H

#include <string>

namespace hocket::bindings {

/// The hash of the extension module's contents that the linker wrote into it, in hexadecimal digits.
std::string buildId();

} // namespace hocket::bindings

#endif
