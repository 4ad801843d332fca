// TMA loads in im2col mode (Hopper): pixels of images become rows of a matrix, for convolutions.
#ifndef HOCKET_DIALECT_HK_NV_TMAIM2COLOPS_TD
#define HOCKET_DIALECT_HK_NV_TMAIM2COLOPS_TD

include "dialect/hk/ir/HkEnums.td"
include "dialect/hk/facts/ClusterInterfaces.td"
include "dialect/hk/facts/PredicateInterfaces.td"
include "dialect/hk_nv/HkNvOpBase.td"
include "dialect/hk_nv/HkNvTypes.td"

def HkNv_TmaLoadIm2colOp : HkNv_Op<"tma_load_im2col", [AttrSizedOperandSegments, HK_AsyncProxyAccess,
                                                       HK_ClusterMbarrierUse, HK_Predicated,
                                                       DeclareOpInterfaceMethods<HK_AsyncAccess>]> {
  let summary = "Start copying pixels of images to the rows of a tile of shared memory";
  let description = [{
    The dimensions of the tensor are images, one to three dimensions of an image, and channels: N, W, C; N, H, W, C; or
    N, D, H, W, C. The descriptor defines a box of each image and a step in pixels. The traversal begins at `coords` and
    continues through the box, innermost dimension first, then at the box's lower corner in the next image. Each visited
    pixel gives a row of the tile. The channels of the row are read from the pixel at distance `offsets`, which selects
    one tap of a convolution's filter.

    In a cluster, every block loads the whole tile. With `multicast`, only the first block loads the tile; the data
    arrive in all blocks, and their bytes are counted at each block's mbarrier.

    Pixels and channels outside of the tensor are written as zeros or NaN, depending on the descriptor. In all other
    respects, the operation is like `hk_nv.tma_load`.

    C1: `coords` has an entry for each dimension of the tensor. The last entry, in bytes, is a multiple of 16. (Checked
        in the emulator.)
    C2: the tile is a whole buffer or a slot of a ring buffer, with the block's shape, elements and layout.
    C3: `barrier` is one mbarrier: `!hk.memdesc<1xi64, ..>`.
    C4: the descriptor has `im2col`.
    C5: `offsets` has an entry for each dimension of an image, outermost first. Entries are at least 0, and for images
        of two dimensions at most 255, of three dimensions at most 31. (Checked in the emulator.)

    ```mlir
    hk_nv.tma_load_im2col %desc[%image, %row, %column, %channel] offsets [%r, %s], %tile, %barrier, %true : !hk_nv.tensor_desc<128x64xf16, #mma_shared, im2col = 4> -> !hk.memdesc<128x64xf16, #mma_shared>, !hk.memdesc<1xi64, #bar>
    ```
  }];
  let arguments = (ins Arg<HkNv_TensorDesc, "", [MemRead<HK_GlobalMemory>]>:$desc, Variadic<I32>:$coords,
    Variadic<I16>:$offsets, Arg<HK_SharedMemDesc, "", [MemWrite<HK_SharedMemory>]>:$dst, HK_SharedMemDesc:$barrier, I1:$pred,
    UnitAttr:$multicast, OptionalAttr<HK_CachePolicyAttr>:$policy, UnitAttr:$reaches_other_ctas);
  let assemblyFormat = [{
    $desc `[` $coords `]` `offsets` `[` $offsets `]` `,` $dst `,` $barrier `,` $pred (`multicast` $multicast^)? (`policy` `=` $policy^)?
    (`reaches_other_ctas` $reaches_other_ctas^)? attr-dict
    `:` qualified(type($desc)) `->` qualified(type($dst)) `,` qualified(type($barrier))
  }];
  let hasVerifier = 1;
}

#endif
