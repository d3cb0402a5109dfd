import { invitationMail } from '../../src/domain/invitation-mail';
import { MAX_MAIL_ATTEMPTS, mailPauseS } from '../../src/domain/mails';

test('the mail says who invites to what, until when, and how', () => {
  const { subject, text } = invitationMail({
    institution_name: 'Harbour\nLending',
    role: 'DEVELOPER',
    token: 'svc_inv_token',
    expires_at: '2026-01-19T09:30:00.000Z',
  });
  expect(subject).toBe('Invitation to join Harbour Lending');
  expect(text).toContain('join Harbour Lending on the credit-reporting network, as DEVELOPER');
  expect(text).toContain('    svc_inv_token\n');
  expect(text).toContain('until 2026-01-19 09:30 UTC');
});

test('pauses grow to an hour and leave time for an attempt', () => {
  const pauses = Array.from({ length: MAX_MAIL_ATTEMPTS }, (_, index) => mailPauseS(index + 1));
  expect(pauses.slice(0, 8)).toEqual([60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
  expect(Math.max(...pauses)).toBe(3_600);
  // Tried for some hours: a server that is away over night is met again.
  expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeGreaterThan(8 * 3_600);
});
