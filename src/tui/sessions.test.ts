/** What-ifs that are undone, other inputs, modules of several functions, differences that are made in slices. */
import { expect, test } from "vitest";
import { compileWords, readTtStep } from "../cli/tt-step-args.js";
import { readTypedOptions } from "../cli/typed-options.js";
import { importDumpLog } from "../trace/import/import-dump.js";
import { inputFor } from "./compiler.js";
import { commandLine } from "./control/command-line.js";
import { openWords } from "./control/open-state.js";
import { initialState, reduce } from "./control/reducer.js";
import { whatIfRows } from "./control/what-if.js";
import { withMachineStep } from "./machine-step.js";
import { displayOf } from "./panes/diff/model.js";
import { subjectOf } from "./panes/layout/subject.js";
import { passItems } from "./panes/passes/model.js";
import { computed, dumpSession, functionsSession, kernelSession, screenOf, typed } from "./session.fixture.js";
import { NOTHING_COMPUTED, type Session, type State } from "./state/state.js";
import { changesOf, comparedOf, differs, selectedStep } from "./state/steps.js";

const SETTINGS = { keys: {}, ascii: false, command: [], readOptions: readTypedOptions };
const opened = (session: Session): State => initialState(session, { columns: 160, rows: 45 }, SETTINGS);
test("a what-if is undone and done again, with the view that it was asked from", () => {
  const session = kernelSession("fixtures/kernels/vecadd.ttir");
  const before = typed(opened(session), ">>m");
  const asked = typed(before, "ojl\r");
  const effect = asked.effects.at(-1);
  expect(effect).toMatchObject({ kind: "compile", whatIf: { options: { numWarps: 8 } } });
  // The shell begins the compilation.
  const baseline = { trace: session.trace, settings: session.settings };
  const progress = { done: 0, total: 60, what: "", ms: 0 };
  const begun = reduce(asked, { type: "begin", session: { ...session, generation: 1, baseline, progress } });
  const givenUp = typed(begun, "u");
  expect(givenUp.session).toBe(before.session);
  expect(givenUp.future).toHaveLength(0);
  const other = { ...kernelSession("fixtures/kernels/vecadd.ttir", 8), generation: 1, baseline };
  const done = typed(reduce(begun, { type: "session", session: other }), ">");
  const undone = typed(done, "uu");
  expect(undone.session).toBe(before.session);
  expect(undone.view).toEqual(before.view);
  const again = typed(undone, "\x12");
  expect(again.session).toBe(other);
  expect(again.message?.text).toContain("u undoes it");
});

test("while it compiles, enter on the findings says that they are not known yet", () => {
  const session = { ...kernelSession("fixtures/kernels/vecadd.ttir"), progress: { done: 3, total: 60, what: "", ms: 0 } };
  const pending = [{ flag: "triton-rewrite-tensor-descriptor-to-pointer", stage: "ttir", options: "", pass: "" }] as const;
  const asked = typed(opened({ ...session, trace: { ...session.trace, steps: session.trace.steps.slice(0, 4) }, pending }), "5\r");
  expect(asked.message?.text).toContain("findings are not known yet");
  expect(screenOf(asked)).toContain("rewrite-tensor-descriptor-t…");
});

test("a pass that is asked for before it has run is shown when it has", () => {
  const session = kernelSession("fixtures/kernels/vecadd.ttir");
  const { steps } = session.trace;
  const began = {
    ...session,
    trace: { ...session.trace, steps: steps.slice(0, 4) },
    progress: { done: 3, total: steps.length, what: "", ms: 0 },
    pending: steps.slice(4),
  };
  const asked = typed(opened(began), ":coalesce\r");
  expect(asked.message?.text).toBe("coalesce is shown when it is there");
  const more = reduce(asked, { type: "session", session: { ...began, trace: { ...session.trace, steps: steps.slice(0, 6) } } });
  expect(more.message).toBe(asked.message);
  expect(selectedStep(reduce(more, { type: "session", session }))?.flag).toBe("tritongpu-coalesce");
  // Another key gives it up.
  expect(selectedStep(reduce(typed(more, "j"), { type: "session", session }))?.flag).not.toBe("tritongpu-coalesce");
  expect(typed(opened(began), ":coalesse\r").message?.text).toContain("there is no pass 'coalesse' here");
});

