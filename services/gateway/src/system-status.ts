import { systemContext } from '@credit/platform/context';
import { type Clock, toTimestamp } from '@credit/platform/runtime';
import { type Clients, SERVICE_NAMES, type ServiceName } from './clients';

const CHECK_TIMEOUT_MS = 1_000;
/** Anyone may ask, as often as they like: the services are asked once in this time. */
const KEEP_MS = 1_000;

export interface SystemStatusAnswer {
  readonly status: 'OPERATIONAL' | 'DEGRADED' | 'OUTAGE';
  readonly components: readonly {
    readonly name: string;
    readonly status: 'OPERATIONAL' | 'OUTAGE';
  }[];
  readonly version: string;
  readonly time: string;
}

/** Whether the services answer; why not is for the operators' eyes only. */
export class SystemStatus {
  readonly #health: Clients['health'];
  readonly #clock: Clock;
  readonly #version: string;
  #latest: Promise<SystemStatusAnswer> | undefined;
  #taken_at_ms = 0;

  constructor(health: Clients['health'], options: { clock: Clock; version: string }) {
    this.#health = health;
    this.#clock = options.clock;
    this.#version = options.version;
  }

  read(): Promise<SystemStatusAnswer> {
    const now_ms = this.#clock.now_ms();
    if (this.#latest === undefined || now_ms - this.#taken_at_ms >= KEEP_MS) {
      this.#taken_at_ms = now_ms;
      this.#latest = this.#ask(now_ms);
    }
    return this.#latest;
  }

  async #ask(now_ms: number): Promise<SystemStatusAnswer> {
    const components = await Promise.all(
      SERVICE_NAMES.map(async (name) => ({ name, status: await this.#check(name) })),
    );
    const working = components.filter(({ status }) => status === 'OPERATIONAL').length;
    const all = working === components.length;
    return {
      status: all ? 'OPERATIONAL' : working === 0 ? 'OUTAGE' : 'DEGRADED',
      components,
      version: this.#version,
      time: toTimestamp(now_ms),
    };
  }

  async #check(name: ServiceName): Promise<'OPERATIONAL' | 'OUTAGE'> {
    const ctx = systemContext('live', { deadline_at_ms: Date.now() + CHECK_TIMEOUT_MS });
    try {
      const { status } = await this.#health[name].check(ctx, { service: '' });
      return status === 'SERVING' ? 'OPERATIONAL' : 'OUTAGE';
    } catch {
      return 'OUTAGE';
    }
  }
}
