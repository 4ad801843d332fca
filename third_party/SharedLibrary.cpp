//===- SharedLibrary.cpp - Libraries opened at run time ---------------------------===//
#include "third_party/SharedLibrary.h"
#include <dlfcn.h>
#include <link.h>

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

SharedLibrary SharedLibrary::openLoaded(std::string_view prefix) {
  struct Search {
    std::string_view prefix;
    std::string path;
  } search{prefix, {}};
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *data) {
        auto &search = *static_cast<Search *>(data);
        std::string_view path = info->dlpi_name;
        // If the path has no '/', rfind returns npos, and npos + 1 is 0.
        if (!path.substr(path.rfind('/') + 1).starts_with(search.prefix))
          return 0;
        search.path = path;
        return 1;
      },
      &search);
  return search.path.empty() ? SharedLibrary() : openFirst({&search.path, 1});
}

void *SharedLibrary::findAddress(const char *symbol) const { return handle ? dlsym(handle, symbol) : nullptr; }

} // namespace hocket
