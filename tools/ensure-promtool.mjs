// Where promtool is, which is fetched when the machine has none. `node tools/ensure-promtool.mjs`
// prints it; needs a build.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

export function ensurePromtool() {
  const require = createRequire(import.meta.url);
  return require('../packages/servers/dist/promtool-binary.js').promtoolBinary();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await ensurePromtool());
