// `node tools/run.mjs SCRIPT ARGS…` runs a built script of the project, installing and building
// first when needed.
import { ensureBuilt, ensureInstalled, fail, runScript } from './lib.mjs';

const [script, ...args] = process.argv.slice(2);
if (!script) fail('Which script? node tools/run.mjs bench/dist/main.js');
ensureInstalled();
ensureBuilt();
process.exit(await runScript(script, args));
