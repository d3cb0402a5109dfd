import { REASONS, type Reason } from '@credit/platform/errors';
import type { Operation } from './operation';
import { errorsOf } from './operation-errors';
import type { OperationId } from './operations';

/** Where the portal shows what follows of each code and reason, by its name as the anchor. */
export const ERRORS_URL = '/docs/errors';

/** A cause of an error, for those who meet it. */
export interface ErrorReason {
  /** Whether an operation that declares the code can give it; any can unless said. */
  readonly by?: (operation: Operation) => boolean;
  readonly cause: string;
  readonly cure: string;
}

function only(...ids: readonly OperationId[]): NonNullable<ErrorReason['by']> {
  const named: readonly string[] = ids;
  return ({ id }) => named.includes(id);
}

const idempotent = ({ idempotent: keyed }: Operation) => keyed === true;

const withBody = ({ body }: Operation) => body !== undefined;
const withUpload = ({ upload }: Operation) => upload !== undefined;
const batch = ({ batch: bounds }: Operation) => bounds !== undefined;
const byKind = (
  ...kinds: readonly Operation['access']['kind'][]
): NonNullable<ErrorReason['by']> => {
  return ({ access }) => kinds.includes(access.kind);
};
const signedIn = byKind('scope', 'user', 'platform', 'any');
/** What gives a user credentials, and refuses that to one of an institution that is not ACTIVE. */
const signingIn = only(
  'login',
  'completeLogin',
  'refresh',
  'previewInvitation',
  'acceptInvitation',
);
/** What puts something on the own file, or takes it off. */
const changingOwnFile = only(
  'liftMyFreeze',
  'placeMyThaw',
  'withdrawMyThaw',
  'placeMyAlert',
  'removeMyAlert',
  'setMyStatement',
  'removeMyStatement',
);
/** What reads or writes by the id of a subject, the caller's own among them. */
const bySubject = only(
  'updateSubject',
  'getSubject',
  'createAccount',
  'createAccounts',
  'listAccounts',
  'exportAccounts',
  'recordInquiry',
  'listInquiries',
  'getCreditProfile',
  'simulateCredit',
  'listSnapshots',
  'diffSnapshots',
  'createReport',
  'createAccessLink',
  'mergeSubjects',
  'splitSubject',
  'getMyFile',
  'getMyFreeze',
  'placeMyFreeze',
  'liftMyFreeze',
  'placeMyThaw',
  'withdrawMyThaw',
  'listMyAlerts',
  'placeMyAlert',
  'removeMyAlert',
  'listMyStatements',
  'setMyStatement',
  'removeMyStatement',
);
/** Of what is no operation. */
const none = () => false;

/**
 * Every `reason` that an error can have: one that is missing does not compile, and a test looks
 * through the code for those that nothing gives any more.
 */
