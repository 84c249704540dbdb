/** Takes the place of the package of the same name in the bundle (`build.js`), where Ink measures each line in every frame. */
import widestLine from "../../../node_modules/widest-line/index.js";
import { remembered } from "./remembered.js";

const width = remembered(widestLine);
export default (text: string): number => Math.max(...text.split("\n").map(width));
