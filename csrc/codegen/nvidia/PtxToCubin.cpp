//===- PtxToCubin.cpp - Assembles PTX into a cubin --------------------------------===//
//
// If nvJitLink is found (PyTorch's pip packages contain nvJitLink), the PTX is assembled in this process, without
// subprocesses or files. If nvJitLink is not found, the `ptxas` program is run. nvPTXCompiler is not used: it exists
// only as a static library, so it cannot be loaded at run time.
//
// nvJitLink compiles each PTX text to a relocatable object, and ignores setmaxnreg in relocatable objects (warning
// C7504). Kernels that rely on setmaxnreg would therefore spill registers, and their wgmmas would be serialized. For
// this reason, kernels that use setmaxnreg are assembled by `ptxas` or, if `ptxas` is not found, by the driver. In a
// forked child in which nvJitLink would crash (third_party/cuda/InitInChild.h), `ptxas` assembles all kernels.
//
//===------------------------------------------------------------------------------===//
#include "codegen/Codegen.h"
#include "codegen/TemporaryFolder.h"
#include "support/Steps.h"
#include "third_party/cuda/InitInChild.h"
#include "third_party/nvjitlink/NvJitLink.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <chrono>
#include <csignal>
#include <mutex>
#include <thread>
#include <vector>

using namespace llvm;

namespace hocket {

namespace {

/// The PTX assemblers found on this machine. The assemblers are searched once, at the first use after setCudaToolchain.
struct Assembler {
  std::unique_ptr<NvJitLink> nvJitLink;
  std::string ptxasPath;

