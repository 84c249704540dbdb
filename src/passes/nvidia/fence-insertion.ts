import { ForOp } from "../../dialects/scf/ops/for.js";
import { DotOpInterface } from "../../dialects/tt/op-interfaces.js";
import { LocalAllocOp, LocalStoreOp } from "../../dialects/ttg/ops/local-memory.js";
import { WarpSpecializePartitionsOp } from "../../dialects/ttg/ops/warp-specialize.js";
import { MemDescViewTrait } from "../../dialects/ttg/ttg-op.js";
import { MemDescType } from "../../dialects/ttg/types.js";
import { FenceAsyncSharedOp } from "../../dialects/ttng/ops/barrier.js";
import { gpuOf } from "../../gpu/nvidia.js";
import { LoopLike } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { definePass } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";
import { Rewriter } from "../../rewrite/rewriter.js";

export const fenceInsertion = definePass("triton-nvidia-gpu-fence-insertion", {
  name: "TritonGPUFenceInsertion",
  summary: "Insert fences across generic and async proxy",
  source: "lib/Dialect/TritonNvidiaGPU/Transforms/FenceInsertion.cpp",
  options: { computeCapability: option.int({ default: 90, summary: "device compute capability" }) },
  statistics: { fences: "fences inserted" },
  run(root, { options, listener, count }) {
    if (!gpuOf(options.computeCapability).tma) return;
    const rw = new Rewriter(root.ctx, listener);
    root.walkPostOrder((op) => {
      const dot = op.def.interface(DotOpInterface);
      if (!dot) return;
      const copies = [...copiesToShared(dot.a(op)), ...copiesToShared(dot.b(op))];
      if (copies.length === 0) return;
      let before = op;
      for (let loop = enclosingLoop(before); loop; loop = enclosingLoop(before)) {
        const around = loop;
        if (copies.some((copy) => around.isAncestorOf(copy))) break;
        before = loop;
      }
      const last = FenceAsyncSharedOp.match(before.prev);
      if (last && !last.bCluster) return;
      count("fences");
      rw.from(op, () => void rw.setBefore(before).create(FenceAsyncSharedOp, { bCluster: false }, { loc: op.locRef }));
    });
  },
});

function enclosingLoop(op: Operation): Operation | undefined {
  let at = op.parentOp;
  while (at && !at.def.interface(LoopLike)) at = at.parentOp;
  return at ?? undefined;
}

/** The ops that copy registers to a buffer that `operand` may be. */
function copiesToShared(operand: Value): ReadonlySet<Operation> {
  const found = new Set<Operation>();
  const visited = new Set<Value>();
  const visit = (value: Value): void => {
    if (visited.has(value)) return;
    visited.add(value);
    if (!MemDescType.is(value.type)) return;
    const op = value.definingOp;
    if (!op) return visitArgument(value);
    const alloc = LocalAllocOp.match(op);
    if (alloc?.src) found.add(op);
    const store = alloc && storeInto(alloc.result);
    if (store) found.add(store);
    else op.operands.forEach(visit);
  };
  const visitArgument = (arg: Value): void => {
    const owner = arg.argOwner!.parentOp!;
    const loop = ForOp.match(owner);
    if (loop) {
      visit(loop.initArgs[arg.index - 1]!);
      visit(arg.argOwner!.lastOp!.operand(arg.index - 1));
    } else if (WarpSpecializePartitionsOp.is(owner)) visit(owner.parentOp!.operand(arg.index));
    // Nobody knows what comes in: to be safe.
    else found.add(owner);
  };
  visit(operand);
  return found;
}
/** A store into the buffer or a view of it. */
function storeInto(buffer: Value): Operation | undefined {
  for (let user of buffer.users()) {
    while (user.def.traits.has(MemDescViewTrait) && user.result(0).hasOneUse()) user = user.result(0).firstUse!.owner;
    if (LocalStoreOp.is(user)) return user;
  }
  return undefined;
}
