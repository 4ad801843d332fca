//===- Program.cpp - A kernel as host code, with its facts ------------------------------===//
#include "emulator/host/Program.h"

#include "emulator/host/HostCode.h" // complete for the destructor

namespace hocket::emulator {

Program::Program() = default;
Program::~Program() = default;

} // namespace hocket::emulator
