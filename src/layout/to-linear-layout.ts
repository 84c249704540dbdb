/** From an encoding and a shape to the linear layout. Source: LinearLayoutConversions.cpp, toLinearLayout. */
import type { EncodingParams } from "./encoding-params.js";
import { recordOf } from "./encodings/index.js";
import type { LinearLayout } from "./linear-layout.js";

/**
 * Where the elements of a tensor of this shape are: in dims register, lane, warp, block of a distributed encoding; offset, block
 * of a shared one (of padded_shared: before padding); row, col of tensor memory. Out dims dim0, dim1, ...
 *
 * Remembered per `params` object, so use one object per encoding. For a view of shared memory, pass the shape of the allocation.
 * Throws LayoutError where upstream aborts; ask `layoutProblem` first about shapes and encodings that a user typed.
 */
export function toLinearLayout(shape: readonly number[], params: EncodingParams): LinearLayout {
  let byShape = cache.get(params);
  if (byShape === undefined) {
    byShape = new Map();
    cache.set(params, byShape);
  }
  const key = shape.join("x");
  let layout = byShape.get(key);
  if (layout === undefined) {
    layout = recordOf(params).toLinearLayout(shape, params, toLinearLayout);
    byShape.set(key, layout);
  }
  return layout;
}

const cache = new WeakMap<EncodingParams, Map<string, LinearLayout>>();
