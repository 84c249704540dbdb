import type { AttrDef, Attribute, Type, TypeDef } from "./attribute.js";
import type { Builder } from "./builder.js";
import type { OpDef, OpReport } from "./define-op.js";
import type { Interface, InterfaceImpl } from "./interfaces.js";
import type { Operation } from "./operation.js";
import type { OlderForms } from "./spelling.js";

/**
 * A dialect: its definitions, found by namespace import (`import * as ops from "./ops/index.js"`), and the hooks
 * that generic code asks for. `patterns` (canonicalization) are typed in `rewrite`, which `ir` does not know.
 */
export interface DialectDef {
  readonly name: string;
  readonly ops: readonly OpDef[];
  readonly attrs: readonly AttrDef<object>[];
  readonly types: readonly TypeDef<object>[];
  /** Makes the op that holds a constant of that type, or undefined when this dialect has none for it. */
  readonly materializeConstant: ((b: Builder, value: Attribute, type: Type, loc: Operation["locRef"]) => Operation | undefined) | undefined;
  /** Whether a call may be inlined and how the region terminator becomes a jump; see the inline pass. */
  readonly inliner: InlinerHooks | undefined;
  /** Whether ops of this dialect that are not defined are let through, in generic form. */
  readonly allowUnknownOps: boolean;
  /** Checks discardable attributes that carry this dialect's name. */
  readonly verifyAttr: ((op: Operation, name: string, value: Attribute, report: OpReport) => void) | undefined;
  readonly verifyArgAttr: ((op: Operation, argIndex: number, name: string, value: Attribute, report: OpReport) => void) | undefined;
  /** The canonicalization patterns, in upstream's order of registration (`rewrite` knows their type). */
  readonly canonicalize: readonly PatternLike[];
  /** How older Tritons wrote its ops. */
  readonly olderForms: OlderForms | undefined;
  /** This dialect's implementation of an interface for its attributes and types (MLIR's dialect interfaces), by key. */
  interface<I>(key: Interface<I>): I | undefined;
}

/** The part of a pattern that `ir` needs. See `rewrite/pattern.ts`. */
export interface PatternLike {
  readonly name: string;
  readonly benefit: number;
}

export interface InlinerHooks {
  readonly isLegalToInline: (op: Operation) => boolean;
  readonly shouldInlineCall?: (call: Operation, callee: Operation) => boolean;
  /** Replaces a returning terminator by what continues after the call, for multi-block and single-block bodies. */
  readonly handleTerminator?: (
    b: Builder,
    op: Operation,
    values: readonly import("./value.js").Value[],
    continueAt: import("./block.js").Block | undefined,
  ) => void;
}

type Exports = Readonly<Record<string, unknown>>;
export interface DialectSpec {
  /** Modules whose exports are op definitions (other exports are passed over). */
  readonly ops: readonly Exports[];
  readonly attrs?: readonly Exports[];
  readonly types?: readonly Exports[];
  readonly materializeConstant?: DialectDef["materializeConstant"];
  readonly inliner?: InlinerHooks;
  readonly allowUnknownOps?: boolean;
  readonly verifyAttr?: DialectDef["verifyAttr"];
  readonly verifyArgAttr?: DialectDef["verifyArgAttr"];
  readonly canonicalize?: readonly PatternLike[];
  /** Called once, when a text is of an older Triton. */
  readonly olderForms?: () => OlderForms;
  readonly interfaces?: readonly InterfaceImpl[];
}

/** Defines a dialect; its ops, attributes and types are the definitions that the modules export. */
export function defineDialect(name: string, spec: DialectSpec): DialectDef {
  const interfaces = new Map<Interface<unknown>, unknown>((spec.interfaces ?? []).map((i) => [i.key, i.impl]));
  let older: OlderForms | undefined;
  return {
    name,
    ops: collect<OpDef>(spec.ops, (x): x is OpDef => isRecord(x) && "viewOf" in x && (x as unknown as OpDef).name.startsWith(`${name}.`)),
    attrs: collect<AttrDef<object>>(spec.attrs ?? [], (x): x is AttrDef<object> => isRecord(x) && x["kind"] === "attr" && "get" in x),
    types: collect<TypeDef<object>>(spec.types ?? [], (x): x is TypeDef<object> => isRecord(x) && x["kind"] === "type" && "get" in x),
    materializeConstant: spec.materializeConstant,
    inliner: spec.inliner,
    allowUnknownOps: spec.allowUnknownOps ?? false,
    verifyAttr: spec.verifyAttr,
    verifyArgAttr: spec.verifyArgAttr,
    canonicalize: spec.canonicalize ?? [],
    get olderForms() {
      return (older ??= spec.olderForms?.());
    },
    interface: <I>(key: Interface<I>) => interfaces.get(key) as I | undefined,
  };
}

/** The dialect whose attribute or type that is. */
export function dialectOf(entity: Attribute | Type): DialectDef | undefined {
  const { name } = entity.def;
  return entity.ctx.dialects.get(name.slice(0, name.indexOf(".")));
}

function isRecord(x: unknown): x is Readonly<Record<string, unknown>> {
  return typeof x === "object" && x !== null;
}

function collect<D>(modules: readonly Exports[], isDef: (x: unknown) => x is D): D[] {
  return modules.flatMap((module) => Object.values(module).filter(isDef));
}
