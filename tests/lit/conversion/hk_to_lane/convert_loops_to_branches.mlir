// RUN: hocket-opt %s --hocket-convert-loops-to-branches | FileCheck %s

#b = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
// The carried tensor becomes a block argument.
// CHECK-LABEL: func.func @loop
func.func @loop(%n: i32, %x: tensor<128xf32, #b>) -> tensor<128xf32, #b> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: cf.br ^[[HEAD:.+]](%{{.+}}, %arg1 : i32, tensor<128xf32, #{{.+}}>)
  // CHECK: ^[[HEAD]](%[[I:.+]]: i32, %[[A:.+]]: tensor<128xf32, #{{.+}}>):
  // CHECK: cf.cond_br %{{.+}}, ^[[BODY:.+]], ^[[END:.+]]
  // CHECK: ^[[BODY]]:
  // CHECK: %[[SUM:.+]] = arith.addf %[[A]], %[[A]]
  // CHECK: cf.br ^[[HEAD]](%{{.+}}, %[[SUM]] :
  // CHECK: ^[[END]]:
  // CHECK: return %[[A]]
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<128xf32, #b> : i32 {
    %sum = arith.addf %a, %a : tensor<128xf32, #b>
    scf.yield %sum : tensor<128xf32, #b>
  }
  return %r : tensor<128xf32, #b>
}

// The step may overflow: the distance to the end decides whether there is a next iteration.
// CHECK-LABEL: func.func @wide_steps
// CHECK-SAME: %[[N:.+]]: i32, %[[X:.+]]: f32
func.func @wide_steps(%n: i32, %x: f32) -> f32 {
  // CHECK: %[[START:.+]] = arith.constant 0 : i32
  // CHECK: %[[STEP:.+]] = arith.constant 8 : i32
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  // CHECK: %[[RUNS:.+]] = arith.cmpi slt, %[[START]], %[[N]]
  // CHECK: cf.cond_br %[[RUNS]], ^[[BODY:.+]](%[[START]], %[[X]] : i32, f32), ^[[END:.+]](%[[X]] : f32)
  // CHECK: ^[[BODY]](%[[I:.+]]: i32, %[[A:.+]]: f32):
  // CHECK: %[[SUM:.+]] = arith.addf %[[A]], %[[A]]
  // CHECK: %[[LEFT:.+]] = arith.subi %[[N]], %[[I]]
  // CHECK: %[[GOES_ON:.+]] = arith.cmpi ugt, %[[LEFT]], %[[STEP]]
  // CHECK: %[[NEXT:.+]] = arith.addi %[[I]], %[[STEP]]
  // CHECK: cf.cond_br %[[GOES_ON]], ^[[BODY]](%[[NEXT]], %[[SUM]] : i32, f32), ^[[END]](%[[SUM]] : f32)
  // CHECK: ^[[END]](%[[R:.+]]: f32):
  // CHECK: return %[[R]]
  %r = scf.for %i = %c0 to %n step %c8 iter_args(%a = %x) -> f32 : i32 {
    %sum = arith.addf %a, %a : f32
    scf.yield %sum : f32
  }
  return %r : f32
}

// CHECK-LABEL: func.func @condition
// CHECK: cf.cond_br
// CHECK-NOT: scf
func.func @condition(%c: i1, %x: f32, %y: f32) -> f32 {
  %r = scf.if %c -> f32 {
    scf.yield %x : f32
  } else {
    scf.yield %y : f32
  }
  return %r : f32
}
}
