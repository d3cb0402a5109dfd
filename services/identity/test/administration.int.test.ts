import { randomUUID } from 'node:crypto';
import type { CallContext } from '@credit/platform/context';
import { encodeCursor } from '@credit/platform/db';
import { PERMISSIONS } from '@credit/platform/values';
import {
  ApplicationStatus,
  ContactRequestStatus,
  InstitutionStatus,
  PlatformRole,
  Role,
  UserStatus,
} from '@credit/proto/identity/v1/identity';
import {
  addUser,
  anonymous,
  asUser,
  codeOf,
  login,
  makeKey,
  makeMember,
  outboxOf,
  PASSWORD,
  SUPERADMIN,
  startIdentity,
  useIdentity,
} from './support/identity';

const identity = useIdentity();

const UNKNOWN_ID = '0198a1c2-0000-7000-8000-000000000000';

const outbox = () => outboxOf(identity);

let applications = 0;

async function apply(
  contact_email: string,
  institution_name = `Harbour Bank ${++applications}`,
): Promise<string> {
  const { id } = await identity.stub.submitApplication(anonymous(), {
    institution_name,
    contact_name: 'Bo Harbour',
    contact_email,
    website: 'https://harbour.example',
  });
  return id;
}

describe('bootstrap', () => {
  test('makes one superadmin, whichever replicas start, and none later', async () => {
    await identity.replica({ BOOTSTRAP_EMAIL: 'second@network.example' });
    await identity.replica({ BOOTSTRAP_EMAIL: 'third@network.example' });
    const superadmins = await identity.sql<{ email: string; must_change_password: boolean }>(
      "SELECT email, must_change_password FROM users WHERE platform_role = 'SVC_SUPERADMIN'",
    );
    expect(superadmins).toEqual([{ email: SUPERADMIN.email, must_change_password: false }]);
  });

  test('is one also when replicas start together on an empty database', async () => {
    const fresh = await startIdentity();
    try {
      await fresh.sql("UPDATE users SET platform_role = NULL, email_key = 'former'");
      await Promise.all(
        ['a', 'b', 'c', 'd'].map((name) =>
          fresh.replica({ BOOTSTRAP_EMAIL: `${name}@network.example` }),
        ),
      );
      const superadmins = await fresh.sql(
        "SELECT id FROM users WHERE platform_role = 'SVC_SUPERADMIN'",
      );
      expect(superadmins).toHaveLength(1);
    } finally {
      await fresh.stop();
    }
  });
});

