import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENVIRONMENTS } from '@credit/platform/context';
import { type Login, LoginInUse, loginName, roleName } from '@credit/platform/db';
import { OperatorError } from '../operator-error';
import { SERVICES } from '../services';
import type { CertificatePlace, Place, Ring, RingName, SigningKeys } from './rotations';

/** The Secret that pods read, and where External Secrets takes it from. */
const RING_SECRETS = {
  webhooks: { secret: 'webhooks-keys', key: 'credit-network/webhooks' },
  factors: { secret: 'identity-factor-keys', key: 'credit-network/factors' },
  console: { secret: 'gateway-console', key: 'credit-network/console' },
} as const satisfies Record<RingName, { secret: string; key: string }>;
const AUDIT = { secret: 'identity-audit-keys', key: 'credit-network/audit' };
const DATABASE_KEY = 'credit-network/database';
/** While services move from one login to the other this object says so, for whoever begins anew. */
const MARKED = 'identity-database';
const MOVING = 'credit-network/moving-to';

const SYNC_TIMEOUT_MS = 5 * 60_000;
const SYNC_POLL_MS = 2_000;

type Values = Readonly<Record<string, string>>;

/** Runs a command to its end, with something on its input; what it complains of is shown. */
export type Execute = (
  command: readonly [string, ...string[]],
  input?: string,
) => Promise<{ readonly code: number; readonly output: string }>;

const list = (text = '') => text.split(',').filter((entry) => entry !== '');

/** A network on a cluster, changed with kubectl and a command that writes to the secret store. */
export class ClusterPlace implements Place {
  private readonly services = SERVICES.filter(({ database }) => database !== 'none').map(
    ({ name }) => name,
  );

  constructor(
    private readonly options: {
      readonly root: string;
      readonly overlay: string;
      readonly namespace: string;
      readonly kubectl: readonly [string, ...string[]];
      /** Run as `COMMAND KEY` with the properties to change as JSON on its standard input. */
      readonly store: string;
      readonly execute: Execute;
      readonly say: (line: string) => void;
    },
  ) {}

  say(line: string): void {
    this.options.say(line);
  }

  // --- Database ---

  async login(): Promise<Login> {
    const role = roleName('identity', 'live');
    const { [`${role}_login`]: used = '' } = await this.read('identity-database');
    return used.startsWith(`${loginName(role, 'second')}:`) ? 'second' : 'first';
  }

  async moveTo(login: Login): Promise<void> {
    const mark = (text: string) =>
      this.kubectl('annotate', 'externalsecret', MARKED, `${MOVING}${text}`, '--overwrite');
    await mark(`=${login}`);
    await this.store(DATABASE_KEY, { login });
    for (const service of this.services) {
      const roles = rolesOf(service);
      await this.synced(`${service}-database`, (values) =>
        roles.every((role) => values[`${role}_login`]?.startsWith(`${loginName(role, login)}:`)),
      );
    }
    for (const service of this.services) await this.roll(service);
    await mark('-');
  }

  async newPasswords(login: Login): Promise<void> {
    // The database would refuse them too, and the store would have them by then.
    const text = await this.kubectl('get', 'externalsecret', MARKED, '--output=json');
    const { metadata = {} } = JSON.parse(text) as { metadata?: { annotations?: Values } };
    const is_moving = metadata.annotations?.[MOVING] !== undefined;
    if (is_moving || (await this.login()) === login) throw new LoginInUse(`the ${login} login`);
    const passwords = Object.fromEntries(
      this.services
        .flatMap(rolesOf)
        .map((role) => [loginName(role, login), randomBytes(24).toString('hex')]),
    );
    await this.store(DATABASE_KEY, passwords);
    for (const service of this.services) {
      const names = rolesOf(service).map((role) => loginName(role, login));
      await this.synced(`${service}-database`, (values) =>
        names.every((name) => values[name] === passwords[name]),
      );
    }
    const { root, overlay } = this.options;
    await this.mustSucceed([join(root, 'deploy/k8s/apply.sh'), overlay, 'provision']);
  }

