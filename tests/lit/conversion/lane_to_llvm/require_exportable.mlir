// Operations of another vendor, and types unknown to LLVM, would crash the export or the back end.
// RUN: hocket-opt %s --hocket-gpu-pipeline-gfx950 --split-input-file --verify-diagnostics
// RUN: sed -e "s/llvm.nvvm/llvm.amdgcn/; s/nvvm/rocdl/; s/AMD/NVIDIA/" %s \
// RUN: | hocket-opt --hocket-gpu-pipeline-sm_90a --split-input-file --verify-diagnostics

// expected-error @+1 {{the attribute 'nvvm.kernel' has no meaning on AMD GPUs}}
llvm.func @foreign_attribute() attributes {nvvm.kernel} {
  llvm.return
}

// -----

llvm.func @foreign_intrinsic() {
  // expected-error @+1 {{the intrinsic 'llvm.nvvm.anything' has no meaning on AMD GPUs}}
  llvm.call_intrinsic "llvm.nvvm.anything"() : () -> ()
  llvm.return
}

// -----

// expected-error @+1 {{the intrinsic 'llvm.nvvm.anything' has no meaning on AMD GPUs}}
llvm.func @llvm.nvvm.anything()

// -----

llvm.func @unconverted(%x: f32) {
  // expected-error @+1 {{'arith.addf' has no translation to LLVM IR for AMD GPUs}}
  %y = arith.addf %x, %x : f32
  llvm.return
}

// -----

// expected-error @+1 {{LLVM has no type '!llvm.array<16 x f8E5M2>'}}
llvm.mlir.global external @global() : !llvm.array<16 x f8E5M2>

// -----

llvm.func @allocation() {
  %n = llvm.mlir.constant(1 : i32) : i32
  // expected-error @+1 {{LLVM has no type 'index'}}
  %p = llvm.alloca %n x index : (i32) -> !llvm.ptr
  llvm.return
}

// -----

llvm.func @value(%p: !llvm.ptr) {
  // expected-error @+1 {{LLVM has no type '!llvm.struct<(f8E4M3FN)>'}}
  %v = llvm.load %p : !llvm.ptr -> !llvm.struct<(f8E4M3FN)>
  llvm.return
}

// -----

// expected-error @+1 {{a value of type 'vector<2147483647xf32>' exceeds the register file of any thread}}
llvm.func @vector(%v: vector<2147483647xf32>) {
  llvm.return
}

// -----

llvm.func @records(%p: !llvm.ptr) {
  // expected-error @+1 {{exceeds the register file of any thread}}
  %v = llvm.load %p : !llvm.ptr -> !llvm.array<4611686018427387904 x struct<(f32, vector<4xf32>)>>
  llvm.return
}

// -----

// Memory may be arbitrarily large; values are limited by the registers.
llvm.mlir.global external @large() {addr_space = 3 : i32} : !llvm.array<2147483647 x f32>
llvm.mlir.global internal @zero() {addr_space = 1 : i32} : !llvm.array<73728 x i8> {
  %zero = llvm.mlir.zero : !llvm.array<73728 x i8>
  llvm.return %zero : !llvm.array<73728 x i8>
}
llvm.func @fits(%p: !llvm.ptr) {
  %v = llvm.load %p : !llvm.ptr -> vector<4096xf32>
  llvm.return
}

// -----

llvm.mlir.global internal @in_parts() {addr_space = 1 : i32} : !llvm.array<73728 x i8> {
  %zero = llvm.mlir.zero : !llvm.array<73728 x i8>
  %one = llvm.mlir.constant(1 : i8) : i8
  // expected-error @+1 {{exceeds the register file of any thread}}
  %whole = llvm.insertvalue %one, %zero[0] : !llvm.array<73728 x i8>
  llvm.return %whole : !llvm.array<73728 x i8>
}
