/** Tensor memory: its space and the layouts in it. Source: TritonNvidiaGPUAttrDefs.td. */
import type { AttrParser } from "../../ir/asm.js";
import { defineAttr } from "../../ir/attribute.js";
import type { TensorMemoryParams, TensorMemoryScalesParams } from "../../layout/encoding-params.js";
import { defineEncoding } from "../ttg/encodings/define-encoding.js";

/** `#ttng.tensor_memory`: buffers in tensor memory. */
export const TensorMemorySpace = defineAttr<Record<string, never>>("ttng.tensor_memory", {
  summary: "the memory descriptor points to tensor memory",
});

export type TensorMemoryAttrParams = Omit<TensorMemoryParams, "kind">;
export const TensorMemoryEncoding = defineEncoding<TensorMemoryAttrParams, TensorMemoryParams>("tensor_memory_encoding", {
  summary: "blocks of tensor memory, first along rows",
  dialect: "ttng",
  alias: "tmem",
  parse(p) {
    const fields = struct(p, ["blockM", "blockN", "colStride", "CTASplitM", "CTASplitN", "twoCTAs"], ["blockM", "blockN", "colStride"]);
    const int = (name: string) => (fields.get(name) as number | undefined) ?? 1;
    return {
      blockM: int("blockM"),
      blockN: int("blockN"),
      colStride: int("colStride"),
      CTASplitM: int("CTASplitM"),
      CTASplitN: int("CTASplitN"),
      twoCTAs: fields.get("twoCTAs") === true,
    };
  },
  problem({ blockM, blockN, colStride, CTASplitM, CTASplitN }) {
    if (!isPowerOf2(CTASplitM) || !isPowerOf2(CTASplitN)) return "CTASplitM and CTASplitN must be greater than 0 and a power of 2";
    if (blockM !== 64 && blockM !== 128) return `blockM must be 64 or 128 but got ${blockM}`;
    if (!isPowerOf2(blockN)) return `blockN must be a power of 2 but got ${blockN}`;
    if (blockN > 512) return `blockN must be less than or equal to 512 but got ${blockN}`;
    if (![1, 2, 4].includes(colStride)) return `colStride must be 1, 2, or 4 but got but got ${colStride}`;
    return undefined;
  },
  toEncoding: (params) => ({ kind: "tensor_memory_encoding", ...params }),
  fromEncoding: ({ kind: _kind, ...params }) => params,
});

export const TensorMemoryScalesEncoding = defineEncoding<Omit<TensorMemoryScalesParams, "kind">, TensorMemoryScalesParams>(
  "tensor_memory_scales_encoding",
  {
    summary: "block scales in tensor memory: 32x4x4 byte chunks, repeated for four warps",
    dialect: "ttng",
    alias: "tmem_scales",
    parse(p) {
      const fields = struct(p, ["CTASplitM", "CTASplitN"], []);
      return {
        CTASplitM: (fields.get("CTASplitM") as number | undefined) ?? 1,
        CTASplitN: (fields.get("CTASplitN") as number | undefined) ?? 1,
      };
    },
    toEncoding: (params) => ({ kind: "tensor_memory_scales_encoding", ...params }),
    fromEncoding: ({ kind: _kind, ...params }) => params,
  },
);

function isPowerOf2(n: number): boolean {
  return n >= 1 && (n & (n - 1)) === 0;
}

/** `<a = 1, b = true>`: upstream's `struct(params)`. */
function struct(p: AttrParser, names: readonly string[], required: readonly string[]): Map<string, number | boolean> {
  const fields = new Map<string, number | boolean>();
  p.list("<", ">", () => {
    const at = p.pos;
    const name = p.anyKeyword("a parameter name");
    if (!names.includes(name)) p.fail(`duplicate or unknown struct parameter name: ${name}`, at, "parse.encoding");
    if (fields.has(name)) p.fail(`duplicate or unknown struct parameter name: ${name}`, at, "parse.encoding");
    p.punct("=");
    fields.set(name, name === "twoCTAs" ? p.bool() : p.int());
  });
  const missing = required.find((name) => !fields.has(name));
  if (missing !== undefined) p.fail(`struct is missing required parameter: ${missing}`, undefined, "parse.encoding");
  return fields;
}
