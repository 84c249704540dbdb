/** `tt-step learn [NAME]`: tours through the compiler, in the terminal UI, as text or as a page. */
import { dirname, join, resolve } from "node:path";
import { readTour, type Tour } from "../learn/tour.js";
import { fileError } from "../node/files.js";
import { nearestText } from "../support/nearest.js";
import { fromBytes, toBytes } from "../support/utf8.js";
import { THEMES } from "../tui/draw/theme.js";
import { runTui, type TuiRequest } from "../tui/run.js";
import type { TourRequest } from "../tui/tour/step.js";
import { readConfig } from "./config.js";
import { EXIT, type Io } from "./io.js";
import { withHint } from "./options/option.js";
import { type Main, outputOf } from "./tour-command.js";
import { Player } from "./tour-player.js";
import { readProgress, writeProgress } from "./tour-progress.js";
import { tourAsPage, tourAsText, tourPages } from "./tour-text.js";
import { type LineOf, readTtStep, stepArgs, type TtStepArgs } from "./tt-step-args.js";
import { deliver, usage } from "./tt-step-output.js";
import { uiOf } from "./tt-step-tui.js";

/** The screen on paper. */
const PAPER = { columns: 140, rows: 44 } as const;
const ENDING = ".tour.json";

export async function learnMain({ words, values }: LineOf<"learn">, step: Main, io: Io): Promise<number> {
  const [name, ...more] = words;
  if (more.length > 0) return usage(io, withHint(`expects one tour, and there are ${words.length}`, "tt-step learn"));
  const output = { output: values.export ?? values.output, color: values.color };
  if (name === undefined) return deliver(listOfTours(io), output, io);
  const opened = openTour(name, step, io, values);
  if ("refused" in opened) {
    io.stderr.write(opened.refused);
    return EXIT.badInput;
  }
  const { ui, path, tour } = opened;
  const begin = stepToBegin(values.step, name, tour.tour, io);
  if (typeof begin === "object") return usage(io, begin.error);
  if (!values.print && values.export === undefined && io.isInteractive) {
    const before = tour.tour.steps.slice(0, begin).findLast(({ state }) => state !== "");
    return runTui({ ...ui, ...(before ? { screen: before.state } : {}), tour: { ...tour, at: begin } });
  }
  const player = new Player({ ...ui, tour }, PAPER);
  const { refused } = player.state.session;
  if (refused) {
    io.stderr.write(refused.text);
    return EXIT.badInput;
  }
  const pages = await tourPages(player);
  if ("error" in pages) return usage(io, `'${path}': ${pages.error}`);
  const text =
    values.export === undefined
      ? tourAsText(tour.tour, pages)
      : tourAsPage(tour.tour, pages, THEMES[ui.theme === "none" ? "light" : ui.theme]);
  return deliver(toBytes(text), output, io);
}

interface OpenTour {
  readonly path: string;
  readonly tour: TourRequest;
  /** The UI on its kernel. */
  readonly ui: TuiRequest;
}

/** The tour of a name or a file, at its beginning; or why there is none. */
export function openTour(
  name: string,
  step: Main,
  io: Io,
  look: Pick<TtStepArgs, "color" | "theme" | "mouse">,
): OpenTour | { readonly refused: string } {
  const path = name.endsWith(ENDING) ? name : join(toursFolder(io), `${name}${ENDING}`);
  const tour = tourAt(path, io);
  if ("missing" in tour) {
    if (/[./]/.test(name) && path !== name)
      return { refused: `tt-step: '${name}' is no name of a tour, and the file of a tour ends with ${ENDING}\n` };
    const near = nearestText(name, tourNames(io));
    return { refused: `tt-step: ${withHint(`there is no tour '${name}' (${tour.missing})${near}`, "tt-step learn")}\n` };
  }
  if ("error" in tour) return { refused: tour.error };
  const kernel = join(dirname(path), tour.kernel);
  const argv = [kernel, ...tour.options];
  const line = readTtStep(argv);
  if (!("values" in line) || line.command !== "")
    return { refused: `tt-step: '${path}': ${"error" in line ? line.error : "its options are those of another command"}\n` };
  const args = stepArgs(line.values, line.written, kernel);
  if ("error" in args) return { refused: `tt-step: '${path}': ${args.error}\n` };
  const config = readConfig(io);
  if ("error" in config) return { refused: config.error };
  const shown = { ...args, ...look };
  const request: TourRequest = {
    tour,
    at: 0,
    run: (command) => outputOf(command, kernel, step, io),
    save: (at) => writeProgress(io, keyOf(name), at),
  };
  return { path, tour: request, ui: uiOf(shown, shown, config.keys, io) };
}

/** A tour of a file is known by its whole path. */
const keyOf = (name: string): string => (name.endsWith(ENDING) ? resolve(name) : name);

/** The tours of this package. */
const toursFolder = (io: Pick<Io, "packageFolder">): string => join(io.packageFolder ?? ".", "fixtures/tours");

function tourNames(io: Pick<Io, "readFolder" | "packageFolder">): readonly string[] {
  const files = io.readFolder(toursFolder(io)) ?? [];
  return files.filter((file) => file.endsWith(ENDING)).map((file) => file.slice(0, -ENDING.length));
}

/** One line a tour: its name, how far the user is, its title. */
function listOfTours(io: Io): string {
  const done = readProgress(io);
  const rows = tourNames(io).flatMap((name) => {
    const tour = tourAt(join(toursFolder(io), `${name}${ENDING}`), io);
    if (!("steps" in tour)) return [];
    const at = Math.min(done[name] ?? 0, tour.steps.length);
    return [{ name, tour, at }];
  });
  const place = (name: string): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  rows.sort((a, b) => place(a.name) - place(b.name));
  const lines = rows.map(({ name, tour, at }) => `  ${name.padEnd(15)} ${`${at}/${tour.steps.length}`.padStart(5)}  ${tour.title}\n`);
  return `Tours, with how many of their steps you have done:\n\n${lines.join("")}\ntt-step learn NAME opens one, and goes on where it was left. ) goes on, ( back, = does what a step asks for.\n`;
}
/** From what is simple to what needs it. */
const ORDER = ["vectorization", "layouts", "swizzling", "gemm", "pipelining", "cute", "hopper", "blackwell", "gluon", "ptx", "slow-kernel"];

function tourAt(path: string, io: Pick<Io, "readFile">): Tour | { readonly error: string } | { readonly missing: string } {
  let text: string;
  try {
    text = fromBytes(io.readFile(path));
  } catch (error) {
    return { missing: fileError(error) };
  }
  return readTour(path, text);
}

/** The step to begin at, from 0. A tour that was ended begins anew. */
function stepToBegin(asked: number | undefined, name: string, tour: Tour, io: Io): number | { readonly error: string } {
  const last = tour.steps.length;
  if (asked !== undefined) return asked <= last ? asked - 1 : { error: `--step ${asked}: the tour has ${last} steps` };
  const done = readProgress(io)[keyOf(name)] ?? 0;
  return done < last ? done : 0;
}
