// Loops in regions that a reduction clones must be converted to branches before.
// RUN: hocket-opt %s --hocket-convert-hk-to-lane --verify-diagnostics

#lanes = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [1], order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {
func.func public @branch(%x: tensor<32xi32, #lanes>) attributes {hk.kernel} {
  %y = hk.reduce %x axis = 0 {
  ^bb0(%a: i32, %b: i32):
    %less = arith.cmpi slt, %a, %b : i32
    // expected-error @below {{'scf.if' must have become branches before this: hocket-convert-loops-to-branches}}
    %combined = scf.if %less -> i32 {
      scf.yield %b : i32
    } else {
      scf.yield %a : i32
    }
    hk.combine.return %combined : i32
  } : (tensor<32xi32, #lanes>) -> i32
  return
}
}
