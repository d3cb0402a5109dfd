import type { ErrorCode } from '@credit/platform/errors';
import type { Operation } from './operation';
import type { OperationId } from './operations';

/** Where the portal shows what follows of each code and reason, by its name as the anchor. */
export const ERRORS_URL = '/docs/errors';

/** A cause of an error, for those who meet it. */
export interface ErrorReason {
  /** The code that it comes with. */
  readonly code: ErrorCode;
  /** Whether an operation can give it. */
  readonly by: (operation: Operation) => boolean;
  readonly cause: string;
  readonly cure: string;
}

function only(...ids: readonly OperationId[]): ErrorReason['by'] {
  const named: readonly string[] = ids;
  return ({ id }) => named.includes(id);
}

const idempotent = ({ idempotent: keyed }: Operation) => keyed === true;

/**
 * Every `reason` that an error can have. A test looks through the code for reasons that are missing
 * here, and for those that nothing gives any more.
 */
export const ERROR_REASONS = {
  DUPLICATE_SUBJECT: {
    code: 'INVALID_STATE_TRANSITION',
    by: only('createSubject', 'updateSubject'),
    cause:
      'A subject has, or gave up a short while ago, the same `game_uuid`, `forum_id`, registration ' +
      'number or name.',
    cure:
      'Use the subject that `existing_id` names. When a namesake really is somebody else, send ' +
      '`confirm_distinct` with a `distinct_note`.',
  },
  EXTERNAL_ID_TAKEN: {
    code: 'INVALID_STATE_TRANSITION',
    by: only('createAccount', 'createAccounts'),
    cause: 'Your institution has an account with this `external_account_id` already.',
    cure:
      'Read the account that `existing_id` names. Report events of it, or give another id when ' +
      'this is another loan.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    code: 'INVALID_STATE_TRANSITION',
    by: idempotent,
    cause: 'The `Idempotency-Key` came before with another body, or for another account.',
    cure:
      'Repeat exactly what you sent to get the first answer again, or take a new key for a new ' +
      'change.',
  },
  REINSERTION: {
    code: 'INVALID_STATE_TRANSITION',
    by: only('reportEvent', 'reportEvents', 'createAccount', 'createAccounts'),
    cause: 'The outcome of a dispute took this fact off the record.',
    cure:
      'Leave it. If you have verified it since, say in `certification` what you verified and how; ' +
      'then it counts, and whoever disputed it is told.',
  },
} as const satisfies Readonly<Record<string, ErrorReason>>;

/** The reasons that an operation can give, in the order of the catalogue. */
export function reasonsOf(operation: Operation): string[] {
  return Object.entries<ErrorReason>(ERROR_REASONS)
    .filter(([, { by }]) => by(operation))
    .map(([name]) => name);
}
