import type { Diagnostic, Position } from "../diagnostics/diagnostic.js";
import { SourceBuffer } from "../diagnostics/source.js";
import { Bug } from "../support/assert.js";
import { DEFAULT_TRITON } from "../support/triton-version.js";
import { type AttrDef, Attribute, Type, type TypeDef } from "./attribute.js";
import type { DialectDef } from "./define-dialect.js";
import type { OpDef } from "./define-op.js";
import type { Spelling } from "./spelling.js";
import type { Value } from "./value.js";

/**
 * Everything one compilation shares: interned attributes and types, registered dialects, source texts,
 * the ids of operations and values, and the diagnostics collected. Objects never cross Contexts.
 */
/** A parameter or variable of a kernel that holds a layout; line from 1. */
export interface LayoutName {
  readonly name: string;
  readonly file: string;
  readonly line: number;
}

export class Context {
  readonly dialects = new Map<string, DialectDef>();
  readonly ops = new Map<string, OpDef>();
  readonly attrDefs = new Map<string, AttrDef<object>>();
  readonly typeDefs = new Map<string, TypeDef<object>>();
  readonly sources: SourceBuffer[] = [];
  readonly diagnostics: Diagnostic[] = [];
  /** Values computed once per Context (`i32(ctx)` and the like). */
  readonly cache = new Map<string, unknown>();
  /** Counts mutations of operations and blocks: equal before and after a pass means it changed nothing. */
  version = 0;
  /** Counts changes of what encloses ops: attributes of ops with regions, and regions that get ops from elsewhere. */
  surroundings = 0;
  allowUnregisteredDialects = false;
  /** AxisInfo knows nothing of any value: what a kernel costs without its hints. */
  pessimisticAxisInfo = false;
  /** Tensor memory is moved as 16x256b where that fits, as with Triton's TRITON_PREFER_TMEM_16x256_LAYOUT. */
  preferTmem16x256 = false;
  /** The version of Triton that is followed. */
  triton = DEFAULT_TRITON;
  /** The language of the kernel: TTGIR from Gluon's front end goes through passes of its own. */
  language: "triton" | "gluon" = "triton";
  /** The op that ops created from here on come from; set by the rewriter (see `Operation.origin`). */
  origin: number | readonly number[] | undefined = undefined;
  /** The names, without `%`, that the text of the input gives to values; those that are numbers are left out. */
  readonly namesOfInput = new Map<string, Value>();
  /** The names that a Gluon kernel gives to layouts, and where, by `layoutKey`. */
  readonly layoutNames = new Map<string, LayoutName[]>();
  /** The spelling of what was read, when an older Triton wrote it. */
  spelling: Spelling | undefined = undefined;
  /** Ops that today's syntax has read: what a text mixes of the times is printed as it was read. */
  readonly readToday = new Set<string>();
  /** Whether an attribute or type with an alias exists, or a location as an attribute: without one the printer need not look for aliases. */
  hasAliases = false;

  readonly #attrs = new Map<string, Attribute>();
  readonly #types = new Map<string, Type>();
  #nextId = 1;
  #nextBase = 1;

  constructor(dialects: readonly DialectDef[] = []) {
    for (const dialect of dialects) this.register(dialect);
  }

  register(dialect: DialectDef): void {
    if (this.dialects.has(dialect.name)) return;
    this.dialects.set(dialect.name, dialect);
    for (const op of dialect.ops) {
      if (this.ops.has(op.name)) throw new Bug(`two definitions of op ${op.name}`);
      this.ops.set(op.name, op);
    }
    for (const def of dialect.attrs) this.attrDefs.set(def.name, def);
    for (const def of dialect.types) this.typeDefs.set(def.name, def);
  }

  /** A fresh id, unique among the ops and values of this Context. */
  nextId(): number {
    return this.#nextId++;
  }

  internAttr<P extends object>(def: AttrDef<P>, params: P): Attribute<P> {
    const key = def.name + (def.key ? def.key(params) : keyOf(params));
    const known = this.#attrs.get(key);
    if (known) return known as Attribute<P>;
    const attr = new Attribute(this, def, params, this.nextId());
    if (def.alias && !def.location) this.hasAliases = true;
    this.#attrs.set(key, attr as unknown as Attribute);
    return attr;
  }

  internType<P extends object>(def: TypeDef<P>, params: P): Type<P> {
    const key = def.name + keyOf(params);
    const known = this.#types.get(key);
    if (known) return known as Type<P>;
    const type = new Type(this, def, params, this.nextId());
    if (def.alias) this.hasAliases = true;
    this.#types.set(key, type as unknown as Type);
    return type;
  }

  /** The value of `make()`, computed once for this Context and `key`. */
  memo<T>(key: string, make: () => T): T {
    let value = this.cache.get(key) as T | undefined;
    if (value === undefined) {
      value = make();
      this.cache.set(key, value);
    }
    return value;
  }

  /** Registers a text so that locations can point into it. */
  addSource(file: string, text: string, firstLine = 1): SourceBuffer {
    const source = new SourceBuffer(file, text, this.#nextBase, firstLine);
    this.#nextBase += text.length + 1;
    this.sources.push(source);
    return source;
  }

  /** Resolves a parse location (`base + offset` of a source). */
  positionOf(parseLocation: number): Position | undefined {
    const source = this.sources.find((s) => s.base <= parseLocation && parseLocation <= s.base + s.text.length);
    return source?.position(parseLocation - source.base);
  }

  emit(diagnostic: Diagnostic): void {
    this.diagnostics.push(diagnostic);
  }
}

/** Sorts in place, by insertion: parameters are few, and this runs for every attribute and type that is asked for. */
function sortFew(names: string[]): void {
  for (let i = 1; i < names.length; i++) {
    const name = names[i]!;
    let at = i;
    for (; at > 0 && names[at - 1]! > name; at--) names[at] = names[at - 1]!;
    names[at] = name;
  }
}

/** A text that is equal exactly for equal parameters. An attribute or type is its id. */
function keyOf(value: unknown): string {
  switch (typeof value) {
    case "string":
      return `"${value.length}:${value}`;
    case "number":
      return Object.is(value, -0) ? "-0," : `${value},`;
    case "bigint":
      return `${value}n`;
    case "boolean":
      return value ? "t" : "f";
    case "undefined":
      return "_";
    case "object": {
      if (value === null) return "~";
      if (value instanceof Attribute || value instanceof Type) return `@${value.id},`;
      let key = "";
      if (Array.isArray(value) || ArrayBuffer.isView(value)) {
        const items = value as readonly unknown[];
        for (let i = 0; i < items.length; i++) key += keyOf(items[i]);
        return `[${key}]`;
      }
      const names = Object.keys(value);
      sortFew(names);
      for (let i = 0; i < names.length; i++) key += `${names[i]!}=${keyOf((value as Record<string, unknown>)[names[i]!])}`;
      return `{${key}}`;
    }
    default:
      throw new Bug(`a ${typeof value} cannot be a parameter of an attribute`);
  }
}
