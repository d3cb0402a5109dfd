// `node dist/run-command.js SERVICE COMMAND ARGS…` runs a service's subcommand: see runServiceCommand.

import { runServiceCommand } from './service-command';
import { reason } from './supervisor';

const [name = '', ...args] = process.argv.slice(2);

runServiceCommand(name, args).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${reason(error)}\n`);
    process.exit(1);
  },
);
