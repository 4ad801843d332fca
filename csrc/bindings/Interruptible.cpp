//===- Interruptible.cpp - Interruptible waits for long work -----------------------===//
#include "bindings/Interruptible.h"
#include "bindings/Presence.h"
#include "support/Steps.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <sys/resource.h>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace hocket::bindings {

/// Minimum stack size of a worker in bytes. If the stack limit of the process (RLIMIT_STACK) is finite and larger,
/// workers have stacks of that size.
static constexpr size_t kStackBytes = size_t(64) << 20;

namespace {

/// A call of `work` that a worker executes while another thread waits for the end of the call.
class Task {
public:
  explicit Task(std::function<void()> work) : work(std::move(work)) {}

  void perform();
  /// Wakes the waiting thread. If the waiting thread has abandoned the work, also declares the end of the abandoned
  /// work (Presence.h).
  void finish();
  /// Waits for at most kSignalInterval. Returns true if the work is done.
  bool waitForIt();
  /// Abandons the work unless the work is done. Requires the GIL.
  void abandon();
  /// Rethrows the exception that `work` has thrown, if any. Afterwards the task holds no reference to the exception, so
  /// the worker cannot destroy the exception concurrently.
  void rethrow();

private:
  std::function<void()> work;
  std::exception_ptr error;
  std::atomic<bool> abandoned = false;
  bool isDone = false;
  std::mutex mutex; ///< protects `isDone`, and the assignment to `abandoned`
  std::condition_variable done;
};

class IdleWorkers;

class Worker {
public:
  /// Starts a thread that executes tasks, and adds itself to `idle` after each task. Returns null if the system cannot
  /// start more threads.
  static std::shared_ptr<Worker> start(IdleWorkers &idle);

  void give(std::shared_ptr<Task> task);
  void join();

private:
  static void *run(void *worker);
  std::shared_ptr<Task> takeTask();

  IdleWorkers *idle = nullptr;
  pthread_t thread = 0;
  std::shared_ptr<Worker> self; ///< keeps the Worker object alive until the thread has started
  std::mutex mutex;
  std::condition_variable changed;
  std::shared_ptr<Task> next;
  bool mayEnd = false;
};

class IdleWorkers {
public:
  std::shared_ptr<Worker> take();
  void add(std::shared_ptr<Worker> worker);
  std::vector<std::shared_ptr<Worker>> takeAll();

private:
  std::mutex mutex;
  std::vector<std::shared_ptr<Worker>> workers;
};

} // namespace

// Task --------------------------------------------------------------------------------------------------------------

void Task::perform() {
  EndsWhen ends(abandoned);
  try {
    work();
  } catch (...) {
    error = std::current_exception();
  }
  work = nullptr; // destroys the objects that the lambda `work` owns
}

void Task::finish() {
  bool isAlone;
  {
    std::lock_guard lock(mutex);
    isDone = true;
    isAlone = abandoned;
    done.notify_all();
  }
  if (isAlone)
    noLongerLeftBehind();
}

bool Task::waitForIt() {
  std::unique_lock lock(mutex);
  return done.wait_for(lock, kSignalInterval, [this] { return isDone; });
}

void Task::abandon() {
  std::lock_guard lock(mutex);
  if (isDone)
    return;
  abandoned = true;
  leaveBehind();
}

void Task::rethrow() {
  if (error)
    std::rethrow_exception(std::exchange(error, nullptr));
}

// Workers -----------------------------------------------------------------------------------------------------------

/// Makes glibc keep freed memory in the process. A compilation allocates and frees several MB. Without
/// `keepFreedMemory`, glibc would return these pages to the system, and the page faults of the next compilation would
/// take a third of the compile time of a small kernel. glibc raises its trim threshold when a chunk that was allocated
/// by mmap is freed: from then on, glibc keeps twice the size of this chunk at the top of a heap.
static void keepFreedMemory() {
  constexpr size_t kBytes = size_t(8) << 20;
  void *volatile piece = std::malloc(kBytes); // volatile, so that the compiler does not remove the allocation
  std::free(piece);
}

