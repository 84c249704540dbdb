/**
 * Functions of libdevice, expanded into nodes: what maps to instructions does, as libdevice itself; the transcendental
 * functions are approximations of our own with errors of a few units in the last place, as CUDA's documented ones have
 * (arguments beyond 2^30 of sin, cos and tan excepted). Names: CUDA's "libdevice User's Guide".
 */
import type { Operation } from "../../ir/operation.js";
import type { Node, Width } from "./graph.js";
import { LIBDEVICE_DOUBLE } from "./libdevice-double.js";
import { LIBDEVICE_FLOAT } from "./libdevice-float.js";
import { LibdeviceMath } from "./libdevice-math.js";
import type { Lowering } from "./lower.js";

/** The registers of what `__nv_name` answers; undefined for a function that is not of libdevice. */
export function expandLibdevice(l: Lowering, op: Operation, name: string, args: readonly Node[]): readonly Node[] | undefined {
  if (!name.startsWith("__nv_")) return undefined;
  const m = new LibdeviceMath(l);
  const base = name.slice("__nv_".length);
  const node = integer(m, base, args) ?? simple(m, base, args) ?? LIBDEVICE_FLOAT[base]?.(m, args) ?? LIBDEVICE_DOUBLE[base]?.(m, args);
  return node ? [node] : l.problem(op, `'${name}' is not expanded: no libdevice is linked`);
}

const ROUNDING: Readonly<Record<string, string>> = { rn: "rn", rz: "rz", rd: "rm", ru: "rp" };
const TYPES: Readonly<Record<string, readonly [string, Width]>> = {
  int: ["s32", 32],
  uint: ["u32", 32],
  ll: ["s64", 64],
  ull: ["u64", 64],
  float: ["f32", 32],
  double: ["f64", 64],
};

/** Functions of integers. */
function integer(m: LibdeviceMath, name: string, args: readonly Node[]): Node | undefined {
  const { s } = m;
  const [a, b, c] = args as [Node, Node, Node];
  const own = (mnemonic: string, width: Width, ...inputs: readonly Node[]) => m.make(mnemonic, width, ...inputs);
  switch (name) {
    case "mulhi":
      return own("mul.hi.s32", 32, a, b);
    case "umulhi":
      return own("mul.hi.u32", 32, a, b);
    case "mul64hi":
      return own("mul.hi.s64", 64, a, b);
    case "umul64hi":
      return own("mul.hi.u64", 64, a, b);
    case "mul24":
      return own("mul24.lo.s32", 32, a, b);
    case "umul24":
      return own("mul24.lo.u32", 32, a, b);
    case "clz":
      return own("clz.b32", 32, a);
    case "clzll":
      return own("clz.b64", 32, a);
    case "popc":
      return own("popc.b32", 32, a);
    case "popcll":
      return own("popc.b64", 32, a);
    case "brev":
      return own("brev.b32", 32, a);
    case "brevll":
      return own("brev.b64", 64, a);
    case "ffs":
    case "ffsll": {
      const width = a.width;
      const lowest = own(`clz.b${width}`, 32, own(`brev.b${width}`, width, a));
      return s.select(s.icmp("eq", a, s.constant(width, 0)), s.constant(32, 0), s.add(lowest, s.constant(32, 1)));
    }
    case "byte_perm":
      return own("prmt.b32", 32, a, b, c);
    case "sad":
      return own("sad.s32", 32, a, b, c);
    case "usad":
      return own("sad.u32", 32, a, b, c);
    case "abs":
      return own("abs.s32", 32, a);
    case "llabs":
      return own("abs.s64", 64, a);
    case "min":
    case "llmin":
      return s.binary("smin", a, b);
    case "max":
    case "llmax":
      return s.binary("smax", a, b);
    case "umin":
    case "ullmin":
      return s.binary("umin", a, b);
    case "umax":
    case "ullmax":
      return s.binary("umax", a, b);
    case "hadd":
      return s.add(s.and(a, b), s.sar(s.xor(a, b), s.constant(32, 1)));
    case "uhadd":
      return s.add(s.and(a, b), s.shr(s.xor(a, b), s.constant(32, 1)));
    case "rhadd":
      return s.sub(s.or(a, b), s.sar(s.xor(a, b), s.constant(32, 1)));
    case "urhadd":
      return s.sub(s.or(a, b), s.shr(s.xor(a, b), s.constant(32, 1)));
    case "float_as_int":
    case "float_as_uint":
    case "int_as_float":
    case "uint_as_float":
    case "double_as_longlong":
    case "longlong_as_double":
      return a;
    case "double2hiint":
      return s.high(a);
    case "double2loint":
      return s.trunc(a, 32);
    case "hiloint2double":
      return s.pack(b, a);
    case "half2float":
      return m.f.convert("f16", "f32", a);
    case "float2half_rn":
      return m.f.convert("f32", "f16", a);
    default:
      return undefined;
  }
}

