/** Where ttg's attributes are allowed, and with which values. Source: Dialect.cpp, TritonGPUDialect::verifyOperationAttribute. */
import type { Attribute } from "../../ir/attribute.js";
import { ArrayAttr, intsOf } from "../../ir/builtin-attrs.js";
import type { OpReport } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import { NUM_CTAS, NUM_WARPS, TARGET, THREADS_PER_WARP } from "./num-warps.js";

/** The partitions of warps that run an op. */
export const PARTITION = "ttg.partition";
/** For each result of an op with regions: the partitions that need it. */
export const PARTITION_OUTPUTS = "ttg.partition.outputs";

const CODE = "ttg.attribute";

export function verifyAttr(op: Operation, name: string, value: Attribute, report: OpReport): void {
  switch (name) {
    case NUM_CTAS:
    case TARGET:
    case THREADS_PER_WARP:
      if (op.name !== "builtin.module") report.error(`has unexpected attribute "${name}" which is expected only on \`module\` ops`, CODE);
      return;
    case NUM_WARPS:
      if (op.name !== "builtin.module" && op.name !== "tt.func")
        report.error(`has unexpected attribute "${name}" which is expected only on \`module\` or \`tt.func\` ops`, CODE);
      return;
    case PARTITION: {
      const ids = partitionIds(value, name, report);
      if (ids) verifyNested(op, ids, report);
      return;
    }
    case PARTITION_OUTPUTS:
      return verifyOutputs(op, value, report);
  }
}

/** The ids, if they are as they should be: some, in order, each once. */
function partitionIds(value: Attribute, name: string, report: OpReport): readonly number[] | undefined {
  const ids = intsOf(value);
  if (!ids) report.error(`expects partition ids as i32 array in attribute "${name}"`, CODE);
  else if (new Set(ids).size !== ids.length) report.error(`has duplicated partition ids in attribute "${name}"`, CODE);
  else if (ids.length === 0) report.error(`has no partition ids in attribute "${name}"`, CODE);
  else if (ids.some((id, i) => i > 0 && id < ids[i - 1]!)) report.error(`partition ids not in sorted order in attribute "${name}"`, CODE);
  else return ids;
  return undefined;
}

/** Ops nested in one with partitions say theirs, and these are among its own. */
function verifyNested(op: Operation, ids: readonly number[], report: OpReport): void {
  const expected = new Set<number>();
  for (const region of op.regions)
    for (const block of region.blocks())
      for (const nested of block.ops()) {
        if (nested.name === "scf.yield" || nested.name === "ub.poison") continue;
        const nestedIds = intsOf(nested.attr(PARTITION));
        if (!nestedIds) {
          const wanted = `does not have expected attribute ${PARTITION} which is expected for ops whose parent has partitions`;
          return void report.plain(`'${nested.name}' op ${wanted}`, CODE, nested.locRef);
        }
        for (const id of nestedIds) expected.add(id);
      }
  for (const id of expected)
    if (!ids.includes(id))
      return void report.error(`partition ids in attr "${PARTITION}" does not contain partition ids of all child ops`, CODE);
}

function verifyOutputs(op: Operation, value: Attribute, report: OpReport): void {
  const name = PARTITION_OUTPUTS;
  if (!ArrayAttr.is(value)) return void report.error(`expects an array of partition ids in attribute "${name}"`, CODE);
  const outputs: (readonly number[])[] = [];
  for (const element of value.params.elements) {
    const ids = partitionIds(element, name, report);
    if (!ids) return;
    outputs.push(ids);
  }
  if (op.name !== "scf.for" && op.name !== "scf.if" && op.name !== "tt.reduce")
    return void report.error(`has unexpected attribute "${name}"`, CODE);
  if (outputs.length !== op.results.length) {
    report.error(`does not have expected number of output partition sets in attr "${name}"; should match number of results`, CODE);
    return;
  }
  const own = intsOf(op.attr(PARTITION));
  if (!own) return void report.error(`does not have expected attribute ${PARTITION} which is expected for ops with attr ${name}`, CODE);
  if (outputs.some((ids) => ids.some((id) => !own.includes(id))))
    report.error(`partition ids in attr ${PARTITION} must be the union of all partition ids in "${name}"`, CODE);
}
