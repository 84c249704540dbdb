/** Takes the place of Ink's module of the same name in the bundle (`build.js`): each line is read once, not twice in every frame. */
import sanitizeAnsi from "../../../node_modules/ink/build/sanitize-ansi.js";
import { remembered } from "./remembered.js";

const sanitized = remembered(sanitizeAnsi);
export default (text: string): string => text.split("\n").map(sanitized).join("\n");
