/** The bases of a layout as people write them: nested lists of coordinates. */

/** A dimension with its size (a power of two). */
export type Dim = readonly [name: string, size: number];

/** The bases of each in dim in order; a basis lists its coordinate in every out dim. */
export type Bases = readonly (readonly [inDim: string, bases: readonly (readonly number[])[]])[];

/** The bases and out dims as Triton prints them, a bullet per in dim. */
export function basesText(bases: Bases, outDims: string, noOutDims: boolean): string {
  if (bases.length === 0) return noOutDims ? "\n(empty layout)" : `\n(empty layout with out-dims ${outDims})`;
  let text = "\n";
  for (const [inDim, vectors] of bases) {
    if (vectors.length === 0) text += ` - ${inDim} is a size 1 dimension\n`;
    else text += ` - ${vectors.map((vector, i) => `${inDim}=${2 ** i} -> (${vector.join(", ")})`).join("\n   ")}\n`;
  }
  return `${text}where out dims are: ${outDims}`;
}

/** Fills in the sizes of out dims given by name only: the smallest that fit. */
export function withSizes(bases: Bases, outDims: readonly string[] | readonly Dim[]): Dim[] {
  return outDims.map((dim, d): Dim => {
    if (typeof dim !== "string") return dim;
    let size = 1;
    for (const [, vectors] of bases) for (const vector of vectors) while (size <= (vector[d] ?? 0)) size *= 2;
    return [dim, size];
  });
}

/** Why these are not the bases of a layout, in upstream's words; undefined if they are. */
export function checkBases(bases: Bases, outDims: readonly Dim[]): string | undefined {
  const all = () => basesText(bases, `[${outDims.map(([name, size]) => `${name} (size ${size})`).join(", ")}]`, outDims.length === 0);
  for (const [inDim, vectors] of bases) {
    if (vectors.some((vector) => vector.some((c) => c < 0)))
      return `Invalid bases passed to LinearLayout.  Expected all basis values to be non-negative, but found a negative value for in dimension '${inDim}'.  Full list of bases:${all()}\n`;
  }
  for (const [inDim, vectors] of bases) {
    if (vectors.some((vector) => vector.length !== outDims.length))
      return `Invalid bases passed to LinearLayout.  Expect all bases to have the same size, equal to outDimNames.size() (${outDims.length}).  But this failed for in dimension '${inDim}'.  Full list of bases:${all()}\n`;
  }
  for (const [name, size] of outDims) {
    if (size < 1 || 2 ** (31 - Math.clz32(size)) !== size)
      return `Invalid out-dim size ${size} for out-dim '${name}'.  Out-dim sizes must be powers of 2.\n`;
  }
  for (const [inDim, vectors] of bases) {
    for (const vector of vectors) {
      for (let d = 0; d < outDims.length; d++) {
        if (vector[d]! >= outDims[d]![1])
          return `Invalid basis ${vector[d]} for in-dim '${inDim}' and out-dim '${outDims[d]![0]}'.  Basis must be less than the out-dim size.\n`;
      }
    }
  }
  return undefined;
}
