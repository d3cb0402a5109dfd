import { loadConfig, newId, systemClock } from '@credit/platform/runtime';
import { Role, UserStatus } from '@credit/proto/identity/v1/identity';
import { PasswordHasher } from '../src/commands/password-hasher';
import { resetSuperadmin } from '../src/commands/reset-superadmin';
import { configSchema } from '../src/config';
import { isTold } from '../src/domain/sign-ins';
import { resetSuperadminCommand } from '../src/operator/reset-superadmin-command';
import {
  addUser,
  anonymous,
  codeOf,
  login,
  outboxOf,
  PASSWORD,
  SUPERADMIN,
  useIdentity,
} from './support/identity';

// Few, so that a test is soon beyond them.
const identity = useIdentity({ LOGIN_FAILURES_SPREAD: '20', LOGIN_FAILURES_PER_ADDRESS: '11' });

const WRONG = 'not the password';

beforeEach(() => identity.sql('DELETE FROM attempts'));

const attempt = (email: string, password: string, client_address: string) =>
  codeOf(identity.stub.login(anonymous({ client_address }), { email, password, client_address }));

interface Entry {
  institution_id: string;
  action: string;
  target_id: string;
  ip: string;
  changes: { fault?: string; attempts?: number };
}

/** What was told to audit logs of those actions, in order. */
async function told(...actions: string[]): Promise<Entry[]> {
  return (await outboxOf(identity)).flatMap(({ payload: event }) => {
    if (event?.$case !== 'audit_recorded' || !actions.includes(event.value.action)) return [];
    const { institution_id, action, target_id, ip, changes_json } = event.value;
    return [{ institution_id, action, target_id, ip, changes: JSON.parse(changes_json) }];
  });
}

describe('strangers', () => {
  test('lock nobody out, from however many addresses they guess', async () => {
    const victim = await addUser(identity.stub, identity.member, Role.VIEWER);
    for (let index = 0; index < 60; index += 1) {
      await attempt(victim.email, WRONG, `198.51.100.${index}`);
    }
    expect(await attempt(victim.email, PASSWORD, '203.0.113.5')).toBe('OK');
    // Nor the one who runs the network.
    for (let index = 0; index < 12; index += 1) {
      await attempt(SUPERADMIN.email, WRONG, `198.51.100.${100 + index}`);
    }
    expect(await attempt(SUPERADMIN.email, SUPERADMIN.password, '203.0.113.5')).toBe('OK');
  });

  test('do not stop a live session from changing its password, at the same address even', async () => {
    const victim = await addUser(identity.stub, identity.member, Role.VIEWER);
    const client_address = '198.51.100.9';
    for (let round = 0; round < 12; round += 1) await attempt(victim.email, WRONG, client_address);
    expect(await attempt(victim.email, PASSWORD, client_address)).toBe('RATE_LIMIT_EXCEEDED');
    const ctx = { ...victim.ctx, client_address };
    const change = (current_password: string) =>
      codeOf(
        identity.stub.changePassword(ctx, {
          current_password,
          new_password: 'one green brass lantern',
        }),
      );
    expect(await change(PASSWORD)).toBe('OK');
    // Whoever has stolen a session is slowed down in guessing, and leaves traces.
    const codes: string[] = [];
    for (let round = 0; round < 11; round += 1) codes.push(await change(WRONG));
    expect(codes).toEqual([...Array(10).fill('VALIDATION_ERROR'), 'RATE_LIMIT_EXCEEDED']);
    const failures = (await told('user.password_change_failed')).filter(
      ({ target_id }) => target_id === ctx.actor.id,
    );
    expect(failures).toHaveLength(11);
    expect(failures[0]).toMatchObject({ institution_id: identity.member.institution_id });
  });

  test('that guess at one account from many addresses get fewer guesses at each, and are noticed once', async () => {
    const victim = await addUser(identity.stub, identity.member, Role.VIEWER);
    for (let index = 0; index < 22; index += 1) {
      expect(await attempt(victim.email, WRONG, `198.51.100.${index}`)).toBe('INVALID_API_KEY');
    }
    const codes: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      codes.push(await attempt(victim.email, WRONG, '203.0.113.77'));
    }
    expect(codes).toEqual([
      ...Array(3).fill('INVALID_API_KEY'),
      ...Array(2).fill('RATE_LIMIT_EXCEEDED'),
    ]);
    const noticed = (await told('user.guessing_detected')).filter(
      ({ target_id }) => target_id === victim.ctx.actor.id,
    );
    expect(noticed.map(({ institution_id }) => institution_id)).toEqual([
      '',
      identity.member.institution_id,
    ]);
  });

  test('at one address raise no alarm: what was not tried is no guess', async () => {
    const victim = await addUser(identity.stub, identity.member, Role.VIEWER);
    for (let round = 0; round < 25; round += 1) await attempt(victim.email, WRONG, '198.51.100.50');
    // Ten were tried. Elsewhere there are as many as ever.
    for (let round = 0; round < 9; round += 1) {
      expect(await attempt(victim.email, WRONG, '198.51.100.51')).toBe('INVALID_API_KEY');
    }
    expect(
      (await told('user.guessing_detected')).filter(
        ({ target_id }) => target_id === victim.ctx.actor.id,
      ),
    ).toEqual([]);
  });

  test('with a whole site of IPv6 are counted by the site', async () => {
    const codes: string[] = [];
    for (let index = 0; index < 50; index += 1) {
      codes.push(
        await attempt(
          `name${index}@nowhere.example`,
          WRONG,
          `2001:db8:77:${index.toString(16)}::1`,
        ),
      );
    }
    expect(codes.filter((code) => code === 'INVALID_API_KEY')).toHaveLength(44);
    expect(await attempt('name@nowhere.example', WRONG, '2001:db8:78::1')).toBe('INVALID_API_KEY');
  });
});

