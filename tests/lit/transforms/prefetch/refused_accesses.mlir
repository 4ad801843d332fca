// RUN: hocket-opt %s --hocket-prefetch --verify-diagnostics | FileCheck %s
//
// More loops that are not pipelined (prefetch_refused.mlir): accesses that the analysis cannot resolve.
// CHECK-NOT: hk.num_stages
// CHECK-NOT: scf.if{{.*}}->

#load = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#read = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!pointers = tensor<512x!hk.ptr<f32>, #load>
!loaded = tensor<512xf32, #load>
!tile = tensor<512xf32, #read>
!smem = !hk.memdesc<512xf32, #shared>
#rows = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
!square = !hk.memdesc<64x64xf16, #rows>
!bar = !hk.memdesc<1xi64, #shared>
!desc = !hk_nv.tensor_desc<64x64xf16, #rows>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
func.func private @callee()

func.func @commits_first(%p: !pointers, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: it does not commit its copies to a group}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  // expected-note@below {{hint: call commit_group() after the last copy}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    hk.async_commit_group
    hk.async_copy_to_shared %p, %tile : !pointers -> !smem
    hk.async_wait_group {outstanding = 0 : i32}
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

func.func @async_reads_before(%p: !pointers, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: it accesses the buffer before it copies to it}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  // expected-note@below {{hint: copy at the start of an iteration}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %x = hk.local_load %tile : !smem -> !tile
    hk.async_copy_to_shared %p, %tile : !pointers -> !smem
    hk.async_commit_group
    hk.async_wait_group {outstanding = 0 : i32}
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

// The buffer that it reads is selected at run time.
func.func @reads_before_either(%p: !pointers, %zero: !tile, %n: i32, %whether: i1) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  %b = hk.local_alloc : () -> !smem
  %either = arith.select %whether, %tile, %b : !smem
  // expected-warning@below {{this loop is not prefetched: it accesses the buffer before it copies to it}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  // expected-note@below {{hint: copy at the start of an iteration, and to each buffer once}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %x = hk.local_load %either : !smem -> !tile
    %v = hk.load %p : !pointers -> !loaded
    hk.local_store %v, %tile : !loaded -> !smem
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

func.func @uncommitted_copies_in_branch(%p: !pointers, %zero: !tile, %n: i32, %whether: i1) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  %b = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: it does not commit its copies to a group}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  // expected-note@below {{hint: call commit_group() after the last copy}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %v = hk.load %p : !pointers -> !loaded
    hk.local_store %v, %tile : !loaded -> !smem
    scf.if %whether {
      hk.async_copy_to_shared %p, %b : !pointers -> !smem
    }
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

func.func @calls(%p: !pointers, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: it contains an operation that is neither a load, nor a store, nor a computation}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %v = hk.load %p : !pointers -> !loaded
    hk.local_store %v, %tile : !loaded -> !smem
    func.call @callee() : () -> ()
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

func.func @completes_at_an_mbarrier(%desc: !desc, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %tile = hk.local_alloc : () -> !square
  %bar = hk.local_alloc : () -> !bar
  // expected-warning@below {{this loop is not prefetched: its copies complete with phases of an mbarrier}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  // expected-note@below {{hint: issue them in an earlier iteration, into a ring of buffers with an mbarrier for each buffer}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    hk_nv.tma_load %desc[%i, %c0], %tile, %bar, %true : !desc -> !square, !bar
  } {hk.num_stages = 2 : i32}
  return
}
}