describe('applications', () => {
  test('approval makes an active institution and an invitation for its owner', async () => {
    const application_id = await apply('bo@harbour.example');
    const review = await identity.stub.reviewApplication(identity.admin, {
      application_id,
      status: ApplicationStatus.APPROVED,
      review_note: 'known lender',
    });
    expect(review).toMatchObject({
      application: {
        status: ApplicationStatus.APPROVED,
        review_note: 'known lender',
        reviewed_by: identity.admin.actor.id,
        institution_id: review.institution?.id,
      },
      institution: {
        name: `Harbour Bank ${applications}`,
        status: InstitutionStatus.ACTIVE,
        publicly_listed: true,
      },
      invitation: { email: 'bo@harbour.example', role: Role.OWNER },
    });
    const days = (Date.parse(review.invitation?.expires_at ?? '') - Date.now()) / 86_400_000;
    expect(days).toBeCloseTo(7, 1);

    const told = (await outbox()).filter(
      (event) =>
        event.payload?.$case === 'institution_changed' &&
        event.payload.value.institution_id === review.institution?.id,
    );
    expect(told.map((event) => event.environment).sort()).toEqual(['live', 'test']);
    expect(told[0]?.payload?.value).toMatchObject({ status: 'ACTIVE', version: 1 });
  });

  test('reviewed by ten at once, one decides and the others are told so', async () => {
    const application_id = await apply('ten@harbour.example');
    const reviews = await identity.collide(
      { text: 'SELECT id FROM applications WHERE id = $1 FOR UPDATE', values: [application_id] },
      5,
      () =>
        Array.from({ length: 10 }, (_, index) =>
          codeOf(
            identity.stub.reviewApplication(identity.admin, {
              application_id,
              status: index % 2 === 0 ? ApplicationStatus.APPROVED : ApplicationStatus.REJECTED,
            }),
          ),
        ),
    );
    const codes = reviews.map((review) => (review.status === 'fulfilled' ? review.value : ''));
    expect(codes.filter((code) => code === 'OK')).toHaveLength(1);
    expect(codes.filter((code) => code === 'INVALID_STATE_TRANSITION')).toHaveLength(9);
    const invitations = await identity.sql('SELECT id FROM invitations WHERE email = $1', [
      'ten@harbour.example',
    ]);
    const [application] = await identity.sql<{ status: string }>(
      'SELECT status FROM applications WHERE id = $1',
      [application_id],
    );
    expect(invitations).toHaveLength(application?.status === 'APPROVED' ? 1 : 0);
  });

  test('a second institution of a name is made when it is said to be another', async () => {
    const first = await apply('first@twins.example', 'Twin  Savings');
    await identity.stub.reviewApplication(identity.admin, {
      application_id: first,
      status: ApplicationStatus.APPROVED,
    });
    const second = await apply('second@twins.example', ' twin savings');
    const review = { application_id: second, status: ApplicationStatus.APPROVED };
    const error = await identity.stub
      .reviewApplication(identity.admin, review)
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'INVALID_STATE_TRANSITION' });
    expect(String(error)).toContain('confirm_distinct');
    const { institution } = await identity.stub.reviewApplication(identity.admin, {
      ...review,
      confirm_distinct: true,
    });
    expect(institution?.name).toBe('twin savings');
  });

  test('rejection makes nothing', async () => {
    const application_id = await apply('rejected@harbour.example');
    const review = await identity.stub.reviewApplication(identity.admin, {
      application_id,
      status: ApplicationStatus.REJECTED,
      review_note: 'no licence',
    });
    expect(review).toMatchObject({
      application: { status: ApplicationStatus.REJECTED },
      institution: undefined,
      invitation: undefined,
    });
  });

  test('an approval that cannot invite leaves the application open', async () => {
    const application_id = await apply(identity.member.owner_email);
    const review = { application_id, status: ApplicationStatus.APPROVED };
    expect(await codeOf(identity.stub.reviewApplication(identity.admin, review))).toBe(
      'INVALID_STATE_TRANSITION',
    );
    const { applications } = await identity.stub.listApplications(identity.admin, {
      q: identity.member.owner_email,
      status: ApplicationStatus.PENDING,
      limit: 10,
    });
    expect(applications.map((application) => application.id)).toEqual([application_id]);
  });

  test('who reviews what, and how', async () => {
    const application_id = await apply('late@harbour.example');
    const approve = { application_id, status: ApplicationStatus.APPROVED };
    expect(await codeOf(identity.stub.reviewApplication(identity.member.owner, approve))).toBe(
      'INSUFFICIENT_SCOPE',
    );
    expect(await codeOf(identity.stub.reviewApplication(anonymous(), approve))).toBe(
      'INSUFFICIENT_SCOPE',
    );
    expect(
      await codeOf(
        identity.stub.reviewApplication(identity.admin, { ...approve, application_id: UNKNOWN_ID }),
      ),
    ).toBe('NOT_FOUND');
    expect(
      await codeOf(
        identity.stub.reviewApplication(identity.admin, {
          ...approve,
          status: ApplicationStatus.PENDING,
        }),
      ),
    ).toBe('VALIDATION_ERROR');
    expect(
      await codeOf(
        identity.stub.reviewApplication(identity.admin, { ...approve, application_id: 'x' }),
      ),
    ).toBe('VALIDATION_ERROR');
    expect(await codeOf(apply('not an address'))).toBe('VALIDATION_ERROR');
  });

  test('are listed newest first, page by page, with their number', async () => {
    const ids = [];
    for (let index = 0; index < 5; index += 1) ids.push(await apply(`page${index}@paging.example`));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await identity.stub.listApplications(identity.admin, {
        q: '@PAGING.',
        limit: 2,
        cursor,
      });
      expect(page.total_count).toBe(5);
      seen.push(...page.applications.map((application) => application.id));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(ids.toReversed());
    expect(
      (await identity.stub.listApplications(identity.admin, { q: '%', limit: 2 })).total_count,
    ).toBe(0);
    for (const bad of ['x', Buffer.from('["x"]').toString('base64url')]) {
      expect(
        await codeOf(identity.stub.listApplications(identity.admin, { limit: 2, cursor: bad })),
      ).toBe('VALIDATION_ERROR');
    }
    expect(await codeOf(identity.stub.listApplications(identity.admin, { limit: 101 }))).toBe(
      'VALIDATION_ERROR',
    );
  });
});

test('contact requests are found, and answered or closed once, by administrators', async () => {
  const submit = async (name: string) =>
    (
      await identity.stub.submitContactRequest(anonymous(), {
        name,
        email: 'asks@elsewhere.example',
        subject: 'Fees',
        message: 'How much is it?',
      })
    ).id;
  const [first, second] = [await submit('Dora Asks'), await submit('Eve Asks')];
  const page = await identity.stub.listContactRequests(identity.admin, {
    q: 'asks@',
    status: ContactRequestStatus.OPEN,
    limit: 1,
  });
  expect(page.total_count).toBe(2);
  expect(page.contact_requests).toMatchObject([
    { id: second, name: 'Eve Asks', subject: 'Fees', message: 'How much is it?' },
  ]);
  const answer = (contact_request_id: string, change: object, by = identity.admin) =>
    identity.stub.answerContactRequest(by, {
      contact_request_id,
      status: ContactRequestStatus.ANSWERED,
      ...change,
    });
  expect(await codeOf(answer(first, {}))).toBe('VALIDATION_ERROR');
  expect(await codeOf(answer(first, { status: ContactRequestStatus.OPEN }))).toBe(
    'VALIDATION_ERROR',
  );
  expect(await codeOf(answer(first, { status: ContactRequestStatus.CLOSED, answer: 'no' }))).toBe(
    'VALIDATION_ERROR',
  );
  expect(await codeOf(answer(first, { answer: 'Nothing.' }, identity.member.owner))).toBe(
    'INSUFFICIENT_SCOPE',
  );
  expect(await codeOf(answer(UNKNOWN_ID, { answer: 'Nothing.' }))).toBe('NOT_FOUND');
  expect((await answer(first, { answer: 'Nothing.' })).contact_request).toMatchObject({
    status: ContactRequestStatus.ANSWERED,
    answer: 'Nothing.',
    answered_by: identity.admin.actor.id,
  });
  expect(await codeOf(answer(first, { answer: 'Much.' }))).toBe('INVALID_STATE_TRANSITION');
  await answer(second, { status: ContactRequestStatus.CLOSED });
  const left = await identity.stub.listContactRequests(identity.admin, {
    q: 'asks@',
    status: ContactRequestStatus.OPEN,
    limit: 1,
  });
  expect(left.total_count).toBe(0);
});