describe('the audit log', () => {
  const of = async (id: string) =>
    (await told('user.login_failed', 'user.login_throttled')).filter(
      ({ target_id }) => target_id === id,
    );

  test('has each refused sign-in of a member, with its reason and address', async () => {
    const user = await addUser(identity.stub, identity.member, Role.VIEWER);
    const user_id = user.ctx.actor.id;
    for (let round = 0; round < 11; round += 1) await attempt(user.email, WRONG, '192.0.2.44');
    await attempt(user.email, PASSWORD, '192.0.2.44');
    await identity.stub.updateUser(identity.admin, { user_id, status: UserStatus.DISABLED });
    await attempt(user.email, PASSWORD, '192.0.2.45');
    const entries = await of(user_id);
    for (const entry of entries) {
      expect(entry.institution_id).toBe(identity.member.institution_id);
      expect(entry.ip).toMatch(/^192\.0\.2\.4[45]$/);
    }
    expect(entries.map(({ action, changes }) => [action, changes.fault])).toEqual([
      ...Array(10).fill(['user.login_failed', 'WRONG_PASSWORD']),
      // The eleventh wrong one, and then the right one.
      ...Array(2).fill(['user.login_throttled', undefined]),
      ['user.login_failed', 'USER_DISABLED'],
    ]);
  });

  test('of the network tells of unknown e-mails without them, and does not grow with their number', async () => {
    const place = '198.51.100.200';
    const typed = 'secret.guess@nowhere.example';
    for (let round = 0; round < 10; round += 1) await attempt(typed, WRONG, place);
    for (let round = 0; round < 32; round += 1) await attempt(typed, WRONG, place);
    const entries = await of(place);
    expect(entries.map(({ action, changes }) => `${action} ${changes.attempts}`)).toEqual([
      ...[1, 2, 4, 8].map((n) => `user.login_failed ${n}`),
      ...[1, 2, 4, 8, 16, 32].map((n) => `user.login_throttled ${n}`),
    ]);
    expect(new Set(entries.map(({ institution_id }) => institution_id))).toEqual(new Set(['']));
    const everything = await identity.sql<{ text: string }>(
      "SELECT encode(payload, 'escape') AS text FROM outbox",
    );
    expect(everything.map(({ text }) => text).join('\n')).not.toContain('secret.guess');
  });

  test('tells how many there were where it does not tell each', () => {
    const numbers = Array.from({ length: 300 }, (_, index) => index + 1);
    expect(numbers.filter((n) => isTold(n, 3))).toEqual([1, 2, 3, 4, 8, 16, 32, 64, 128, 256]);
    expect(numbers.filter((n) => isTold(n, 50))).toHaveLength(50 + 3);
  });
});

