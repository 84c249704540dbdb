/** Stands for the package `wrap-ansi` in commands' bundles: lines of ASCII, which help is. */
import { wrapText } from "../../support/wrap-text.js";

export default (text: string, width: number): string =>
  text
    .split("\n")
    .flatMap((line) => (line.length <= width ? line.trim() : wrapText(line.trim(), width)))
    .join("\n");
