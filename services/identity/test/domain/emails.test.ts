import { emailKey } from '../../src/domain/emails';

test('an e-mail is one however it is written', () => {
  expect(emailKey(' Ada.Owner@Harbour.EXAMPLE ')).toBe('ada.owner@harbour.example');
  expect(emailKey('\uff41da@harbour.example')).toBe('ada@harbour.example');
});
