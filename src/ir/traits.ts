/**
 * Traits: marks and checks that many ops share. A trait is a value; an op lists it, generic code asks
 * `op.def.traits.has(X)`. Some also tell the assembly format how to derive types it does not spell.
 * Source: mlir/include/mlir/IR/OpBase.td and mlir/lib/IR/Operation.cpp.
 */

import type { Attribute, Type } from "./attribute.js";
import type { Block } from "./block.js";
import { inferResultTypes } from "./builder.js";
import { stringOf } from "./builtin-attrs.js";
import { elementTypeOrSelf, encodingOf, isShaped, RankedTensorType, UnrankedTensorType, VectorType } from "./builtin-types.js";
import type { NamedValueSpec, OpReport } from "./define-op.js";
import type { Operation } from "./operation.js";
import type { Region } from "./region.js";
import { typeText } from "./text-hook.js";
import type { Value } from "./value.js";

/** How a type that the assembly format leaves out follows from one that is known. */
export type TypeRule =
  | { readonly kind: "same"; readonly names: readonly string[] }
  | {
      readonly kind: "from";
      readonly from: string;
      readonly to: string;
      readonly transform: (type: Type, attr: (name: string) => Attribute | undefined) => Type | undefined;
    };

/** A property of ops, with the verifier that it brings. */
export interface Trait {
  readonly name: string;
  readonly verify?: (op: Operation, report: OpReport) => void;
  /** Runs after the nested ops were verified. */
  readonly verifyRegions?: (op: Operation, report: OpReport) => void;
  readonly typeRules?: (operands: readonly NamedValueSpec[], results: readonly NamedValueSpec[]) => readonly TypeRule[];
  readonly implies?: readonly Trait[];
  /** A check of the op's shape, which runs before operands and attributes are looked at (StructuralOpTrait). */
  readonly structural?: boolean;
  /**
   * All that its checks depend on, where that is no more: an op that is alike in this need not be checked again. Surroundings are the
   * op's own types and attributes, and the attributes of the ops around it.
   */
  readonly dependsOn?: "types" | "types and attributes" | "surroundings";
  /** A check of upstream's ODS predicates, which runs before those of the other traits. */
  readonly predicate?: boolean;
}
/** A trait; `spec` says what it verifies and implies. */
export function defineTrait(name: string, spec: Omit<Trait, "name"> = {}): Trait {
  return { name, ...spec };
}

