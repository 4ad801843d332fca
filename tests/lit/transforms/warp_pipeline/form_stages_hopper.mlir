// RUN: hocket-opt %s --split-input-file --hocket-form-stages=before-waits --verify-diagnostics | FileCheck %s
//
// Loops with wgmma: stages are formed before waits for wgmma are placed.

#mma = #hk_nv.mma<version = [3, 0], warps_per_cta = [8, 1], instr_shape = [16, 64, 16]>
#tile = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#words = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!acc = tensor<128x64xf32, #mma>
!left = !hk.memdesc<128x64xf16, #tile>
!ring = !hk.memdesc<3x64x64xf16, #tile>
!slot = !hk.memdesc<64x64xf16, #tile>
!bars = !hk.memdesc<3x1xi64, #words>
!bar = !hk.memdesc<1xi64, #words>
!desc = !hk_nv.tensor_desc<64x64xf16, #tile>

module attributes {hk.target = "sm_90a", hk.num_warps = 8 : i32} {

// The wgmmas are an exclusive stage, together with the wait for their operand. Arithmetic and the load of the tile of a later
// iteration are the other stage. The written wait is erased; waits are placed later.

// CHECK: module attributes {{.*}}hk.stage_reports = ["{{.*\\22exclusive\\22:true.*}}"]
// CHECK-LABEL: @multiply_and_compute
// CHECK: scf.for
// CHECK-NEXT: hk.stage_begin "matrix" exclusive {phase_gap = 1 : i32}
// CHECK: hk_nv.mbarrier_wait
// CHECK-COUNT-3: hk_nv.warpgroup_mma
// CHECK: %[[SCORES:.+]] = hk_nv.warpgroup_mma
// CHECK-NEXT: hk.stage_end
// CHECK-NEXT: hk.stage_begin "vector"
// CHECK: hk_nv.mbarrier_expect
// CHECK: hk_nv.tma_load
// CHECK: math.exp2 %[[SCORES]]
// CHECK-NOT: warpgroup_mma_wait
// CHECK: hk.stage_end
// CHECK-NEXT: scf.yield
// CHECK: hk.auto_stages
func.func @multiply_and_compute(%desc: !desc, %n: i32, %zero: !acc) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c64 = arith.constant 64 : i32
  %left = hk.local_alloc : () -> !left
  %ring = hk.local_alloc : () -> !ring
  %bars = hk.local_alloc : () -> !bars
  // expected-remark @below {{formed 2 stages: about}}
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%total = %zero) -> (!acc) : i32 {
    %now = arith.remui %i, %c3 : i32
    %turns = arith.divui %i, %c3 : i32
    %phase = arith.andi %turns, %c1 : i32
    %full = hk.memdesc_index %bars[%now] : !bars -> !bar
    %slot = hk.memdesc_index %ring[%now] : !ring -> !slot
    hk_nv.mbarrier_wait %full, %phase : !bar
    %p = hk_nv.warpgroup_mma %left, %slot, %zero : !left, !slot -> !acc
    %q = hk_nv.warpgroup_mma %left, %slot, %p : !left, !slot -> !acc
    %r = hk_nv.warpgroup_mma %left, %slot, %q : !left, !slot -> !acc
    %s = hk_nv.warpgroup_mma %left, %slot, %r : !left, !slot -> !acc
    %scores = hk_nv.warpgroup_mma_wait %s {outstanding = 0 : i32} : !acc
    %k = arith.addi %i, %c2 : i32
    %more = arith.cmpi slt, %k, %n : i32
    %next = arith.remui %k, %c3 : i32
    %next_full = hk.memdesc_index %bars[%next] : !bars -> !bar
    %free = hk.memdesc_index %ring[%next] : !ring -> !slot
    hk_nv.mbarrier_expect %next_full, 8192 pred %more : !bar
    %row = arith.muli %k, %c64 : i32
    hk_nv.tma_load %desc[%row, %c0], %free, %next_full, %more : !desc -> !slot, !bar
    %e = math.exp2 %scores : !acc
    %t = arith.addf %total, %e : !acc
    scf.yield %t : !acc
  } {hk.auto_stages}
  return %d : !acc
}

// Without arithmetic, wgmmas of successive iterations are always in flight, and stages would interrupt them.

