/** Ops of the NVGPU dialect that hold no more than a number: so most modules run before they are lowered too. */
import { firstThreadOfGroup, maybeLookupNumWarps } from "../../../dialects/ttg/num-warps.js";
import type { Family, Rule } from "./rule.js";

const clusterId: Rule = (f, op) => f.put(`mov.u32 ${f.define(op.result(0))[0]}, %cluster_ctarank`);

const warpId: Rule = (f, op) => {
  const [d] = f.define(op.result(0));
  if (maybeLookupNumWarps(op) === 1) return f.put(`mov.u32 ${d}, 0`);
  const thread = f.fresh(32);
  f.put(`mov.u32 ${thread}, %tid.x`);
  f.put(`sub.u32 ${thread}, ${thread}, ${firstThreadOfGroup(op) ?? 0}`);
  f.put(`shr.u32 ${d}, ${thread}, 5`);
};

export const NVGPU: Family = [
  ["nvg.cluster_id", clusterId],
  ["nvg.warp_id", warpId],
];