test("a pass that changed nothing says so, and its IR is shown once", () => {
  const at = typed(opened(kernelSession("fixtures/kernels/vecadd.ttir")), ":canonicalize#1\r2");
  expect(screenOf(at)).toContain("→ canonicalize#1: no change");
  expect(displayOf(at)).toMatchObject({ mode: "IR" });
  const changed = typed(at, ":tritongpu-coalesce\r");
  expect(screenOf(changed)).not.toContain("no change");
  expect(displayOf(changed)).toMatchObject({ mode: "unified" });
});

test("B goes to the first pass that differs, and shows both sides", () => {
  const state = computed(opened(kernelSession("fixtures/kernels/vecadd.ttir", 8)));
  const at = typed(state, "B");
  expect(selectedStep(at)?.flag).toBe("convert-triton-to-tritongpu");
  const first = at.session.trace.steps.find((step) => step.parent === undefined && differs(at.session, step));
  expect(selectedStep(at)).toBe(first);
  expect(screenOf(at)).toContain("baseline: convert-triton-to-tritongpu → convert-triton-to-tritongpu");
  const comparing = { ...at.session, computed: { ...NOTHING_COMPUTED, diffs: new Map() } };
  const asked = typed({ ...state, session: comparing }, "B");
  expect(asked.message?.text).toContain("comparing with the baseline");
  expect(asked.view).toBe(state.view);
  // It comes as soon as it is known, unless another key is pressed.
  expect(selectedStep(computed(asked))).toBe(first);
  expect(computed(typed(asked, "5")).view.passes.selected).toBe(state.view.passes.selected);
  expect(typed(opened(kernelSession("fixtures/kernels/vecadd.ttir")), "B").message?.text).toContain("nothing to hold against");
});

test("until ops were compared, a pass whose text differs is not said to differ", () => {
  const session = kernelSession("fixtures/kernels/vecadd.ttir", 8);
  const later = opened({ ...session, computed: { ...session.computed, diffs: new Map() } });
  const marks = (state: State) => new Set(screenOf(state).match(/(?<=│. ?)[≠?](?=[* ] )/g));
  expect([...marks(later)]).toEqual(["?"]);
  expect([...marks(computed(later))]).toEqual(["≠"]);
});

test("held against the baseline, lines keep the Trace's ops, and layouts follow the cursor", () => {
  const at = typed(computed(opened(kernelSession("fixtures/kernels/vecadd.ttir", 8))), "B2|||/tt.load\r\x1b");
  expect(subjectOf(at)).toMatchObject({ name: "%9" });
  const { diff } = comparedOf(at)!;
  const ops = ({ ops }: { readonly ops: Int32Array }) => [...ops].filter((op) => op > 0);
  expect(ops(diff.after)).toEqual(ops(selectedStep(at)!.text));
  expect(diff.alignment.counts).toMatchObject({ added: 0, removed: 0 });
});

test("names and the places of constants are no difference to another input", () => {
  const session = kernelSession("fixtures/kernels/vecadd.ttir");
  const { trace } = kernelSession("fixtures/kernels/vecadd.ttir");
  const renamed = { ...dumpSession("fixtures/tui/softmax.log"), trace };
  const state = computed(opened({ ...session, against: { name: "other", trace: renamed.trace } }));
  expect(state.session.computed.differing.size).toBeGreaterThan(50);
  expect(typed(state, "B").message?.text).toContain("no pass gives another result");
});

