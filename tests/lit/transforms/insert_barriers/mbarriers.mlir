// RUN: hocket-opt %s --hocket-allocate-memory --hocket-insert-barriers | FileCheck %s

// Mbarriers in shared memory: which accesses must be ordered before them, and which accesses they order.

#w = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#r = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!stored = tensor<1024xf32, #w>
!tile = tensor<1024xf32, #r>
!smem = !hk.memdesc<1024xf32, #shared>
!bar = !hk.memdesc<1xi64, #shared>
!bars = !hk.memdesc<2x1xi64, #shared>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// Other threads use an mbarrier after its initialization. The initializing thread needs no barrier.
// CHECK-LABEL: @initialized
func.func @initialized(%phase: i32) {
  // CHECK: hk_nv.mbarrier_init
  // CHECK-NEXT: hk_nv.mbarrier_arrive
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk_nv.mbarrier_wait
  %bar = hk.local_alloc : () -> !bar
  hk_nv.mbarrier_init %bar, 1 : !bar
  hk_nv.mbarrier_arrive %bar, 1 : !bar
  hk_nv.mbarrier_wait %bar, %phase : !bar
  return
}

// An arrival, or the expectation of bytes, may be in progress while others wait.
// CHECK-LABEL: @concurrent
func.func @concurrent(%phase: i32) {
  // CHECK: hk_nv.mbarrier_arrive
  // CHECK-NEXT: hk_nv.mbarrier_expect
  // CHECK-NEXT: hk_nv.mbarrier_wait
  // CHECK-NEXT: return
  %bar = hk.local_alloc : () -> !bar
  hk_nv.mbarrier_arrive %bar, 1 : !bar
  hk_nv.mbarrier_expect %bar, 64 : !bar
  hk_nv.mbarrier_wait %bar, %phase : !bar
  return
}

// With per-warp arrivals, only the initialization must be visible to all warps.
// CHECK-LABEL: @per_warp
func.func @per_warp(%x: !stored, %phase: i32) -> !tile {
  // CHECK: hk_nv.mbarrier_init
  // CHECK: hk.local_store
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk_nv.mbarrier_arrive %{{.+}}, 1 per_warp
  // CHECK-NEXT: hk_nv.mbarrier_wait
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: hk_nv.mbarrier_arrive %{{.+}}, 1 per_warp
  // CHECK-NEXT: return
  %bar = hk.local_alloc : () -> !bar
  %tile = hk.local_alloc : () -> !smem
  hk_nv.mbarrier_init %bar, 4 : !bar
  hk.local_store %x, %tile : !stored -> !smem
  hk_nv.mbarrier_arrive %bar, 1 per_warp : !bar
  hk_nv.mbarrier_wait %bar, %phase : !bar
  %y = hk.local_load %tile : !smem -> !tile
  hk_nv.mbarrier_arrive %bar, 1 per_warp : !bar
  return %y : !tile
}

// An arrival signals that all warps have finished the accesses before it: one barrier for both tiles.
// CHECK-LABEL: @announces_reads
func.func @announces_reads(%x: !stored) -> (!tile, !tile) {
  // CHECK: hk.local_load
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: hk.barrier{{$}}
  // CHECK-NEXT: hk_nv.mbarrier_arrive
  // CHECK-NEXT: hk_nv.mbarrier_arrive
  // CHECK-NEXT: return
  %bar = hk.local_alloc : () -> !bar
  %a = hk.local_alloc : () -> !smem
  %b = hk.local_alloc : () -> !smem
  hk.local_store %x, %a : !stored -> !smem
  hk.local_store %x, %b : !stored -> !smem
  %y = hk.local_load %a : !smem -> !tile
  %z = hk.local_load %b : !smem -> !tile
  hk_nv.mbarrier_arrive %bar, 1 : !bar
  hk_nv.mbarrier_arrive %bar, 1 : !bar
  return %y, %z : !tile, !tile
}

// Global memory, too.
// CHECK-LABEL: @announces_global_stores
func.func @announces_global_stores(%p: tensor<1024x!hk.ptr<f32>, #w>, %x: !stored, %phase: i32) -> !stored {
  // CHECK: hk.store
  // CHECK-NEXT: hk.barrier{{$}}
  // CHECK-NEXT: hk_nv.mbarrier_arrive
  // CHECK-NEXT: hk_nv.mbarrier_wait
  // CHECK-NEXT: hk.load
  // CHECK-NEXT: return
  %bar = hk.local_alloc : () -> !bar
  hk.store %p, %x : tensor<1024x!hk.ptr<f32>, #w>, !stored
  hk_nv.mbarrier_arrive %bar, 1 : !bar
  hk_nv.mbarrier_wait %bar, %phase : !bar
  %y = hk.load %p : tensor<1024x!hk.ptr<f32>, #w> -> !stored
  return %y : !stored
}

