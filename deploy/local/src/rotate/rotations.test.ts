import { type Login, LoginInUse } from '@credit/platform/db';
import {
  type Place,
  publicOf,
  RINGS,
  type Ring,
  type RingName,
  ROTATION_NAMES,
  ROTATIONS,
  type RotationName,
  type SigningKeys,
} from './rotations';

const key = (letter: string) => Buffer.alloc(32, letter).toString('base64');
const RING_NAMES = Object.keys(RINGS) as RingName[];

/** What a process was given when it was started. */
interface Given {
  readonly login: Login;
  readonly password: string;
  readonly rings: Readonly<Record<RingName, Ring>>;
  readonly signing: SigningKeys;
}

class CutOff extends Error {}

/**
 * A network of two replicas of everything, of which each has what it was started with. After every
 * step it is looked at: whoever serves then must be able to go on with what the others do.
 */
class ModelPlace implements Place {
  private readonly services = ['identity', 'webhooks'];
  steps = 0;
  private numbers = 0;
  private store: Given = {
    login: 'first',
    password: '',
    rings: {
      webhooks: { current: key('w'), previous: [] },
      factors: { current: key('f'), previous: [] },
      console: { current: key('c'), previous: [] },
    },
    signing: { current: key('a'), public: [] },
  };
  private readonly passwords: Record<Login, string> = { first: 'one', second: 'two' };
  private readonly database: Record<Login, string> = { ...this.passwords };
  private readonly replicas: Record<string, [Given, Given]>;
  /** Keys that seal what is kept, and public keys of what was signed. */
  private readonly sealed = new Map<RingName, Set<string>>();
  private readonly signed = new Set<string>();
  readonly certificates = {
    renew: () => this.step(),
    believeBoth: () => this.step(),
    issueByNext: () => this.step(),
    believeNext: () => this.step(),
  };

  constructor(public cut_at = Number.POSITIVE_INFINITY) {
    const fresh = (): [Given, Given] => [this.given(), this.given()];
    this.replicas = { identity: fresh(), webhooks: fresh(), gateway: fresh() };
    for (const name of RING_NAMES) this.sealed.set(name, new Set());
    this.look();
  }

  private given(): Given {
    return { ...this.store, password: this.passwords[this.store.login] };
  }

  private async step(): Promise<void> {
    this.look();
    this.steps += 1;
    if (this.steps >= this.cut_at) throw new CutOff();
  }

  private look(): void {
    for (const [name, { service, keeps }] of Object.entries(RINGS)) {
      const rings = this.of(service).map(({ rings: all }) => all[name as RingName]);
      const sealed = this.sealed.get(name as RingName) ?? new Set();
      for (const { current } of rings) sealed.add(current);
      for (const { current, previous } of rings) {
        // What only sessions have is over some time after.
        const wanted = keeps ? [...sealed] : rings.map((ring) => ring.current);
        expect([current, ...previous]).toEqual(expect.arrayContaining(wanted));
      }
    }
    const identities = this.of('identity').map(({ signing }) => signing);
    for (const { current } of identities) this.signed.add(publicOf(current));
    for (const { current, public: known } of identities) {
      expect([publicOf(current), ...known]).toEqual(expect.arrayContaining([...this.signed]));
    }
    for (const service of this.services) {
      for (const { login, password } of this.of(service)) {
        expect(password).toBe(this.database[login]);
      }
    }
  }

  private of(service: string): [Given, Given] {
    const replicas = this.replicas[service];
    if (replicas === undefined) throw new Error(`There is no ${service}.`);
    return replicas;
  }

  login = async () => this.store.login;

  async moveTo(login: Login): Promise<void> {
    this.store = { ...this.store, login };
    await this.step();
    for (const service of this.services) await this.roll(service);
  }

  async newPasswords(login: Login): Promise<void> {
    const users = this.services.flatMap((service) => this.of(service));
    if (users.some((replica) => replica.login === login)) throw new LoginInUse(login);
    this.numbers += 1;
    this.passwords[login] = `${login}-${this.numbers}`;
    await this.step();
    this.database[login] = this.passwords[login];
    await this.step();
  }

  ring = async (name: RingName) => this.store.rings[name];

