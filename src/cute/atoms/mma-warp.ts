/**
 * The matrix instructions of one thread, one quad pair and one warp: SM61 dp4a to SM90's fp64 mma.
 * All of SM75 and later follow `operandFragment`; what does not is written out.
 * Source: cute/atom/mma_traits_sm{61,70,75,80,89,90}.hpp, cute/arch/mma_sm{61,70,75,80,89,90}.hpp.
 */
import { layout } from "../layout.js";
import { parseLayout, parseTerm } from "../parse-term.js";
import { type Layout, lit, tuple } from "../term.js";
import { accumulatorFragment, operandFragment, singleThread, warp } from "./fragment.js";
import type { MmaAtom } from "./mma-atom.js";

const read = (text: string): Layout => parseLayout(text) as Layout;

/** PTX spelling, CuTe type, and neighbours a thread holds in 32 bits (fp64: one element in 64). */
interface ElementKind {
  readonly ptx: string;
  readonly type: string;
  readonly perRegister: number;
}

const kinds: Readonly<Record<string, ElementKind>> = {
  F16: { ptx: "f16", type: "half_t", perRegister: 2 },
  BF16: { ptx: "bf16", type: "bfloat16_t", perRegister: 2 },
  TF32: { ptx: "tf32", type: "tfloat32_t", perRegister: 1 },
  F32: { ptx: "f32", type: "float", perRegister: 1 },
  F64: { ptx: "f64", type: "double", perRegister: 1 },
  C64: { ptx: "f64", type: "complex<double>", perRegister: 1 },
  GC64: { ptx: "f64", type: "GaussComplex", perRegister: 1 },
  S8: { ptx: "s8", type: "int8_t", perRegister: 4 },
  U8: { ptx: "u8", type: "uint8_t", perRegister: 4 },
  S4: { ptx: "s4", type: "int4b_t", perRegister: 8 },
  U4: { ptx: "u4", type: "uint4b_t", perRegister: 8 },
  U1: { ptx: "b1", type: "uint1b_t", perRegister: 32 },
  S32: { ptx: "s32", type: "int32_t", perRegister: 1 },
  E4M3: { ptx: "e4m3", type: "float_e4m3_t", perRegister: 4 },
  E5M2: { ptx: "e5m2", type: "float_e5m2_t", perRegister: 4 },
};

/** One warp-wide `mma.sync` of m x 8 x k. `types` are the tags of its name, D A B C. */
function warpAtom(arch: string, m: 8 | 16, k: number, types: readonly [string, string, string, string], suffix = ""): MmaAtom {
  const [d, a, b, c] = types.map((t) => kinds[t]!) as [ElementKind, ElementKind, ElementKind, ElementKind];
  const qualifier = suffix === "_SATURATE" ? ".satfinite" : suffix.endsWith("POPC") ? `.${suffix.slice(1, 4).toLowerCase()}.popc` : "";
  return {
    name: `${arch}_${m}x8x${k}_${types.join("")}_TN${suffix}`,
    arch,
    shape: [m, 8, k],
    threads: warp,
    a: operandFragment(m, k, a.perRegister),
    b: operandFragment(8, k, b.perRegister),
    c: accumulatorFragment(m),
    types: { d: d.type, a: a.type, b: b.type, c: c.type },
    ptx: `mma.sync.aligned.m${m}n8k${k}.row.col.${d.ptx}.${a.ptx}.${b.ptx}.${c.ptx}${qualifier}`,
  };
}

/** fp64 instructions made of several real ones: complex numbers as four products or, after Gauss, three. */
function complexAtom(real: MmaAtom, tag: "C64" | "GC64"): MmaAtom {
  const wide = kinds[tag]!.type;
  return {
    ...real,
    name: real.name.replace("F64F64F64F64", `${tag}C64C64${tag}`),
    types: { d: wide, a: "complex<double>", b: "complex<double>", c: wide },
    ptx: `${tag === "C64" ? 4 : 3} x ${real.ptx}`,
  };
}

/** 4-bit operands of 8 rows are declared with their values in a tuple of one. */
function valuesInTuple(l: Layout): Layout {
  const inner = (t: Layout["shape"]) => (t.kind === "tuple" && t.items[1]?.kind === "int" ? tuple(t.items[0]!, tuple(t.items[1])) : t);
  return layout(inner(l.shape), inner(l.stride));
}

function* integerAtoms(): Generator<MmaAtom> {
  for (const [a, b] of [
    ["S", "S"],
    ["S", "U"],
    ["U", "S"],
    ["U", "U"],
  ] as const) {
    for (const suffix of ["", "_SATURATE"]) {
      for (const [m, k] of [
        [8, 16],
        [16, 16],
        [16, 32],
      ] as const)
        yield warpAtom("SM80", m, k, ["S32", `${a}8`, `${b}8`, "S32"], suffix);
      for (const [m, k] of [
        [8, 32],
        [16, 32],
        [16, 64],
      ] as const) {
        const atom = warpAtom("SM80", m, k, ["S32", `${a}4`, `${b}4`, "S32"], suffix);
        yield { ...atom, a: valuesInTuple(atom.a), b: valuesInTuple(atom.b) };
      }
    }
  }
  for (const suffix of ["_XORPOPC", "_ANDPOPC"]) {
    for (const [m, k] of [
      [8, 128],
      [16, 128],
      [16, 256],
    ] as const) {
      const atom = warpAtom("SM80", m, k, ["S32", "U1", "U1", "S32"], suffix);
      // CuTe nests the strides of this one operand one level too deep; that is what it prints.
      yield m === 16 && k === 128 ? { ...atom, a: layout(atom.a.shape, parseTerm("((_512,_1),((_16,_8)))")) } : atom;
    }
  }
}

