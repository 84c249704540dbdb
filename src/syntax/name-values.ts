/**
 * The names of values and blocks in one print. Source: mlir/lib/IR/AsmPrinter.cpp, SSANameState.
 */
import type { Attribute } from "../ir/attribute.js";
import type { Block } from "../ir/block.js";
import { CallSiteLoc, FusedLoc, type LocationRef, NameLoc } from "../ir/location.js";
import type { Operation } from "../ir/operation.js";
import type { Region } from "../ir/region.js";
import type { Value } from "../ir/value.js";

/** Names of one scope; lookups go outwards. */
class NameScope {
  readonly names = new Set<string>();
  constructor(readonly parent: NameScope | undefined) {}
  has(name: string): boolean {
    for (let scope: NameScope | undefined = this; scope; scope = scope.parent) if (scope.names.has(name)) return true;
    return false;
  }
}

interface NamingContext {
  readonly region: Region;
  readonly nextValue: number;
  readonly nextArgument: number;
  readonly nextConflict: number;
  readonly scope: NameScope;
}

export class ValueNames {
  /** Names of the values whose `scratch` is negative: index `-1 - scratch`. */
  readonly #names: string[] = [];
  /** For the results of ops with several: the name of the group and where it starts. */
  readonly #groups = new Map<Operation, readonly { readonly start: number; readonly size: number }[]>();
  #nextValue = 0;
  #nextArgument = 0;
  #nextConflict = 0;
  #scope: NameScope;

  constructor(
    root: Operation,
    readonly options: { readonly nameLocAsPrefix: boolean; readonly generic: boolean },
  ) {
    this.#scope = new NameScope(undefined);
    const stack: NamingContext[] = [];
    this.nameResults(root);
    const top = new NameScope(undefined);
    const push = (op: Operation, scope: NameScope) => {
      for (const region of op.regions)
        stack.push({ region, nextValue: this.#nextValue, nextArgument: this.#nextArgument, nextConflict: this.#nextConflict, scope });
    };
    push(root, top);
    for (let at = stack.pop(); at; at = stack.pop()) {
      this.#nextValue = at.nextValue;
      this.#nextArgument = at.nextArgument;
      this.#nextConflict = at.nextConflict;
      this.#scope = new NameScope(at.scope);
      this.nameRegion(at.region);
      for (let block = at.region.firstBlock; block; block = block.next)
        for (let op = block.firstOp; op; op = op.next) if (op.regions.length > 0) push(op, this.#scope);
    }
  }

  /** `%name` of a value; results of a group other than the first carry `#index`. */
  name(value: Value): string {
    const text = this.plainName(value);
    return text;
  }
  /** The text before `=`: `%0`, `%0:2`, `%a, %b:2`. */
  resultNames(op: Operation): string {
    const { results } = op;
    if (results.length === 1) return this.name(results[0]!);
    const groups = this.#groups.get(op)!;
    return groups.map(({ start, size }) => this.base(results[start]!) + (size > 1 ? `:${size}` : "")).join(", ");
  }
  blockName(block: Block): string {
    return `^bb${block.scratch}`;
  }

  private base(value: Value): string {
    const { scratch } = value;
    return scratch >= 0 ? `%${scratch}` : this.#names[-1 - scratch]!;
  }
  private plainName(value: Value): string {
    const op = value.definingOp;
    if (!op || op.results.length === 1) return this.base(value);
    const groups = this.#groups.get(op);
    if (!groups) return "<<UNKNOWN SSA VALUE>>";
    const group = groups.find(({ start, size }) => start <= value.index && value.index < start + size)!;
    const base = this.base(op.results[group.start]!);
    return group.size === 1 ? base : `${base}#${value.index - group.start}`;
  }

  private nameRegion(region: Region): void {
    const owner = region.parentOp;
    const named =
      !this.options.generic && owner?.def.regionArgNames && region.firstBlock
        ? owner.def.regionArgNames(owner.def.viewOf(owner) as never, region)
        : undefined;
    // Names the op gives come first, so that others make way for them.
    const args = region.firstBlock?.args ?? [];
    const taken = new Set<Value>();
    named?.forEach((name, i) => {
      const arg = args[i];
      if (name === undefined || !arg) return;
      this.setName(arg, this.nameFromLocation(arg.argLoc!) ?? name);
      taken.add(arg);
    });
    let nextBlock = 0;
    for (let block = region.firstBlock; block; block = block.next) {
      block.scratch = nextBlock++;
      const isEntry = block === region.firstBlock;
      for (const arg of block.args) {
        if (taken.has(arg)) continue;
        // Only the arguments of entry blocks are called %argN; others are numbered with the results.
        const usual = isEntry ? `arg${this.#nextArgument++}` : undefined;
        const name = this.nameFromLocation(arg.argLoc!) ?? usual;
        this.setName(arg, name);
      }
      for (let op = block.firstOp; op; op = op.next) this.nameResults(op);
    }
  }

  private nameResults(op: Operation): void {
    const { results } = op;
    if (results.length === 0) return;
    const hook = this.options.generic ? undefined : op.def.resultNames;
    const names = hook?.(op.def.viewOf(op) as never);
    const fromLoc = this.nameFromLocation(op.locRef);
    if (results.length === 1) {
      const name = fromLoc ?? names?.[0];
      this.setName(results[0]!, name);
      return;
    }
    // A result with a name of its own begins a group.
    const starts = [0];
    const at = new Map<number, string>();
    names?.forEach((name, i) => {
      if (name === undefined) return;
      at.set(i, fromLoc ?? name);
      if (i > 0) starts.push(i);
    });
    const first = at.get(0) ?? fromLoc;
    this.setName(results[0]!, first);
    for (const start of starts) if (start > 0) this.setName(results[start]!, at.get(start)!);
    this.#groups.set(
      op,
      starts.map((start, i) => ({ start, size: (starts[i + 1] ?? results.length) - start })),
    );
  }

  /** The first name in a location, looked for from outside in. */
  private nameFromLocation(loc: LocationRef): string | undefined {
    if (!this.options.nameLocAsPrefix || typeof loc === "number") return undefined;
    return firstName(loc);
  }

  /** Without a name, or with an empty one, the value gets a number. */
  private setName(value: Value, name: string | undefined): void {
    if (!name) {
      value.scratch = this.#nextValue++;
      return;
    }
    this.#names.push(`%${this.unique(sanitize(name))}`);
    value.scratch = -this.#names.length;
  }
  private unique(name: string): string {
    let unique = name;
    if (this.#scope.has(name)) {
      do unique = `${name}_${this.#nextConflict++}`;
      while (this.#scope.has(unique));
    }
    this.#scope.names.add(unique);
    return unique;
  }
}

function firstName(loc: Attribute): string | undefined {
  if (NameLoc.is(loc)) return loc.params.name;
  if (CallSiteLoc.is(loc)) return firstName(loc.params.callee) ?? firstName(loc.params.caller);
  if (!FusedLoc.is(loc)) return undefined;
  for (const inner of loc.params.locations) {
    const name = firstName(inner);
    if (name !== undefined) return name;
  }
  return undefined;
}

/** Makes a name a value identifier may have: letters, digits, `$ . _ -`, not starting with a digit. */
function sanitize(name: string): string {
  if (/^[A-Za-z_$.-][\w$.-]*$/.test(name)) return name;
  const safe = name.replace(/[^\w$.-]/g, (c) => (c === " " ? "_" : c.charCodeAt(0).toString(16).toUpperCase()));
  return /^\d/.test(safe) ? `_${safe}` : safe;
}
