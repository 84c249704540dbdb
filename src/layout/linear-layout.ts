/**
 * Linear layouts: maps between named index spaces that are linear over GF(2).
 *
 * A layout says where things are. This one says which element of an 8x4 tensor a thread holds in a register:
 *
 *     const layout = LinearLayout.fromBases(
 *       [["register", [[0, 1], [4, 0]]], ["lane", [[0, 2], [1, 0], [2, 0]]]],
 *       ["dim0", "dim1"],
 *     );
 *     layout.apply({ register: 1, lane: 0 })   // { dim0: 0, dim1: 1 }
 *     layout.apply({ register: 3, lane: 5 })   // { dim0: 4 ^ 2, dim1: 1 ^ 2 } = { dim0: 6, dim1: 3 }
 *
 * It is given by its bases, the images of the powers of two; every other image is the xor of the bases of its bits. Sizes are
 * powers of two. A basis of 0 means that the index bit does not matter: the element is there twice (broadcast).
 *
 * Dimensions are ordered, the first one fastest: that order decides flattening and reshaping. A basis is one int32, the
 * coordinates side by side, out dim 0 in the lowest bits; so composing is a few xors, and flattening the out dims costs nothing.
 *
 * This file is over the usual length because it holds the whole of one class; the algorithms beyond bookkeeping live in gf2.ts
 * (elimination) and divide.ts. Source: include/triton/Tools/LinearLayout.h, lib/Tools/LinearLayout.cpp.
 */
import { type Bases, basesText, checkBases, type Dim, withSizes } from "./bases.js";
import { type Elimination, eliminate, rankOf } from "./gf2.js";
import { LayoutError } from "./layout-error.js";
import { log2, maskOf, type PackedBases, repack, sameNumbers, sameRange, sameStrings, shiftsOf } from "./packed-bases.js";
import { supremum } from "./supremum.js";

export type { Bases, Dim } from "./bases.js";

/** An immutable layout. Methods return new layouts. */
export class LinearLayout {
  readonly inDimNames: readonly string[];
  readonly outDimNames: readonly string[];
  /** Packed bases of all in dims one after the other: those of in dim i are at `inStart[i]` up to `inStart[i + 1]`. */
  readonly packed: Int32Array;
  readonly inStart: readonly number[];
  /** Out dim i occupies the bits from `outShift[i]` up to `outShift[i + 1]` of a packed basis. */
  readonly outShift: readonly number[];
  private cachedRank = -1;
  private cachedKey: string | undefined;

  /** For the modules of this folder: trusts its arguments. Others use the static makers. */
  constructor(
    inDimNames: readonly string[],
    inStart: readonly number[],
    packed: Int32Array,
    outDimNames: readonly string[],
    outShift: readonly number[],
  ) {
    this.inDimNames = inDimNames;
    this.inStart = inStart;
    this.packed = packed;
    this.outDimNames = outDimNames;
    this.outShift = outShift;
  }

  // ---- makers --------------------------------------------------------------------------------------------------------

  /** The layout without dimensions: the unit of `multiply`. */
  static empty(): LinearLayout {
    return EMPTY;
  }

  /** in -> in. Size 0 gives the empty layout. */
  static identity1D(size: number, inDim: string, outDim: string): LinearLayout {
    return LinearLayout.strided1D(size, 1, inDim, outDim);
  }

  /** in -> stride * in, into `stride * size` places. Size 0 gives the empty layout. */
  static strided1D(size: number, stride: number, inDim: string, outDim: string): LinearLayout {
    if (size === 0) return EMPTY;
    const packed = new Int32Array(log2(size));
    for (let i = 0; i < packed.length; i++) packed[i] = stride << i;
    return new LinearLayout([inDim], [0, packed.length], packed, [outDim], [0, log2(stride * size)]);
  }

  /** in -> 0. Size 0 gives the empty layout. */
  static zeros1D(size: number, inDim: string, outDim: string, outDimSize = 1): LinearLayout {
    if (size === 0) return EMPTY;
    const packed = new Int32Array(log2(size));
    return new LinearLayout([inDim], [0, packed.length], packed, [outDim], [0, log2(outDimSize)]);
  }

