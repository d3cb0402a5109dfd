import { PERMISSIONS, SCOPES, TEXTS } from '@credit/platform/values';
import { PlatformRole, Role } from '@credit/proto/identity/v1/identity';
import { anyCredential, publicAccess, user, whileOwing } from '../access';
import { operation } from '../operation';
import {
  boolean,
  enumeration,
  id,
  integer,
  label,
  list,
  literal,
  named,
  oneOf,
  orNull,
  page,
  reply,
  request,
  text,
  timestamp,
  variants,
} from '../wire';
import { institution } from './institutions';
import recorded from './recorded-answers.json';

// Policy (length, common passwords) is identity's; this only bounds what is hashed.
/** As it was chosen: what it is, is not told. */
const password = () => text({ max: 1_024 });
const newPassword = () => text(TEXTS.password);
const token = (description: string) => text({ max: 200, description });

export const userProfile = named(
  'UserProfile',
  reply({
    type: literal('user'),
    id: id(),
    email: label(),
    display_name: label(),
    role: orNull(enumeration(Role)),
    platform_role: orNull(enumeration(PlatformRole)),
    institution: orNull(institution),
    permissions: list(oneOf(PERMISSIONS)),
    test_permissions: list(oneOf(PERMISSIONS, 'Holds on test data alone.')),
    must_change_password: boolean(
      'While true, every call is 403 but this, the password change and the sign-out.',
    ),
    must_set_second_factor: boolean(
      'The network asks for a second factor, and there is none: while true, every call is 403 but ' +
        'this, its setting up, the password change and the sign-out.',
    ),
    second_factor: boolean('Each sign-in asks for a code of it.'),
    recovery_codes_left: integer({
      min: 0,
      max: 10,
      description: 'Codes for when the authenticator is lost, which were not used.',
    }),
  }),
);

const apiKeyProfile = named(
  'ApiKeyProfile',
  reply({
    type: literal('api_key'),
    id: id(),
    display_name: label(),
    prefix: label('The first 16 characters of the key.'),
    scopes: list(oneOf(SCOPES)),
    environment: oneOf(['live', 'test']),
    institution,
  }),
);

const session = named(
  'Session',
  reply({
    type: literal('session'),
    access_token: label('Send it as `Authorization: Bearer`.'),
    refresh_token: label('Exchange it once for the next pair.'),
    token_type: oneOf(['Bearer']),
    expires_in: integer({ description: 'Seconds until the access token expires.' }),
    must_change_password: boolean(),
    user: userProfile,
  }),
);

const challenge = () =>
  text({ max: 100, description: 'From `POST /auth/login`, good once within five minutes.' });

const signInChallenge = named(
  'SignInChallenge',
  reply({
    type: literal('second_factor'),
    challenge: label('Send it with a code to `POST /auth/login/second-factor`.'),
    expires_in: integer({ description: 'Seconds until it is over.' }),
  }),
);

const otp = () => text({ max: 20, description: 'The six digits that the authenticator shows.' });
const recoveryCode = () =>
  text({ max: 40, description: 'In place of `code` when the authenticator is lost: good once.' });

const recoveryCodes = named(
  'RecoveryCodes',
  reply({ recovery_codes: list(label('Shown once, good once.')) }),
);

/** What proves that it is the user, and nobody with its session alone. */
const proven = () =>
  request({
    current_password: password(),
    code: otp().optional(),
    recovery_code: recoveryCode().optional(),
  });

export const login = operation({
  id: 'login',
  method: 'POST',
  path: '/auth/login',
  tag: 'Users',
  rpc: ['credit.identity.v1.IdentityService/Login'],
  summary: 'Sign in',
  description:
    'Gives an access token for 15 minutes and a refresh token. The session ends 30 days after the ' +
    'sign-in, and when it is not refreshed for 12 hours. An unknown address and a wrong password ' +
    'get the same answer. Failures are limited per address, and per account at that address: ' +
    'nobody can shut you out from elsewhere. `type` tells what came: to a user with a second ' +
    'factor no token is given but a challenge, which `POST /auth/login/second-factor` takes.',
  access: publicAccess,
  limit_class: 'STANDARD',
  params: {},
  body: request({ email: text({ max: 254, format: 'email' }), password: password() }),
  status: 200,
  response: variants('type', [session, signInChallenge]),
  errors: ['INVALID_API_KEY', 'INSUFFICIENT_SCOPE'],
  examples: {
    body: { email: 'owner@harbour.example', password: 'correct horse battery' },
    response: recorded.login,
  },
});

