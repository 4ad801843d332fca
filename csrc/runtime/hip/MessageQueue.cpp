//===- MessageQueue.cpp - Output and failures of kernels on AMD GPUs ---------------===//
#include "runtime/hip/MessageQueue.h"
#include "runtime/LaunchError.h"
#include "runtime/hip/CheckResult.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace hocket::hip {

// Process exit --------------------------------------------------------------------------------------------------------

static std::atomic<int> running; ///< number of launched kernels whose messages have not been read
static pid_t owner;              ///< ID of the process that launched the running kernels

static void waitAtExit() {
  if (running == 0 || getpid() != owner)
    return;
  if (const Driver *driver = Driver::get())
    for (int ordinal = 0; ordinal < driver->gpuCount; ++ordinal)
      if (driver->setDevice(ordinal) == kSuccess)
        driver->synchronize();
}

/// Increments the number of running kernels. The first call registers waitAtExit, which runs when the process exits.
/// HIP's exit handler was registered earlier, so it runs after waitAtExit.
static void count() {
  static std::once_flag once;
  std::call_once(once, [] {
    owner = getpid();
    std::atexit(waitAtExit);
  });
  ++running;
}

// One launch ----------------------------------------------------------------------------------------------------------

struct MessageQueue::Launch::Pending {
  MessageQueue &queue;
  std::string kernel;
  std::vector<MessageSite> sites; // copied, because the DeviceKernel can be destroyed before `read` is called
  uint32_t warpSize;
  uint64_t *memory;
};

static void requireFunctions(const Driver &driver, const std::string &kernel) {
  const char *missing = !driver.hostMalloc           ? "hipHostMalloc"
                        : !driver.launchHostFunction ? "hipLaunchHostFunc"
                        : !driver.streamIsCapturing  ? "hipStreamIsCapturing"
                                                     : nullptr;
  if (missing)
    throw LaunchError("kernel '" + kernel + "' prints or asserts, for which the HIP runtime (" + driver.library.name() +
                      ") is too old: it has no function " + missing);
}

/// Throws LaunchError if the stream is captured into a graph: the messages of a launch are read once, but a graph can
/// launch the kernel many times.
static void requireNoCapture(const Driver &driver, const std::string &kernel, Stream stream) {
  int status = 0;
  check(driver.streamIsCapturing(stream, &status), "querying whether the stream is captured");
  if (status != 0)
    throw LaunchError("kernel '" + kernel + "' prints or asserts, so it cannot be captured in a graph on AMD GPUs");
}

MessageQueue::Launch::Launch(MessageQueue &queue, const KernelFacts &facts, Stream stream) : stream(stream) {
  if (facts.messages.empty())
    return;
  requireFunctions(queue.driver, facts.name);
  requireNoCapture(queue.driver, facts.name, stream);
  pending.reset(new Pending{queue, facts.name, facts.messages, uint32_t(facts.warpSize), queue.takeMemory()});
}

MessageQueue::Launch::~Launch() {
  if (pending)
    pending->queue.giveBack(pending->memory);
}

void *MessageQueue::Launch::address() const { return pending ? pending->memory : nullptr; }

void MessageQueue::Launch::started() {
  if (!pending)
    return;
  count();
  Result result = pending->queue.driver.launchHostFunction(stream, &read, pending.get());
  if (result == kSuccess) {
    (void)pending.release(); // `read` deletes the Pending object
    return;
  }
  --running;
  (void)pending.release(); // the kernel may still write to the memory, so the memory is leaked
  throwResult(result, "queueing the reader of a kernel's messages");
}

/// Host function for hipLaunchHostFunc. HIP calls `read` in a thread of the HIP runtime; `read` must not call HIP.
void MessageQueue::Launch::read(void *data) {
  std::unique_ptr<Pending> done(static_cast<Pending *>(data));
  Messages messages = takeMessages({done->memory, kMessageBytes / sizeof(uint64_t)}, done->sites, done->warpSize);
  std::fwrite(messages.lines.data(), 1, messages.lines.size(), stdout);
  std::fflush(stdout);
  if (!messages.failures.empty())
    done->queue.fail("kernel '" + done->kernel + "' failed:\n" + messages.failures);
  done->queue.giveBack(done->memory);
  --running;
}

// The device ----------------------------------------------------------------------------------------------------------

uint64_t *MessageQueue::takeMemory() {
  {
    std::lock_guard lock(mutex);
    if (!unused.empty()) {
      uint64_t *memory = unused.back();
      unused.pop_back();
      return memory;
    }
  }
  void *memory = nullptr;
  check(driver.hostMalloc(&memory, kMessageBytes, kHostMallocCoherent), "allocating memory for a kernel's messages");
  std::memset(memory, 0, kMessageBytes);
  return static_cast<uint64_t *>(memory);
}

void MessageQueue::giveBack(uint64_t *memory) {
  std::lock_guard lock(mutex);
  unused.push_back(memory);
}

void MessageQueue::fail(const std::string &text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  std::lock_guard lock(mutex);
  if (failure.empty())
    failure = text;
  hasFailed = true;
}

void MessageQueue::raiseKeptFailure() {
  std::string text;
  {
    std::lock_guard lock(mutex);
    text.swap(failure);
    hasFailed = false;
  }
  if (!text.empty())
    throw LaunchError(text);
}

} // namespace hocket::hip
