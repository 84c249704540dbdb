/** The NVVM dialect. */

import { LdStMatrixShapeAttr } from "../../../dialects/nvvm/attrs.js";
import * as nvvm from "../../../dialects/nvvm/ops/index.js";
import { intOf } from "../../../ir/builtin-attrs.js";
import type { View } from "../../../ir/define-op.js";
import { type Family, nothing, type Rule } from "./rule.js";

const sreg =
  (name: string): Rule =>
  (f, op) => {
    const bits = f.leaves(op.result(0).type)[0]!.bits;
    f.put(`mov.u${bits} ${f.define(op.result(0))[0]}, %${name}`);
  };

const shuffle: Rule = (f, op) => {
  const { thread_mask, val, offset, mask_and_clamp, kind, res } = nvvm.ShflOp.match(op)!;
  const [d, valid] = f.define(res);
  f.put(
    `shfl.sync.${kind}.b32 ${d}${valid === undefined ? "" : `|${valid}`}, ${f.scalar(val)}, ${f.scalar(offset)}, ${f.scalar(mask_and_clamp)}, ${f.scalar(thread_mask)}`,
  );
};

const vote: Rule = (f, op) => {
  const { kind, mask, pred, res } = nvvm.VoteSyncOp.match(op)!;
  f.put(`vote.sync.${kind}.${kind === "ballot" ? "b32" : "pred"} ${f.define(res)[0]}, ${f.scalar(pred)}, ${f.scalar(mask)}`);
};

const REDUX: Readonly<Record<string, string>> = {
  add: "add.s32",
  and: "and.b32",
  max: "max.s32",
  min: "min.s32",
  or: "or.b32",
  umax: "max.u32",
  umin: "min.u32",
  xor: "xor.b32",
  fmin: "min.f32",
  fmax: "max.f32",
};
const redux: Rule = (f, op) => {
  const { kind, val, mask_and_clamp, res, nan, abs } = nvvm.ReduxOp.match(op)!;
  const [name, type] = REDUX[kind]!.split(".");
  f.put(
    `redux.sync.${name}${abs ? ".abs" : ""}${nan ? ".NaN" : ""}.${type} ${f.define(res)[0]}, ${f.scalar(val)}, ${f.scalar(mask_and_clamp)}`,
  );
};

const ldmatrix: Rule = (f, op) => {
  const load = nvvm.LdMatrixOp.match(op)!;
  const { ptr, res, num } = load;
  f.put(`ldmatrix.sync.aligned.${matrixText(load, num)} {${f.define(res).join(", ")}}, [${f.scalar(ptr)}]`);
};
const stmatrix: Rule = (f, op) => {
  const store = nvvm.StMatrixOp.match(op)!;
  const { ptr, sources } = store;
  const registers = sources.map((s) => f.scalar(s)).join(", ");
  f.put(`stmatrix.sync.aligned.${matrixText(store, sources.length)} [${f.scalar(ptr)}], {${registers}}`);
};
/** `m8n8.x4.trans.shared.b16` */
function matrixText({ layout, shape, eltType }: Pick<View<typeof nvvm.StMatrixOp>, "layout" | "shape" | "eltType">, num: number): string {
  const { m, n } = LdStMatrixShapeAttr.params(shape);
  return `m${m}n${n}.x${num}${layout === "col" ? ".trans" : ""}.shared.${eltType}`;
}

const plain =
  (text: string): Rule =>
  (f) =>
    f.put(text);

const barrier: Rule = (f, op) => {
  const operands = op.operands.map((o) => f.scalar(o));
  f.put(`bar.sync ${operands.length === 0 ? "0" : operands.join(", ")}`);
};

const elect: Rule = (f, op) => {
  const members = op.numOperands > 0 ? f.scalar(op.operand(0)) : "-1";
  f.put(`elect.sync _|${f.define(op.result(0))[0]}, ${members}`);
};

const fenceProxy: Rule = (f, op) => {
  const { kind, space } = nvvm.FenceProxyOp.match(op)!;
  f.put(kind === "async.shared" ? `fence.proxy.async.shared::${space}` : `fence.proxy.${kind}`);
};