  // --- Keys ---

  async ring(name: RingName): Promise<Ring> {
    const { current = '', previous } = await this.read(RING_SECRETS[name].secret);
    return { current, previous: list(previous) };
  }

  async setRing(name: RingName, { current, previous }: Ring): Promise<void> {
    const { secret, key } = RING_SECRETS[name];
    await this.put(secret, key, { current, previous: previous.join() });
  }

  async signingKeys(): Promise<SigningKeys> {
    const { current = '', public: known } = await this.read(AUDIT.secret);
    return { current, public: list(known) };
  }

  async setSigningKeys(keys: SigningKeys): Promise<void> {
    await this.put(AUDIT.secret, AUDIT.key, { current: keys.current, public: keys.public.join() });
  }

  // --- Processes ---

  async roll(service: string): Promise<void> {
    await this.kubectl('rollout', 'restart', `deployment/${service}`);
    await this.kubectl('rollout', 'status', `deployment/${service}`, '--timeout=15m');
  }

  async run(service: string, ...args: string[]): Promise<number> {
    const command = ['exec', `deployment/${service}`, '--', '/nodejs/bin/node', '/app/main.js'];
    const { code } = await this.options.execute([...this.inNamespace, ...command, ...args]);
    return code;
  }

  /** cert-manager's and an operator's, who must look at what it did between the steps. */
  readonly certificates: CertificatePlace = {
    renew: () => this.byHand(),
    believeBoth: () => this.byHand(),
    issueByNext: () => this.byHand(),
    believeNext: () => this.byHand(),
  };

  private byHand(): Promise<void> {
    return Promise.reject(
      new OperatorError('In a cluster cert-manager issues certificates: see docs/SECRETS.md.'),
    );
  }

  // --- Secrets ---

  private async put(secret: string, key: string, values: Values): Promise<void> {
    await this.store(key, values);
    await this.synced(secret, (now) =>
      Object.entries(values).every(([name, value]) => (now[name] ?? '') === value),
    );
  }

  private async store(key: string, values: Values): Promise<void> {
    await this.mustSucceed(
      ['sh', '-c', `${this.options.store} "$1"`, 'store', key],
      JSON.stringify(values),
    );
  }

  /** Has External Secrets look at once, and waits until the Secret is as it should be. */
  private async synced(secret: string, isThere: (values: Values) => boolean): Promise<void> {
    const mark = `force-sync=${Date.now()}`;
    await this.kubectl('annotate', 'externalsecret', secret, mark, '--overwrite');
    const until_ms = Date.now() + SYNC_TIMEOUT_MS;
    while (!isThere(await this.read(secret))) {
      if (Date.now() >= until_ms) {
        throw new OperatorError(`The Secret ${secret} does not have what was put into the store.`);
      }
      await sleep(SYNC_POLL_MS);
    }
  }

  private async read(secret: string): Promise<Values> {
    const text = await this.kubectl('get', 'secret', secret, '--output=json');
    const { data = {} } = JSON.parse(text) as { data?: Values };
    return Object.fromEntries(
      Object.entries(data).map(([name, value]) => [name, Buffer.from(value, 'base64').toString()]),
    );
  }

  private async kubectl(...args: string[]): Promise<string> {
    return this.mustSucceed([...this.inNamespace, ...args]);
  }

  private get inNamespace(): [string, ...string[]] {
    return [...this.options.kubectl, `--namespace=${this.options.namespace}`];
  }

  private async mustSucceed(command: readonly [string, ...string[]], input?: string) {
    const { code, output } = await this.options.execute(command, input);
    if (code !== 0) {
      throw new OperatorError(`${command.join(' ')} ended with ${code}: nothing went further.`);
    }
    return output;
  }
}

function rolesOf(service: string): string[] {
  return [...new Set(ENVIRONMENTS.map((environment) => roleName(service, environment)))];
}
