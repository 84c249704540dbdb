/** Tensors taken apart, put together and transposed within threads. Source: third_party/amd/lib/TritonAMDGPUDialectToLLVM. */
import * as amdg from "../../../dialects/amdg/ops/tiles.js";
import { toLinearLayout } from "../../../dialects/ttg/encodings/define-encoding.js";
import type { TensorType } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import type { LinearLayout } from "../../../layout/linear-layout.js";
import { standardOutDimNames } from "../../../layout/standard-dims.js";
import { lowerConversion } from "../../ttg-to-llvm/convert-layout.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import type { LoweringRule } from "./amd-lowering.js";

const typeOf = (value: Value): TensorType["params"] => (value.type as TensorType).params;
const layoutOf = (value: Value): LinearLayout => toLinearLayout(typeOf(value).shape, typeOf(value).encoding!);

/** The coordinates of the first thread's registers. */
function coordinatesOf(value: Value): number[][] {
  const layout = layoutOf(value);
  const dims = standardOutDimNames(typeOf(value).shape.length);
  return Array.from({ length: layout.getInDimSize("register") }, (_, register) => {
    const at = layout.apply({ register, lane: 0, warp: 0, block: 0 });
    return dims.map((dim) => at[dim]!);
  });
}
/** The register of the first thread that holds an element. */
function registerFinder(value: Value): (coordinates: readonly number[]) => number {
  const inverse = layoutOf(value).pseudoinvert();
  const dims = standardOutDimNames(typeOf(value).shape.length);
  return (coordinates) => inverse.apply(Object.fromEntries(dims.map((dim, i) => [dim, coordinates[i]!])))["register"]!;
}

export const TILES: readonly LoweringRule[] = [
  rule(amdg.InThreadTransposeOp, ({ op, src, result }, lo) => lowerConversion(lo, op, src, result)),
  rule(amdg.ExtractSliceOp, ({ source, static_offsets, result }, lo) => {
    const elements = lo.elements(source);
    const find = registerFinder(source);
    const values = coordinatesOf(result).map((at) => elements[find(at.map((x, dim) => x + static_offsets[dim]!))]!);
    lo.setElements(result, values);
  }),
  rule(amdg.ConcatOp, ({ sources, result }, lo) => {
    const elements = sources.map((source) => lo.elements(source));
    const { shape } = typeOf(sources[0]!);
    const counts = typeOf(result).shape.map((extent, dim) => extent / shape[dim]!);
    const find = registerFinder(sources[0]!);
    const values = coordinatesOf(result).map((at) => {
      const source = at.reduce((index, x, dim) => index * counts[dim]! + Math.floor(x / shape[dim]!), 0);
      return elements[source]![find(at.map((x, dim) => x % shape[dim]!))]!;
    });
    lo.setElements(result, values);
  }),
];
