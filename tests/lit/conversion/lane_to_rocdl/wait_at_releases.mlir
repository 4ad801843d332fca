// RUN: hocket-opt %s --hocket-wait-at-releases | FileCheck %s

// s_waitcnt lgkmcnt(0) alone is 49279, vmcnt(0) alone 3952, both 112.

// CHECK-LABEL: llvm.func @fences
llvm.func @fences(%c: i1) {
  llvm.br ^loop
^loop:
  // CHECK: llvm.fence syncscope("workgroup") release
  // CHECK-NEXT: rocdl.s.waitcnt 49279
  llvm.fence syncscope("workgroup") release
  // CHECK-NEXT: llvm.fence syncscope("agent") release
  // CHECK-NEXT: rocdl.s.waitcnt 112
  llvm.fence syncscope("agent") release
  // CHECK-NEXT: llvm.fence syncscope("agent") release {llvm.mmra = #[[LOCAL:.+]]}
  // CHECK-NEXT: rocdl.s.waitcnt 49279
  llvm.fence syncscope("agent") release {llvm.mmra = #llvm.mmra_tag<"amdgpu-synchronize-as":"local">}
  // CHECK-NEXT: llvm.fence syncscope("agent") release {llvm.mmra = #[[GLOBAL:.+]]}
  // CHECK-NEXT: rocdl.s.waitcnt 3952
  llvm.fence syncscope("agent") release {llvm.mmra = #llvm.mmra_tag<"amdgpu-synchronize-as":"global">}
  // CHECK-NEXT: llvm.fence syncscope("workgroup") release {llvm.mmra = #[[GLOBAL]]}
  // CHECK-NEXT: llvm.fence syncscope("wavefront") release
  // CHECK-NEXT: llvm.fence syncscope("workgroup") acquire
  // CHECK-NEXT: llvm.cond_br
  llvm.fence syncscope("workgroup") release {llvm.mmra = #llvm.mmra_tag<"amdgpu-synchronize-as":"global">}
  llvm.fence syncscope("wavefront") release
  llvm.fence syncscope("workgroup") acquire
  llvm.cond_br %c, ^loop, ^end
^end:
  // CHECK: llvm.fence syncscope("workgroup") release
  // CHECK-NEXT: llvm.return
  llvm.fence syncscope("workgroup") release
  llvm.return
}

// The bare barrier of a warp pipeline releases nothing; reads before it have to be finished all the same.
// CHECK-LABEL: llvm.func @bare_barrier
llvm.func @bare_barrier(%c: i1) {
  llvm.br ^loop
^loop:
  // CHECK: llvm.fence syncscope("singlethread") release
  // CHECK-NEXT: rocdl.s.barrier
  // CHECK-NEXT: llvm.fence syncscope("workgroup") acquire
  // CHECK-NEXT: rocdl.s.waitcnt 49279
  llvm.fence syncscope("singlethread") release
  rocdl.s.barrier
  llvm.fence syncscope("workgroup") acquire
  llvm.cond_br %c, ^loop, ^end
^end:
  llvm.return
}

// CHECK-LABEL: llvm.func @atomics
llvm.func @atomics(%p: !llvm.ptr<1>, %v: i32, %c: i1) {
  llvm.br ^loop
^loop:
  // CHECK: llvm.fence syncscope("agent") release
  // CHECK-NEXT: rocdl.s.waitcnt 112
  // CHECK-NEXT: lane.atomic_rmw add acquire gpu, %arg0, %arg1
  %0 = lane.atomic_rmw add acq_rel gpu, %p, %v : !llvm.ptr<1>, i32
  // CHECK-NEXT: llvm.fence release
  // CHECK-NEXT: rocdl.s.waitcnt 112
  // CHECK-NEXT: lane.atomic_cas relaxed sys, %arg0, %arg1, %arg1
  %1 = lane.atomic_cas release sys, %p, %v, %v : !llvm.ptr<1>, i32
  // CHECK-NEXT: lane.atomic_rmw add acquire gpu, %arg0, %arg1
  // CHECK-NEXT: llvm.cond_br
  %2 = lane.atomic_rmw add acquire gpu, %p, %v : !llvm.ptr<1>, i32
  llvm.cond_br %c, ^loop, ^end
^end:
  // CHECK: lane.atomic_rmw add release gpu, %arg0, %arg1
  // CHECK-NEXT: llvm.return
  %3 = lane.atomic_rmw add release gpu, %p, %v : !llvm.ptr<1>, i32
  llvm.return
}
