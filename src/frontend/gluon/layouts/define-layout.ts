/**
 * A layout of Gluon's as a Python class: a frozen dataclass whose objects become encodings.
 *
 *     export const SLICE = defineLayout("SliceLayout", { dim: REQUIRED, parent: REQUIRED }, { ... });
 *
 * Lists in a field keep the type that Python gives them (a kernel's tuples stay tuples), as they show in texts and names.
 * Source: python/triton/experimental/gluon/language/_layouts.py.
 */

import { encodingAttr, firstProblem } from "../../../dialects/ttg/encodings/define-encoding.js";
import type { AttrDef } from "../../../ir/attribute.js";
import type { EncodingParams } from "../../../layout/encoding-params.js";
import { cgaFromBases } from "../../../layout/encodings/cga.js";
import { LinearLayout } from "../../../layout/linear-layout.js";
import { verifyEncoding } from "../../../layout/verify-encoding.js";
import { bindArguments, REQUIRED } from "../../language/define-builtin.js";
import { check, raise } from "../../language/errors.js";
import { pyRepr, pyStr, pyTypeName } from "../../language/python-text.js";
import { elementsOf, isKind, isLayout, type Layout, type PyClass, type PyValue, unwrap } from "../../language/values.js";

export { REQUIRED };
export type Fields = ReadonlyMap<string, PyValue>;
type Params = Readonly<Record<string, PyValue | typeof REQUIRED>>;

interface LayoutSpec {
  /** Its base class: what `isinstance` asks for. */
  readonly base: PyClass | undefined;
  readonly module?: string;
  /** Python's asserts in `__post_init__`; returns fields that it changes. */
  readonly check?: (fields: Fields) => Readonly<Record<string, PyValue>> | undefined;
  readonly rank: (fields: Fields) => number | undefined;
  readonly mangle: (fields: Fields) => string;
  /** The encoding, or the attribute that says that there is none yet. */
  readonly encoding: (fields: Fields) => EncodingParams | AttrDef<Record<string, never>>;
  /** Properties that are no fields. */
  readonly properties?: Readonly<Record<string, (fields: Fields) => PyValue>>;
  readonly methods?: readonly (readonly [string, PyValue])[];
}

const LAYOUTS = "triton.experimental.gluon.language._layouts";

function layoutBase(name: string): PyClass {
  const construct = () => raise("NotImplementedError", `${name} is a base class`);
  return {
    kind: "class",
    name,
    module: LAYOUTS,
    qualname: name,
    flavour: "type",
    attrs: new Map(),
    fields: [],
    data: { kind: "native", construct },
  };
}
export const DISTRIBUTED_LAYOUT = layoutBase("DistributedLayout");
export const SHARED_LAYOUT = layoutBase("SharedLayout");

const specs = new WeakMap<PyClass, LayoutSpec>();
export interface LayoutClass extends PyClass {
  readonly make: (args: readonly PyValue[], named?: ReadonlyMap<string, PyValue>) => Layout;
}

export function defineLayout(name: string, params: Params, spec: LayoutSpec): LayoutClass {
  const make = (args: readonly PyValue[], named: ReadonlyMap<string, PyValue> = new Map()): Layout => {
    const bound = bindArguments({ name, params, isClass: true }, args, named);
    const fields = new Map(Object.entries(bound).map(([key, value]) => [key, fresh(unwrap(value as PyValue))] as const));
    for (const [key, value] of Object.entries(spec.check?.(fields) ?? {})) fields.set(key, value);
    let encoding: EncodingParams | undefined;
    const encodingOf = (): EncodingParams | AttrDef<Record<string, never>> => {
      if (encoding) return encoding;
      const made = spec.encoding(fields);
      if (!("get" in made)) encoding = verified(made);
      return encoding ?? made;
    };
    return {
      kind: "layout",
      cls,
      fields,
      rank: spec.rank(fields),
      text: `${name}(${[...fields].map(([key, value]) => `${key}=${pyRepr(value)}`).join(", ")})`,
      mangled: spec.mangle(fields),
      encoding() {
        const found = encodingOf();
        return "get" in found ? undefined : found;
      },
      attr(ctx) {
        const found = encodingOf();
        return "get" in found ? found.get(ctx, {}) : encodingAttr(ctx, found);
      },
    };
  };
  const cls: LayoutClass = {
    kind: "class",
    name,
    module: spec.module ?? LAYOUTS,
    qualname: name,
    flavour: "type",
    attrs: new Map(spec.methods),
    fields: [],
    data: { kind: "native", construct: make },
    make,
    ...(spec.base ? { base: spec.base } : {}),
  };
  specs.set(cls, spec);
  return cls;
}

