// `npm run operate -- COMMAND …`: what an operator does by hand, in one place. Each is a subcommand of a
// service, and runs as `npm run service` does.

import { Misused } from '../command-line';
import { runServiceCommand } from '../service-command';
import { reason } from '../supervisor';
import { resolveCommand, usage } from './commands';

async function main(): Promise<number> {
  const { service, args } = resolveCommand(process.argv.slice(2));
  return runServiceCommand(service, args);
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${reason(error)}\n${error instanceof Misused ? `${usage()}\n` : ''}`);
    process.exit(error instanceof Misused ? 2 : 1);
  },
);
