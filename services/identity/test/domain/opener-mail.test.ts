import { mailboxKey, type OpenersDispute, openerMail } from '../../src/domain/opener-mail';
import { writeLetter } from '../../src/mailing/letter';

const dispute: OpenersDispute = {
  dispute_id: '0198a1c5-3f11-7b02-9e8d-7c6b5a4f3e21',
  reason: 'INCORRECT_BALANCE',
  opened_at: '2026-02-01T10:00:00.000Z',
  due_at: '2026-03-03T10:00:00.000Z',
};
const console_url = 'https://credit.example/console/';
const token = 'svc_dt_token';
const changed = { is_corrected: false, correction_pending: false, voided_inquiry_count: 0 };

const textOf = (outcome?: Parameters<typeof openerMail>[0]['outcome']) =>
  writeLetter(openerMail({ dispute, outcome, console_url, token }), 'Network').text.replace(
    /\n(?=\w)/g,
    ' ',
  );

test('a mailbox is one, however its address is dressed', () => {
  for (const dressed of ['Ada.B+shop@Example.org', 'adab@example.org', 'a.d.a.b+1+2@EXAMPLE.ORG']) {
    expect(mailboxKey(dressed)).toBe('adab@example.org');
  }
  expect(mailboxKey('adab@other.example.org')).not.toBe('adab@example.org');
});

test('a receipt says what was received, by when it is decided, and where to follow it', () => {
  const text = textOf();
  for (const said of [
    `Number: ${dispute.dispute_id}`,
    'What is said to be wrong: Incorrect balance',
    'Received: 2026-02-01 10:00 UTC',
    'A decision is due by: 2026-03-03 10:00 UTC',
    `https://credit.example/dispute/follow#dispute_id=${dispute.dispute_id}&token=${token}`,
  ]) {
    expect(text).toContain(said);
  }
});

test.each([
  [{ ...changed, is_corrected: true }, ['The entry is corrected.']],
  [{ ...changed, voided_inquiry_count: 1 }, ['One inquiry counts in no score any more.']],
  [{ ...changed, voided_inquiry_count: 2 }, ['2 inquiries count in no score any more.']],
  [{ ...changed, correction_pending: true }, ['Only the lender can put it right.', 'ask it to']],
  [
    { ...changed, is_corrected: true, correction_pending: true },
    ['The entry is corrected.', 'Part of it only the lender can put right.', 'ask it to'],
  ],
])('an outcome of correction says what changes: %j', (change, said) => {
  const text = textOf({ status: 'RESOLVED_CORRECTED', ...change });
  for (const one of ['the record was wrong', 'What changes:', ...said]) expect(text).toContain(one);
});

test.each([
  ['RESOLVED_UPHELD', 'it stays as it is'],
  ['REJECTED', 'was not taken up'],
] as const)('%s says that nothing changes, and what can be done', (status, said) => {
  const text = textOf({ status, ...changed });
  expect(text).toContain(said);
  expect(text).toContain('open another dispute');
  expect(text).not.toContain('What changes');
});
