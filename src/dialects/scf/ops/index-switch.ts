import { DenseArrayAttr, denseArray } from "../../../ir/builtin-attrs.js";
import { i64, indexType } from "../../../ir/builtin-types.js";
import { AnyType, DenseI64ArrayAttr, Index, SizedRegion1, variadic } from "../../../ir/constraints.js";
import { defineOp, type OpReport } from "../../../ir/define-op.js";
import { ensureTerminator } from "../../../ir/implicit-terminator.js";
import { implement, RegionBranch } from "../../../ir/interfaces.js";
import { constantInt } from "../../../ir/match.js";
import type { Operation } from "../../../ir/operation.js";
import type { Region } from "../../../ir/region.js";
import { typeText } from "../../../ir/text-hook.js";
import { RecursiveMemoryEffects, SingleBlockImplicitTerminator } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import { YieldOp } from "./yield.js";

/**
 * Runs the region of the matching case, or the default one (which is region 0).
 * Source: mlir/include/mlir/Dialect/SCF/IR/SCFOps.td, IndexSwitchOp.
 */
export const IndexSwitchOp = defineOp("scf.index_switch", () => ({
  summary: "switch-case operation on an index argument",
  operands: { arg: Index },
  attrs: { cases: DenseI64ArrayAttr },
  results: { results: variadic(AnyType) },
  regions: { defaultRegion: SizedRegion1, caseRegions: { ...SizedRegion1, variadic: true } },
  traits: [SingleBlockImplicitTerminator("scf.yield"), RecursiveMemoryEffects],
  interfaces: [
    implement(RegionBranch, {
      successors(op, from, constants) {
        if (from !== "parent") return ["parent"];
        const known = constantInt(constants?.[0]);
        if (known === undefined) return op.regions;
        return [op.regions[caseValues(op).indexOf(known) + 1]!];
      },
      entryOperands: () => [],
    }),
  ],

  parse(p) {
    p.state.operands.push(p.resolve(p.operand(), indexType(p.ctx)));
    p.optAttrDict();
    if (p.optPunct("->")) p.state.types.push(...p.types());
    const cases: bigint[] = [];
    const regions: Region[] = [];
    while (p.optKeyword("case")) {
      cases.push(p.integer());
      regions.push(p.region([], { add: false }));
    }
    p.setAttr("cases", denseArray(i64(p.ctx), cases));
    p.keyword("default");
    ensureTerminator(p.region(), YieldOp, p.opLoc);
    p.state.regions.push(...regions);
  },
  print({ op, arg, defaultRegion, caseRegions }, p) {
    const cases = caseValues(op);
    p.write(` ${p.value(arg)}`);
    p.optAttrDict(op, ["cases"]);
    if (op.results.length > 0) p.write(` -> ${p.types(op.resultTypes)}`);
    p.write(" ");
    caseRegions.forEach((region, i) => {
      p.newline();
      p.write(`case ${cases[i]} `);
      p.region(region, { entryArgs: false });
    });
    p.newline();
    p.write("default ");
    const yielded = defaultRegion.firstBlock?.lastOp;
    const terminators = !yielded || yielded.numOperands > 0 || yielded.attrs.params.names.length > 0;
    p.region(defaultRegion, { terminators });
  },

  verify({ op, defaultRegion, caseRegions }, report) {
    const cases = caseValues(op);
    if (cases.length !== caseRegions.length)
      return void report.error(`has ${caseRegions.length} case regions but ${cases.length} case values`, "scf.index_switch");
    const seen = new Set<bigint>();
    for (const value of cases) {
      if (seen.has(value)) return void report.error(`has duplicate case value: ${value}`, "scf.index_switch");
      seen.add(value);
    }
    if (!verifyYield(defaultRegion, "default region", op.results, report)) return;
    for (let i = 0; i < caseRegions.length; i++) if (!verifyYield(caseRegions[i]!, `case region #${i}`, op.results, report)) return;
  },
}));

/** The values of the cases: all 64 bits, which the view's numbers do not hold. */
export function caseValues(op: Operation): readonly bigint[] {
  const attr = op.attr("cases");
  return DenseArrayAttr.is(attr) ? attr.params.elements : [];
}

function verifyYield(region: Region, name: string, results: readonly Value[], report: OpReport): boolean {
  const last = region.firstBlock!.lastOp!;
  const fail = (message: string, note?: string): false => {
    report.error(message, "scf.index_switch");
    if (note !== undefined) report.note(note, last.locRef);
    return false;
  };
  if (last.def !== YieldOp) return fail(`expected region to end with scf.yield, but got ${last.name}`);
  if (last.numOperands !== results.length)
    return fail(
      `expected each region to return ${results.length} values, but ${name} returns ${last.numOperands}`,
      "see yield operation here",
    );
  for (let i = 0; i < results.length; i++) {
    const [wanted, got] = [results[i]!.type, last.operand(i).type];
    if (wanted !== got)
      return fail(`expected result #${i} of each region to be '${typeText(wanted)}'`, `${name} returns '${typeText(got)}' here`);
  }
  return true;
}
