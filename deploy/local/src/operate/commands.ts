import { Misused } from '../command-line';
import { SERVICES } from '../services';

/** What an operator can do, and which subcommand of which service does it. */
interface OperatorCommand {
  readonly name: string;
  /** Of these services one is named first; or the one that does it. */
  readonly services: readonly string[] | string;
  readonly subcommand: readonly string[];
  readonly usage: string;
  readonly does: string;
}

const RPC = SERVICES.map(({ name }) => name).filter((name) => name !== 'gateway');
const ACT = '[--by NAME] [--reason TEXT] [--dry-run]';

/** In the order in which the usage shows them. */
export const COMMANDS: readonly OperatorCommand[] = [
  {
    name: 'dead-letters',
    services: RPC,
    subcommand: ['dead-letters'],
    usage: `[--environment live|test] [--consumer NAME] [--event ID] [--retry | --discard] ${ACT}`,
    does: 'lists the events that were given up, takes them in again, or forgets them',
  },
  {
    name: 'replay',
    services: RPC,
    subcommand: ['replay'],
    usage: `--consumer NAME --from TIME|SEQUENCE [--again] ${ACT}`,
    does: 'gives a consumer the events from there on again; --again: with their effect',
  },
  {
    name: 'drain',
    services: RPC,
    subcommand: ['drain'],
    usage: '[--minutes N] [--dry-run]',
    does: 'waits until all that it committed is published, and all that is for it taken in',
  },
  {
    name: 'reseal',
    services: ['identity', 'webhooks'],
    subcommand: ['sealed-secrets', '--reseal'],
    usage: ACT,
    does: 'seals with the current key what others sealed',
  },
  {
    name: 'reset-superadmin',
    services: 'identity',
    subcommand: ['reset-superadmin'],
    usage: `[EMAIL] ${ACT}`,
    does: "puts a temporary password in place of a superadmin's own, and shows it",
  },
  {
    name: 'audit-export',
    services: 'identity',
    subcommand: ['audit-export'],
    usage: `--directory DIR [--drop] ${ACT}`,
    does: 'writes months of the audit log that are over to files; --drop: and deletes those past their time',
  },
  {
    name: 'institution',
    services: 'identity',
    subcommand: ['institution'],
    usage: `ID [--suspend | --restore] ${ACT}`,
    does: "shows an institution's state, and suspends or restores it",
  },
];

/** The service, and its subcommand with all arguments; throws how it is used. */
export function resolveCommand([name, ...args]: readonly string[]): {
  service: string;
  args: string[];
} {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command === undefined) {
    throw new Misused(name === undefined ? 'What is to be done?' : `There is no command ${name}.`);
  }
  const { services, subcommand } = command;
  if (typeof services === 'string') return { service: services, args: [...subcommand, ...args] };
  const [service = '', ...others] = args;
  if (!services.includes(service)) {
    throw new Misused(`${name} needs a service first: ${services.join(', ')}.`);
  }
  return { service, args: [...subcommand, ...others] };
}

/** How all of them are used. */
export function usage(): string {
  const lines = COMMANDS.flatMap(({ name, services, usage: options, does }) => [
    `  ${name} ${typeof services === 'string' ? '' : 'SERVICE '}${options}`,
    `      ${does}`,
  ]);
  return [
    'npm run operate -- COMMAND …',
    ...lines,
    '',
    'In a pod of the service the same is `node /app/main.js SUBCOMMAND …` (docs/runbooks/operate.md).',
    'What changes something is told to the audit log of the network, with the name of --by.',
  ].join('\n');
}
