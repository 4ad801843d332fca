// RUN: hocket-opt %s --hocket-allocate-memory --hocket-insert-barriers | FileCheck %s

#line4 = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#wide4 = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#line2 = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [2], order = [0]>
#wide2 = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [2], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!smem = !hk.memdesc<512xf32, #shared>

// Launch data after all buffers: the partition to run (8 bytes), a ring handle (24) and a number (8).
// CHECK: hk.buffers = [{{.*}}#hk.buffer<name = "the data that warp_specialize passes to workers", offset = 8192, bytes = 40>]
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// Each partition starts with nothing pending, and has its own barriers. Its buffers are live all the time.
// CHECK-LABEL: @each_by_itself
func.func @each_by_itself(%x: tensor<512xf32, #line4>, %n: i32) -> tensor<512xf32, #wide4> {
  // CHECK: hk.local_alloc %{{.+}} offset = 0
  %a = hk.local_alloc %x : (tensor<512xf32, #line4>) -> !smem
  // The start of the workers orders the store to %a.
  // CHECK-NEXT: hk.warp_specialize offset = 8192 -> tensor<512xf32, #{{.+}}>
  %r = hk.warp_specialize -> tensor<512xf32, #wide4> {
    // CHECK-NEXT: hk.local_load
    %y = hk.local_load %a : !smem -> tensor<512xf32, #wide4>
    // CHECK-NEXT: hk.local_alloc %{{.+}} offset = 2048
    %b = hk.local_alloc %x : (tensor<512xf32, #line4>) -> !smem
    // CHECK-NEXT: hk.barrier local
    // CHECK-NEXT: hk.local_load
    %z = hk.local_load %b : !smem -> tensor<512xf32, #wide4>
    %s = arith.addf %y, %z : tensor<512xf32, #wide4>
    hk.warp_yield %s : tensor<512xf32, #wide4>
  } workers {
    // CHECK: hk.worker "one"
    hk.worker "one"(%a, %n : !smem, i32) num_warps = 2 {
    ^bb0(%t: !smem, %m: i32):
      // CHECK: hk.local_load
      // CHECK-NEXT: hk.local_alloc %{{.+}} offset = 4096
      // CHECK-NEXT: hk.barrier local
      // CHECK-NEXT: hk.local_load
      %y = hk.local_load %t : !smem -> tensor<512xf32, #line2>
      %c = hk.local_alloc %y : (tensor<512xf32, #line2>) -> !smem
      %z = hk.local_load %c : !smem -> tensor<512xf32, #wide2>
      // The barrier covers this worker's own read of %a. Reads by other workers are not ordered by it.
      // CHECK-NEXT: hk.local_store
      hk.local_store %z, %t : tensor<512xf32, #wide2> -> !smem
    }
    // CHECK: hk.worker "two"
    hk.worker "two" num_warps = 4 {
      %zero = arith.constant dense<0.0> : tensor<512xf32, #line4>
      // CHECK: hk.local_alloc %{{.+}} offset = 6144
      // CHECK-NEXT: }
      %d = hk.local_alloc %zero : (tensor<512xf32, #line4>) -> !smem
    }
  }
  // All partitions have synchronized: the workers' stores are visible.
  // CHECK-NEXT: }
  // CHECK-NEXT: hk.local_load
  %z = hk.local_load %a : !smem -> tensor<512xf32, #wide4>
  %s = arith.addf %r, %z : tensor<512xf32, #wide4>
  return %s : tensor<512xf32, #wide4>
}

// The slots of a ring are distinguished in workers, too: one barrier per iteration.
// CHECK-LABEL: @ring_that_is_captured
func.func @ring_that_is_captured(%n: i32) {
  %ring = hk.local_alloc : () -> !hk.memdesc<2x512xf32, #shared>
  hk.warp_specialize {
    hk.warp_yield
  } workers {
    // CHECK: hk.worker
    hk.worker "w"(%ring, %n : !hk.memdesc<2x512xf32, #shared>, i32) num_warps = 4 {
    ^bb0(%r: !hk.memdesc<2x512xf32, #shared>, %m: i32):
      %x = arith.constant dense<0.0> : tensor<512xf32, #line4>
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      // CHECK: scf.for
      // CHECK-NOT: hk.barrier
      // CHECK: hk.barrier local
      // CHECK-NEXT: hk.local_load
      // CHECK-NEXT: hk.local_store
      // CHECK-NOT: hk.barrier
      // CHECK: return
      scf.for %i = %c0 to %m step %c1 : i32 {
        %now = arith.remsi %i, %c2 : i32
        %a = hk.memdesc_index %r[%now] : !hk.memdesc<2x512xf32, #shared> -> !smem
        %i1 = arith.addi %i, %c1 : i32
        %next = arith.remsi %i1, %c2 : i32
        %b = hk.memdesc_index %r[%next] : !hk.memdesc<2x512xf32, #shared> -> !smem
        %y = hk.local_load %a : !smem -> tensor<512xf32, #wide4>
        hk.local_store %x, %b : tensor<512xf32, #line4> -> !smem
      }
    }
  }
  return
}
}
