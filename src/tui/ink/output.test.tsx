/** The module that takes the place of Ink's own in the bundle shows what Ink's own shows, on random trees. */
import headless from "@xterm/headless";
import fc from "fast-check";
import { Box, Text, Transform } from "ink";
import type { ReactElement } from "react";
import { expect, test } from "vitest";
import * as dom from "../../../node_modules/ink/build/dom.js";
import InkOutput from "../../../node_modules/ink/build/output.js";
import reconciler from "../../../node_modules/ink/build/reconciler.js";
import renderNodeToOutput from "../../../node_modules/ink/build/render-node-to-output.js";
import Output from "./output.js";

/** `TUI_TREES=2000 npm test -- ink` for many. */
const RUNS = Number(process.env["TUI_TREES"] ?? 100);
const [WIDTH, HEIGHT] = [24, 8];

const word = fc.constantFrom(
  "a",
  "load",
  "%12 = tt.load",
  "│┃─",
  "日本",
  "é",
  "e\u0301",
  "👩‍💻",
  "⌚x",
  "  ",
  " b ",
  "two\nlines",
  "\u200b",
);
const style = fc.constantFrom("", "\x1b[31m", "\x1b[1;38;5;75m", "\x1b[7m", "\x1b[48;2;1;2;3m");
/** Styles end with their text: what Ink makes of others depends on what it has drawn before. */
const text = fc
  .tuple(style, fc.array(word, { minLength: 1, maxLength: 4 }))
  .map(([code, words]) => code + words.join("") + (code === "" ? "" : "\x1b[0m"));
const colour = fc.constantFrom(undefined, "red", "ansi256(75)", "#102030");
const margin = fc.integer({ min: -2, max: 6 });

const { tree } = fc.letrec<{ tree: ReactElement }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.record({ text, wrap: fc.constantFrom("wrap", "truncate"), color: colour, bold: fc.boolean() }).map(({ text, wrap, color, bold }) => (
      <Text wrap={wrap as "wrap"} bold={bold} {...(color ? { color } : {})}>
        {text}
      </Text>
    )),
    text.map((text) => (
      <Transform transform={(line, i) => `${i}<${line}>`}>
        <Text>{text}</Text>
      </Transform>
    )),
    fc
      .record({
        children: fc.array(tie("tree"), { maxLength: 4 }),
        direction: fc.constantFrom("row", "column"),
        border: fc.constantFrom(undefined, "single", "double"),
        position: fc.constantFrom("relative", "absolute"),
        overflow: fc.constantFrom("visible", "visible", "hidden"),
        backgroundColor: colour,
        width: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
        height: fc.option(fc.integer({ min: 0, max: 10 }), { nil: undefined }),
        left: margin,
        top: margin,
      })
      .map(({ children, direction, border, left, top, width, height, backgroundColor, ...rest }) => (
        <Box
          {...(rest as { position: "relative"; overflow: "visible" })}
          flexDirection={direction as "row"}
          marginLeft={left}
          marginTop={top}
          {...(border ? { borderStyle: border as "single" } : {})}
          {...(backgroundColor ? { backgroundColor } : {})}
          {...(width === undefined ? {} : { width })}
          {...(height === undefined ? {} : { height })}
        >
          {children.map((child, i) => (
            <Box key={i}>{child}</Box>
          ))}
        </Box>
      )),
  ),
}));

/** The output of Ink's module, and of ours, for a tree. */
function outputs(element: ReactElement): [ink: string, ours: string] {
  const root = dom.createNode("ink-root");
  root.onComputeLayout = () => {
    root.yogaNode!.setWidth(WIDTH);
    root.yogaNode!.calculateLayout(undefined, undefined, 1);
  };
  const nothing = () => {};
  const container = reconciler.createContainer(root, 0, null, false, null, "", nothing, nothing, nothing, nothing);
  const show = (node: ReactElement | null) => {
    reconciler.updateContainerSync(node, container, null, nothing);
    reconciler.flushSyncWork();
  };
  show(
    <Box width={WIDTH} height={HEIGHT}>
      {element}
    </Box>,
  );
  const made = [new InkOutput({ width: WIDTH, height: HEIGHT }), new Output({ width: WIDTH, height: HEIGHT })].map((output) => {
    renderNodeToOutput(root, output, { skipStaticElements: true });
    return output.get().output;
  });
  show(null);
  root.yogaNode!.free();
  return made as [string, string];
}

const terminal = new headless.Terminal({ cols: 80, rows: HEIGHT + 2, allowProposedApi: true });
/** The cells that a terminal shows, with their looks. */
async function cells(text: string): Promise<string[]> {
  terminal.reset();
  await new Promise<void>((done) => terminal.write(text.replaceAll("\n", "\r\n"), done));
  const found: string[] = [];
  for (let y = 0; y < HEIGHT; y++)
    for (let x = 0; x < 80; x++) {
      const cell = terminal.buffer.active.getLine(y)!.getCell(x)!;
      const look = [cell.getFgColorMode(), cell.getFgColor(), cell.getBgColorMode(), cell.getBgColor(), cell.isBold(), cell.isInverse()];
      found.push(`${cell.getChars() || " "} ${look.join()}`);
    }
  return found;
}

test("the same cells as Ink's own module", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(tree, { minLength: 1, maxLength: 3 }), async (frames) => {
      // One after the other: rows of the frame before are used again.
      for (const element of frames) {
        const [ink, ours] = outputs(element);
        if (ours !== ink) expect(await cells(ours)).toEqual(await cells(ink));
      }
    }),
    { numRuns: RUNS },
  );
});

test("characters that are taken to be one column wide are, and join with no other", async () => {
  const { default: stringWidth } = await import("string-width");
  const ranges = [
    [0x20, 0x7e],
    [0xa1, 0xac],
    [0xae, 0x2ff],
    [0x2010, 0x2027],
    [0x2190, 0x2319],
    [0x2500, 0x25fc],
  ] as const;
  for (const [from, to] of ranges)
    for (let code = from; code <= to; code++) {
      const char = String.fromCharCode(code);
      expect([code, stringWidth(char), stringWidth(`x${char}─${char}`)]).toEqual([code, 1, 4]);
    }
});