describe('reset-superadmin', () => {
  const deps = () => ({
    db: identity.database.db,
    clock: systemClock,
    newId,
    passwords: new PasswordHasher(),
    config: loadConfig(configSchema, {
      RPC_ADDRESS: '127.0.0.1:1',
      NATS_URL: 'nats://127.0.0.1:1',
      DATABASE_URL: identity.database.urls.live,
    }),
  });
  const reset = (email?: string) =>
    resetSuperadmin(deps(), { email, reason: 'password lost, ticket 7' });

  test('lets the one superadmin in again with a temporary password, ends sessions, and is audited', async () => {
    const before = await login(identity.stub, SUPERADMIN.email, SUPERADMIN.password);
    await identity.sql("UPDATE users SET status = 'DISABLED' WHERE email = $1", [SUPERADMIN.email]);
    const { email, temporary_password, expires_at } = await reset();
    expect(email).toBe(SUPERADMIN.email);
    expect(Date.parse(expires_at)).toBeGreaterThan(Date.now());
    expect(await codeOf(login(identity.stub, email, SUPERADMIN.password))).toBe('INVALID_API_KEY');
    const refresh_token = before.tokens?.refresh_token ?? '';
    expect(await codeOf(identity.stub.refresh(anonymous(), { refresh_token }))).toBe(
      'INVALID_API_KEY',
    );
    const signed_in = await login(identity.stub, email, temporary_password);
    expect(signed_in.user?.user).toMatchObject({
      must_change_password: true,
      status: UserStatus.ACTIVE,
    });
    const entries = await told('user.reset_by_operator');
    expect(entries).toMatchObject([
      {
        institution_id: '',
        changes: {
          reason: 'password lost, ticket 7',
          status: { from: 'DISABLED', to: 'ACTIVE' },
        },
      },
    ]);
    expect(JSON.stringify(entries)).not.toContain(temporary_password);
  });

  test('by command is tried without effect, and says who did it', async () => {
    const run = async (...args: string[]) => {
      const [lines, logged]: [string[], string[]] = [[], []];
      const logger = { warn: (...said: unknown[]) => void logged.push(JSON.stringify(said)) };
      await resetSuperadminCommand({ ...deps(), logger }, args, (line) => lines.push(line));
      return { text: lines.join('\n'), logged: logged.join('\n') };
    };
    const audited = async () => (await told('user.reset_by_operator')).map((one) => one.changes);
    const before = await audited();
    const hash = () =>
      identity.sql('SELECT password_hash FROM users WHERE email = $1', [SUPERADMIN.email]);
    const kept = await hash();
    const tried = await run('--dry-run');
    expect(tried.text).toBe(`${SUPERADMIN.email}, who is ACTIVE, would be reset`);
    await expect(run('nobody@network.example', '--dry-run')).rejects.toThrow('is no superadmin');
    expect(await hash()).toEqual(kept);
    expect(await audited()).toEqual(before);

    const done = await run(SUPERADMIN.email, 'phone', 'lost', '--by', 'Ada');
    const password = done.text.split(' with: ')[1] ?? '';
    expect(await codeOf(login(identity.stub, SUPERADMIN.email, password))).toBe('OK');
    expect(done.logged).not.toContain(password);
    const [last] = (await audited()).slice(before.length);
    expect(last).toMatchObject({ by: 'Ada', reason: 'phone lost' });
    // Nobody has to be named: the name is worth what whoever may run this says.
    await run('--reason', 'ticket 8');
    const [, unnamed] = (await audited()).slice(before.length);
    expect(unnamed).toMatchObject({ reason: 'ticket 8' });
    expect(unnamed).not.toHaveProperty('by');
  });

  test('makes nobody a superadmin, and does not guess whom of several', async () => {
    await expect(reset(identity.member.owner_email)).rejects.toThrow('is no superadmin');
    await identity.sql("UPDATE users SET platform_role = 'SVC_SUPERADMIN' WHERE email = $1", [
      identity.member.owner_email,
    ]);
    await expect(reset()).rejects.toThrow('more than one');
    expect((await reset(` ${identity.member.owner_email.toUpperCase()}`)).email).toBe(
      identity.member.owner_email,
    );
    await identity.sql('UPDATE users SET platform_role = NULL');
    await expect(reset()).rejects.toThrow('BOOTSTRAP_EMAIL');
  });
});
