/**
 * Which instruction an intrinsic of LLVM's for NVPTX is.
 *
 *     llvm.nvvm.fma.rn.ftz.f     fma.rn.ftz.f32
 *     llvm.nvvm.prmt             prmt.b32
 *
 * Source: llvm/lib/Target/NVPTX/NVPTXIntrinsics.td.
 */

const FLOATS: Readonly<Record<string, string>> = { f: "f32", d: "f64", f16: "f16", f16x2: "f16x2", bf16: "bf16", f32: "f32", f64: "f64" };
const INTEGERS: Readonly<Record<string, string>> = { i: "s32", ui: "u32", ll: "s64", ull: "u64" };
const ROUNDINGS: Readonly<Record<string, string>> = { ceil: "rpi", floor: "rmi", round: "rni", trunc: "rzi" };

type Match = RegExpExecArray;

/** Instructions whose result depends on their operands alone, in the intrinsic's order. */
const PURE: readonly (readonly [RegExp, (match: Match) => string])[] = [
  [/^mulhi\.(u?)(i|ll|s)$/, (m) => `mul.hi.${m[1] ? "u" : "s"}${{ i: 32, ll: 64 }[m[2]!] ?? 16}`],
  [/^(ceil|floor|round|trunc)\.(ftz\.)?([fd])$/, (m) => `cvt.${ROUNDINGS[m[1]!]}.${m[2] ?? ""}${FLOATS[m[3]!]}.${FLOATS[m[3]!]}`],
  [/^fabs\.(ftz\.)?(f|d|f32|f64)$/, (m) => `abs.${m[1] ?? ""}${FLOATS[m[2]!]}`],
  [
    /^f(min|max)\.(ftz\.)?(nan\.)?(xorsign\.abs\.)?(f|d|f16|bf16|f16x2)$/,
    (m) => `${m[1]}.${m[2] ?? ""}${m[3] ? "NaN." : ""}${m[4] ?? ""}${FLOATS[m[5]!]}`,
  ],
  [/^ex2\.approx\.(ftz\.)?(f|f32|f16)$/, (m) => `ex2.approx.${m[1] ?? ""}${FLOATS[m[2]!]}`],
  [/^div\.full(\.ftz)?$/, (m) => `div.full${m[1] ?? ""}.f32`],
  [/^(lg2|sin|cos|tanh)\.approx\.(ftz\.)?f(32)?$/, (m) => `${m[1]}.approx.${m[2] ?? ""}f32`],
  [/^(sqrt|rsqrt|rcp)\.(approx|rn|rz|rm|rp)\.(ftz\.)?([fd])$/, (m) => `${m[1]}.${m[2]}.${m[3] ?? ""}${FLOATS[m[4]!]}`],
  [/^sqrt\.f$/, () => "sqrt.rn.f32"],
  [
    /^(add|sub|mul|fma|div)\.(rn|rz|rm|rp|approx|full)\.(ftz\.)?(sat\.)?([fd]|f16|bf16)$/,
    (m) => `${m[1]}.${m[2]}.${m[3] ?? ""}${m[4] ?? ""}${FLOATS[m[5]!]}`,
  ],
  [/^f2(i|ui|ll|ull)\.(rn|rz|rm|rp)(\.ftz)?$/, (m) => `cvt.${m[2]}i${m[3] ?? ""}.${INTEGERS[m[1]!]}.f32`],
  [/^d2(i|ui|ll|ull)\.(rn|rz|rm|rp)$/, (m) => `cvt.${m[2]}i.${INTEGERS[m[1]!]}.f64`],
  [/^(i|ui|ll|ull)2([fd])\.(rn|rz|rm|rp)$/, (m) => `cvt.${m[3]}.${FLOATS[m[2]!]}.${INTEGERS[m[1]!]}`],
  [/^d2f\.(rn|rz|rm|rp)(\.ftz)?$/, (m) => `cvt.${m[1]}${m[2] ?? ""}.f32.f64`],
  [/^prmt$/, () => "prmt.b32"],
  [/^f2bf16\.(rn|rz)$/, (m) => `cvt.${m[1]}.bf16.f32`],
  [/^f2tf32\.rna$/, () => "cvt.rna.tf32.f32"],
  [/^mapa(\.shared\.cluster)?$/, (m) => (m[1] ? "mapa.shared::cluster.u32" : "mapa.u64")],
];

