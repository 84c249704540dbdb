/** Sessions for tests: of a dump, and of our own compilation. */
import { readFileSync } from "node:fs";
import { defaultOptions } from "../backend/targets.js";
import { assembles } from "../gpu/gpu.js";
import { compile } from "../library/compile.js";
import { divisibilityOf, readSource } from "../library/sources.js";
import { DEFAULT_TRITON } from "../library/targets.js";
import { finished } from "../support/slices.js";
import { importDumpLog } from "../trace/import/import-dump.js";
import type { Trace } from "../trace/trace.js";
import { screenText } from "./app.js";
import { wantedWork } from "./background.js";
import { reduce, reduceInputs } from "./control/reducer.js";
import { plainText } from "./draw/ansi.js";
import { THEMES } from "./draw/theme.js";
import { frame } from "./frame.js";
import { findKernels } from "./kernels.js";
import { charactersOf } from "./keys.js";
import { withPtxStep } from "./machine-step.js";
import { emptySession } from "./state/begin.js";
import type { Session, State } from "./state/state.js";

export function dumpTrace(path: string): Trace {
  const trace = importDumpLog(path, readFileSync(path, "latin1"));
  if ("error" in trace) throw new Error(trace.error);
  return trace;
}
export function dumpSession(path: string): Session {
  const trace = dumpTrace(path);
  return {
    ...emptySession(path),
    trace,
    kernels: findKernels(trace),
    sources: [{ path: "/home/user/src/kernels/softmax_row.py", found: "softmax_row.py", lines: PYTHON }],
  };
}

/** With a baseline of other options, as after a what-if. */
export function kernelSession(path: string, numWarps = 4, target = "cuda:80"): Session {
  return textSession(path, readFileSync(path, "latin1"), numWarps, target);
}
/** A session of a module with two kernels. */
export function functionsSession(): Session {
  return textSession("two", TWO, 4);
}
function textSession(path: string, text: string, numWarps: number, target = "cuda:80"): Session {
  const source = readSource({ name: path, text });
  if (source.kind !== "module") throw new Error("no IR");
  const divisibility = divisibilityOf(source.module);
  const run = (warps: number) => {
    const options = { ...defaultOptions(target), numWarps: warps };
    const compiled = compile(source, { target, options, artifacts: [assembles(target), "instructions"], clock: () => 0 });
    if (compiled.kind === "error") throw new Error(compiled.message);
    return {
      trace: withPtxStep(compiled.trace),
      settings: { target, options, triton: DEFAULT_TRITON.name, disabled: [], inserted: [], divisibility, always: {} },
    };
  };
  const now = run(numWarps);
  return {
    ...emptySession(path),
    input: { source, text, from: "ttir", version: DEFAULT_TRITON },
    ...now,
    kernels: findKernels(now.trace),
    baseline: numWarps === 4 ? undefined : run(4),
  };
}

const PYTHON = Array.from({ length: 20 }, (_, i) => `    x${i} = tl.load(p + ${i})  # line ${i + 1}`);
const TWO = `module {
  tt.func public @first(%p: !tt.ptr<f32>) {
    %0 = arith.constant 1 : i32
    %1 = arith.constant 1 : i32
    %2 = tt.addptr %p, %0 : !tt.ptr<f32>, i32
    %3 = tt.load %2 : !tt.ptr<f32>
    tt.store %p, %3 : !tt.ptr<f32>
    tt.return
  }
  tt.func private @inner(%x: f32) -> f32 {
    tt.return %x : f32
  }
  tt.func public @second(%p: !tt.ptr<f32>) {
    %0 = tt.load %p : !tt.ptr<f32>
    %1 = tt.call @inner(%0) : (f32) -> f32
    tt.store %p, %1 : !tt.ptr<f32>
    tt.return
  }
}
`;

/** Everything that the screen lacks, as the shell computes it. */
export function computed(state: State): State {
  let at = state;
  for (;;) {
    const work = wantedWork(at, () => 0);
    if (!work) return at;
    at = reduce(at, { type: "computed", computed: finished(work.steps())(at.session.computed) });
  }
}

/** Types a text: a character is a key. */
export function typed(state: State, text: string): State {
  return reduceInputs(state, charactersOf(text));
}
/** The text that Ink draws for a state, without its styles. */
export function screenOf(state: State): string {
  return `${plainText(screenText(frame(state, THEMES.none)))}\n`;
}
