// Begins a pass, an op or a pane: `npm run new -- pass triton-drop-asserts`, `npm run new -- op math.exp10`, `npm run new -- pane remarks`.
// It makes files that compile and do nothing; for a pass or an op also a fixture that fails until it is filled in. CONTRIBUTING.md has
// the steps that follow.
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const camel = (name) => name.replace(/[-_](\w)/g, (_, letter) => letter.toUpperCase());
const pascal = (name) => camel(name).replace(/^./, (letter) => letter.toUpperCase());

const KINDS = { pass: newPass, op: newOp, pane: newPane };
const [kind, name = ""] = process.argv.slice(2);
if (!Object.hasOwn(KINDS, kind ?? "")) end("usage: npm run new -- pass NAME | op DIALECT.NAME | pane NAME");
KINDS[kind](name);

/** A pass on Triton's dialect, or on TTGIR if its name begins as theirs do. */
function newPass(flag) {
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)+$/.test(flag)) end(`a pass has a name like triton-drop-asserts, not '${flag}'`);
  const group = /^(?:tritongpu|ttg)-/.test(flag) ? "ttg" : "tt";
  const file = flag.replace(/^(?:tritongpu|triton|ttg|tt)-/, "");
  make(
    `src/passes/${group}/${file}.ts`,
    `import { definePass } from "../../pass/define-pass.js";

export const ${camel(file)} = definePass("${flag}", {
  name: "${pascal(flag)}",
  summary: "does nothing yet",
  run() {},
});
`,
  );
  appendFileSync(`src/passes/${group}/index.ts`, `export * from "./${file}.js";\n`);
  make(
    `fixtures/${group}/${file}.mlir`,
    `// RUN: tt-opt %s -${flag} | filecheck %s

// CHECK-LABEL: tt.func @f
// CHECK: what ${flag} makes of it
tt.func @f(%x: i32) -> i32 {
  tt.return %x : i32
}
`,
  );
  console.log(`npx vitest run src/testing/lit.test.ts -t ${group}/${file}`);
}

/** An op with one operand and a result of the same type. */
function newOp(full) {
  const [, dialect, mnemonic] = /^(\w+)\.([a-z]\w*)$/.exec(full) ?? [];
  const index = `src/dialects/${dialect}/ops/index.ts`;
  if (dialect === undefined || !existsSync(index)) {
    const dialects = readdirSync("src/dialects").filter((name) => existsSync(`src/dialects/${name}/ops/index.ts`));
    end(`an op has a name like math.exp10, with a dialect among ${dialects.join(", ")}; not '${full}'`);
  }
  const file = mnemonic.replaceAll("_", "-");
  make(
    `src/dialects/${dialect}/ops/${file}.ts`,
    `import { AnyType } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";

export const ${pascal(mnemonic)}Op = defineOp("${full}", () => ({
  summary: "returns its operand",
  operands: { input: AnyType },
  results: { result: AnyType },
  format: "$input attr-dict \`:\` type($input) \`->\` type($result)",
}));
`,
  );
  appendFileSync(index, `export * from "./${file}.js";\n`);
  make(
    `fixtures/${dialect}/${file}.mlir`,
    `// RUN: tt-opt %s | filecheck %s

// CHECK: ${full} as its format prints it
tt.func @f(%x: i32) -> i32 {
  %0 = ${full} %x : i32 -> i32
  tt.return %0 : i32
}
`,
  );
  console.log(`npx vitest run src/testing/lit.test.ts -t ${dialect}/${file}`);
}

/** A pane with one row. */
function newPane(id) {
  if (!/^[a-z]+$/.test(id)) end(`a pane has a name like remarks, not '${id}'`);
  const index = "src/tui/panes/index.ts";
  const views = "src/tui/state/view.ts";
  const view = `${id[0].toUpperCase()}${id.slice(1)}View`;
  make(
    `src/tui/panes/${id}/pane.ts`,
    `/** The pane of ${id}. */
import { line } from "../../draw/style.js";
import { type State, withView } from "../../state/state.js";
import type { ${view} } from "../../state/view.js";
import type { PaneDef } from "../pane.js";

export const ${id}Pane: PaneDef<${view}> = {
  initial: { row: 0, top: 0, left: 0 },
  title: () => "${id}",
  rows: (state, { height }) => texts(state).slice(state.view.${id}.top, state.view.${id}.top + height).map((text) => line(text)),
  length: (state) => texts(state).length,
  top: ({ view }) => view.${id}.top,
  move: (state, by) => {
    const row = Math.max(0, Math.min(texts(state).length - 1, state.view.${id}.row + by));
    return withView(state, { ${id}: { ...state.view.${id}, row, top: row } });
  },
  sideways: (state) => state,
  click: (state) => state,
  enter: (state) => state,
  tab: (state) => state,
  copied: () => undefined,
};

const texts = (_state: State): readonly string[] => ["nothing yet"];
`,
  );
  const text = readFileSync(index, "utf8")
    .replace("\n\n/** In the order of", `\nimport { ${id}Pane } from "./${id}/pane.js";$&`)
    .replace(/(export const PANES\b.* = \{[^}]*)/, `$1  ${id}: ${id}Pane,\n`);
  writeFileSync(index, text);
  const before = readFileSync(views, "utf8");
  const key = Math.max(...[...before.matchAll(/\bkey: "(\d)"/g)].map(([, digit]) => Number(digit))) + 1;
  const parts = before
    .replace("\n} as const satisfies Readonly<Record<PaneId", `\n  ${id}: { key: "${key}", title: "${id}", place: "lower" },$&`)
    .replace("/** The parts of the panes", `export interface ${view} extends Scroll {\n  readonly row: number;\n}\n\n$&`)
    .replace(/(export interface PaneViews \{[^}]*)/, `$1  readonly ${id}: ${view};\n`);
  writeFileSync(views, parts);
  console.log("npm run types");
}

function make(path, text) {
  if (existsSync(path)) end(`${path} exists`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  console.log(path);
}

function end(message) {
  console.error(message);
  process.exit(2);
}
