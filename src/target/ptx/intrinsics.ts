/** LLVM's intrinsics as nodes, by name. Source: llvm/lib/Target/NVPTX/NVPTXIntrinsics.td. */
import type { Operation } from "../../ir/operation.js";
import { effectInstruction, pureInstruction } from "../../ptx/nvvm-intrinsics.js";
import { type IntrinsicCall, isImmediate } from "../intrinsics/call.js";
import type { Node, Width } from "./graph.js";
import { signExtended, zeroExtended } from "./integers.js";
import { leavesOf } from "./leaves.js";
import type { PtxLowering } from "./lower.js";

/** The registers of what a call returns; undefined when the intrinsic is unknown. */
export function lowerIntrinsic(l: PtxLowering, op: Operation, call: IntrinsicCall): readonly Node[] | undefined {
  const args = call.args.map((arg) => (isImmediate(arg) ? [l.s.constant(leavesOf(arg.type)![0]!.width, arg.value)] : l.nodes(arg)));
  const result = call.type ? leavesOf(call.type) : [];
  if (!result) return undefined;
  const context: Context = { l, op, name: call.name, args, a: args.map((n) => n[0]!), widths: result.map((r) => r.width) };
  const made = call.name.startsWith("llvm.nvvm.") ? nvvm(context) : generic(context, call);
  return made && call.extract !== undefined ? [made[call.extract]!] : made;
}

interface Context {
  readonly l: PtxLowering;
  readonly op: Operation;
  readonly name: string;
  readonly args: readonly (readonly Node[])[];
  /** The first register of each argument. */
  readonly a: readonly Node[];
  readonly widths: readonly Width[];
}

/** One instruction with effects; `form` has `$0` for results, then inputs. */
function effect({ l, widths }: Context, form: string, inputs: readonly Node[]): readonly Node[] {
  const node = l.graph.effect(l.block, { kind: "instruction", form: `${form};`, results: widths }, inputs);
  return widths.map((width, i) => l.graph.result(node, i, width));
}
/** `{$0, $1}` of `count` operands from `first` on. */
const braces = (first: number, count: number): string => `{${Array.from({ length: count }, (_, i) => `$${first + i}`).join(", ")}}`;

// --- llvm.* ----------------------------------------------------------------------------------

/** Applied to each element; `inputs` are the elements' registers. */
function generic(c: Context, call: IntrinsicCall): readonly Node[] | undefined {
  const { l, args } = c;
  const base = call.name.slice("llvm.".length);
  if (base === "assume" || base.startsWith("lifetime.") || base.startsWith("dbg.")) return [];
  if (base === "trap") return effect(c, "trap", []);
  if (base === "debugtrap") return effect(c, "brkpt", []);
  const leaves = call.args.length > 0 && !isImmediate(call.args[0]!) ? leavesOf(call.args[0]!.type) : undefined;
  const name = base.replace(/\.(v\d+)?(i|f|bf|p)\d+.*$/, "");
  if (!leaves) return undefined;
  const made: Node[] = [];
  for (let i = 0; i < leaves.length; i++) {
    const inputs = args.map((nodes) => nodes[nodes.length === 1 ? 0 : i]!);
    const node = leaves[i]!.kind === "i" ? integer(l, name, leaves[i]!.bits, inputs) : float(l, name, leaves[i]!.kind, inputs);
    if (!node) return undefined;
    made.push(node);
  }
  return made;
}

function integer(l: PtxLowering, name: string, bits: number, inputs: readonly Node[]): Node | undefined {
  const { s } = l;
  const [a, b, c] = inputs as [Node, Node, Node];
  const signed = inputs.map((n) => signExtended(s, n, bits));
  const unsigned = inputs.map((n) => zeroExtended(s, n, bits));
  const own = (op: string, width: Width, ...nodes: readonly Node[]) => s.graph.ptx(op, width, nodes);
  switch (name) {
    case "smin":
    case "smax":
      return s.binary(name, signed[0]!, signed[1]!);
    case "umin":
    case "umax":
      return s.binary(name, unsigned[0]!, unsigned[1]!);
    case "abs":
      return own(`abs.s${a.width}`, a.width, signed[0]!);
    case "ctpop":
      return resized(l, own(`popc.b${a.width === 64 ? 64 : 32}`, 32, atLeastWord(l, unsigned[0]!)), a.width);
    case "ctlz": {
      const wide = atLeastWord(l, unsigned[0]!);
      const count = own(`clz.b${wide.width}`, 32, wide);
      return resized(l, s.sub(count, s.constant(32, wide.width - bits)), a.width);
    }
    case "cttz": {
      // A bit above the value ends the count for zero.
      const wide = atLeastWord(l, unsigned[0]!);
      const ended = bits < wide.width ? s.or(wide, s.constant(wide.width, 1n << BigInt(bits))) : wide;
      return resized(l, own(`clz.b${wide.width}`, 32, own(`brev.b${wide.width}`, wide.width, ended)), a.width);
    }
    case "bitreverse": {
      const wide = atLeastWord(l, unsigned[0]!);
      return resized(l, s.shr(own(`brev.b${wide.width}`, wide.width, wide), s.constant(wide.width, wide.width - bits)), a.width);
    }
    case "bswap":
      return bits === 32 ? own("prmt.b32", 32, a, s.constant(32, 0), s.constant(32, 0x0123)) : undefined;
    case "fshl":
    case "fshr":
      if (bits !== 32) return undefined;
      return own(`shf.${name === "fshl" ? "l" : "r"}.wrap.b32`, 32, b, a, c);
    case "uadd.sat":
      return s.not(s.binary("umin", s.not(s.add(a, s.binary("umin", b, s.not(a)))), s.constant(a.width, -1)));
    case "usub.sat":
      return s.sub(s.binary("umax", a, b), b);
    case "expect":
      return a;
    default:
      return undefined;
  }
}
const atLeastWord = (l: PtxLowering, a: Node): Node => (a.width < 32 ? l.s.zext(a, 32) : a);
const resized = (l: PtxLowering, a: Node, width: Width): Node => (a.width < width ? l.s.zext(a, width) : l.s.trunc(a, width));

