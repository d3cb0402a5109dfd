import type { z } from 'zod';
import { named } from '../wire';
import { defaultReported } from './default-reported';
import { delinquencyReported } from './delinquency-reported';
import { disputeAnswered, disputeOpened, disputeResolved } from './dispute-events';
import { defaultVoided, delinquencyVoided } from './fact-voided';
import { recordCorrected } from './record-corrected';
import { subjectMerged, subjectSplit } from './subject-moved';
import { subjectRenamed } from './subject-renamed';
import type { WebhookEvent } from './webhook-event';

export type { WebhookEvent } from './webhook-event';
export { defaultReported };

/** Every event that can be subscribed to. */
export const webhookEvents: readonly WebhookEvent[] = [
  defaultReported,
  delinquencyReported,
  defaultVoided,
  delinquencyVoided,
  recordCorrected,
];

/** The bodies of all events of the feed. */
export const feedEvents: readonly z.ZodType[] = [
  ...webhookEvents.map(({ schema_name, body }) => named(schema_name, body)),
  disputeOpened,
  disputeAnswered,
  disputeResolved,
  subjectRenamed,
  subjectMerged,
  subjectSplit,
];
