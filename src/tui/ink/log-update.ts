/**
 * Takes the place of Ink's module of the same name in the bundle (`build.js`), which writes every row that has changed as a whole and counts
 * rows from the cursor. Here the program has the whole screen, so places are absolute, and of a row only the changed columns are written.
 */
import { STYLE, simpleWidth } from "./output.js";

interface Stream {
  write(text: string): unknown;
}

function create(stream: Stream) {
  /** Undefined while it is not known what the screen shows. */
  let shown: readonly string[] | undefined;
  const render = (frame: string): boolean => {
    const rows = frame.split("\n");
    const text = (shown ? "" : ERASE_SCREEN) + rows.map((row, y) => changedColumns(shown?.[y] ?? "", row, y)).join("");
    shown = rows;
    // Whatever writes next, after a stop say, begins below.
    if (text !== "") stream.write(`${text}\x1b[${rows.length}H`);
    return text !== "";
  };
  const forget = (): void => {
    shown = undefined;
  };
  // The program hides the cursor, and sends frames as one.
  return Object.assign(render, {
    clear: forget,
    done: forget,
    sync: (frame: string) => void (shown = frame.split("\n")),
    setCursorPosition: () => {},
    isCursorDirty: () => false,
    willRender: () => true,
  });
}
export default { create };

const ERASE_SCREEN = "\x1b[H\x1b[J";
const RESET = "\x1b[0m";
/** Spaces in text without a style, which it is shorter to erase and go past. */
const BLANKS = /((?:^|\x1b\[0m)[^\x1b]*?)( {12,})/g;

/** Writes what is other in row `y` (from 0) than before. Both rows end without a style. */
export function changedColumns(before: string, after: string, y: number): string {
  if (before === after) return "";
  const [width, widthBefore] = [simpleWidth(after), simpleWidth(before)];
  // Characters that are not one column wide have no known place.
  if (width < 0 || widthBefore < 0) return `\x1b[${y + 1}H\x1b[K${after}`;
  let from = 0;
  while (from < before.length && from < after.length && before.charCodeAt(from) === after.charCodeAt(from)) from++;
  // Not inside of a style.
  const escape = after.lastIndexOf("\x1b", from);
  if (escape >= 0 && from <= after.indexOf("m", escape)) from = escape;
  const prefix = after.slice(0, from);
  let end = after.length;
  if (width === widthBefore) {
    for (let i = before.length; end > from && i > from && before.charCodeAt(i - 1) === after.charCodeAt(end - 1); i--) end--;
    const reset = after.indexOf(RESET, end);
    end = reset < 0 ? after.length : reset + RESET.length;
  }
  const open =
    prefix
      .slice(prefix.lastIndexOf(RESET) + 1)
      .match(STYLE)
      ?.join("") ?? "";
  const part = (open + after.slice(from, end)).replace(BLANKS, (_, text, { length }) => `${text}\x1b[${length}X\x1b[${length}C`);
  const column = simpleWidth(prefix) + 1;
  const over = part.includes("\x1b") && !part.endsWith(RESET) ? RESET : "";
  return `\x1b[${y + 1};${column}H${part}${over}${width < widthBefore ? "\x1b[K" : ""}`;
}
