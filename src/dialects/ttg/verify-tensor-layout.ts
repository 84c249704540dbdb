/** Whether layouts fit their tensors and the module. Source: Dialect.cpp, TritonGPUVerifyTensorLayoutInterface. */
import type { TensorType } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import { attrText } from "../../ir/text-hook.js";
import { Elementwise } from "../../ir/traits.js";
import { isDistributed } from "../../layout/encoding-params.js";
import { getRepOrder } from "../../layout/encoding-queries.js";
import { isGenericLinear } from "../../layout/encodings/generic-linear.js";
import { isPowerOf2 } from "../../layout/encodings/matrix-order.js";
import { toLinearLayout } from "../../layout/to-linear-layout.js";
import { layoutProblem } from "../../layout/verify-encoding.js";
import type { VerifyTensorLayout } from "../tt/infer-layout.js";
import { encodingParams } from "./encodings/define-encoding.js";
import { enclosingModule, getThreadsPerWarp, maybeLookupNumWarps } from "./num-warps.js";
import { ctasProblem } from "./ttg-op.js";

/** The module attributes that a tensor's layout needs, or the reason why it fits no module. */
type Needs = string | { readonly threadsPerWarp: number; readonly numWarps: number; readonly numCTAs: number; readonly isGeneric: boolean };

/** Types are interned, and ops ask about the same ones again and again. */
const needsOfType = new WeakMap<TensorType, Needs>();

function needsOf(type: TensorType): Needs {
  let needs = needsOfType.get(type);
  if (needs === undefined) {
    needs = computeNeeds(type);
    needsOfType.set(type, needs);
  }
  return needs;
}

function computeNeeds(type: TensorType): Needs {
  const { shape, encoding } = type.params;
  const params = encodingParams(encoding);
  if (!params || !isDistributed(params)) return "Non-distributed layout is not allowed in tensor type.";
  const rank = getRepOrder(params).length;
  if (rank !== shape.length) return `Layout has rank ${rank}, but the tensor it's attached to has rank ${shape.length}.`;
  const sizes = shape.join(", ");
  if (!shape.every(isPowerOf2))
    return `Layout has shape ${sizes}, but the tensor it's attached to has shape ${sizes} which is not a power of two.`;
  const problem = layoutProblem(shape, params);
  if (problem !== undefined) return problem;
  const layout = toLinearLayout(shape, params);
  return {
    threadsPerWarp: layout.getInDimSize("lane"),
    numWarps: layout.getInDimSize("warp"),
    numCTAs: layout.getInDimSize("block"),
    isGeneric: isGenericLinear(params),
  };
}

export const verifyTensorLayout: VerifyTensorLayout = {
  verifyTensorLayout(type, op) {
    const needs = needsOf(type);
    if (typeof needs === "string") return needs;
    const module = enclosingModule(op);
    const ofCTAs = ctasProblem(op, type.params.encoding!, needs.numCTAs);
    if (ofCTAs && op.ctx.triton.checksMemory) return ofCTAs;
    if (needs.isGeneric && !takesGeneric(op))
      return `Encoding not compatible with LinearEncodingAttr (e.g., swizzled warp bases or non-injective layout) is not supported on ${op.name}.`;
    const threads = getThreadsPerWarp(module);
    if (needs.threadsPerWarp !== threads)
      return `${layoutText(type)}Layout has ${needs.threadsPerWarp} threads per warp, but the module specifies ${threads} threads per warp.`;
    const numWarps = maybeLookupNumWarps(op);
    if (numWarps === undefined)
      return "Could not determine the number of warps per CTA. Operation is not in a context with `ttg.num-warps`.";
    if (needs.numWarps !== numWarps)
      return `${layoutText(type)}Layout has ${needs.numWarps} warps per CTA, but the context requires ${numWarps} warps per CTA.`;
    return ofCTAs;
  },
};
/** Other ops that take layouts which `#ttg.linear` cannot say: those that move nothing, or whose code asks nothing of warps. */
const TAKE_GENERIC: ReadonlySet<string> = new Set([
  "tt.expand_dims",
  "tt.reshape",
  "tt.trans",
  "tt.join",
  "tt.split",
  "tt.make_range",
  "tt.splat",
  "tt.broadcast",
  "tt.load",
  "tt.store",
  "tt.dot",
  "tt.dot_scaled",
  "tt.call",
  "tt.return",
  "tt.func",
  "ttg.convert_layout",
  "ttg.fp4_to_fp",
  "ttg.local_load",
  "ttg.local_store",
]);
const takesGeneric = (op: Operation): boolean => op.def.traits.has(Elementwise) || TAKE_GENERIC.has(op.name);
const layoutText = (type: TensorType): string => `${attrText(type.params.encoding!)}.\n`;
