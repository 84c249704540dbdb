/**
 * Consumer Blackwell's warp instructions: 8-, 6- and 4-bit floats in any combination, block-scaled and sparse.
 * Fragments are those of int8 (8-bit containers) and int4 (4-bit) instructions.
 * Source: cute/arch/mma_sm120*.hpp, cute/atom/mma_traits_sm120*.hpp.
 */
import { parseLayout } from "../parse-term.js";
import type { Layout } from "../term.js";
import { accumulatorFragment, operandFragment, warp } from "./fragment.js";
import type { MmaAtom, MmaFamily } from "./mma-atom.js";

const read = (text: string): Layout => parseLayout(text) as Layout;
const small = new Set(["float_e2m1_t", "float_e3m2_t", "float_e2m3_t", "float_e4m3_t", "float_e5m2_t"]);
const tag = (type: string): string => type.replace(/^float_/, "").replace(/_t$/, "");
const accumulatorTag: Readonly<Record<string, string>> = { float: "f32", half_t: "f16" };

const scaleA = (k: number): Layout => read(`((_2,_2,_8),_${k}):((_8,_0,_1),_16)`);
const scaleB = (k: number): Layout => read(`((_4,_8),_${k}):((_0,_1),_8)`);

interface Variant {
  readonly name: string;
  readonly k: number;
  readonly sparse: boolean;
  readonly scaled: boolean;
  readonly container: 8 | 4;
}

const variants: readonly Variant[] = [
  { name: "SM120_16x8x32_TN", k: 32, sparse: false, scaled: false, container: 8 },
  { name: "SM120_16x8x32_TN_VS", k: 32, sparse: false, scaled: true, container: 8 },
  { name: "SM120_16x8x64_TN_VS", k: 64, sparse: false, scaled: true, container: 4 },
  { name: "SM120_SPARSE_16x8x64_TN", k: 64, sparse: true, scaled: false, container: 8 },
  { name: "SM120_SPARSE_16x8x64_TN_VS", k: 64, sparse: true, scaled: true, container: 8 },
  { name: "SM120_SPARSE_16x8x128_TN_VS", k: 128, sparse: true, scaled: true, container: 4 },
];

function make(v: Variant, args: readonly string[]): MmaAtom | string {
  const [a = "", b = "", c = "", sf = "", vs = ""] = args;
  const expected = v.scaled ? 5 : 3;
  if (args.length !== expected) return `${v.name} takes ${expected} template arguments, not ${args.length}`;
  for (const type of [a, b]) if (!small.has(type)) return `${v.name}: ${type} is not one of ${[...small].join(", ")}`;
  if (v.container === 4 && (a !== "float_e2m1_t" || b !== "float_e2m1_t")) return `${v.name} multiplies float_e2m1_t only`;
  const acc = accumulatorTag[c];
  if (!acc || (v.scaled && c !== "float")) return `${v.name}: ${c} is not an accumulator type of this instruction`;
  const w = v.container === 8 ? 4 : 8;
  const scales: Record<string, Layout> = v.scaled ? { SFA: scaleA(v.k), SFB: scaleB(v.k) } : {};
  const meta: Record<string, Layout> = v.sparse
    ? { E: read(v.container === 8 ? "((_2,_2,_8),_32):((_8,_512,_1),_16)" : "((_2,_2,_8),(_64)):((_8,_1024,_1),(_16))") }
    : {};
  return {
    name: `${v.name}<${args.join(",")}>`,
    arch: "SM120",
    shape: [16, 8, v.k],
    threads: warp,
    // A sparse operand stores half its values: each thread holds twice as many neighbours.
    a: operandFragment(16, v.k, v.sparse ? 2 * w : w),
    b: operandFragment(8, v.k, w),
    c: accumulatorFragment(16),
    types: { d: c, a: v.sparse ? `sparse_elem<${v.container === 8 ? 2 : 4},${a}>` : unsignedContainer(v), b: unsignedContainer(v), c },
    ptx: instruction(v, [acc, tag(a), tag(b), acc].join("."), tag(sf), Number(vs)),
    extra: { ...scales, ...meta },
  };
}

const unsignedContainer = (v: Variant): string => (v.container === 8 ? "uint8_t" : "uint4_t");

function instruction(v: Variant, types: string, sf: string, vs: number): string {
  const kind = `kind::${!v.scaled ? "f8f6f4" : v.container === 8 ? "mxf8f6f4" : "mxf4nvf4"}`;
  const vector = v.container === 8 ? 1 : v.k / vs;
  const scale = v.scaled ? `.block_scale.scale_vec::${vector}X` : "";
  const sparse = v.sparse ? ".sp::ordered_metadata" : "";
  const shape = `m16n8k${v.k}.row.col`;
  const end = `${types}${v.scaled ? `.${sf}` : ""}`;
  // Four ue8m0 scales a row are emitted with the kind after the shape, all else with the kind before it.
  if (vector === 4 && sf === "ue8m0") return `mma${sparse}.sync.aligned.${shape}.${kind}${scale}.${end}`;
  return `mma.sync.aligned.${kind}${sparse}${scale}.${shape}.${end}`;
}

/** The templates of SM120, dense and sparse, by name. */
export const sm120Families: readonly MmaFamily[] = variants.map((v) => ({
  name: v.name,
  parameters: v.scaled ? ["AType", "BType", "CType", "SFType", "VS"] : ["AType", "BType", "CType"],
  make: (args) => make(v, args),
}));
