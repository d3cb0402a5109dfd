import { setTimeout as sleep } from 'node:timers/promises';
import { type Environment, systemContext } from '@credit/platform/context';
import { type KeyRing, unsealSecret } from '@credit/platform/credentials';
import type { Database } from '@credit/platform/db';
import {
  Background,
  type Clock,
  crashPoint,
  type Logger,
  toTimestamp,
  type Worker,
} from '@credit/platform/runtime';
import { type DeliveryHeaders, deliveryHeaders } from '@credit/platform/signing';
import { backoffMs } from '@credit/platform/values';
import { disableGoneEndpoint } from '../commands/disable-subscription';
import { headerLines } from '../domain/answer';
import {
  type AttemptResult,
  errorClass,
  explainFailure,
  judgeAttempt,
  type Verdict,
} from '../domain/attempt';
import {
  type EndpointReport,
  FAILURES_TO_OPEN,
  MAX_IN_FLIGHT_PER_ENDPOINT,
  reportEndpoint,
} from '../domain/circuit';
import { deliveryFigures } from '../queries/delivery-figures';
import type { Egress } from '../sending/egress';
import {
  type ClaimedRow,
  type CompletedAttempt,
  claimDeliveries,
  completeAttempts,
} from '../store/queue';
import {
  type DeliveryMetrics,
  endDeliverySpan,
  openDeliveryMetrics,
  startDeliverySpan,
} from './delivery-telemetry';

/** Deliveries in flight for one institution, however many endpoints it has. */
const MAX_IN_FLIGHT_PER_INSTITUTION = 32;
const MAX_COMPLETIONS_PER_STATEMENT = 256;
const MAX_COMPLETION_TRIES = 4;
const RECORDING_BACKOFF = { first_ms: 200, longest_ms: 12_800, growth: 4 };

/** What the sender of one environment works with. */
export interface DeliveryWorkerOptions {
  readonly environment: Environment;
  readonly db: Database;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly newId: () => string;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly egress: Egress;
  readonly keys: KeyRing;
  readonly backoff_base_ms: number;
  readonly lease_ms: number;
  /** How often the queue is looked at without being woken. */
  readonly poll_ms: number;
  readonly max_in_flight: number;
}

interface Attempted {
  readonly row: ClaimedRow;
  readonly lease_token: string;
  readonly signature: string;
  readonly started_at_ms: number;
  readonly duration_ms: number;
  readonly result: AttemptResult;
  readonly verdict: Verdict;
}

const VERDICT_NAMES = {
  delivered: 'DELIVERED',
  retry: 'RETRY',
  exhausted: 'EXHAUSTED',
  gone: 'GONE',
} as const;

/**
 * Sends what is due in one environment. Any number of these run at once, on any
 * number of machines: the claim gives each delivery to one, and a lease that ends
 * without a record gives it to the next.
 */
export class DeliveryWorker implements Worker {
  readonly name: string;
  private readonly ctx;
  private readonly metrics: DeliveryMetrics;
  private in_flight = 0;
  private readonly loop: Background;
  private readonly sending = new Set<Promise<void>>();
  private readonly attempted: Attempted[] = [];
  private is_recording = false;
  private recording: Promise<void> = Promise.resolve();

  constructor(private readonly options: DeliveryWorkerOptions) {
    this.ctx = systemContext(options.environment);
    this.loop = new Background({
      name: `deliveries-${options.environment}`,
      logger: options.logger,
      work: () => this.work(),
      pause_ms: options.poll_ms,
    });
    this.name = this.loop.name;
    this.metrics = openDeliveryMetrics(options.environment, () =>
      deliveryFigures(options.db, this.ctx),
    );
  }

  start(): void {
    this.loop.start();
  }

  /** Claims no more, waits for what is in flight, which the timeout bounds. */
  async stop(): Promise<void> {
    await this.loop.stop();
    await Promise.all(this.sending);
    await this.recording;
    this.metrics.close();
  }

  /** Says that something may be due. */
  wake(): void {
    this.loop.wake();
  }

  /** Deliveries that this process is sending or recording. */
  inFlight(): number {
    return this.in_flight;
  }

  /** Fills what room there is; true when there may be more to send and room for it. */
  private async work(): Promise<boolean> {
    const slots = this.options.max_in_flight - this.in_flight;
    const claimed = slots > 0 ? await this.claim(slots) : 0;
    // Fewer than there was room for: nothing else is due, or its turn has not come.
    return slots > 0 && claimed === slots;
  }

  private async claim(slots: number): Promise<number> {
    const lease_token = this.options.newId();
    const rows = await claimDeliveries(this.options.db.read(this.ctx), lease_token, {
      slots,
      lease_ms: this.options.lease_ms,
      per_endpoint: MAX_IN_FLIGHT_PER_ENDPOINT,
      per_institution: MAX_IN_FLIGHT_PER_INSTITUTION,
      failures_to_open: FAILURES_TO_OPEN,
      key_ids: [...this.options.keys.keys.keys()],
    });
    if (rows.length > 0) crashPoint('delivery.claimed');
    for (const row of rows) {
      this.in_flight += 1;
      this.metrics.begin(row);
      const sending = this.send(row, lease_token).finally(() => this.sending.delete(sending));
      this.sending.add(sending);
    }
    return rows.length;
  }

