// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// One case per numbered constraint, named after it.

#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

// scan C1: no operand
func.func @f() {
  // expected-error@+1 {{'hk.scan' op needs at least one operand}}
  "hk.scan"() <{axis = 0 : i32}> ({
    "hk.combine.return"() : () -> ()
  }) : () -> ()
  return
}

// -----

// scan C1: shapes
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%x: tensor<512xf32, #b>, %y: tensor<256xf32, #b>) {
  // expected-error@+1 {{'hk.scan' op needs operands of one shape and layout, but has 'tensor<512xf32, #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>>' and 'tensor<256xf32, #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>>'}}
  %0:2 = hk.scan %x, %y axis = 0 {
  ^bb0(%a: f32, %c: f32, %d: f32, %e: f32):
    hk.combine.return %a, %c : f32, f32
  } : (tensor<512xf32, #b>, tensor<256xf32, #b>) -> (tensor<512xf32, #b>, tensor<256xf32, #b>)
  return
}

// -----

// scan C2
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%x: tensor<512xf32, #b>) {
  // expected-error@+1 {{'hk.scan' op axis must be in 0..0, but is 1}}
  %0 = hk.scan %x axis = 1 {
  ^bb0(%a: f32, %c: f32):
    hk.combine.return %a : f32
  } : (tensor<512xf32, #b>) -> tensor<512xf32, #b>
  return
}

// -----

// scan C3
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%x: tensor<512xf32, #b>) {
  // expected-error@+1 {{makes results of the same types}}
  %0 = hk.scan %x axis = 0 {
  ^bb0(%a: f32, %c: f32):
    hk.combine.return %a : f32
  } : (tensor<512xf32, #b>) -> tensor<512xi32, #b>
  return
}

// -----

// scan C4
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%x: tensor<512xf32, #b>) {
  // expected-error@+1 {{'hk.scan' op combines ('f32', 'f32'), but its region takes ('f32', 'i32')}}
  %0 = hk.scan %x axis = 0 {
  ^bb0(%a: f32, %c: i32):
    hk.combine.return %a : f32
  } : (tensor<512xf32, #b>) -> tensor<512xf32, #b>
  return
}

// -----

// gather C1
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%x: tensor<512xf32, #b>, %i: tensor<64xi32, #b>) {
  // expected-error@+1 {{'hk.gather' op axis must be in 0..0, but is 1}}
  %0 = hk.gather %x[%i] axis = 1 : tensor<512xf32, #b>, tensor<64xi32, #b> -> tensor<64xf32, #b>
  return
}

// -----

// gather C2
#t = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16x32xf32, #t>, %i: tensor<8x64xi32, #t>) {
  // expected-error@+1 {{'hk.gather' op needs an index with the sizes of the operand, except for axis 1, which has [16, 32], not [8, 64]}}
  %0 = hk.gather %x[%i] axis = 1 : tensor<16x32xf32, #t>, tensor<8x64xi32, #t> -> tensor<8x64xf32, #t>
  return
}

// -----

// gather C3
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%x: tensor<512xf32, #b>, %i: tensor<64xi32, #b>) {
  // expected-error@+1 {{makes 'tensor<64xf32, #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>>', not 'tensor<64xi32, #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>>'}}
  %0 = hk.gather %x[%i] axis = 0 : tensor<512xf32, #b>, tensor<64xi32, #b> -> tensor<64xi32, #b>
  return
}

// -----

// histogram C1: rank
#t = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%x: tensor<16x32xi32, #t>) {
  // expected-error@+1 {{'hk.histogram' op counts the elements of a 1-D tensor, not of 'tensor<16x32xi32}}
  %0 = hk.histogram %x : tensor<16x32xi32, #t> -> tensor<64xi32, #b>
  return
}

// -----

// histogram C2
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%x: tensor<512xi32, #b>) {
  // expected-error@+1 {{'hk.histogram' op makes a 1-D tensor of i32, not 'tensor<64xi16}}
  %0 = hk.histogram %x : tensor<512xi32, #b> -> tensor<64xi16, #b>
  return
}

// -----

// join C1
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#p = #hk.blocked<size_per_thread = [4, 2], threads_per_warp = [32, 1], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<512xf32, #b>) {
  // expected-error@+1 {{'hk.join' op converts between two tensors and one tensor with a last dimension of 2}}
  %0 = hk.join %x, %x : tensor<512xf32, #b> -> tensor<256x4xf32, #p>
  return
}

// -----

