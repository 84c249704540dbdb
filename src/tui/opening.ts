/** Sessions as they begin: what was opened, and what is read beside it. */
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { locationsOf } from "../explain/provenance.js";
import type { ModuleSource } from "../library/sources.js";
import type { Trace } from "../trace/trace.js";
import { initialState, reduce } from "./control/reducer.js";
import type { Form } from "./form/form.js";
import { findKernels } from "./kernels.js";
import { emptySession, firstStep } from "./state/begin.js";
import type { CompilerInput, Session, Size, State, WhatIf } from "./state/state.js";

/** The result of opening an input: a Trace, a module to compile, a choice to make first, or an error. */
export type Opened =
  | { readonly kind: "imported"; readonly trace: Trace }
  | {
      readonly kind: "module";
      readonly source: ModuleSource;
      /** The passes that are run of those of the stage. */
      readonly range: Pick<CompilerInput, "startAfter" | "stopAfter">;
      readonly form?: OpenForm | undefined;
      readonly whatIf: Omit<WhatIf, "divisibility" | "always">;
    }
  /** Something is to be chosen first: which kernel of a file, say. */
  | {
      readonly kind: "choices";
      readonly title: string;
      readonly choices: readonly { readonly text: string; readonly open: () => Opened }[];
    }
  /** The arguments of a Python kernel are to be filled in. */
  | { readonly kind: "form"; readonly form: OpenForm }
  /** Text for the user, and the code to end with. */
  | { readonly kind: "error"; readonly text: string; readonly code: number; readonly found?: readonly string[] };

/** A form, and what it opens when it is filled in. */
export interface OpenForm {
  readonly form: Form;
  readonly open: (filled: Form) => Opened;
}

/** The state in which a Trace opens, for drawings of it. */
export function openedState(name: string, trace: Trace, size: Size): State {
  const session = withSources({ ...emptySession(name), trace, kernels: findKernels(trace) });
  const state = initialState(session, size, { keys: {}, ascii: false, command: [] });
  return reduce(state, { type: "session", session, select: firstStep(session) });
}
/** The Python files that the Trace's locations name, as far as they are here. */
export function withSources(session: Session): Session {
  if (session.sources.length > 0) return session;
  const counts = new Map<string, number>();
  for (const { file } of locationsOf(session.trace).values()) counts.set(file, (counts.get(file) ?? 0) + 1);
  const files = [...counts].sort((a, b) => b[1] - a[1]).map(([file]) => file);
  const near = dirname(session.name);
  const sources = files.flatMap((path) => {
    // Beside the input, too: logs are carried to other machines.
    for (const found of [path, join(near, path.slice(path.lastIndexOf("/") + 1))]) {
      const text = sourceText(found);
      if (text !== undefined) return [{ path, found, lines: text.split("\n") }];
    }
    return [];
  });
  return { ...session, sources };
}

/** Larger files are no sources of kernels. */
const MAX_SOURCE_BYTES = 16 * 2 ** 20;
/** A file that a location names, which an input may make up; undefined where it is not there or cannot be read. */
function sourceText(path: string): string | undefined {
  try {
    const stat = statSync(path);
    return stat.isFile() && stat.size <= MAX_SOURCE_BYTES ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}