  private async send(row: ClaimedRow, lease_token: string): Promise<void> {
    const { clock, egress, keys, logger } = this.options;
    const started_at_ms = clock.now_ms();
    let headers: DeliveryHeaders;
    try {
      const sealed = { key_id: row.secret_key_id, sealed: row.secret_sealed };
      headers = deliveryHeaders({
        secret: unsealSecret(keys, row.subscription_id, sealed),
        event_id: row.event_id,
        body: row.body,
        now_ms: started_at_ms,
      });
    } catch (error) {
      // Our fault, not the receiver's: it costs no attempt and is tried again after the lease.
      logger.error({ err: error, delivery_id: row.id }, 'a delivery could not be signed');
      this.in_flight -= 1;
      this.metrics.end(row);
      return;
    }
    const span = startDeliverySpan(row);
    const result = await egress.post(row.url, headers, row.body);
    crashPoint('delivery.sent');
    const now_ms = clock.now_ms();
    const duration_ms = now_ms - started_at_ms;
    const verdict = judgeAttempt(row.attempts + 1, result, {
      base_ms: this.options.backoff_base_ms,
      chance: this.options.random(),
      now_ms,
    });
    endDeliverySpan(span, result, verdict);
    this.metrics.end(row);
    this.metrics.record(result, verdict, duration_ms);
    const signature = headers['Svc-Signature'];
    this.attempted.push({
      row,
      lease_token,
      signature,
      started_at_ms,
      duration_ms,
      result,
      verdict,
    });
    if (!this.is_recording) this.recording = this.record();
  }

  /** Records whatever has come back, in batches, until nothing is left. */
  private async record(): Promise<void> {
    this.is_recording = true;
    // A turn of the event loop: answers that arrive together are recorded together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.attempted.length > 0) {
      const batch = this.attempted.splice(0, MAX_COMPLETIONS_PER_STATEMENT);
      await this.recordBatch(batch);
      this.in_flight -= batch.length;
      this.wake();
    }
    // In the same step as the last look: what comes from now on begins anew.
    this.is_recording = false;
  }

  private async recordBatch(batch: readonly Attempted[]): Promise<void> {
    const { db, logger, clock } = this.options;
    const gone = batch.filter((entry) => entry.verdict.kind === 'gone');
    const others = batch.filter((entry) => entry.verdict.kind !== 'gone');
    await this.persistently('recording attempts failed', async () => {
      const recorded = await this.complete(others);
      for (const entry of others) {
        if (recorded.has(entry.row.id)) continue;
        logger.warn({ delivery_id: entry.row.id }, 'an attempt outlived its lease');
      }
    });
    for (const entry of gone) {
      await this.persistently('disabling a gone endpoint failed', () =>
        db.transaction(this.ctx, async (tx) => {
          await disableGoneEndpoint(tx, {
            subscription_id: entry.row.subscription_id,
            institution_id: entry.row.institution_id,
            at: toTimestamp(clock.now_ms()),
          });
          // The counts of the hour come last: nothing is waited for once they are held.
          await completeAttempts(tx, [completed(entry)], new Map(), FAILURES_TO_OPEN);
        }),
      );
    }
  }

  private complete(entries: readonly Attempted[]): Promise<Set<string>> {
    if (entries.length === 0) return Promise.resolve(new Set());
    const verdicts = new Map<string, Verdict[]>();
    for (const { row, verdict } of entries) {
      verdicts.set(row.subscription_id, [...(verdicts.get(row.subscription_id) ?? []), verdict]);
    }
    const reports = new Map<string, EndpointReport>();
    for (const [subscription_id, series] of verdicts) {
      reports.set(subscription_id, reportEndpoint(series, this.options.backoff_base_ms));
    }
    const { db } = this.options;
    return completeAttempts(db.read(this.ctx), entries.map(completed), reports, FAILURES_TO_OPEN);
  }

  /** Tries a few times; after that the lease ends and the delivery is sent again. */
  private async persistently(failure: string, run: () => Promise<void>): Promise<void> {
    for (let attempt = 1; attempt <= MAX_COMPLETION_TRIES; attempt += 1) {
      try {
        await run();
        return;
      } catch (error) {
        this.options.logger.warn({ err: error, attempt }, failure);
        await sleep(backoffMs(RECORDING_BACKOFF, attempt));
      }
    }
  }
}

function completed(entry: Attempted): CompletedAttempt {
  const { row, verdict, result } = entry;
  const failed = verdict.kind !== 'delivered';
  const answer = result.kind === 'answered' ? result.answer : undefined;
  return {
    id: row.id,
    token: entry.lease_token,
    verdict: VERDICT_NAMES[verdict.kind],
    delay_ms: verdict.kind === 'retry' ? verdict.delay_ms : 0,
    started_at: toTimestamp(entry.started_at_ms),
    duration_ms: Math.max(0, Math.round(entry.duration_ms)),
    response_status: result.kind === 'answered' ? result.status : undefined,
    error_class: failed ? errorClass(result) : undefined,
    error: failed ? explainFailure(result) : undefined,
    request_signature: entry.signature,
    response_headers: answer && headerLines(answer.headers),
    response_body: answer?.body,
    response_truncated: answer?.truncated,
  };
}