  async setRing(name: RingName, ring: Ring): Promise<void> {
    this.store = { ...this.store, rings: { ...this.store.rings, [name]: ring } };
    await this.step();
  }

  signingKeys = async () => this.store.signing;

  async setSigningKeys(signing: SigningKeys): Promise<void> {
    this.store = { ...this.store, signing };
    await this.step();
  }

  async roll(service: string): Promise<void> {
    for (const index of [0, 1] as const) {
      this.of(service)[index] = this.given();
      await this.step();
    }
  }

  async run(service: string, ...args: string[]): Promise<number> {
    expect(args).toEqual(['sealed-secrets', '--reseal']);
    await this.step();
    for (const name of RING_NAMES.filter((ring) => RINGS[ring].service === service)) {
      this.sealed.set(name, new Set([this.store.rings[name].current]));
    }
    await this.step();
    return 0;
  }

  say(): void {}

  /** What a rotation is to have changed. */
  secretsOf(name: RotationName): unknown {
    if (name === 'database') return { ...this.passwords };
    if (name === 'audit') return this.store.signing.current;
    return name in RINGS ? this.store.rings[name as RingName].current : undefined;
  }

  previousOf = (name: RingName) => this.store.rings[name].previous.length;
}

const CHANGED = ROTATION_NAMES.filter((name) => !['certificates', 'authority'].includes(name));

it.each(CHANGED)('changes %s so that every replica goes on with every other', async (name) => {
  const place = new ModelPlace();
  const before = place.secretsOf(name);
  for (let turn = 0; turn < 3; turn += 1) await ROTATIONS[name](place);
  expect(place.secretsOf(name)).not.toEqual(before);
});

it.each(CHANGED)('changes %s all the same after it was cut off anywhere', async (name) => {
  const whole = new ModelPlace();
  await ROTATIONS[name](whole);
  expect(whole.steps).toBeGreaterThan(3);
  for (let cut_at = 1; cut_at <= whole.steps; cut_at += 1) {
    const place = new ModelPlace(cut_at);
    await expect(ROTATIONS[name](place)).rejects.toThrow(CutOff);
    place.cut_at = Number.POSITIVE_INFINITY;
    const before = place.secretsOf(name);
    await ROTATIONS[name](place);
    expect(place.secretsOf(name)).not.toEqual(before);
  }
});

it('leaves the old key where something is still sealed by it', async () => {
  const place = new ModelPlace();
  const run = jest.spyOn(place, 'run').mockResolvedValueOnce(1);
  await expect(ROTATIONS.webhooks(place)).rejects.toThrow('begin anew');
  expect(place.previousOf('webhooks')).toBe(1);
  run.mockRestore();
  await ROTATIONS.webhooks(place);
  expect(place.previousOf('webhooks')).toBe(0);
});

it('is shown by the model to be needed in this order', async () => {
  const wrong: Record<string, (place: ModelPlace) => Promise<void>> = {
    async 'a key that seals before all open it'(place) {
      await place.setRing('webhooks', { current: key('n'), previous: [key('w')] });
      await place.roll('webhooks');
    },
    async 'a key that is gone while it still seals'(place) {
      await place.setRing('factors', { current: key('n'), previous: [] });
      await place.roll('identity');
    },
    async 'a signing key that nobody knows yet'(place) {
      await place.setSigningKeys({ current: key('n'), public: [publicOf(key('a'))] });
      await place.roll('identity');
    },
    async 'a password under who uses it'(place) {
      await place.newPasswords('first');
    },
  };
  for (const change of Object.values(wrong)) {
    await expect(change(new ModelPlace())).rejects.toThrow();
  }
});

it('follows from one authority to the next in this order', async () => {
  const done: string[] = [];
  const note = (name: string) => async () => void done.push(name);
  const place: Place = Object.assign(Object.create(new ModelPlace()), {
    certificates: {
      renew: note('renew'),
      believeBoth: note('believe both'),
      issueByNext: note('issue by next'),
      believeNext: note('believe next'),
    },
  });
  await ROTATIONS.authority(place);
  await ROTATIONS.certificates(place);
  expect(done).toEqual(['believe both', 'issue by next', 'believe next', 'renew']);
});
