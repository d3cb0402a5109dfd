import { invitationMail, knownAddressMail } from '../../src/domain/invitation-mail';
import { MAX_MAIL_ATTEMPTS, type MailContent, mailPauseS } from '../../src/domain/mails';
import { writeLetter } from '../../src/mailing/letter';

const written = (mail: MailContent) => writeLetter(mail, 'Network');

test('the mail says who invites to what, until when, and how', () => {
  const { subject, text } = written(
    invitationMail({
      institution_name: 'Harbour\nLending',
      role: 'DEVELOPER',
      token: 'svc_inv_token',
      expires_at: '2026-01-19T09:30:00.000Z',
      console_url: 'https://credit.example/console',
      public_origin: 'https://credit.example',
    }),
  );
  expect(subject).toBe('Invitation to join Harbour Lending');
  expect(text).toContain('join Harbour Lending on the credit-reporting network, as\nDEVELOPER.');
  expect(text).toContain('until 2026-01-19 09:30 UTC');
  const [link = ''] = /https:\S+svc_inv\S+/.exec(text) ?? [];
  const { origin, pathname, search, hash } = new URL(link);
  expect([origin, pathname, search, hash]).toEqual([
    'https://credit.example',
    '/console/join',
    '',
    '#token=svc_inv_token',
  ]);
});

test('a network that does not know its address names none', () => {
  const { text } = written(
    knownAddressMail({
      institution_name: 'Harbour',
      role: 'OWNER',
      public_origin: undefined,
    }),
  );
  expect(text).not.toMatch(/https?:|undefined/);
});

test('who has an account learns which network it is, and gets no token', () => {
  const { text } = written(
    knownAddressMail({
      institution_name: 'Harbour',
      role: 'OWNER',
      public_origin: 'https://credit.example',
    }),
  );
  expect(text).toContain('The network:\n\n    https://credit.example\n');
  expect(text).not.toContain('#token');
});

test('pauses grow to an hour and leave time for an attempt', () => {
  const pauses = Array.from({ length: MAX_MAIL_ATTEMPTS }, (_, index) => mailPauseS(index + 1));
  expect(pauses.slice(0, 8)).toEqual([60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
  expect(Math.max(...pauses)).toBe(3_600);
  // Tried for some hours: a server that is away over night is met again.
  expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeGreaterThan(8 * 3_600);
});
