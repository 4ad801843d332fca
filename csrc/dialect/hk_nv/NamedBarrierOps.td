// Named barriers that a kernel allocates for partitions of warps.
#ifndef HOCKET_DIALECT_HK_NV_NAMEDBARRIEROPS_TD
#define HOCKET_DIALECT_HK_NV_NAMEDBARRIEROPS_TD

include "dialect/hk_nv/HkNvOpBase.td"

// `barrier` is the number that the kernel gives the barrier, counted from 0. `number` is the number of the hardware
// barrier, which hocket-number-barriers assigns.
class HkNv_NamedBarrierOp<string mnemonic> : HkNv_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<HK_NamedBarrierUse, ["waits"]>]> {
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$barrier, ConfinedAttr<I32Attr, [IntPositive]>:$num_warps,
    OptionalAttr<ConfinedAttr<I32Attr, [IntMinValue<1>, IntMaxValue<15>]>>:$number);
  let assemblyFormat = "$barrier `num_warps` `=` $num_warps (`number` `=` $number^)? attr-dict";
}

def HkNv_NamedBarrierArriveOp : HkNv_NamedBarrierOp<"named_barrier_arrive"> {
  let summary = "Arrive at a named barrier without waiting";
  let description = [{
    All warps of the partition arrive, each on its own, and continue. Accesses of shared and global memory before the
    arrival are visible to the warps that wait at the barrier. The waiting warps continue when `num_warps` warps have
    arrived.

    C1: `barrier` is not negative, and `num_warps` is positive.
    C2: `number`, if it is given, is 1 to 15.
    C3: fewer than `num_warps` warps run the operation, because other warps must wait. (Checked in
      `hocket-number-barriers`.)

    ```mlir
    hk_nv.named_barrier_arrive 0 num_warps = 8
    hk_nv.named_barrier_arrive 0 num_warps = 8 number = 4
    ```
  }];
}

def HkNv_NamedBarrierWaitOp : HkNv_NamedBarrierOp<"named_barrier_wait"> {
  let summary = "Arrive at a named barrier, and wait until `num_warps` warps have arrived";
  let description = [{
    All warps of the partition arrive and wait. After the wait, accesses before the arrivals of all warps are visible,
    and the barrier counts from 0 again. Asynchronous wgmmas stay in flight.

    C1: `barrier` is not negative, and `num_warps` is positive.
    C2: `number`, if it is given, is 1 to 15.
    C3: at most `num_warps` warps run the operation. (Checked in `hocket-number-barriers`.)

    ```mlir
    hk_nv.named_barrier_wait 0 num_warps = 8
    hk_nv.named_barrier_wait 0 num_warps = 8 number = 4
    ```
  }];
}

#endif