export const completeLogin = operation({
  id: 'completeLogin',
  method: 'POST',
  path: '/auth/login/second-factor',
  tag: 'Users',
  rpc: ['credit.identity.v1.IdentityService/CompleteLogin'],
  summary: 'Sign in with the second factor',
  description:
    'The second step of a sign-in: takes its challenge and a code of the authenticator, or a ' +
    'recovery code, and gives the token pair. A code is good once, and half a minute before and ' +
    'after its time too. A wrong one is 401 and may be tried again, five times in all; then, and ' +
    'after five minutes, the challenge is 400 and the sign-in begins anew. Ten wrong codes of a ' +
    'user in a quarter of an hour are 429.',
  access: publicAccess,
  limit_class: 'STANDARD',
  params: {},
  body: request({
    challenge: challenge(),
    code: otp().optional(),
    recovery_code: recoveryCode().optional(),
  }),
  status: 200,
  response: session,
  errors: ['INVALID_API_KEY', 'INSUFFICIENT_SCOPE'],
  examples: {
    body: { challenge: 'svc_sc_7Yw2Kq9Lx4Zb1Nv6Mc8Rf3Tt5Yp0Jg2Sa7Ue4Io9Qe1', code: '492039' },
    response: recorded.completeLogin,
  },
});

export const beginSecondFactor = operation({
  id: 'beginSecondFactor',
  method: 'POST',
  path: '/auth/second-factor',
  tag: 'Users',
  rpc: ['credit.identity.v1.IdentityService/BeginSecondFactor'],
  summary: 'Begin a second factor',
  description:
    'Gives the secret that an authenticator app is to keep, once, as text and as the address that ' +
    'such apps read from a QR code. Nothing is asked for until `POST /auth/second-factor/confirm` ' +
    'has shown that the app has it; beginning again gives another secret. 409 while there is a ' +
    'confirmed one. A user alone does it, for itself.',
  access: whileOwing(user(), 'second_factor'),
  limit_class: 'STANDARD',
  params: {},
  body: request({ current_password: password() }),
  status: 201,
  response: named(
    'OfferedSecondFactor',
    reply({
      secret: label('In base32, to type by hand. Shown once.'),
      otpauth_uri: label('`otpauth://totp/…`: six digits, SHA-1, 30 seconds.'),
    }),
  ),
  errors: ['INVALID_STATE_TRANSITION'],
  examples: {
    body: { current_password: 'correct horse battery' },
    response: recorded.beginSecondFactor,
  },
});

export const confirmSecondFactor = operation({
  id: 'confirmSecondFactor',
  method: 'POST',
  path: '/auth/second-factor/confirm',
  tag: 'Users',
  rpc: ['credit.identity.v1.IdentityService/ConfirmSecondFactor'],
  summary: 'Confirm the second factor',
  description:
    'Takes a code of the secret that was given, and from then on each sign-in asks for one. Your ' +
    'other sessions end. Gives ten recovery codes, each of which is good once in place of a code: ' +
    'keep them where the authenticator is not.',
  access: whileOwing(user(), 'second_factor'),
  limit_class: 'STANDARD',
  params: {},
  body: request({ code: otp() }),
  status: 200,
  response: recoveryCodes,
  errors: ['INVALID_STATE_TRANSITION'],
  examples: { body: { code: '492039' }, response: recorded.confirmSecondFactor },
});

export const renewRecoveryCodes = operation({
  id: 'renewRecoveryCodes',
  method: 'POST',
  path: '/auth/second-factor/recovery-codes',
  tag: 'Users',
  rpc: ['credit.identity.v1.IdentityService/RenewRecoveryCodes'],
  summary: 'Get new recovery codes',
  description: 'Gives ten others; all those of before are good no more.',
  access: user(),
  limit_class: 'STANDARD',
  params: {},
  body: proven(),
  status: 200,
  response: recoveryCodes,
  errors: ['INVALID_STATE_TRANSITION'],
  examples: {
    body: { current_password: 'correct horse battery', code: '271828' },
    response: recorded.renewRecoveryCodes,
  },
});

