import type { CallContext } from '@credit/platform/context';
import type { Logger } from '@credit/platform/runtime';
import type { RecordRefusalRequest } from '@credit/proto/identity/v1/identity';
import type { IdentityStub } from './authorizer';

/** Refusals are worth less than requests: beyond this many at once they are let go. */
const MAX_IN_FLIGHT = 20;

/**
 * Has the reason of a 403 put into the caller's audit log, where the answer does
 * not tell it. Nobody waits for it.
 */
export class RefusalLog {
  readonly #identity: Pick<IdentityStub, 'recordRefusal'>;
  readonly #logger: Pick<Logger, 'warn'>;
  #in_flight = 0;

  constructor(identity: Pick<IdentityStub, 'recordRefusal'>, logger: Pick<Logger, 'warn'>) {
    this.#identity = identity;
    this.#logger = logger;
  }

  record(ctx: CallContext, request: RecordRefusalRequest): void {
    if (this.#in_flight >= MAX_IN_FLIGHT) return;
    void this.#send(ctx, request);
  }

  async #send(ctx: CallContext, request: RecordRefusalRequest): Promise<void> {
    this.#in_flight++;
    try {
      await this.#identity.recordRefusal(ctx, request);
    } catch (error) {
      const { request_id } = ctx;
      const reason = error instanceof Error ? error.message : String(error);
      this.#logger.warn({ request_id, reason }, 'refusal not recorded');
    } finally {
      this.#in_flight--;
    }
  }
}