const copiesArrive: Rule = (f, op) => {
  const { noinc } = (nvvm.CpAsyncMBarrierArriveOp.match(op) ?? nvvm.CpAsyncMBarrierArriveSharedOp.match(op))!;
  f.put(`cp.async.mbarrier.arrive${noinc ? ".noinc" : ""}.shared.b64 [${f.scalar(op.operand(0))}]`);
};

const mapa: Rule = (f, op) => {
  const { a, b, res } = nvvm.MapaOp.match(op)!;
  const { bits } = f.leaves(res.type)[0]!;
  f.put(`mapa${bits === 32 ? ".shared::cluster" : ""}.u${bits} ${f.define(res)[0]}, ${f.scalar(a)}, ${f.scalar(b)}`);
};

export const NVVM: Family = [
  ["nvvm.shfl.sync", shuffle],
  ["nvvm.vote.sync", vote],
  ["nvvm.redux.sync", redux],
  ["nvvm.ldmatrix", ldmatrix],
  ["nvvm.stmatrix", stmatrix],
  ["nvvm.barrier0", plain("bar.sync 0")],
  ["nvvm.barrier", barrier],
  ["nvvm.bar.warp.sync", (f, op) => f.put(`bar.warp.sync ${f.scalar(op.operand(0))}`)],
  ["nvvm.cp.async.commit.group", plain("cp.async.commit_group")],
  ["nvvm.cp.async.wait.group", (f, op) => f.put(`cp.async.wait_group ${intOf(op.attr("n"))}`)],
  [
    "nvvm.cp.async.shared.global",
    (f, op) => {
      const { dst, src, cpSize, size, modifier } = nvvm.CpAsyncOp.match(op)!;
      f.put(`cp.async.${modifier}.shared.global [${f.scalar(dst)}], [${f.scalar(src)}], ${size}${cpSize ? `, ${f.scalar(cpSize)}` : ""}`);
    },
  ],
  ["nvvm.elect.sync", elect],
  ["nvvm.fence.proxy", fenceProxy],
  ["nvvm.fence.mbarrier.init", plain("fence.mbarrier_init.release.cluster")],
  ["nvvm.cluster.arrive", plain("barrier.cluster.arrive")],
  ["nvvm.cluster.arrive.relaxed", plain("barrier.cluster.arrive.relaxed")],
  ["nvvm.cluster.wait", plain("barrier.cluster.wait")],
  ["nvvm.mapa", mapa],
  ["nvvm.cp.async.bulk.commit.group", plain("cp.async.bulk.commit_group")],
  [
    "nvvm.cp.async.bulk.wait_group",
    (f, op) => {
      const { group, read } = nvvm.CpAsyncBulkWaitGroupOp.match(op)!;
      f.put(`cp.async.bulk.wait_group${read ? ".read" : ""} ${group}`);
    },
  ],
  ["nvvm.cp.async.mbarrier.arrive", copiesArrive],
  ["nvvm.cp.async.mbarrier.arrive.shared", copiesArrive],
  ["nvvm.wgmma.fence.aligned", plain("wgmma.fence.sync.aligned")],
  ["nvvm.wgmma.commit.group.sync.aligned", plain("wgmma.commit_group.sync.aligned")],
  ["nvvm.tcgen05.wait", (f, op) => f.put(`tcgen05.wait::${nvvm.Tcgen05WaitOp.match(op)!.kind === "load" ? "ld" : "st"}.sync.aligned`)],
  ["nvvm.setmaxregister", nothing],
  ...["tid", "ntid", "ctaid", "nctaid", "clusterid", "nclusterid"].flatMap((name) =>
    ["x", "y", "z"].map((axis) => [`nvvm.read.ptx.sreg.${name}.${axis}`, sreg(`${name}.${axis}`)] as const),
  ),
  ...["ctaid", "nctaid"].flatMap((name) =>
    ["x", "y", "z"].map((axis) => [`nvvm.read.ptx.sreg.cluster.${name}.${axis}`, sreg(`cluster_${name}.${axis}`)] as const),
  ),
  ...["ctarank", "nctarank"].map((name) => [`nvvm.read.ptx.sreg.cluster.${name}`, sreg(`cluster_${name}`)] as const),
  ...["laneid", "warpid", "nwarpid", "smid", "nsmid", "gridid", "clock", "clock64", "globaltimer"].map(
    (name) => [`nvvm.read.ptx.sreg.${name}`, sreg(name)] as const,
  ),
];