  /**
   * The layout with these bases. Out dims given by name only get the smallest size that fits.
   * Throws LayoutError with upstream's reason if the bases do not fit, or (unless `requireSurjective` is false) miss some coordinate.
   */
  static fromBases(bases: Bases, outDims: readonly string[] | readonly Dim[], requireSurjective = true): LinearLayout {
    const result = LinearLayout.tryFromBases(bases, outDims, requireSurjective);
    if (typeof result === "string") throw new LayoutError(result);
    return result;
  }

  /** As `fromBases`; the reason, in upstream's words, if there is no such layout. */
  static tryFromBases(bases: Bases, outDims: readonly string[] | readonly Dim[], requireSurjective = true): LinearLayout | string {
    const dims = withSizes(bases, outDims);
    const problem = checkBases(bases, dims);
    if (problem !== undefined) return problem;

    const outShift = shiftsOf(dims.map(([, size]) => log2(size)));
    if (outShift[dims.length]! > 31) return "LinearLayout too large";
    const inStart = shiftsOf(bases.map(([, vectors]) => vectors.length));
    const packed = new Int32Array(inStart[bases.length]!);
    let next = 0;
    for (const [, vectors] of bases) {
      for (const vector of vectors) {
        let v = 0;
        for (let d = 0; d < dims.length; d++) v |= vector[d]! << outShift[d]!;
        packed[next++] = v;
      }
    }
    const names = dims.map(([name]) => name);
    const layout = new LinearLayout(
      bases.map(([name]) => name),
      inStart,
      packed,
      names,
      outShift,
    );
    if (requireSurjective && !layout.isSurjective()) {
      return `Layout is expected to be surjective, i.e. every \`out\` coordinate can be reached by some \`in\` coordinate, but was not:${layout.toString()}`;
    }
    return layout;
  }

  // ---- dimensions and bases ------------------------------------------------------------------------------------------

  getNumInDims(): number {
    return this.inDimNames.length;
  }

  getNumOutDims(): number {
    return this.outDimNames.length;
  }

  hasInDim(dim: string): boolean {
    return this.inDimNames.includes(dim);
  }

  hasOutDim(dim: string): boolean {
    return this.outDimNames.includes(dim);
  }

  getInDims(): Dim[] {
    return this.inDimNames.map((name, i) => [name, 1 << (this.inStart[i + 1]! - this.inStart[i]!)]);
  }

  getOutDims(): Dim[] {
    return this.outDimNames.map((name, i) => [name, 1 << (this.outShift[i + 1]! - this.outShift[i]!)]);
  }

  getOutDimSizes(): number[] {
    return this.outDimNames.map((_, i) => 1 << (this.outShift[i + 1]! - this.outShift[i]!));
  }

  getOutDimIndex(dim: string): number {
    const i = this.outDimNames.indexOf(dim);
    if (i < 0) throw new LayoutError(`outDim ${dim} is not in layout${this.toString()}`);
    return i;
  }

  getInDimIndex(dim: string): number {
    const i = this.inDimNames.indexOf(dim);
    if (i < 0) throw new LayoutError(`inDim ${dim} is not in layout${this.toString()}`);
    return i;
  }

  getInDimSizeLog2(dim: string): number {
    const i = this.getInDimIndex(dim);
    return this.inStart[i + 1]! - this.inStart[i]!;
  }

  getOutDimSizeLog2(dim: string): number {
    const i = this.getOutDimIndex(dim);
    return this.outShift[i + 1]! - this.outShift[i]!;
  }

  getInDimSize(dim: string): number {
    return 1 << this.getInDimSizeLog2(dim);
  }

  getOutDimSize(dim: string): number {
    return 1 << this.getOutDimSizeLog2(dim);
  }

  getTotalInDimSizeLog2(): number {
    return this.packed.length;
  }

  getTotalOutDimSizeLog2(): number {
    return this.outShift[this.outDimNames.length]!;
  }

  getTotalInDimSize(): number {
    return 2 ** this.getTotalInDimSizeLog2();
  }

  getTotalOutDimSize(): number {
    return 2 ** this.getTotalOutDimSizeLog2();
  }

