import type { OpText } from "../records.js";

const op = (meaning: string, becomes: OpText["becomes"]): OpText => ({ meaning, becomes });

/** Triton's own ops: one for each function of triton.language that no op of MLIR says. */
export const TT: Readonly<Record<string, OpText>> = {
  "tt.func": op(
    "A function. A kernel is public; its arguments carry tt.divisibility and the like.",
    ".visible .entry for a kernel, .func for a function that is not inlined.",
  ),
  "tt.call": op("Calls a function.", "Nothing, as a rule: the inliner puts the body in its place. With noinline=True call.uni."),
  "tt.return": op("Ends a function.", "ret."),
  "tt.get_program_id": op(
    "The index of this program in the grid along an axis. tl.program_id.",
    "%ctaid.x; with several CTAs a program %clusterid.x.",
  ),
  "tt.get_num_programs": op("How many programs the grid has along an axis.", "%nctaid.x; with several CTAs a program %nclusterid.x."),
  "tt.make_range": op(
    "The numbers from start to end, one an element. tl.arange.",
    "Arithmetic on %tid.x: each thread computes the numbers of its elements from its layout's bases.",
  ),
  "tt.splat": op("A tensor of one scalar.", "Nothing: every element is the same register."),
  "tt.unsplat": op("The one element of a tensor of size 1.", "A register; through shared memory where another thread holds it."),
  "tt.expand_dims": op("A dimension of extent 1 more.", "Nothing: the layout changes, the registers stay."),
  "tt.broadcast": op("Dimensions of extent 1 repeated.", "Nothing: registers are used several times."),
  "tt.reshape": op(
    "The same elements in another shape. With allow_reorder in any order.",
    "Nothing, where the layouts map registers alike; else a conversion of layouts.",
  ),
  "tt.trans": op("Dimensions in another order.", "Nothing: the layout is permuted."),
  "tt.join": op("Two tensors side by side in a new last dimension of extent 2.", "Nothing: registers in another order."),
  "tt.split": op("The two halves of a last dimension of extent 2.", "Nothing: registers in another order."),
  "tt.cat": op("The elements of two tensors in one, in any order.", "Nothing: the registers of both."),
  "tt.addptr": op("A pointer moved by a number of elements.", "A 64-bit multiply-add, or an offset in the address of the load."),
  "tt.load": op(
    "Reads global memory at a pointer, or at each pointer of a tensor. Elements whose mask is false are not read: they have the value of `other`.",
    {
      "as scalars or vectors":
        "ld.global, with .v2 or .v4 of 32 bits where AxisInfo allows, under a predicate that is the mask. `--why` of its value derives the width.",
      "in a pipelined loop, sm_80 up": "cp.async to shared memory; the value is then read by ttg.local_load.",
      "of a block pointer": "triton-rewrite-tensor-pointer makes it a load of pointers before.",
    },
  ),
  "tt.store": op(
    "Writes global memory at a pointer, or at each pointer of a tensor. Elements whose mask is false are not written.",
    "st.global, with .v2 or .v4 where AxisInfo allows, under a predicate. If several threads hold a value, one of them stores it.",
  ),
  "tt.atomic_rmw": op(
    "Reads, changes and writes global memory as one step, at each pointer. Returns what was there.",
    "atom.global.add and the like; red.global where the result is not used; packed .v2 forms from sm_90 on.",
  ),
  "tt.atomic_cas": op("Writes a value where memory holds an expected one, as one step. Returns what was there.", "atom.global.cas."),
  "tt.make_tensor_ptr": op(
    "A block pointer: base, shape, strides, offsets of a block in a tensor.",
    "Nothing by itself: triton-rewrite-tensor-pointer makes pointers and masks of its uses.",
  ),
  "tt.advance": op("A block pointer moved along each dimension.", "Sums of offsets."),
  "tt.make_tensor_descriptor": op("A tensor in global memory with shape, strides and the block to be loaded.", {
    "sm_90 up": "128 bytes of a tensor map in scratch memory, written by tensormap.replace.",
    before: "Pointers and masks (triton-rewrite-tensor-descriptor-to-pointer).",
  }),
  "tt.descriptor_load": op("Loads a block of a tensor by its descriptor and indices. Elements outside of the tensor are 0.", {
    "sm_90 up": "cp.async.bulk.tensor by the tensor memory accelerator, one thread for all, with an mbarrier.",
    before: "ld.global with masks.",
  }),
  "tt.descriptor_store": op("Stores a block of a tensor by its descriptor. Elements outside of the tensor are not written.", {
    "sm_90 up": "st.shared, a fence, and cp.async.bulk.tensor to global memory.",
    before: "st.global with masks.",
  }),
  "tt.descriptor_reduce": op("Adds (or otherwise combines) a block into a tensor by its descriptor.", {
    "sm_90 up": "cp.reduce.async.bulk.tensor.",
    before: "atom.global.",
  }),
  "tt.descriptor_gather": op("Loads rows of a tensor that a list names.", {
    "sm_100 up": "cp.async.bulk.tensor with tile::gather4.",
    before: "ld.global with masks.",
  }),
  "tt.descriptor_scatter": op("Stores rows of a tensor that a list names.", {
    "sm_100 up": "cp.async.bulk.tensor with tile::scatter4.",
    before: "st.global with masks.",
  }),
  "tt.dot": op(
    "Product of two matrices, added to a third. inputPrecision says how f32 operands are narrowed: ieee, tf32, tf32x3, bf16x3, bf16x6.",
    {
      sm_75: "fma.rn.f32: no tensor cores are used.",
      "sm_80 to sm_89": "mma.sync, with operands from ldmatrix.",
      sm_90: "wgmma.mma_async, with operands in shared memory (it becomes ttng.warp_group_dot).",
      sm_100: "tcgen05.mma, with the accumulator in tensor memory (it becomes ttng.tc_gen5_mma).",
    },
  ),
  "tt.dot_scaled": op("Product of matrices of narrow floats with one scale for each block of 32 elements (MX formats).", {
    sm_100: "tcgen05.mma with block scales, which are in tensor memory.",
    before: "Operands are widened and scaled, then a tt.dot.",
  }),
  "tt.reduce": op(
    "Combines the elements along an axis by the ops of its region: tl.sum, tl.max.",
    "Ops in a thread, then shfl.sync across lanes, then shared memory across warps. redux.sync where the GPU has it for the op.",
  ),
  "tt.reduce.return": op("Ends the region of tt.reduce.", "Nothing."),
  "tt.scan": op("Partial results along an axis: tl.cumsum.", "Ops in a thread, shfl.sync.up across lanes, shared memory across warps."),
  "tt.scan.return": op("Ends the region of tt.scan.", "Nothing."),
  "tt.histogram": op("How many elements have each value.", "Votes in a warp (vote.sync.ballot), atom.shared across warps."),
  "tt.gather": op("Elements picked along an axis by indices.", "shfl.sync.idx where a warp holds the axis, else shared memory."),
  "tt.map_elementwise": op("A scalar function on each element, or on several at once.", "The function's body for each element."),
  "tt.map_elementwise.return": op("Ends the region of tt.map_elementwise.", "Nothing."),
  "tt.elementwise_inline_asm": op(
    "PTX text on the elements of tensors, several packed in a register.",
    "The text itself, once for each group.",
  ),
  "tt.extern_elementwise": op("A function of a library, libdevice as a rule, on each element.", "The function's body, inlined."),
  "tt.fp_to_fp": op(
    "Between float types, 8-bit ones among them, with a rounding.",
    "cvt where the GPU has it (fp8 from sm_89 on), else arithmetic on bits.",
  ),
  "tt.bitcast": op("The same bits as another type of that width.", "Nothing."),
  "tt.int_to_ptr": op("A 64-bit integer as a pointer.", "Nothing."),
  "tt.ptr_to_int": op("A pointer as a 64-bit integer.", "Nothing."),
  "tt.clampf": op(
    "A float held between two bounds; NaN as it is asked for.",
    "max and min; one min.xorsign form from sm_86 on for symmetric bounds.",
  ),
  "tt.precise_sqrt": op("Square root, rounded correctly.", "sqrt.rn.f32."),
  "tt.precise_divf": op("Quotient of floats, rounded correctly.", "div.rn.f32."),
  "tt.mulhiui": op("The high half of a product of unsigned integers.", "mul.hi.u32."),
  "tt.print": op("Prints values while the kernel runs. tl.device_print.", "A call of vprintf, with the program's and element's indices."),
  "tt.assert": op(
    "Stops the program where a condition does not hold. tl.device_assert.",
    "A branch to a call of __assertfail; without debug nothing.",
  ),
  "tt.view": op("Triton 2.0: elements in another shape and any order. Today tt.reshape with allow_reorder.", "Nothing."),
  "tt.ext_elemwise": op(
    "Triton 2.0: a function of a library on each element. Today tt.extern_elementwise.",
    "The function's body, inlined.",
  ),
  "tt.printf": op("Triton 2.0: prints values. Today tt.print.", "A call of vprintf."),
};
