/** The matrix instructions of CDNA. Source: third_party/amd/lib/TritonAMDGPUTransforms/MfmaGroup.cpp; LLVM's IntrinsicsAMDGPU.td. */
import type { Type } from "../../../ir/attribute.js";
import { FloatType, floatType, isFloat } from "../../../ir/builtin-types.js";
import { typeText } from "../../../ir/text-hook.js";
import { elementKey, type Form, formFor, type MatrixInstruction, type Table } from "./matrix-instruction.js";

/** Generations, m, n, element types of a and b, and the forms. */
type Row = readonly [generations: string, m: number, n: number, a: string, b: string, ...forms: Form[]];

const ROWS: readonly Row[] = [
  ["234", 16, 16, "f64", "f64", ["rocdl.mfma.f64.16x16x4f64", 4, 1]],
  ["234", 32, 32, "f32", "f32", ["rocdl.mfma.f32.32x32x2f32", 2, 1]],
  ["234", 16, 16, "f32", "f32", ["rocdl.mfma.f32.16x16x4f32", 4, 1]],
  ["3", 16, 16, "tf32", "tf32", ["rocdl.mfma.f32.16x16x8.xf32", 8, 2]],
  ["3", 32, 32, "tf32", "tf32", ["rocdl.mfma.f32.32x32x4.xf32", 4, 2]],
  ["4", 32, 32, "f16", "f16", ["rocdl.mfma.f32.32x32x16.f16", 16, 8], ["rocdl.mfma.f32.32x32x8f16", 8, 4]],
  ["23", 32, 32, "f16", "f16", ["rocdl.mfma.f32.32x32x8f16", 8, 4]],
  ["4", 16, 16, "f16", "f16", ["rocdl.mfma.f32.16x16x32.f16", 32, 8], ["rocdl.mfma.f32.16x16x16f16", 16, 4]],
  ["23", 16, 16, "f16", "f16", ["rocdl.mfma.f32.16x16x16f16", 16, 4]],
  ["4", 32, 32, "bf16", "bf16", ["rocdl.mfma.f32.32x32x16.bf16", 16, 8], ["rocdl.mfma.f32.32x32x8bf16.1k", 8, 4]],
  ["3", 32, 32, "bf16", "bf16", ["rocdl.mfma.f32.32x32x8bf16.1k", 8, 4]],
  ["2", 32, 32, "bf16", "bf16", ["rocdl.mfma.f32.32x32x8bf16.1k", 8, 4], ["rocdl.mfma.f32.32x32x4bf16.1k", 4, 2]],
  ["4", 16, 16, "bf16", "bf16", ["rocdl.mfma.f32.16x16x32.bf16", 32, 8], ["rocdl.mfma.f32.16x16x16bf16.1k", 16, 4]],
  ["3", 16, 16, "bf16", "bf16", ["rocdl.mfma.f32.16x16x16bf16.1k", 16, 4]],
  ["2", 16, 16, "bf16", "bf16", ["rocdl.mfma.f32.16x16x16bf16.1k", 16, 4], ["rocdl.mfma.f32.16x16x8bf16", 8, 2]],
  ["4", 32, 32, "int", "int", ["rocdl.mfma.i32.32x32x32.i8", 32, 16], ["rocdl.mfma.i32.32x32x16.i8", 16, 8]],
  ["3", 32, 32, "int", "int", ["rocdl.mfma.i32.32x32x16.i8", 16, 8]],
  ["2", 32, 32, "int", "int", ["rocdl.mfma.i32.32x32x8i8", 8, 4]],
  ["4", 16, 16, "int", "int", ["rocdl.mfma.i32.16x16x64.i8", 64, 16], ["rocdl.mfma.i32.16x16x32.i8", 32, 8]],
  ["3", 16, 16, "int", "int", ["rocdl.mfma.i32.16x16x32.i8", 32, 8]],
  ["2", 16, 16, "int", "int", ["rocdl.mfma.i32.16x16x16i8", 16, 4]],
  // All MX types share one instruction, which the table has under fp4.
  ["4", 16, 16, "f4E2M1FN", "f4E2M1FN", ["rocdl.mfma.scale.f32.16x16x128.f8f6f4", 128, 32]],
  ["4", 32, 32, "f4E2M1FN", "f4E2M1FN", ["rocdl.mfma.scale.f32.32x32x64.f8f6f4", 64, 32]],
];
/** 16 blocks of 4x4 at once: 4x64 or 64x4. */
const FLAT: readonly (readonly [element: string, ...Form])[] = [
  ["f32", "rocdl.mfma.f32.4x4x1f32", 16, 1],
  ["f16", "rocdl.mfma.f32.4x4x4f16", 64, 4],
  ["bf16", "rocdl.mfma.f32.4x4x4bf16.1k", 64, 4],
  ["int", "rocdl.mfma.i32.4x4x4i8", 64, 4],
];
/** The fp8 of each generation: AMD's own, then that of OCP. */
const FP8: Readonly<Record<string, readonly (readonly [name: string, element: string])[]>> = {
  3: [
    ["fp8", "f8E4M3FNUZ"],
    ["bf8", "f8E5M2FNUZ"],
  ],
  4: [
    ["fp8", "f8E4M3FN"],
    ["bf8", "f8E5M2"],
  ],
};

const keyOf = (version: number | string, m: number, n: number, a: string, b: string): string => `${version} ${m}x${n} ${a} ${b}`;

