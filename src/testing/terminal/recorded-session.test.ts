/**
 * The README's recorded session: a kernel is opened, it is found out why a load is narrow, changed, and compared. It is what a terminal
 * shows. `README_SCREEN=1 npx vitest run recorded-session` records it anew.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { THEMES } from "../../tui/draw/theme.js";
import { type FilmScreen, filmSvg } from "../../tui/export/svg.js";
import { Pty } from "./pty.js";

const KEPT = "snapshots/tui/session.svg";
const SIZE = { columns: 120, rows: 36 } as const;
const KERNEL = "fixtures/kernels/vecadd_any_n.ttir";

/** Keys, the screen that they lead to, the seconds that it is shown, and what is said of it. */
const SCENES: readonly (readonly [keys: string, wanted: RegExp, seconds: number, caption: string])[] = [
  ["", /1 narrow access {2}8x ld\.global\.b32/, 5, `tt-step ${KERNEL}: it opens on what holds the kernel back, worst first`],
  ["\r", /%11 = tt\.load/, 4, "enter: the pass and the op of the finding"],
  [
    "3",
    /T0:0 +T0:1 +T0:2 +T0:3/,
    4,
    "3: the layout of its result; each thread holds four elements in a row, so the layout is not the cause",
  ],
  ["w", /4 why[\s\S]*reads 32 bits at once/, 6, "w: why it is narrow; nothing is known of what n is divisible by"],
  ["o", /what if[\s\S]*divisibility of n/, 3, "o: what if ..."],
  ["jjjjjjjjjlllll", /divisibility of n +‹ 16 ›/, 4, "... n were divisible by 16?"],
  ["\r", /ld\.global\.b32 16 → ld\.global\.v4\.b32 4/, 6, "enter: the passes run again; 16 loads of 4 bytes become 4 of 16"],
  [
    "B",
    /the first difference to the baseline/,
    5,
    "B: the first pass whose result differs, against the one before; u takes the change back",
  ],
];

test("the README's recorded session is what a terminal shows", async () => {
  const env = { COLORTERM: "truecolor", TRITON_PTXAS_PATH: "", PATH: "/usr/bin:/bin" };
  const pty = new Pty([process.execPath, join(inject("built"), "bin/tt-step.js"), KERNEL], { ...SIZE, env });
  const screens: FilmScreen[] = [];
  try {
    for (const [keys, wanted, seconds, caption] of SCENES) {
      // A key at a time, as they are typed.
      for (const key of keys) {
        pty.type(key);
        await pty.idle(60);
      }
      await pty.until(({ text }) => wanted.test(text) && !/looking for|compiling/.test(text), caption);
      await pty.idle(400);
      screens.push({ runs: await pty.runs(), seconds, caption });
    }
    pty.type("q");
    await pty.exited();
  } finally {
    pty.kill();
  }
  const svg = filmSvg(screens, { ...SIZE, page: THEMES.dark.page, title: `tt-step ${KERNEL}` });
  expect(svg.length).toBeLessThan(400_000);
  if (process.env["README_SCREEN"]) writeFileSync(KEPT, svg);
  // Times differ from run to run, and what is cut off beside them.
  const said = (drawing: string) =>
    new Set(
      [...drawing.matchAll(/>([^<]*(?:ttg\.|tt\.|global\.|divisib|T0:)[^<]*)</g)].map((m) => m[1]!.trim()).filter((t) => t.length > 8),
    );
  expect(said(readFileSync(KEPT, "utf8"))).toEqual(said(svg));
});
