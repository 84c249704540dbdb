/** Properties of every atom: its layouts cover its tile, its instruction has its shape. */
import { expect, test } from "vitest";
import * as plain from "../layout.js";
import { printTerm } from "../print-term.js";
import { dyn, type Layout, numberOf } from "../term.js";
import { copyNames, findCopyAtom, findMmaAtom, mmaNames } from "./index.js";
import type { MmaAtom } from "./mma-atom.js";

const atoms = mmaNames().flatMap((name): MmaAtom[] => {
  const args =
    name === "UniversalFMA"
      ? ["float"]
      : name.includes("_TN_VS")
        ? ["float_e2m1_t", "float_e2m1_t", "float", "float_ue8m0_t", "32"]
        : /^SM120/.test(name)
          ? ["float_e4m3_t", "float_e5m2_t", "float"]
          : [];
  const atom = findMmaAtom(name, args);
  if (typeof atom === "string") throw new Error(atom);
  return [atom];
});

/** How many indices of the operand's tile some thread holds; -1 when there are gaps. Modes of stride 0 add nothing. */
function covered(l: Layout): number {
  const key = printTerm(l);
  const known = coveredBy.get(key);
  if (known !== undefined) return known;
  const distinct = plain.filter(l);
  const n = numberOf(plain.size(distinct));
  const seen = new Set<number>();
  for (let i = 0; i < n; i++) seen.add(numberOf(plain.apply(distinct, dyn(i))));
  const result = Math.max(...seen) + 1 === seen.size ? seen.size : -1;
  coveredBy.set(key, result);
  return result;
}
const coveredBy = new Map<string, number>();

/** CuTe's own strides of this operand are nested wrongly; only its print can be used. */
const misdeclared = /^SM80_16x8x128_S32U1U1S32/;

test("every operand of every MMA atom is covered without gaps", () => {
  // There are many GMMA shapes; only N = 8, 24 and 64 are tested.
  const tested = atoms.filter((a) => !/64x\d+x/.test(a.name) || /64x(8|24|64)x/.test(a.name));
  expect(tested.length).toBeGreaterThan(200);
  const wrong = tested.flatMap((a) => {
    const [m, n, k] = a.shape;
    const sizes = { a: misdeclared.test(a.name) ? m * k : covered(a.a), b: covered(a.b), c: covered(a.c) };
    return sizes.a === m * k && sizes.b === n * k && sizes.c === m * n ? [] : [{ name: a.name, sizes }];
  });
  expect(wrong).toEqual([]);
});

test("instructions carry the shape and the types", () => {
  const wrong = atoms.filter((a) => /mma/.test(a.ptx) && !a.ptx.includes(`m${a.shape[0]}n${a.shape[1]}k${a.shape[2]}`)).map((a) => a.name);
  expect(wrong).toEqual([]);
  const ptx = (name: string, ...args: string[]) => (findMmaAtom(name, args) as MmaAtom).ptx;
  expect(ptx("SM80_16x8x8_F32BF16BF16F32_TN")).toBe("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32");
  expect(ptx("SM80_8x8x128_S32U1U1S32_TN_XORPOPC")).toBe("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc");
  expect(ptx("SM80_16x8x64_S32U4S4S32_TN_SATURATE")).toBe("mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32.satfinite");
  expect(ptx("SM90_64x24x32_S32S8U8_RS_TN")).toBe("wgmma.mma_async.sync.aligned.m64n24k32.s32.s8.u8");
  expect(ptx("GMMA_64x16x32_F32BF16BF16_SS")).toBe("wgmma.mma_async.sp.sync.aligned.m64n16k32.f32.bf16.bf16");
  expect(ptx("SM120_16x8x64_TN_VS", "float_e2m1_t", "float_e2m1_t", "float", "float_ue4m3_t", "16")).toBe(
    "mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3",
  );
});

test("no GMMA of a shape the hardware lacks", () => {
  for (const name of [
    "SM90_64x20x16_F16F16F16_SS",
    "SM90_64x40x32_S32S8S8_SS_TN",
    "SM90_64x8x16_F16F16F16_SS_TN",
    "SM90_64x8x32_F32E4M3E4M3_SS",
  ])
    expect(findMmaAtom(name, [])).toMatch(/^unknown MMA operation/);
});

test("every copy atom can be made, and source and destination are the same bits", () => {
  for (const name of copyNames()) {
    const atom = findCopyAtom(name, [128], []);
    if (typeof atom === "string") throw new Error(atom);
    const range = (l: Layout) => numberOf(plain.cosize(l));
    expect(range(atom.source), name).toBe(range(atom.destination));
    expect(numberOf(plain.size(plain.mode(atom.reference, 0))), name).toBe(numberOf(plain.size(atom.threads)));
  }
});
