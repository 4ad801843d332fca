//===- SharedLibrary.h - Libraries opened at run time -----------------------------===//
#ifndef HOCKET_THIRD_PARTY_SHAREDLIBRARY_H
#define HOCKET_THIRD_PARTY_SHAREDLIBRARY_H

#include <span>
#include <string>
#include <string_view>

namespace hocket {

/// A shared library that is opened by dlopen. The library is never closed, because drivers have threads and state that
/// a dlclose would break.
class SharedLibrary {
public:
  SharedLibrary() = default;

  /// Opens the first of `candidates` (file names or paths) that dlopen can load. Returns an empty SharedLibrary if
  /// dlopen can load none of them.
  static SharedLibrary openFirst(std::span<const std::string> candidates);

  /// Opens a library that the process has already loaded, from any path. The file name of the library must begin with
  /// `prefix`, such as "libamdhip64.so". If several loaded libraries match, opens the first one. If no loaded library
  /// matches, returns an empty SharedLibrary.
  static SharedLibrary openLoaded(std::string_view prefix);

  explicit operator bool() const { return handle != nullptr; }

  /// Returns the file name or path with which the library was opened.
  const std::string &name() const { return openedName; }

  /// Sets `function` to the address of `symbol`. If the library does not export `symbol`, sets `function` to null and
  /// returns false.
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