// The program's own barrier is enough, and independent accesses need none.
// CHECK-LABEL: @announces_nothing_new
func.func @announces_nothing_new(%x: !stored) {
  // CHECK: hk.local_store
  // CHECK-NEXT: hk.barrier{{$}}
  // CHECK-NEXT: hk_nv.mbarrier_expect
  // CHECK-NEXT: hk_nv.mbarrier_arrive
  // CHECK-NEXT: return
  %a = hk.local_alloc : () -> !smem
  %bar = hk.local_alloc : () -> !bar
  hk.local_store %x, %a : !stored -> !smem
  hk.barrier
  hk_nv.mbarrier_expect %bar, 64 : !bar
  hk_nv.mbarrier_arrive %bar, 1 : !bar
  return
}

// A warp that is late at a wait must not miss the phase, even at another mbarrier: a thread that observes the arrival
// may advance that mbarrier by two phases.
// CHECK-LABEL: @announces_waits
func.func @announces_waits(%steps: index) {
  // CHECK: hk.local_alloc
  // CHECK-NEXT: hk.local_alloc
  // CHECK: scf.for
  // CHECK-NEXT: arith.index_cast
  // CHECK-NEXT: hk_nv.mbarrier_wait
  // CHECK-NEXT: hk.barrier{{$}}
  // CHECK-NEXT: hk_nv.mbarrier_arrive
  // CHECK-NEXT: }
  %full = hk.local_alloc : () -> !bar
  %empty = hk.local_alloc : () -> !bar
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %steps step %c1 {
    %phase = arith.index_cast %i : index to i32
    hk_nv.mbarrier_wait %full, %phase : !bar
    hk_nv.mbarrier_arrive %empty, 1 : !bar
  }
  return
}

// All threads have arrived before one of them waits; no barrier is needed if the arrival count includes them.
// CHECK-LABEL: @arrivals_of_copies
func.func @arrivals_of_copies(%phase: i32) {
  // CHECK: hk_nv.mbarrier_arrive_copies %{{.+}} :
  // CHECK-NEXT: hk_nv.mbarrier_wait
  // CHECK-NEXT: hk_nv.mbarrier_arrive_copies %{{.+}} increment
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk_nv.mbarrier_wait
  // CHECK-NEXT: return
  %bar = hk.local_alloc : () -> !bar
  hk_nv.mbarrier_arrive_copies %bar : !bar
  hk_nv.mbarrier_wait %bar, %phase : !bar
  hk_nv.mbarrier_arrive_copies %bar increment : !bar
  hk_nv.mbarrier_wait %bar, %phase : !bar
  return
}

// No thread may wait at an mbarrier when it becomes plain memory.
// CHECK-LABEL: @invalidated
func.func @invalidated(%phase: i32) {
  // CHECK: hk_nv.mbarrier_wait
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk_nv.mbarrier_invalidate
  %bar = hk.local_alloc : () -> !bar
  hk_nv.mbarrier_wait %bar, %phase : !bar
  hk_nv.mbarrier_invalidate %bar : !bar
  return
}

// Copies that an mbarrier wait covers are visible to all warps: no barrier is needed before the reads.
// CHECK-LABEL: @read_after_wait
func.func @read_after_wait(%x: tensor<1024x!hk.ptr<f32>, #w>, %phase: i32) -> !tile {
  // CHECK: hk.async_copy_to_shared
  // CHECK-NEXT: hk_nv.mbarrier_arrive_copies
  // CHECK-NEXT: hk_nv.mbarrier_wait
  // CHECK-NEXT: hk.local_load
  %bar = hk.local_alloc : () -> !bar
  %a = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %x, %a : tensor<1024x!hk.ptr<f32>, #w> -> !smem
  hk_nv.mbarrier_arrive_copies %bar : !bar
  hk_nv.mbarrier_wait %bar, %phase deps %a : !bar, !smem
  %y = hk.local_load %a : !smem -> !tile
  return %y : !tile
}
}
