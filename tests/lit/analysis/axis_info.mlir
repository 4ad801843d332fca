// RUN: hocket-opt %s --hocket-print-axis-info --split-input-file --verify-diagnostics -o /dev/null

#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

// The natural vector kernel: pid * BLOCK + arange, a mask against n.
func.func @vector(%x: !hk.ptr<f32> {hk.divisibility = 16 : i32}, %n: i32 {hk.divisibility = 16 : i32}, %odd: i32) {
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %pid = hk.program_id 0
  // expected-remark @below {{contiguity = [1], divisibility = [1024], constancy = [1], constant = 1024}}
  %block = arith.constant 1024 : i32
  // expected-remark @below {{contiguity = [1], divisibility = [1024], constancy = [1]}}
  %start = arith.muli %pid, %block : i32
  // expected-remark @below {{contiguity = [1024], divisibility = [any], constancy = [1]}}
  %r = hk.arange 0 to 1024 : tensor<1024xi32, #b>
  // expected-remark @below {{contiguity = [1], divisibility = [1024], constancy = [1024]}}
  %s = hk.splat %start : i32 -> tensor<1024xi32, #b>
  // expected-remark @below {{contiguity = [1024], divisibility = [1024], constancy = [1]}}
  %i = arith.addi %s, %r : tensor<1024xi32, #b>
  // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [1024]}}
  %ns = hk.splat %n : i32 -> tensor<1024xi32, #b>
  // Groups of 16 start at multiples of 16, and n is one.
  // expected-remark @below {{constancy = [16]}}
  %lt = arith.cmpi slt, %i, %ns : tensor<1024xi32, #b>
  // expected-remark @below {{constancy = [16]}}
  %gt = arith.cmpi sgt, %ns, %i : tensor<1024xi32, #b>
  // i <= n is true for i = n and false for i = n + 1.
  // expected-remark @below {{constancy = [1]}}
  %le = arith.cmpi sle, %i, %ns : tensor<1024xi32, #b>
  // expected-remark @below {{constancy = [1]}}
  %eq = arith.cmpi eq, %i, %ns : tensor<1024xi32, #b>
  // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [1024]}}
  %xs = hk.splat %x : !hk.ptr<f32> -> tensor<1024x!hk.ptr<f32>, #b>
  // expected-remark @below {{contiguity = [1024], divisibility = [16], constancy = [1]}}
  %p = hk.addptr %xs, %i : tensor<1024x!hk.ptr<f32>, #b>, tensor<1024xi32, #b>
  // expected-remark @below {{4 elements along dimension 0}}
  %v = hk.load %p, mask %lt : tensor<1024x!hk.ptr<f32>, #b> -> tensor<1024xf32, #b>
  // expected-remark @below {{1 elements along dimension 0}}
  hk.store %p, %v, mask %le : tensor<1024x!hk.ptr<f32>, #b>, tensor<1024xf32, #b>
  // An unknown n leaves the mask unknown, too.
  // expected-remark @below {{divisibility = [1], constancy = [1024]}}
  %os = hk.splat %odd : i32 -> tensor<1024xi32, #b>
  // expected-remark @below {{constancy = [1]}}
  %lo = arith.cmpi slt, %i, %os : tensor<1024xi32, #b>
  // expected-remark @below {{1 elements along dimension 0}}
  %w = hk.load %p, mask %lo : tensor<1024x!hk.ptr<f32>, #b> -> tensor<1024xf32, #b>
  return
}

// -----

#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#rows = #hk.slice<dim = 1, parent = #b>
#cols = #hk.slice<dim = 0, parent = #b>

