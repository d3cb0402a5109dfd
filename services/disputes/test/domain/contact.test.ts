import { contactIn, isSameContact, withoutContacts } from '../../src/domain/contact';

describe('a contact', () => {
  test.each([
    ['ada@example.org', 'ada@example.org'],
    ['Ada Stone <Ada@Example.ORG>', 'ada@example.org'],
    ['ada@example.org, by the counter', 'ada@example.org'],
    ['ａｄａ@example.org', 'ada@example.org'],
    ['stonecutter', undefined],
    ['stonecutter@', undefined],
    ['@stonecutter', undefined],
    ['a@b', undefined],
    ['a@b@example.org', undefined],
    ['ada@example.org bob@example.org', undefined],
    ['', undefined],
  ])('in %j is %j', (opened_by, contact) => {
    expect(contactIn(opened_by)).toBe(contact);
  });

  test('is the same only by an address: a name is anybody’s', () => {
    expect(isSameContact('stonecutter', 'stonecutter')).toBe(false);
    expect(isSameContact('Ada <ada@example.org>', 'ADA@example.org')).toBe(true);
    expect(isSameContact('ada@example.org', 'bob@example.org')).toBe(false);
    expect(isSameContact('ada@example.org', 'ada@example.org bob@example.org')).toBe(false);
  });
});

test.each([
  ['stonecutter', 'stonecutter'],
  ['Ada Stone <Ada@Example.ORG>', 'Ada Stone <…>'],
  ['ada@example.org, bob@example.org', '…, …'],
  ['ａｄａ＠example.org', '…'],
])('%j is %j to whoever is not to write there', (opened_by, shown) => {
  expect(withoutContacts(opened_by)).toBe(shown);
});