test('a contact request is taken in', async () => {
  const { id } = await identity.stub.submitContactRequest(anonymous(), {
    name: 'Cleo',
    email: 'cleo@elsewhere.example',
    message: 'How do I join?',
  });
  const rows = await identity.sql(
    'SELECT name, subject, message FROM contact_requests WHERE id = $1',
    [id],
  );
  expect(rows).toEqual([{ name: 'Cleo', subject: null, message: 'How do I join?' }]);
});

test('what waits for the network is counted, with the time of the oldest', async () => {
  const request = { name: 'Ida', email: 'ida@waits.example', message: 'How do we join?' };
  await identity.stub.submitContactRequest(anonymous(), request);
  await identity.stub.submitContactRequest(anonymous(), request);
  const { contact_requests_waiting, applications_waiting } = await identity.stub.getIdentityTotals(
    anonymous(),
    {},
  );
  const open = await identity.stub.listContactRequests(identity.admin, {
    status: ContactRequestStatus.OPEN,
    limit: 100,
  });
  expect(contact_requests_waiting).toEqual({
    count: BigInt(open.contact_requests.length),
    waiting_since: open.contact_requests.at(-1)?.created_at,
  });
  const pending = await identity.stub.listApplications(identity.admin, {
    status: ApplicationStatus.PENDING,
    limit: 100,
  });
  expect(applications_waiting).toEqual({
    count: BigInt(pending.applications.length),
    waiting_since: pending.applications.at(-1)?.created_at,
  });
});

describe('institutions', () => {
  test('can be made before they apply: PENDING, nobody signs in before they are ACTIVE', async () => {
    const make = (change: object, by = identity.admin) =>
      identity.stub.createInstitution(by, { name: 'Early Credit', ...change });
    const { institution } = await make({ website: 'https://early.example' });
    expect(institution).toMatchObject({ name: 'Early Credit', status: InstitutionStatus.PENDING });
    expect(await codeOf(make({ name: 'EARLY credit' }))).toBe('INVALID_STATE_TRANSITION');
    expect(await codeOf(make({ confirm_distinct: true }))).toBe('OK');
    expect(await codeOf(make({ name: ' ' }))).toBe('VALIDATION_ERROR');
    expect(await codeOf(make({ name: 'Other' }, identity.member.owner))).toBe('INSUFFICIENT_SCOPE');

    const { temporary_password } = await identity.stub.createUser(identity.admin, {
      email: 'owner@early.example',
      display_name: 'Early Owner',
      institution_id: institution?.id,
      role: Role.OWNER,
    });
    const signIn = () => codeOf(login(identity.stub, 'owner@early.example', temporary_password));
    expect(await signIn()).toBe('INSUFFICIENT_SCOPE');
    await identity.stub.updateInstitution(identity.admin, {
      institution_id: institution?.id ?? '',
      status: InstitutionStatus.ACTIVE,
      reason: 'licence checked',
    });
    expect(await signIn()).toBe('OK');
  });

  test('and users: a change that changes nothing named is invalid, a repeat is no change', async () => {
    const { institution_id, owner } = await makeMember(identity.stub, identity.admin);
    const change = (fields: object) =>
      identity.stub.updateInstitution(identity.admin, { institution_id, ...fields });
    expect(await codeOf(change({}))).toBe('VALIDATION_ERROR');
    expect(await codeOf(change({ reason: 'why not' }))).toBe('VALIDATION_ERROR');
    expect(
      await codeOf(identity.stub.updateUser(identity.admin, { user_id: owner.actor.id })),
    ).toBe('VALIDATION_ERROR');
    const before = (await outbox()).length;
    expect((await change({ publicly_listed: true })).institution?.publicly_listed).toBe(true);
    expect(await outbox()).toHaveLength(before);
  });

  test('move as allowed, with a reason, and every move is told with its version', async () => {
    const { institution_id } = await makeMember(identity.stub, identity.admin);
    const move = (status: InstitutionStatus, reason?: string) =>
      identity.stub.updateInstitution(identity.admin, { institution_id, status, reason });
    await expect(move(InstitutionStatus.SUSPENDED)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ path: 'reason' }],
    });
    await move(InstitutionStatus.SUSPENDED, 'late fees');
    expect(await codeOf(move(InstitutionStatus.PENDING, 'oops'))).toBe('INVALID_STATE_TRANSITION');
    await move(InstitutionStatus.ACTIVE, 'paid');
    await identity.stub.updateInstitution(identity.admin, {
      institution_id,
      publicly_listed: false,
    });
    await move(InstitutionStatus.CLOSED, 'merged');
    for (const status of [
      InstitutionStatus.ACTIVE,
      InstitutionStatus.SUSPENDED,
      InstitutionStatus.CLOSED,
    ]) {
      expect(await codeOf(move(status, 'again'))).toBe('INVALID_STATE_TRANSITION');
    }
    const told = (await outbox()).flatMap(({ environment, payload }) =>
      environment === 'test' &&
      payload?.$case === 'institution_changed' &&
      payload.value.institution_id === institution_id
        ? [`${payload.value.version} ${payload.value.status}`]
        : [],
    );
    expect(told).toEqual(['1 ACTIVE', '2 SUSPENDED', '3 ACTIVE', '4 ACTIVE', '5 CLOSED']);
  });

  test('have their names for a person whose file they are in, listed or not', async () => {
    const unlisted = await makeMember(identity.stub, identity.admin);
    await identity.stub.updateInstitution(identity.admin, {
      institution_id: unlisted.institution_id,
      publicly_listed: false,
    });
    const person = anonymous({ actor: { type: 'person', id: randomUUID() } });
    const named = async (institution_ids: string[]) =>
      (await identity.stub.nameInstitutions(person, { institution_ids })).names;
    expect(await named([unlisted.institution_id, randomUUID()])).toEqual([
      { id: unlisted.institution_id, name: expect.stringMatching(/^Lighthouse \d+$/) },
    ]);
    // Nothing else of identity's has a name here.
    expect(await named([String(unlisted.signed_in.user?.user?.id)])).toEqual([]);
    expect(await named([])).toEqual([]);
    expect(await codeOf(named(Array(2_001).fill(unlisted.institution_id)))).toBe(
      'VALIDATION_ERROR',
    );
    expect(await codeOf(named(['lighthouse']))).toBe('VALIDATION_ERROR');
    for (const ctx of [anonymous(), unlisted.owner, identity.admin]) {
      const call = identity.stub.nameInstitutions(ctx, { institution_ids: [] });
      expect(await codeOf(call)).toBe('INSUFFICIENT_SCOPE');
    }
  });

  test('are public only while active and listed, by name', async () => {
    const shown = async () => {
      const names: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await identity.stub.listPublicInstitutions(anonymous(), { limit: 1, cursor });
        names.push(...page.institutions.map((institution) => institution.name));
        cursor = page.next_cursor;
      } while (cursor !== undefined);
      return names;
    };
    const unlisted = await makeMember(identity.stub, identity.admin);
    const all = await shown();
    expect(all).toEqual(all.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)));
    await identity.stub.updateInstitution(identity.admin, {
      institution_id: unlisted.institution_id,
      publicly_listed: false,
    });
    expect(await shown()).toHaveLength(all.length - 1);
    const cursor = encodeCursor(['\0', unlisted.institution_id]);
    expect(
      await codeOf(identity.stub.listPublicInstitutions(anonymous(), { limit: 1, cursor })),
    ).toBe('VALIDATION_ERROR');
  });

  test('are found by name and status, and counted', async () => {
    const page = await identity.stub.listInstitutions(identity.admin, {
      q: 'lightHOUSE',
      status: InstitutionStatus.ACTIVE,
      limit: 1,
    });
    expect(page.institutions).toHaveLength(1);
    expect(page.total_count).toBeGreaterThan(1);
    const totals = await identity.stub.getIdentityTotals(anonymous(), {});
    const listed = await identity.stub.listInstitutions(identity.admin, {
      status: InstitutionStatus.ACTIVE,
      limit: 1,
    });
    expect(totals.institutions).toBe(BigInt(listed.total_count));
    expect(totals.institutions_by_status).toContainEqual({
      status: InstitutionStatus.CLOSED,
      count: 1n,
    });
  });

  test('are changed by platform administrators alone', async () => {
    const { institution_id } = identity.member;
    const change = { institution_id, publicly_listed: true };
    expect(await codeOf(identity.stub.updateInstitution(identity.member.owner, change))).toBe(
      'INSUFFICIENT_SCOPE',
    );
    expect(
      await codeOf(
        identity.stub.updateInstitution(identity.admin, { ...change, institution_id: UNKNOWN_ID }),
      ),
    ).toBe('NOT_FOUND');
  });
});