  const NvJitLink *linkerFor(StringRef ptx) const {
    bool isUsable = nvJitLink && !ptx.contains("setmaxnreg.") && !cuda::initCrashes();
    return isUsable ? nvJitLink.get() : nullptr;
  }
  std::string nameFor(StringRef ptx) const {
    if (linkerFor(ptx)) {
      unsigned major = 0, minor = 0;
      std::string version;
      if (nvJitLink->version && nvJitLink->version(&major, &minor) == 0)
        version = " " + std::to_string(major) + "." + std::to_string(minor);
      return "nvJitLink" + version + " (" + nvJitLink->library.name() + ")";
    }
    return ptxasPath.empty() ? "" : "ptxas (" + ptxasPath + ")";
  }
};

struct AssemblerSearch {
  std::mutex mutex;
  CudaToolchain toolchain;
  std::shared_ptr<const Assembler> found;
};

} // namespace

static AssemblerSearch &assemblerSearch() {
  static AssemblerSearch search;
  return search;
}

/// Returns the path of `ptxas`, or "" if `ptxas` is not found. For each library folder <root>/lib, <root>/bin is
/// searched; then PATH is searched.
static std::string findPtxas(ArrayRef<std::string> folders) {
  for (const std::string &folder : folders) {
    SmallString<128> path = sys::path::parent_path(folder);
    sys::path::append(path, "bin", "ptxas");
    if (sys::fs::can_execute(path))
      return std::string(path);
  }
  auto onPath = sys::findProgramByName("ptxas");
  return onPath ? *onPath : "";
}

static std::shared_ptr<const Assembler> findAssembler() {
  AssemblerSearch &search = assemblerSearch();
  std::lock_guard lock(search.mutex);
  if (!search.found) {
    auto assembler = std::make_shared<Assembler>();
    int newestMajor = search.toolchain.newestMajor ? search.toolchain.newestMajor : NvJitLink::kNewestMajor;
    assembler->nvJitLink = NvJitLink::load(search.toolchain.folders, newestMajor);
    assembler->ptxasPath = findPtxas(search.toolchain.folders);
    search.found = assembler;
  }
  return search.found;
}

void setCudaToolchain(CudaToolchain toolchain) {
  AssemblerSearch &search = assemblerSearch();
  std::lock_guard lock(search.mutex);
  search.toolchain = std::move(toolchain);
  search.found.reset();
}

std::string cubinAssemblerName(StringRef ptx) { return findAssembler()->nameFor(ptx); }

static Error assemblerError(StringRef log, StringRef target) {
  return createStringError("the PTX assembler refused the kernel for " + target + ":\n" + log.rtrim());
}

static Expected<std::string> assembleInProcess(const NvJitLink &api, StringRef ptx, StringRef target, bool lineInfo) {
  std::string arch = ("-arch=" + target).str();
  std::vector<const char *> options = {arch.c_str(), "-O3"};
  if (lineInfo)
    options.push_back("-lineinfo");

  NvJitLink::Handle handle = nullptr;
  if (api.create(&handle, options.size(), options.data()) != 0)
    return createStringError("nvJitLink refused the options for " + target);
  struct Destroy {
    const NvJitLink &api;
    NvJitLink::Handle *handle;
    ~Destroy() { api.destroy(handle); }
  } destroy{api, &handle};

  // nvJitLink expects the PTX as a C string whose size includes the terminating zero.
  std::string text = ptx.str();
  size_t size = 0;
  if (api.addData(handle, NvJitLink::kInputPtx, text.c_str(), text.size() + 1, "kernel.ptx") != 0 ||
      api.complete(handle) != 0 || api.getLinkedCubinSize(handle, &size) != 0) {
    std::string log;
    if (api.getErrorLogSize(handle, &size) == 0 && size > 0) {
      log.resize(size);
      api.getErrorLog(handle, log.data());
      log.resize(StringRef(log).find('\0') == StringRef::npos ? size : StringRef(log).find('\0'));
    }
    return assemblerError(log, target);
  }
  std::string cubin(size, '\0');
  if (api.getLinkedCubin(handle, cubin.data()) != 0)
    return createStringError("nvJitLink returned no cubin for " + target);
  return cubin;
}

/// Runs `program` as sys::ExecuteAndWait does, but kills the process if the compilation is abandoned.
static int runProgram(StringRef program, ArrayRef<StringRef> arguments, ArrayRef<std::optional<StringRef>> redirects,
                      std::string &problem) {
  sys::ProcessInfo process =
      sys::ExecuteNoWait(program, arguments, std::nullopt, redirects, /*MemoryLimit=*/0, &problem);
  if (process.Pid == sys::ProcessInfo::InvalidPid)
    return -1;
  for (;;) {
    sys::ProcessInfo ended = sys::Wait(process, /*SecondsToWait=*/0, &problem, nullptr, /*Polling=*/true);
    if (ended.Pid != 0)
      return ended.ReturnCode;
    if (isAbandoned())
      kill(process.Pid, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

static Expected<std::string> assembleWithProgram(StringRef ptxas, StringRef ptx, StringRef target, bool lineInfo) {
  auto folder = TemporaryFolder::create();
  if (!folder)
    return folder.takeError();
  if (Error error = folder->write("kernel.ptx", ptx))
    return error;
  std::string input = folder->pathOf("kernel.ptx"), output = folder->pathOf("kernel.cubin"),
              log = folder->pathOf("log");

  std::string arch = ("-arch=" + target).str();
  SmallVector<StringRef> arguments = {ptxas, arch, "-O3", "-o", output, input};
  if (lineInfo)
    arguments.push_back("-lineinfo");
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(log), StringRef(log)};
  std::string problem;
  int code = runProgram(ptxas, arguments, redirects, problem);
  if (code != 0) {
    auto text = folder->read("log");
    if (!text) // no log exists if ptxas could not be started
      consumeError(text.takeError());
    return assemblerError((text ? *text : std::string()) + problem, target);
  }
  return folder->read("kernel.cubin");
}

/// PTX of an empty kernel, assembled to initialize nvJitLink: the first use of nvJitLink in a process takes several
/// milliseconds longer than later uses.
static constexpr StringLiteral kWarmUpPtx =
    ".version 7.0\n.target sm_80\n.address_size 64\n.entry warm_up() { ret; }\n";

namespace {
struct Prefetch {
  std::mutex mutex;
  std::thread thread;
};
} // namespace

static Prefetch &prefetch() {
  static auto *prefetch = new Prefetch; // never destroyed: destroying a running std::thread aborts
  return *prefetch;
}

void prefetchCubinAssembler() {
  finishPrefetch();
  std::lock_guard lock(prefetch().mutex);
  if (prefetch().thread.joinable())
    return; // another caller has started the prefetch meanwhile
  try {
    prefetch().thread = std::thread([] {
      std::shared_ptr<const Assembler> assembler = findAssembler();
      if (assembler->linkerFor(kWarmUpPtx))
        consumeError(assembleInProcess(*assembler->nvJitLink, kWarmUpPtx, "sm_80", false).takeError());
    });
  } catch (const std::system_error &) {
    // If the system cannot create a thread, no prefetch takes place: the first compilation finds and loads the
    // assembler.
  }
}

void finishPrefetch() {
  std::lock_guard lock(prefetch().mutex);
  if (prefetch().thread.joinable())
    prefetch().thread.join();
}

Expected<std::string> ptxToCubin(StringRef ptx, StringRef target, bool lineInfo) {
  beginStep("assemble");
  std::shared_ptr<const Assembler> assembler = findAssembler();
  if (const NvJitLink *linker = assembler->linkerFor(ptx))
    return assembleInProcess(*linker, ptx, target, lineInfo);
  if (!assembler->ptxasPath.empty())
    return assembleWithProgram(assembler->ptxasPath, ptx, target, lineInfo);
  if (assembler->nvJitLink && cuda::initCrashes())
    return createStringError("the CUDA driver found no GPU before this process was forked, and now nvJitLink, which "
                             "calls the driver, would crash: put ptxas on PATH, or start processes with "
                             "multiprocessing.get_context(\"spawn\")");
  if (assembler->nvJitLink)
    return createStringError("nvJitLink would ignore this kernel's register budgets (setmaxnreg): put ptxas on PATH");
  return createStringError("no PTX assembler found: install the nvidia-nvjitlink package (PyTorch brings it) or put "
                           "ptxas on PATH");
}

} // namespace hocket