  /** All bases, unpacked. */
  getBases(): [inDim: string, bases: number[][]][] {
    return this.inDimNames.map((name) => [name, this.getInDimBases(name)]);
  }

  /** The bases of one in dim, unpacked. */
  getInDimBases(inDim: string): number[][] {
    return Array.from(this.getPackedBases(inDim), (v) => this.unpack(v));
  }

  /** The bases of one in dim, packed: with a single out dim these are the plain coordinates. A view: do not write to it. */
  getPackedBases(inDim: string): Int32Array {
    const i = this.getInDimIndex(inDim);
    return this.packed.subarray(this.inStart[i]!, this.inStart[i + 1]!);
  }

  /** The image of `2 ** pos` of in dim `inDim`. */
  getBasis(inDim: string, pos: number): number[];
  /** Its coordinate in `outDim`. */
  getBasis(inDim: string, pos: number, outDim: string): number;
  getBasis(inDim: string, pos: number, outDim?: string): number[] | number {
    const v = this.getPackedBases(inDim)[pos];
    if (v === undefined) throw new LayoutError(`${inDim} has no basis ${pos}`);
    return outDim === undefined ? this.unpack(v) : this.coordinate(v, this.getOutDimIndex(outDim));
  }

  /** The coordinates inside a packed value. */
  unpack(v: number): number[] {
    const coordinates = new Array<number>(this.outDimNames.length);
    for (let d = 0; d < coordinates.length; d++) coordinates[d] = this.coordinate(v, d);
    return coordinates;
  }

  /** The coordinate of out dim number `d` inside a packed value. */
  coordinate(v: number, d: number): number {
    const low = this.outShift[d]!;
    return (v >>> low) & maskOf(this.outShift[d + 1]! - low);
  }

  // ---- questions -----------------------------------------------------------------------------------------------------

  /** The number of independent bases. */
  getRank(): number {
    if (this.cachedRank < 0) this.cachedRank = rankOf(this.packed);
    return this.cachedRank;
  }

  isSurjective(): boolean {
    return this.getRank() === this.getTotalOutDimSizeLog2();
  }

  isInjective(): boolean {
    return this.getRank() === this.getTotalInDimSizeLog2();
  }

  isInvertible(): boolean {
    return this.isSurjective() && this.getTotalInDimSizeLog2() === this.getTotalOutDimSizeLog2();
  }

  /** The image of an index given per in dim. */
  apply(ins: Readonly<Record<string, number>>): Record<string, number> {
    const v = this.applyPacked(ins);
    const outs: Record<string, number> = {};
    for (let d = 0; d < this.outDimNames.length; d++) outs[this.outDimNames[d]!] = this.coordinate(v, d);
    return outs;
  }

  /** As `apply`, packed. In dims that `ins` leaves out are 0. */
  applyPacked(ins: Readonly<Record<string, number>>): number {
    let v = 0;
    for (let i = 0; i < this.inDimNames.length; i++) {
      let bits = ins[this.inDimNames[i]!] ?? 0;
      for (let b = this.inStart[i]!; bits !== 0 && b < this.inStart[i + 1]!; b++, bits >>>= 1) if (bits & 1) v ^= this.packed[b]!;
    }
    return v;
  }

  /** The packed image of a flat index: bit b of `index` selects basis b, in dim 0 lowest. */
  applyFlat(index: number): number {
    let v = 0;
    for (let b = 0; index !== 0; b++, index >>>= 1) if (index & 1) v ^= this.packed[b]!;
    return v;
  }

  /** How many consecutive indices of the first in dim go to consecutive coordinates of the first out dim, aligned. */
  getNumConsecutiveInOut(): number {
    if (this.inDimNames.length === 0 || this.outDimNames.length === 0) return 1;
    let consecutive = 0;
    const firstEnd = this.inStart[1]!;
    while (consecutive < firstEnd && consecutive < this.outShift[1]! && this.packed[consecutive] === 1 << consecutive) consecutive++;
    let others = 0;
    for (let b = consecutive; b < this.packed.length; b++) others |= this.coordinate(this.packed[b]!, 0);
    const trailingZeros = others === 0 ? 31 : 31 - Math.clz32(others & -others);
    return 1 << Math.min(consecutive, trailingZeros);
  }

