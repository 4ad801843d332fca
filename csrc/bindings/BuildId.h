//===- BuildId.h - Build id of the extension module --------------------------------===//
#ifndef HOCKET_BINDINGS_BUILDID_H
#define HOCKET_BINDINGS_BUILDID_H

#include <string>

namespace hocket::bindings {

/// Returns the hash of the extension module's contents that the linker wrote into it, in hexadecimal digits.
std::string buildId();

} // namespace hocket::bindings

#endif