/** No memory effects and always speculatable. */
export const Pure = defineTrait("Pure");
/** Effects are those of the nested ops. */
export const RecursiveMemoryEffects = defineTrait("RecursiveMemoryEffects");
export const RecursivelySpeculatable = defineTrait("RecursivelySpeculatable");
export const Commutative = defineTrait("Commutative");
export const Idempotent = defineTrait("Idempotent");
export const Involution = defineTrait("Involution");
export const ConstantLike = defineTrait("ConstantLike");
/** Non-scalar operands and results have one shape and kind; without one among them all are scalars. */
export const Elementwise = defineTrait("Elementwise", {
  dependsOn: "types",
  verify(op, report) {
    const isMappable = (value: Value) => RankedTensorType.is(value.type) || UnrankedTensorType.is(value.type) || VectorType.is(value.type);
    const operands = op.operands.filter(isMappable);
    const results = op.results.filter(isMappable);
    const error = (message: string) => void report.error(message, "verify.elementwise");
    if (operands.length === 0 && results.length === 0) return;
    if (operands.length === 0) return error("if a result is non-scalar, then at least one operand must be non-scalar");
    if (results.length === 0) return error("if an operand is non-scalar, then there must be at least one non-scalar result");
    if (results.length !== op.results.length) return error("if an operand is non-scalar, then all results must be non-scalar");
    const values = [...operands, ...results];
    if (values.some((v) => v.type.def !== values[0]!.type.def) || !compatibleShapes(values))
      error("all non-scalar operands/results must have the same shape and base type");
  },
});
export const Scalarizable = defineTrait("Scalarizable");
export const Vectorizable = defineTrait("Vectorizable");
export const Tensorizable = defineTrait("Tensorizable");
export const IsolatedFromAbove = defineTrait("IsolatedFromAbove", {
  verifyRegions(op, report) {
    for (const region of op.regions)
      for (let block = region.firstBlock; block; block = block.next)
        for (let nested = block.firstOp; nested; nested = nested.next) checkIsolation(nested, region, op, report);
  },
});
/** Reports the first value from outside `region`, which belongs to `isolated`, that `op` or what is nested in it uses. */
function checkIsolation(op: Operation, region: Region, isolated: Operation, report: OpReport): boolean {
  const uses = op.operandUses;
  for (let i = 0; i < uses.length; i++) {
    const { owner } = uses[i]!.value;
    const block = owner.isOperation ? (owner as Operation).block : (owner as Block);
    if (block === op.block) continue;
    const defined = block?.region;
    if (defined === region || defined?.isInside(region)) continue;
    report
      .error("using value defined outside the region", "verify.isolated")
      .note("required by region isolation constraints", isolated.locRef);
    return false;
  }
  if (op.regions.length === 0 || op.def.isIsolated) return true;
  for (const inner of op.regions)
    for (let block = inner.firstBlock; block; block = block.next)
      for (let nested = block.firstOp; nested; nested = nested.next) if (!checkIsolation(nested, region, isolated, report)) return false;
  return true;
}
export const SymbolTable = defineTrait("SymbolTable", {
  verifyRegions(op, report) {
    const seen = new Map<string, Operation>();
    for (const region of op.regions)
      for (const block of region.blocks())
        for (const nested of block.ops()) {
          const name = nested.attr("sym_name");
          const text = stringOf(name);
          if (text === undefined) continue;
          const earlier = seen.get(text);
          if (earlier)
            report
              .plain(`redefinition of symbol named '${text}'`, "verify.symbol", nested.locRef)
              .note("see existing symbol definition here", earlier.locRef);
          else seen.set(text, nested);
        }
  },
});
/** Source: mlir/lib/IR/SymbolTable.cpp, verifySymbol. */
export const Symbol = defineTrait("Symbol", {
  verify(op, report) {
    const { parentOp } = op;
    if (parentOp?.def.registered && !parentOp.def.traits.has(SymbolTable))
      return void report.error("symbol's parent must have the SymbolTable trait", "verify.symbol");
    const visibility = op.attr("sym_visibility");
    const value = visibility && "value" in visibility.params ? visibility.params.value : undefined;
    if (visibility && !["public", "private", "nested"].includes(String(value)))
      report.error(`visibility expected to be one of ["public", "private", "nested"], but got "${String(value)}"`, "verify.symbol");
  },
});
export const AttrSizedOperandSegments = defineTrait("AttrSizedOperandSegments");
export const AttrSizedResultSegments = defineTrait("AttrSizedResultSegments");
export const SameVariadicOperandSize = defineTrait("SameVariadicOperandSize");
export const NoTerminator = defineTrait("NoTerminator");
/** In its regions ops have no order: a value may be used above its definition. */
export const HasOnlyGraphRegion = defineTrait("HasOnlyGraphRegion");
export const AutomaticAllocationScope = defineTrait("AutomaticAllocationScope");
export const AffineScope = defineTrait("AffineScope");
export const ReturnLike = defineTrait("ReturnLike");

