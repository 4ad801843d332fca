//===- DriverLoader.h - Loads and initializes a GPU driver at run time ------------===//
//
// cuda/Driver.cpp loads the CUDA driver, and hip/Driver.cpp loads the HIP runtime. Both files use the templates below.
// The template parameter `Driver` is a struct of pointers to the driver's functions (cuda/Driver.h, hip/Driver.h).
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_THIRD_PARTY_DRIVERLOADER_H
#define HOCKET_THIRD_PARTY_DRIVERLOADER_H

#include "third_party/SharedLibrary.h"
#include <string>

namespace hocket {

template <typename Driver>
struct LoadedDriver {
  Driver driver{};
  bool usable = false;
  /// If the driver is not usable: a sentence that gives the reason.
  std::string whyNot;

  const Driver *get(std::string *why) const {
    if (why)
      *why = whyNot;
    return usable ? &driver : nullptr;
  }
};

/// Sets function pointers to symbols of `library`, and stores the name of the first missing symbol.
class SymbolFinder {
public:
  explicit SymbolFinder(const SharedLibrary &library) : library(library) {}

  template <typename Function>
  SymbolFinder &operator()(Function *&function, const char *symbol) {
    if (!library.find(function, symbol) && !firstMissing)
      firstMissing = symbol;
    return *this;
  }
  /// Sets a pointer to a function that older drivers lack. The pointer is null if `library` lacks the symbol.
  template <typename Function>
  void optional(Function *&function, const char *symbol) {
    library.find(function, symbol);
  }
  /// Returns the name of the first missing symbol; null if no symbol is missing.
  const char *missing() const { return firstMissing; }

private:
  const SharedLibrary &library;
  const char *firstMissing = nullptr;
};

/// Sets the function pointers of a Driver to the symbols of `library`, and initializes the driver. If the driver is not
/// usable, the reason in `whyNot` contains `title` and `fileName`, such as "the CUDA driver" and "libcuda.so.1".
template <typename Driver>
LoadedDriver<Driver> loadDriver(SharedLibrary library, const std::string &title, const std::string &fileName) {
  LoadedDriver<Driver> result;
  Driver &driver = result.driver;
  if (!library) {
    result.whyNot = title + " (" + fileName + ") is not installed";
    return result;
  }
  driver.library = std::move(library);
  const std::string found = title + " (" + driver.library.name() + ")";
  SymbolFinder find(driver.library);
  driver.findFunctions(find);
  if (find.missing()) {
    result.whyNot = found + " is too old: it has no function " + find.missing();
    return result;
  }
  auto status = driver.init(0);
  if (status == 0)
    status = driver.deviceGetCount(&driver.gpuCount);
  if (Driver::meansNoGpu(status) || (status == 0 && driver.gpuCount == 0))
    result.whyNot = found + " sees no GPU";
  else if (status != 0)
    result.whyNot = found + " does not start: " + driver.describe(status);
  else
    result.usable = true;
  return result;
}

} // namespace hocket

#endif
