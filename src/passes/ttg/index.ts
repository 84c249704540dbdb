export { coalesce } from "./coalesce.js";