  /** The index bits that do not matter given the others, as a mask per in dim: those of bases that depend on earlier ones. */
  getFreeVariableMasks(): Map<string, number> {
    const pivots = eliminate(this.packed).pivots;
    const masks = new Map<string, number>();
    for (let i = 0; i < this.inDimNames.length; i++) {
      let mask = 0;
      for (let b = this.inStart[i]!; b < this.inStart[i + 1]!; b++) if ((pivots & (1 << b)) === 0) mask |= 1 << (b - this.inStart[i]!);
      masks.set(this.inDimNames[i]!, mask);
    }
    return masks;
  }

  /** Do these in dims leave these out dims at 0? */
  sublayoutIsZero(inDims: readonly string[], outDims: readonly string[]): boolean {
    const sub = this.sublayout(inDims, outDims);
    return sub.packed.every((v) => v === 0);
  }

  /** Do `dims`, as in dims and as out dims, map identically onto themselves without touching the others? */
  isTrivialOver(dims: readonly string[]): boolean {
    if (!dims.every((dim) => this.hasInDim(dim) && this.hasOutDim(dim))) return false;
    const otherIns = this.inDimNames.filter((dim) => !dims.includes(dim));
    const otherOuts = this.outDimNames.filter((dim) => !dims.includes(dim));
    return this.squareSublayoutIsIdentity(dims) && this.sublayoutIsZero(otherIns, dims) && this.sublayoutIsZero(dims, otherOuts);
  }

  /** Does an out dim follow from the in dim of its name alone, as the identity? */
  isIdentityOnOutDim(dim: string): boolean {
    const others = this.inDimNames.filter((name) => name !== dim);
    return this.hasInDim(dim) && this.hasOutDim(dim) && this.squareSublayoutIsIdentity([dim]) && this.sublayoutIsZero(others, [dim]);
  }

  /** Is the part from `dims` to `dims` the identity, sizes included? Source: LayoutUtils.cpp. */
  squareSublayoutIsIdentity(dims: readonly string[]): boolean {
    if (!dims.every((dim) => this.getInDimSizeLog2(dim) === this.getOutDimSizeLog2(dim))) return false;
    const sub = this.sublayout(dims, dims);
    return sub.packed.every((v, i) => v === 1 << i);
  }

  /** Equal names, order, bases and sizes. */
  equals(other: LinearLayout): boolean {
    return (
      this === other ||
      (sameNumbers(this.outShift, other.outShift) && this.sameNamesAndStarts(other) && sameNumbers(this.packed, other.packed))
    );
  }

  /** As `equals`, whatever the sizes of the out dims. */
  equalIgnoringOutDimSizes(other: LinearLayout): boolean {
    if (!this.sameNamesAndStarts(other)) return false;
    return this.packed.every((v, i) => sameNumbers(this.unpack(v), other.unpack(other.packed[i]!)));
  }

  /** A text that equal layouts share and different ones do not: a key for maps and interning. */
  get key(): string {
    this.cachedKey ??= `${this.inDimNames.join()};${this.inStart.join()};${this.packed.join()};${this.outDimNames.join()};${this.outShift.join()}`;
    return this.cachedKey;
  }

  // ---- the same map under other dimensions -----------------------------------------------------------------------------

  /** The in dims in another order. */
  transposeIns(newInDims: readonly string[]): LinearLayout {
    assertSameDims(newInDims, this.inDimNames);
    if (sameStrings(newInDims, this.inDimNames)) return this;
    return this.withBases(newInDims.map((name) => [name, this.getPackedBases(name)]));
  }

  /** The out dims in another order. */
  transposeOuts(newOutDims: readonly string[]): LinearLayout {
    assertSameDims(newOutDims, this.outDimNames);
    if (sameStrings(newOutDims, this.outDimNames)) return this;
    const shifts = shiftsOf(newOutDims.map((dim) => this.getOutDimSizeLog2(dim)));
    return new LinearLayout(this.inDimNames, this.inStart, repack(this, newOutDims, shifts), newOutDims, shifts);
  }

