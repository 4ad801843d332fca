// RUN: hocket-opt %s --hocket-guard-last-waits | FileCheck %s

#mma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#tile = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
!sum = tensor<64x64xf32, #mma>
!operand = !hk.memdesc<64x64xf16, #tile>

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
// If the loop has no iteration, the wait is skipped.
// CHECK-LABEL: @wait_behind_a_loop
// CHECK: %[[RUNS:.+]] = arith.cmpi slt, %[[BEGIN:.+]], %[[END:.+]] : i32
// CHECK-NEXT: %[[R:.+]]:2 = scf.if %[[RUNS]]
// CHECK-NEXT: %[[SUM:.+]] = scf.for %{{.+}} = %[[BEGIN]] to %[[END]] {{.*}}iter_args(%{{.+}} = %[[ZEROS:[a-z0-9]+]])
// CHECK: }
// CHECK-NEXT: %[[DONE:.+]] = hk_nv.warpgroup_mma_wait %[[SUM]] {outstanding = 0 : i32}
// CHECK-NEXT: scf.yield %[[SUM]], %[[DONE]]
// CHECK: else
// CHECK-NEXT: scf.yield %[[ZEROS]], %[[ZEROS]]
// CHECK: return %[[R]]#1
func.func @wait_behind_a_loop(%a: !operand, %zeros: !sum, %n: i32) -> !sum {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (!sum) : i32 {
    %d = hk_nv.warpgroup_mma %a, %a, %acc : !operand, !operand -> !sum
    scf.yield %d : !sum
  }
  %two = arith.constant 2 : i32
  %done = hk_nv.warpgroup_mma_wait %sum {outstanding = 0 : i32} : !sum
  return %done : !sum
}

// The wait may be for operations that are in flight before the loop.
// CHECK-LABEL: @products_in_front
// CHECK-NOT: scf.if
// CHECK: return
func.func @products_in_front(%a: !operand, %zeros: !sum, %n: i32) -> !sum {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %first = hk_nv.warpgroup_mma %a, %a, %zeros : !operand, !operand -> !sum
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %first) -> (!sum) : i32 {
    %d = hk_nv.warpgroup_mma %a, %a, %acc : !operand, !operand -> !sum
    scf.yield %d : !sum
  }
  %done = hk_nv.warpgroup_mma_wait %sum {outstanding = 0 : i32} : !sum
  return %done : !sum
}

// CHECK-LABEL: @a_loop_in_a_loop
// CHECK-NOT: scf.if
// CHECK: return
func.func @a_loop_in_a_loop(%a: !operand, %zeros: !sum, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %tile = %c0 to %n step %c1 : i32 {
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (!sum) : i32 {
      %d = hk_nv.warpgroup_mma %a, %a, %acc : !operand, !operand -> !sum
      scf.yield %d : !sum
    }
    %done = hk_nv.warpgroup_mma_wait %sum {outstanding = 0 : i32} : !sum
    scf.yield
  }
  return
}

// A memory access between the loop and the wait keeps the wait unguarded.
// CHECK-LABEL: @a_barrier_in_between
// CHECK-NOT: scf.if
// CHECK: return
func.func @a_barrier_in_between(%a: !operand, %zeros: !sum, %n: i32) -> !sum {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (!sum) : i32 {
    %d = hk_nv.warpgroup_mma %a, %a, %acc : !operand, !operand -> !sum
    scf.yield %d : !sum
  }
  hk.barrier
  %done = hk_nv.warpgroup_mma_wait %sum {outstanding = 0 : i32} : !sum
  return %done : !sum
}
}
