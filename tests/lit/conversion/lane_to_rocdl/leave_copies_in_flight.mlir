// RUN: hocket-opt %s --hocket-leave-copies-in-flight | FileCheck %s

// LDS accesses and copies are in two alias scopes; fences of the block's LDS get a wider scope, so that neither waits
// for copies.
// CHECK-LABEL: llvm.func @scopes
llvm.func @scopes(%g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %r: !llvm.ptr<8>, %i: i32, %v: f32) {
  // CHECK: rocdl.global.load.lds %arg0, %arg1, 4, 0, 0 {alias_scopes = [#[[COPIES:.+]]], noalias_scopes = [#[[OTHERS:.+]]]}
  rocdl.global.load.lds %g, %s, 4, 0, 0
  // CHECK: rocdl.raw.ptr.buffer.load.lds {{.+}} {alias_scopes = [#[[COPIES]]], noalias_scopes = [#[[OTHERS]]]}
  rocdl.raw.ptr.buffer.load.lds %r, %s, %i, %i, %i, %i, %i
  // CHECK: llvm.fence syncscope("agent") release {llvm.mmra = #[[LOCAL:.+]]}
  // CHECK: llvm.fence syncscope("workgroup") acquire {llvm.mmra = #[[GLOBAL:.+]]}
  // CHECK-NEXT: llvm.fence syncscope("agent") acquire {llvm.mmra = #[[LOCAL]]}
  llvm.fence syncscope("workgroup") release {llvm.mmra = #llvm.mmra_tag<"amdgpu-synchronize-as":"local">}
  llvm.fence syncscope("workgroup") acquire
  // CHECK: llvm.load %arg1 {alias_scopes = [#[[OTHERS]]], noalias_scopes = [#[[COPIES]]]}
  %0 = llvm.load %s : !llvm.ptr<3> -> f32
  // CHECK: llvm.store %arg4, %arg1 {alias_scopes = [#[[OTHERS]]], noalias_scopes = [#[[COPIES]]]}
  llvm.store %v, %s : f32, !llvm.ptr<3>
  // CHECK: llvm.store %arg4, %arg0 : f32, !llvm.ptr<1>
  llvm.store %v, %g : f32, !llvm.ptr<1>
  llvm.return
}

// Without copies nothing changes.
// CHECK-LABEL: llvm.func @no_copies
llvm.func @no_copies(%s: !llvm.ptr<3>) {
  // CHECK: llvm.fence syncscope("workgroup") release{{$}}
  llvm.fence syncscope("workgroup") release
  // CHECK: llvm.load %arg0 : !llvm.ptr<3> -> f32
  %0 = llvm.load %s : !llvm.ptr<3> -> f32
  llvm.return
}