describe('invitations', () => {
  const accept = (token: string, password = PASSWORD) =>
    identity.stub.acceptInvitation(anonymous(), { token, display_name: 'New Mate', password });

  test('make a user once', async () => {
    const { invitation } = await identity.stub.createInvitation(identity.member.owner, {
      email: 'once@lighthouse.example',
      role: Role.DEVELOPER,
    });
    const codes = await Promise.all(
      Array.from({ length: 4 }, () => codeOf(accept(invitation?.token ?? ''))),
    );
    expect(codes.toSorted()).toEqual(['OK', ...Array(3).fill('REQUEST_ERROR')].toSorted());
    expect(await codeOf(login(identity.stub, 'once@lighthouse.example', PASSWORD))).toBe('OK');
  });

  test('unknown, expired and used tokens are bad requests, a weak password is invalid', async () => {
    const { invitation } = await identity.stub.createInvitation(identity.member.owner, {
      email: 'expired@lighthouse.example',
      role: Role.VIEWER,
    });
    const token = invitation?.token ?? '';
    await expect(accept(token, 'passwordpassword')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ path: 'password' }],
    });
    await identity.sql('UPDATE invitations SET expires_at = now() WHERE id = $1', [invitation?.id]);
    for (const bad of [token, 'svc_inv_unknown', '']) {
      expect(await codeOf(accept(bad))).toBe('REQUEST_ERROR');
    }
  });

  const invite = (email: string, role: Role = Role.VIEWER, by = identity.member.owner) =>
    identity.stub.createInvitation(by, { email, role });
  const open = async (by = identity.member.owner) =>
    (await identity.stub.listInvitations(by, { limit: 100 })).invitations;

  test('to an address with an account are answered as any other, and give nothing', async () => {
    const elsewhere = await makeMember(identity.stub, identity.admin);
    const shape = ({ invitation }: Awaited<ReturnType<typeof invite>>) =>
      Object.entries(invitation ?? {}).map(([key, value]) => `${key} ${typeof value}`);
    const known = await invite(elsewhere.owner_email.toUpperCase());
    const unknown = await invite('unheard@lighthouse.example');
    expect(shape(known)).toEqual(shape(unknown));
    const listed = (await open()).map(({ id }) => id);
    expect(listed).toEqual(expect.arrayContaining([known.invitation?.id, unknown.invitation?.id]));
    expect(await codeOf(accept(known.invitation?.token ?? ''))).toBe('REQUEST_ERROR');
    expect(await codeOf(login(identity.stub, elsewhere.owner_email, PASSWORD))).toBe('OK');
    expect(await codeOf(invite('no address'))).toBe('VALIDATION_ERROR');
  });

  test('of an address end the older one, whatever role it gave', async () => {
    const first = await invite('Twice@Lighthouse.example', Role.OWNER);
    const second = await invite('twice@lighthouse.example', Role.VIEWER);
    const waiting = (await open()).filter(({ email }) => /^twice@/i.test(email));
    expect(waiting.map(({ id, role }) => [id, role])).toEqual([
      [second.invitation?.id, Role.VIEWER],
    ]);
    expect(await codeOf(accept(first.invitation?.token ?? ''))).toBe('REQUEST_ERROR');
    expect((await accept(second.invitation?.token ?? '')).user?.user?.role).toBe(Role.VIEWER);
  });

  test('of one address made at once leave one', async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, () => invite('crowd@lighthouse.example')),
    );
    expect((await open()).filter(({ email }) => email.startsWith('crowd@'))).toHaveLength(1);
    const codes = [];
    for (const { invitation } of made) codes.push(await codeOf(accept(invitation?.token ?? '')));
    expect(codes.filter((code) => code === 'OK')).toHaveLength(1);
  });

  test('of one address are ten a day', async () => {
    for (let round = 0; round < 10; round += 1) await invite('pestered@lighthouse.example');
    await expect(invite('pestered@lighthouse.example')).rejects.toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
    });
    expect(await codeOf(invite('left-alone@lighthouse.example'))).toBe('OK');
  });

  test('are seen without their tokens and withdrawn, by their institution alone', async () => {
    const { invitation } = await invite('withdrawn@lighthouse.example', Role.ADMIN);
    const invitation_id = invitation?.id ?? '';
    const listed = (await open()).find(({ id }) => id === invitation_id);
    expect(listed).toMatchObject({
      email: 'withdrawn@lighthouse.example',
      role: Role.ADMIN,
      invited_by: identity.member.owner.actor.id,
      token: '',
    });
    const other = await makeMember(identity.stub, identity.admin);
    expect((await open(other.owner)).map(({ id }) => id)).not.toContain(invitation_id);
    const withdraw = (by: CallContext) =>
      codeOf(identity.stub.withdrawInvitation(by, { invitation_id }));
    expect(await withdraw(other.owner)).toBe('NOT_FOUND');
    const viewer = await addUser(identity.stub, identity.member, Role.VIEWER);
    expect(await withdraw(viewer.ctx)).toBe('INSUFFICIENT_SCOPE');
    expect(await withdraw(identity.member.owner)).toBe('OK');
    expect(await withdraw(identity.member.owner)).toBe('OK');
    expect((await open()).map(({ id }) => id)).not.toContain(invitation_id);
    expect(await codeOf(accept(invitation?.token ?? ''))).toBe('REQUEST_ERROR');

    const accepted = await invite('kept@lighthouse.example');
    await accept(accepted.invitation?.token ?? '');
    expect(
      await codeOf(
        identity.stub.withdrawInvitation(identity.member.owner, {
          invitation_id: accepted.invitation?.id ?? '',
        }),
      ),
    ).toBe('INVALID_STATE_TRANSITION');
  });

  test.each([
    ['is disabled', { status: UserStatus.DISABLED }],
    ['is no administrator any more', { role: Role.DEVELOPER }],
  ])('go with an inviter who %s', async (_name, change) => {
    const inviter = await addUser(identity.stub, identity.member, Role.ADMIN);
    const email = `guest-of-${inviter.email}`;
    const { invitation } = await invite(email, Role.VIEWER, inviter.ctx);
    const user_id = inviter.ctx.actor.id;
    await identity.stub.updateUser(identity.admin, { user_id, display_name: 'Still here' });
    expect((await open()).map(({ id }) => id)).toContain(invitation?.id);
    await identity.stub.updateUser(identity.admin, { user_id, ...change });
    expect((await open()).map(({ id }) => id)).not.toContain(invitation?.id);
    expect(await codeOf(accept(invitation?.token ?? ''))).toBe('REQUEST_ERROR');
    // The right given back does not bring them back.
    await identity.stub.updateUser(identity.admin, {
      user_id,
      status: UserStatus.ACTIVE,
      role: Role.ADMIN,
    });
    expect(await codeOf(accept(invitation?.token ?? ''))).toBe('REQUEST_ERROR');
  });

  test('an owner who becomes an administrator takes along those of owners', async () => {
    const inviter = await addUser(identity.stub, identity.member, Role.OWNER);
    const owner = await invite('heir@lighthouse.example', Role.OWNER, inviter.ctx);
    const viewer = await invite('guest@lighthouse.example', Role.VIEWER, inviter.ctx);
    await identity.stub.updateUser(identity.admin, {
      user_id: inviter.ctx.actor.id,
      role: Role.ADMIN,
    });
    expect(await codeOf(accept(owner.invitation?.token ?? ''))).toBe('REQUEST_ERROR');
    expect(await codeOf(accept(viewer.invitation?.token ?? ''))).toBe('OK');
  });

  test('given while the right is taken away are not left behind', async () => {
    for (let round = 0; round < 5; round += 1) {
      const inviter = await addUser(identity.stub, identity.member, Role.ADMIN);
      const user_id = inviter.ctx.actor.id;
      const [given] = await identity.collide<string | undefined>(
        { text: 'SELECT id FROM users WHERE id = $1 FOR UPDATE', values: [user_id] },
        2,
        () => [
          invite(`race${round}@lighthouse.example`, Role.VIEWER, inviter.ctx).then(
            ({ invitation }) => invitation?.token,
          ),
          identity.stub
            .updateUser(identity.admin, { user_id, status: UserStatus.DISABLED })
            .then(() => undefined),
        ],
      );
      if (given?.status === 'fulfilled') {
        expect(await codeOf(accept(given.value ?? ''))).toBe('REQUEST_ERROR');
      }
    }
  });

  test('to be an owner come from owners', async () => {
    const { ctx } = await addUser(identity.stub, identity.member, Role.ADMIN);
    const inviteAs = (by: CallContext, role: Role) =>
      codeOf(
        identity.stub.createInvitation(by, {
          email: `${role}@lighthouse.example`.toLowerCase(),
          role,
        }),
      );
    expect(await inviteAs(ctx, Role.OWNER)).toBe('INSUFFICIENT_SCOPE');
    expect(await inviteAs(ctx, Role.ADMIN)).toBe('OK');
    expect(await inviteAs(identity.member.owner, Role.OWNER)).toBe('OK');
    expect(await inviteAs(identity.member.owner, Role.UNSPECIFIED)).toBe('VALIDATION_ERROR');
    for (const role of [Role.DEVELOPER, Role.VIEWER]) {
      const user = await addUser(identity.stub, identity.member, role);
      expect(await inviteAs(user.ctx, Role.VIEWER)).toBe('INSUFFICIENT_SCOPE');
    }
    // Nobody acts in an institution other than its own, whatever the call says.
    const other = await makeMember(identity.stub, identity.admin);
    expect(
      await inviteAs(
        { ...identity.member.owner, institution_id: other.institution_id },
        Role.VIEWER,
      ),
    ).toBe('INSUFFICIENT_SCOPE');
  });
});

