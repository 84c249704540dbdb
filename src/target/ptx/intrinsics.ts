/** LLVM's intrinsics as nodes, by name. Source: llvm/lib/Target/NVPTX/NVPTXIntrinsics.td. */
import type { Operation } from "../../ir/operation.js";
import { type IntrinsicCall, isImmediate } from "../intrinsics/calls.js";
import type { Node, Width } from "./graph.js";
import { signExtended, zeroExtended } from "./integers.js";
import { leavesOf } from "./leaves.js";
import type { Lowering } from "./lower.js";

/** The registers of what a call answers; undefined when the intrinsic is unknown. */
export function lowerIntrinsic(l: Lowering, op: Operation, call: IntrinsicCall): readonly Node[] | undefined {
  const args = call.args.map((arg) => (isImmediate(arg) ? [l.s.constant(leavesOf(arg.type)![0]!.width, arg.value)] : l.nodes(arg)));
  const result = call.type ? leavesOf(call.type) : [];
  if (!result) return undefined;
  const context: Context = { l, op, name: call.name, args, a: args.map((n) => n[0]!), widths: result.map((r) => r.width) };
  const made = call.name.startsWith("llvm.nvvm.") ? nvvm(context) : generic(context, call);
  return made && call.extract !== undefined ? [made[call.extract]!] : made;
}

