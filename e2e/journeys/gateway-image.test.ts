import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');

/** Makes the pages of /docs in the folder that it runs in, as the gateway does when one is asked for. */
const MAKE_PAGES = `
  const { buildOpenApi } = require('@credit/contract');
  const { docsRoutes } = require('@credit/portal');
  const app = require('express')().use(docsRoutes(buildOpenApi()));
  const server = app.listen(0, '127.0.0.1', async () => {
    const { port } = server.address();
    console.log((await fetch('http://127.0.0.1:' + port + '/docs')).status);
    process.exit();
  });
`;

it("what the gateway's image is made of has the guides, styles and scripts of /docs", () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'image-'));
  try {
    const collect = path.join(ROOT, 'tools/collect-service.mjs');
    execFileSync(process.execPath, [collect, 'gateway', folder], { stdio: 'pipe' });
    const made = execFileSync(process.execPath, ['-e', MAKE_PAGES], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(made).toBe('200\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 60_000);
