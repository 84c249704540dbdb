import type { PassText } from "../records.js";

/** Passes that only AMD's GPUs have. */
export const AMD: Readonly<Record<string, PassText>> = {
  "tritonamdgpu-accelerate-matmul": {
    purpose:
      "Gives dots the layout of a matrix instruction: MFMA on CDNA (gfx942, gfx950), WMMA on RDNA and gfx1250. M and N are 32 or 16 by the shape, or as matrix_instr_nonkdim says; kWidth is what a lane reads of an operand at once, times kpack. Of two dots in a row, as in attention, warps are spread over rows only. Scaled dots become scaled instructions on gfx950 and gfx1250, and are computed in bf16 or f16 elsewhere. Without an instruction operands get types that fma and v_dot take.",
    place:
      "It runs after coalescing, so that operands come from loads with known layouts, and before the pipeliner, which asks how a dot reads its operands. tritongpu-remove-layout-conversions cleans up after it.",
    declines:
      "A dot stays a loop of multiply-adds where no instruction takes its types, where it is too small, or where k is no multiple of the instruction's; matmul.declined in the remarks says which.",
  },
};
