import { person, publicAccess } from '../access';
import { operation } from '../operation';
import { email, label, named, orNull, reply, request, text, timestamp } from '../wire';
import recorded from './recorded-answers.json';

const contact = named(
  'FileContact',
  reply({
    email: orNull(label('Where mails go; null while no address is confirmed.')),
    confirmed_at: orNull(timestamp('Since when they go there.')),
    waiting_email: orNull(label('Waits to be confirmed; null when none does.')),
    waiting_until: orNull(timestamp('Until when its link is good.')),
  }),
);

export const getMyContact = operation({
  id: 'getMyContact',
  method: 'GET',
  path: '/my/contact',
  tag: 'Your file',
  rpc: ['credit.identity.v1.IdentityService/GetPersonContact'],
  summary: 'Read where you are told of your file',
  description: 'The address that is mailed, and the one that waits to be confirmed.',
  access: person,
  limit_class: 'STANDARD',
  params: {},
  status: 200,
  response: contact,
  errors: [],
  examples: { response: recorded.getMyContact },
});

export const setMyContact = operation({
  id: 'setMyContact',
  method: 'PUT',
  path: '/my/contact',
  tag: 'Your file',
  rpc: ['credit.identity.v1.IdentityService/SetPersonContact'],
  summary: 'Say where you want to be told of your file',
  description:
    'Has a link mailed to the address, good once and for 24 hours. Once it is opened you are told there ' +
    'of each HARD inquiry and each correction of your file: one mail an hour at most, with all that has ' +
    'come. Until then the address of before is told, which then hears that it was replaced. A mailbox gets ' +
    'three such links a day, and a file has ten mailed; beyond that none is, and the answer is the same. ' +
    'The address that is told already takes back what waits. Of test data nothing is mailed. 409 in a ' +
    'network that sends no mail.',
  access: person,
  limit_class: 'STANDARD',
  params: {},
  body: request({ email: email() }),
  status: 200,
  response: contact,
  errors: ['INVALID_STATE_TRANSITION'],
  examples: {
    body: { email: 'maren@post.example' },
    response: recorded.setMyContact,
  },
});

export const confirmMyContact = operation({
  id: 'confirmMyContact',
  method: 'POST',
  path: '/my/contact/confirm',
  tag: 'Your file',
  rpc: ['credit.identity.v1.IdentityService/ConfirmPersonContact'],
  summary: 'Confirm where you are told of your file',
  description:
    'Takes the token of the mailed link, which is good once. It needs no session: the mail may be opened ' +
    'elsewhere. A token that is unknown, used or over is 400.',
  access: publicAccess,
  limit_class: 'PUBLIC_WRITE',
  params: {},
  body: request({
    token: text({ max: 100, description: 'From the fragment of the mailed link, `svc_pc_…`.' }),
  }),
  status: 204,
  errors: [],
  examples: { body: { token: `svc_pc_${'x'.repeat(43)}` } },
});

export const removeMyContact = operation({
  id: 'removeMyContact',
  method: 'DELETE',
  path: '/my/contact',
  tag: 'Your file',
  rpc: ['credit.identity.v1.IdentityService/RemovePersonContact'],
  summary: 'Be told of your file no more',
  description:
    'Erases your address, and one that waits. The one that was told gets a last mail that says so, so that ' +
    'nobody else can do it unseen. Changes nothing while there is none.',
  access: person,
  limit_class: 'STANDARD',
  params: {},
  status: 204,
  errors: [],
  examples: {},
});
