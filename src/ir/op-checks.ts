/** Requirements of a definition on its ops: numbers, types and groups of operands and results, attributes, regions. */
import type { Attribute } from "./attribute.js";
import { intsOf } from "./builtin-attrs.js";
import type { Arity } from "./constraints.js";
import { groupRange, type NamedValueSpec, type OpDef } from "./define-op.js";
import { SymbolUser } from "./interfaces.js";
import type { Operation } from "./operation.js";
import type { Report } from "./report.js";
import { typeText } from "./text-hook.js";
import { AttrSizedOperandSegments, type Trait } from "./traits.js";

/** The checks that a definition requires of its ops, sorted once. */
export interface Checks {
  readonly structural: readonly Trait[];
  readonly traits: readonly Trait[];
  /** Those of `traits` that look at more than types, and those that look at more than types and attributes. */
  readonly furtherTraits: readonly Trait[];
  readonly unalikeTraits: readonly Trait[];
  /** Whether there is something to check of an op without regions after all this. */
  readonly later: boolean;
  readonly regionTraits: readonly Trait[];
  readonly unalikeRegionTraits: readonly Trait[];
  readonly symbolUser: boolean;
  /** The numbers of operands, results, regions and successors, unless an attribute gives them; then only they need a look. */
  readonly counts: readonly [Count, Count, Count, Count];
  /** Whether an attribute gives the sizes of groups. */
  readonly sized: boolean;
  /** Whether what is found right of an op may hold for others of the same types. */
  readonly comparable: boolean;
  /** Whether an op stays right while its types and attributes do, wherever it is, or as long as the ops around it keep their attributes. */
  readonly lasts: "anywhere" | "here" | undefined;
}
interface Count {
  readonly min: number;
  readonly exact: boolean;
}
export function checksOf(def: OpDef): Checks {
  return (def.checks ??= makeChecks(def)) as Checks;
}
function makeChecks(def: OpDef): Checks {
  const traits = [...def.traits];
  const symbolUser = def.interface(SymbolUser) !== undefined;
  const regionTraits = traits.filter((t) => t.verifyRegions);
  const values = (specs: readonly NamedValueSpec[]) => countOf(specs.map((s) => s.arity !== "single"));
  const parts = (specs: readonly { readonly variadic: boolean }[]) => countOf(specs.map((s) => s.variadic));
  const checked = traits.filter((t) => t.verify ?? t.verifyRegions);
  const comparable = def.registered && ![...def.regions, ...def.successors].some((part) => part.variadic);
  const later = regionTraits.length > 0 || symbolUser || def.verifyRegions !== undefined;
  const lasting =
    comparable &&
    def.regions.length + def.successors.length === 0 &&
    checked.every((t) => t.dependsOn !== undefined) &&
    !symbolUser &&
    !def.verifyRegions &&
    (!def.verify || def.verifyDependsOn !== undefined);
  const lasts = !lasting ? undefined : checked.some((t) => t.dependsOn === "surroundings") ? "here" : "anywhere";
  return {
    structural: traits.filter((t) => t.structural && t.verify),
    traits: traits.filter((t) => !t.structural && t.verify),
    furtherTraits: traits.filter((t) => !t.structural && t.verify && t.dependsOn !== "types"),
    unalikeTraits: traits.filter((t) => !t.structural && t.verify && !dependsOnOp(t)),
    later,
    regionTraits,
    unalikeRegionTraits: regionTraits.filter((t) => !dependsOnOp(t)),
    symbolUser,
    counts: [values(def.operands), values(def.results), parts(def.regions), parts(def.successors)],
    sized: def.sizedOperands || def.sizedResults,
    comparable,
    lasts,
  };
}
const dependsOnOp = ({ dependsOn }: Trait): boolean => dependsOn === "types" || dependsOn === "types and attributes";
function countOf(varies: readonly boolean[]): Count {
  const min = varies.filter((v) => !v).length;
  return { min, exact: min === varies.length };
}
/** Whether the counts are right for an op that no attribute divides into groups. */
export function countsFit(op: Operation, { counts, sized }: Checks): boolean {
  return (
    !sized &&
    fits(op.operandUses.length, counts[0]) &&
    fits(op.results.length, counts[1]) &&
    fits(op.regions.length, counts[2]) &&
    fits(op.successors.length, counts[3])
  );
}
function fits(count: number, { min, exact }: Count): boolean {
  return exact ? count === min : count >= min;
}

