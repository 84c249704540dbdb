/** Changes the passes that run: one is switched off, inserted, or moved. */

import { pipelineOf, pipelineRange } from "../../library/pipeline.js";
import { stepText } from "../../pass/define-pass.js";
import { runOf } from "../compiler.js";
import { ask, type CompilerInput, type State, say, type WhatIf } from "../state/state.js";
import { passNumber, selectedStep } from "../state/steps.js";

/** The compilation, and the place of the selected pass among those that ran; the source's is -1. */
interface Selected {
  readonly input: CompilerInput;
  readonly settings: WhatIf;
  readonly run: ReturnType<typeof runOf>;
  readonly at: number;
}
function selected({ session, view }: State): Selected | string {
  const { settings, input, progress } = session;
  const step = selectedStep({ session, view });
  if (!settings || !input) return "a dump cannot be rerun; e edits its IR and runs our passes on it";
  if (progress) return "still compiling";
  if (!step || step.parent !== undefined || step.kind === "internal") return "only passes of the pipeline can be moved or switched off";
  const at = step.kind === "source" ? -1 : passNumber(session, step) - 1;
  if (input.edited && at < 0) return "this pass ran before the edit; u takes the edit back";
  return { input, settings, run: runOf(input, settings), at };
}
/** `select`: the place, among the passes that then run, of the one to look at. */
const compile = (state: State, whatIf: WhatIf, text: string, select: number): State =>
  ask(say(state, text), { kind: "compile", whatIf, select: select + 1 });

/** The settings without a pass that ran. */
function without(settings: WhatIf, { inserted, position }: Selected["run"][number]): WhatIf {
  if (inserted === undefined) return { ...settings, disabled: [...settings.disabled, position] };
  return { ...settings, inserted: settings.inserted.filter((_, i) => i !== inserted) };
}

/** Switches the selected pass off. */
export function disablePass(state: State): State {
  const found = selected(state);
  if (typeof found === "string") return say(state, found);
  const ran = found.run[found.at];
  return ran ? compile(state, without(found.settings, ran), `without ${ran.step.flag} ...`, found.at) : say(state, "the source is no pass");
}

/** Runs a pass, as `tt-opt` names it, after the selected one. */
export function insertPass(state: State, text: string): State {
  const found = selected(state);
  if (typeof found === "string") return say(state, found);
  const { input, settings, run, at } = found;
  const spec = `${run[at]?.position ?? input.startAfter ?? 0}:${text}`;
  const range = pipelineRange(pipelineOf({ ...settings, ...input }), { insertPass: [spec] });
  if ("error" in range) return say(state, range.error, "error");
  // After an inserted pass, this one comes next; after a pass of the pipeline, before all that follow it.
  const place = (run[at]?.inserted ?? -1) + 1;
  return compile(state, { ...settings, inserted: settings.inserted.toSpliced(place, 0, spec) }, `with ${text} ...`, at + 1);
}

/** Runs the selected pass before the pass before it, or after the one after it. */
export function movePass(state: State, by: 1 | -1): State {
  const found = selected(state);
  if (typeof found === "string") return say(state, found);
  const { settings, run, at } = found;
  const [ran, other] = [run[at], run[at + by]];
  if (!ran) return say(state, "the source is no pass");
  if (!other) return say(state, by > 0 ? "this is the last pass" : "this is the first pass");
  const spec = `${other.inserted === undefined && by < 0 ? other.position - 1 : other.position}:${stepText(ran.step.step)}`;
  const others = without(settings, ran);
  // Its place among the inserted ones: beside the other pass, or first of those after a pass of the pipeline, last of those before it.
  const shift = ran.inserted !== undefined && other.inserted !== undefined && ran.inserted < other.inserted ? -1 : 0;
  const place = other.inserted === undefined ? (by > 0 ? 0 : others.inserted.length) : other.inserted + shift + (by > 0 ? 1 : 0);
  return compile(
    state,
    { ...others, inserted: others.inserted.toSpliced(place, 0, spec) },
    `${ran.step.flag} ${by > 0 ? "after" : "before"} ${other.step.flag} ...`,
    at + by,
  );
}
