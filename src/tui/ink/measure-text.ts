/** Takes the place of Ink's module of the same name in the bundle (`build.js`), which keeps every text that was ever measured. */
import widestLine from "./widest-line.js";

export default (text: string): { readonly width: number; readonly height: number } =>
  text === "" ? { width: 0, height: 0 } : { width: widestLine(text), height: text.split("\n").length };
