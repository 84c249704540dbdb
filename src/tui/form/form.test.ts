/** The form with a kernel's arguments: checked as one types, compiled with enter. */
import { expect, test } from "vitest";
import { withComment } from "../../frontend/kernel-comment.js";
import type { Proposal } from "../../frontend/specialize.js";
import { initialState } from "../control/reducer.js";
import { screenOf, typed } from "../session.fixture.js";
import { emptySession } from "../state/begin.js";
import type { State } from "../state/state.js";
import { formOf, signatureText } from "./form.js";

const PROPOSAL: Proposal = {
  kernel: "add",
  line: 3,
  config: undefined,
  entries: [
    { name: "x_ptr", isConstexpr: false, text: "*fp32:16", from: "call" },
    { name: "n", isConstexpr: false, text: "i32", from: "use" },
    { name: "BLOCK", isConstexpr: true, text: "128", from: "use" },
    { name: "EVEN", isConstexpr: true, text: "constexpr", from: "heuristic" },
  ],
  options: new Map([["num_warps", "8"]]),
  stated: new Map(),
};
const session = { ...emptySession("add.py"), form: formOf(PROPOSAL, "cuda:90") };
const opened = (): State => typed(initialState(session, { columns: 100, rows: 24 }, { keys: {}, ascii: false, command: [] }), "A");
const down = (state: State, times: number): State => typed(state, "\t".repeat(times));

test("shows what is known of each argument and where it is from", () => {
  expect(screenOf(opened())).toMatchInlineSnapshot(`
    "┌─1 passes ───────────────┐╔═5 findings ═══════════════════════════════════════════════════════════╗
    │                         │║ not compiled yet: A opens the arguments of add                        ║
    │                         │║                                                                       ║
    │                         │║                                                                       ║
    │                         │║                                                                       ║
    │                         │║                                                                       ║
    │╔═ arguments of add ═════════════════════════════════════════════════════════════════════════════╗║
    │║ › x_ptr                *fp32:16          from a launch                                         ║║
    │║   n                    i32               guessed from its use                                  ║║
    │║   BLOCK                128               guessed from its use                                  ║║
    │║   EVEN                 constexpr         of @triton.heuristics                                 ║║
    │║   target               cuda:90                                                                 ║║
    │║   num_warps            8                 from a launch                                         ║║
    │║   num_stages           3                 the default                                           ║║
    │║   write into the file  no                yes: a '# tt-step:' comment above the kernel          ║╝
    │╚═ type to change · ↑↓ fields · enter compiles · esc closes ═════════════════════════════════════╝┐
    │                         ││no line under the cursor                                               │
    │                         ││                                                                       │
    │                         ││                                                                       │
    │                         ││                                                                       │
    │                         ││                                                                       │
    └─────────── 0/0 changed ─┘└───────────────────────────────────────────────────────────────────────┘
     , . pass  < > changed pass  enter its place  N n next change  w why  o what if  ? keys  q quit
    "
  `);
});

test("a text is checked as it is typed, and enter goes to the first that is wrong", () => {
  const at = typed(opened(), "q");
  expect(screenOf(at)).toContain("the hint of '*fp32:16q' is a power of two");
  const refused = typed(down(at, 2), "\r");
  expect(refused.effects).toEqual([]);
  expect(refused.message?.text).toContain("x_ptr: the hint of");
  expect(refused.overlay).toMatchObject({ kind: "form", row: 0 });
  const type = typed(down(opened(), 2), "\x15i32");
  expect(screenOf(type)).toContain("a tl.constexpr has a value");
  expect(screenOf(typed(down(opened(), 4), "\x151"))).toContain("one of cuda:75");
});

test("enter asks for the kernel with what was typed", () => {
  const changed = typed(down(typed(down(opened(), 1), ":16"), 1), "\x17256");
  const { effects, overlay } = typed(changed, "\r");
  expect(overlay).toBeUndefined();
  const effect = effects.at(-1)!;
  expect(effect.kind === "fill" && signatureText(effect.form)).toBe("*fp32:16, i32:16, 256, constexpr");
});

test("the comment takes the place of its settings above the kernel, and others stay", () => {
  const text = "import x\r\n# notes\r\n# tt-step: signature=i32, define=A=1\r\n@jit\r\ndef k(n): ...\r\n";
  const made = withComment(
    text,
    4,
    new Map([
      ["signature", "i32:16"],
      ["num_warps", "8"],
    ]),
  );
  expect(made).toBe("import x\r\n# notes\r\n# tt-step: define=A=1, signature=i32:16, num_warps=8\r\n@jit\r\ndef k(n): ...\r\n");
});