static size_t stackBytes() {
  rlimit limit;
  bool isLimited = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return isLimited ? std::max<size_t>(kStackBytes, limit.rlim_cur) : kStackBytes;
}

std::shared_ptr<Worker> Worker::start(IdleWorkers &idle) {
  auto worker = std::make_shared<Worker>();
  worker->idle = &idle;
  worker->self = worker;
  pthread_attr_t attributes;
  bool isStarted = pthread_attr_init(&attributes) == 0;
  if (isStarted) {
    pthread_attr_setstacksize(&attributes, stackBytes());
    isStarted = pthread_create(&worker->thread, &attributes, &Worker::run, worker.get()) == 0;
    pthread_attr_destroy(&attributes);
  }
  if (isStarted)
    return worker;
  worker->self = nullptr;
  return nullptr;
}

void *Worker::run(void *worker) {
  std::shared_ptr<Worker> own = std::move(static_cast<Worker *>(worker)->self);
  pthread_setname_np(pthread_self(), "hocket");
  keepFreedMemory();
  while (std::shared_ptr<Task> task = own->takeTask()) {
    task->perform();
    own->idle->add(own); // called before `finish`, so that the woken thread finds an idle worker
    task->finish();
  }
  return nullptr;
}

std::shared_ptr<Task> Worker::takeTask() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [this] { return next || mayEnd; });
  return std::move(next);
}

void Worker::give(std::shared_ptr<Task> task) {
  std::lock_guard lock(mutex);
  next = std::move(task);
  changed.notify_all();
}

void Worker::join() {
  {
    std::lock_guard lock(mutex);
    mayEnd = true;
    changed.notify_all();
  }
  pthread_join(thread, nullptr);
}

std::shared_ptr<Worker> IdleWorkers::take() {
  std::lock_guard lock(mutex);
  if (workers.empty())
    return nullptr;
  std::shared_ptr<Worker> last = std::move(workers.back());
  workers.pop_back();
  return last;
}

void IdleWorkers::add(std::shared_ptr<Worker> worker) {
  std::lock_guard lock(mutex);
  workers.push_back(std::move(worker));
}

std::vector<std::shared_ptr<Worker>> IdleWorkers::takeAll() {
  std::lock_guard lock(mutex);
  return std::exchange(workers, {});
}

/// Returns the idle workers of this process. A forked child starts without idle workers, because it does not have its
/// parent's threads. Requires the GIL.
static IdleWorkers &idleWorkers() {
  static auto *idle = new IdleWorkers; // never destroyed, because worker threads can outlive static destructors
  static unsigned generation = forkGeneration();
  if (generation != forkGeneration()) {
    idle = new IdleWorkers;
    generation = forkGeneration();
  }
  return *idle;
}

void endIdleWorkers() {
  IdleWorkers &idle = idleWorkers();
  WithoutGil released;
  for (const std::shared_ptr<Worker> &worker : idle.takeAll())
    worker->join();
}

// Main thread -------------------------------------------------------------------------------------------------------

static bool isMainThread() {
  static PyObject *mainThread = py::object(py::module_::import("threading").attr("main_thread")).release().ptr();
  auto thread = py::reinterpret_steal<py::object>(PyObject_CallNoArgs(mainThread));
  if (!thread)
    throw py::error_already_set();
  return thread.attr("ident").cast<unsigned long>() == PyThread_get_thread_ident();
}

static std::shared_ptr<Worker> findWorker() {
  if (!isMainThread())
    return nullptr;
  std::shared_ptr<Worker> worker = idleWorkers().take();
  return worker ? worker : Worker::start(idleWorkers());
}

void runInterruptibly(std::function<void()> work) {
  std::shared_ptr<Worker> worker = findWorker();
  if (!worker) {
    WithoutGil released;
    work();
    work = nullptr;
    return;
  }
  auto task = std::make_shared<Task>(std::move(work));
  worker->give(task);
  for (;;) {
    bool isDone;
    {
      WithoutGil released;
      isDone = task->waitForIt();
    }
    if (PyErr_CheckSignals() != 0) {
      task->abandon();
      throw py::error_already_set();
    }
    if (isDone)
      return task->rethrow();
  }
}

} // namespace hocket::bindings
