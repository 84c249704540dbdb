export { SetAutoLayoutOp } from "./set-auto-layout.js";