/** Instructions that do something, with `$0`, ... for results, then operands. */
const EFFECTS: readonly (readonly [RegExp, (match: Match) => string])[] = [
  [
    /^barrier\.cta\.(sync|arrive)(\.aligned)?\.(all|count)$/,
    (m) => `${m[2] ? "bar" : "barrier"}.${m[1]} \t$0${m[3] === "count" ? ", $1" : ""}`,
  ],
  [/^barrier0$/, () => "bar.sync \t0"],
  [/^bar\.warp\.sync$/, () => "bar.warp.sync \t$0"],
  [/^barrier\.cluster\.(arrive|wait)(\.relaxed)?(\.aligned)?$/, (m) => `barrier.cluster.${m[1]}${m[2] ?? ""}${m[3] ?? ""}`],
  [/^shfl\.sync\.(bfly|up|down|idx)\.[if]32$/, (m) => `shfl.sync.${m[1]}.b32 \t$0, $2, $3, $4, $1`],
  [/^shfl\.sync\.(bfly|up|down|idx)\.[if]32p$/, (m) => `shfl.sync.${m[1]}.b32 \t$0|$1, $3, $4, $5, $2`],
  [/^vote\.ballot\.sync$/, () => "vote.sync.ballot.b32 \t$0, $2, $1"],
  [/^vote\.(any|all|uni)\.sync$/, (m) => `vote.sync.${m[1]}.pred \t$0, $2, $1`],
  [/^redux\.sync\.(u?)(add|min|max)$/, (m) => `redux.sync.${m[2]}.${m[1] ? "u" : "s"}32 \t$0, $1, $2`],
  [/^redux\.sync\.(and|or|xor)$/, (m) => `redux.sync.${m[1]}.b32 \t$0, $1, $2`],
  [/^redux\.sync\.f(min|max)(\.abs)?(\.NaN)?$/, (m) => `redux.sync.${m[1]}${m[2] ?? ""}${m[3] ?? ""}.f32 \t$0, $1, $2`],
  [/^match\.any\.sync\.i(32|64)$/, (m) => `match.any.sync.b${m[1]} \t$0, $2, $1`],
  [/^match\.all\.sync\.i(32|64)p$/, (m) => `match.all.sync.b${m[1]} \t$0|$1, $3, $2`],
  [/^activemask$/, () => "activemask.b32 \t$0"],
  [/^elect\.sync$/, () => "elect.sync \t$0|$1, $2"],
  [/^cp\.async\.commit\.group$/, () => "cp.async.commit_group"],
  [/^cp\.async\.wait\.group$/, () => "cp.async.wait_group \t$0"],
  [/^cp\.async\.wait\.all$/, () => "cp.async.wait_all"],
  [/^cp\.async\.mbarrier\.arrive(\.noinc)?(\.shared)?$/, (m) => `cp.async.mbarrier.arrive${m[1] ?? ""}${m[2] ?? ""}.b64 \t[$0]`],
  [/^cp\.async\.bulk\.commit\.group$/, () => "cp.async.bulk.commit_group"],
  [/^cp\.async\.bulk\.wait\.group(\.read)?$/, (m) => `cp.async.bulk.wait_group${m[1] ?? ""} \t$0`],
  [/^wgmma\.(fence|commit_group)\.sync\.aligned$/, (m) => `wgmma.${m[1]}.sync.aligned`],
  [/^wgmma\.wait_group\.sync\.aligned$/, () => "wgmma.wait_group.sync.aligned \t$0"],
  [/^tcgen05\.wait\.(ld|st)$/, (m) => `tcgen05.wait::${m[1]}.sync.aligned`],
  [/^tcgen05\.fence\.(before|after)\.thread\.sync$/, (m) => `tcgen05.fence::${m[1]}_thread_sync`],
  [/^setmaxnreg\.(inc|dec)\.sync\.aligned\.u32$/, (m) => `setmaxnreg.${m[1]}.sync.aligned.u32 \t$0`],
  [/^fence\.mbarrier\.init$/, () => "fence.mbarrier_init.release.cluster"],
  [/^fence\.proxy\.async\.shared_(cta|cluster)$/, (m) => `fence.proxy.async.shared::${m[1]}`],
  [/^fence\.proxy\.(alias|async|async\.global)$/, (m) => `fence.proxy.${m[1]}`],
  [/^fence\.sc\.cluster$/, () => "fence.sc.cluster"],
  [/^membar\.(cta|gl|sys)$/, (m) => `membar.${m[1]}`],
  [/^griddepcontrol\.(wait|launch\.dependents)$/, (m) => `griddepcontrol.${m[1]!.replace(".", "_")}`],
  [/^nanosleep$/, () => "nanosleep.u32 \t$0"],
  [/^exit$/, () => "exit"],
];

/** `fma.rn.f32` for `llvm.nvvm.fma.rn.f`; undefined for what is no single pure instruction. */
export const pureInstruction = (name: string): string | undefined => firstOf(PURE, name);
/** `bar.sync \t$0` for `llvm.nvvm.barrier.cta.sync.aligned.all`; undefined for what is no single instruction with effects. */
export const effectInstruction = (name: string): string | undefined => firstOf(EFFECTS, name);

function firstOf(table: typeof PURE, name: string): string | undefined {
  const base = /^llvm\.nvvm\.(.*)$/.exec(name)?.[1];
  if (base === undefined) return undefined;
  for (const [pattern, text] of table) {
    const match = pattern.exec(base);
    if (match) return text(match);
  }
  return undefined;
}
