import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { freePort } from '@credit/local/spawned-system';
import { systemContext } from '@credit/platform/context';
import { isAppError } from '@credit/platform/errors';
import { CredentialState } from '@credit/proto/identity/v1/identity';
import { type CameBack, signInAt } from '../../../e2e/support/identity-provider';
import {
  anonymous,
  authorizeOne,
  check,
  type Identity,
  loginSuperadmin,
  type Member,
  makeMember,
  outboxOf,
  startIdentity,
} from './support/identity';

const CLIENT_SECRET = randomBytes(24).toString('base64url');

/** The provider of local mode, which is a real one. */
async function startProvider(): Promise<{ issuer: string; process: ChildProcess }> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const main = path.resolve(__dirname, '../../../deploy/local/dist/identity-provider/main.js');
  const provider = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      PORT: `${port}`,
      ISSUER: issuer,
      CLIENT_ID: 'network',
      CLIENT_SECRET,
      REDIRECT_URI: 'https://credit.example/my/signed-in',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(provider.stdout as NonNullable<typeof provider.stdout>, 'data');
  return { issuer, process: provider };
}

let provider: { issuer: string; process: ChildProcess };
let identity: Identity;
let member: Member;
const ofMember = () => systemContext('live', { ...member.owner, environment: 'live' });

beforeAll(async () => {
  provider = await startProvider();
  identity = await startIdentity({
    PERSON_DOOR: 'on',
    PUBLIC_ORIGIN: 'https://credit.example',
    PERSON_OIDC_ISSUER: provider.issuer,
    PERSON_OIDC_CLIENT_ID: 'network',
    PERSON_OIDC_CLIENT_SECRET: CLIENT_SECRET,
  });
  member = await makeMember(identity.stub, await loginSuperadmin(identity.stub));
}, 60_000);

afterAll(async () => {
  provider.process.kill();
  await identity.stop();
});

const reasonOf = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return isAppError(error) ? error.reason : String(error);
};

const open = (token: string) => identity.stub.openAccessLink(anonymous(), { token });
const linkTo = (subject_id: string) => identity.stub.createAccessLink(ofMember(), { subject_id });
const begin = () => identity.stub.beginPersonSignIn(anonymous(), { environment: 'live' });
const prove = (sign_in_token: string, answer: CameBack) =>
  identity.stub.provePersonSignIn(anonymous(), { sign_in_token, ...answer });

