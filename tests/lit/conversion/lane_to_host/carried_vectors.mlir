// RUN: hocket-opt %s --split-input-file --hocket-convert-lane-to-host | FileCheck %s

module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32, hk.shared_bytes = 0 : i32} {
// CHECK-LABEL: llvm.func @hocket_emulated_kernel
llvm.func @carried(%v: vector<2xf16>, %more: i1, %p: !llvm.ptr<1>) attributes {rocdl.kernel} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  %1 = llvm.mlir.constant(1 : i32) : i32
  %none = llvm.mlir.constant(0.0 : f32) : f32
  %poison = llvm.mlir.poison : vector<2xf16>
  %poison32 = llvm.mlir.poison : vector<2xf32>
  %a = llvm.extractelement %v[%0 : i32] : vector<2xf16>
  %b = llvm.extractelement %v[%1 : i32] : vector<2xf16>
  // The elements of a vector may come in any order; one predecessor may pass a splat constant, the other a vector.
  // CHECK: %[[ZERO:.*]] = llvm.mlir.constant(dense<0.000000e+00> : vector<2xf32>)
  // CHECK: llvm.br ^[[LOOP:.*]](%[[V:.*]], %[[ZERO]] : vector<2xf16>, vector<2xf32>)
  llvm.br ^loop(%b, %none, %a, %none : f16, f32, f16, f32)
^loop(%y: f16, %s: f32, %x: f16, %t: f32):
  // CHECK: ^[[LOOP]](%[[W:.*]]: vector<2xf16>, %[[SUMS:.*]]: vector<2xf32>):
  // CHECK-DAG: %[[S:.*]] = llvm.extractelement %[[SUMS]][{{.*}}]
  // CHECK-DAG: llvm.extractelement %[[W]][{{.*}}]
  %w0 = llvm.insertelement %y, %poison[%0 : i32] : vector<2xf16>
  %w = llvm.insertelement %x, %w0[%1 : i32] : vector<2xf16>
  %sums0 = llvm.insertelement %s, %poison32[%0 : i32] : vector<2xf32>
  %sums = llvm.insertelement %t, %sums0[%1 : i32] : vector<2xf32>
  %next = llvm.fadd %sums, %sums : vector<2xf32>
  %c = llvm.extractelement %w[%0 : i32] : vector<2xf16>
  %d = llvm.extractelement %w[%1 : i32] : vector<2xf16>
  %u = llvm.extractelement %next[%0 : i32] : vector<2xf32>
  %z = llvm.extractelement %next[%1 : i32] : vector<2xf32>
  llvm.cond_br %more, ^loop(%d, %u, %c, %z : f16, f32, f16, f32), ^done
^done:
  lane.store %p, %next : !llvm.ptr<1>, vector<2xf32>
  llvm.return
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32, hk.shared_bytes = 0 : i32} {
// CHECK-LABEL: llvm.func @hocket_emulated_kernel
llvm.func @apart(%v: vector<2xf16>, %more: i1, %p: !llvm.ptr<1>) attributes {rocdl.kernel} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  %1 = llvm.mlir.constant(1 : i32) : i32
  %poison = llvm.mlir.poison : vector<2xf16>
  %a = llvm.extractelement %v[%0 : i32] : vector<2xf16>
  %b = llvm.extractelement %v[%1 : i32] : vector<2xf16>
  // Elements that change their index are carried one by one.
  // CHECK: llvm.br ^[[LOOP:.*]]({{.*}} : f16, f16)
  llvm.br ^loop(%a, %b : f16, f16)
^loop(%x: f16, %y: f16):
  %w0 = llvm.insertelement %x, %poison[%0 : i32] : vector<2xf16>
  %w = llvm.insertelement %y, %w0[%1 : i32] : vector<2xf16>
  %c = llvm.extractelement %w[%0 : i32] : vector<2xf16>
  %d = llvm.extractelement %w[%1 : i32] : vector<2xf16>
  llvm.cond_br %more, ^loop(%d, %c : f16, f16), ^done
^done:
  lane.store %p, %w : !llvm.ptr<1>, vector<2xf16>
  llvm.return
}
}
