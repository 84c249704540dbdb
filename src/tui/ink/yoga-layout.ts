/** Takes the place of the package `yoga-layout` in the bundle (`build.js`): nothing waits for it while it is loaded. */
import { loadYoga } from "../../../node_modules/yoga-layout/dist/src/load.js";

const Yoga = {} as Awaited<ReturnType<typeof loadYoga>>;
/** Until then it is empty, and nothing can be drawn. */
export const ready = loadYoga().then((loaded) => void Object.assign(Yoga, loaded));
export default Yoga;