  /** Flattens the in dims (first dim fastest) and cuts the result into new ones of the same total size. */
  reshapeIns(newInDims: readonly Dim[]): LinearLayout {
    const start = shiftsOf(newInDims.map(([, size]) => log2(size)));
    if (start[newInDims.length] !== this.packed.length) throw new LayoutError("reshapeIns changes the total size");
    return new LinearLayout(newInDims.map(first), start, this.packed, this.outDimNames, this.outShift);
  }

  /** Flattens the out dims (first dim fastest) and cuts the result into new ones of the same total size. */
  reshapeOuts(newOutDims: readonly Dim[]): LinearLayout {
    const shifts = shiftsOf(newOutDims.map(([, size]) => log2(size)));
    if (shifts[newOutDims.length] !== this.getTotalOutDimSizeLog2()) throw new LayoutError("reshapeOuts changes the total size");
    return new LinearLayout(this.inDimNames, this.inStart, this.packed, newOutDims.map(first), shifts);
  }

  /** One in dim, named as the first. */
  flattenIns(): LinearLayout {
    return this.reshapeIns(this.inDimNames.length === 0 ? [] : [[this.inDimNames[0]!, this.getTotalInDimSize()]]);
  }

  /** One out dim, named as the first. */
  flattenOuts(): LinearLayout {
    return this.reshapeOuts(this.outDimNames.length === 0 ? [] : [[this.outDimNames[0]!, this.getTotalOutDimSize()]]);
  }

  /** Without the in dim `dim`, which has size 1. */
  unsqueezeIn(dim: string): LinearLayout {
    if (this.getInDimSizeLog2(dim) !== 0) throw new LayoutError(`unsqueezeIn: ${dim} is larger than 1`);
    return this.reshapeIns(this.getInDims().filter(([name]) => name !== dim));
  }

  /** Without the out dim `dim`, which has size 1. */
  unsqueezeOut(dim: string): LinearLayout {
    if (this.getOutDimSizeLog2(dim) !== 0) throw new LayoutError(`unsqueezeOut: ${dim} is larger than 1`);
    return this.reshapeOuts(this.getOutDims().filter(([name]) => name !== dim));
  }

  /** The in dim under a new name, moved after the others (as upstream's map does). */
  renameInDim(oldDim: string, newDim: string): LinearLayout {
    const kept = this.inDimNames.filter((name) => name !== oldDim).map((name): PackedBases => [name, this.getPackedBases(name)]);
    return this.withBases([...kept, [newDim, this.getPackedBases(oldDim)]]);
  }

  /** The out dim under a new name, in its place. */
  renameOutDim(oldDim: string, newDim: string): LinearLayout {
    const i = this.getOutDimIndex(oldDim);
    const names = this.outDimNames.map((name, j) => (j === i ? newDim : name));
    return new LinearLayout(this.inDimNames, this.inStart, this.packed, names, this.outShift);
  }

  /** The out dims under new names, in their places. */
  renameOutDims(names: readonly string[]): LinearLayout {
    return new LinearLayout(this.inDimNames, this.inStart, this.packed, names, this.outShift);
  }

  // ---- parts and joins -------------------------------------------------------------------------------------------------

  /** Only these in dims (others 0) and out dims (others dropped), in this layout's order. Sizes stay. */
  sublayout(inDims: readonly string[], outDims: readonly string[]): LinearLayout {
    assertSubset(inDims, this.inDimNames);
    assertSubset(outDims, this.outDimNames);
    const ins = this.inDimNames.filter((name) => inDims.includes(name));
    const outs = this.outDimNames.filter((name) => outDims.includes(name));
    const narrowed = ins.length === this.inDimNames.length ? this : this.withBases(ins.map((name) => [name, this.getPackedBases(name)]));
    if (outs.length === this.outDimNames.length) return narrowed;
    const shifts = shiftsOf(outs.map((dim) => this.getOutDimSizeLog2(dim)));
    return new LinearLayout(narrowed.inDimNames, narrowed.inStart, repack(narrowed, outs, shifts), outs, shifts);
  }