export const removeSecondFactor = operation({
  id: 'removeSecondFactor',
  method: 'POST',
  path: '/auth/second-factor/remove',
  tag: 'Users',
  rpc: ['credit.identity.v1.IdentityService/RemoveSecondFactor'],
  summary: 'Remove the second factor',
  description:
    'From then on a sign-in takes the password alone. Recovery codes go with it. With one of those ' +
    'a lost authenticator is put out of use; then begin another.',
  access: user(),
  limit_class: 'STANDARD',
  params: {},
  body: proven(),
  status: 204,
  errors: ['INVALID_STATE_TRANSITION'],
  examples: {
    body: { current_password: 'correct horse battery', recovery_code: 'K7QF-2MZD-XW4A-6TRB' },
  },
});

export const refresh = operation({
  id: 'refresh',
  method: 'POST',
  path: '/auth/refresh',
  tag: 'Users',
  rpc: ['credit.identity.v1.IdentityService/Refresh'],
  summary: 'Rotate a refresh token',
  description:
    'Gives a new pair and uses the presented token up. A used token that comes again ends the ' +
    'whole session, except within ten seconds while its successor is still unused: then another ' +
    'pair is given in place of that successor, whose tokens are good no more.',
  access: publicAccess,
  limit_class: 'STANDARD',
  params: {},
  body: request({ refresh_token: token('From the sign-in or the last rotation.') }),
  status: 200,
  response: session,
  errors: ['INVALID_API_KEY', 'INSUFFICIENT_SCOPE'],
  examples: {
    body: { refresh_token: recorded.login.refresh_token },
    response: recorded.refresh,
  },
});

export const logout = operation({
  id: 'logout',
  method: 'POST',
  path: '/auth/logout',
  tag: 'Users',
  rpc: ['credit.identity.v1.IdentityService/Logout'],
  summary: 'Sign out',
  description:
    'Ends the session of the presented access token: its access and refresh tokens stop at once. ' +
    'Other sessions of the user go on.',
  access: whileOwing(user(), 'password', 'second_factor'),
  limit_class: 'STANDARD',
  params: {},
  status: 204,
  errors: [],
  examples: {},
});

export const getCaller = operation({
  id: 'getCaller',
  method: 'GET',
  path: '/auth/me',
  tag: 'Users',
  rpc: ['credit.identity.v1.IdentityService/GetCaller'],
  summary: 'Show who is calling',
  description: 'Describes the user or API key that the presented credential belongs to.',
  access: whileOwing(anyCredential, 'password', 'second_factor'),
  limit_class: 'STANDARD',
  params: {},
  status: 200,
  response: variants('type', [userProfile, apiKeyProfile]),
  errors: [],
  examples: { response: recorded.getCaller },
});

export const changePassword = operation({
  id: 'changePassword',
  method: 'POST',
  path: '/auth/change-password',
  tag: 'Users',
  rpc: ['credit.identity.v1.IdentityService/ChangePassword'],
  summary: 'Change the password',
  description:
    'Sets a new password of 12 to 128 characters and ends all refresh sessions. A password ' +
    'that is common or holds the e-mail address is refused.',
  access: whileOwing(user(), 'password', 'second_factor'),
  limit_class: 'STANDARD',
  params: {},
  body: request({ current_password: password(), new_password: newPassword() }),
  status: 204,
  errors: ['INVALID_STATE_TRANSITION'],
  examples: {
    body: { current_password: 'correct horse battery', new_password: 'nine quiet harbour lamps' },
  },
});

export const forgotPassword = operation({
  id: 'forgotPassword',
  method: 'POST',
  path: '/auth/forgot-password',
  tag: 'Users',
  rpc: ['credit.identity.v1.IdentityService/RequestPasswordReset'],
  summary: 'Ask for a new password',
  description:
    'Has a link mailed to the address that sets a new password: once, within an hour. The answer ' +
    'is the same for an address that nobody has. An account gets at most five mails an hour, and ' +
    'requests are limited per address. Nothing is mailed to who runs the network and has no second ' +
    'factor. 409 in a network that sends no mail.',
  access: publicAccess,
  limit_class: 'PUBLIC_WRITE',
  params: {},
  body: request({ email: text({ max: 254, format: 'email' }) }),
  status: 204,
  errors: ['INVALID_STATE_TRANSITION'],
  examples: { body: { email: 'owner@harbour.example' } },
});