function* floatAtoms(): Generator<MmaAtom> {
  yield warpAtom("SM75", 16, 8, ["F32", "F16", "F16", "F32"]);
  yield warpAtom("SM75", 16, 8, ["F16", "F16", "F16", "F16"]);
  yield warpAtom("SM75", 8, 16, ["S32", "S8", "S8", "S32"]);
  for (const k of [8, 16]) {
    yield warpAtom("SM80", 16, k, ["F16", "F16", "F16", "F16"]);
    yield warpAtom("SM80", 16, k, ["F32", "F16", "F16", "F32"]);
    yield warpAtom("SM80", 16, k, ["F32", "BF16", "BF16", "F32"]);
  }
  for (const k of [4, 8]) yield warpAtom("SM80", 16, k, ["F32", "TF32", "TF32", "F32"]);
  const small = warpAtom("SM80", 8, 4, ["F64", "F64", "F64", "F64"]);
  yield small;
  yield complexAtom(small, "C64");
  yield complexAtom(small, "GC64");
  for (const d of ["F32", "F16"])
    for (const a of ["E4M3", "E5M2"]) for (const b of ["E4M3", "E5M2"]) yield warpAtom("SM89", 16, 32, [d, a, b, d]);
  for (const k of [4, 8, 16]) {
    const real = warpAtom("SM90", 16, k, ["F64", "F64", "F64", "F64"]);
    yield real;
    yield complexAtom(real, "C64");
  }
}

/** Volta's instruction of a quad pair (threads 0-3 and 16-19): operand layouts depend on the majors. */
function* quadPairAtoms(): Generator<MmaAtom> {
  const row = read("(_8,_4):(_1,_8)");
  const col = read("((_4,_2),_4):((_8,_4),_1)");
  const c16 = read("(_8,_8):(_1,_8)");
  const c32 = read("((_2,_2,_2),(_2,_2,_2)):((_1,_16,_4),(_8,_2,_32))");
  for (const acc of ["F16", "F32"]) {
    for (const major of ["TN", "NT", "NN", "TT"]) {
      const [a, b] = [major[0] === "T", major[1] === "N"];
      const { ptx, type } = kinds[acc]!;
      yield {
        name: `SM70_8x8x4_${acc}F16F16${acc}_${major}`,
        arch: "SM70",
        shape: [8, 8, 4],
        threads: read("(_4,_2):(_1,_16)"),
        a: a ? row : col,
        b: b ? row : col,
        c: acc === "F16" ? c16 : c32,
        types: { d: type, a: "half_t", b: "half_t", c: type },
        ptx: `mma.sync.aligned.m8n8k4.${a ? "row" : "col"}.${b ? "col" : "row"}.${ptx}.f16.f16.${ptx}`,
      };
    }
  }
}

function* dotAtoms(): Generator<MmaAtom> {
  for (const [n, type] of [
    [4, "int8_t"],
    [2, "int16_t"],
  ] as const) {
    const operand = layout(tuple(lit(1), lit(n)), tuple(lit(0), lit(1)));
    yield {
      name: `SM61_DP${n}A`,
      arch: "SM61",
      shape: [1, 1, n],
      threads: singleThread,
      a: operand,
      b: operand,
      c: layout(tuple(lit(1), lit(1)), tuple(lit(0), lit(0))),
      types: { d: "int32_t", a: type, b: type, c: "int32_t" },
      ptx: `dp${n}a.s32.s32`,
    };
  }
}

/** Every atom that is a plain struct, in order of architecture. */
export const warpMmaAtoms: readonly MmaAtom[] = [...dotAtoms(), ...quadPairAtoms(), ...floatAtoms(), ...integerAtoms()];

/** `UniversalFMA<D,A,B,C>`: one multiplication and addition of one thread; A, B and C default to D. */
export function universalFma(d: string, a = d, b = d, c = d): MmaAtom {
  const unit = layout(tuple(lit(1), lit(1)), tuple(lit(0), lit(0)));
  return {
    name: `UniversalFMA<${[d, a, b, c].join(",")}>`,
    arch: "SM50",
    shape: [1, 1, 1],
    threads: singleThread,
    a: unit,
    b: unit,
    c: unit,
    types: { d, a, b, c },
    ptx: d === "float" ? "fma.rn.f32" : d === "double" ? "fma.rn.f64" : d === "half_t" ? "fma.rn.f16" : "mad",
  };
}
