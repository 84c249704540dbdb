/** One step of a reshape: the elements of these source dimensions become these result dimensions, each list most major first. */
export interface ReshapeStep {
  readonly src: readonly number[];
  readonly dst: readonly number[];
}

/**
 * Cuts a reshape into the smallest independent steps: 4x8x3 -> 32x3 is {0, 1} -> {0} and {2} -> {1}.
 * The shapes have equally many elements. Source: Analysis/Utility.cpp, getReshapeDecomposition.
 */
export function getReshapeDecomposition(srcShape: readonly number[], dstShape: readonly number[]): ReshapeStep[] {
  if (srcShape.length === 0) return [];
  const steps: { src: number[]; dst: number[] }[] = [{ src: [], dst: [] }];
  let src = 0;
  let dst = 0;
  let srcElems = 1;
  let dstElems = 1;
  while (src < srcShape.length || dst < dstShape.length) {
    const step = steps[steps.length - 1]!;
    const srcLeft = src < srcShape.length;
    const dstLeft = dst < dstShape.length;
    if (srcElems < dstElems || (srcLeft && (srcElems === 1 || srcShape[src] === 1))) {
      srcElems *= srcShape[src]!;
      step.src.push(src++);
    } else if (dstElems < srcElems || (dstLeft && dstShape[dst] === 1)) {
      dstElems *= dstShape[dst]!;
      step.dst.push(dst++);
    } else {
      steps.push({ src: [], dst: [] });
      srcElems = 1;
      dstElems = 1;
    }
  }
  return steps;
}