// CHECK-LABEL: @only_wgmma
// CHECK-NOT: hk.stage_begin
func.func @only_wgmma(%desc: !desc, %n: i32, %zero: !acc) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %left = hk.local_alloc : () -> !left
  %ring = hk.local_alloc : () -> !ring
  %bars = hk.local_alloc : () -> !bars
  // expected-remark @below {{formed no stages: the expected gain is below the model's error}}
  // expected-note @below {{with stages, an iteration would take about}}
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %now = arith.remui %i, %c3 : i32
    %turns = arith.divui %i, %c3 : i32
    %phase = arith.andi %turns, %c1 : i32
    %full = hk.memdesc_index %bars[%now] : !bars -> !bar
    %slot = hk.memdesc_index %ring[%now] : !ring -> !slot
    hk_nv.mbarrier_wait %full, %phase : !bar
    %r = hk_nv.warpgroup_mma %left, %slot, %acc : !left, !slot -> !acc
    scf.yield %r : !acc
  } {hk.auto_stages}
  return %d : !acc
}

// CHECK-LABEL: @in_a_branch
// CHECK-NOT: hk.stage_begin
func.func @in_a_branch(%n: i32, %zero: !acc, %if: i1) -> !acc {
  %left = hk.local_alloc : () -> !left
  %slot = hk.local_alloc : () -> !slot
  // expected-remark @below {{formed no stages: the loop contains an asynchronous MMA in a branch}}
  // expected-note @below {{in line}}
  %d = scf.for %i = %n to %n step %n iter_args(%acc = %zero) -> (!acc) : i32 {
    %r = scf.if %if -> !acc {
      %s = hk_nv.warpgroup_mma %left, %slot, %acc : !left, !slot -> !acc
      scf.yield %s : !acc
    } else {
      scf.yield %acc : !acc
    }
    scf.yield %r : !acc
  } {hk.auto_stages}
  return %d : !acc
}

// CHECK-LABEL: @initializes
// CHECK-NOT: hk.stage_begin
func.func @initializes(%n: i32, %zero: !acc) -> !acc {
  %left = hk.local_alloc : () -> !left
  %slot = hk.local_alloc : () -> !slot
  %bar = hk.local_alloc : () -> !bar
  // expected-remark @below {{formed no stages: the loop initializes or invalidates an mbarrier}}
  // expected-note @below {{in line}}
  %d = scf.for %i = %n to %n step %n iter_args(%acc = %zero) -> (!acc) : i32 {
    hk_nv.mbarrier_init %bar, 1 : !bar
    %s = hk_nv.warpgroup_mma %left, %slot, %acc : !left, !slot -> !acc
    scf.yield %s : !acc
  } {hk.auto_stages}
  return %d : !acc
}

// Loops without wgmma are left to the second run.
// CHECK-LABEL: @later
// CHECK: hk.auto_stages
func.func @later(%n: i32) {
  scf.for %i = %n to %n step %n : i32 {
    hk.barrier
  } {hk.auto_stages}
  return
}
}

// -----

#mma = #hk_nv.mma<version = [3, 0], warps_per_cta = [8, 1], instr_shape = [16, 64, 16]>
#tile = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
!acc = tensor<128x64xf32, #mma>
!left = !hk.memdesc<128x64xf16, #tile>
!slot = !hk.memdesc<64x64xf16, #tile>

module attributes {hk.target = "sm_90a", hk.num_warps = 8 : i32, hk.keep_waits} {
func.func @keeps_waits(%n: i32, %zero: !acc) -> !acc {
  %left = hk.local_alloc : () -> !left
  %slot = hk.local_alloc : () -> !slot
  // expected-remark @below {{formed no stages: keep_waits keeps waits for asynchronous MMAs, but stages need other waits}}
  %d = scf.for %i = %n to %n step %n iter_args(%acc = %zero) -> (!acc) : i32 {
    %s = hk_nv.warpgroup_mma %left, %slot, %acc : !left, !slot -> !acc
    %w = hk_nv.warpgroup_mma_wait %s {outstanding = 0 : i32} : !acc
    scf.yield %w : !acc
  } {hk.auto_stages}
  return %d : !acc
}
}
