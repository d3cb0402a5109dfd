import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Login, provision } from '@credit/platform/db';
import { sendSignal } from '@credit/servers';
import { readJson } from '../data-directory';
import { Mesh } from '../mesh';
import { OperatorError } from '../operator-error';
import { processIsReady } from '../readiness';
import { changeSecrets, keepSecrets, provisionOptions, type Secrets } from '../secrets';
import { SERVICES } from '../services';
import { RUN_FILE, type RunRecord } from '../supervisor';
import type { CertificatePlace, Place, Ring, RingName, SigningKeys } from './rotations';

/** Where a ring is kept among the secrets of a data folder. */
const RING_FIELDS = {
  webhooks: ['webhook_secret_key', 'webhook_secret_keys_previous'],
  factors: ['second_factor_key', 'second_factor_keys_previous'],
  console: ['console_key', 'console_keys_previous'],
} as const satisfies Record<RingName, readonly [keyof Secrets, keyof Secrets]>;

/** Which field of the secrets the passwords of a kind of login are derived from. */
const LOGIN_FIELDS = {
  first: 'database_secret',
  second: 'database_secret_b',
} as const satisfies Record<Login, keyof Secrets>;

const POLL_MS = 100;
const REPLACED_TIMEOUT_MS = 120_000;
/** As `minReadySeconds` in a cluster: callers find the successor before the next one goes. */
const SETTLE_MS = 2_000;

const list = (text: string) => text.split(',').filter((entry) => entry !== '');

/** The system that `npm start` runs on a data folder, changed from beside it. */
export class LocalPlace implements Place {
  readonly certificates: CertificatePlace;

  constructor(
    private readonly options: {
      readonly data_directory: string;
      /** How long until every process has read a changed certificate. */
      readonly reload_ms: number;
      readonly run: (service: string, args: readonly string[]) => Promise<number>;
      readonly say: (line: string) => void;
    },
  ) {
    this.certificates = this.mesh();
  }

  say(line: string): void {
    this.options.say(line);
  }

  run(service: string, ...args: string[]): Promise<number> {
    return this.options.run(service, args);
  }

  // --- Database ---

  async login(): Promise<Login> {
    return this.secrets.database_login;
  }

  async moveTo(login: Login): Promise<void> {
    this.change({ database_login: login });
    for (const { name, database } of SERVICES) if (database !== 'none') await this.roll(name);
  }

  async newPasswords(login: Login): Promise<void> {
    const changed = { [LOGIN_FIELDS[login]]: randomBytes(32).toString('base64url') };
    // The database first: what it refuses is not kept.
    await provision(this.record.admin_url, provisionOptions({ ...this.secrets, ...changed }));
    this.change(changed);
  }

  // --- Keys ---

  async ring(name: RingName): Promise<Ring> {
    const [current, previous] = RING_FIELDS[name];
    const { secrets } = this;
    return { current: secrets[current], previous: list(secrets[previous]) };
  }

  async setRing(name: RingName, ring: Ring): Promise<void> {
    const [current, previous] = RING_FIELDS[name];
    this.change({ [current]: ring.current, [previous]: ring.previous.join() });
  }

  async signingKeys(): Promise<SigningKeys> {
    const { audit_signing_key, audit_public_keys } = this.secrets;
    return { current: audit_signing_key, public: list(audit_public_keys) };
  }

  async setSigningKeys(keys: SigningKeys): Promise<void> {
    this.change({ audit_signing_key: keys.current, audit_public_keys: keys.public.join() });
  }

  // --- Processes ---

  async roll(service: string): Promise<void> {
    const names = this.record.processes
      .map(({ name }) => name)
      .filter((name) => name.replace(/-\d+$/, '') === service);
    if (names.length === 0) throw new OperatorError(`No process of ${service} runs.`);
    for (const name of names) {
      await this.replace(name);
      await sleep(SETTLE_MS);
    }
  }

  /** Asks a process to end, and waits until its successor serves. */
  private async replace(name: string): Promise<void> {
    const pid = this.pidOf(name);
    if (pid !== undefined) sendSignal(pid, 'SIGTERM');
    const until_ms = Date.now() + REPLACED_TIMEOUT_MS;
    for (; Date.now() < until_ms; await sleep(POLL_MS)) {
      const now = this.pidOf(name);
      if (now === undefined || now === pid) continue;
      if (await processIsReady(name, this.record.ports)) return;
    }
    throw new OperatorError(`${name} does not serve any more; the others of its kind go on.`);
  }

  private pidOf(name: string): number | undefined {
    return this.record.processes.find((one) => one.name === name)?.pid;
  }

  // --- Certificates ---

  private mesh(): CertificatePlace {
    const of = (): Mesh => {
      if (this.record.mesh_directory === undefined) {
        throw new OperatorError('Services show each other no certificates here: see MUTUAL_TLS.');
      }
      return new Mesh(this.options.data_directory);
    };
    // Read twice at most in that time, and once for certain.
    const spread = () => sleep(2 * this.options.reload_ms);
    const renew = async () => {
      await of().issue(SERVICES.map(({ name }) => name));
      await spread();
    };
    return {
      renew,
      async believeBoth() {
        await of().believeNextToo();
        await spread();
      },
      async issueByNext() {
        of().issueByNext();
        await renew();
      },
      async believeNext() {
        of().forgetBefore();
        await spread();
      },
    };
  }

  // --- What is kept beside the data ---

  private get secrets(): Secrets {
    return keepSecrets(this.options.data_directory);
  }

  private change(changed: Partial<Secrets>): void {
    changeSecrets(this.options.data_directory, changed);
  }

  private get record(): RunRecord {
    const { data_directory } = this.options;
    const run = readJson<RunRecord>(join(data_directory, RUN_FILE));
    if (run === undefined) {
      throw new OperatorError(
        `No system runs on ${data_directory}: start it with \`npm start\`, or name its folder with DATA_DIR.`,
      );
    }
    return run;
  }
}
