/**
 * Builders of loops and ifs with their regions, blocks and terminators, as upstream's `build` functions make them:
 * the order in which listeners hear of the new ops is theirs. Source: mlir/lib/Dialect/SCF/IR/SCF.cpp.
 */
import type { Type } from "../../ir/attribute.js";
import type { Builder, CreateOptions } from "../../ir/builder.js";
import type { LocationRef } from "../../ir/location.js";
import { Region } from "../../ir/region.js";
import type { Value } from "../../ir/value.js";
import { ForOp, type ForView } from "./ops/for.js";
import { IfOp, type IfView } from "./ops/if.js";
import { WhileOp, type WhileView } from "./ops/while.js";
import { YieldOp } from "./ops/yield.js";

/** The location of a value, without resolving it. */
export function valueLocation(value: Value): LocationRef {
  return value.definingOp?.locRef ?? value.argLoc ?? 0;
}

export interface ForParts {
  readonly lowerBound: Value;
  readonly upperBound: Value;
  readonly step: Value;
  readonly initArgs?: readonly Value[];
  readonly unsignedCmp?: boolean;
}
/**
 * A loop with an empty body, which gets its yield when nothing is carried. `body` fills it: the builder is then at
 * its start, and what it makes must end with a yield.
 */
export function buildFor(
  b: Builder,
  parts: ForParts,
  options: CreateOptions = {},
  body?: (iv: Value, iterArgs: readonly Value[]) => void,
): ForView {
  const { initArgs = [] } = parts;
  const loc = options.loc ?? b.loc;
  const region = new Region(b.ctx, null, 0);
  const block = region.addBlock();
  const iv = block.addArgument(parts.lowerBound.type, loc);
  const iterArgs = initArgs.map((init) => block.addArgument(init.type, valueLocation(init)));
  if (body || initArgs.length === 0)
    b.preserving(() => {
      b.setStart(block);
      if (body) body(iv, iterArgs);
      else b.create(YieldOp, { results: [] }, { loc });
    });
  return b.create(ForOp, { ...parts, initArgs, region }, { ...options, loc, types: initArgs.map((v) => v.type) });
}

/** An if with an empty block in its `then` region (and `else` region, if wanted), each with a yield when there are no results. */
export function buildIf(
  b: Builder,
  resultTypes: readonly Type[],
  condition: Value,
  withElse: boolean,
  options: CreateOptions = {},
): IfView {
  const loc = options.loc ?? b.loc;
  const makeRegion = (): Region => {
    const region = new Region(b.ctx, null, 0);
    const block = region.addBlock();
    if (resultTypes.length === 0) b.preserving(() => void b.setEnd(block).create(YieldOp, { results: [] }, { loc }));
    return region;
  };
  const thenRegion = makeRegion();
  const elseRegion = withElse ? makeRegion() : new Region(b.ctx, null, 1);
  return b.create(IfOp, { condition, thenRegion, elseRegion }, { ...options, loc, types: resultTypes });
}

/** A while with an empty block in both regions: arguments as the inits and as the results. */
export function buildWhile(b: Builder, resultTypes: readonly Type[], inits: readonly Value[], options: CreateOptions = {}): WhileView {
  const loc = options.loc ?? b.loc;
  const before = new Region(b.ctx, null, 0);
  const beforeBlock = before.addBlock();
  for (const init of inits) beforeBlock.addArgument(init.type, valueLocation(init));
  const after = new Region(b.ctx, null, 1);
  const afterBlock = after.addBlock();
  for (const type of resultTypes) afterBlock.addArgument(type, loc);
  return b.create(WhileOp, { inits, before, after }, { ...options, loc, types: resultTypes });
}
