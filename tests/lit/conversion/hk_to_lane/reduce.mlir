// RUN: hocket-opt %s --split-input-file --hocket-allocate-memory --hocket-lane-pipeline | FileCheck %s

#lanes = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [32, 1], warps_per_cta = [1, 1], order = [1, 0]>
#slice = #hk.slice<dim = 1, parent = #lanes>
module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {

// A row lies in one lane: three additions, as a tree.
// CHECK-LABEL: llvm.func @registers
func.func public @registers(%p: !hk.ptr<f32>) attributes {hk.kernel} {
  // CHECK: [[A:%.*]] = lane.load
  // CHECK: [[B:%.*]] = lane.load
  // CHECK: [[C:%.*]] = lane.load
  // CHECK: [[D:%.*]] = lane.load
  // CHECK: [[AB:%.*]] = llvm.fadd [[A]], [[B]]
  // CHECK: [[CD:%.*]] = llvm.fadd [[C]], [[D]]
  // CHECK: [[SUM:%.*]] = llvm.fadd [[AB]], [[CD]]
  // CHECK-NOT: nvvm.shfl
  // CHECK: lane.store {{.*}}, [[SUM]]
  %from = hk.splat %p : !hk.ptr<f32> -> tensor<32x4x!hk.ptr<f32>, #lanes>
  %to = hk.splat %p : !hk.ptr<f32> -> tensor<32x!hk.ptr<f32>, #slice>
  %x = hk.load %from : tensor<32x4x!hk.ptr<f32>, #lanes> -> tensor<32x4xf32, #lanes>
  %y = hk.reduce %x axis = 1 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    hk.combine.return %sum : f32
  } : (tensor<32x4xf32, #lanes>) -> tensor<32xf32, #slice>
  hk.store %to, %y : tensor<32x!hk.ptr<f32>, #slice>, tensor<32xf32, #slice>
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {

// A row lies in the block: five butterflies, then 16 bytes of scratch combine the four warps, read by one access.
// CHECK: hk.shared_bytes = 16 : i32
// CHECK-LABEL: llvm.func @block
func.func public @block(%p: !hk.ptr<f32>) attributes {hk.kernel} {
  // CHECK-COUNT-5: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl
  // CHECK: llvm.store {{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<3>
  // CHECK-NOT: llvm.store
  // CHECK: nvvm.barrier
  // CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
  // CHECK-COUNT-3: llvm.intr.maxnum
  // CHECK-NOT: nvvm.barrier
  // CHECK: lane.store
  %from = hk.splat %p : !hk.ptr<f32> -> tensor<128x!hk.ptr<f32>, #row>
  %x = hk.load %from : tensor<128x!hk.ptr<f32>, #row> -> tensor<128xf32, #row>
  %y = hk.reduce %x axis = 0 {
  ^bb0(%a: f32, %b: f32):
    %max = arith.maxnumf %a, %b : f32
    hk.combine.return %max : f32
  } : (tensor<128xf32, #row>) -> f32
  hk.store %p, %y : !hk.ptr<f32>, f32
  return
}
}

// -----

#tile = #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [1, 64], warps_per_cta = [2, 1], order = [1, 0]>
#slice = #hk.slice<dim = 0, parent = #tile>
module attributes {hk.target = "gfx950", hk.num_warps = 2 : i32} {

// Two operands (a value and its index), columns over two waves; each operand has its own part of the scratch.
// CHECK: hk.shared_bytes = 1024 : i32
// CHECK-LABEL: llvm.func @tuple
func.func public @tuple(%p: !hk.ptr<f32>, %q: !hk.ptr<i32>) attributes {hk.kernel} {
  // CHECK-NOT: rocdl.ds_
  // CHECK: llvm.store {{.*}} : f32, !llvm.ptr<3>
  // CHECK: llvm.store {{.*}} : i32, !llvm.ptr<3>
  // CHECK: rocdl.s.barrier
  // CHECK: [[A:%.*]] = llvm.load {{.*}} : !llvm.ptr<3> -> f32
  // CHECK: [[B:%.*]] = llvm.load {{.*}} : !llvm.ptr<3> -> f32
  // CHECK: [[I:%.*]] = llvm.load {{.*}} : !llvm.ptr<3> -> i32
  // CHECK: [[J:%.*]] = llvm.load {{.*}} : !llvm.ptr<3> -> i32
  // CHECK: [[GREATER:%.*]] = llvm.fcmp "ogt" [[A]], [[B]]
  // CHECK: llvm.select [[GREATER]], [[A]], [[B]]
  // CHECK: llvm.select [[GREATER]], [[I]], [[J]]
  %from = hk.splat %p : !hk.ptr<f32> -> tensor<2x64x!hk.ptr<f32>, #tile>
  %x = hk.load %from : tensor<2x64x!hk.ptr<f32>, #tile> -> tensor<2x64xf32, #tile>
  %fromIndex = hk.splat %q : !hk.ptr<i32> -> tensor<2x64x!hk.ptr<i32>, #tile>
  %index = hk.load %fromIndex : tensor<2x64x!hk.ptr<i32>, #tile> -> tensor<2x64xi32, #tile>
  %to = hk.splat %p : !hk.ptr<f32> -> tensor<64x!hk.ptr<f32>, #slice>
  %toIndex = hk.splat %q : !hk.ptr<i32> -> tensor<64x!hk.ptr<i32>, #slice>
  %max, %argmax = hk.reduce %x, %index axis = 0 {
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %isGreater = arith.cmpf ogt, %a, %b : f32
    %value = arith.select %isGreater, %a, %b : f32
    %place = arith.select %isGreater, %i, %j : i32
    hk.combine.return %value, %place : f32, i32
  } : (tensor<2x64xf32, #tile>, tensor<2x64xi32, #tile>) -> (tensor<64xf32, #slice>, tensor<64xi32, #slice>)
  hk.store %to, %max : tensor<64x!hk.ptr<f32>, #slice>, tensor<64xf32, #slice>
  hk.store %toIndex, %argmax : tensor<64x!hk.ptr<i32>, #slice>, tensor<64xi32, #slice>
  return
}
}

// -----

#copies = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [4], order = [0]>
module attributes {hk.target = "gfx942", hk.num_warps = 4 : i32} {

// 16 elements: lanes 16.. and waves 1.. hold copies, which must not be counted. No exchange between waves is needed.
// CHECK: hk.shared_bytes = 0 : i32
// CHECK-LABEL: llvm.func @copies
func.func public @copies(%p: !hk.ptr<i32>) attributes {hk.kernel} {
  // CHECK-COUNT-4: llvm.add {{%.*}}, {{%.*}} : i32
  // CHECK-NOT: llvm.add
  // CHECK-NOT: s.barrier
  // CHECK: lane.store
  %from = hk.splat %p : !hk.ptr<i32> -> tensor<16x!hk.ptr<i32>, #copies>
  %x = hk.load %from : tensor<16x!hk.ptr<i32>, #copies> -> tensor<16xi32, #copies>
  %y = hk.reduce %x axis = 0 {
  ^bb0(%a: i32, %b: i32):
    %sum = arith.addi %a, %b : i32
    hk.combine.return %sum : i32
  } : (tensor<16xi32, #copies>) -> i32
  hk.store %p, %y : !hk.ptr<i32>, i32
  return
}
}

// -----

#eight = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [8], order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 8 : i32} {

// Eight warps, one result: a lane reads four partials, its neighbor the other four.
// CHECK-LABEL: llvm.func @spread
func.func public @spread(%p: !hk.ptr<f32>) attributes {hk.kernel} {
  %i = hk.arange 0 to 1024 : tensor<1024xi32, #eight>
  %f = arith.sitofp %i : tensor<1024xi32, #eight> to tensor<1024xf32, #eight>
  // CHECK-COUNT-5: nvvm.shfl.sync
  // CHECK: nvvm.barrier
  // CHECK: llvm.load {{.*}} -> vector<4xf32>
  // CHECK-NOT: llvm.load
  // CHECK: nvvm.shfl.sync
  // CHECK-NOT: nvvm.shfl.sync
  // CHECK: lane.store
  %sum = hk.reduce %f axis = 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    hk.combine.return %s : f32
  } : (tensor<1024xf32, #eight>) -> f32
  hk.store %p, %sum : !hk.ptr<f32>, f32
  return
}
}

// -----

#lanes = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [1], order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {

// A region with a branch: it is cloned after each shuffle; the next shuffle follows in its exit block.
// CHECK-LABEL: llvm.func @branch
func.func public @branch(%p: !hk.ptr<i32>) attributes {hk.kernel} {
  // CHECK: [[OTHER:%.*]] = nvvm.shfl.sync bfly
  // CHECK: llvm.cond_br {{.*}}, [[DIVIDE:\^bb[0-9]+]], [[KEEP:\^bb[0-9]+]]
  // CHECK: [[DIVIDE]]:
  // CHECK: llvm.sdiv
  // CHECK: llvm.br [[END:\^bb[0-9]+]]({{.*}} : i32)
  // CHECK: [[END]]([[RESULT:%.*]]: i32):
  // CHECK: llvm.br [[AFTER:\^bb[0-9]+]]([[RESULT]] : i32)
  // CHECK: [[AFTER]]([[COMBINED:%.*]]: i32):
  // CHECK: nvvm.shfl.sync bfly {{.*}}, [[COMBINED]]
  // CHECK-COUNT-3: nvvm.shfl.sync bfly
  // CHECK-NOT: hk.reduce
  %from = hk.splat %p : !hk.ptr<i32> -> tensor<32x!hk.ptr<i32>, #lanes>
  %x = hk.load %from : tensor<32x!hk.ptr<i32>, #lanes> -> tensor<32xi32, #lanes>
  %y = hk.reduce %x axis = 0 {
  ^bb0(%a: i32, %b: i32):
    %less = arith.cmpi slt, %a, %b : i32
    %combined = scf.if %less -> i32 {
      %quotient = arith.divsi %b, %a : i32
      scf.yield %quotient : i32
    } else {
      scf.yield %a : i32
    }
    hk.combine.return %combined : i32
  } : (tensor<32xi32, #lanes>) -> i32
  hk.store %p, %y : !hk.ptr<i32>, i32
  return
}
}

// -----

#halves = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [32, 2], warps_per_cta = [1, 1], order = [0, 1]>
#slice = #hk.slice<dim = 1, parent = #halves>
module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32} {

// Chains combine two elements at a time, for v_max3. Lanes 32 apart swap registers and combine the same two in the same
// order.
// CHECK-LABEL: llvm.func @swapped
func.func public @swapped(%p: !hk.ptr<f32>) attributes {hk.kernel} {
  // CHECK: [[A:%.*]] = llvm.intr.maxnum
  // CHECK: llvm.intr.maxnum([[A]], {{%.*}})
  // CHECK: [[B:%.*]] = llvm.intr.maxnum
  // CHECK: llvm.intr.maxnum([[B]], {{%.*}})
  // CHECK-COUNT-2: llvm.intr.maxnum
  // CHECK: [[MINE:%.*]] = llvm.intr.maxnum
  // CHECK: [[WORD:%.*]] = llvm.bitcast [[MINE]] : f32 to i32
  // CHECK: [[PAIR:%.*]] = rocdl.permlane32.swap [[WORD]], [[WORD]]
  // CHECK: [[FIRST:%.*]] = llvm.extractvalue [[PAIR]][0]
  // CHECK: [[SECOND:%.*]] = llvm.extractvalue [[PAIR]][1]
  // CHECK: [[LOWER:%.*]] = llvm.bitcast [[FIRST]]
  // CHECK: [[UPPER:%.*]] = llvm.bitcast [[SECOND]]
  // CHECK: llvm.intr.maxnum([[LOWER]], [[UPPER]])
  // CHECK-NOT: ds_bpermute
  %from = hk.splat %p : !hk.ptr<f32> -> tensor<32x16x!hk.ptr<f32>, #halves>
  %to = hk.splat %p : !hk.ptr<f32> -> tensor<32x!hk.ptr<f32>, #slice>
  %x = hk.load %from : tensor<32x16x!hk.ptr<f32>, #halves> -> tensor<32x16xf32, #halves>
  %y = hk.reduce %x axis = 1 {
  ^bb0(%a: f32, %b: f32):
    %max = arith.maxnumf %a, %b : f32
    hk.combine.return %max : f32
  } : (tensor<32x16xf32, #halves>) -> tensor<32xf32, #slice>
  hk.store %to, %y : tensor<32x!hk.ptr<f32>, #slice>, tensor<32xf32, #slice>
  return
}
}