export const ERROR_REASONS: Readonly<Record<Reason, ErrorReason>> = {
  MALFORMED_REQUEST: {
    cause:
      'The request is not HTTP as the network takes it: a header is missing, there twice or not well-formed.',
    cure: 'Send it with an ordinary HTTP client. Host, Authorization and Idempotency-Key may be there once.',
  },
  MALFORMED_URL: {
    cause:
      'The path or the query has broken percent-encoding, or more parameters than are looked at.',
    cure: 'Encode each parameter on its own, as `encodeURIComponent` does.',
  },
  CONTENT_TYPE: {
    by: (operation) => withBody(operation) || withUpload(operation),
    cause:
      'The body is not said to be `application/json`, or of a file `text/csv` or ' +
      '`application/x-ndjson`; or it is compressed.',
    cure: 'Send the `Content-Type` that the operation names, and the body as it is, in UTF-8.',
  },
  MALFORMED_JSON: {
    by: withBody,
    cause: 'The body is not one JSON document in UTF-8, is nested too deeply, or has a key twice.',
    cure: 'Let a JSON library write it. Numbers are written out, keys stand once.',
  },
  UNEXPECTED_BODY: {
    by: ({ method }) => method === 'GET',
    cause: 'A GET request came with a body.',
    cure: 'Leave the body out; what a GET asks for stands in its address.',
  },
  NO_CREDENTIAL: {
    cause: 'The request has no Authorization header.',
    cure: 'Send `Authorization: Bearer` with an API key, or with the access token of a user.',
  },
  NOT_BEARER: {
    cause: 'The Authorization header has another scheme than Bearer.',
    cure: 'Write `Bearer`, one space and the credential.',
  },
  CREDENTIAL_NOT_VALID: {
    cause:
      'The credential is not whole, unknown, expired or revoked. Which of them is not said: it would help whoever guesses.',
    cure: 'Compare it with what you were given, sign in anew or refresh a token, and rotate a key that is lost.',
  },
  SCOPE: {
    by: byKind('scope'),
    cause: 'The key lacks the scope that `required` names.',
    cure: 'Use a key with the scope. Scopes of a key cannot be changed: create another one.',
  },
  ROLE: {
    by: byKind('scope', 'user', 'platform'),
    cause:
      'The role of the user lacks the permission, or is not the platform role, that `required` names.',
    cure:
      'Ask an OWNER or ADMIN of your institution for the role, or have one of them do it. Some ' +
      'permissions hold on test data alone; `GET /auth/me` lists them apart.',
  },
  CREDENTIAL_KIND: {
    by: byKind('user', 'platform', 'person', 'scope', 'any'),
    cause:
      'A key was used where a user is needed, or one of them where only the person may whom the ' +
      'record is about, or that person’s session for anything but the own file.',
    cure: 'Use the credential that the reference says of the operation.',
  },
  NO_INSTITUTION: {
    by: (operation) => byKind('scope')(operation) || operation.id.startsWith('getReportingHealth'),
    cause:
      'This is for members, and the user belongs to no institution. A role on the platform does not ' +
      'open it: whoever runs the network reads no profile.',
    cure: 'Have somebody of the institution do it.',
  },
  ADDRESS: {
    by: signedIn,
    cause: 'The request came from an address that is not in the `allowed_ips` of the key.',
    cure: 'Call from one of its networks, or create a key with the network that you call from.',
  },
  INSTITUTION_STATUS: {
    by: (operation) => signedIn(operation) || signingIn(operation),
    cause: 'Your institution is not ACTIVE.',
    cure: 'Ask the network’s administrators why; all credentials work again once it is ACTIVE.',
  },
  PASSWORD_CHANGE_REQUIRED: {
    by: signedIn,
    cause: 'The user signed in with a temporary password.',
    cure: 'Choose a password with `POST /auth/change-password`, then sign in with it.',
  },
  SECOND_FACTOR_REQUIRED: {
    by: signedIn,
    cause: 'The network asks for a second factor of such users, and this one has none.',
    cure: 'Set one up with `POST /auth/second-factor` and `POST /auth/second-factor/confirm`.',
  },
  NO_ROUTE: {
    by: none,
    cause: 'No operation has this method and address.',
    cure: 'The message names what it may have been. Addresses are exact: no slash at the end, small letters.',
  },
  NO_PAGE: {
    by: none,
    cause: 'There is no page at this address.',
    cure: 'Begin at `/docs`.',
  },
  FORGED_FORM: {
    by: none,
    cause: 'A form of the console was not sent from a page of the same session.',
    cure: 'Open the page again and fill the form in there.',
  },
  UNKNOWN_ID: {
    cause: 'What an id names is not there, or it belongs to another institution or environment.',
    cure: 'Check the id, and the environment: what a test key made does not exist for a live one.',
  },
  TOKEN_NOT_VALID: {
    by: only(
      'previewInvitation',
      'acceptInvitation',
      'resetForgottenPassword',
      'completeLogin',
      'openMySession',
      'completeMySignIn',
      'confirmMyContact',
    ),
    cause: 'The one-time token is unknown, was used, has ended or was superseded by a newer one.',
    cure: 'Ask whoever invited you for another invitation, or for another mail with `POST /auth/forgot-password` or `PUT /my/contact`; begin a sign-in anew.',
  },
  PERSON_DOOR_CLOSED: {
    by: only('createAccessLink', 'openMySession', 'beginMySignIn', 'completeMySignIn'),
    cause: 'The network does not let people at their own files in the live environment.',
    cure: 'Ask whoever runs the network; it opens with `PERSON_DOOR=on`. Test data is always open.',
  },
  NO_FILE: {
    by: only('completeMySignIn'),
    cause: 'No record is about the person who signed in, or not under this identity.',
    cure: 'A lender who reports on you can give you a link to your file.',
  },
  CURSOR_EXPIRED: {
    by: only('listFeed'),
    cause: 'What `after` names is not in the feed any more.',
    cure: 'Leave `after` out to begin with the oldest event that is kept.',
  },
  SIGN_IN_FAILED: {
    by: only('login'),
    cause: 'Nobody has this e-mail with this password. Which of the two is wrong is not said.',
    cure: 'Try again with care: failed attempts are counted. `POST /auth/forgot-password` mails a link that sets a new password.',
  },
  SECOND_FACTOR_FAILED: {
    by: only('completeLogin'),
    cause: 'The code of the second factor is wrong, or was used before.',
    cure: 'Wait for the next code and try with that; see to it that the clock of the authenticator is right.',
  },
  TEST_KEYS_ONLY: {
    by: ({ access }) => access.kind === 'scope' && access.environment === 'test',
    cause: 'The operation makes or clears test data, and the call is for live data.',
    cure: 'Use a key that begins with `svc_test_`: an OWNER or ADMIN makes one with `"environment": "test"`. A user asks for `environment=test`.',
  },
  NEEDS_OWN_ACCOUNT: {
    by: only(
      'createAccessLink',
      'recordInquiry',
      'getCreditProfile',
      'simulateCredit',
      'createReport',
      'updateSubject',
      'listSnapshots',
      'diffSnapshots',
    ),
    cause: 'This takes an account of your own with the subject, and there is none that counts.',
    cure: 'Name the purpose that really holds, or report the account first.',
  },
  FILE_FROZEN: {
    by: only(
      'recordInquiry',
      'getCreditProfile',
      'simulateCredit',
      'createReport',
      'listSnapshots',
      'diffSnapshots',
    ),
    cause:
      'The person has frozen the file, nothing opens it to your institution now, and the purpose is new business. The inquiry is on record as refused: it has no effect, and the person sees it.',
    cure: 'Ask the person, who can open the file to you or for a time, and then send it as a new request. Repeated under its id an inquiry stays refused.',
  },
  SUBJECT_DID_NOT_ASK: {
    by: only(
      'recordInquiry',
      'getCreditProfile',
      'simulateCredit',
      'createReport',
      'listSnapshots',
      'diffSnapshots',
    ),
    cause:
      '`SUBJECT_REQUEST` says that the person asked for its own file by your hand, and nothing shows that it did: it has used no access link of your institution in the last 30 days.',
    cure: 'Make the person a link (`POST /subjects/{subject_id}/access-links`) and look once it was used, a second later at most. The person sees its whole file by it, which needs no inquiry. Or name the purpose that really holds.',
  },
  SOURCE_REFERENCE_TAKEN: {
    by: only('reportEvent', 'previewEvent', 'reportEvents', 'moveDispute'),
    cause: 'An event of this account has the same `source_reference` and says something else.',
    cure: 'Read the event that `existing_id` names. Correct it with a CORRECTION, or give the new one a reference of its own.',
  },
  TRANSITION_NOT_ALLOWED: {
    by: only('reportEvent', 'previewEvent', 'reportEvents', 'simulateCredit', 'moveDispute'),
    cause:
      'The account is in a status in which the event is impossible, or a later event would be.',
    cure: 'Report one of `allowed_event_types`, or correct the event that is wrong. The guide to reporting has the whole table.',
  },
  NOT_CORRECTABLE: {
    by: only('reportEvent', 'previewEvent', 'reportEvents', 'moveDispute'),
    cause: 'The event is of a kind that is not corrected, or its account was taken off the file.',
    cure: 'Correct the event that made it wrong.',
  },
  CORRECTED_ALREADY: {
    by: only('reportEvent', 'previewEvent', 'reportEvents', 'moveDispute'),
    cause: 'Another correction stands in the place of the event.',
    cure: 'Correct the one that `existing_id` names.',
  },
  DISPUTE_MOVED: {
    by: only('moveDispute', 'answerDispute'),
    cause: 'The dispute has this status already, is on its way to another, or has its outcome.',
    cure: 'Read it again. An outcome is final; what it decided is contested with a new dispute.',
  },
  ALREADY_DECIDED: {
    by: only('reviewApplication', 'resendInvitation', 'answerContactRequest', 'withdrawInvitation'),
    cause: 'Somebody decided it before.',
    cure: 'Read it again; there is nothing left to do.',
  },
  LAST_OWNER: {
    by: only('updateUser', 'updateMember'),
    cause: 'The institution would be left without an OWNER.',
    cure: 'Make another user OWNER first.',
  },
  LAST_SUPERADMIN: {
    by: only('updateUser'),
    cause: 'The platform would be left without a SVC_SUPERADMIN.',
    cure: 'Make another user SVC_SUPERADMIN first.',
  },
  INSTITUTION_TRANSITION: {
    by: only('updateInstitution'),
    cause: 'An institution in this status cannot become that one; CLOSED is final.',
    cure: 'Read its status and choose one that can follow.',
  },
  NAME_TAKEN: {
    by: only('createInstitution', 'reviewApplication'),
    cause: 'An institution has this name.',
    cure: 'Use the one that `existing_id` names, or send `confirm_distinct` when this is another.',
  },
  EMAIL_TAKEN: {
    by: only('createUser', 'updateUser', 'reviewApplication', 'resendInvitation'),
    cause: 'A user has this e-mail.',
    cure: 'Find that user in the list of users and change it instead.',
  },
  CHANGED_MEANWHILE: {
    by: only('changePassword'),
    cause: 'It was changed while the request was under way.',
    cure: 'Sign in anew, and look whether it was you.',
  },
  KEY_INACTIVE: {
    by: only('rotateApiKey'),
    cause: 'The key is revoked or expired.',
    cure: 'Create another key.',
  },
  LIMIT_REACHED: {
    by: only(
      'answerDispute',
      'createApiKey',
      'createWebhook',
      'updateWebhook',
      'createInvitation',
      'resendInvitation',
      'updateSubject',
      'createImport',
      'continueImport',
      'saveImportMapping',
      'placeMyThaw',
      'placeMyAlert',
      'setMyStatement',
    ),
    cause: 'There are as many of them as there may be; the message names the number.',
    cure: 'Revoke, disable, withdraw, delete or cancel those that are not needed.',
  },
  NOT_APPROVED: {
    by: only('resendInvitation'),
    cause: 'The application waits for its review, or was rejected: nobody was invited.',
    cure: 'Approve it: that invites its contact.',
  },
  NO_MAIL: {
    by: only('forgotPassword', 'setMyContact'),
    cause: 'The network sends no mail.',
    cure: 'Ask an administrator of the network for a temporary password; look at your own file yourself.',
  },
  SECOND_FACTOR_ENROLLED: {
    by: only('beginSecondFactor', 'confirmSecondFactor'),
    cause: 'The user has a confirmed second factor.',
    cure: 'Remove it with `POST /auth/second-factor/remove`, then begin another.',
  },
  NO_SECOND_FACTOR: {
    by: only('confirmSecondFactor', 'renewRecoveryCodes', 'removeSecondFactor'),
    cause: 'The user has no second factor, or none was begun.',
    cure: 'Begin one with `POST /auth/second-factor`.',
  },
  ID_REUSED: {
    // Only services call with ids of their own making.
    by: none,
    cause: 'An id that the network made for a request came again with another.',
    cure: 'Send the request anew.',
  },
  REPORT_NOT_READY: {
    by: only('getReportDocument'),
    cause: 'The report is not READY, so that it has no document.',
    cure: 'Read the report until it is READY. One that FAILED or EXPIRED is requested anew.',
  },
  WEBHOOK_DISABLED: {
    by: only('replayDeliveries', 'rotateWebhookSecret', 'testWebhook'),
    cause: 'The webhook is disabled.',
    cure: 'Enable it with PATCH, or create another one.',
  },
  IMPORT_MOVED: {
    by: only('continueImport', 'startImport', 'cancelImport'),
    cause: 'The import is not in a state in which it can be told that.',
    cure: 'Read the import: its `state` says how far it is. Send the file anew when it is over.',
  },
  UPLOAD_OFFSET: {
    by: only('continueImport'),
    cause: 'The part does not begin where the file ends that was received so far.',
    cure: 'Read the import and go on with the byte behind `received_bytes`.',
  },
  NOT_RETRYABLE: {
    by: only('retryDelivery'),
    cause: 'The delivery arrived, was cancelled, has had all its attempts, or one is under way.',
    cure: 'Read the delivery. Replay the event with a replay of its time when it is needed again.',
  },
  SUBJECT_MERGED: {
    by: bySubject,
    cause: 'The subject was merged into another one: administrators found that both are one party.',
    cure: 'Use the subject that `merged_into` names; it holds the records of both.',
  },
  NOT_MERGEABLE: {
    by: only('mergeSubjects', 'splitSubject'),
    cause:
      'The two subjects cannot hold each other’s records: one is an individual and one an ' +
      'organisation, one is a persona of the sandbox, or one was cleared from it.',
    cure: 'Look at both subjects; name others.',
  },
  MOVE_NOT_REVERSIBLE: {
    by: only('splitSubject'),
    cause: 'The move is no merge, or it was taken back already.',
    cure: 'List the subject’s moves; move single records with `account_ids` where that is meant.',
  },
  NOT_FROZEN: {
    by: only('placeMyThaw'),
    cause: 'A thaw is an exception from a freeze, and the file is not frozen.',
    cure: 'Nothing has to be opened: whoever has a purpose is shown the file.',
  },
  TOO_MANY_ATTEMPTS: {
    by: only(
      'login',
      'completeLogin',
      'forgotPassword',
      'changePassword',
      'beginSecondFactor',
      'confirmSecondFactor',
      'renewRecoveryCodes',
      'removeSecondFactor',
      'createInvitation',
      'resendInvitation',
    ),
    cause: 'There were too many attempts from the address, or at the account from it.',
    cure: 'Wait for `Retry-After` seconds.',
  },
  TEST_DELIVERY_RATE: {
    by: only('testWebhook'),
    cause:
      'As many test messages as may be sent in a minute were sent: 5 of a webhook, 20 of an institution.',
    cure: 'Wait for `Retry-After` seconds. Without `deliver` a message is signed without limit, for a receiver that you call yourself.',
  },
  PERSONAS_OF_THE_DAY: {
    by: only('createPersona'),
    cause: 'Your institution has made the 500 personas that it may make in a day.',
    cure: 'Wait for `Retry-After` seconds, until 00:00 UTC, and use one persona for all tests that only read it.',
  },
  FILE_CHANGES: {
    by: changingOwnFile,
    cause: 'What stands on the file was changed 50 times within 24 hours.',
    cure: 'Wait for `Retry-After` seconds. A freeze is placed all the same.',
  },
  DISPUTES_OF_THE_DAY: {
    by: only('openSandboxDispute', 'openMyDispute'),
    cause:
      'Your institution has opened the 200 disputes that it may open in test in a day, or you the 20 ' +
      'that a person may open about its own file.',
    cure: 'Wait for `Retry-After` seconds. In test, take one dispute through its whole life.',
  },
  BODY_TOO_LARGE: {
    cause: 'The body is over 1 MiB, over 4 MiB of a batch, or a file over 1 GiB.',
    cure: 'Send smaller batches, or several files.',
  },
  BATCH_TOO_LARGE: {
    by: batch,
    cause: 'A batch holds more items than the operation takes.',
    cure: 'Send several batches, each with an `Idempotency-Key` of its own.',
  },
  TOO_MANY_VALUES: {
    cause: 'The body holds more values than any request needs.',
    cure: 'Send what the operation’s schema names, in smaller batches.',
  },
  INVALID_FIELDS: {
    cause: 'Fields or parameters are missing, unknown or wrong; `details` names each.',
    cure: 'Mend what `details` names and send it again, with the same `Idempotency-Key` if you like.',
  },
  RATE_LIMIT: {
    cause:
      'A limit of requests or attempts is reached: of the credential, the institution or the address.',
    cure: 'Wait for `Retry-After` seconds, and slow down when `X-RateLimit-Remaining` runs low.',
  },
  EXPORTS_AT_ONCE: {
    by: only(
      'exportAccounts',
      'getImportFaultsFile',
      'exportAuditEvents',
      'exportNetworkAuditEvents',
      'getMyFileDocument',
    ),
    cause:
      'Two files of your institution are being read already, or two of your own as a person, or one of these is being written.',
    cure: 'Read one to its end, or break it off, and ask again.',
  },
  OVERLOADED: {
    cause:
      'More is asked of the network than it can serve. The request was turned away before anything ' +
      'of it was done, and counts against no limit.',
    cure:
      'Repeat it after `Retry-After`, a write with the same `Idempotency-Key`, with growing pauses. ' +
      'Lists and other reads are turned away before writes with a key.',
  },
  UNAVAILABLE: {
    cause: 'A part of the network has more than it can do, or is being replaced.',
    cure: 'Repeat it after `Retry-After`, a write with the same `Idempotency-Key`.',
  },
  INTERNAL: {
    cause: 'The network failed at it; somebody is told.',
    cure: 'Repeat it with growing pauses, a write with the same `Idempotency-Key`. If it lasts, ask with the `request_id`.',
  },
  DUPLICATE_SUBJECT: {
    by: only('createSubject', 'updateSubject', 'createAccounts'),
    cause:
      'A subject has, or gave up a short while ago, the same `game_uuid`, `forum_id`, registration ' +
      'number or name.',
    cure:
      'Use the subject that `existing_id` names. When a namesake really is somebody else, send ' +
      '`confirm_distinct` with a `distinct_note`.',
  },
  EXTERNAL_ID_TAKEN: {
    by: only('createAccount', 'createAccounts'),
    cause: 'Your institution has an account with this `external_account_id` already.',
    cure:
      'Read the account that `existing_id` names. Report events of it, or give another id when ' +
      'this is another loan.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    by: idempotent,
    cause: 'The `Idempotency-Key` came before with another body, or for another account.',
    cure:
      'Repeat exactly what you sent to get the first answer again, or take a new key for a new ' +
      'change.',
  },
  REINSERTION: {
    by: only('reportEvent', 'previewEvent', 'reportEvents', 'createAccount', 'createAccounts'),
    cause: 'The outcome of a dispute took this fact off the record.',
    cure:
      'Leave it. If you have verified it since, say in `certification` what you verified and how; ' +
      'then it counts, and whoever disputed it is told.',
  },
  SUPPRESSED: {
    by: only(
      'reportEvent',
      'previewEvent',
      'reportEvents',
      'createAccount',
      'createAccounts',
      'simulateCredit',
    ),
    cause: 'A dispute leaves this fact out of the file until it is decided.',
    cure: 'Wait for the outcome, or correct the fact itself: that is possible meanwhile.',
  },
  BLOCK_DECIDED_BEFORE: {
    by: only('openMyDispute'),
    cause: 'A dispute of yours that gave IDENTITY_THEFT about this record was decided before.',
    cure: 'Contest it with another reason: the record then stays on file until that is decided.',
  },
};

/** The reasons that an operation can give, in the order of the catalogue. */
export function reasonsOf(operation: Operation): Reason[] {
  // Sound: they are the keys of the catalogue.
  const all = Object.entries(ERROR_REASONS) as [Reason, ErrorReason][];
  const codes = errorsOf(operation);
  return all
    .filter(
      ([name, { by }]) => codes.includes(REASONS[name]) && (by === undefined || by(operation)),
    )
    .map(([name]) => name);
}
