import type { Sweep } from '@credit/platform/runtime';
import { sweepAccessLinks } from '../persons/store/access-links';
import {
  sweepContactRequests,
  sweepLastMails,
  sweepPersonMails,
  sweepPersonNews,
} from '../persons/store/person-contacts';
import { sweepPersonSessions } from '../persons/store/person-sessions';
import { sweepPersonSignIns } from '../persons/store/person-sign-ins';
import { sweepAttempts } from '../store/attempts';
import { sweepRateCounters } from '../store/authorization';
import { sweepDisputeMails, sweepDisputeNotices } from '../store/dispute-mails';
import { sweepDisputeOpeners } from '../store/dispute-openers';
import { sweepPasswordResets } from '../store/password-resets';
import { sweepSecondFactorMails } from '../store/second-factor-mails';
import { sweepChallenges } from '../store/second-factors';
import { sweepSessions } from '../store/sessions';

/** What is over: counters, tokens, sessions, resets and challenges past their end, old mails and addresses. */
export const SWEEPS: readonly Sweep[] = [
  sweepRateCounters,
  sweepAttempts,
  sweepSessions,
  sweepPasswordResets,
  sweepDisputeMails,
  sweepDisputeNotices,
  sweepDisputeOpeners,
  sweepChallenges,
  sweepSecondFactorMails,
  sweepAccessLinks,
  sweepPersonSignIns,
  sweepPersonSessions,
  sweepContactRequests,
  sweepLastMails,
  sweepPersonMails,
  sweepPersonNews,
];
