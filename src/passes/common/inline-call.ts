/** Puts the body of a function in place of a call to it. Source: mlir/lib/Transforms/Utils/InliningUtils.cpp. */
import type { Attribute } from "../../ir/attribute.js";
import type { Block } from "../../ir/block.js";
import { Builder } from "../../ir/builder.js";
import { cloneRegionInto, Mapping } from "../../ir/clone.js";
import { CallableOp, CallOp } from "../../ir/interfaces.js";
import { CallSiteLoc, callSiteLoc, type LocationRef, resolveLocation, UnknownLoc } from "../../ir/location.js";
import type { Operation } from "../../ir/operation.js";
import type { Region } from "../../ir/region.js";
import type { RewriteListener } from "../../rewrite/rewriter.js";

export interface InlineOptions {
  /** Copy the body (others call the function too), or move it. */
  readonly clone: boolean;
  /** Sees the new blocks before their terminators are replaced. */
  readonly processBlocks: (blocks: readonly Block[]) => void;
  readonly listener: RewriteListener;
}

/** Inlines `callable` at `call`, whose results then have no uses; the call itself stays. Returns whether it was legal. */
export function inlineCall(call: Operation, callable: Operation, body: Region, options: InlineOptions): boolean {
  const { ctx } = call;
  const { clone, listener } = options;
  const target = call.block!;
  const into = target.region!;
  const args = call.def.interface(CallOp)!.argOperands(call);
  const entry = body.firstBlock!;
  const resultTypes = callable.def.interface(CallableOp)!.resultTypes(callable);
  if (args.length !== entry.args.length || resultTypes.length !== call.results.length) return false;
  if (args.some((arg, i) => arg.type !== entry.args[i]!.type) || resultTypes.some((t, i) => t !== call.result(i).type)) return false;
  if (!isCallLegal(call, callable) || !hooksOf(into.parentOp!) || !isBodyLegal(body)) return false;

  const mapping = new Mapping().mapAll(entry.args, args);
  // The ops after the call move to a new block only if the inlined body has several blocks.
  const isOneBlock = body.hasOneBlock;
  const behind = isOneBlock ? target.next : splitAfter(call);
  if (clone) cloneRegionInto(body, into, mapping, behind);
  else into.takeBlocksOf(body, behind);
  const blocks: Block[] = [];
  for (let block = target.next; block !== behind; block = block!.next) blocks.push(block!);
  const caller = call.loc;
  if (!UnknownLoc.is(caller)) stackLocations(blocks, caller);
  if (clone) for (const block of blocks) for (const op of block.ops()) op.walk((inner) => listener.inserted?.(inner));
  else
    for (const block of blocks)
      for (const op of block.ops())
        op.walk((inner) => {
          for (const use of inner.operandUses) use.set(mapping.get(use.value));
        });
  options.processBlocks(blocks);

  const first = blocks[0]!;
  if (isOneBlock) {
    const terminator = first.lastOp!;
    hooksOf(terminator)?.handleTerminator?.(Builder.before(terminator), terminator, call.results, undefined);
    if (terminator.block) terminator.erase();
    target.takeOpsOf(first, call.next);
  } else {
    const rest = behind!;
    for (const result of call.results) result.replaceAllUsesWith(rest.addArgument(result.type, call.locRef));
    const saved = ctx.origin;
    for (const block of blocks) {
      const terminator = block.lastOp!;
      ctx.origin = terminator.id;
      hooksOf(terminator)?.handleTerminator?.(Builder.before(terminator), terminator, terminator.operands, rest);
    }
    ctx.origin = saved;
    target.takeOpsOf(first);
  }
  first.erase();
  return true;
}

const hooksOf = (op: Operation) => (op.def.registered ? op.ctx.dialects.get(op.def.dialect)?.inliner : undefined);

function isCallLegal(call: Operation, callable: Operation): boolean {
  const hooks = hooksOf(call);
  return hooks !== undefined && (hooks.shouldInlineCall?.(call, callable) ?? true);
}
/** Whether every op of the body is legal in another function. */
function isBodyLegal(body: Region): boolean {
  for (const block of body.blocks())
    for (const op of block.ops()) if (!hooksOf(op)?.isLegalToInline(op) || !op.regions.every(isBodyLegal)) return false;
  return true;
}

/** Moves what follows `op` into a new block after its own. */
function splitAfter(op: Operation): Block {
  const block = op.block!;
  if (op.next) return block.splitBefore(op.next);
  const rest = block.region!.addBlock();
  rest.moveTo(block.region!, block.next);
  return rest;
}

/** Inlined ops say by whom they were called, below the calls they say already. */
function stackLocations(blocks: readonly Block[], caller: Attribute): void {
  const { ctx } = caller;
  const mapped = new Map<LocationRef, Attribute>();
  const remap = (loc: LocationRef): Attribute => {
    let result = mapped.get(loc);
    if (!result) mapped.set(loc, (result = stacked(resolveLocation(ctx, loc), caller)));
    return result;
  };
  for (const block of blocks) {
    for (const arg of block.args) arg.argLoc = remap(arg.argLoc!);
    for (const op of block.ops())
      op.walk((inner) => {
        inner.setLoc(remap(inner.locRef));
        for (const region of inner.regions)
          for (const nested of region.blocks()) for (const arg of nested.args) arg.argLoc = remap(arg.argLoc!);
      });
  }
}
function stacked(callee: Attribute, caller: Attribute): Attribute {
  if (!CallSiteLoc.is(callee)) return callSiteLoc(callee, caller);
  return callSiteLoc(callee.params.callee, stacked(callee.params.caller, caller));
}