test("functions of a module: each has its own changes; a place in another one is found all the same", () => {
  const session = functionsSession();
  expect(session.kernels.map((k) => k.symbol)).toEqual(["first", "second"]);
  const first = typed(opened(session), ":inline\r");
  expect(displayOf(first)?.rows.length).toBeGreaterThan(5);
  const chooser = typed(first, "gk");
  expect(screenOf(chooser)).toContain("* first");
  const second = typed(chooser, "j\r");
  expect(second.session.kernel).toBe(1);
  const text = screenOf(typed(second, "2||+"));
  expect(text).toContain("@second");
  expect(text).not.toContain("@first");
  const changes = (state: State) => passItems(state).map((item) => item.kind === "step" && changesOf(state.session, item.step));
  expect(changes(second)).not.toEqual(changes(first));
  // `g /` finds a line of the first function, and goes there.
  const found = typed(second, "g/@first\r\r");
  expect(found.session.kernel).toBe(0);
  expect(typed(second, "u").session.kernel).toBe(0);
});

test("the difference of a large step is made in slices: the IR is there at once, then the first change", () => {
  const body = (k: number) => Array.from({ length: 9000 }, (_, i) => `    %${i} = arith.constant ${i === k ? -7 : i} : i32\n`).join("");
  const step = (pass: string, k: number) =>
    `// -----// IR Dump After ${pass} (${pass}) ('builtin.module' operation) //----- //\nmodule {\n  func.func @f(%arg0: i32, %arg1: i32) {\n${body(k)}    return\n  }\n}\n`;
  const trace = dumpSession("fixtures/tui/softmax.log");
  const session = { ...trace, ...largeTrace(step("one", -1) + step("two", 7000)), computed: { ...NOTHING_COMPUTED, diffs: new Map() } };
  const state = typed(opened(session), "..");
  expect(comparedOf(state)?.wanted).toBeDefined();
  expect(screenOf(state)).toContain("comparing ...");
  const done = computed(state);
  expect(comparedOf(done)?.wanted).toBeUndefined();
  expect(displayOf(done)?.counts).toEqual({ added: 1, removed: 1, changed: 0, moved: 0, redefined: 0 });
  expect(displayOf(done)?.at(done.view.diff.row)).toMatchObject({ row: { kind: "removed" } });
  // Whoever has gone elsewhere meanwhile stays there.
  const away = computed(typed(state, "2G"));
  expect(away.view.diff.row).toBeGreaterThan(0);
  expect(done.session.computed.counts.size).toBeGreaterThan(0);
});
function largeTrace(text: string): Pick<Session, "trace" | "kernels"> {
  const trace = importDumpLog("large", text);
  if ("error" in trace) throw new Error(trace.error);
  return { trace, kernels: [] };
}

test("a command line brings the screen back: pass, line, pane and tabs", () => {
  const session = kernelSession("fixtures/kernels/vecadd_any_n.ttir");
  for (const keys of [":coalesce\r2/tt.load\r\x1b4]", ":coalesce\r2||jj3]", "j\r", ":remove-layout-conversions\r1"]) {
    const before = typed(opened(session), keys);
    const again = reduce(opened(session), { type: "screen", screen: openWords(before) });
    expect(again.message, openWords(before)).toBeUndefined();
    expect(openWords(again)).toBe(openWords(before));
    expect(commandLine(before)).toContain("--open ");
  }
  expect(reduce(opened(session), { type: "screen", screen: "pass=11,nothing=1" }).message?.text).toContain("nothing=1");
});

test("another version of Triton is chosen in the what-if menu, compiles by its rules, and is on the command line", () => {
  const session = kernelSession("fixtures/kernels/vecadd.ttir");
  const row = whatIfRows(session.settings!, session.input).find(({ name }) => name === "triton")!;
  expect(row.value).toBe("3.6");
  const whatIf = row.change(1);
  expect(whatIf.triton).toBe("3.7");
  const input = inputFor(session.input!, whatIf);
  if ("kind" in input) throw new Error(input.message);
  expect(input.version.name).toBe("3.7");
  const line = (of: typeof session) => commandLine(opened(of));
  const chosen = { ...session, settings: whatIf, baseline: { trace: session.trace, settings: session.settings } };
  expect(line(session)).not.toContain("--triton");
  expect(line(chosen)).toContain(" --triton 3.7 ");
  // Back from a version that was asked for: 3.6 is not what the input would have.
  const back = { ...session, baseline: { trace: session.trace, settings: whatIf } };
  expect(line(back)).toContain(" --triton 3.6 ");
});

