//===- SharedLibrary.h - Libraries opened at run time -----------------------------===//
#ifndef HOCKET_THIRD_PARTY_SHAREDLIBRARY_H
#define HOCKET_THIRD_PARTY_SHAREDLIBRARY_H

#include <span>
#include <string>
#include <string_view>

namespace hocket {

/// A handle from dlopen. Never closed: the libraries opened this way keep their own threads and state.
class SharedLibrary {
public:
  SharedLibrary() = default;

  /// Opens the first of `candidates` (names or paths) that the system can load. Returns an empty handle if none can be
  /// loaded.
  static SharedLibrary openFirst(std::span<const std::string> candidates);

  /// Opens the library whose file name begins with `prefix` ("libamdhip64.so") among those that the process has already
  /// loaded, from any path. Returns the first if there are several, an empty handle if there is none.
  static SharedLibrary openLoaded(std::string_view prefix);

  explicit operator bool() const { return handle != nullptr; }

  /// Returns the candidate that was opened.
  const std::string &name() const { return openedName; }

  /// Sets `function` to the symbol's address. Returns false, and sets null, if the library does not export it.
  template <typename Function>
  bool find(Function *&function, const char *symbol) const {
    function = reinterpret_cast<Function *>(findAddress(symbol));
    return function != nullptr;
  }

private:
  void *findAddress(const char *symbol) const;

  void *handle = nullptr;
  std::string openedName;
};

} // namespace hocket

#endif
