import type { OperationId } from '@credit/contract';
import { ENVIRONMENTS, type Environment, systemContext } from '@credit/platform/context';
import { type AppError, ERRORS } from '@credit/platform/errors';
import type { Stub } from '@credit/platform/rpc';
import type { Logger } from '@credit/platform/runtime';
import type {
  CountedRejection,
  ReportingServiceDefinition,
} from '@credit/proto/reporting/v1/reporting';

type ReportingStub = Pick<Stub<typeof ReportingServiceDefinition>, 'countRejections'>;

/** What members report by; files have faults of their own. */
const REPORTING: ReadonlySet<string> = new Set<OperationId>([
  'createSubject',
  'createSubjects',
  'updateSubject',
  'createAccount',
  'createAccounts',
  'reportEvent',
  'reportEvents',
]);

const FLUSH_MS = 1_000;
const TIMEOUT_MS = 5_000;
/** Causes between two flushes; whoever finds ever more of them has those counted together. */
const MAX_CAUSES = 500;
const MAX_FIELD_LENGTH = 100;
const INDEX = /\[\d+\]/g;
const ITEM = /\[(\d+)\]/;
/** These say nothing of what was reported. */
const NOT_OF_THE_REPORT = new Set([401, 403, 404, 429]);

interface Refused {
  readonly institution_id: string;
  readonly environment: Environment;
  readonly operation_id: string;
  readonly request_id: string;
}

/**
 * Counts what is refused of members' reporting, for their own eyes: by operation, reason and field,
 * and never what was sent. In memory for a second, and then with reporting: a gateway that is killed
 * forgets that second, and nobody waits for it.
 */
export class RejectionLog {
  readonly #reporting: ReportingStub;
  readonly #logger: Pick<Logger, 'warn'>;
  #counts = emptied();
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();

  constructor(reporting: ReportingStub, logger: Pick<Logger, 'warn'>) {
    this.#reporting = reporting;
    this.#logger = logger;
  }

  note({ institution_id, environment, operation_id, request_id }: Refused, error: AppError): void {
    const status = ERRORS[error.code].http_status;
    if (institution_id === '' || !REPORTING.has(operation_id)) return;
    if (status >= 500 || NOT_OF_THE_REPORT.has(status)) return;
    const counts = this.#counts[environment];
    for (const [field, count] of fieldsOf(error)) {
      const has_room = counts.size < MAX_CAUSES;
      const [operation, reason, path] = has_room
        ? [operation_id, error.reason, field]
        : ['', '', ''];
      const key = [institution_id, operation, reason, path].join('\0');
      counts.set(key, {
        institution_id,
        operation,
        reason,
        field: path,
        count: BigInt(count) + (counts.get(key)?.count ?? 0n),
        request_id: request_id,
      });
    }
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  /** Sends what was counted so far; what cannot be sent is let go. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counts = this.#counts;
    this.#counts = emptied();
    this.#sending = this.#sending.then(async () => {
      for (const environment of ENVIRONMENTS) {
        await this.#send(environment, [...counts[environment].values()]);
      }
    });
    return this.#sending;
  }

  async #send(environment: Environment, rejections: CountedRejection[]): Promise<void> {
    if (rejections.length === 0) return;
    const ctx = systemContext(environment, { deadline_at_ms: Date.now() + TIMEOUT_MS });
    try {
      await this.#reporting.countRejections(ctx, { rejections });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#logger.warn({ reason, causes: rejections.length }, 'rejections not counted');
    }
  }
}

function emptied(): Record<Environment, Map<string, CountedRejection>> {
  return { live: new Map(), test: new Map() };
}

/** Fields at fault, each with the number of items that it was wrong in. */
function fieldsOf({ details }: AppError): Map<string, number> {
  const items = new Map<string, Set<string>>();
  for (const { path } of details) {
    const field = path.replace(INDEX, '[]').slice(0, MAX_FIELD_LENGTH);
    const seen = items.get(field) ?? new Set();
    items.set(field, seen.add(ITEM.exec(path)?.[1] ?? ''));
  }
  if (items.size === 0) return new Map([['', 1]]);
  return new Map([...items].map(([field, seen]) => [field, seen.size]));
}
