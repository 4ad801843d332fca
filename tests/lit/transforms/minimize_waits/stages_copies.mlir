// RUN: hocket-opt %s --hocket-minimize-waits | FileCheck %s
// RUN: hocket-opt %s --hocket-minimize-waits --hocket-warp-pipeline-partition --hocket-allocate-memory --hocket-warp-pipeline-lowering -o /dev/null
//
// Waits for copies in functions with stages: placed if the function has no commit and no wait, otherwise relaxed and
// removed. The two groups of warps run one stage apart, so data that passes between the groups needs a wait one stage
// before the stage that reads it.

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!o = tensor<512xi32, #row>
!v = tensor<512xf32, #row>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring3 = !hk.memdesc<3x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {

// The copies of iteration k + 2 stay in flight while the copies of iteration k + 1 are awaited.
// CHECK-LABEL: @placed_between_groups
// CHECK: hk_amd.buffer_load_to_shared
// CHECK-NEXT: hk.async_commit_group
// CHECK: hk_amd.buffer_load_to_shared
// CHECK-NEXT: hk.async_commit_group
// CHECK-NEXT: hk.async_wait_group {outstanding = 1 : i32}
// CHECK-NEXT: scf.for
// CHECK: hk.stage_begin "load"
// CHECK: hk.local_load
// CHECK: hk_amd.buffer_load_to_shared
// CHECK-NEXT: hk.async_commit_group
// CHECK-NEXT: hk.stage_end
// CHECK-NEXT: hk.async_wait_group {outstanding = 1 : i32}
// CHECK-NEXT: hk.stage_begin "compute"
// CHECK-NOT: hk.async_wait_group
// CHECK: scf.yield
// CHECK: hk.async_wait_group {outstanding = 0 : i32}
// CHECK-NEXT: return
func.func @placed_between_groups(%p: !hk.ptr<f32>, %n: i32, %zero: !t) -> !t {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %o = hk.arange 0 to 512 : !o
  %ring = hk.local_alloc : () -> !ring3
  %first = hk.memdesc_index %ring[%c0] : !ring3 -> !a
  %second = hk.memdesc_index %ring[%c1] : !ring3 -> !a
  hk_amd.buffer_load_to_shared %p[%o], %first : !hk.ptr<f32>, !o -> !a
  hk_amd.buffer_load_to_shared %p[%o], %second : !hk.ptr<f32>, !o -> !a
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!t) : i32 {
    hk.stage_begin "load"
    %s = arith.remsi %k, %c3 : i32
    %tile = hk.memdesc_index %ring[%s] : !ring3 -> !a
    %x = hk.local_load %tile : !a -> !t
    %ahead = arith.addi %k, %c2 : i32
    %u = arith.remsi %ahead, %c3 : i32
    %next = hk.memdesc_index %ring[%u] : !ring3 -> !a
    hk_amd.buffer_load_to_shared %p[%o], %next : !hk.ptr<f32>, !o -> !a
    hk.stage_end
    hk.stage_begin "compute"
    %y = arith.addf %acc, %x : !t
    hk.stage_end
    scf.yield %y : !t
  }
  return %r : !t
}

// Each warp reads only the elements of its own copies, so a wait directly before the stage suffices.
// CHECK-LABEL: @placed_within_warps
// CHECK: scf.for
// CHECK-NEXT: hk.async_wait_group {outstanding = 1 : i32}
// CHECK-NEXT: hk.stage_begin "load"
// CHECK-NOT: hk.async_wait_group
// CHECK: scf.yield
func.func @placed_within_warps(%p: !hk.ptr<f32>, %n: i32, %zero: !v) -> !v {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %o = hk.arange 0 to 512 : !o
  %ring = hk.local_alloc : () -> !ring3
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!v) : i32 {
    hk.stage_begin "load"
    %s = arith.remsi %k, %c3 : i32
    %tile = hk.memdesc_index %ring[%s] : !ring3 -> !a
    %x = hk.local_load %tile : !a -> !v
    %ahead = arith.addi %k, %c2 : i32
    %u = arith.remsi %ahead, %c3 : i32
    %next = hk.memdesc_index %ring[%u] : !ring3 -> !a
    hk_amd.buffer_load_to_shared %p[%o], %next : !hk.ptr<f32>, !o -> !a
    hk.stage_end
    hk.stage_begin "compute"
    %y = arith.addf %acc, %x : !v
    hk.stage_end
    scf.yield %y : !v
  }
  return %r : !v
}