test("the command line has the options that were given once, as they are now", () => {
  const session = kernelSession("fixtures/kernels/vecadd.ttir");
  const line = readTtStep([
    "vecadd.ttir",
    "--num-warps",
    "8",
    "--signature",
    "*fp32:16, 1024",
    "--against",
    "num-stages=2",
    "--tui",
    "--list",
  ]);
  if (!("written" in line)) throw new Error("not read");
  const command = compileWords(line.written);
  expect(command).toEqual(["--signature=*fp32:16, 1024", "--num-warps=8", "--against=num-stages=2"]);
  const against = { name: "num-stages=2", trace: session.trace };
  const state = initialState({ ...session, against }, { columns: 160, rows: 45 }, { ...SETTINGS, command });
  const shown = reduce(state, { type: "screen", screen: "base=against,pass=11" });
  expect(commandLine(shown)).toBe(
    "tt-step fixtures/kernels/vecadd.ttir '--signature=*fp32:16, 1024' --against=num-stages=2 --open base=against,pass=11,line=1,focus=passes,layout=map",
  );
  // This side has the option: it is one of this side's wherever the other one is not shown.
  const here = { ...against, name: "the input", here: "num-stages=2", options: ["--num-stages=2"] };
  const option = initialState({ ...session, against: here }, { columns: 160, rows: 45 }, { ...SETTINGS, command });
  const begins = (state: State) => commandLine(state).replace(/ --open .*/, "");
  expect(begins(reduce(option, { type: "screen", screen: "base=against,pass=11" }))).toMatch(/ --num-warps=8 --against=num-stages=2$/);
  expect(begins(reduce(option, { type: "screen", screen: "pass=11" }))).not.toContain("--against");
});

test("a screen has the tabs of both lower panes", () => {
  const session = kernelSession("fixtures/kernels/vecadd.ttir");
  const words = openWords(typed(opened(session), ">4]]3]"));
  expect(words).toMatch(/^codegen=ptx,.*,layout=hw$/);
  const { view } = reduce(opened(session), { type: "screen", screen: words });
  expect([view.codegen.tab, view.layout.tab, view.lower]).toEqual(["ptx", "hw", "layout"]);
});

test("an option is typed without its dashes", () => {
  const session = kernelSession("fixtures/kernels/vecadd.ttir");
  const asked = (text: string) => typed(opened(session), `:${text}\r`);
  expect(asked("target gfx950").effects.at(-1)).toMatchObject({ kind: "compile", whatIf: { target: "hip:gfx950" } });
  expect(asked("num_warps=8").effects.at(-1)).toMatchObject({ kind: "compile", whatIf: { options: { numWarps: 8 } } });
  expect(asked("num-warps 3").message).toMatchObject({ kind: "error", text: expect.stringContaining("power of 2") });
  expect(asked("triton 3.8").effects.at(-1)).toMatchObject({ kind: "compile", whatIf: { triton: "3.8" } });
  expect(asked("triton=3.10").message).toMatchObject({
    kind: "error",
    text: expect.stringMatching(
      /Triton 3\.10 is not compiled .* 3\.7 and 3\.8 in part, 3\.9 to the end of TTIR; logs of any version can be stepped$/,
    ),
  });
  expect(asked("triton").message).toMatchObject({ kind: "error", text: "--triton needs a value: 3.6, 3.7, 3.8 or 3.9" });
  expect(asked("target hip:gfx942").effects.at(-1)).toMatchObject({ kind: "compile", whatIf: { target: "hip:gfx942" } });
  expect(asked("tt-step --target hip:gfx942 --triton 3.8").message).toMatchObject({
    kind: "error",
    text: "Triton 3.8 is not followed for hip:gfx942, only 3.6",
  });
  expect(asked("target hip:gfx9").message?.text).toContain("not 'hip:gfx9'");
  expect(asked("warps 8").message?.text).toContain("there is no pass 'warps 8'");
});

