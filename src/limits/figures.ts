/** The figures of a launch that a snapshot keeps, and how much each may grow. */
import type { Limits } from "./limits.js";

/** Names of figures, as `snapshot --limit` takes them. `bound` is the least time in seconds; the others are those of one program. */
export const LIMIT_FIGURES = ["sectors", "wavefronts", "tensor-instructions", "instructions", "registers", "bound"] as const;
type Figure = (typeof LIMIT_FIGURES)[number];
/** Registers are not known of AMD's GPUs without LLVM. */
export type LimitFigures = Readonly<Record<Exclude<Figure, "registers">, number> & { registers?: number }>;

/** The figures of a launch. */
export function figuresOf({ program, registers, time }: Limits): LimitFigures {
  return {
    sectors: program.sectorsRead + program.sectorsWritten,
    wavefronts: program.wavefronts,
    "tensor-instructions": program.tensorInstructions,
    instructions: program.instructions,
    ...(registers && { registers: registers.count }),
    bound: time.from,
  };
}

/** Figures that grew by more than they may, one sentence each: `sectors: 384 -> 512, +33.3 %, of +5 %`. */
export function exceeded(
  before: LimitFigures,
  now: LimitFigures,
  allowed: readonly (readonly [figure: string, most: number])[],
): readonly string[] {
  return allowed.flatMap(([figure, most]) => {
    const [was, is] = [before[figure as keyof LimitFigures], now[figure as keyof LimitFigures]];
    if (was === undefined || is === undefined) return [`${figure}: not known for this target`];
    if (is <= was * (1 + most)) return [];
    const growth = was === 0 ? "from nothing" : `+${(100 * (is / was - 1)).toFixed(1)} %`;
    return [`${figure}: ${was} -> ${is}, ${growth}, where +${100 * most} % is allowed`];
  });
}