describe('API keys', () => {
  test('show their secret once and everything else always', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { api_key, secret } = await identity.stub.createApiKey(identity.member.owner, {
      display_name: 'ledger sync',
      scopes: ['webhooks:manage', 'credit:read'],
      environment: 'test',
      allowed_ips: ['192.0.2.7', '2001:db8::/32'],
      expires_at,
    });
    expect(secret).toMatch(/^svc_test_[0-9A-Za-z]{49}$/);
    expect(api_key).toMatchObject({
      prefix: secret.slice(0, 16),
      scopes: ['credit:read', 'webhooks:manage'],
      environment: 'test',
      allowed_ips: ['192.0.2.7/32', '2001:db8::/32'],
      expires_at,
      active: true,
      last_used_at: undefined,
    });
    const { api_keys } = await identity.stub.listApiKeys(identity.member.owner, { limit: 1 });
    expect(api_keys).toEqual([api_key]);
  });

  test('are named faulty field by field', async () => {
    await expect(
      makeKey(identity.stub, identity.member.owner, {
        scopes: ['credit:read', 'admin'],
        allowed_ips: ['moon'],
      }),
    ).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ path: 'scopes[1]' }, { path: 'allowed_ips[0]' }],
    });
  });

  test('are of one institution: to another they do not exist', async () => {
    const other = await makeMember(identity.stub, identity.admin);
    const key = await makeKey(identity.stub, identity.member.owner);
    expect(await codeOf(identity.stub.revokeApiKey(other.owner, { key_id: key.id }))).toBe(
      'NOT_FOUND',
    );
    expect(await codeOf(identity.stub.rotateApiKey(other.owner, { key_id: key.id }))).toBe(
      'NOT_FOUND',
    );
    expect((await identity.stub.listApiKeys(other.owner, { limit: 10 })).api_keys).toEqual([]);
    expect(
      await codeOf(identity.stub.revokeApiKey(identity.member.owner, { key_id: UNKNOWN_ID })),
    ).toBe('NOT_FOUND');
    expect(
      await codeOf(identity.stub.revokeApiKey(identity.member.owner, { key_id: key.id })),
    ).toBe('OK');
    expect(
      await codeOf(identity.stub.revokeApiKey(identity.member.owner, { key_id: key.id })),
    ).toBe('OK');
  });

  test('rotation keeps all but the secret, and ends the old key', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { api_key: old } = await identity.stub.createApiKey(identity.member.owner, {
      display_name: 'to rotate',
      scopes: ['events:write'],
      environment: 'live',
      allowed_ips: ['10.0.0.0/8'],
      expires_at,
    });
    const key_id = old?.id ?? '';
    const codes: string[] = [];
    const rotated = await Promise.all(
      Array.from({ length: 3 }, () =>
        identity.stub.rotateApiKey(identity.member.owner, { key_id }).catch((error) => {
          codes.push(error.code);
          return undefined;
        }),
      ),
    );
    // One winner: a key has one successor.
    expect(codes).toEqual(['INVALID_STATE_TRANSITION', 'INVALID_STATE_TRANSITION']);
    const successor = rotated.find((one) => one !== undefined);
    expect(successor?.secret).toMatch(/^svc_live_/);
    expect(successor?.api_key).toMatchObject({
      display_name: 'to rotate',
      scopes: ['events:write'],
      environment: 'live',
      allowed_ips: ['10.0.0.0/8'],
      expires_at,
      active: true,
    });
    const { api_keys } = await identity.stub.listApiKeys(identity.member.owner, { limit: 100 });
    expect(api_keys.find((key) => key.id === key_id)?.active).toBe(false);
  });

  test('an expired key is not active and cannot be rotated', async () => {
    const key = await makeKey(identity.stub, identity.member.owner);
    await identity.sql('UPDATE api_keys SET expires_at = now() WHERE id = $1', [key.id]);
    expect(
      await codeOf(identity.stub.rotateApiKey(identity.member.owner, { key_id: key.id })),
    ).toBe('INVALID_STATE_TRANSITION');
    const { api_keys } = await identity.stub.listApiKeys(identity.member.owner, { limit: 1 });
    expect(api_keys[0]).toMatchObject({ id: key.id, active: false });
  });

  test('are managed by owners and admins, never by keys', async () => {
    const key = await makeKey(identity.stub, identity.member.owner, {
      scopes: ['webhooks:manage'],
    });
    const as_key: CallContext = {
      ...identity.member.owner,
      actor: { type: 'api_key', id: key.id },
    };
    for (const attempt of [
      makeKey(identity.stub, as_key),
      identity.stub.rotateApiKey(as_key, { key_id: key.id }),
      identity.stub.revokeApiKey(as_key, { key_id: key.id }),
      identity.stub.listApiKeys(as_key, { limit: 1 }),
    ]) {
      expect(await codeOf(attempt)).toBe('INSUFFICIENT_SCOPE');
    }
    expect(
      await codeOf(
        makeKey(identity.stub, (await addUser(identity.stub, identity.member, Role.ADMIN)).ctx),
      ),
    ).toBe('OK');
    for (const role of [Role.DEVELOPER, Role.VIEWER]) {
      const { ctx } = await addUser(identity.stub, identity.member, role);
      expect(await codeOf(makeKey(identity.stub, ctx))).toBe('INSUFFICIENT_SCOPE');
    }
  });
});

