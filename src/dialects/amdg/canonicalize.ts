/** Canonicalization patterns of amdg. Source: third_party/amd/lib/Dialect/TritonAMDGPU/IR/Dialect.cpp. */
import type { TensorType } from "../../ir/builtin-types.js";
import { type Pattern, pattern } from "../../rewrite/pattern.js";
import { ConcatOp, ExtractSliceOp, tileOf } from "./ops/tiles.js";

/** extract_slice(concat(...)) of exactly one of the sources -> that source. */
const extractSliceOfConcat = pattern(
  "canonicalize-extract-slice-and-concat",
  ExtractSliceOp,
  ({ op, source, result, static_offsets }, rw) => {
    const concat = ConcatOp.match(source.definingOp);
    if (!concat) return rw.noMatch("source is not amdg.concat");
    const first = concat.sources[0]!;
    if (result.type !== first.type) return rw.noMatch("the slice is no source of the concat");
    const shapeOf = (type: typeof first.type) => (type as TensorType).params.shape;
    return rw.replace(op, concat.sources[tileOf(static_offsets, shapeOf(first.type), shapeOf(concat.result.type))]!);
  },
);

/** concat(x) -> x */
const concatOfOne = pattern("fold-concat-of-single-source", ConcatOp, ({ op, sources }, rw) =>
  sources.length === 1 ? rw.replace(op, sources[0]!) : rw.noMatch("more sources than one"),
);

export const AMDG_CANONICALIZATION: readonly Pattern[] = [extractSliceOfConcat, concatOfOne];