  /** The layout without `dims`, if it is trivial over them; undefined otherwise. */
  quotient(dims: readonly string[]): LinearLayout | undefined {
    if (!this.isTrivialOver(dims)) return undefined;
    return this.sublayout(
      this.inDimNames.filter((dim) => !dims.includes(dim)),
      this.outDimNames.filter((dim) => !dims.includes(dim)),
    );
  }

  /** The first `newSize` indices of an in dim. */
  resizeInDim(inDim: string, newSize: number): LinearLayout {
    const length = log2(newSize);
    return this.withBases(
      this.inDimNames.map((name) => {
        const bases = this.getPackedBases(name);
        return [name, name === inDim ? bases.subarray(0, length) : bases];
      }),
    );
  }

  /** An out dim cut to `newSize`: coordinates at or above it become 0. */
  resizeOutDim(outDim: string, newSize: number): LinearLayout {
    const d = this.getOutDimIndex(outDim);
    const outDims = this.getOutDims().map(([name, size], i): Dim => [name, i === d ? newSize : size]);
    const bases = this.getBases().map(([name, vectors]) => {
      return [name, vectors.map((vector) => vector.map((c, i) => (i === d && c >= newSize ? 0 : c)))] as const;
    });
    return LinearLayout.fromBases(bases, outDims, false);
  }

  /** The in dims of both; their out dims agree. */
  concatIns(other: LinearLayout): LinearLayout {
    if (!sameStrings(this.outDimNames, other.outDimNames) || !sameNumbers(this.outShift, other.outShift))
      throw new LayoutError("layouts must have the same output dimensions");
    const added = other.inDimNames.filter((name) => !this.hasInDim(name));
    return this.withBases([
      ...this.inDimNames.map((name): PackedBases => [name, this.getPackedBases(name)]),
      ...added.map((name): PackedBases => [name, other.getPackedBases(name)]),
    ]);
  }

  /** The out dims of both; their in dims agree. */
  concatOuts(other: LinearLayout): LinearLayout {
    if (!sameStrings(this.inDimNames, other.inDimNames) || !sameNumbers(this.inStart, other.inStart))
      throw new LayoutError("layouts must have the same input dimensions");
    const shift = this.getTotalOutDimSizeLog2();
    if (shift + other.getTotalOutDimSizeLog2() > 31) throw new LayoutError("LinearLayout too large");
    const packed = this.packed.map((v, i) => v | (other.packed[i]! << shift));
    const shifts = [...this.outShift, ...other.outShift.slice(1).map((s) => s + shift)];
    return new LinearLayout(this.inDimNames, this.inStart, packed, [...this.outDimNames, ...other.outDimNames], shifts);
  }

  /** Without the bases of `dim` that are 0. */
  removeZeroBasesAlongDim(dim: string): LinearLayout {
    return this.withBases(
      this.inDimNames.map((name) => {
        const bases = this.getPackedBases(name);
        return [name, name === dim ? bases.filter((v) => v !== 0) : bases];
      }),
    );
  }

  /** The same dimensions with every basis 0. Source: LayoutUtils.cpp. */
  zerosLike(): LinearLayout {
    return new LinearLayout(this.inDimNames, this.inStart, new Int32Array(this.packed.length), this.outDimNames, this.outShift);
  }

  /** Other packed bases under the same out dims. */
  withBases(bases: readonly PackedBases[]): LinearLayout {
    const start = shiftsOf(bases.map(([, vectors]) => vectors.length));
    const packed = new Int32Array(start[bases.length]!);
    for (let i = 0; i < bases.length; i++) packed.set(bases[i]![1], start[i]!);
    return new LinearLayout(bases.map(first), start, packed, this.outDimNames, this.outShift);
  }

  // ---- products and inverses -------------------------------------------------------------------------------------------

