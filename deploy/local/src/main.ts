import { resolve } from 'node:path';
import { runSystem } from './run-system';

const OLDEST_NODE = 22;
if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  console.error(`Node ${process.versions.node} is too old; \`npm start\` brings its own.`);
  process.exit(1);
}

void runSystem({
  root: resolve(__dirname, '../../..'),
  watch: process.argv.includes('--watch'),
});
