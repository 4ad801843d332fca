//===- SharedLibrary.cpp - A library opened at run time ---------------------------===//
#include "third_party/SharedLibrary.h"
#include <dlfcn.h>

namespace hocket {

SharedLibrary SharedLibrary::openFirst(std::span<const std::string> candidates) {
  SharedLibrary library;
  for (const std::string &candidate : candidates) {
    library.handle = dlopen(candidate.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library.handle) {
      library.openedName = candidate;
      return library;
    }
  }
  return library;
}

void *SharedLibrary::findAddress(const char *symbol) const { return handle ? dlsym(handle, symbol) : nullptr; }

} // namespace hocket