/** Functions that are one instruction, or a few. */
function simple(m: LibdeviceMath, name: string, args: readonly Node[]): Node | undefined {
  const arithmetic = /^([fd])?(add|sub|mul|div|rcp|sqrt|fma|fmaf)_(rn|rz|rd|ru)$/.exec(name);
  if (arithmetic) {
    const op = arithmetic[2]!.replace("fmaf", "fma");
    const kind = arithmetic[1] === "d" || arithmetic[2] === "fma" ? (args[0]!.width === 64 ? "f64" : "f32") : "f32";
    return m.make(`${op}.${ROUNDING[arithmetic[3]!]}.${kind === "f32" && op !== "fma" ? m.ftz : ""}${kind}`, args[0]!.width, ...args);
  }
  const conversion = /^(int|uint|ll|ull|float|double)2(int|uint|ll|ull|float|double)(?:_(rn|rz|rd|ru))?$/.exec(name);
  if (conversion) {
    const [from] = TYPES[conversion[1]!]!;
    const [to, width] = TYPES[conversion[2]!]!;
    const mode = ROUNDING[conversion[3] ?? "rn"]!;
    const toInteger = !to.startsWith("f");
    const widens = (from === "f32" && to === "f64") || (from.endsWith("32") && !from.startsWith("f") && to === "f64");
    const rounding = toInteger ? `${mode}i.` : widens && from === "f32" ? "" : `${mode}.`;
    return m.make(`cvt.${rounding}${toInteger && from === "f32" ? m.ftz : ""}${to}.${from}`, width, args[0]!);
  }
  const kind = args[0]?.width === 64 ? "f64" : "f32";
  const ftz = kind === "f32" ? m.ftz : "";
  const stem = kind === "f32" ? name.replace(/f$/, "") : name;
  const [a, b, c] = args as [Node, Node, Node];
  const { width } = args[0] ?? { width: 32 as Width };
  switch (stem) {
    case "fabs":
      return m.make(`abs.${ftz}${kind}`, width, a);
    case "fmin":
    case "fmax":
      return m.make(`${stem.slice(1)}.${ftz}${kind}`, width, a, b);
    case "fma":
      return m.make(`fma.rn.${ftz}${kind}`, width, a, b, c);
    case "sqrt":
      return m.make(kind === "f64" ? "sqrt.rn.f64" : `sqrt.approx.${ftz}f32`, width, a);
    case "rsqrt":
      return kind === "f64" ? m.f.div("f64", m.number(1), m.make("sqrt.rn.f64", 64, a)) : m.make(`rsqrt.approx.${ftz}f32`, width, a);
    case "floor":
      return m.make(`cvt.rmi.${ftz}${kind}.${kind}`, width, a);
    case "ceil":
      return m.make(`cvt.rpi.${ftz}${kind}.${kind}`, width, a);
    case "trunc":
      return m.make(`cvt.rzi.${ftz}${kind}.${kind}`, width, a);
    case "rint":
    case "nearbyint":
      return m.make(`cvt.rni.${ftz}${kind}.${kind}`, width, a);
    case "round":
      return m.f.roundHalfAway(kind, a);
    case "lrint":
    case "llrint":
      return m.make(`cvt.rni.s${stem === "llrint" ? 64 : 32}.${kind}`, stem === "llrint" ? 64 : 32, a);
    case "lround":
    case "llround":
      return m.make(`cvt.rzi.s${stem === "llround" ? 64 : 32}.${kind}`, stem === "llround" ? 64 : 32, m.f.roundHalfAway(kind, a));
    case "copysign":
      return m.f.copysign(kind, a, b);
    case "fdim":
      return m.s.select(m.f.compare("ole", kind, a, b), m.f.constant(kind, 0), m.f.sub(kind, a, b));
    case "fmod":
      return m.f.rem(kind, a, b);
    case "saturate":
      return m.make("cvt.sat.f32.f32", 32, a);
    case "isnan":
    case "isnand":
      return m.flag(m.f.compare("uno", kind, a, a));
    case "isinf":
    case "isinfd":
      return m.flag(m.make(`testp.infinite.${kind}`, 1, a));
    case "finite":
    case "isfinited":
      return m.flag(m.make(`testp.finite.${kind}`, 1, a));
    case "signbit":
    case "signbitd":
      return m.flag(m.s.icmp("slt", a, m.s.constant(width, 0)));
    case "fast_exp":
      return m.make(`ex2.approx.${ftz}f32`, 32, m.f.mul("f32", a, m.number(Math.LOG2E, "f32")));
    case "fast_exp10":
      return m.make(`ex2.approx.${ftz}f32`, 32, m.f.mul("f32", a, m.number(1 / Math.log10(2), "f32")));
    case "fast_log2":
      return m.make(`lg2.approx.${ftz}f32`, 32, a);
    case "fast_log":
      return m.f.mul("f32", m.make(`lg2.approx.${ftz}f32`, 32, a), m.number(Math.LN2, "f32"));
    case "fast_log10":
      return m.f.mul("f32", m.make(`lg2.approx.${ftz}f32`, 32, a), m.number(Math.log10(2), "f32"));
    case "fast_sin":
      return m.make(`sin.approx.${ftz}f32`, 32, a);
    case "fast_cos":
      return m.make(`cos.approx.${ftz}f32`, 32, a);
    case "fast_tan":
      return m.make(`div.approx.${ftz}f32`, 32, m.make(`sin.approx.${ftz}f32`, 32, a), m.make(`cos.approx.${ftz}f32`, 32, a));
    case "fast_pow":
      return m.make(`ex2.approx.${ftz}f32`, 32, m.f.mul("f32", b, m.make(`lg2.approx.${ftz}f32`, 32, a)));
    case "fast_fdivide":
      return m.make(`div.approx.${ftz}f32`, 32, a, b);
    default:
      return undefined;
  }
}
