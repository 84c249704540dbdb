/**
 * Older IR as Triton 3.6 spells it, where it has a counterpart:
 *
 *     %3 = "triton_gpu.cmpi"(%1, %2) {predicate = 2 : i64} : (...) -> tensor<16xi1, #triton_gpu.blocked<...>>
 *     %3 = arith.cmpi slt, %1, %2 : tensor<16xi32, #ttg.blocked<...>>
 *
 * IR without a counterpart stays: tensors in shared memory and the ops that make them (2.0), reductions to an index.
 */
import { dictAttr, IntegerAttr, i32ArrayAttr, i32Attr } from "../ir/builtin-attrs.js";
import type { Operation } from "../ir/operation.js";
import { Modernizer, modernName } from "./entities.js";
import { rewriteOp } from "./ops.js";

/** Whether a module has something of the dialects that Triton 3.3 renamed. */
export function hasRenamedDialects(module: Operation): boolean {
  const modern = new Modernizer(module.ctx);
  let found = false;
  module.walk(({ name, attrs: { params }, results }) => {
    found ||=
      /^triton_(?:nvidia_)?gpu\./.test(name) ||
      params.names.some((attr) => modernName(attr) !== attr) ||
      params.values.some((value) => modern.attr(value) !== value) ||
      results.some(({ type }) => modern.type(type) !== type);
  });
  return found;
}

/** Modernises a module in place; it prints in today's spelling then. */
export function modernize(module: Operation): void {
  const { ctx } = module;
  const modern = new Modernizer(ctx);
  const ops: Operation[] = [];
  module.walk((op) => void ops.push(op));
  for (const op of ops) {
    for (const result of op.results) result.setType(modern.type(result.type));
    for (const region of op.regions) for (const block of region.blocks()) for (const arg of block.args) arg.setType(modern.type(arg.type));
    const { names, values } = op.attrs.params;
    op.setAttrs(
      dictAttr(
        ctx,
        names.map((name, i) => [modernName(name), modern.attr(values[i]!)]),
      ),
    );
  }
  addModuleAttrs(module);
  requireThreads(module);
  // Types are today's now: ops that ask for them can be made.
  for (const op of ops) rewriteOp(op);
  ctx.spelling = undefined;
}

/** Adds the attributes that 3.6 needs on a module with layouts; older versions had only one value for each. */
function addModuleAttrs(module: Operation): void {
  const { ctx } = module;
  if (!module.hasAttr("ttg.num-warps")) return;
  if (!module.hasAttr("ttg.num-ctas")) module.setAttr("ttg.num-ctas", i32Attr(ctx, 1));
  if (!module.hasAttr("ttg.threads-per-warp")) module.setAttr("ttg.threads-per-warp", i32Attr(ctx, 32));
}

/** The number of threads that a kernel asks for was an upper bound, and before 2023 a number. */
function requireThreads(module: Operation): void {
  const { ctx } = module;
  for (let op = module.regions[0]?.firstBlock?.firstOp; op; op = op.next) {
    const threads = op.attr("nvvm.maxntid");
    if (op.name !== "llvm.func" || threads === undefined) continue;
    op.removeAttr("nvvm.maxntid");
    op.setAttr("nvvm.reqntid", IntegerAttr.is(threads) ? i32ArrayAttr(ctx, [Number(threads.params.value)]) : threads);
  }
}
