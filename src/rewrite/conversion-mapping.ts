import type { Type } from "../ir/attribute.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";

/**
 * The replacements of values in a conversion, one by one or, for the casts that resolve a type mismatch, several at
 * once. Source: mlir/lib/Transforms/Utils/DialectConversion.cpp, ConversionValueMapping.
 */
export class ConversionMapping {
  readonly #single = new Map<Value, readonly Value[]>();
  readonly #several = new Map<string, readonly Value[]>();
  readonly #targets = new Set<Value>();
  /** Casts whose only purpose is another type, in contrast to values that a pattern gave. */
  readonly typeCasts = new Set<Operation>();

  set(from: readonly Value[], to: readonly Value[]): void {
    for (const value of to) this.#targets.add(value);
    if (from.length === 1) this.#single.set(from[0]!, to);
    else this.#several.set(keyOf(from), to);
  }
  delete(from: readonly Value[]): void {
    if (from.length === 1) this.#single.delete(from[0]!);
    else this.#several.delete(keyOf(from));
  }
  /** Whether some value was mapped to this one (once: the mapping may be gone). */
  isTarget(value: Value): boolean {
    return this.#targets.has(value);
  }

  /** The latest values for `from` of the types wanted; without such, or when no types are given, the latest ones. */
  lookup(from: Value, types?: readonly Type[], skipTypeCasts = false): readonly Value[] {
    let wanted: readonly Value[] | undefined;
    let current: readonly Value[] = [from];
    let lastGiven = current;
    for (;;) {
      let match = types !== undefined && hasTypes(current, types);
      if (skipTypeCasts) {
        if (this.isTypeCast(current)) match = false;
        else lastGiven = current;
      }
      if (match) wanted = current;
      const next = this.step(current);
      if (!next) break;
      current = next;
    }
    if (types !== undefined) return wanted ?? [];
    return skipTypeCasts ? lastGiven : current;
  }
  /** As `lookup`, but nothing when that is `from` itself. */
  lookupOther(from: Value, types?: readonly Type[]): readonly Value[] | undefined {
    const result = this.lookup(from, types);
    return result.length === 0 || (result.length === 1 && result[0] === from) ? undefined : result;
  }

  private step(values: readonly Value[]): readonly Value[] | undefined {
    if (values.length === 1) return this.#single.get(values[0]!);
    let replaced = false;
    const next: Value[] = [];
    for (const value of values) {
      const by = this.#single.get(value);
      if (by) {
        next.push(...by);
        replaced = true;
      } else next.push(value);
    }
    return replaced ? next : this.#several.get(keyOf(values));
  }
  private isTypeCast(values: readonly Value[]): boolean {
    const op = values[0]?.definingOp;
    return op !== undefined && values.every((v) => v.definingOp === op) && this.typeCasts.has(op);
  }
}

const keyOf = (values: readonly Value[]): string => values.map((v) => v.id).join();
export function hasTypes(values: readonly Value[], types: readonly Type[]): boolean {
  return values.length === types.length && values.every((v, i) => v.type === types[i]);
}
