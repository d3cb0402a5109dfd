// Writes descriptors.binpb: the compiled protos, which every server's reflection serves. Run after
// `buf generate` (npm run gen does both).
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
execFileSync(
  join(folder, '../node_modules/.bin/buf'),
  [
    'build',
    '--as-file-descriptor-set',
    '--exclude-source-info',
    '--output',
    'descriptors.binpb#format=binpb',
  ],
  { cwd: folder, stdio: 'inherit' },
);
