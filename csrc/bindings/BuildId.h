//===- BuildId.h - Build id of the extension module --------------------------------===//
#ifndef HOCKET_BINDINGS_BUILDID_H
#define HOCKET_BINDINGS_BUILDID_H

#include <string>

namespace hocket::bindings {

/// Returns the build id of the extension module in hexadecimal digits. The build id is a hash of the module's contents,
/// which the linker stores in the module.
std::string buildId();

} // namespace hocket::bindings

#endif
