// `npm start` and, with --watch, `npm run dev`: installs and builds when needed, then runs the
// whole system until Ctrl-C.
import { ensureBuilt, ensureInstalled, runScript } from './lib.mjs';

ensureInstalled();
ensureBuilt();
process.exit(await runScript('deploy/local/dist/main.js', process.argv.slice(2), { linked: true }));