test("a screen of machine code opens when it is assembled, and says why it cannot be", () => {
  const session = kernelSession("fixtures/kernels/vecadd.ttir");
  const screen = "pass=sass,layout=bases";
  const asked = reduce(opened(session), { type: "screen", screen });
  expect(asked.message?.text).toBe("sass is shown when it is there");
  const sass = [{ text: ".text.add_kernel:" }, { text: "/*0000*/ EXIT ;", ptx: 40 }];
  const trace = withMachineStep(session.trace, { registers: 26, spilled: 0, sass });
  const shown = reduce(asked, { type: "session", session: { ...session, trace } });
  expect(selectedStep(shown)?.flag).toBe("sass");
  expect(shown.view.layout.tab).toBe("bases");
  expect(shown.message).toBeUndefined();
  const none = reduce(asked, { type: "computed", computed: { ...session.computed, noMachine: "ptxas is not found" } });
  expect(none.message?.text).toBe("--open: nothing here is called pass=sass: no SASS: ptxas is not found");
  // Without a disassembler there are registers, and no step.
  const unread = { ...session, trace: withMachineStep(session.trace, { registers: 26, spilled: 0 }) };
  expect(reduce(asked, { type: "session", session: unread }).message?.text).toContain("neither nvdisasm nor cuobjdump");
  // Another key gives it up.
  expect(selectedStep(reduce(typed(asked, "j"), { type: "session", session: { ...session, trace } }))?.flag).not.toBe("sass");
});

test("several marks: the one to hold against is chosen", () => {
  const session = kernelSession("fixtures/kernels/vecadd.ttir");
  const marked = typed(opened(session), ":inline\r1m:coalesce\r1mG");
  expect(Object.values(marked.view.marks)).toEqual(["a", "b"]);
  const chooser = typed(marked, "'");
  expect(screenOf(chooser)).toContain("hold against which mark?");
  expect(screenOf(typed(chooser, "\r"))).toContain("mark: inline →");
  expect(screenOf(typed(chooser, "j\r"))).toContain("mark: coalesce →");
  expect(typed(marked, ":inline\r1m").view.marks).toEqual({
    [marked.session.trace.steps.find((s) => s.flag === "tritongpu-coalesce")!.index]: "b",
  });
});

test("PTX is the last step, shown alone", () => {
  const state = typed(opened(kernelSession("fixtures/kernels/vecadd.ttir")), "1G");
  expect(selectedStep(state)).toMatchObject({ stage: "ptx", flag: "ptx" });
  expect(screenOf(state)).toContain("after ptx");
  expect(screenOf(typed(state, "2+/ld.global\r"))).toContain("ld.global.v4.b32");
});

test("w on a cell of a layout derives its thread and register", () => {
  const at = typed(opened(kernelSession("fixtures/kernels/vecadd.ttir")), ":tritongpu-coalesce\r2/tt.load\r3lllw");
  expect(screenOf(at)).toContain("element (3) of 1024");
  expect(screenOf(at)).toContain("it is in CTA 0, warp 0, lane 0, register 3");
});

test("a message that the last line has no room for is shown whole above it", () => {
  const small = { ...opened(kernelSession("fixtures/kernels/vecadd.ttir")), size: { columns: 80, rows: 24 } };
  const text = `kept in /tmp/${"k".repeat(40)}.mlir, e opens it again: 12:3: error: expected an attribute`;
  const shown = screenOf(reduce(small, { type: "message", text, kind: "error" }));
  expect(shown.replace(/[│║\s]+/g, " ")).toContain(text);
  expect(shown).toContain("? keys");
});

test("the pass that is selected already is gone to from the findings", () => {
  const state = opened(kernelSession("fixtures/kernels/vecadd_any_n.ttir"));
  const at = typed(state, "j");
  expect(at.view.upper).toBe("findings");
  const { label } = selectedStep(at)!;
  expect(typed(at, `:${label}\r`).view).toMatchObject({ upper: "diff", passes: { selected: at.view.passes.selected } });
});
