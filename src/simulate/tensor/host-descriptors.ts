/** Descriptors among a kernel's arguments, which targets without TMA replace by a pointer and numbers (`triton-rewrite-tensor-descriptor-to-pointer`). */

import { signlessBlockType, TensorDescType } from "../../dialects/tt/types.js";
import type { Operation } from "../../ir/operation.js";
import type { ArgumentPlan } from "./arguments.js";

/** Whether a descriptor fills outside with NaN; since Triton 3.7 one more, whether it rounds to tf32. */
const FLAGS = [1, 2];

const countOf = (ranks: readonly (number | undefined)[], flags: number): number =>
  ranks.reduce<number>((sum, rank) => sum + (rank === undefined ? 1 : 1 + 2 * rank + flags), 0);

/** How many arguments a kernel may have once passes have run. */
export function argumentCounts(kernel: Operation): readonly number[] {
  const types = kernel.regions[0]!.firstBlock!.args.map(({ type }) => type);
  const ranks = types.map((type) => (TensorDescType.is(type) ? signlessBlockType(type).params.shape.length : undefined));
  return [types.length, ...FLAGS.map((flags) => countOf(ranks, flags))];
}

/** The same arguments where a kernel takes `count`. */
export function expandedTo(count: number, args: readonly ArgumentPlan[]): readonly ArgumentPlan[] {
  const ranks = args.map((arg) => (arg.kind === "descriptor" ? arg.shape.length : undefined));
  const flags = FLAGS.find((n) => countOf(ranks, n) === count);
  if (count === args.length || flags === undefined) return args;
  return args.flatMap((arg): readonly ArgumentPlan[] => {
    if (arg.kind !== "descriptor") return [arg];
    const { shape, strides, kind, ...buffer } = arg;
    const numbers = [...shape, ...strides].map(BigInt);
    const off = new Array<number>(flags).fill(0);
    return [
      { kind: "pointer", init: undefined, ...buffer },
      ...[...numbers, ...off].map((value, i) => ({ kind: "scalar", name: `${arg.name}.${i}`, value }) as const),
    ];
  });
}
