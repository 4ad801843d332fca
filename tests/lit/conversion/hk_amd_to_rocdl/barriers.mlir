// RUN: hocket-opt %s --hocket-lane-pipeline | FileCheck %s
// RUN: hocket-opt %s --hocket-lane-pipeline | mlir-translate --mlir-to-llvmir --allow-unregistered-dialect | FileCheck %s --check-prefix=LLVM

// CHECK: #[[TAG:.+]] = #llvm.mmra_tag<"amdgpu-synchronize-as":"local">
// The fences of a barrier name the ordered memories, unless they order all.
module attributes {hk.target = "gfx942", hk.num_warps = 4 : i32} {
// CHECK-LABEL: llvm.func @barriers
// LLVM-LABEL: define amdgpu_kernel void @barriers
func.func public @barriers() attributes {hk.kernel} {
  // CHECK: llvm.fence syncscope("workgroup") release {llvm.mmra = #[[TAG]]}
  // CHECK-NEXT: rocdl.s.barrier
  // CHECK-NEXT: llvm.fence syncscope("workgroup") acquire {llvm.mmra = #[[TAG]]}
  // LLVM: fence syncscope("workgroup") release, !mmra ![[LOCAL:[0-9]+]]
  // LLVM: fence syncscope("workgroup") acquire, !mmra ![[LOCAL]]
  hk.barrier local
  // CHECK-NEXT: llvm.fence syncscope("workgroup") release{{$}}
  // CHECK-NEXT: rocdl.s.barrier
  // CHECK-NEXT: llvm.fence syncscope("workgroup") acquire{{$}}
  // LLVM: fence syncscope("workgroup") release{{$}}
  // LLVM: fence syncscope("workgroup") acquire{{$}}
  hk.barrier
  return
}
}
// LLVM: ![[LOCAL]] = !{!"amdgpu-synchronize-as", !"local"}
