// RUN: hocket-opt %s --split-input-file --hocket-allocate-memory --hocket-lane-pipeline | FileCheck %s

#copies = #hk.linear<reg = [[16], [0]], lane = [[1], [2], [4], [8], [0]], warp = [], block = [], shape = [32]>
#four = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [1], order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {

// The branches are cloned for every register.
// CHECK-LABEL: llvm.func @branches
func.func public @branches(%p: !hk.ptr<f32>) attributes {hk.kernel} {
  // CHECK-COUNT-4: llvm.cond_br
  // CHECK-NOT: llvm.cond_br
  %at = hk.splat %p : !hk.ptr<f32> -> tensor<128x!hk.ptr<f32>, #four>
  %x = hk.load %at : tensor<128x!hk.ptr<f32>, #four> -> tensor<128xf32, #four>
  %y = hk.map %x pack = 1 {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %less = arith.cmpf olt, %a, %zero : f32
    %r = scf.if %less -> f32 {
      %n = arith.negf %a : f32
      scf.yield %n : f32
    } else {
      %s = math.sqrt %a : f32
      scf.yield %s : f32
    }
    hk.map.return %r : f32
  } : (tensor<128xf32, #four>) -> tensor<128xf32, #four>
  hk.store %at, %y : tensor<128x!hk.ptr<f32>, #four>, tensor<128xf32, #four>
  return
}

// Two elements of 16 bits in a register of 32.
// CHECK-LABEL: llvm.func @assembly
func.func public @assembly(%p: !hk.ptr<f16>) attributes {hk.kernel} {
  // CHECK: [[PAIR:%.*]] = llvm.bitcast {{.*}} : vector<2xf16> to i32
  // CHECK: [[OUT:%.*]] = llvm.inline_asm asm_dialect = att "neg.f16x2 $0, $1;", "=r,r" [[PAIR]] : (i32) -> i32
  // CHECK: llvm.bitcast [[OUT]] : i32 to vector<2xf16>
  // CHECK: llvm.inline_asm
  // CHECK-NOT: llvm.inline_asm
  %at = hk.splat %p : !hk.ptr<f16> -> tensor<128x!hk.ptr<f16>, #four>
  %x = hk.load %at : tensor<128x!hk.ptr<f16>, #four> -> tensor<128xf16, #four>
  %y = hk.inline_asm "neg.f16x2 $0, $1;" "=r,r" %x pack = 2 pure : (tensor<128xf16, #four>) -> tensor<128xf16, #four>
  hk.store %at, %y : tensor<128x!hk.ptr<f16>, #four>, tensor<128xf16, #four>
  return
}

// Several results; impure operations stay, even if unused.
// CHECK-LABEL: llvm.func @several
func.func public @several(%p: !hk.ptr<f32>) attributes {hk.kernel} {
  // CHECK-COUNT-4: llvm.inline_asm has_side_effects asm_dialect = att {{.*}} : (f32) -> !llvm.struct<(f32, i32)>
  %at = hk.splat %p : !hk.ptr<f32> -> tensor<128x!hk.ptr<f32>, #four>
  %x = hk.load %at : tensor<128x!hk.ptr<f32>, #four> -> tensor<128xf32, #four>
  %y:2 = hk.inline_asm "neg.f32 $0, $2; mov.u32 $1, %clock;" "=f,=r,f" %x pack = 1
    : (tensor<128xf32, #four>) -> (tensor<128xf32, #four>, tensor<128xi32, #four>)
  return
}

// Each element is printed once, by the first lane and register that hold it.
// CHECK-LABEL: llvm.func @prints
func.func public @prints(%p: !hk.ptr<f32>) attributes {hk.kernel} {
  // CHECK: [[FIRST:%.*]] = llvm.icmp "eq"
  // CHECK: lane.print "x: {f}"[] of {{.*}} : f32 pred [[FIRST]]
  // CHECK: lane.print "x: {f}"[] of {{.*}} : f32 pred [[FIRST]]
  // CHECK-NOT: lane.print
  %at = hk.splat %p : !hk.ptr<f32> -> tensor<32x!hk.ptr<f32>, #copies>
  %x = hk.load %at : tensor<32x!hk.ptr<f32>, #copies> -> tensor<32xf32, #copies>
  %y = hk.map %x pack = 1 {
  ^bb0(%a: f32):
    hk.print "x: {f}", %a : f32
    hk.map.return %a : f32
  } : (tensor<32xf32, #copies>) -> tensor<32xf32, #copies>
  hk.store %at, %y : tensor<32x!hk.ptr<f32>, #copies>, tensor<32xf32, #copies>
  return
}

// A combine function prints in each lane.
// CHECK-LABEL: llvm.func @prints_sums
func.func public @prints_sums(%p: !hk.ptr<f32>) attributes {hk.kernel} {
  // CHECK: lane.print "adds {f} and {f}"[] of
  // CHECK-NOT: lane.print {{.*}} pred
  %at = hk.splat %p : !hk.ptr<f32> -> tensor<128x!hk.ptr<f32>, #four>
  %x = hk.load %at : tensor<128x!hk.ptr<f32>, #four> -> tensor<128xf32, #four>
  %y = hk.reduce %x axis = 0 {
  ^bb0(%a: f32, %b: f32):
    hk.print "adds {f} and {f}", %a, %b : f32, f32
    %c = arith.addf %a, %b : f32
    hk.combine.return %c : f32
  } : (tensor<128xf32, #four>) -> f32
  hk.store %p, %y : !hk.ptr<f32>, f32
  return
}
}