/** Operand, result, region and successor counts; the segment sizes of ops that have several variadic groups. */
export function checkCounts(op: Operation, report: Report): boolean {
  const { def } = op;
  if (def.traits.has(AttrSizedOperandSegments) && !checkSegments(op, "operand", def.operands, op.operandUses.length, report)) return false;
  if (def.sizedResults && !checkSegments(op, "result", def.results, op.results.length, report)) return false;
  const counts: [string, readonly NamedValueSpec[], number][] = [
    ["operand", def.operands, op.operandUses.length],
    ["result", def.results, op.results.length],
  ];
  for (const [what, specs, count] of counts) {
    const single = specs.reduce((n, s) => n + (s.arity === "single" ? 1 : 0), 0);
    const exact = single === specs.length;
    if (exact ? count === single : count >= single) continue;
    const wanted =
      what === "operand" || single > 1 || !exact
        ? exact
          ? single === 0
            ? `requires zero ${what}s`
            : single === 1
              ? `requires a single ${what}`
              : `expected ${single} ${what}s, but found ${count}`
          : `expected ${single} or more ${what}s, but found ${count}`
        : single === 0
          ? `requires zero ${what}s`
          : "requires one result";
    report.error(wanted, `verify.${what}-count`);
    return false;
  }
  const minRegions = def.regions.filter((r) => !r.variadic).length;
  const exactRegions = minRegions === def.regions.length;
  if (exactRegions ? op.regions.length !== minRegions : op.regions.length < minRegions) {
    const text = minRegions === 0 ? "requires zero regions" : minRegions === 1 ? "requires one region" : `expected ${minRegions} regions`;
    report.error(exactRegions ? text : `expected ${minRegions} or more regions`, "verify.region-count");
    return false;
  }
  const minSuccessors = def.successors.filter((s) => !s.variadic).length;
  const exactSuccessors = minSuccessors === def.successors.length;
  if (exactSuccessors ? op.successors.length !== minSuccessors : op.successors.length < minSuccessors) {
    const text =
      minSuccessors === 0
        ? "requires 0 successors but found " + op.successors.length
        : `requires ${minSuccessors} successors but found ${op.successors.length}`;
    report.error(text, "verify.successor-count");
    return false;
  }
  return true;
}

function checkSegments(
  op: Operation,
  what: "operand" | "result",
  specs: readonly NamedValueSpec[],
  count: number,
  report: Report,
): boolean {
  const name = `${what}SegmentSizes`;
  // Absent sizes are zeros.
  const sizes = intsOf(op.attr(name)) ?? specs.map(() => 0);
  if (sizes.some((s) => s < 0)) return (report.error(`'${name}' attribute cannot have negative elements`, "verify.segments"), false);
  if (sizes.length !== specs.length) {
    report.error(
      `'${name}' attribute for specifying ${what} segments must have ${specs.length} elements, but got ${sizes.length}`,
      "verify.segments",
    );
    return false;
  }
  const total = sizes.reduce((a, b) => a + b, 0);
  if (total !== count) {
    report.error(
      `${what} count (${count}) does not match with the total size (${total}) specified in attribute '${name}'`,
      "verify.segments",
    );
    return false;
  }
  return true;
}

export function checkAttributes(op: Operation, def: OpDef, report: Report): void {
  for (let i = 0; i < def.attrs.length; i++) {
    const spec = def.attrs[i]!;
    const { name, constraint } = spec;
    const attr: Attribute | undefined = op.attr(name);
    if (attr === undefined) {
      if (!spec.optional && !spec.default) return void report.error(`requires attribute '${name}'`, "verify.attribute");
    } else if (!constraint.test(attr))
      return void report.error(`attribute '${name}' failed to satisfy constraint: ${constraint.description}`, "verify.attribute");
  }
}

export function checkGroup(
  op: Operation,
  what: "operand" | "result",
  specs: readonly NamedValueSpec[],
  sized: boolean,
  report: Report,
): void {
  const uses = op.operandUses;
  const { results } = op;
  const isOperand = what === "operand";
  const count = isOperand ? uses.length : results.length;
  const sizes = sized ? intsOf(op.attr(`${what}SegmentSizes`)) : undefined;
  const oneEach = specs.length === count && !sizes;
  for (let g = 0; g < specs.length; g++) {
    const { arity, constraint } = specs[g]!;
    let start = g;
    let size = 1;
    if (!oneEach) ({ start, size } = groupRange(specs, g, count, sizes));
    if (!sizeFits(arity, size))
      return void report.error(
        `${what} group starting at #${start} requires ${arity === "single" ? 1 : "0 or 1"} element, but found ${size}`,
        `verify.${what}-count`,
      );
    for (let i = start; i < start + size; i++) {
      const { type } = isOperand ? uses[i]!.value : results[i]!;
      if (constraint.test(type)) continue;
      const variadic = arity === "variadic" ? "variadic of " : "";
      return void report.error(
        `${what} #${i} must be ${variadic}${constraint.description}, but got '${typeText(type)}'`,
        `verify.${what}-type`,
      );
    }
  }
}

function sizeFits(arity: Arity, size: number): boolean {
  return arity === "variadic" || (arity === "single" ? size === 1 : size <= 1);
}

export function checkRegions(op: Operation, def: OpDef, report: Report): void {
  for (let i = 0; i < op.regions.length; i++) {
    const spec = def.regions[Math.min(i, def.regions.length - 1)];
    if (!spec) return;
    const region = op.regions[i]!;
    const blocks = spec.maxBlocks === undefined && spec.minBlocks === undefined ? -1 : region.numBlocks();
    if (blocks < 0) continue;
    const wrong = (spec.maxBlocks !== undefined && blocks > spec.maxBlocks) || (spec.minBlocks !== undefined && blocks < spec.minBlocks);
    if (!wrong) continue;
    const wanted =
      spec.minBlocks === undefined
        ? `with at most ${spec.maxBlocks} blocks`
        : spec.maxBlocks === undefined
          ? `with at least ${spec.minBlocks} blocks`
          : `with ${spec.minBlocks} blocks`;
    return void report.error(`region #${i} ('${spec.name}') failed to verify constraint: region ${wanted}`, "verify.region");
  }
}