interface Context {
  readonly l: Lowering;
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

function integer(l: Lowering, name: string, bits: number, inputs: readonly Node[]): Node | undefined {
  const { s } = l;
  const [a, b, c] = inputs as [Node, Node, Node];
  const signed = inputs.map((n) => signExtended(s, n, bits));
  const unsigned = inputs.map((n) => zeroExtended(s, n, bits));
  const own = (op: string, width: Width, ...nodes: readonly Node[]) => s.graph.pure(op, width, nodes);
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
const atLeastWord = (l: Lowering, a: Node): Node => (a.width < 32 ? l.s.zext(a, 32) : a);
const resized = (l: Lowering, a: Node, width: Width): Node => (a.width < width ? l.s.zext(a, width) : l.s.trunc(a, width));

function float(l: Lowering, name: string, kind: string, inputs: readonly Node[]): Node | undefined {
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
  const base = c.name.slice("llvm.nvvm.".length);
  for (const [pattern, rule] of RULES) {
    const match = pattern.exec(base);
    if (match) return rule(c, match);
  }
  return undefined;
}

type Rule = (c: Context, match: RegExpExecArray) => readonly Node[] | undefined;
const effectRule =
  (form: string): Rule =>
  (c) =>
    effect(c, form, c.a);
/** A pure instruction of floats: `fma.rn.ftz.f` is fma.rn.ftz.f32. */
const pure =
  (name: (match: RegExpExecArray) => string): Rule =>
  (c, match) => [c.l.s.graph.pure(name(match), c.widths[0]!, c.a)];
const KIND: Readonly<Record<string, string>> = { f: "f32", d: "f64", f16: "f16", f16x2: "f16x2", bf16: "bf16", f32: "f32", f64: "f64" };

const RULES: readonly (readonly [RegExp, Rule])[] = [
  [/^read\.ptx\.sreg\.(.*)$/, (c, m) => specialRegister(c, m[1]!)],
  [/^barrier\.cta\.sync\.aligned\.all$/, effectRule("bar.sync \t$0")],
  [/^barrier\.cta\.sync\.aligned\.count$/, effectRule("bar.sync \t$0, $1")],
  [/^barrier\.cta\.sync\.all$/, effectRule("barrier.sync \t$0")],
  [/^barrier\.cta\.sync\.count$/, effectRule("barrier.sync \t$0, $1")],
  [/^barrier\.cta\.arrive\.aligned\.count$/, effectRule("bar.arrive \t$0, $1")],
  [/^barrier\.cta\.arrive\.count$/, effectRule("barrier.arrive \t$0, $1")],
  [/^barrier0$/, effectRule("bar.sync \t0")],
  [/^bar\.warp\.sync$/, effectRule("bar.warp.sync \t$0")],
  [
    /^barrier\.cluster\.(arrive|wait)(\.relaxed)?(\.aligned)?$/,
    (c, m) => effect(c, `barrier.cluster.${m[1]}${m[2] ?? ""}${m[3] ?? ""}`, []),
  ],
  [/^shfl\.sync\.(bfly|up|down|idx)\.[if]32(p?)$/, shuffle],
  [/^vote\.ballot\.sync$/, effectRule("vote.sync.ballot.b32 \t$0, $2, $1")],
  [/^vote\.(any|all|uni)\.sync$/, (c, m) => effect(c, `vote.sync.${m[1]}.pred \t$0, $2, $1`, c.a)],
  [/^redux\.sync\.(u?)(add|min|max)$/, (c, m) => effect(c, `redux.sync.${m[2]}.${m[1] ? "u" : "s"}32 \t$0, $1, $2`, c.a)],
  [/^redux\.sync\.(and|or|xor)$/, (c, m) => effect(c, `redux.sync.${m[1]}.b32 \t$0, $1, $2`, c.a)],
  [/^redux\.sync\.f(min|max)(\.abs)?(\.NaN)?$/, (c, m) => effect(c, `redux.sync.${m[1]}${m[2] ?? ""}${m[3] ?? ""}.f32 \t$0, $1, $2`, c.a)],
  [/^match\.any\.sync\.i(32|64)$/, (c, m) => effect(c, `match.any.sync.b${m[1]} \t$0, $2, $1`, c.a)],
  [/^match\.all\.sync\.i(32|64)p$/, (c, m) => effect(c, `match.all.sync.b${m[1]} \t$0|$1, $3, $2`, c.a)],
  [/^activemask$/, effectRule("activemask.b32 \t$0")],
  [/^elect\.sync$/, effectRule("elect.sync \t$0|$1, $2")],
  [/^(ld|st)matrix\.sync\.aligned\.(m\d+n\d+)\.x(\d)(\.trans)?\.(.*)\.p3$/, matrix],
  [/^cp\.async\.commit\.group$/, effectRule("cp.async.commit_group")],
  [/^cp\.async\.wait\.group$/, effectRule("cp.async.wait_group \t$0")],
  [/^cp\.async\.wait\.all$/, effectRule("cp.async.wait_all")],
  [/^cp\.async\.bulk\.commit\.group$/, effectRule("cp.async.bulk.commit_group")],
  [/^cp\.async\.bulk\.wait\.group(\.read)?$/, (c, m) => effect(c, `cp.async.bulk.wait_group${m[1] ?? ""} \t$0`, c.a)],
  [/^wgmma\.(fence|commit_group)\.sync\.aligned$/, (c, m) => effect(c, `wgmma.${m[1]}.sync.aligned`, [])],
  [/^wgmma\.wait_group\.sync\.aligned$/, effectRule("wgmma.wait_group.sync.aligned \t$0")],
  [/^tcgen05\.wait\.(ld|st)$/, (c, m) => effect(c, `tcgen05.wait::${m[1]}.sync.aligned`, [])],
  [/^tcgen05\.fence\.(before|after)\.thread\.sync$/, (c, m) => effect(c, `tcgen05.fence::${m[1]}_thread_sync`, [])],
  [/^setmaxnreg\.(inc|dec)\.sync\.aligned\.u32$/, (c, m) => effect(c, `setmaxnreg.${m[1]}.sync.aligned.u32 \t$0`, c.a)],
  [/^fence\.mbarrier\.init$/, effectRule("fence.mbarrier_init.release.cluster")],
  [/^fence\.sc\.cluster$/, effectRule("fence.sc.cluster")],
  [/^membar\.(cta|gl|sys)$/, (c, m) => effect(c, `membar.${m[1]}`, [])],
  [/^griddepcontrol\.(wait|launch\.dependents)$/, (c, m) => effect(c, `griddepcontrol.${m[1]!.replace(".", "_")}`, [])],
  [/^nanosleep$/, effectRule("nanosleep.u32 \t$0")],
  [/^exit$/, effectRule("exit")],
  [/^mulhi\.(u?)(i|ll|s)$/, (c, m) => [c.l.s.graph.pure(`mul.hi.${m[1] ? "u" : "s"}${c.widths[0]}`, c.widths[0]!, c.a)]],
  [/^mulhi\.u?i$/, pure(() => "mul.hi.u32")],
  [/^(ceil|floor|round|trunc)\.(ftz\.)?([fd])$/, rounding],
  [/^fabs\.(ftz\.)?(f|d|f32|f64)$/, pure((m) => `abs.${m[1] ?? ""}${KIND[m[2]!]}`)],
  [/^f(min|max)\.(ftz\.)?(nan\.)?(f|d|f16|bf16|f16x2)$/, pure((m) => `${m[1]}.${m[2] ?? ""}${m[3] ? "NaN." : ""}${KIND[m[4]!]}`)],
  [/^ex2\.approx\.(ftz\.)?(f|f16)$/, pure((m) => `ex2.approx.${m[1] ?? ""}${KIND[m[2]!]}`)],
  [/^div\.full(\.ftz)?$/, pure((m) => `div.full${m[1] ?? ""}.f32`)],
  [/^(lg2|sin|cos|tanh)\.approx\.(ftz\.)?f(32)?$/, pure((m) => `${m[1]}.approx.${m[2] ?? ""}f32`)],
  [/^(sqrt|rsqrt|rcp)\.(approx|rn|rz|rm|rp)\.(ftz\.)?([fd])$/, pure((m) => `${m[1]}.${m[2]}.${m[3] ?? ""}${KIND[m[4]!]}`)],
  [/^sqrt\.f$/, pure(() => "sqrt.rn.f32")],
  [
    /^(add|sub|mul|fma|div)\.(rn|rz|rm|rp|approx|full)\.(ftz\.)?(sat\.)?([fd]|f16|bf16)$/,
    pure((m) => `${m[1]}.${m[2]}.${m[3] ?? ""}${m[4] ?? ""}${KIND[m[5]!]}`),
  ],
  [/^f2(i|ui|ll|ull)\.(rn|rz|rm|rp)(\.ftz)?$/, pure((m) => `cvt.${m[2]}i${m[3] ?? ""}.${INTEGER[m[1]!]}.f32`)],
  [/^d2(i|ui|ll|ull)\.(rn|rz|rm|rp)$/, pure((m) => `cvt.${m[2]}i.${INTEGER[m[1]!]}.f64`)],
  [/^(i|ui|ll|ull)2([fd])\.(rn|rz|rm|rp)$/, pure((m) => `cvt.${m[3]}.${KIND[m[2]!]}.${INTEGER[m[1]!]}`)],
  [/^d2f\.(rn|rz|rm|rp)(\.ftz)?$/, pure((m) => `cvt.${m[1]}${m[2] ?? ""}.f32.f64`)],
  [/^lohi\.i2d$/, (c) => [c.l.s.pack(c.a[0]!, c.a[1]!)]],
  [/^d2i\.lo$/, (c) => [c.l.s.trunc(c.a[0]!, 32)]],
  [/^d2i\.hi$/, (c) => [c.l.s.high(c.a[0]!)]],
  [/^bitcast\./, (c) => c.a],
  [/^prmt$/, pure(() => "prmt.b32")],
  [/^f2bf16\.(rn|rz)$/, pure((m) => `cvt.${m[1]}.bf16.f32`)],
  [/^f2tf32\.rna$/, pure(() => "cvt.rna.tf32.f32")],
];
const INTEGER: Readonly<Record<string, string>> = { i: "s32", ui: "u32", ll: "s64", ull: "u64" };

function rounding({ l, a, widths }: Context, [, name, ftz, kind]: RegExpExecArray): readonly Node[] {
  const type = KIND[kind!]!;
  const mode = { ceil: "rpi", floor: "rmi", round: "rni", trunc: "rzi" }[name!];
  return [l.s.graph.pure(`cvt.${mode}.${ftz ?? ""}${type}.${type}`, widths[0]!, a)];
}
function shuffle(c: Context, [, kind, pair]: RegExpExecArray): readonly Node[] {
  return pair
    ? effect(c, `shfl.sync.${kind}.b32 \t$0|$1, $3, $4, $5, $2`, c.a)
    : effect(c, `shfl.sync.${kind}.b32 \t$0, $2, $3, $4, $1`, c.a);
}
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
  return [l.s.graph.pure("special", widths[0]!, [], most[name] === undefined ? `%${spelling}` : `%${spelling}:${most[name]}`)];
}
