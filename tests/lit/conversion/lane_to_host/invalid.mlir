// RUN: hocket-opt %s --split-input-file --verify-diagnostics --hocket-convert-lane-to-host

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
llvm.func @unknown_operation() attributes {nvvm.kernel} {
  // expected-error @+1 {{the emulator does not support the operation nvvm.cp.async.commit.group}}
  nvvm.cp.async.commit.group
  llvm.return
}
}

// -----

module attributes {hk.num_warps = 4 : i32, hk.target = "gfx950"} {
llvm.func @unknown_intrinsic(%x: i32) attributes {rocdl.kernel} {
  // expected-error @+1 {{the emulator does not support the intrinsic llvm.amdgcn.sbfe}}
  %0 = llvm.call_intrinsic "llvm.amdgcn.sbfe"(%x, %x, %x) : (i32, i32, i32) -> i32
  llvm.return
}
}

// -----

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
llvm.func @inline_assembly() attributes {nvvm.kernel} {
  // expected-error @+1 {{the emulator cannot run inline assembly}}
  llvm.inline_asm has_side_effects "membar.gl;", "" : () -> ()
  llvm.return
}
}

// -----

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
llvm.func @unchecked_access(%x: !llvm.ptr<1>) attributes {nvvm.kernel} {
  // expected-error @+1 {{the emulator cannot check this access; global memory is accessed by lane operations}}
  %0 = llvm.load %x : !llvm.ptr<1> -> f32
  llvm.return
}
}

// -----

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
llvm.mlir.global external @other() {addr_space = 3 : i32} : !llvm.array<16 x i8>
llvm.func @second_shared_array() attributes {nvvm.kernel} {
  // expected-error @+1 {{the emulator supports one shared array, @hocket_shared, not @other}}
  %0 = llvm.mlir.addressof @other : !llvm.ptr<3>
  llvm.return
}
}

// -----

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
llvm.func @growing_stack(%n: i32) attributes {nvvm.kernel} {
  // expected-error @+1 {{the emulator cannot run an allocation whose size is not known when it compiles}}
  %0 = llvm.alloca %n x f32 : (i32) -> !llvm.ptr
  llvm.return
}
}

// -----

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
// expected-error @+1 {{expected a kernel as the only function with a body}}
llvm.func @not_a_kernel() {
  llvm.return
}
}

// -----

// expected-error @+1 {{expected a function with the attribute nvvm.kernel or rocdl.kernel}}
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
}

// -----

// expected-error @+1 {{the module must have a target (hk.target) and number of warps (hk.num_warps)}}
module {
llvm.func @kernel() attributes {nvvm.kernel} {
  llvm.return
}
}

// -----

module attributes {hk.num_warps = 1 : i32, hk.target = "gfx942"} {
llvm.func @numbers_without_a_width(%p: !llvm.ptr<3>, %sum: vector<16xf32>, %zero: i32) attributes {rocdl.kernel} {
  // expected-error @+1 {{LLVM has no type 'vector<4xindex>'}}
  %h = llvm.load %p : !llvm.ptr<3> -> vector<4xindex>
  %0 = rocdl.mfma.f32.32x32x8f16 %h, %h, %sum, %zero, %zero, %zero : (vector<4xindex>, vector<4xindex>, vector<16xf32>, i32, i32, i32) -> vector<16xf32>
  llvm.return
}
}
