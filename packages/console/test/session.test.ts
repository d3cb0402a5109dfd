import { randomBytes } from 'node:crypto';
import { openKeyRing } from '@credit/platform/credentials';
import type { Request, Response } from 'express';
import { isFormToken, SessionCookies } from '../src/session';

const MINUTE_MS = 60_000;
const key = () => randomBytes(32).toString('base64');
const TOKENS = { access_token: 'svc_at_x', refresh_token: 'svc_rt_x', expires_in: 900 };

let now_ms: number;
const clock = { now_ms: () => now_ms };
beforeEach(() => {
  now_ms = Date.parse('2026-01-31T08:00:00Z');
});

/** What a browser would send back. */
function browser() {
  let cookie = '';
  const response = {
    getHeader: () => undefined,
    setHeader: (_name: string, [value]: [string]) => {
      cookie = value;
    },
  } as unknown as Response;
  return {
    response,
    header: () => cookie,
    request: (changed = (pair: string) => pair): Request =>
      ({ headers: { cookie: `a=1; ${changed(cookie.split('; ')[0] ?? '')}` } }) as Request,
  };
}

test('a session comes back as it began, and says nothing to whoever reads the cookie', () => {
  const cookies = new SessionCookies(openKeyRing(key(), []), clock);
  const { response, request, header } = browser();
  const begun = cookies.begin(response, TOKENS);
  expect(cookies.read(request())).toEqual(begun);
  expect(header()).toMatch(/^__Host-console=\S+; Path=\/; Secure; HttpOnly; SameSite=Strict$/);
  expect(header()).not.toContain('svc_');
  expect(Buffer.from(header(), 'base64url').includes('svc_rt_x')).toBe(false);
});

test('an altered cookie, another key’s, a form’s token and none at all are no session', () => {
  const cookies = new SessionCookies(openKeyRing(key(), []), clock);
  const { response, request } = browser();
  cookies.begin(response, TOKENS);
  const flipped = (pair: string) => pair.slice(0, -1) + (pair.endsWith('A') ? 'B' : 'A');
  const strange = (value: string) => () => `__Host-console=${value}`;
  for (const change of [
    flipped,
    strange(cookies.visitorToken()),
    strange('x'),
    strange('.'),
    strange('a'.repeat(5_000)),
    () => '',
  ]) {
    expect(cookies.read(request(change))).toBeUndefined();
  }
  expect(new SessionCookies(openKeyRing(key(), []), clock).read(request())).toBeUndefined();
});

test('a session ends after half an hour without a click, and after twelve hours with them', () => {
  const cookies = new SessionCookies(openKeyRing(key(), []), clock);
  const { response, request } = browser();
  cookies.begin(response, TOKENS);
  now_ms += 30 * MINUTE_MS;
  expect(cookies.read(request())).toBeDefined();
  now_ms += 1;
  expect(cookies.read(request())).toBeUndefined();

  now_ms -= 1;
  for (let clicks = 0; clicks < 46; clicks += 1) {
    const session = cookies.read(request());
    if (session === undefined) throw new Error('It has ended too early.');
    cookies.touch(response, session);
    now_ms += 15 * MINUTE_MS;
  }
  // 30 minutes and 46 quarters of an hour: 12 hours to the minute.
  expect(cookies.read(request())).toBeDefined();
  now_ms += 1;
  expect(cookies.read(request())).toBeUndefined();
});

test('what an older key of the ring has sealed still opens, and is sealed anew', () => {
  const [older, newer] = [key(), key()];
  const { response, request } = browser();
  const begun = new SessionCookies(openKeyRing(older, []), clock).begin(response, TOKENS);
  const after = new SessionCookies(openKeyRing(newer, [older]), clock);
  expect(after.read(request())).toEqual(begun);
  after.renew(response, begun, { ...TOKENS, access_token: 'svc_at_y' });
  const alone = new SessionCookies(openKeyRing(newer, []), clock);
  expect(alone.read(request())).toMatchObject({ access_token: 'svc_at_y' });
});

test('a form’s token is its session’s own; a visitor’s lasts half a day', () => {
  const cookies = new SessionCookies(openKeyRing(key(), []), clock);
  const [one, two] = [browser(), browser()].map(({ response }) => cookies.begin(response, TOKENS));
  if (one === undefined || two === undefined) throw new Error('No session.');
  expect(isFormToken(one, one.form_token)).toBe(true);
  for (const token of [two.form_token, '', one.form_token.slice(1), cookies.visitorToken()]) {
    expect(isFormToken(one, token)).toBe(false);
  }
  const token = cookies.visitorToken();
  expect(cookies.isVisitorToken(token)).toBe(true);
  expect(cookies.isVisitorToken(one.form_token)).toBe(false);
  now_ms += 12 * 60 * MINUTE_MS;
  expect(cookies.isVisitorToken(token)).toBe(false);
});
