/** The layout that a value's type names. */
import { encodingFor } from "../dialects/ttg/legacy-encodings/index.js";
import { MemDescType } from "../dialects/ttg/types.js";
import type { Attribute, Type } from "../ir/attribute.js";
import { bitWidth, RankedTensorType } from "../ir/builtin-types.js";
import { attrText, typeText } from "../ir/text-hook.js";
import { type EncodingParams, isDistributed, isShared } from "../layout/encoding-params.js";
import { getRank } from "../layout/encoding-queries.js";
import type { LinearLayout } from "../layout/linear-layout.js";
import { toLinearLayout } from "../layout/to-linear-layout.js";
import "../syntax/print.js";
import { layoutProblem, usesVolta } from "../layout/verify-encoding.js";

/** The layout of a tensor or buffer type. */
export interface ValueLayout {
  readonly typeText: string;
  readonly encodingText: string;
  readonly params: EncodingParams;
  readonly shape: readonly number[];
  /** Bits of an element; pointers have 64. */
  readonly bits: number;
  readonly layout: LinearLayout;
  /** In registers of threads, or in shared memory. */
  readonly kind: "distributed" | "shared";
}

const cache = new WeakMap<Type, ValueLayout | { readonly reason: string }>();

/** The layout of a tensor or buffer type; or why it has none, in a sentence. */
export function layoutOfType(type: Type): ValueLayout | { readonly reason: string } {
  let found = cache.get(type);
  if (!found) cache.set(type, (found = find(type)));
  return found;
}

function find(type: Type): ValueLayout | { readonly reason: string } {
  const text = typeText(type);
  if (!RankedTensorType.is(type) && !MemDescType.is(type)) return { reason: `${text}: no tensor, no layout` };
  const { elementType, encoding } = type.params;
  if (!encoding) return { reason: `${text} has no layout yet: convert-triton-to-tritongpu gives tensors theirs` };
  // A view of shared memory is placed as its whole buffer is; pipelined buffers have a dimension in front.
  const whole = MemDescType.is(type) ? type.params.allocShape : type.params.shape;
  const layout = layoutOfEncoding(encoding, whole, bitWidth(elementType) ?? 64);
  return "reason" in layout ? layout : { ...layout, typeText: text };
}

/** The layout of an encoding for the last dimensions of a shape, with elements of so many bits; or why it has none, in a sentence. */
export function layoutOfEncoding(
  encoding: Attribute,
  whole: readonly number[],
  bits: number,
): Omit<ValueLayout, "typeText"> | { readonly reason: string } {
  const params = encodingFor(encoding, bits);
  const encodingText = attrText(encoding);
  if (!params || !(isDistributed(params) || isShared(params)) || (isDistributed(params) && usesVolta(params)))
    return { reason: `${encodingText} is no layout of threads or shared memory that can be drawn` };
  const rank = getRank(params);
  if (whole.length < rank) return { reason: `${encodingText}: the layout has ${rank} dimensions, and the shape ${whole.length}` };
  const shape = whole.slice(whole.length - rank);
  const problem = layoutProblem(shape, params);
  if (problem !== undefined) return { reason: `${encodingText}: ${problem}` };
  const layout = toLinearLayout(shape, params);
  return { encodingText, params, shape, bits, layout, kind: isShared(params) ? "shared" : "distributed" };
}
