/** The settings of a compilation that can be changed, as rows of the what-if menu. */
import type { BackendOption } from "../../backend/backend.js";
import { checkOptions, nameInTriton, platformOf, retargeted, TARGETS, type TargetOptions, versionProblem } from "../../backend/targets.js";
import { pipelineOf } from "../../library/pipeline.js";
import { stepText } from "../../pass/define-pass.js";
import { memo } from "../../support/memo.js";
import { COMPILED_VERSIONS, tritonOrDefault } from "../../support/triton-version.js";
import type { Trace } from "../../trace/trace.js";
import { cut } from "../draw/text-width.js";
import type { CompilerInput, Session, WhatIf } from "../state/state.js";
import { shortFlag } from "../state/steps.js";

/** One thing that can be changed. */
export interface WhatIfRow {
  readonly name: string;
  readonly value: string;
  /** The draft with the value changed to the next or the one before. */
  readonly change: (by: 1 | -1) => WhatIf;
}

const VERSIONS = COMPILED_VERSIONS.map(({ name }) => name);
const DIVISIBILITY = [undefined, 1, 2, 4, 8, 16, 32] as const;

/** The input says which passes there are. */
export function whatIfRows(draft: WhatIf, input: CompilerInput | undefined): WhatIfRow[] {
  const { options } = draft;
  const away = <T>(values: readonly T[], at: T, by: number): T =>
    values[Math.max(0, Math.min(values.length - 1, values.indexOf(at) + by))] ?? at;
  const rows: WhatIfRow[] = [
    {
      name: "target",
      value: draft.target,
      change: (by) => {
        const target = away(TARGETS, draft.target, by);
        // Options that the other vendor lacks have no row to take them back.
        const known = platformOf(target)!.options;
        const kept = Object.fromEntries(Object.entries(options).filter(([key]) => key in known)) as TargetOptions;
        return { ...draft, target, options: retargeted(kept, draft.target, target) };
      },
    },
    {
      name: "num_warps",
      value: String(options.numWarps),
      change: (by) => ({ ...draft, options: { ...options, numWarps: away([1, 2, 4, 8, 16, 32], options.numWarps, by) } }),
    },
    {
      name: "num_stages",
      value: String(options.numStages),
      change: (by) => ({ ...draft, options: { ...options, numStages: Math.max(1, Math.min(8, options.numStages + by)) } }),
    },
    {
      name: "num_ctas",
      value: String(options.numCtas),
      change: (by) => ({ ...draft, options: { ...options, numCtas: away([1, 2, 4, 8], options.numCtas, by) } }),
    },
    {
      name: "enable_fp_fusion",
      value: String(options.enableFpFusion),
      change: () => ({ ...draft, options: { ...options, enableFpFusion: !options.enableFpFusion } }),
    },
  ];
  const { triton } = draft;
  if (triton !== undefined) {
    const change = (by: 1 | -1): WhatIf => ({ ...draft, triton: away(VERSIONS, triton, by) });
    rows.push({ name: "triton", value: triton, change });
  }
  const values: Readonly<Record<string, unknown>> = options;
  for (const [key, { offered, print }] of Object.entries<BackendOption>(platformOf(draft.target)?.options ?? {})) {
    if (!offered) continue;
    rows.push({
      name: nameInTriton(key),
      value: values[key] === undefined ? "default" : print(values[key]),
      change: (by) => ({ ...draft, options: { ...options, [key]: away(offered, values[key], by) } }),
    });
  }
  draft.divisibility.forEach(([argument, by], i) => {
    if (argument === "") return;
    rows.push({
      name: `divisibility of ${argument}`,
      value: by === undefined ? "unknown" : String(by),
      change: (direction) => ({
        ...draft,
        divisibility: draft.divisibility.map((d, k) =>
          k === i ? ([argument, away<number | undefined>(DIVISIBILITY, by, direction)] as const) : d,
        ),
      }),
    });
  });
  const pipeline = draft.disabled.length > 0 ? pipelineOf({ ...draft, ...input }) : [];
  const inserted = [...draft.inserted];
  for (const position of draft.disabled) {
    const pass = pipeline[position - 1];
    const disabled = draft.disabled.filter((p) => p !== position);
    // A pass that was moved is off in its place, and inserted in another.
    const at = inserted.findIndex((spec) => pass && partsOf(spec).text === stepText(pass.step));
    const [spec] = at < 0 ? [] : inserted.splice(at, 1);
    rows.push({
      name: cut(`${position}: ${shortFlag(pass?.flag ?? "")}`, 34),
      value: spec === undefined ? "off" : `after ${partsOf(spec).after}`,
      change: () => ({ ...draft, disabled, inserted: draft.inserted.filter((other) => other !== spec) }),
    });
  }
  for (const spec of inserted) {
    const { after, text } = partsOf(spec);
    rows.push({
      name: cut(`after ${after}: ${shortFlag(text)}`, 34),
      value: "on",
      change: () => ({ ...draft, inserted: draft.inserted.filter((other) => other !== spec) }),
    });
  }
  return rows;
}

/** Why it cannot be compiled so; undefined where it can. */
export const whatIfProblem = ({ target, options, triton }: WhatIf): string | undefined =>
  versionProblem(target, tritonOrDefault(triton), options) ?? checkOptions(options, target);

/** `12:canonicalize`: the pass that another one runs after, and that one as `tt-opt` writes it. */
function partsOf(spec: string): { readonly after: string; readonly text: string } {
  const [after = "", text = ""] = spec.split(/:(.*)/);
  return { after, text };
}

/** A note beside a row: the value that is on the screen where another was chosen, or why the row changes nothing; else empty. */
export function whatIfNote({ settings, trace, input }: Session, { options, target }: WhatIf, { name, value }: WhatIfRow): string {
  const was = settings && whatIfRows(settings, input).find((row) => row.name === name)?.value;
  if (was !== undefined && was !== value) return `was ${was}`;
  if (name === "num_stages" && !hasLoop(trace)) return "no loop to pipeline";
  const isOnlyOne = name === "num_ctas" && options.numCtas === 1 && checkOptions({ ...options, numCtas: 2 }, target) !== undefined;
  return isOnlyOne ? `only 1 on ${target}` : "";
}
const hasLoop = memo((trace: Trace): boolean =>
  [...(trace.steps[0]?.text.lines ?? [])].some((n) => /\bscf\.(?:for|while)\b/.test(trace.lines.line(n))),
);
