// What is of another vendor, or of no type of LLVM's, would crash the export or the back end.
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
  // expected-error @+1 {{'arith.addf' does not become LLVM IR for AMD GPUs}}
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