// A tile with a stride: contiguous along the columns, rows 16 elements apart.
func.func @tile(%x: !hk.ptr<f16> {hk.divisibility = 16 : i32}, %stride: i32 {hk.divisibility = 16 : i32}) {
  // expected-remark @below {{contiguity = [32]}}
  %r = hk.arange 0 to 32 : tensor<32xi32, #rows>
  // expected-remark @below {{contiguity = [64]}}
  %c = hk.arange 0 to 64 : tensor<64xi32, #cols>
  // expected-remark @below {{contiguity = [32, 1], divisibility = [any, 1], constancy = [1, 1]}}
  %r2 = hk.expand_dims %r axis = 1 : tensor<32xi32, #rows> -> tensor<32x1xi32, #b>
  // expected-remark @below {{contiguity = [1, 64], divisibility = [1, any], constancy = [1, 1]}}
  %c2 = hk.expand_dims %c axis = 0 : tensor<64xi32, #cols> -> tensor<1x64xi32, #b>
  // expected-remark @below {{divisibility = [16, 16], constancy = [32, 1]}}
  %ss = hk.splat %stride : i32 -> tensor<32x1xi32, #b>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [16, 16], constancy = [1, 1]}}
  %ro = arith.muli %r2, %ss : tensor<32x1xi32, #b>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [16, 16], constancy = [1, 64]}}
  %rb = hk.broadcast %ro : tensor<32x1xi32, #b> -> tensor<32x64xi32, #b>
  // expected-remark @below {{contiguity = [1, 64], divisibility = [1, any], constancy = [32, 1]}}
  %cb = hk.broadcast %c2 : tensor<1x64xi32, #b> -> tensor<32x64xi32, #b>
  // expected-remark @below {{contiguity = [1, 64], divisibility = [1, 16], constancy = [1, 1]}}
  %off = arith.addi %rb, %cb : tensor<32x64xi32, #b>
  // expected-remark @below {{divisibility = [16, 16], constancy = [32, 64]}}
  %xs = hk.splat %x : !hk.ptr<f16> -> tensor<32x64x!hk.ptr<f16>, #b>
  // expected-remark @below {{contiguity = [1, 64], divisibility = [2, 16], constancy = [1, 1]}}
  %p = hk.addptr %xs, %off : tensor<32x64x!hk.ptr<f16>, #b>, tensor<32x64xi32, #b>
  // expected-remark @below {{8 elements along dimension 1}}
  %v = hk.load %p : tensor<32x64x!hk.ptr<f16>, #b> -> tensor<32x64xf16, #b>
  return
}

// -----

#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

// Signed division and remainder round towards zero, so nothing is known about groups of possibly negative values.
func.func @division(%n: i32 {hk.divisibility = 16 : i32}) {
  // expected-remark @below {{contiguity = [256], divisibility = [any]}}
  %i = hk.arange 0 to 256 : tensor<256xi32, #b>
  // expected-remark @below {{constancy = [256], constant = 8}}
  %c8 = arith.constant dense<8> : tensor<256xi32, #b>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [8]}}
  %q = arith.divsi %i, %c8 : tensor<256xi32, #b>
  // expected-remark @below {{contiguity = [8], divisibility = [8], constancy = [1]}}
  %r = arith.remsi %i, %c8 : tensor<256xi32, #b>
  // expected-remark @below {{divisibility = [16], constancy = [256]}}
  %ns = hk.splat %n : i32 -> tensor<256xi32, #b>
  // expected-remark @below {{contiguity = [256], divisibility = [16]}}
  %j = arith.subi %i, %ns : tensor<256xi32, #b>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %qn = arith.divsi %j, %c8 : tensor<256xi32, #b>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %rn = arith.remsi %j, %c8 : tensor<256xi32, #b>
  // expected-remark @below {{constant = 3}}
  %c3 = arith.constant dense<3> : tensor<256xi32, #b>
  // Shifts round down.
  // expected-remark @below {{constancy = [8]}}
  %qs = arith.shrsi %j, %c3 : tensor<256xi32, #b>
  // expected-remark @below {{constant = 7}}
  %c7 = arith.constant dense<7> : tensor<256xi32, #b>
  // expected-remark @below {{contiguity = [8], divisibility = [8]}}
  %ra = arith.andi %j, %c7 : tensor<256xi32, #b>
  // expected-remark @below {{constant = -8}}
  %cm8 = arith.constant dense<-8> : tensor<256xi32, #b>
  // expected-remark @below {{constancy = [8]}}
  %da = arith.andi %j, %cm8 : tensor<256xi32, #b>
  return
}

// -----

#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

