/** The terminal UI in a real pseudo-terminal: what is seen, and that the terminal is left as it was found. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, inject, test } from "vitest";
import { THEMES } from "../../tui/draw/theme.js";
import { runsSvg } from "../../tui/export/svg.js";
import { COMMAND_IDS, COMMANDS } from "../../tui/keymap.js";
import { Pty } from "./pty.js";

const COMMAND = join(inject("built"), "bin/tt-step.js");
const folder = mkdtempSync(join(tmpdir(), "tt-step-tui-"));
let open: Pty[] = [];
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  for (const pty of open) pty.kill();
  open = [];
});

const KERNEL = "fixtures/kernels/vecadd.ttir";
const LOG = "fixtures/tui/softmax.log";
/** Orders to terminals (clipboard, colour, direction of text) in every name. */
const HOSTILE = "fixtures/hostile/escapes.ttir";
function start(args: readonly string[], size = { columns: 160, rows: 45 }, env: Readonly<Record<string, string>> = {}): Pty {
  const pty = new Pty([process.execPath, COMMAND, ...args], { ...size, env });
  open.push(pty);
  return pty;
}
const ready = (pty: Pty) =>
  pty.until(
    (s) => /\d+\/\d+ changed/.test(s.text) && !/reading|compiling|looking for/.test(s.text) && /[1-9]\d*\/\d+ changed/.test(s.text),
    "the passes",
  );

