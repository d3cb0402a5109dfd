import { type Environment, systemContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { isAppError } from '@credit/platform/errors';
import {
  Background,
  type Clock,
  crashPoint,
  type Logger,
  toTimestamp,
  type Worker,
  workLeased,
} from '@credit/platform/runtime';
import { backoffMs } from '@credit/platform/values';
import { type BuildReportDeps, buildReport } from '../commands/build-report';
import { type FailureCode, MAX_ATTEMPTS, REPORT_DAYS } from '../domain/report';
import {
  type ClaimedReport,
  claimReports,
  failReport,
  finishReport,
  postponeReport,
} from '../store/reports';

export interface ReportWorkerOptions extends BuildReportDeps {
  readonly environment: Environment;
  readonly db: Database;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly newId: () => string;
  /** How long one that builds a report may take before another does. */
  readonly lease_ms: number;
  /** How often the queue is looked at without being woken. */
  readonly poll_ms: number;
}

const AT_ONCE = 2;
const RETRY = { first_ms: 1_000, longest_ms: 60_000, growth: 4 };
const DAY_MS = 86_400_000;

/**
 * Builds the reports of one environment. Any number of these run at once; each report is one's
 * until its lease ends, and a report that kills whoever builds it is given up after a few.
 */
export class ReportWorker implements Worker {
  readonly name: string;
  private readonly loop: Background;

  constructor(private readonly options: ReportWorkerOptions) {
    this.loop = new Background({
      name: `reports-${options.environment}`,
      logger: options.logger,
      work: () => this.work(),
      pause_ms: options.poll_ms,
    });
    this.name = this.loop.name;
  }

  start(): void {
    this.loop.start();
  }

  /** Finishes what is in hand. */
  stop(): Promise<void> {
    return this.loop.stop();
  }

  /** Says that a report was asked for. */
  wake(): void {
    this.loop.wake();
  }

  /** Builds what is due now; true when there may be more. */
  work(): Promise<boolean> {
    const { db, newId, lease_ms, environment } = this.options;
    const on = db.read(systemContext(environment));
    return workLeased<ClaimedReport>(
      {
        at_once: AT_ONCE,
        claim: (lease_token, at_once) => claimReports(on, lease_token, at_once, lease_ms),
        carryOut: (report, lease_token) => this.build(report, lease_token),
      },
      newId,
    );
  }

  private async build(report: ClaimedReport, lease_token: string): Promise<void> {
    const { db, clock, logger, lease_ms, environment } = this.options;
    const ctx = systemContext(environment, { deadline_at_ms: Date.now() + lease_ms });
    const on = db.read(ctx);
    const { id, attempts } = report;
    try {
      // Whoever had it before never came to an end with it.
      if (attempts > MAX_ATTEMPTS) return await failReport(on, id, lease_token, 'BUILD_FAILED');
      const { content, sha256 } = await buildReport(this.options, ctx, report);
      crashPoint('report.built');
      const now_ms = clock.now_ms();
      const finished = await finishReport(on, {
        id,
        lease_token,
        ready_at: toTimestamp(now_ms),
        expires_at: toTimestamp(now_ms + REPORT_DAYS * DAY_MS),
        content_sha256: sha256,
        content,
      });
      if (!finished) logger.warn({ report_id: id }, 'a report was finished by another');
    } catch (error) {
      await this.onFailure(report, lease_token, error);
    }
  }

  private async onFailure(
    { id, attempts }: ClaimedReport,
    lease_token: string,
    error: unknown,
  ): Promise<void> {
    const { db, logger, environment } = this.options;
    logger.warn({ err: error, report_id: id, attempts }, 'a report could not be built');
    const on = db.read(systemContext(environment));
    const final = finalFailure(error) ?? (attempts >= MAX_ATTEMPTS ? 'BUILD_FAILED' : undefined);
    try {
      if (final === undefined)
        await postponeReport(on, id, lease_token, backoffMs(RETRY, attempts));
      else await failReport(on, id, lease_token, final);
    } catch (broken) {
      // The lease ends by itself.
      logger.warn({ err: broken, report_id: id }, 'a failed report could not be put back');
    }
  }
}

/** What no further attempt would mend. */
function finalFailure(error: unknown): FailureCode | undefined {
  if (error instanceof RangeError) return 'TOO_LARGE';
  return isAppError(error) && error.code === 'NOT_FOUND' ? 'SUBJECT_UNKNOWN' : undefined;
}
