/** In the commands' bundles yargs imports this file instead of the package `wrap-ansi`. It breaks lines of ASCII, which help is. */
import { wrapText } from "../../support/wrap-text.js";

export default (text: string, width: number): string =>
  text
    .split("\n")
    .flatMap((line) => (line.length <= width ? line.trim() : wrapText(line.trim(), width)))
    .join("\n");