describe('who is calling', () => {
  test('a user with its institution and permissions, a key with its own', async () => {
    const user = await identity.stub.getCaller(identity.member.owner, {});
    expect(user).toMatchObject({
      user: {
        user: { email: identity.member.owner_email },
        institution: { id: identity.member.institution_id },
      },
      api_key: undefined,
    });
    expect(user.user).toMatchObject({ permissions: PERMISSIONS, test_permissions: [] });
    const key = await makeKey(identity.stub, identity.member.owner);
    const caller = await identity.stub.getCaller(
      { ...identity.member.owner, actor: { type: 'api_key', id: key.id } },
      {},
    );
    expect(caller).toMatchObject({
      user: undefined,
      api_key: { id: key.id },
      institution: { id: identity.member.institution_id },
    });
    expect(await codeOf(identity.stub.getCaller(anonymous(), {}))).toBe('INVALID_API_KEY');
  });
});

describe('users', () => {
  test('the last owner stays, also when two are demoted at once', async () => {
    const other = await makeMember(identity.stub, identity.admin);
    const first = other.owner.actor.id;
    const demote = (user_id: string) =>
      identity.stub.updateUser(identity.admin, { user_id, role: Role.ADMIN });
    expect(await codeOf(demote(first))).toBe('INVALID_STATE_TRANSITION');
    expect(
      await codeOf(
        identity.stub.updateUser(identity.admin, { user_id: first, status: UserStatus.DISABLED }),
      ),
    ).toBe('INVALID_STATE_TRANSITION');
    expect(
      await codeOf(
        identity.stub.updateUser(identity.admin, {
          user_id: first,
          institution_id: identity.member.institution_id,
          role: Role.OWNER,
        }),
      ),
    ).toBe('INVALID_STATE_TRANSITION');

    const second = (await addUser(identity.stub, other, Role.OWNER)).ctx.actor.id;
    const demotions = await identity.collide(
      { text: 'SELECT id FROM users WHERE id = ANY ($1) FOR UPDATE', values: [[first, second]] },
      2,
      () => [codeOf(demote(first)), codeOf(demote(second))],
    );
    const codes = demotions.map((one) => (one.status === 'fulfilled' ? one.value : ''));
    expect(codes.toSorted()).toEqual(['INVALID_STATE_TRANSITION', 'OK']);
    const owners = await identity.sql(
      "SELECT id FROM users WHERE institution_id = $1 AND role = 'OWNER'",
      [other.institution_id],
    );
    expect(owners).toHaveLength(1);
  });

  test('the last superadmin stays, and two who demote each other leave one', async () => {
    const myself = identity.admin.actor.id;
    for (const change of [
      { status: UserStatus.DISABLED },
      { platform_role: PlatformRole.PLATFORM_ADMIN },
    ]) {
      expect(
        await codeOf(identity.stub.updateUser(identity.admin, { user_id: myself, ...change })),
      ).toBe('INVALID_STATE_TRANSITION');
    }
    const { user, temporary_password } = await identity.stub.createUser(identity.admin, {
      email: 'deputy@network.example',
      display_name: 'Deputy',
      platform_role: PlatformRole.SVC_SUPERADMIN,
    });
    const deputy = asUser(await login(identity.stub, 'deputy@network.example', temporary_password));
    const demotion = { platform_role: PlatformRole.PLATFORM_ADMIN };
    const demotions = await identity.collide(
      { text: 'SELECT id FROM users WHERE id = ANY ($1) FOR UPDATE', values: [[user?.id, myself]] },
      2,
      () => [
        codeOf(identity.stub.updateUser(identity.admin, { user_id: user?.id ?? '', ...demotion })),
        codeOf(identity.stub.updateUser(deputy, { user_id: myself, ...demotion })),
      ],
    );
    const codes = demotions.map((one) => (one.status === 'fulfilled' ? one.value : ''));
    // The second one is no superadmin any more when its turn comes.
    expect(codes.toSorted()).toEqual(['INSUFFICIENT_SCOPE', 'OK']);
    // Put things back for the tests that follow.
    await identity.sql("UPDATE users SET platform_role = 'SVC_SUPERADMIN' WHERE id = $1", [myself]);
    await identity.sql("UPDATE users SET platform_role = 'PLATFORM_ADMIN' WHERE id = $1", [
      user?.id,
    ]);
  });

  test('an administrator of the platform manages no users', async () => {
    const { temporary_password } = await identity.stub.createUser(identity.admin, {
      email: 'clerk@network.example',
      display_name: 'Clerk',
      platform_role: PlatformRole.PLATFORM_ADMIN,
    });
    const clerk = asUser(await login(identity.stub, 'clerk@network.example', temporary_password));
    const user_id = identity.member.owner.actor.id;
    for (const attempt of [
      identity.stub.createUser(clerk, {
        email: 'x@y.example',
        display_name: 'X',
        platform_role: PlatformRole.SVC_SUPERADMIN,
      }),
      identity.stub.updateUser(clerk, { user_id, display_name: 'X' }),
      identity.stub.resetPassword(clerk, { user_id }),
      identity.stub.revokeSessions(clerk, { user_id }),
    ]) {
      expect(await codeOf(attempt)).toBe('INSUFFICIENT_SCOPE');
    }
    expect((await identity.stub.listUsers(clerk, { limit: 1 })).users).toHaveLength(1);
  });

  test('are created with what makes sense only', async () => {
    const create = (change: object) =>
      codeOf(
        identity.stub.createUser(identity.admin, {
          email: 'sense@network.example',
          display_name: 'S',
          ...change,
        }),
      );
    expect(await create({})).toBe('VALIDATION_ERROR');
    expect(await create({ role: Role.ADMIN })).toBe('VALIDATION_ERROR');
    expect(await create({ institution_id: identity.member.institution_id })).toBe(
      'VALIDATION_ERROR',
    );
    expect(await create({ institution_id: UNKNOWN_ID, role: Role.ADMIN })).toBe('NOT_FOUND');
    const platform_role = PlatformRole.PLATFORM_ADMIN;
    expect(await create({ email: 'x', platform_role })).toBe('VALIDATION_ERROR');
    expect(await create({ email: SUPERADMIN.email.toUpperCase(), platform_role })).toBe(
      'INVALID_STATE_TRANSITION',
    );
    expect(await create({ platform_role })).toBe('OK');
  });

  test("are changed field by field; an e-mail is nobody else's", async () => {
    const user = await addUser(identity.stub, identity.member, Role.VIEWER);
    const user_id = user.ctx.actor.id;
    const { user: changed } = await identity.stub.updateUser(identity.admin, {
      user_id,
      email: 'Renamed@Lighthouse.example',
      display_name: 'Renamed',
    });
    expect(changed).toMatchObject({ email: 'Renamed@Lighthouse.example', role: Role.VIEWER });
    expect(await codeOf(login(identity.stub, 'renamed@lighthouse.example', PASSWORD))).toBe('OK');
    expect(
      await codeOf(identity.stub.updateUser(identity.admin, { user_id, email: SUPERADMIN.email })),
    ).toBe('INVALID_STATE_TRANSITION');
    expect(
      await codeOf(
        identity.stub.updateUser(identity.admin, { user_id: UNKNOWN_ID, display_name: 'Nobody' }),
      ),
    ).toBe('NOT_FOUND');
    expect(
      await codeOf(identity.stub.updateUser(identity.admin, { user_id, institution_id: '' })),
    ).toBe('VALIDATION_ERROR');
    const { user: moved } = await identity.stub.updateUser(identity.admin, {
      user_id,
      institution_id: '',
      platform_role: PlatformRole.PLATFORM_ADMIN,
    });
    expect(moved).toMatchObject({ institution_id: undefined, role: undefined });
  });

  test('are found by name, e-mail, status and institution', async () => {
    const user = await addUser(identity.stub, identity.member, Role.VIEWER);
    await identity.stub.updateUser(identity.admin, {
      user_id: user.ctx.actor.id,
      display_name: 'Zebedee',
    });
    const page = await identity.stub.listUsers(identity.admin, { q: 'zebe', limit: 10 });
    expect(page).toMatchObject({ total_count: 1, users: [{ id: user.ctx.actor.id }] });
    const filtered = { q: 'zebe', status: UserStatus.DISABLED, limit: 10 };
    expect((await identity.stub.listUsers(identity.admin, filtered)).total_count).toBe(0);
    const mine = await identity.stub.listUsers(identity.admin, {
      institution_id: identity.member.institution_id,
      limit: 100,
    });
    expect(mine.users.every((one) => one.institution_id === identity.member.institution_id)).toBe(
      true,
    );
    expect(mine.users.length).toBe(mine.total_count);
  });
});
