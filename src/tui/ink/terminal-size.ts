/** Takes the place of the package of the same name in the bundle (`build.js`): Ink is told the size, and the package loads what starts programs. */
export default () => ({ columns: 80, rows: 24 });