type Entry = readonly [string, readonly Form[]];
const TABLE: Table = new Map<string, readonly Form[]>([
  ...ROWS.flatMap(([versions, m, n, a, b, ...forms]) => [...versions].map((version): Entry => [keyOf(version, m, n, a, b), forms])),
  ...FLAT.flatMap(([element, ...form]) =>
    ["2", "3", "4"].flatMap((version): Entry[] => [
      [keyOf(version, 4, 64, element, element), [form]],
      [keyOf(version, 64, 4, element, element), [form]],
    ]),
  ),
  ...Object.entries(FP8).flatMap(([version, types]) =>
    types.flatMap(([x, a]) =>
      types.flatMap(([y, b]): Entry[] => [
        [keyOf(version, 32, 32, a, b), [[`rocdl.mfma.f32.32x32x16.${x}.${y}`, 16, 8]]],
        [keyOf(version, 16, 16, a, b), [[`rocdl.mfma.f32.16x16x32.${x}.${y}`, 32, 8]]],
      ]),
    ),
  ),
]);

const MX = new Set(["f8E4M3FN", "f8E5M2", "f6E3M2FN", "f6E2M3FN", "f4E2M1FN"]);
/** Whether the scaled instructions of gfx950 take the type. */
export const isF8F6F4 = (type: Type): boolean => FloatType.is(type) && MX.has(type.params.kind);

const isOcpFp8 = (type: Type): boolean => isFloat(type, "f8E5M2") || isFloat(type, "f8E4M3FN");

interface MfmaRequest {
  readonly version: number;
  readonly m: number;
  readonly n: number;
  readonly a: Type;
  readonly b: Type;
  readonly withScale: boolean;
  /** f32 operands may be rounded to tf32. */
  readonly xf32: boolean;
}

/** The forms of an MFMA, and the element types that it is given. */
function mfmaForms({
  version,
  m,
  n,
  a,
  b,
  withScale,
  xf32,
}: MfmaRequest): { readonly forms: readonly Form[]; readonly a: Type; readonly b: Type } | undefined {
  const find = (x: string, y: string) => TABLE.get(keyOf(version, m, n, x, y));
  let [forA, forB] = [a, b];
  let forms: readonly Form[] | undefined;
  if (withScale) forms = find("f4E2M1FN", "f4E2M1FN");
  else if (xf32 && isFloat(a, "f32") && isFloat(b, "f32")) forms = find("tf32", "tf32");
  else {
    // Before CDNA4 fp8 of OCP is computed in f16.
    if (version <= 3 && isOcpFp8(a) && isOcpFp8(b)) forA = forB = floatType(a.ctx, "f16");
    forms = find(elementKey(forA), elementKey(forB));
  }
  return forms && { forms, a: forA, b: forB };
}

/** M and N of an MFMA for a result of that shape; 0 where it is too small for any. */
function tileOf(shape: readonly number[], enforced: number, isF64: boolean): readonly [m: number, n: number] {
  if (enforced !== 0) return [enforced, enforced];
  const [m = 0, n = 0] = shape.slice(-2);
  const least = Math.min(m, n);
  // There is no 32x32 for f64.
  if (least >= 32 && !isF64) return [32, 32];
  if (least >= 16) return [16, 16];
  if (least >= 4 && m >= 64) return [64, 4];
  return least >= 4 && n >= 64 ? [4, 64] : [0, 0];
}

/** A product that an MFMA is looked for. */
export interface MfmaDot extends Omit<MfmaRequest, "m" | "n"> {
  readonly shape: readonly number[];
  readonly k: number;
  /** M and N that the user asks for; 0 chooses by the shape. */
  readonly nonKDim: number;
}

/** The MFMA of a dot; a text says why there is none. `remark` gets upstream's words. */
export function chooseMfma(dot: MfmaDot, remark: (message: string) => void): MatrixInstruction | string {
  const { version, shape, a, b, k: inputK, nonKDim, withScale, xf32 } = dot;
  const [m, n] = tileOf(shape, nonKDim, isFloat(a, "f64") || isFloat(b, "f64"));
  const found = mfmaForms({ ...dot, m, n });
  if (!withScale && version <= 3 && isOcpFp8(a) && isOcpFp8(b)) {
    remark("missing native support for fp8 variant on current architecture; emulated with fp16 so low performance");
    if (version === 3) remark("for gfx942 please use native supported fp8 variants");
  }
  const [x, y] = [typeText(a), typeText(b)];
  if (!found) {
    const enforced = nonKDim === 0 ? "" : `, enforcedNonKDim=${nonKDim}`;
    remark(
      `Unable to select MFMA intrinsic for the request: version=${version}, result-shape=(${shape.slice(-2).join("x")}), selected-tiles=(${m}x${n}), inputKSize=${inputK}, aElemType='${x}', bElemType='${y}', withScale=${withScale}, allowXF32=${xf32}${enforced}`,
    );
    return m === 0 ? `a result of ${shape.join("x")} is smaller than any MFMA's` : `there is no MFMA of ${m}x${n} on ${x} and ${y}`;
  }
  const [name, k, kBase] = formFor(found.forms, inputK);
  if (inputK % k === 0) return { name, m, n, k, kBase, a: found.a, b: found.b };
  remark(
    `Unable to select MFMA intrinsic '${name}' as MFMA intrinsic k-dimension size kDim=${k}, which is not a multiple of tile k-dimension size inputKSize=${inputK}. Using this intrinsic would introduce data duplication.`,
  );
  return `K = ${inputK} is no multiple of the ${k} of one instruction`;
}

/** The MFMA of a layout, whose K is known; undefined where there is none. */
export function mfmaOfShape(request: MfmaRequest & { readonly k: number }): MatrixInstruction | undefined {
  const { m, n, k: wanted } = request;
  const found = mfmaForms(request);
  const form = found?.forms.find(([, k]) => k === wanted);
  return found && form && { name: form[0], m, n, k: wanted, kBase: form[2], a: found.a, b: found.b };
}
