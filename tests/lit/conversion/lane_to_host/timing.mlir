// RUN: hocket-opt %s -hocket-convert-lane-to-host=timing=true | FileCheck %s
// RUN: hocket-opt %s -hocket-convert-lane-to-host | FileCheck %s --check-prefix=PLAIN

// A call precedes each timed group; a table describes its instructions. Without timing there are no calls.

// PLAIN-NOT: hocket.events
// PLAIN-NOT: hocket_emulator_timed

// Results: 0 is the global load, 1 the load from shared memory, 2 and 3 the MMAs.
// CHECK: hocket.events = [{busy = 16 : i32, issue = 4 : i32, kind = "global_load", latency = 1000 : i32, {{[^}]*}}result = 0 : i32, unit = 4 : i32}, {
// The lane index is in a register; a multiplication by 16 is one instruction. Uniform values take no time.
// CHECK-SAME: busy = 4 : i32, issue = 4 : i32, kind = "arithmetic", {{[^}]*}}unit = 1 : i32}
// CHECK-SAME: {busy = 8 : i32, issue = 4 : i32, kind = "shared_store", latency = 64 : i32, {{[^}]*}}unit = 3 : i32, uses = array<i32: 0>}
// CHECK-SAME: {kind = "fence", {{[^}]*}}operand = 1 : i32}
// CHECK-SAME: {kind = "stage", label = "compute", {{[^}]*}}}
// CHECK-SAME: {busy = 4 : i32, issue = 4 : i32, kind = "shared_load", latency = 64 : i32, {{[^}]*}}result = 1 : i32, unit = 3 : i32}
// CHECK-SAME: {busy = 32 : i32, issue = 4 : i32, kind = "matrix", latency = 16 : i32, {{[^}]*}}result = 2 : i32, unit = 2 : i32, uses = array<i32: 1>}
// The second MMA reads the accumulator of the first one, and has waited for the load.
// CHECK-SAME: {busy = 32 : i32, issue = 4 : i32, kind = "matrix", latency = 16 : i32, {{[^}]*}}result = 3 : i32, unit = 2 : i32}
// CHECK-SAME: {busy = 4 : i32, issue = 4 : i32, kind = "global_store", latency = 1000 : i32, {{[^}]*}}unit = 4 : i32, uses = array<i32: 3>}

// CHECK: llvm.func @hocket_emulated_kernel
// CHECK: llvm.call @hocket_emulator_timed(%{{.*}}, %{{.*}}) : (!llvm.ptr, i32) -> ()
module attributes {hk.target = "gfx942", hk.num_warps = 1 : i32, hk.shared_bytes = 1024 : i32} {
  llvm.mlir.global external @hocket_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  llvm.func @kernel(%x: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {rocdl.kernel} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %sixteen = llvm.mlir.constant(16 : i32) : i32
    %sum0 = llvm.mlir.constant(dense<0.0> : vector<16xf32>) : vector<16xf32>
    %lane = rocdl.workitem.id.x : i32
    %smem = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
    %from = llvm.getelementptr %x[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
    %v = lane.load %from : !llvm.ptr<1> -> vector<4xf32>
    %offset = llvm.mul %lane, %sixteen : i32
    %uniform = llvm.mul %zero, %sixteen : i32
    %place = llvm.getelementptr %smem[%offset] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    llvm.store %v, %place : vector<4xf32>, !llvm.ptr<3>
    llvm.fence syncscope("workgroup") release {llvm.mmra = #llvm.mmra_tag<"amdgpu-synchronize-as":"local">}
    rocdl.s.barrier
    llvm.fence syncscope("workgroup") acquire {llvm.mmra = #llvm.mmra_tag<"amdgpu-synchronize-as":"local">}
    rocdl.sched.barrier 0 {lane.stage = "compute"}
    %h = llvm.load %place : !llvm.ptr<3> -> vector<4xf16>
    %sum1 = rocdl.mfma.f32.32x32x8f16 %h, %h, %sum0, %zero, %zero, %zero : (vector<4xf16>, vector<4xf16>, vector<16xf32>, i32, i32, i32) -> vector<16xf32>
    %sum2 = rocdl.mfma.f32.32x32x8f16 %h, %h, %sum1, %zero, %zero, %zero : (vector<4xf16>, vector<4xf16>, vector<16xf32>, i32, i32, i32) -> vector<16xf32>
    %first = llvm.extractelement %sum2[%zero : i32] : vector<16xf32>
    lane.store %out, %first : !llvm.ptr<1>, f32
    llvm.return
  }
}