// join C2
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#q = #hk.blocked<size_per_thread = [4, 2], threads_per_warp = [32, 1], warps_per_cta = [4, 1], order = [0, 1]>
func.func @f(%x: tensor<512xf32, #b>) {
  // expected-error@+1 {{'hk.join' op moves no data, so its result has the layout #hk.blocked<size_per_thread = [4, 2], threads_per_warp = [32, 1], warps_per_cta = [4, 1], order = [1, 0]>, not #hk.blocked<size_per_thread = [4, 2], threads_per_warp = [32, 1], warps_per_cta = [4, 1], order = [0, 1]>}}
  %0 = hk.join %x, %x : tensor<512xf32, #b> -> tensor<512x2xf32, #q>
  return
}

// -----

// split C2
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#q = #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [16, 2], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<512x2xf32, #q>) {
  // expected-error@+1 {{'hk.split' op the two elements of a pair must be in registers of one lane}}
  %0, %1 = hk.split %x : tensor<512x2xf32, #q> -> tensor<512xf32, #b>
  return
}

// -----

// map C1
func.func @f() {
  // expected-error@+1 {{'hk.map' op needs at least one operand and one result}}
  "hk.map"() <{pack = 1 : i32}> ({
    "hk.map.return"() : () -> ()
  }) : () -> ()
  return
}

// -----

// map C2
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%x: tensor<512xf32, #b>) {
  // expected-error@+1 {{'hk.map' op takes 8 elements of a lane together, but}}
  %0 = hk.map %x pack = 8 {
  ^bb0(%a: f32):
    hk.map.return %a : f32
  } : (tensor<512xf32, #b>) -> tensor<512xf32, #b>
  return
}

// -----

// map C3: arguments
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%x: tensor<512xf32, #b>) {
  // expected-error@+1 {{'hk.map' op gives its region ('f32', 'f32'), but that takes ('f32')}}
  %0 = hk.map %x pack = 2 {
  ^bb0(%a: f32):
    hk.map.return %a, %a : f32, f32
  } : (tensor<512xf32, #b>) -> tensor<512xf32, #b>
  return
}

// -----

// map C3: results
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%x: tensor<512xf32, #b>) {
  // expected-error@+1 {{'hk.map' op must return ('i1') from its region, but returns ('f32')}}
  %0 = hk.map %x pack = 1 {
  ^bb0(%a: f32):
    hk.map.return %a : f32
  } : (tensor<512xf32, #b>) -> tensor<512xi1, #b>
  return
}

// -----

// a barrier in a combine region
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%x: tensor<512xf32, #b>) {
  // expected-error@+3 {{'hk.slot_barrier' op accesses memory, waits or has other effects, but is in the region of 'hk.reduce', which computes single elements}}
  %0 = hk.reduce %x axis = 0 {
  ^bb0(%a: f32, %c: f32):
    hk.slot_barrier finish_reads
    hk.combine.return %a : f32
  } : (tensor<512xf32, #b>) -> f32
  return
}

// -----

// a barrier in a branch of a combine region
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%x: tensor<512xf32, #b>, %p: i1) {
  // expected-error@+4 {{'hk.barrier' op accesses memory, waits or has other effects, but is in the region of 'hk.scan', which computes single elements}}
  %0 = hk.scan %x axis = 0 {
  ^bb0(%a: f32, %c: f32):
    scf.if %p {
      hk.barrier
    }
    hk.combine.return %a : f32
  } : (tensor<512xf32, #b>) -> tensor<512xf32, #b>
  return
}

// -----

// a store in the region of a map
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%x: tensor<512xf32, #b>, %p: !hk.ptr<f32>) {
  // expected-error@+3 {{'hk.store' op accesses memory, waits or has other effects, but is in the region of 'hk.map', which computes single elements}}
  %0 = hk.map %x pack = 1 {
  ^bb0(%a: f32):
    hk.store %p, %a : !hk.ptr<f32>, f32
    hk.map.return %a : f32
  } : (tensor<512xf32, #b>) -> tensor<512xf32, #b>
  return
}

// -----

// a tile in the region of a map
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%x: tensor<512xf32, #b>) {
  // expected-error@+3 {{'hk.splat' op works on tiles, but is in the region of 'hk.map', which computes single elements}}
  %0 = hk.map %x pack = 1 {
  ^bb0(%a: f32):
    %t = hk.splat %a : f32 -> tensor<512xf32, #b>
    hk.map.return %a : f32
  } : (tensor<512xf32, #b>) -> tensor<512xf32, #b>
  return
}

// -----

// inline_asm C1
func.func @f(%x: f32) {
  // expected-error@+1 {{'hk.inline_asm' op needs at least one result}}
  "hk.inline_asm"(%x) <{text = "", constraints = "f", pack = 1 : i32}> : (f32) -> ()
  return
}

// -----

// inline_asm C2
func.func @f(%x: f32) {
  // expected-error@+1 {{'hk.inline_asm' op pack must be a power of two, but is 3}}
  %0 = hk.inline_asm "" "=f,f" %x pack = 3 : (f32) -> f32
  return
}
