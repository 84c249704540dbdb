/**
 * A selection and permutation of the bases of one in dim, and so of the registers that a thread holds: with
 * `new ColumnAction([2, 0], "register", 3)`, index bit 0 of the result is bit 2 of the argument, bit 1 is bit 0, and bit 1
 * of the argument is dropped (held at 0). Source: LinearLayout.cpp, LayoutUtils.cpp.
 */
import { LayoutError } from "./layout-error.js";
import { LinearLayout } from "./linear-layout.js";

/** See the top of the file. Immutable. */
export class ColumnAction {
  readonly isIdentity: boolean;

  constructor(
    readonly action: readonly number[],
    readonly inDim: string,
    readonly inSizeLog2: number,
  ) {
    if (action.some((a) => a >= inSizeLog2)) throw new LayoutError(`a column of [${action.join(", ")}] is beyond ${inSizeLog2}`);
    this.isIdentity = action.length === inSizeLog2 && action.every((a, i) => a === i);
  }

  static identity(inDim: string, inSizeLog2: number): ColumnAction {
    return new ColumnAction(
      Array.from({ length: inSizeLog2 }, (_, i) => i),
      inDim,
      inSizeLog2,
    );
  }

  /** `layout` with the bases of the in dim picked and ordered. */
  apply(layout: LinearLayout): LinearLayout {
    if (layout.getInDimSizeLog2(this.inDim) !== this.inSizeLog2) throw new LayoutError("Layout has a different size than the ColumnAction");
    if (this.isIdentity) return layout;
    return layout.withBases(
      layout.inDimNames.map((name) => {
        const bases = layout.getPackedBases(name);
        return [name, name === this.inDim ? this.action.map((a) => bases[a]!) : bases];
      }),
    );
  }

  /** The values that registers hold, picked and ordered: result i is `values[apply(identity)(i)]`. */
  applyToValues<T>(values: readonly T[]): readonly T[] {
    if (values.length !== 2 ** this.inSizeLog2) throw new LayoutError("Values have a different size than the ColumnAction");
    if (this.isIdentity) return values;
    const permuted = this.apply(LinearLayout.identity1D(values.length, this.inDim, this.inDim));
    return Array.from({ length: 2 ** this.action.length }, (_, i) => values[permuted.applyFlat(i)]!);
  }

  /** The action that undoes this permutation. */
  inverse(): ColumnAction {
    const inverse = new Array<number>(this.action.length).fill(0);
    this.action.forEach((a, i) => {
      inverse[a] = i;
    });
    return new ColumnAction(inverse, this.inDim, this.inSizeLog2);
  }

  /** First this permutation, then `other`. */
  leftCompose(other: ColumnAction): ColumnAction {
    return new ColumnAction(
      other.action.map((a) => this.action[a]!),
      this.inDim,
      this.inSizeLog2,
    );
  }

  toString(): string {
    return `ColumnAction([${this.action.join(", ")}], ${this.inDim}, ${this.inSizeLog2})`;
  }
}

/** Drops the registers that only repeat another one (bases 0). `layout`'s first in dim is register. */
export function actionRemoveBroadcastedRegs(layout: LinearLayout): ColumnAction {
  const bases = layout.getPackedBases("register");
  const kept = Array.from(bases.keys()).filter((i) => bases[i] !== 0);
  return new ColumnAction(kept, "register", bases.length);
}

/**
 * The permutation of a's registers after which a may be divided by b, on the left or the right. If any permutation makes
 * that possible, this one does; undefined when b has a register basis that a lacks.
 */
export function regPermForDivide(a: LinearLayout, b: LinearLayout, left: boolean): ColumnAction | undefined {
  const ofA = a.getPackedBases("register");
  const ofB = b.getPackedBases("register");
  const shift = a.outDimNames.map((dim) => a.getOutDimSizeLog2(dim) - (b.hasOutDim(dim) ? b.getOutDimSizeLog2(dim) : 0));
  if (shift.some((s) => s < 0)) return undefined;

  const taken: number[] = [];
  for (const v of ofB) {
    let wanted = 0;
    a.outDimNames.forEach((dim, d) => {
      const e = b.outDimNames.indexOf(dim);
      if (e >= 0) wanted |= (b.coordinate(v, e) << (left ? 0 : shift[d]!)) << a.outShift[d]!;
    });
    const at = ofA.findIndex((w, i) => w === wanted && !taken.includes(i));
    if (at < 0) return undefined;
    taken.push(at);
  }
  const rest = Array.from(ofA.keys()).filter((i) => !taken.includes(i));
  return new ColumnAction(left ? [...taken, ...rest] : [...rest, ...taken], "register", ofA.length);
}

/**
 * Brings to the front the registers whose address can be reached by adding a constant: those whose bases share no bit with
 * any basis of `addrLayout` nor with `maskSpanOffsets`, and those of the tile itself. Returns how many registers that are,
 * with the action. `layout` has one out dim.
 */
export function actionAdditiveStrides(
  layout: LinearLayout,
  addrLayout: LinearLayout,
  maskSpanOffsets: number,
): [count: number, action: ColumnAction] {
  const moved = addrLayout.packed.reduce((bits, v) => bits | v, maskSpanOffsets);
  const bases = layout.getPackedBases("register");
  const isAdditive = (i: number): boolean => (bases[i]! & moved) === 0 || addrLayout.packed.includes(bases[i]!);
  const all = Array.from(bases.keys());
  const front = all.filter(isAdditive);
  const back = all.filter((i) => !isAdditive(i));
  return [2 ** front.length, new ColumnAction([...front, ...back], "register", bases.length)];
}

/** Repeats `values`, which hold no duplicates, as the registers of `layout` do. */
export function broadcastAs<T>(values: readonly T[], layout: LinearLayout): T[] {
  const mask = layout.getFreeVariableMasks().get("register") ?? 0;
  const size = layout.getInDimSizeLog2("register");
  const result: T[] = [];
  for (let register = 0; register < 2 ** size; register++) {
    let source = 0;
    let next = 0;
    for (let b = 0; b < size; b++) {
      if ((mask & (1 << b)) !== 0) continue;
      source |= ((register >>> b) & 1) << next++;
    }
    result.push(values[source]!);
  }
  return result;
}