/** A copy of lists: the caller may change its own. */
const fresh = (value: PyValue): PyValue => (isKind(value, "list") ? { kind: "list", values: value.values.map(fresh) } : value);

/** An attribute of a layout; undefined when it has none of that name. */
export function layoutAttribute(layout: Layout, name: string): PyValue | undefined {
  if (name === "type") return { kind: "constexpr_type", value: layout };
  if (name === "rank") return layout.rank === undefined ? raise("ValueError", `${layout.cls.name} has no rank`) : BigInt(layout.rank);
  return layout.fields.get(name) ?? specs.get(layout.cls)?.properties?.[name]?.(layout.fields) ?? layout.cls.attrs.get(name);
}

// --- fields ---------------------------------------------------------------------------------------

export const list = (values: readonly PyValue[]): PyValue => ({ kind: "list", values: [...values] });
export const numbers = (values: readonly number[]): PyValue => list(values.map(BigInt));
export const basesList = (bases: readonly (readonly number[])[]): PyValue => list(bases.map(numbers));

export function int(value: PyValue | undefined): number {
  const plain = unwrap(value ?? null);
  if (typeof plain === "bigint" || typeof plain === "boolean") return Number(plain);
  return raise("TypeError", `'${pyTypeName(plain)}' object cannot be interpreted as an integer`);
}
/** The elements of a list or tuple; Python's error for other values. */
export const itemsOf = (value: PyValue | undefined): readonly PyValue[] =>
  elementsOf(value) ?? raise("TypeError", `object of type '${pyTypeName(unwrap(value ?? null))}' has no len()`);
export const ints = (value: PyValue | undefined): number[] => itemsOf(value).map(int);
/** A list of lists of integers. */
export const basesOf = (value: PyValue | undefined): number[][] => itemsOf(value).map(ints);
export const layoutOf = (value: PyValue | undefined): Layout =>
  isLayout(value) ? value : raise("AttributeError", `'${pyTypeName(value ?? null)}' object has no attribute '_to_ir'`);

/** `"_".join(map(str, values))` */
export const joined = (value: PyValue | undefined): string =>
  itemsOf(value)
    .map((v) => pyStr(unwrap(v)))
    .join("_");
/** The bases of CTAs in a name. */
export const joinedBases = (value: PyValue | undefined): string =>
  (elementsOf(value) ?? [])
    .map((basis) =>
      itemsOf(basis)
        .map((v) => pyStr(unwrap(v)))
        .join("~"),
    )
    .join("_");
/** Every basis has a coordinate for each dimension. */
export function checkRank(name: string, bases: PyValue | undefined, rank: number): void {
  for (const basis of itemsOf(bases)) {
    const { length } = itemsOf(basis);
    check(length === rank, `a basis in ${name} has ${length} coordinates, but the layout has ${rank} dimensions`);
  }
}
export const isEmpty = (value: PyValue | undefined): boolean => (elementsOf(value)?.length ?? 0) === 0;

// --- encodings ------------------------------------------------------------------------------------

/** Raises what the verifier says of an encoding. */
function verified(params: EncodingParams): EncodingParams {
  const problem = firstProblem(() => verifyEncoding(params));
  return problem === undefined ? params : raise("RuntimeError", problem);
}
/** How CTAs share a tensor, from `cga_layout`. */
export function cgaOf(value: PyValue | undefined, rank: number): LinearLayout {
  const cga = cgaFromBases(basesOf(value), rank);
  return typeof cga === "string" ? raise("RuntimeError", cga) : cga;
}
export const cgaBases = (cga: LinearLayout): PyValue => basesList(cga.getInDimBases("block"));

/** A linear layout, or the reason why there is none; a shape if the bases must cover it. */
export function linear(
  bases: readonly (readonly [string, readonly (readonly number[])[]])[],
  outDims: Parameters<typeof LinearLayout.tryFromBases>[1],
): LinearLayout {
  const layout = LinearLayout.tryFromBases(bases, outDims);
  return typeof layout === "string" ? raise("RuntimeError", layout) : layout;
}
