// RUN: hocket-opt %s --hocket-lane-pipeline --split-input-file | FileCheck %s

#b = #hk.blocked<size_per_thread = [2], threads_per_warp = [64], warps_per_cta = [2], order = [0]>

module attributes {hk.target = "gfx942", hk.num_warps = 2 : i32} {
// The kernel's attributes say how many threads a block has; integers keep no attribute, pointers their alignment.
// CHECK-LABEL: llvm.func @loop
// CHECK-SAME: (%[[P:.+]]: !llvm.ptr<1> {llvm.align = 16 : i64}, %[[N:.+]]: i32)
// CHECK-SAME: rocdl.flat_work_group_size = "128,128"
// CHECK-SAME: rocdl.kernel
// CHECK-SAME: rocdl.reqd_work_group_size = array<i32: 128, 1, 1>
func.func public @loop(%p: !hk.ptr<f32> {hk.divisibility = 16 : i32}, %n: i32 {hk.divisibility = 16 : i32}) attributes {hk.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<256xf32, #b>
  %i = hk.arange 0 to 256 : tensor<256xi32, #b>
  %ps = hk.splat %p : !hk.ptr<f32> -> tensor<256x!hk.ptr<f32>, #b>
  %pi = hk.addptr %ps, %i : tensor<256x!hk.ptr<f32>, #b>, tensor<256xi32, #b>
  // A tensor becomes one block argument per register.
  // CHECK: llvm.br ^[[HEAD:.+]](%{{.+}}, %{{.+}}, %{{.+}} : i32, f32, f32)
  // CHECK: ^[[HEAD]](%[[K:.+]]: i32, %[[A0:.+]]: f32, %[[A1:.+]]: f32):
  // CHECK: %[[C:.+]] = llvm.icmp "slt" %[[K]], %[[N]]
  // CHECK: llvm.cond_br %[[C]], ^[[BODY:.+]], ^[[EXIT:.+]]
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<256xf32, #b>) : i32 {
    // CHECK: ^[[BODY]]:
    // CHECK: lane.load %{{.+}} -> vector<2xf32>
    %v = hk.load %pi : tensor<256x!hk.ptr<f32>, #b> -> tensor<256xf32, #b>
    // CHECK: %[[B0:.+]] = llvm.fadd %[[A0]]
    // CHECK: %[[B1:.+]] = llvm.fadd %[[A1]]
    %next = arith.addf %acc, %v : tensor<256xf32, #b>
    // CHECK: llvm.br ^[[HEAD]](%{{.+}}, %[[B0]], %[[B1]] : i32, f32, f32)
    scf.yield %next : tensor<256xf32, #b>
  }
  // CHECK: ^[[EXIT]]:
  // CHECK: lane.store
  hk.store %pi, %sum : tensor<256x!hk.ptr<f32>, #b>, tensor<256xf32, #b>
  // CHECK: llvm.return
  return
}
}

// -----

#b = #hk.blocked<size_per_thread = [2], threads_per_warp = [32], warps_per_cta = [2], order = [0]>

module attributes {hk.target = "sm_80", hk.num_warps = 2 : i32} {
// CHECK-LABEL: llvm.func @branches
// CHECK-SAME: nvvm.kernel, nvvm.reqntid = array<i32: 64>
func.func public @branches(%p: !hk.ptr<i32>, %c: i1) attributes {hk.kernel} {
  // CHECK-DAG: nvvm.read.ptx.sreg.ctaid.y
  // CHECK-DAG: nvvm.read.ptx.sreg.nctaid.x
  %y = hk.program_id 1
  %count = hk.num_programs 0
  %sy = hk.splat %y : i32 -> tensor<128xi32, #b>
  %sc = hk.splat %count : i32 -> tensor<128xi32, #b>
  %i = hk.arange 0 to 128 : tensor<128xi32, #b>
  // CHECK: llvm.cond_br %{{.+}}, ^[[THEN:.+]], ^[[ELSE:.+]]
  %r:2 = scf.if %c -> (tensor<128xi32, #b>, i32) {
    %s = arith.addi %i, %sy : tensor<128xi32, #b>
    // CHECK: llvm.br ^[[JOIN:.+]](%{{.+}}, %{{.+}}, %{{.+}} : i32, i32, i32)
    scf.yield %s, %y : tensor<128xi32, #b>, i32
  } else {
    // CHECK: ^[[ELSE]]:
    // CHECK: llvm.br ^[[JOIN]](
    scf.yield %sc, %count : tensor<128xi32, #b>, i32
  }
  // CHECK: ^[[JOIN]](%{{.+}}: i32, %{{.+}}: i32, %{{.+}}: i32)
  // CHECK: nvvm.barrier0
  hk.barrier
  // One assertion per lane.
  // CHECK: %[[ALL:.+]] = llvm.and %{{.+}}, %{{.+}} : i1
  // CHECK-NEXT: lane.assert %[[ALL]], "small"
  %small = arith.cmpi slt, %r#0, %sc : tensor<128xi32, #b>
  hk.assert %small, "small" : tensor<128xi1, #b>
  // Thread 0 prints a scalar.
  // CHECK: %[[FIRST:.+]] = llvm.icmp "eq"
  // CHECK: lane.print "count: {d}"[] of %{{.+}} : i32 pred %[[FIRST]]
  hk.print "count: {d}", %count : i32
  // Each element is printed by the lane that holds it.
  // CHECK: lane.print "{d}"[%{{.+}}] of %{{.+}} : i32
  // CHECK-NEXT: lane.print "{d}"[%{{.+}}] of %{{.+}} : i32
  hk.print "{d}", %sc : tensor<128xi32, #b>
  // CHECK: llvm.intr.assume %{{.+}}
  hk.assume %c
  return
}
}
