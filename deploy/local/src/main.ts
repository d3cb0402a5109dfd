import { resolve } from 'node:path';
import { runSystem } from './run-system';

void runSystem({
  root: resolve(__dirname, '../../..'),
  watch: process.argv.includes('--watch'),
});
