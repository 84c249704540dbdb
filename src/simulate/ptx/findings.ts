import type { LastRequest } from "./access.js";

/** The findings of a run, besides its stores: one entry for each kind and instruction, with the first message and a count. */
export type FindingKind =
  | "out-of-bounds"
  | "misaligned"
  | "unwritten-shared"
  | "race"
  | "global-race"
  | "global-order"
  | "early-read"
  | "missing-fence"
  | "barrier"
  | "bad-descriptor"
  | "tensor-memory"
  | "divergent-barrier"
  | "absent-lanes"
  | "deadlock"
  | "assert"
  | "limit"
  | "no-instruction"
  | "not-modelled";

export interface Finding {
  readonly kind: FindingKind;
  /** `%r1`'s instruction as text, with its line in the PTX and, where known, in the kernel's source. */
  readonly site: string;
  readonly message: string;
  readonly program: readonly number[];
  readonly times: number;
  /** The buffer of global memory that it is about, where it is a race. */
  readonly buffer?: string;
}

export class Findings {
  readonly #byKey = new Map<string, Finding & { times: number }>();
  program: readonly number[] = [0, 0, 0];

  /** `key` distinguishes findings of one kind; by default the site. */
  add(kind: FindingKind, site: Site | undefined, message: string, key: string | number = site?.index ?? -1, buffer?: string): void {
    const id = `${kind}:${key}`;
    const known = this.#byKey.get(id);
    if (known) known.times++;
    else
      this.#byKey.set(id, {
        kind,
        site: site === undefined ? "" : siteText(site),
        message,
        program: this.program,
        times: 1,
        ...(buffer && { buffer }),
      });
  }

  get all(): readonly Finding[] {
    return [...this.#byKey.values()];
  }
}

/** An instruction of the compiled program, and what was counted of it. */
export interface Site {
  readonly index: number;
  /** As it is written in the text. */
  readonly text: string;
  readonly mnemonic: string;
  /** 1-based, in the PTX; 0 where it has none. */
  readonly line: number;
  /** `vecadd.py:10:24`, from the last `.loc`. */
  readonly source: string | undefined;
  /** For a compare-and-swap: the register row of the value that it compares with. */
  expects?: number;
  /** Times a warp executed it with a lane active, and lanes in all. */
  executions: number;
  lanes: number;
  /** For memory instructions: warp requests, and the 32-byte sectors, 128-byte lines and shared-memory wavefronts that they touch. */
  requests: number;
  sectors: number;
  lines: number;
  wavefronts: number;
  /** Wavefronts had there been no bank conflicts. */
  idealWavefronts: number;
  /** The product of a tcgen05.mma, which its text does not say. */
  product?: { readonly m: number; readonly n: number; readonly k: number; readonly type: string };
  /** The last request to shared memory. */
  last?: LastRequest;
}

/** An instruction with its line, for messages. */
export function siteText(site: Site): string {
  return `${site.line > 0 ? `line ${site.line}: ` : ""}${site.text}${site.source === undefined ? "" : ` (${site.source})`}`;
}

/** Stops the run: the limit, an assertion, a deadlock. Caught by `runPtx`, which keeps the finding. */
export class Stop extends Error {
  override readonly name = "Stop";
}