test("opens on a kernel, steps, shows help, and leaves the terminal as it was", async () => {
  const pty = start([KERNEL]);
  const first = await ready(pty);
  expect(first).toMatchObject({ alternate: true, cursorHidden: true, mouse: "drag" });
  expect(first.text).toContain("convert-triton-to-tritongpu");
  await pty.until((s) => s.text.includes("no findings"), "that there are no findings");
  pty.type(">>");
  await pty.until((s) => s.text.includes("→ coalesce"), "the diff of the selected pass");
  pty.take();
  pty.type("?");
  await pty.until((s) => s.text.includes("any other key closes"), "help");
  pty.type("x");
  await pty.until((s) => !s.text.includes("any other key closes"), "no help");
  expect(pty.received).not.toMatch(/\x1b\[[23]J/);
  pty.type("q");
  expect(await pty.exited()).toMatchObject({ code: 0 });
  expect(await pty.screen()).toMatchObject({ alternate: false, cursorHidden: false, mouse: "none", text: "\n" });
});

test("a kernel without a signature opens a form; enter compiles, and writes the comment that was asked for", async () => {
  const file = join(folder, "kernels.py");
  writeFileSync(file, readFileSync("fixtures/frontend/guess/kernels.py"));
  const pty = start([file, "--kernel", "normalize"]);
  await pty.until((s) => /eps +fp32/.test(s.text) && s.text.includes("guessed from its use"), "the form");
  // The last field says whether the comment is written.
  pty.type(`\x17*fp16:16${"\t".repeat(11)}`);
  await pty.until((s) => /x +\*fp16:16/.test(s.text), "what was typed");
  pty.type(" \r");
  await pty.until((s) => /4 (?:final )?code.*\n.*instruction/.test(s.text), "the end of the compilation");
  const comment =
    "# tt-step: signature=*fp16:16, *bf16:16, i32, i32, fp32, False, 256, tl.float32, target=cuda:80, num_warps=4, num_stages=3";
  const written = () => readFileSync(file, "utf8").includes(`\n${comment}\n@triton.jit\ndef normalize(`);
  await pty.until(written, "the comment");
  pty.type("A");
  await pty.until((s) => /› x +\*fp16:16/.test(s.text), "the form again");
  pty.type("\x1bq");
  expect(await pty.exited()).toMatchObject({ code: 0 });
});

/** `README_SCREEN=1 npm test -- terminal` captures the README's picture anew. */
test("the README's picture is what a terminal shows", async () => {
  const argv = ["fixtures/kernels/matmul.ttir", "--target", "cuda:80"];
  const pty = start(argv, { columns: 168, rows: 46 }, { COLORTERM: "truecolor" });
  await pty.until((s) => /\d+\/65 changed/.test(s.text) && /4 (?:final )?code.*\n.*instruction/.test(s.text), "the end of the compilation");
  for (const keys of [":tritongpu-accelerate-matmul\r", "2", "/tt.dot\r", "\x1b"]) {
    pty.type(keys);
    await pty.idle(200);
  }
  await pty.until((s) => s.text.includes("→ accelerate-matmul") && !s.text.includes("/tt.dot"), "the diff of the pass");
  await pty.idle();
  const drawn = async () =>
    runsSvg(await pty.runs(), { columns: 168, rows: 46, page: THEMES.dark.page, title: `tt-step ${argv.join(" ")}` });
  const kept = "snapshots/tui/matmul.svg";
  if (process.env["README_SCREEN"]) writeFileSync(kept, await drawn());
  // Times differ from run to run, and what is cut off beside them.
  const diff = (drawing: string) =>
    [...drawing.matchAll(/>([^<]*(?:ttg|tt)\.[^<]*)</g)].map((m) => m[1]!.trim()).filter((t) => t.length > 8);
  await expect.poll(async () => diff(await drawn()), { timeout: 120_000 }).toEqual(diff(readFileSync(kept, "utf8")));
  pty.type("q");
  await pty.exited();
});

test("the five minutes of docs/ui.md: why a load is not vectorized", async () => {
  const pty = start(["fixtures/kernels/vecadd_any_n.ttir"], { columns: 150, rows: 45 });
  await pty.until((s) => /1 narrow access {2}8x ld\.global\.b32/.test(s.text), "the findings");
  const step = async (keys: string, wanted: RegExp) => {
    pty.type(keys);
    return pty.until((s) => wanted.test(s.text), `${JSON.stringify(keys)} shows ${wanted}`);
  };
  await step("\r", /%11 = tt\.load/);
  await step("3", /T0:0 +T0:1 +T0:2 +T0:3/);
  await step("w", /4 why[\s\S]*reads 32 bits at once/);
  await step("2gl", /Python {2}vecadd\.py:11/);
  await step("\x1b", /≠|1 passes/);
  await pty.idle(100);
  await step("ojjjjjjjjjlllll", /divisibility of n +‹ 16 ›/);
  await step("\r", /ld\.global\.b32 16 → ld\.global\.v4\.b32 4/);
  await step("B", /the first difference to the baseline/);
  expect((await pty.screen()).text).toContain("≠");
  await step("u", /%11 = tt\.load/);
  await step("u", /as it was before/);
  expect((await pty.screen()).text).not.toContain("≠");
  pty.type("q");
  await pty.exited();
});

const LARGE_PYTHON = ["fixtures/kernels/seed003_matmul.py", "--signature"];
test.each([
  ["attn", ["fixtures/kernels/flash_attention.ttir"]],
  ["matmul_kernel", [...LARGE_PYTHON, "*fp16:16,*fp16:16,*fp32:16,i32:16,1,i32,1,i32,1,128,128,64,128,128,32"]],
])("PTX of a large module is made when it is looked at, while keys are answered: %s", async (kernel, args) => {
  const pty = start(args);
  await ready(pty);
  pty.type("4]]");
  await pty.until((s) => /making PTX \.\.\. \d+\/\d+ [a-z]/.test(s.text), "how far it is");
  pty.type("1j");
  await pty.until((s) => s.text.includes(`.visible .entry ${kernel}`), "the PTX");
  pty.type("q");
  await pty.exited();
});

test("--against another option: opens at the first pass that differs, both sides beside each other", async () => {
  const pty = start([KERNEL, "--tui", "--against", "num-warps=8"], { columns: 180, rows: 45 });
  // The footer is drawn last: everything above it is there by then.
  const shown = await pty.until((s) => s.text.includes("the first difference to the input"), "the first difference");
  expect(shown.text).toContain("the input: convert-triton-to-tritongpu → num-warps=8: convert-triton-to-tritongpu");
  expect(shown.text).toMatch(/2 - module attributes .*"ttg.num-warps" = 4/);
  expect(shown.text).toContain("the input → num-warps=8");
  pty.type("b");
  await pty.until((s) => /symbol-dce#1 → |loop-unroll → /.test(s.text), "the step before");
  pty.type("q");
  await pty.exited();
});

test.each([
  [80, 24],
  [120, 40],
  [220, 60],
])("every key at %ix%i: the program goes on, and no frame is empty", async (columns, rows) => {
  const pty = start([LOG], { columns, rows });
  await ready(pty);
  const leaves = new Set(["quit", "suspend", "edit", "export"]);
  for (const id of COMMAND_IDS) {
    if (leaves.has(id)) continue;
    for (const key of COMMANDS[id].keys) pty.type(key.split(" ").map(bytesOf).join(""));
    await pty.idle(40);
    expect((await pty.screen()).text.trim().length, id).toBeGreaterThan(100);
    pty.type("\x1b");
    await pty.idle(40);
  }
  expect(pty.exit).toBeUndefined();
  pty.type("q");
  expect(await pty.exited()).toMatchObject({ code: 0 });
});
const BYTES: Readonly<Record<string, string>> = {
  ...{ down: "\x1b[B", up: "\x1b[A", left: "\x1b[D", right: "\x1b[C", pgdn: "\x1b[6~", pgup: "\x1b[5~", home: "\x1b[H", end: "\x1b[F" },
  ...{ tab: "\t", "shift+tab": "\x1b[Z", enter: "\r", space: " ", esc: "\x1b" },
};
const bytesOf = (key: string): string => BYTES[key] ?? (key.startsWith("ctrl+") ? String.fromCharCode(key.charCodeAt(5) & 31) : key);

test("a redraw loses none of the keys that are read with it", async () => {
  const pty = start([LOG]);
  await ready(pty);
  // The escape closes the help; without it, q would only close it.
  pty.type("?\x0c\x1b\x0c\x1bq");
  expect(await pty.exited()).toMatchObject({ code: 0 });
});

test("an escape before another key of the same chunk is a key; what is pasted is text", async () => {
  const pty = start([LOG]);
  await ready(pty);
  pty.type("?\x1b\x1b[B\x1b[200~q\x1b[201~");
  await pty.until((s) => /finding 2 of 2.*[\s\S]*pasted text is no keys/.test(s.text), "the next finding, without the help");
  pty.type("1/\x1b[200~quit\rq\x1b[201~");
  await pty.until((s) => s.text.includes("filter passes: quit q"), "the text in the prompt");
});

test("several keys in one chunk, a paste into a prompt, the mouse, a resize", async () => {
  const pty = start([LOG]);
  await ready(pty);
  pty.type(">2/ttg.convert\r");
  await pty.until((s) => s.text.includes("ttg.convert"), "a search");
  pty.resize(100, 30);
  const widest = (text: string) => Math.max(...text.split("\n").map((l) => l.length));
  await pty.until((s) => widest(s.text) <= 100 && /[[|]uni/.test(s.text), "unified by itself");
  // The third row of the pass list.
  pty.type("\x1b[<0;5;4M\x1b[<0;5;4m");
  await pty.until((s) => />/.test(s.text.split("\n")[3]!.slice(1, 3)), "the clicked pass is selected");
  pty.resize(30, 8);
  await pty.until((s) => s.text.includes("needs 40x10"), "a line for tiny terminals");
  pty.resize(1, 1);
  await pty.idle();
  pty.resize(160, 45);
  await pty.until((s) => s.text.includes("1 passes"), "all panes again");
  pty.type("q");
  await pty.exited();
});

test.each(["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"])("%s leaves the terminal sane", async (signal) => {
  const pty = start([KERNEL]);
  await ready(pty);
  process.kill(pty.pid, signal);
  const { code } = await pty.exited();
  expect(code).toBe({ SIGTERM: 143, SIGHUP: 129, SIGINT: 130, SIGQUIT: 131 }[signal]);
  expect(await pty.screen()).toMatchObject({ alternate: false, cursorHidden: false, mouse: "none" });
});

/** In a shell, which shows how the terminal was left. */
function startInShell(args: string, env: Readonly<Record<string, string>> = {}): Pty {
  const pty = new Pty(["/bin/bash", "--norc", "-i"], { columns: 140, rows: 40, env: { PS1: "$ ", ...env } });
  open.push(pty);
  const pid = join(folder, "pid");
  rmSync(pid, { force: true });
  const program = `sh -c 'echo $$ > ${pid}; exec ${process.execPath} ${COMMAND} ${args}'`;
  pty.type(`${program}; c=$?; sleep 0.8; echo code=$c; stty -a; echo over\r`);
  return pty;
}
const pidOf = () => Number(readFileSync(join(folder, "pid"), "utf8"));

/** Throws in the middle of a frame after SIGUSR2, and makes a file that says so. */
const FAULT = `process.on("SIGUSR2", () => {
  require("node:fs").writeFileSync(process.env.PLANTED, "");
  const { padEnd } = String.prototype;
  String.prototype.padEnd = function (...args) {
    if (new Error().stack.includes(${JSON.stringify(inject("built"))})) throw new TypeError("planted");
    return padEnd.apply(this, args);
  };
});
`;
const PLANTED = join(folder, "planted");
const ENDS: readonly (readonly [what: string, code: number, end: (pty: Pty) => void | Promise<void>])[] = [
  ["q", 0, (pty) => pty.type("q")],
  ["ctrl+c", 0, (pty) => pty.type("\x03")],
  ["SIGINT", 130, () => process.kill(pidOf(), "SIGINT")],
  ["SIGTERM", 143, () => process.kill(pidOf(), "SIGTERM")],
  ["SIGHUP", 129, () => process.kill(pidOf(), "SIGHUP")],
  ["SIGQUIT", 131, () => process.kill(pidOf(), "SIGQUIT")],
  [
    "an exception in a pane, which says so while the others go on",
    3,
    async (pty) => {
      process.kill(pidOf(), "SIGUSR2");
      await pty.until(() => existsSync(PLANTED), "the fault");
      pty.type("j>");
      const { text } = await pty.until((s) => s.text.includes("internal error: planted"), "the error in its place");
      expect(text).toMatch(/1 passes|2 diff|3 layout/);
      pty.type("q");
    },
  ],
  [
    "1x1 and q",
    0,
    async (pty) => {
      pty.resize(1, 1);
      await pty.idle();
      pty.type("q");
      await pty.until((s) => !s.alternate, "the end");
      pty.resize(140, 40);
    },
  ],
];
test.each(ENDS)("%s: the terminal is as it was found", async (_, code, end) => {
  const fault = join(folder, "fault.cjs");
  writeFileSync(fault, FAULT);
  const pty = startInShell(KERNEL, { NODE_OPTIONS: `--require ${fault}`, PLANTED });
  await ready(pty);
  await end(pty);
  const left = await pty.until((s) => !s.alternate && /^over$/m.test(s.text), "the shell");
  expect(left).toMatchObject({ cursorHidden: false, mouse: "none" });
  expect(left.text).toContain(`code=${code}`);
  // Lines are edited and echoed by the terminal again.
  expect(left.text).toMatch(/(?<!-)icanon/);
  expect(left.text).toMatch(/(?<!-)echo /);
});

test("a Python kernel is edited in its pane: it is compiled again, and u brings the one before back", async () => {
  const kernel = join(folder, "add.py");
  writeFileSync(kernel, readFileSync("fixtures/kernels/seed003_add.py"));
  const editor = join(folder, "python-editor.sh");
  writeFileSync(editor, `#!/bin/sh\nsed -i 's/x + y/x * y/' "$1"\n`, { mode: 0o755 });
  const signature = "*fp32:16, *fp32:16, *fp32:16, i32, 256";
  const pty = start([kernel, "--signature", signature], { columns: 200, rows: 50 }, { EDITOR: editor });
  await ready(pty);
  pty.type("0");
  await pty.until((s) => s.text.includes("output = x + y"), "the source");
  pty.type("e");
  await pty.until((s) => s.text.includes("output = x * y") && s.text.includes("≠"), "the source as edited, and what it changed");
  pty.type("B");
  await pty.until((s) => /baseline: source/.test(s.text) && /arith\.mulf/.test(s.text), "the first difference");
  pty.type("uu");
  await pty.until((s) => !s.text.includes("≠"), "no difference");
  pty.type("q");
  await pty.exited();
});

test("a Python kernel is generated again for another target", async () => {
  const kernel = join(folder, "by-target.py");
  const body = "    tl.store(x, 7.0 if tl.target_info.cuda_capability_geq(9, 0) else 5.0)\n";
  writeFileSync(kernel, `import triton\nimport triton.language as tl\n\n@triton.jit\ndef kernel(x):\n${body}`);
  const pty = start([kernel, "--signature", "*fp32"], { columns: 160, rows: 40 });
  await ready(pty);
  pty.type("1gg");
  await pty.until((s) => s.text.includes("constant 5.000000e+00"), "the store for sm_80");
  pty.type(":--target cuda:90\r");
  await pty.until((s) => s.text.includes("constant 7.000000e+00"), "the store for sm_90");
  pty.type("q");
  await pty.exited();
});

test("an editor that fails leaves its file, and the next one opens it again", async () => {
  const editor = join(folder, "failing.sh");
  writeFileSync(editor, `#!/bin/sh\necho "// precious" >> "$1"\nexit 1\n`, { mode: 0o755 });
  const pty = start([KERNEL], { columns: 80, rows: 24 }, { EDITOR: editor });
  await ready(pty);
  pty.type("e");
  const failed = await pty.until((s) => s.text.includes("opens it again"), "what went wrong, whole at 80 columns");
  const file = /the file is (\S+), e/.exec(failed.text.replace(/[│\s]+/g, " "))![1]!;
  expect(readFileSync(file, "latin1")).toContain("// precious");
  writeFileSync(editor, `#!/bin/sh\necho "// more" >> "$1"\nsed -i s/arith.addf/arith.nonsense/ "$1"\n`);
  pty.type("e");
  await pty.until((s) => s.text.includes("kept in"), "the text with both edits");
  expect(readFileSync(file, "latin1")).toMatch(/precious\n\/\/ more\n/);
  rmSync(file);
  pty.type("q");
  await pty.exited();
});

test("a kernel from standard input: keys come from the terminal", async () => {
  const pty = new Pty(["/bin/bash", "--norc", "-i"], { columns: 140, rows: 40, env: { PS1: "$ " } });
  open.push(pty);
  pty.type(`cat ${KERNEL} | '${process.execPath}' '${COMMAND}' -; echo code=$?\r`);
  await ready(pty);
  pty.type(":coalesce\r");
  await pty.until((s) => s.text.includes("→ coalesce"), "the pass that was asked for");
  pty.type("q");
  await pty.until((s) => !s.alternate && s.text.includes("code=0"), "the shell");
});

test("stdin closed, or no terminal on one side: a list", async () => {
  const pty = startInShell(`${KERNEL} <&-`);
  const closed = await pty.until((s) => /^over$/m.test(s.text), "the list");
  expect(closed).toMatchObject({ alternate: false, cursorHidden: false });
  expect(pty.take()).not.toContain("\x1b[?1049h");
});

test("suspended and resumed", async () => {
  // In a shell with job control, as a user has it.
  const pty = new Pty(["/bin/bash", "--norc", "-i"], { columns: 120, rows: 40, env: { PS1: "$ " } });
  open.push(pty);
  pty.type(`'${process.execPath}' '${COMMAND}' ${KERNEL}\r`);
  await ready(pty);
  pty.type("\x1a");
  const away = await pty.until((s) => !s.alternate && /Stopped/.test(s.text), "the shell");
  expect(away).toMatchObject({ cursorHidden: false, mouse: "none" });
  pty.type("fg\r");
  expect(await pty.until((s) => s.alternate && s.text.includes("1 passes"), "the UI again")).toMatchObject({ mouse: "drag" });
  pty.type("q");
  await pty.until((s) => !s.alternate, "the shell again");
});

test.each(["SIGTSTP", "SIGSTOP"])("%s from outside, and resumed", async (signal) => {
  const pty = startInShell(KERNEL);
  await ready(pty);
  process.kill(pidOf(), signal);
  const away = await pty.until((s) => /^over$/m.test(s.text), "the shell");
  if (signal === "SIGTSTP") expect(away).toMatchObject({ alternate: false, cursorHidden: false, mouse: "none" });
  pty.take();
  pty.type("fg\r");
  await pty.until((s) => s.alternate && s.text.includes("1 passes") && s.mouse === "drag", "the UI again");
  expect(pty.received).toContain("\x1b[?1049h");
});

test("names in an input cannot give the terminal orders", async () => {
  const pty = start([HOSTILE]);
  await ready(pty);
  pty.take();
  for (const keys of ["o", "\x1b", "w", ">", "4", "3", "2", "1"]) {
    pty.type(keys);
    await pty.idle(80);
  }
  await pty.until(() => pty.received.includes("EVIL"), "a name");
  expect(pty.received).not.toMatch(/\x1b\]|\x07|[\x80-\x9f]|[\u202a-\u202e\u2066-\u2069]/);
  pty.type("q");
  await pty.exited();
});

test("IR is edited in $EDITOR: an error comes back at its line, and nothing is lost", async () => {
  const editor = join(folder, "editor.sh");
  writeFileSync(
    editor,
    `#!/bin/sh\nif grep -q arith.nonsense "$1"; then sed -i s/arith.nonsense/arith.addf/ "$1"; else sed -i s/arith.addf/arith.nonsense/ "$1"; fi\n`,
    { mode: 0o755 },
  );
  const pty = start([KERNEL], undefined, { EDITOR: editor });
  await ready(pty);
  pty.type("e");
  const wrong = await pty.until((s) => s.text.includes("kept in"), "an error");
  const kept = /kept in (\S+?),/.exec(wrong.text)![1]!;
  expect(wrong.text).toMatch(/ \d+:\d+: error/);
  expect(readFileSync(kept, "latin1")).toContain("arith.nonsense");
  // The user's alone, and gone when there is nothing in it to lose.
  expect(statSync(kept).mode & 0o777).toBe(0o600);
  pty.type("e");
  await pty.until((s) => s.text.includes("nothing was changed"), "the text as it was");
  expect(existsSync(kept)).toBe(false);
  // The passes before stay, with the edit as a step after them.
  writeFileSync(editor, `#!/bin/sh\nsed -i s/arith.addf/arith.mulf/ "$1"\n`);
  pty.type(":coalesce\r");
  await pty.until((s) => s.text.includes("→ coalesce"), "the pass to edit after");
  pty.type("e");
  await pty.until((s) => s.text.includes("coalesce → edit") && /PTX/i.test(s.text), "the edit as a step");
  pty.type("1<");
  await pty.until((s) => s.text.includes("convert-triton-to-tritongpu → coalesce"), "the pass before");
  pty.type("q");
  await pty.exited();
});

test("bad input: a screen says what was found; the terminal is given back before the error", async () => {
  const empty = join(folder, "empty.ttir");
  const half = join(folder, "half.ttir");
  writeFileSync(empty, "");
  writeFileSync(half, readFileSync(KERNEL, "latin1").slice(0, 400));
  for (const [path, found] of [
    [empty, /is empty/],
    [half, /error: [\s\S]*ends in the middle of this one:[\s\S]*not closed/],
    [process.execPath, /bytes, and is not text: an ELF file/],
  ] as const) {
    const pty = start([path]);
    await pty.until((s) => s.alternate && found.test(s.text), `${found}`);
    pty.type("q");
    expect(await pty.exited()).toMatchObject({ code: 2 });
  }
  const pty = start(["no/such/file"]);
  await pty.until((s) => s.text.includes("cannot read 'no/such/file'"), "the reason");
  pty.type("q");
  expect(await pty.exited()).toMatchObject({ code: 2 });
  expect(await pty.screen()).toMatchObject({ alternate: false, text: expect.stringContaining("cannot read 'no/such/file'") });
});

test("a pass that fails: it is selected, its error is below and in the why tab, and the program's code says so", async () => {
  const pty = start(["fixtures/tui/small-swizzled-block.mlir", "--disable-pass", "gluon-inline"]);
  const { text } = await pty.until(
    (s) => s.text.includes("-to-llvm failed:") && s.text.includes("1 finding,"),
    "the failure, and the findings",
  );
  expect(text).toContain(":7:10: error: 'ttg.local_alloc' cannot go");
  expect(text).toMatch(/> ! convert-triton-gpu-to-l/);
  expect(text).not.toContain("gluon-inline");
  pty.type("w");
  await pty.until((s) => s.text.includes("[pass.layout]"), "all that is said of it");
  pty.type("q");
  expect(await pty.exited()).toMatchObject({ code: 2 });
});

test("config.json: its keys work; a bad one is refused at its place, and the terminal is not touched", async () => {
  const home = join(folder, "config");
  mkdirSync(join(home, "tt-step"), { recursive: true });
  const write = (text: string) => writeFileSync(join(home, "tt-step", "config.json"), text);
  write('{"keys": {"quit": "Q"}, "defaults": {"num-warps": 8}}');
  const pty = start([KERNEL], undefined, { XDG_CONFIG_HOME: home });
  await ready(pty);
  pty.type("q:");
  await pty.until((s) => s.text.includes("--num-warps 8"), "the command line with the defaults");
  pty.type("\x1b");
  await pty.idle();
  pty.type("Q");
  expect(await pty.exited()).toMatchObject({ code: 0 });
  write('{\n  "theme": "pink"\n}');
  const bad = start([KERNEL], undefined, { XDG_CONFIG_HOME: home });
  expect(await bad.exited()).toMatchObject({ code: 2 });
  expect(bad.take()).not.toContain("\x1b[?1049h");
  expect((await bad.screen()).text).toMatch(/config\.json:2:12: error: expected dark, light or none/);
});

test("the terminal goes away: the program ends", async () => {
  const pty = start([KERNEL]);
  await ready(pty);
  pty.close();
  expect(await pty.exited()).toMatchObject({ code: 129, signal: 0 });
});

test("CI=1 and TERM=dumb: a list, without escape codes", async () => {
  for (const env of [{ CI: "1" }, { TERM: "dumb" }] as Readonly<Record<string, string>>[]) {
    const pty = start([KERNEL], { columns: 200, rows: 90 }, env);
    expect(await pty.exited()).toMatchObject({ code: 0 });
    expect(pty.take()).not.toContain("\x1b");
    expect((await pty.screen()).text).toContain("tritongpu-coalesce");
  }
});