  /**
   * The product `this * outer`: tiles of `this`, arranged as `outer` says. Shared dims grow, this layout's indices and
   * coordinates in the low bits; [[A, 0], [0, B]] as a matrix.
   */
  multiply(outer: LinearLayout): LinearLayout {
    const ins = supremum(this.inDimNames, outer.inDimNames);
    const outs = supremum(this.outDimNames, outer.outDimNames);
    const shifts = new Array<number>(outs.length + 1);
    const outerShifts = new Array<number>(outs.length);
    shifts[0] = 0;
    for (let d = 0; d < outs.length; d++) {
      const mine = this.outDimNames.indexOf(outs[d]!);
      const its = outer.outDimNames.indexOf(outs[d]!);
      const low = shifts[d]! + (mine < 0 ? 0 : this.outShift[mine + 1]! - this.outShift[mine]!);
      outerShifts[d] = low;
      shifts[d + 1] = low + (its < 0 ? 0 : outer.outShift[its + 1]! - outer.outShift[its]!);
    }
    if (shifts[outs.length]! > 31) throw new LayoutError("LinearLayout too large");

    const minePacked = repack(this, outs, shifts);
    const itsPacked = repack(outer, outs, outerShifts);
    const start = new Array<number>(ins.length + 1);
    const packed = new Int32Array(minePacked.length + itsPacked.length);
    start[0] = 0;
    let next = 0;
    for (let i = 0; i < ins.length; i++) {
      const mine = this.inDimNames.indexOf(ins[i]!);
      if (mine >= 0) for (let b = this.inStart[mine]!; b < this.inStart[mine + 1]!; b++) packed[next++] = minePacked[b]!;
      const its = outer.inDimNames.indexOf(ins[i]!);
      if (its >= 0) for (let b = outer.inStart[its]!; b < outer.inStart[its + 1]!; b++) packed[next++] = itsPacked[b]!;
      start[i + 1] = next;
    }
    return new LinearLayout(ins, start, packed, outs, shifts);
  }

  /** First this layout, then `outer`, whose in dims are this layout's out dims in any order, no smaller. */
  compose(outer: LinearLayout): LinearLayout {
    assertSameDims(this.outDimNames, outer.inDimNames);
    // The image under `outer` of every bit of a packed coordinate of this layout.
    const images = new Int32Array(this.getTotalOutDimSizeLog2());
    for (let d = 0; d < this.outDimNames.length; d++) {
      const o = outer.inDimNames.indexOf(this.outDimNames[d]!);
      const bits = this.outShift[d + 1]! - this.outShift[d]!;
      if (bits > outer.inStart[o + 1]! - outer.inStart[o]!) throw new LayoutError(`compose: ${this.outDimNames[d]} is larger than outer's`);
      for (let b = 0; b < bits; b++) images[this.outShift[d]! + b] = outer.packed[outer.inStart[o]! + b]!;
    }
    const packed = new Int32Array(this.packed.length);
    for (let i = 0; i < packed.length; i++) {
      let v = 0;
      for (let bits = this.packed[i]!; bits !== 0; bits &= bits - 1) v ^= images[31 - Math.clz32(bits & -bits)]!;
      packed[i] = v;
    }
    return new LinearLayout(this.inDimNames, this.inStart, packed, outer.outDimNames, outer.outShift);
  }

  /**
   * C with `C.compose(outer)` = this: for an index of this layout, an index of `outer` that holds the same thing.
   *
   * Where `outer` has several, C prefers the same index in a dimension whose bases agree in both layouts (nothing moves
   * there), else 0 bits (so broadcast data is fetched from one place). The image of this layout must lie within outer's.
   */
  invertAndCompose(outer: LinearLayout): LinearLayout {
    assertSameDims(this.outDimNames, outer.outDimNames);
    for (const dim of this.outDimNames)
      if (outer.getOutDimSizeLog2(dim) < this.getOutDimSizeLog2(dim))
        throw new LayoutError(`invertAndCompose: ${dim} of this layout is larger than outer's`);
    if (outer.packed.length > 31) throw new LayoutError("LinearLayout too large");

    // This layout's bases, laid out like outer's.
    const targets = repack(this, outer.outDimNames, outer.outShift);
    const sameSizes = this.outDimNames.every((dim) => outer.getOutDimSizeLog2(dim) === this.getOutDimSizeLog2(dim));
    const isIdentity = outer.inDimNames.map((dim, i) => {
      const j = this.inDimNames.indexOf(dim);
      return (
        sameSizes &&
        j >= 0 &&
        sameRange(outer.packed, outer.inStart[i]!, outer.inStart[i + 1]!, targets, this.inStart[j]!, this.inStart[j + 1]!)
      );
    });
    const system = eliminateWithout(outer, isIdentity);

    const packed = new Int32Array(this.packed.length);
    for (let j = 0; j < this.inDimNames.length; j++) {
      const i = outer.inDimNames.indexOf(this.inDimNames[j]!);
      const identity = i >= 0 && isIdentity[i]!;
      for (let b = this.inStart[j]!; b < this.inStart[j + 1]!; b++) {
        const solution = identity ? 1 << (outer.inStart[i]! + b - this.inStart[j]!) : system.solve(targets[b]!);
        if (solution === undefined) throw new LayoutError("invertAndCompose: the image of this layout is not within that of outer");
        packed[b] = solution;
      }
    }
    return new LinearLayout(this.inDimNames, this.inStart, packed, outer.inDimNames, outer.inStart);
  }

