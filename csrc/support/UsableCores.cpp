//===- UsableCores.cpp - Number of CPU cores that this process may use ----------------------===//
#include "support/UsableCores.h"

#include <algorithm>
#include <sched.h>
#include <thread>

namespace hocket {

unsigned usableCores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) == 0)
    return std::max(1, CPU_COUNT(&cores));
  // sched_getaffinity fails if the machine has more cores than a cpu_set_t can represent.
  return std::max(1u, std::thread::hardware_concurrency());
}

} // namespace hocket
