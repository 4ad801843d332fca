//===- NamedFunction.h - A runtime function that compiled code calls by name -------------------===//
#ifndef HOCKET_EMULATOR_HOST_NAMEDFUNCTION_H
#define HOCKET_EMULATOR_HOST_NAMEDFUNCTION_H

namespace hocket::emulator {

struct NamedFunction {
  const char *name;
  void *address;
};

} // namespace hocket::emulator

#endif
