/** Tensor memory: its space and the layouts in it. Source: TritonNvidiaGPUAttrDefs.td. */
import type { AttrParser } from "../../ir/asm.js";
import { type Attribute, defineAttr } from "../../ir/attribute.js";
import type { AttrConstraint } from "../../ir/constraints.js";
import type { TensorMemoryParams, TensorMemoryScalesParams } from "../../layout/encoding-params.js";
import { getCTASplitNum } from "../../layout/encodings/cga.js";
import { FIRST_BLOCK_OF_PAIRS } from "../../layout/encodings/tensor-memory.js";
import type { LinearLayout } from "../../layout/linear-layout.js";
import { cgaBases, cgaLayout } from "../ttg/encodings/cga.js";
import { defineEncoding } from "../ttg/encodings/define-encoding.js";
import type { BasisVectors } from "../ttg/encodings/read-fields.js";

/** `#ttng.tensor_memory`: buffers in tensor memory. */
export const TensorMemorySpace = defineAttr<Record<string, never>>("ttng.tensor_memory", {
  summary: "the memory descriptor points to tensor memory",
});

const REDUCTIONS = ["min", "max"] as const;
export type TMEMLoadReduction = (typeof REDUCTIONS)[number];
/** `#ttng.redOp<min>`: what a load of tensor memory gives of each row too. */
export const TMEMLoadReduceModifier = defineAttr<{ readonly value: TMEMLoadReduction }>("ttng.redOp", {
  summary: "the minimum or maximum of each row of tensor memory",
  parse(p) {
    p.punct("<");
    const at = p.pos;
    const keyword = p.anyKeyword("keyword");
    const value = REDUCTIONS.find((name) => name === keyword);
    if (!value)
      return p.fail(`expected ::mlir::triton::nvidia_gpu::TMEMLoadReduceModifier to be one of: ${REDUCTIONS.join(", ")}`, at, "parse.enum");
    p.punct(">");
    return { value };
  },
  print: ({ value }) => `<${value}>`,
});
export const TMEMLoadReduceModifierAttr: AttrConstraint<TMEMLoadReduction> = {
  description: "",
  test: (a) => TMEMLoadReduceModifier.is(a),
  read: (a) => (a as Attribute<{ readonly value: TMEMLoadReduction }>).params.value,
  write: (ctx, value) => TMEMLoadReduceModifier.get(ctx, { value }),
};

/** How CTAs share it, as attributes hold that: `CGALayout` since 3.8, and none for a single CTA. */
interface SharingAttrParams {
  readonly CTASplitM: number;
  readonly CTASplitN: number;
  readonly CGALayout: BasisVectors;
}
type WithBases<P extends { readonly cga?: unknown }> = Omit<P, "kind" | "cga"> & SharingAttrParams;
const toSharing = ({ CTASplitM, CTASplitN, CGALayout }: SharingAttrParams) => {
  if (CGALayout.length === 0) return { CTASplitM, CTASplitN };
  const cga = cgaLayout(CGALayout, 2);
  const [m = 1, n = 1] = getCTASplitNum(cga);
  return { CTASplitM: m, CTASplitN: n, cga };
};
const basesOf = (cga: LinearLayout | undefined): BasisVectors => (cga ? cgaBases(cga) : []);
const sharingNames = (p: AttrParser): readonly string[] => (p.ctx.triton.blocksInTmem ? ["CGALayout"] : ["CTASplitM", "CTASplitN"]);
function sharingOf(fields: Fields): SharingAttrParams {
  const CGALayout = (fields.get("CGALayout") as BasisVectors | undefined) ?? [];
  const int = (name: string) => (fields.get(name) as number | undefined) ?? 1;
  const { CTASplitM, CTASplitN } = toSharing({ CTASplitM: int("CTASplitM"), CTASplitN: int("CTASplitN"), CGALayout });
  return { CTASplitM, CTASplitN, CGALayout };
}

/** Only said where it is so. */
const paddingOf = (fp4Padded: boolean): Pick<TensorMemoryParams, "fp4Padded"> => (fp4Padded ? { fp4Padded } : {});

export type TensorMemoryAttrParams = WithBases<TensorMemoryParams>;
export const TensorMemoryEncoding = defineEncoding<TensorMemoryAttrParams, TensorMemoryParams>("tensor_memory_encoding", {
  summary: "blocks of tensor memory, first along rows",
  dialect: "ttng",
  alias: "tmem",
  parse(p) {
    const at = p.pos;
    const required = ["blockM", "blockN", "colStride"];
    const fields = struct(p, [...required, ...sharingNames(p), "twoCTAs", ...(p.ctx.triton.blocksInTmem ? ["fp4Padded"] : [])], required);
    const [blockM = 0, blockN = 0, colStride = 0] = required.map((name) => fields.get(name) as number);
    const twoCTAs = fields.get("twoCTAs") === true;
    if (twoCTAs && p.ctx.triton.blocksInTmem && !fields.has("CGALayout")) p.fail(FIRST_BLOCK_OF_PAIRS, at, "parse.encoding");
    return {
      blockM,
      blockN,
      colStride,
      ...sharingOf(fields),
      twoCTAs,
      ...paddingOf(fields.get("fp4Padded") === true),
    };
  },
  toEncoding: ({ CGALayout, ...params }) => ({ kind: "tensor_memory_encoding", ...params, ...toSharing({ ...params, CGALayout }) }),
  fromEncoding: ({ kind: _kind, cga, ...params }) => ({ ...params, CGALayout: basesOf(cga) }),
});

export const TensorMemoryScalesEncoding = defineEncoding<WithBases<TensorMemoryScalesParams>, TensorMemoryScalesParams>(
  "tensor_memory_scales_encoding",
  {
    summary: "block scales in tensor memory: 32x4x4 byte chunks, repeated for four warps",
    dialect: "ttng",
    alias: "tmem_scales",
    parse: (p) => sharingOf(struct(p, sharingNames(p), [])),
    toEncoding: (params) => ({ kind: "tensor_memory_scales_encoding", ...toSharing(params) }),
    fromEncoding: ({ CTASplitM, CTASplitN, cga }) => ({ CTASplitM, CTASplitN, CGALayout: basesOf(cga) }),
  },
);

type Fields = ReadonlyMap<string, number | boolean | BasisVectors>;

/** `<a = 1, b = true>`: upstream's `struct(params)`. */
function struct(p: AttrParser, names: readonly string[], required: readonly string[]): Fields {
  const fields = new Map<string, number | boolean | BasisVectors>();
  p.list("<", ">", () => {
    const at = p.pos;
    const name = p.anyKeyword("a parameter name");
    if (!names.includes(name)) p.fail(`duplicate or unknown struct parameter name: ${name}`, at, "parse.encoding");
    if (fields.has(name)) p.fail(`duplicate or unknown struct parameter name: ${name}`, at, "parse.encoding");
    p.punct("=");
    if (name === "CGALayout")
      fields.set(
        name,
        p.list("[", "]", () => p.list("[", "]", () => p.int())),
      );
    else fields.set(name, name === "twoCTAs" || name === "fp4Padded" ? p.bool() : p.int());
  });
  const missing = required.find((name) => !fields.has(name));
  if (missing !== undefined) p.fail(`struct is missing required parameter: ${missing}`, undefined, "parse.encoding");
  return fields;
}
