/** The matrix instructions of RDNA and gfx1250. Source: third_party/amd/lib/TritonAMDGPUTransforms/WmmaGroup.cpp; LLVM's IntrinsicsAMDGPU.td. */
import type { Type } from "../../../ir/attribute.js";
import { bitWidth } from "../../../ir/builtin-types.js";
import { elementKey, type Form, formFor, type MatrixInstruction, type Table } from "./matrix-instruction.js";

/** Generations, element types of a, b and the result, bits of an element of a, and the forms. All are 16x16. */
type Row = readonly [generations: string, a: string, b: string, d: string, bits: number, ...forms: Form[]];

const wmma = (name: string): string => `llvm.amdgcn.wmma.${name}`;
const HALVES = ["f16", "bf16"].flatMap((type): Row[] => [
  ["1", type, type, "f32", 16, [wmma(`f32.16x16x16.${type}`), 16, 16]],
  ["2", type, type, "f32", 16, [wmma(`f32.16x16x16.${type}`), 16, 8]],
  ["3", type, type, "f32", 16, [wmma(`f32.16x16x32.${type}`), 32, 16]],
  ["1", type, type, type, 16, [wmma(`${type}.16x16x16.${type}`), 16, 16]],
  ["2", type, type, type, 16, [wmma(`${type}.16x16x16.${type}`), 16, 8]],
]);
const FP8 = [
  ["fp8", "f8E4M3FN"],
  ["bf8", "f8E5M2"],
] as const;
const EIGHTHS = FP8.flatMap(([x, a]) =>
  FP8.flatMap(([y, b]): Row[] => [
    ["2", a, b, "f32", 8, [wmma(`f32.16x16x16.${x}.${y}`), 16, 8]],
    ["3", a, b, "f32", 8, [wmma(`f32.16x16x128.${x}.${y}`), 128, 64], [wmma(`f32.16x16x64.${x}.${y}`), 64, 32]],
  ]),
);
const ROWS: readonly Row[] = [
  ["3", "f32", "f32", "f32", 32, [wmma("f32.16x16x4.f32"), 4, 2]],
  ...HALVES,
  ...EIGHTHS,
  ["1", "int", "int", "int", 8, [wmma("i32.16x16x16.iu8"), 16, 16]],
  ["2", "int", "int", "int", 8, [wmma("i32.16x16x16.iu8"), 16, 8]],
  ["1", "int", "int", "int", 4, [wmma("i32.16x16x16.iu4"), 16, 16]],
  ["2", "int", "int", "int", 4, [wmma("i32.16x16x32.iu4"), 32, 16], [wmma("i32.16x16x16.iu4"), 16, 8]],
];
const keyOf = (version: number | string, a: string, b: string, d: string, bits: number): string => `${version} ${a} ${b} ${d} ${bits}`;
const TABLE: Table = new Map(ROWS.map(([version, a, b, d, bits, ...forms]) => [keyOf(version, a, b, d, bits), forms]));

/** The WMMA of 16x16 for a dot of that k and those element types; undefined where there is none. */
export function selectWmma(version: number, a: Type, b: Type, d: Type, inputK: number): MatrixInstruction | undefined {
  const forms = TABLE.get(keyOf(version, elementKey(a), elementKey(b), elementKey(d), bitWidth(a)!));
  if (!forms) return undefined;
  const [name, k, kBase] = formFor(forms, inputK);
  return { name, m: 16, n: 16, k, kBase, a, b };
}