// A written wait that is stronger than needed leaves one group in flight: the tile of iteration k + 2. The copy after
// the loop needs the last wait, which also completes the copies of the loop.
// CHECK-LABEL: @relaxed
// CHECK: scf.for
// CHECK: hk.stage_begin "load"
// CHECK: hk.stage_end
// CHECK-NEXT: hk.async_wait_group {outstanding = 1 : i32}
// CHECK-NEXT: hk.stage_begin "compute"
// CHECK-NEXT: arith.addf
// CHECK-NEXT: hk.stage_end
// CHECK-NEXT: scf.yield
// CHECK: hk.async_wait_group {outstanding = 0 : i32}
// CHECK-NEXT: hk.local_load
func.func @relaxed(%p: !hk.ptr<f32>, %n: i32, %zero: !t) -> !t {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %o = hk.arange 0 to 512 : !o
  %ring = hk.local_alloc : () -> !ring3
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!t) : i32 {
    hk.stage_begin "load"
    %s = arith.remsi %k, %c3 : i32
    %tile = hk.memdesc_index %ring[%s] : !ring3 -> !a
    %x = hk.local_load %tile : !a -> !t
    %ahead = arith.addi %k, %c2 : i32
    %u = arith.remsi %ahead, %c3 : i32
    %next = hk.memdesc_index %ring[%u] : !ring3 -> !a
    hk_amd.buffer_load_to_shared %p[%o], %next : !hk.ptr<f32>, !o -> !a
    hk.async_commit_group
    hk.stage_end
    hk.async_wait_group {outstanding = 0 : i32}
    hk.stage_begin "compute"
    %y = arith.addf %acc, %x : !t
    hk.stage_end
    scf.yield %y : !t
  }
  %last = hk.local_alloc : () -> !a
  hk_amd.buffer_load_to_shared %p[%o], %last : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  hk.async_wait_group {outstanding = 0 : i32}
  %z = hk.local_load %last : !a -> !t
  %sum = arith.addf %r, %z : !t
  return %sum : !t
}

// The wait before the stage "load" is too late for the other group, and not needed beside the earlier wait.
// CHECK-LABEL: @removed
// CHECK: scf.for
// CHECK-NEXT: hk.stage_begin "load"
// CHECK: hk.async_wait_group {outstanding = 1 : i32}
// CHECK-NEXT: hk.stage_begin "compute"
// CHECK-NOT: hk.async_wait_group
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: hk.async_wait_group {outstanding = 0 : i32}
func.func @removed(%p: !hk.ptr<f32>, %n: i32, %zero: !t) -> !t {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %o = hk.arange 0 to 512 : !o
  %ring = hk.local_alloc : () -> !ring3
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!t) : i32 {
    hk.async_wait_group {outstanding = 1 : i32}
    hk.stage_begin "load"
    %s = arith.remsi %k, %c3 : i32
    %tile = hk.memdesc_index %ring[%s] : !ring3 -> !a
    %x = hk.local_load %tile : !a -> !t
    %ahead = arith.addi %k, %c2 : i32
    %u = arith.remsi %ahead, %c3 : i32
    %next = hk.memdesc_index %ring[%u] : !ring3 -> !a
    hk_amd.buffer_load_to_shared %p[%o], %next : !hk.ptr<f32>, !o -> !a
    hk.async_commit_group
    hk.stage_end
    hk.async_wait_group {outstanding = 1 : i32}
    hk.stage_begin "compute"
    %y = arith.addf %acc, %x : !t
    hk.stage_end
    scf.yield %y : !t
  }
  hk.async_wait_group {outstanding = 0 : i32}
  return %r : !t
}

// The second wait directly precedes the stage that reads, which is too late for data of the other group. It is removed;
// the first wait stays.
// CHECK-LABEL: @needed_by_other_group
// CHECK: hk.stage_end
// CHECK-NEXT: hk.async_wait_group {outstanding = 0 : i32}
// CHECK-NEXT: hk.stage_begin "between"
// CHECK-NEXT: hk.stage_end
// CHECK-NEXT: hk.stage_begin "read"
func.func @needed_by_other_group(%p: !hk.ptr<f32>) -> !t {
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc : () -> !a
  hk.stage_begin "copy"
  hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  hk.stage_end
  hk.async_wait_group {outstanding = 0 : i32}
  hk.stage_begin "between"
  hk.stage_end
  hk.async_wait_group {outstanding = 0 : i32}
  hk.stage_begin "read"
  %x = hk.local_load %a : !a -> !t
  hk.stage_end
  return %x : !t
}
}
