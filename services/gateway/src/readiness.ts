import { systemContext } from '@credit/platform/context';
import type { Clients } from './clients';

const CHECK_TIMEOUT_MS = 1_000;
const PAUSE_MS = 100;

/**
 * Whether to send requests here. Not before identity has answered once: until then
 * nobody could be let in. From then on always, until the end: all gateways ask the
 * same identity, so one of its short absences would take every one of them out of
 * the load balancer at once, and turn 500s that ask for patience into refused
 * connections.
 */
export class Readiness {
  readonly #identity: Clients['health']['identity'];
  readonly #pause_ms: number;
  #reached = false;
  #draining = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(identity: Clients['health']['identity'], pause_ms = PAUSE_MS) {
    this.#identity = identity;
    this.#pause_ms = pause_ms;
  }

  get state(): 'ready' | 'starting' | 'draining' {
    if (this.#draining) return 'draining';
    return this.#reached ? 'ready' : 'starting';
  }

  /** Asks identity until it answers. */
  begin(): void {
    void this.#ask();
  }

  /** For good. */
  drain(): void {
    this.#draining = true;
    clearTimeout(this.#timer);
  }

  async #ask(): Promise<void> {
    const ctx = systemContext('live', { deadline_at_ms: Date.now() + CHECK_TIMEOUT_MS });
    try {
      const { status } = await this.#identity.check(ctx, { service: '' });
      this.#reached = status === 'SERVING';
    } catch {
      // Not yet; the status page tells operators which part it is.
    }
    if (this.#reached || this.#draining) return;
    this.#timer = setTimeout(() => void this.#ask(), this.#pause_ms);
  }
}