function float(l: PtxLowering, name: string, kind: string, inputs: readonly Node[]): Node | undefined {
  const f = l.floats;
  const [a, b, c] = inputs as [Node, Node, Node];
  switch (name) {
    case "fma":
    case "fmuladd":
      return f.fma(kind, a, b, c);
    case "fabs":
      return f.abs(kind, a);
    case "copysign":
      return f.copysign(kind, a, b);
    case "maxnum":
    case "minnum":
      return f.extremum(name === "maxnum" ? "max" : "min", kind, false, a, b);
    case "maximum":
    case "minimum":
      return f.extremum(name === "maximum" ? "max" : "min", kind, true, a, b);
    case "floor":
      return f.round("rmi", kind, a);
    case "ceil":
      return f.round("rpi", kind, a);
    case "trunc":
      return f.round("rzi", kind, a);
    case "rint":
    case "nearbyint":
    case "roundeven":
      return f.round("rni", kind, a);
    case "round":
      return f.roundHalfAway(kind, a);
    case "sqrt":
      return f.unary("sqrt.rn", kind, a);
    case "exp2":
      return kind === "f64" ? undefined : f.unary("ex2.approx", kind, a);
    case "log2":
      return kind === "f64" ? undefined : f.unary("lg2.approx", kind, a);
    case "sin":
    case "cos":
      return kind === "f64" ? undefined : f.unary(`${name}.approx`, kind, a);
    default:
      return undefined;
  }
}

// --- llvm.nvvm.* -----------------------------------------------------------------------------

function nvvm(c: Context): readonly Node[] | undefined {
  const pure = pureInstruction(c.name);
  if (pure !== undefined) return [c.l.s.graph.ptx(pure, c.widths[0]!, c.a)];
  const form = effectInstruction(c.name);
  if (form !== undefined) return effect(c, form, form.includes("$") ? c.a : []);
  const base = c.name.slice("llvm.nvvm.".length);
  for (const [pattern, rule] of RULES) {
    const match = pattern.exec(base);
    if (match) return rule(c, match);
  }
  return undefined;
}

type Rule = (c: Context, match: RegExpExecArray) => readonly Node[] | undefined;
const RULES: readonly (readonly [RegExp, Rule])[] = [
  [/^read\.ptx\.sreg\.(.*)$/, (c, m) => specialRegister(c, m[1]!)],
  [/^(ld|st)matrix\.sync\.aligned\.(m\d+n\d+)\.x(\d)(\.trans)?\.(.*)\.p3$/, matrix],
  [/^lohi\.i2d$/, (c) => [c.l.s.pack(c.a[0]!, c.a[1]!)]],
  [/^d2i\.lo$/, (c) => [c.l.s.trunc(c.a[0]!, 32)]],
  [/^d2i\.hi$/, (c) => [c.l.s.high(c.a[0]!)]],
  [/^bitcast\./, (c) => c.a],
];

function matrix(c: Context, [, kind, shape, num, trans, element]: RegExpExecArray): readonly Node[] {
  const count = shape === "m16n16" ? 2 * Number(num) : Number(num);
  const name = `${kind}matrix.sync.aligned.${shape}.x${num}${trans ?? ""}.shared.${element}`;
  if (kind === "ld") return effect(c, `${name} \t${braces(0, count)}, [$${count}]`, c.a);
  return effect(c, `${name} \t[$0], ${braces(1, Number(num))}`, c.a);
}

/** Registers that change while a thread runs are read where they are; the others are values. */
function specialRegister(c: Context, name: string): readonly Node[] {
  const { l, widths } = c;
  if (/^(clock|globaltimer)/.test(name)) {
    const width = widths[0]!;
    return effect(c, `mov.u${width} \t$0, %${name.replace(".lo", "_lo")}`, []);
  }
  const dim = name.slice(-1);
  const most: Readonly<Record<string, number>> = {
    "tid.x": (l.options.numThreads ?? 1024) - 1,
    "tid.y": l.options.numThreads === undefined ? 1023 : 0,
    "tid.z": l.options.numThreads === undefined ? 63 : 0,
    laneid: 31,
    [`ctaid.${dim}`]: dim === "x" ? 0x7fffffff : 0xffff,
    [`nctaid.${dim}`]: dim === "x" ? 0x7fffffff : 0xffff,
    [`ntid.${dim}`]: 1024,
    "cluster.ctarank": 15,
  };
  if (most[name] === 0) return [l.s.constant(32, 0)];
  const spelling = name
    .replace("cluster.ctarank", "cluster_ctarank")
    .replace("cluster.nctarank", "cluster_nctarank")
    .replace("cluster.ctaid", "cluster_ctaid")
    .replace("cluster.nctaid", "cluster_nctaid")
    .replace(/^lanemask\./, "lanemask_");
  return [l.s.graph.pure("special", widths[0]!, [], { register: `%${spelling}`, most: most[name] })];
}
