/** Takes the place of Ink's module of the same name in the bundle (`build.js`): each line is read once, not twice in every frame. */
import sanitizeAnsi from "../../../node_modules/ink/build/sanitize-ansi.js";
import { remembered } from "./remembered.js";

export default remembered(sanitizeAnsi);