export const Terminator = defineTrait("Terminator", {
  verify(op, report) {
    if (op.block && op.block.lastOp !== op) report.error("must be the last operation in the parent block", "verify.terminator");
  },
});
/** Regions have at most one block (one unless NoTerminator allows none). */
export const SingleBlock = defineTrait("SingleBlock", {
  structural: true,
  verify(op, report) {
    op.regions.forEach((region, i) => {
      if (region.empty) return;
      if (!region.hasOneBlock) return void report.error(`expects region #${i} to have 0 or 1 blocks`, "verify.single-block");
      if (region.firstBlock!.empty && !op.def.traits.has(NoTerminator)) report.error("expects a non-empty block", "verify.single-block");
    });
  },
});
/** As SingleBlock, and the block ends with that op, which the parser adds where it is left out. */
export function SingleBlockImplicitTerminator(terminator: string): Trait {
  return defineTrait(`SingleBlockImplicitTerminator<${terminator}>`, {
    implies: [SingleBlock],
    verifyRegions(op, report) {
      op.regions.forEach((region, i) => {
        const last = region.firstBlock?.lastOp;
        if (!last || last.name === terminator) return;
        report
          .error(`expects regions to end with '${terminator}', found '${last.name}'`, "verify.implicit-terminator")
          .note(`in custom textual format, the absence of terminator implies '${terminator}'`);
        void i;
      });
    },
  });
}
/** The op must be directly in one of these. */
export function HasParent(...names: readonly string[]): Trait {
  return defineTrait(`HasParent<${names.join(", ")}>`, {
    verify(op, report) {
      if (!names.includes(op.parentOp?.name ?? "")) {
        report.error(`expects parent op ${names.length > 1 ? "to be one of " : ""}'${names.join(", ")}'`, "verify.parent");
      }
    },
  });
}
export const NoRegionArguments = defineTrait("NoRegionArguments", {
  structural: true,
  verify(op, report) {
    op.regions.forEach((region, i) => {
      if (region.firstBlock && region.firstBlock.args.length > 0)
        report.error(`${op.regions.length > 1 ? `region #${i} ` : ""}should have no arguments`, "verify.region-arguments");
    });
  },
});

// --- types ----------------------------------------------------------------------------------

const allNames = (...lists: readonly (readonly NamedValueSpec[])[]): string[] => lists.flatMap((l) => l.map((s) => s.name));
const shapeOf = (type: Type): readonly number[] | undefined => (isShaped(type) ? type.params.shape : undefined);

/** Same shape in MLIR's sense: unranked scalars only among themselves; a dynamic extent matches any. */
function compatibleShapes(values: readonly Value[]): boolean {
  const shapes = values.map((v) => shapeOf(v.type));
  const first = shapes[0];
  return shapes.every((s) => {
    if (!s || !first) return s === first;
    return s.length === first.length && s.every((d, i) => d === first[i] || d < 0 || first[i]! < 0);
  });
}
/** The common case of the traits below: one type throughout. */
function hasOneType(op: Operation): boolean {
  const uses = op.operandUses;
  if (uses.length === 0) return false;
  const { type } = uses[0]!.value;
  for (let i = 1; i < uses.length; i++) if (uses[i]!.value.type !== type) return false;
  for (let i = 0; i < op.results.length; i++) if (op.results[i]!.type !== type) return false;
  return true;
}
const needsOperands = (op: Operation, report: OpReport): boolean => {
  if (op.numOperands > 0) return true;
  report.error("expected 1 or more operands, but found 0", "verify.operand-count");
  return false;
};

export const SameTypeOperands = defineTrait("SameTypeOperands", {
  dependsOn: "types",
  verify(op, report) {
    const uses = op.operandUses;
    for (let i = 1; i < uses.length; i++)
      if (uses[i]!.value.type !== uses[0]!.value.type)
        return void report.error("requires all operands to have the same type", "verify.same-type");
  },
  typeRules: (operands) => [{ kind: "same", names: allNames(operands) }],
});
export const SameOperandsAndResultType = defineTrait("SameOperandsAndResultType", {
  dependsOn: "types",
  verify(op, report) {
    if (hasOneType(op) || !needsOperands(op, report)) return;
    const values = [...op.operands, ...op.results];
    const type = op.results[0]?.type ?? op.operand(0).type;
    const element = elementTypeOrSelf(type);
    const encoding = encodingOf(type);
    if (values.some((v) => elementTypeOrSelf(v.type) !== element) || !compatibleShapes(values))
      report.error("requires the same type for all operands and results", "verify.same-type");
    else if (values.some((v) => encodingOf(v.type) !== encoding))
      report.error("requires the same encoding for all operands and results", "verify.same-encoding");
  },
  typeRules: (operands, results) => [{ kind: "same", names: allNames(operands, results) }],
});
export const SameOperandsElementType = defineTrait("SameOperandsElementType", {
  dependsOn: "types",
  verify(op, report) {
    if (hasOneType(op) || !needsOperands(op, report)) return;
    const element = elementTypeOrSelf(op.operand(0).type);
    if (op.operands.some((v) => elementTypeOrSelf(v.type) !== element))
      report.error("requires the same element type for all operands", "verify.same-element-type");
  },
});
export const SameOperandsAndResultElementType = defineTrait("SameOperandsAndResultElementType", {
  dependsOn: "types",
  verify(op, report) {
    if (hasOneType(op) || !needsOperands(op, report)) return;
    const element = elementTypeOrSelf((op.results[0] ?? op.operand(0)).type);
    if ([...op.results, ...op.operands].some((v) => elementTypeOrSelf(v.type) !== element))
      report.error("requires the same element type for all operands and results", "verify.same-element-type");
  },
});
export const SameOperandsShape = defineTrait("SameOperandsShape", {
  dependsOn: "types",
  verify(op, report) {
    if (needsOperands(op, report) && !compatibleShapes(op.operands))
      report.error("requires the same shape for all operands", "verify.same-shape");
  },
});
export const SameOperandsAndResultShape = defineTrait("SameOperandsAndResultShape", {
  dependsOn: "types",
  verify(op, report) {
    if (needsOperands(op, report) && !compatibleShapes([...op.operands, ...op.results]))
      report.error("requires the same shape for all operands and results", "verify.same-shape");
  },
});

/** All named operands and results have the same type. */
export function AllTypesMatch(...names: readonly string[]): Trait {
  return defineTrait(`AllTypesMatch<${names.join(", ")}>`, {
    dependsOn: "types",
    predicate: true,
    verify(op, report) {
      let type: Type | undefined;
      for (let n = 0; n < names.length; n++) {
        const single = singleOfPart(op, names[n]!);
        if (single) {
          if ((type ??= single.type) === single.type) continue;
        } else if (typesOfPart(op, names[n]!).every((other) => (type ??= other) === other)) continue;
        return void report.error(`failed to verify that all of {${names.join(", ")}} have same type`, "verify.same-type");
      }
    },
    typeRules: () => [{ kind: "same", names }],
  });
}
/** The type of `to` follows from that of `from`; `description` as upstream's. */
export function TypesMatchWith(
  description: string,
  from: string,
  to: string,
  transform: (type: Type, attr: (name: string) => Attribute | undefined) => Type | undefined,
  mayLack = false,
): Trait {
  return defineTrait(`TypesMatchWith<${from}, ${to}>`, {
    dependsOn: transform.length < 2 ? "types" : "types and attributes",
    predicate: true,
    verify(op, report) {
      const source = singleOfPart(op, from)?.type ?? typesOfPart(op, from)[0];
      const target = singleOfPart(op, to)?.type ?? typesOfPart(op, to)[0];
      // The last operands only may be left out: without a mask there is nothing after it.
      const index = target || mayLack ? -1 : op.def.operands.findIndex((o) => o.name === to);
      if (index >= 0 && op.numOperands > index) report.error(`failed to verify that ${description}`, "verify.types-match");
      if (source && target && transform(source, (name) => op.attr(name)) !== target)
        report.error(`failed to verify that ${description}`, "verify.types-match");
    },
    typeRules: () => [{ kind: "from", from, to, transform }],
  });
}
/** The same where `to` is an operand that may be left out though others come after it. */
export function OptionalTypesMatchWith(description: string, from: string, to: string, transform: (type: Type) => Type | undefined): Trait {
  return TypesMatchWith(description, from, to, transform, true);
}
/** A predicate on the op; `description` completes "failed to verify that ...". */
export function PredOpTrait(description: string, holds: (op: Operation) => boolean): Trait {
  return defineTrait(`PredOpTrait<${description}>`, {
    predicate: true,
    dependsOn: "types and attributes",
    verify(op, report) {
      if (!holds(op)) report.error(`failed to verify that ${description}`, "verify.predicate");
    },
  });
}

/**
 * The verifier of InferTypeOpInterface: the result types are those that `inferTypes` gives, or `compatible` with them. It runs
 * with the checks of regions, as upstream's does: after the op's own verifier.
 */
export function InferTypeOpTrait(name: string, compatible: (inferred: Type, given: Type) => boolean): Trait {
  return defineTrait(name, {
    dependsOn: "types and attributes",
    verifyRegions(op, report) {
      const inferred = inferResultTypes(op.ctx, op.def, op.operands, op.attrs, op.regions, op.locRef, (message) =>
        report.plain(message, "verify.infer-types"),
      );
      const given = op.resultTypes;
      if (inferred) {
        if (inferred.length === given.length && inferred.every((t, i) => compatible(t, given[i]!))) return;
        const list = (types: readonly Type[]) => types.map((t) => `'${typeText(t)}'`).join(", ");
        report.error(
          `inferred type(s) ${list(inferred)} are incompatible with return type(s) of operation ${list(given)}`,
          "verify.infer-types",
        );
      }
      report.error("failed to infer returned types", "verify.infer-types");
    },
  });
}
/** Result types are exactly those that `inferTypes` gives. Source: mlir/lib/Interfaces/InferTypeOpInterface.cpp. */
export const InferTypeOpInterface = InferTypeOpTrait("InferTypeOpInterface", (inferred, given) => inferred === given);

/** The value of a part that is always one, where its place is plain to see. */
function singleOfPart(op: Operation, name: string): Value | undefined {
  const { operands, results, sizedOperands, sizedResults } = op.def;
  if (operands.length === op.operandUses.length && !sizedOperands)
    for (let i = 0; i < operands.length; i++)
      if (operands[i]!.name === name && operands[i]!.arity === "single") return op.operandUses[i]!.value;
  if (results.length === op.results.length && !sizedResults)
    for (let i = 0; i < results.length; i++) if (results[i]!.name === name && results[i]!.arity === "single") return op.results[i]!;
  return undefined;
}
function typesOfPart(op: Operation, name: string): readonly Type[] {
  const part = (op.def.viewOf(op) as Readonly<Record<string, Value | readonly Value[] | undefined>>)[name];
  if (part === undefined) return [];
  return (Array.isArray(part) ? (part as readonly Value[]) : [part as Value]).map((v) => v.type);
}
