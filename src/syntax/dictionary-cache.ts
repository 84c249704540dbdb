import type { Attribute } from "../ir/attribute.js";
import { type DictAttr, dictAttr } from "../ir/builtin-attrs.js";
import type { Context } from "../ir/context.js";
import type { NamedAttrSpec, OpDef } from "../ir/define-op.js";

interface Node {
  dict: DictAttr | undefined;
  next: Map<string, Map<Attribute, Node>> | undefined;
}
/** Longer lists are seldom the same twice. */
const MAX_ENTRIES = 6;

/**
 * The dictionaries of one parse by their entries in the order read, defaults included: most ops have the attributes of
 * some op before them, and looking those up costs far less than sorting and interning.
 */
export class DictionaryCache {
  readonly #root: Node = { dict: undefined, next: undefined };
  readonly #defaults = new Map<OpDef, readonly NamedAttrSpec[]>();
  constructor(readonly ctx: Context) {}

  /** The dictionary of an op; `entries` is completed by the defaults that are not in it. */
  of(def: OpDef, entries: [string, Attribute][]): DictAttr {
    if (def.attrs.length > 0) this.addDefaults(def, entries);
    if (entries.length > MAX_ENTRIES) return dictAttr(this.ctx, entries);
    let node = this.#root;
    for (let i = 0; i < entries.length; i++) {
      const name = entries[i]![0];
      const value = entries[i]![1];
      const next = (node.next ??= new Map<string, Map<Attribute, Node>>());
      let values = next.get(name);
      if (!values) next.set(name, (values = new Map()));
      let child = values.get(value);
      if (!child) values.set(value, (child = { dict: undefined, next: undefined }));
      node = child;
    }
    return (node.dict ??= dictAttr(this.ctx, entries));
  }

  private addDefaults(def: OpDef, entries: [string, Attribute][]): void {
    let defaults = this.#defaults.get(def);
    if (!defaults) this.#defaults.set(def, (defaults = def.attrs.filter((spec) => spec.default)));
    const given = entries.length;
    next: for (let d = 0; d < defaults.length; d++) {
      const spec = defaults[d]!;
      for (let i = 0; i < given; i++) if (entries[i]![0] === spec.name) continue next;
      entries.push([spec.name, spec.default!(this.ctx)]);
    }
  }
}
