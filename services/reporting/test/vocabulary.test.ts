import * as types from '@credit/proto/reporting/v1/types';
import * as vocabulary from '../src/domain/vocabulary';

// The domain knows no proto, so its closed sets stand there once more; they may not drift apart.
test.each<[string, object, readonly string[]]>([
  ['subject types', types.SubjectType, vocabulary.SUBJECT_TYPES],
  ['kinds of organisation', types.OrganisationKind, vocabulary.ORGANISATION_KINDS],
  ['account types', types.AccountType, vocabulary.ACCOUNT_TYPES],
  ['interest types', types.InterestType, vocabulary.INTEREST_TYPES],
  ['payment frequencies', types.PaymentFrequency, vocabulary.PAYMENT_FREQUENCIES],
  ['statuses', types.AccountStatus, [...vocabulary.UNDERLYING_STATUSES, 'DISPUTED']],
  ['event types', types.EventType, vocabulary.EVENT_TYPES],
  ['default severities', types.DefaultSeverity, vocabulary.DEFAULT_SEVERITIES],
  ['purposes', types.Purpose, vocabulary.PURPOSES],
])('the %s are those of the wire', (_name, wire, names) => {
  expect([...names, 'UNSPECIFIED'].sort()).toEqual(Object.keys(wire).sort());
});