export const resetForgottenPassword = operation({
  id: 'resetForgottenPassword',
  method: 'POST',
  path: '/auth/reset-password',
  tag: 'Users',
  rpc: ['credit.identity.v1.IdentityService/CompletePasswordReset'],
  summary: 'Set a new password by mail',
  description:
    'Sets a new password with the token of the mailed link, which is good once, and ends all ' +
    'sessions of the user at once. A second factor stays, and is asked for at the next sign-in. A ' +
    'token that is unknown, used or over is 400. A password that is refused leaves the token good.',
  access: publicAccess,
  limit_class: 'PUBLIC_WRITE',
  params: {},
  body: request({
    token: token('From the fragment of the mailed link.'),
    new_password: newPassword(),
  }),
  status: 204,
  errors: [],
  examples: {
    body: {
      token: 'svc_pwr_9Kd2Wq7Lx4Zb1Nv6Mc8Rf3Tt5Yp0Jg2Sa7Ue4Io9Qe1',
      new_password: 'nine quiet harbour lamps',
    },
  },
});

const ownSession = named(
  'OwnSession',
  reply({
    id: id(),
    created_at: timestamp('When it began with a sign-in.'),
    last_used_at: timestamp(
      'Of the last sign-in or refresh: at most 15 minutes older than the last call.',
    ),
    client_address: orNull(label('Of the last sign-in or refresh; null when it was not noted.')),
    expires_at: timestamp('When it is over, however much it is used.'),
    current: boolean('It is the one of the presented access token.'),
    amr: oneOf(
      ['pwd', 'pwd+otp', 'pwd+recovery'],
      'What it was begun with: the password alone, with a code, or with a recovery code.',
    ),
  }),
);

export const listSessions = operation({
  id: 'listSessions',
  method: 'GET',
  path: '/auth/sessions',
  tag: 'Users',
  rpc: ['credit.identity.v1.IdentityService/ListSessions'],
  summary: 'List your sessions',
  description: 'Sessions of the calling user that are not over, newest first.',
  access: user(),
  limit_class: 'STANDARD',
  params: {},
  query: page,
  status: 200,
  response: list(ownSession),
  paging: 'PAGE',
  errors: [],
  examples: { response: recorded.listSessions },
});

export const endSession = operation({
  id: 'endSession',
  method: 'DELETE',
  path: '/auth/sessions/{session_id}',
  tag: 'Users',
  rpc: ['credit.identity.v1.IdentityService/EndSession'],
  summary: 'End a session',
  description:
    'Ends one of your sessions: its access and refresh tokens stop at once. Ending it again is no ' +
    'error. `POST /auth/logout` ends the one that you call with.',
  access: user(),
  limit_class: 'STANDARD',
  params: { session_id: id('The session.') },
  status: 204,
  errors: ['NOT_FOUND'],
  examples: { params: { session_id: String(recorded.listSessions[0]?.id) } },
});

export const previewInvitation = operation({
  id: 'previewInvitation',
  method: 'POST',
  path: '/auth/invitation',
  tag: 'Users',
  rpc: ['credit.identity.v1.IdentityService/PreviewInvitation'],
  summary: 'Look at an invitation',
  description:
    'Says what an invitation is for, by its token, and changes nothing. It is a POST so that the ' +
    'token stands in no address. A token that is unknown, used, expired, withdrawn or replaced is 400.',
  access: publicAccess,
  limit_class: 'STANDARD',
  params: {},
  body: request({ token: token('From the invitation.') }),
  status: 200,
  response: named(
    'InvitationPreview',
    reply({
      institution_name: label(),
      email: label('Whose it is, and who the user will be.'),
      role: enumeration(Role),
      expires_at: timestamp(),
    }),
  ),
  errors: ['INSUFFICIENT_SCOPE'],
  examples: {
    body: { token: recorded.resendInvitation.token },
    response: recorded.previewInvitation,
  },
});

export const acceptInvitation = operation({
  id: 'acceptInvitation',
  method: 'POST',
  path: '/auth/accept-invitation',
  tag: 'Users',
  rpc: ['credit.identity.v1.IdentityService/AcceptInvitation'],
  summary: 'Accept an invitation',
  description:
    'Makes the user that the invitation is for. A token that is unknown, used, expired, withdrawn ' +
    'or replaced by a newer invitation is 400, and so is one for an address with an account.',
  access: publicAccess,
  limit_class: 'STANDARD',
  params: {},
  body: request({
    token: token('From the invitation.'),
    display_name: text(TEXTS.person_name),
    password: newPassword(),
  }),
  status: 201,
  response: userProfile,
  errors: ['INSUFFICIENT_SCOPE'],
  examples: {
    body: {
      token: recorded.resendInvitation.token,
      display_name: 'Ada Owner',
      password: 'correct horse battery',
    },
    response: recorded.acceptInvitation,
  },
});
