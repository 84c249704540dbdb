/** Ops that came after 3.6, so that dumps of newer Tritons can be read. Source: TritonGPUOps.td of 3.7 to 3.9. */
import { i32Attr } from "../../../ir/builtin-attrs.js";
import { i32 } from "../../../ir/builtin-types.js";
import { I32, I32Attr, Unit } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { InferTypeOpInterface, Pure } from "../../../ir/traits.js";
import { ttgTraits } from "../ttg-op.js";

export const WarpIdOp = defineOp("ttg.warp_id", () => ({
  summary: "return the GPU warp ID",
  attrs: { omitUniformHint: Unit },
  results: { result: I32 },
  traits: ttgTraits(Pure, InferTypeOpInterface),
  format: "attr-dict",
  inferTypes: ({ ctx }) => [i32(ctx)],
}));

/** The memories that a barrier orders accesses to, by bit. */
const ADDRESS_SPACES = { local: 1, global_read: 2, global_write: 4, tensor_read: 8, tensor_write: 16 } as const;

/** The bit of shared memory. */
export const LOCAL = ADDRESS_SPACES.local;

/** `ttg.barrier local|global_read`: all threads of the CTA meet, and see what was written to those memories. */
export const BarrierOp = defineOp("ttg.barrier", () => ({
  summary: "synchronizes execution and reads/writes to the selected address spaces for all threads in the CTA",
  attrs: { addrSpace: I32Attr },
  traits: ttgTraits(),
  parse(p) {
    let bits = 0;
    do {
      const at = p.pos;
      const name = p.anyKeyword();
      if (name === "all") bits |= 31;
      else if (name !== "none")
        bits |= ADDRESS_SPACES[name as keyof typeof ADDRESS_SPACES] ?? p.fail(`unknown address space '${name}'`, at, "parse.enum");
    } while (p.optPunct("|"));
    p.setAttr("addrSpace", i32Attr(p.ctx, bits));
    p.optAttrDict();
  },
  print({ op, addrSpace }, p) {
    const names = Object.entries(ADDRESS_SPACES).filter(([, bit]) => (addrSpace & bit) !== 0);
    p.write(` ${addrSpace === 31 ? "all" : names.map(([name]) => name).join("|") || "none"}`);
    p.optAttrDict(op, ["addrSpace"]);
  },
}));