// A pointer that a loop advances by 64 elements keeps its alignment, one that it advances by k does not.
func.func @loop(%x: !hk.ptr<f32> {hk.divisibility = 16 : i32}, %n: i32, %k: i32) {
  // expected-remark @below {{constant = 0}}
  %c0 = arith.constant 0 : i32
  // expected-remark @below {{constant = 64}}
  %c64 = arith.constant 64 : i32
  // expected-remark @below {{contiguity = [512]}}
  %i = hk.arange 0 to 512 : tensor<512xi32, #b>
  // expected-remark @below {{constancy = [512]}}
  %xs = hk.splat %x : !hk.ptr<f32> -> tensor<512x!hk.ptr<f32>, #b>
  // expected-remark @below {{contiguity = [512], divisibility = [16]}}
  %p = hk.addptr %xs, %i : tensor<512x!hk.ptr<f32>, #b>, tensor<512xi32, #b>
  // expected-remark @below {{constancy = [512], constant = 64}}
  %s64 = hk.splat %c64 : i32 -> tensor<512xi32, #b>
  // expected-remark @below {{constancy = [512]}}
  %sk = hk.splat %k : i32 -> tensor<512xi32, #b>
  // expected-remark @below {{contiguity = [512], divisibility = [16], constancy = [1]}}
  // expected-remark @below {{contiguity = [512], divisibility = [4], constancy = [1]}}
  %e:2 = scf.for %j = %c0 to %n step %c64 iter_args(%a = %p, %b = %p)
      -> (tensor<512x!hk.ptr<f32>, #b>, tensor<512x!hk.ptr<f32>, #b>) : i32 {
    // expected-remark @below {{4 elements along dimension 0}}
    %v = hk.load %a : tensor<512x!hk.ptr<f32>, #b> -> tensor<512xf32, #b>
    // expected-remark @below {{1 elements along dimension 0}}
    hk.store %b, %v : tensor<512x!hk.ptr<f32>, #b>, tensor<512xf32, #b>
    // expected-remark @below {{contiguity = [512], divisibility = [16]}}
    %a2 = hk.addptr %a, %s64 : tensor<512x!hk.ptr<f32>, #b>, tensor<512xi32, #b>
    // expected-remark @below {{contiguity = [512], divisibility = [4]}}
    %b2 = hk.addptr %b, %sk : tensor<512x!hk.ptr<f32>, #b>, tensor<512xi32, #b>
    scf.yield %a2, %b2 : tensor<512x!hk.ptr<f32>, #b>, tensor<512x!hk.ptr<f32>, #b>
  }
  return
}

// -----

#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

// Hints of the user: hk.divisibility and similar attributes.
func.func @hints(%n: i32, %v: tensor<512xi32, #b>) {
  // expected-remark @below {{divisibility = [32]}}
  %m = arith.addi %n, %n {hk.divisibility = 32 : i32} : i32
  // expected-remark @below {{contiguity = [8], divisibility = [8], constancy = [1]}}
  %w = arith.addi %v, %v {hk.contiguity = array<i32: 8>, hk.divisibility = array<i32: 8>} : tensor<512xi32, #b>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [4]}}
  %c = arith.muli %v, %v {hk.constancy = 4 : i32} : tensor<512xi32, #b>
  return
}

// -----

#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

// Facts about captured values hold in workers; facts about yielded values hold after the partition.
func.func @partitions(%x: !hk.ptr<f32> {hk.divisibility = 16 : i32}, %n: i32 {hk.divisibility = 8 : i32}) {
  // expected-remark @below {{contiguity = [1], divisibility = [8], constancy = [1]}}
  %m = hk.warp_specialize -> i32 {
    // expected-remark @below {{contiguity = [1], divisibility = [8], constancy = [1]}}
    %twice = arith.addi %n, %n : i32
    hk.warp_yield %n : i32
  } workers {
    hk.worker "w"(%x, %n : !hk.ptr<f32>, i32) num_warps = 4 {
    ^bb0(%p: !hk.ptr<f32>, %k: i32):
      // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [512]}}
      %s = hk.splat %p : !hk.ptr<f32> -> tensor<512x!hk.ptr<f32>, #b>
      // expected-remark @below {{contiguity = [1], divisibility = [8], constancy = [512]}}
      %t = hk.splat %k : i32 -> tensor<512xi32, #b>
    }
  }
  return
}
