// RUN: hocket-opt %s --hocket-minimize-waits | FileCheck %s

// A use that is too early on some path reads the result directly before the use.

#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
!acc = tensor<64x64xf32, #wgmma>
!ptrs = tensor<64x64x!hk.ptr<f32>, #wgmma>
!smem = !hk.memdesc<64x64xf16, #shared>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// If %c holds, no wait comes before the first store, and no wgmma was started. The second store reads the registers after
// the wait.
// CHECK-LABEL: @used_in_another_branch(
// CHECK: %[[D:.*]] = scf.if
// CHECK-NOT: hk_nv.warpgroup_mma_finished
// CHECK: scf.if
// CHECK-NEXT: %[[F:.*]] = hk_nv.warpgroup_mma_finished %[[D]]
// CHECK-NEXT: hk.store %{{.*}}, %[[F]]
// CHECK: %[[E:.*]] = hk_nv.warpgroup_mma_wait %[[D]] {outstanding = 0 : i32}
// CHECK-NEXT: hk.store %{{.*}}, %[[E]]
func.func @used_in_another_branch(%s: !smem, %p: !ptrs, %c: i1, %other: i1) {
  %zero = arith.constant dense<0.0> : !acc
  %d = scf.if %other -> !acc {
    %e = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
    scf.yield %e : !acc
  } else {
    scf.yield %zero : !acc
  }
  scf.if %c {
    hk.store %p, %d : !ptrs, !acc
  }
  %f = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
  hk.store %p, %f : !ptrs, !acc
  return
}

// Iterations after the first find the wgmma complete: they read the result inside the loop.
// CHECK-LABEL: @finished_by_the_first_iteration(
// CHECK: %[[D:.*]] = hk_nv.warpgroup_mma %
// CHECK-NEXT: scf.for
// CHECK: scf.if
// CHECK-NEXT: %[[F:.*]] = hk_nv.warpgroup_mma_finished %[[D]]
// CHECK-NEXT: hk.store %{{.*}}, %[[F]]
// CHECK: hk_nv.warpgroup_mma_wait {outstanding = 0 : i32}
func.func @finished_by_the_first_iteration(%s: !smem, %p: !ptrs, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %d = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
  scf.for %k = %c0 to %n step %c1 : i32 {
    %later = arith.cmpi sgt, %k, %c0 : i32
    scf.if %later {
      hk.store %p, %d : !ptrs, !acc
    }
    hk_nv.warpgroup_mma_wait {outstanding = 0 : i32}
  }
  return
}

// An early return has become a select, which copies registers: a wait comes before it, here of a wgmma that no wait
// completes on one path.
// CHECK-LABEL: @selected_after_some_wait(
// CHECK: %[[D:.*]] = hk_nv.warpgroup_mma %
// CHECK: %[[E:.*]] = hk_nv.warpgroup_mma_wait %[[D]] {outstanding = 0 : i32}
// CHECK-NEXT: %[[F:.*]] = arith.select %{{.*}}, %[[E]], %
// CHECK: hk.store %{{.*}}, %[[F]]
func.func @selected_after_some_wait(%s: !smem, %p: !ptrs, %c: i1, %returns: i1) {
  %zero = arith.constant dense<0.0> : !acc
  %d = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
  scf.if %c {
    hk_nv.warpgroup_mma_wait {outstanding = 0 : i32}
  }
  %f = arith.select %returns, %d, %zero : !acc
  hk_nv.warpgroup_mma_wait {outstanding = 0 : i32}
  hk.store %p, %f : !ptrs, !acc
  return
}

// No wait comes before the select on any path: the program could not have written one between them.
// CHECK-LABEL: @selected_in_flight(
// CHECK: %[[D:.*]] = hk_nv.warpgroup_mma %
// CHECK: %[[E:.*]] = hk_nv.warpgroup_mma_wait %[[D]] {outstanding = 0 : i32}
// CHECK-NEXT: arith.select %{{.*}}, %[[E]], %
func.func @selected_in_flight(%s: !smem, %p: !ptrs, %returns: i1) {
  %zero = arith.constant dense<0.0> : !acc
  %d = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
  %f = arith.select %returns, %d, %zero : !acc
  hk_nv.warpgroup_mma_wait {outstanding = 0 : i32}
  hk.store %p, %f : !ptrs, !acc
  return
}

// The branch may hold only in iterations before the last, whose wait then finishes the wgmma: no error.
// CHECK-LABEL: @started_before_the_last_iteration(
// CHECK: scf.for
// CHECK: hk.store
func.func @started_before_the_last_iteration(%s: !smem, %p: !ptrs, %early: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : !acc
  %d = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    hk_nv.warpgroup_mma_wait {outstanding = 0 : i32}
    %starts = arith.cmpi eq, %k, %early : i32
    %e = scf.if %starts -> !acc {
      %f = hk_nv.warpgroup_mma %s, %s, %acc : !smem, !smem -> !acc
      scf.yield %f : !acc
    } else {
      scf.yield %acc : !acc
    }
    scf.yield %e : !acc
  }
  hk.store %p, %d : !ptrs, !acc
  return
}

// The loop ends after its first iteration, and leaves the result in the registers of two variables: one is what an early
// return in the loop returns. The program cannot wait between the wgmma and the copy.
// CHECK-LABEL: @ends_after_one_iteration(
// CHECK: %[[D:.*]] = hk_nv.warpgroup_mma %
// CHECK: %[[E:.*]] = hk_nv.warpgroup_mma_wait {{.*}}%[[D]]
// CHECK: scf.yield %
func.func @ends_after_one_iteration(%s: !smem, %p: !ptrs, %enters: i1) {
  %false = arith.constant false
  %zero = arith.constant dense<0.0> : !acc
  %r:2 = scf.while (%more = %enters, %acc = %zero, %returned = %zero) : (i1, !acc, !acc) -> (!acc, !acc) {
    scf.condition(%more) %acc, %returned : !acc, !acc
  } do {
  ^bb0(%acc: !acc, %returned: !acc):
    %d = hk_nv.warpgroup_mma %s, %s, %acc : !smem, !smem -> !acc
    scf.yield %false, %d, %d : i1, !acc, !acc
  }
  hk_nv.warpgroup_mma_wait {outstanding = 0 : i32}
  hk.store %p, %r#1 : !ptrs, !acc
  hk.store %p, %r#0 : !ptrs, !acc
  return
}
}
