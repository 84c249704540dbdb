/** Encodings of tt.join, tt.split and tt.fp4_to_fp. Source: Dialect.cpp. */
import { divideLeft } from "../divide.js";
import type { BlockedParams, DistributedParams, SliceParams } from "../encoding-params.js";
import { areLayoutsEquivalent, getOrder, getRank } from "../encoding-queries.js";
import { getCTAsPerCGA } from "../encodings/cga.js";
import { linearKind } from "../encodings/generic-linear.js";
import { LinearLayout } from "../linear-layout.js";
import { standardOutDimPairs } from "../standard-dims.js";
import { toLinearLayout } from "../to-linear-layout.js";
import type { InferredDistributed } from "./inferred.js";

const TOO_FEW = "Fp4ToFpOp/SplitOp requires at least 2 elements per thread in the axis/last dimension";

/** Two tensors of this shape joined along a new last dimension: each thread holds both elements, next to each other. */
export function inferDefaultJoinOpEncoding(src: DistributedParams, shape: readonly number[]): DistributedParams {
  if (src.kind === "slice" && src.dim === shape.length) {
    // A slice along the new dimension, as a split leaves behind, goes back to its parent.
    const split = inferSplitOpEncoding(src.parent, [...shape, 2]);
    if ("encoding" in split && areLayoutsEquivalent(shape, split.encoding, src)) return src.parent;
  } else if (src.kind === "blocked") return joinBlocked(src);

  const layout = toLinearLayout(shape, src).reshapeOuts(standardOutDimPairs([...shape, 1]));
  const names = layout.outDimNames;
  return {
    kind: linearKind(src),
    layout: LinearLayout.identity1D(2, "register", names[names.length - 1]!)
      .multiply(layout)
      .transposeOuts(names),
  };
}

/** The halves of a tensor whose last dimension has size 2 and is held by one thread. */
export function inferSplitOpEncoding(src: DistributedParams, shape: readonly number[]): InferredDistributed {
  if (src.kind === "blocked" && isSimpleSplit(src)) {
    const last = src.order.length - 1;
    return {
      encoding: {
        kind: "blocked",
        sizePerThread: src.sizePerThread.slice(0, -1),
        threadsPerWarp: src.threadsPerWarp.slice(0, -1),
        warpsPerCTA: src.warpsPerCTA.slice(0, -1),
        order: src.order.filter((dim) => dim !== last),
        cga: src.cga.unsqueezeOut(`dim${last}`),
      },
    };
  }
  if (shape[shape.length - 1] !== 2) return { error: "SplitOp input shape should have 2 in the last dim" };
  const halved = halveAxis(toLinearLayout(shape, src), shape.length - 1);
  if (halved === undefined) return { error: TOO_FEW };
  return { encoding: { kind: linearKind(src), layout: halved.reshapeOuts(standardOutDimPairs(shape.slice(0, -1))) } };
}

/** The encoding that Triton's Gluon builder gives to a split: the slice along the last dimension, which places elements alike. */
export function splitEncodingOfBuilder(src: DistributedParams): SliceParams {
  return { kind: "slice", dim: getRank(src) - 1, parent: src };
}

/**
 * tt.fp4_to_fp unpacks two values from each byte along `axis`. Forward: the encoding of the result from that of the bytes
 * (`shape` is theirs); backward: that of the bytes from that of the result (`shape` is the result's). With `pairsFirst` the values of
 * a byte must be a thread's first two.
 */
export function inferFp4ToFpOpEncoding(
  shape: readonly number[],
  axis: number,
  known: DistributedParams,
  forward: boolean,
  pairsFirst = false,
): InferredDistributed {
  const tooFew = { error: "Fp4ToFpOp requires at least 2 elements per thread in the axis dimension" };
  // Upstream asks here whether the dimension at place `axis` of the order is 0, not whether `axis` is the fastest.
  if (getOrder(known, shape)[axis] === 0) {
    if (known.kind === "dot_op") {
      if (!forward && known.kWidth <= 1) return tooFew;
      return { encoding: { ...known, kWidth: forward ? known.kWidth * 2 : Math.trunc(known.kWidth / 2) } };
    }
    if (known.kind === "blocked") {
      if (!forward && known.sizePerThread[axis]! <= 1) return tooFew;
      const sizePerThread = known.sizePerThread.map((size, d) => (d !== axis ? size : forward ? size * 2 : Math.trunc(size / 2)));
      return { encoding: { ...known, sizePerThread } };
    }
  }
  const layout = toLinearLayout(shape, known);
  const names = layout.outDimNames;
  const pair = LinearLayout.identity1D(2, "register", names[axis]!);
  if (forward) {
    const doubled = pair.multiply(layout).transposeOuts(names);
    return { encoding: { kind: linearKind(known), layout: doubled } };
  }
  const halved = pairsFirst ? divideLeft(layout, pair) : halveAxis(layout, axis);
  if (halved) return { encoding: { kind: linearKind(known), layout: halved } };
  return { error: pairsFirst ? "invalid result layout for Fp4ToFpOp" : TOO_FEW };
}

function joinBlocked(src: BlockedParams): BlockedParams {
  const rank = src.order.length;
  return {
    kind: "blocked",
    sizePerThread: [...src.sizePerThread, 2],
    threadsPerWarp: [...src.threadsPerWarp, 1],
    warpsPerCTA: [...src.warpsPerCTA, 1],
    order: [rank, ...src.order],
    cga: src.cga.multiply(LinearLayout.identity1D(1, "block", `dim${rank}`)),
  };
}

function isSimpleSplit(src: BlockedParams): boolean {
  const last = src.order.length - 1;
  return (
    src.sizePerThread[last] === 2 && src.threadsPerWarp[last] === 1 && src.warpsPerCTA[last] === 1 && getCTAsPerCGA(src.cga)[last] === 1
  );
}

/** The layout of every other element along `axis`; undefined unless registers hold both. */
function halveAxis(layout: LinearLayout, axis: number): LinearLayout | undefined {
  let found = false;
  const bases = layout.getBases().map(([inDim, vectors]) => {
    const kept = vectors.filter((vector) => {
      const isPair = inDim === "register" && vector[axis] === 1;
      found ||= isPair;
      return !isPair;
    });
    return [inDim, kept.map((vector) => vector.map((c, d) => (d === axis ? c >> 1 : c)))] as const;
  });
  return found ? LinearLayout.fromBases(bases, layout.outDimNames) : undefined;
}