describe('a link of a member', () => {
  test('opens the file of its subject once, as its person', async () => {
    const subject_id = randomUUID();
    const { token, url, expires_at } = await linkTo(subject_id);
    expect(url).toBe(`https://credit.example/my/open#token=${token}`);
    const days = (Date.parse(expires_at ?? '') - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(7);
    const { tokens } = await open(token);
    expect(tokens).toMatchObject({ expires_in: 3_600, subject_id, environment: 'live' });
    const { state, principal } = await authorizeOne(
      identity.stub,
      check(tokens?.access_token ?? ''),
    );
    expect({ state, principal }).toMatchObject({
      state: CredentialState.VALID,
      principal: {
        is_person: true,
        is_api_key: false,
        id: subject_id,
        institution_id: '',
        environment: 'live',
        scopes: [],
        permissions: [],
      },
    });
    expect(await reasonOf(open(token))).toBe('TOKEN_NOT_VALID');
  });

  test('is used by one of many who come at once', async () => {
    const { token } = await linkTo(randomUUID());
    const ends = await Promise.allSettled(Array.from({ length: 8 }, () => open(token)));
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('ends with the next one for the same subject, and not with one for another', async () => {
    const [subject_id, other] = [randomUUID(), randomUUID()];
    const [first, beside] = [await linkTo(subject_id), await linkTo(other)];
    const second = await linkTo(subject_id);
    expect(await reasonOf(open(first.token))).toBe('TOKEN_NOT_VALID');
    expect((await open(second.token)).tokens?.subject_id).toBe(subject_id);
    expect((await open(beside.token)).tokens?.subject_id).toBe(other);
  });

  test('is over after seven days, and no other token is one', async () => {
    const { token } = await linkTo(randomUUID());
    await identity.sql(`UPDATE access_links SET expires_at = now() WHERE ended_at IS NULL`);
    expect(await reasonOf(open(token))).toBe('TOKEN_NOT_VALID');
    for (const other of ['', 'x', `svc_al_${'0'.repeat(43)}`, token.replace('_al_', '_pt_')]) {
      expect(await reasonOf(open(other))).toBe('TOKEN_NOT_VALID');
    }
  });

  test('is in the log of its institution, and the session in the network’s, as the person’s', async () => {
    const subject_id = randomUUID();
    const { id, token } = await linkTo(subject_id);
    await open(token);
    const told = (await outboxOf(identity)).flatMap(({ payload }) =>
      payload?.$case === 'audit_recorded' ? [payload.value] : [],
    );
    const shown = told
      .filter(({ actor_id, target_id }) => [actor_id, target_id].includes(subject_id))
      .map(({ institution_id, actor_type, action }) => [institution_id, actor_type, action]);
    expect(shown).toEqual([
      [member.institution_id, 'user', 'access_link.created'],
      [member.institution_id, 'person', 'access_link.used'],
      ['', 'person', 'person_session.begun'],
    ]);
    expect(JSON.stringify(told)).not.toContain(token);
    expect(JSON.stringify(told)).toContain(id);
  });

  test('proves to the record that its subject asked, by the hand of its institution', async () => {
    const subject_id = randomUUID();
    const in_test = systemContext('test', { ...member.owner, environment: 'test' });
    const { token } = await identity.stub.createAccessLink(in_test, { subject_id });
    const told = async () =>
      (await outboxOf(identity)).flatMap(({ environment, payload }) =>
        payload?.$case === 'subject_asked' && payload.value.subject_id === subject_id
          ? [[environment, payload.value.institution_id]]
          : [],
      );
    expect(await told()).toEqual([]);
    await open(token);
    await reasonOf(open(token));
    expect(await told()).toEqual([['test', member.institution_id]]);
  });

  test('of an institution that is not ACTIVE any more opens nothing', async () => {
    const { token } = await linkTo(randomUUID());
    const set = (status: string) =>
      identity.sql(`UPDATE institutions SET status = $1 WHERE id = $2`, [
        status,
        member.institution_id,
      ]);
    await set('SUSPENDED');
    expect(await reasonOf(open(token))).toBe('TOKEN_NOT_VALID');
    await set('ACTIVE');
    await open(token);
  });
});

describe('a session', () => {
  test('ends when its person leaves, and by nobody else', async () => {
    const subject_id = randomUUID();
    const { tokens } = await open((await linkTo(subject_id)).token);
    const secret = tokens?.access_token ?? '';
    const { principal } = await authorizeOne(identity.stub, check(secret));
    const session = { session_id: principal?.session_id ?? '' };
    const as = (id: string) => anonymous({ actor: { type: 'person', id } });
    await identity.stub.endPersonSession(as(randomUUID()), session);
    expect((await authorizeOne(identity.stub, check(secret))).state).toBe('VALID');
    expect(await reasonOf(identity.stub.endPersonSession(ofMember(), session))).toBe(
      'CREDENTIAL_KIND',
    );
    await identity.stub.endPersonSession(as(subject_id), session);
    expect((await authorizeOne(identity.stub, check(secret))).state).toBe('REVOKED');
  });

  test('has limits of the person’s own, whatever the number of its sessions', async () => {
    const stub = await identity.replica({ RATE_LIMIT_PERSON_PER_MINUTE: '3' });
    const subject_id = randomUUID();
    const secrets: string[] = [];
    for (let time = 0; time < 2; time += 1) {
      const { tokens } = await open((await linkTo(subject_id)).token);
      secrets.push(tokens?.access_token ?? '');
    }
    const exceeded: (boolean | undefined)[] = [];
    for (const secret of [...secrets, ...secrets]) {
      exceeded.push((await authorizeOne(stub, check(secret))).rate?.exceeded);
    }
    expect(exceeded).toEqual([false, false, false, true]);
  });

  test('of live data is worth nothing where the door is closed; of test data it is', async () => {
    const closed = await identity.replica({ PERSON_DOOR: 'off' });
    const live = (await open((await linkTo(randomUUID())).token)).tokens;
    const in_test = { ...ofMember(), environment: 'test' as const };
    const link = await closed.createAccessLink(in_test, { subject_id: randomUUID() });
    const test = (await closed.openAccessLink(anonymous(), { token: link.token })).tokens;
    expect(test?.environment).toBe('test');
    const stateOf = async (secret = '') => (await authorizeOne(closed, check(secret))).state;
    expect(await stateOf(live?.access_token)).toBe('REVOKED');
    expect(await stateOf(test?.access_token)).toBe('VALID');
    const waiting = await linkTo(randomUUID());
    for (const refused of [
      closed.createAccessLink(ofMember(), { subject_id: randomUUID() }),
      closed.openAccessLink(anonymous(), { token: waiting.token }),
      closed.beginPersonSignIn(anonymous(), { environment: 'live' }),
    ]) {
      expect(await reasonOf(refused)).toBe('PERSON_DOOR_CLOSED');
    }
    // It was not used up by that.
    await open(waiting.token);
  });
});

describe('a sign-in with the identity provider', () => {
  test('says who it is, and opens the file that is said to be theirs, once', async () => {
    const who = randomUUID();
    const { sign_in_token, authorization_url } = await begin();
    const sent = new URL(authorization_url);
    expect(Object.fromEntries(sent.searchParams)).toMatchObject({
      scope: 'openid',
      response_type: 'code',
      code_challenge_method: 'S256',
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
    });
    // What the provider and the browser see does not give the token away.
    expect(authorization_url).not.toContain(sign_in_token.slice(7));
    const answer = await signInAt(authorization_url, who);
    const proven = await prove(sign_in_token, answer);
    expect(proven).toEqual({ kind: 'game_uuid', value: who, environment: 'live' });
    const subject_id = randomUUID();
    const complete = () =>
      identity.stub.completePersonSignIn(anonymous(), { sign_in_token, subject_id });
    expect((await complete()).tokens).toMatchObject({ subject_id, environment: 'live' });
    expect(await reasonOf(complete())).toBe('TOKEN_NOT_VALID');
    expect(await reasonOf(prove(sign_in_token, answer))).toBe('TOKEN_NOT_VALID');
  });

  test('opens nothing before the provider has spoken, or long after', async () => {
    const begun = await begin();
    const { sign_in_token } = begun;
    const complete = () =>
      identity.stub.completePersonSignIn(anonymous(), { sign_in_token, subject_id: randomUUID() });
    expect(await reasonOf(complete())).toBe('TOKEN_NOT_VALID');
    await prove(sign_in_token, await signInAt(begun.authorization_url, randomUUID()));
    await identity.sql(
      `UPDATE person_sign_ins SET proven_at = proven_at - interval '2 minutes'
       WHERE proven_at IS NOT NULL`,
    );
    expect(await reasonOf(complete())).toBe('TOKEN_NOT_VALID');
  });

  test('takes no answer of another sign-in, no forged one, and none of another provider', async () => {
    const [mine, other] = [await begin(), await begin()];
    const answer = await signInAt(other.authorization_url, randomUUID());
    // With its state and code, as an attacker sends a victim back with what is the attacker's.
    expect(await reasonOf(prove(mine.sign_in_token, answer))).toBe('TOKEN_NOT_VALID');
    const changes: readonly Partial<CameBack>[] = [
      { state: 'x'.repeat(43) },
      { code: 'x'.repeat(43) },
      { iss: 'https://other.example' },
    ];
    for (const change of changes) {
      const { sign_in_token, authorization_url } = await begin();
      const own = await signInAt(authorization_url, randomUUID());
      expect(await reasonOf(prove(sign_in_token, { ...own, ...change }))).toBe('TOKEN_NOT_VALID');
      // It is used up by that: nobody tries out codes.
      expect(await reasonOf(prove(sign_in_token, own))).toBe('TOKEN_NOT_VALID');
    }
  });

  test('needs the network’s own secret, and its provider to be there', async () => {
    const impostor = await identity.replica({ PERSON_OIDC_CLIENT_SECRET: 'not the secret' });
    const begun = await impostor.beginPersonSignIn(anonymous(), { environment: 'live' });
    const answer = await signInAt(begun.authorization_url, randomUUID());
    const { sign_in_token } = begun;
    expect(
      await reasonOf(impostor.provePersonSignIn(anonymous(), { sign_in_token, ...answer })),
    ).toBe('TOKEN_NOT_VALID');
    const alone = await identity.replica({ PERSON_OIDC_ISSUER: 'http://127.0.0.1:9' });
    expect(await reasonOf(alone.beginPersonSignIn(anonymous(), { environment: 'live' }))).toBe(
      'UNAVAILABLE',
    );
  });
});
