// `node -r …/register-typescript.cjs file.ts` runs a source file as jest would, for tests that
// need a process of its own (one to kill, say) without depending on what was last built.
const { existsSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');
const { transformFileSync } = require('@swc/core');

const root = join(__dirname, '..', '..');
const { moduleNameMapper, transform } = require(join(root, 'jest.config.js')).projects[0];
const [[, options]] = Object.values(transform);

// Node ships a hook for .ts of its own, which neither maps names nor adds extensions.
Module._extensions['.ts'] = (module, file) => {
  module._compile(transformFileSync(file, options).code, file);
};

const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  for (const [pattern, target] of Object.entries(moduleNameMapper)) {
    const match = new RegExp(pattern).exec(request);
    if (!match) continue;
    const file = target.replace('<rootDir>', root).replace(/\$(\d)/g, (_, n) => match[Number(n)]);
    if (existsSync(file)) return file;
  }
  return resolveFilename.call(this, request, ...rest);
};