  /** The inverse of a layout that is one to one. */
  invert(): LinearLayout {
    if (!this.isInvertible()) throw new LayoutError("A linear layout must be surjective and square to be invertible");
    return this.pseudoinvert();
  }

  /** A right inverse of a surjective layout: for each coordinate one index that holds it, with as few bits as can be. */
  pseudoinvert(): LinearLayout {
    const bits = this.getTotalOutDimSizeLog2();
    const packed = new Int32Array(bits);
    if (this.packed.length <= 31 && !this.inDimNames.some((dim) => this.hasOutDim(dim))) {
      const system = eliminate(this.packed);
      for (let i = 0; i < bits; i++) {
        const solution = system.solve(1 << i);
        if (solution === undefined) throw new LayoutError("only a surjective layout has a right inverse");
        packed[i] = solution;
      }
      return new LinearLayout(this.outDimNames, this.outShift, packed, this.inDimNames, this.inStart);
    }
    // A dim that is both in and out may stay as it is.
    for (let i = 0; i < bits; i++) packed[i] = 1 << i;
    return new LinearLayout(this.outDimNames, this.outShift, packed, this.outDimNames, this.outShift).invertAndCompose(this);
  }

  // ---- text ------------------------------------------------------------------------------------------------------------

  /** As Triton prints it: a bullet per in dim, then the out dims; starts with a newline. */
  toString(): string {
    const outDims = `[${this.getOutDims()
      .map(([name, size]) => `${name} (size ${size})`)
      .join(", ")}]`;
    return basesText(this.getBases(), outDims, this.outDimNames.length === 0);
  }

  private sameNamesAndStarts(other: LinearLayout): boolean {
    return (
      sameStrings(this.inDimNames, other.inDimNames) &&
      sameStrings(this.outDimNames, other.outDimNames) &&
      sameNumbers(this.inStart, other.inStart)
    );
  }
}

const EMPTY = new LinearLayout([], [0], new Int32Array(0), [], [0]);

/** Eliminates the bases of the in dims that are not skipped; masks speak of positions among all bases. */
function eliminateWithout(layout: LinearLayout, skip: readonly boolean[]): Elimination {
  const vectors: number[] = [];
  const positions: number[] = [];
  for (let i = 0; i < layout.inDimNames.length; i++) {
    if (skip[i]) continue;
    for (let b = layout.inStart[i]!; b < layout.inStart[i + 1]!; b++) {
      vectors.push(layout.packed[b]!);
      positions.push(b);
    }
  }
  return eliminate(vectors, positions);
}

function assertSameDims(a: readonly string[], b: readonly string[]): void {
  if (a.length !== b.length || !a.every((dim) => b.includes(dim)))
    throw new LayoutError(`Dimensions must match, ignoring order, but they don't.  Got dims: [${a.join(", ")}] and [${b.join(", ")}]`);
}

function assertSubset(small: readonly string[], big: readonly string[]): void {
  if (!small.every((dim) => big.includes(dim)))
    throw new LayoutError(
      `Dimensions must be a subset, ignoring order, but they aren't.  Got dims: [${small.join(", ")}] and [${big.join(", ")}]`,
    );
}

function first<T>(pair: readonly [T, ...unknown[]]): T {
  return pair[0];
}
