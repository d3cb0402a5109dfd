import type { Queryable } from '@credit/platform/db';
import { Background, type Logger } from '@credit/platform/runtime';
import type { Counter } from '@opentelemetry/api';
import type { RateLimits } from '../domain/rate-limits';
import {
  authorizeGroups,
  type CheckedGroup,
  type CheckGroup,
  checkGroups,
  noteKeyUses,
  sharedLimits,
  type UncountedGroup,
} from './authorization';
import type { RateStore } from './rate-store';
import { ValkeyCounters, type ValkeyOptions } from './valkey-counters';

export interface ValkeyRateStoreOptions extends Omit<ValkeyOptions, 'onLost'> {
  readonly on: Queryable;
  readonly fallbacks: Counter;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** Of keys' last uses, and between attempts to connect at first. */
const PAUSE_MS = 1_000;
const MAX_NOTED = 1_000;

/**
 * Credentials are looked up in the database, and counted in Valkey. While Valkey is away the database counts, as
 * if there were none: nobody is shut out by its absence, and nobody is let in without being counted.
 */
export class ValkeyRateStore implements RateStore {
  /** Keeps the connection, and notes when keys were used. */
  readonly worker: Background;
  private readonly counters: ValkeyCounters;
  /** By key, in milliseconds since 1970. */
  private uses = new Map<string, number>();

  constructor(private readonly options: ValkeyRateStoreOptions) {
    const { logger } = options;
    this.counters = new ValkeyCounters({
      ...options,
      onLost: (error) => {
        logger.warn({ err: error }, 'valkey is away: the database counts');
        this.worker.wake();
      },
    });
    this.worker = new Background({
      name: 'rate-store',
      logger,
      pause_ms: PAUSE_MS,
      work: async () => {
        await this.noteUses();
        if (!this.counters.is_connected) {
          await this.counters.connect();
          logger.info('valkey counts');
        }
        return this.uses.size >= MAX_NOTED;
      },
      close: async () => {
        this.counters.close();
        await this.noteUses();
      },
    });
  }

  async authorize(
    on: Queryable,
    groups: readonly CheckGroup[],
    limits: RateLimits,
    is_person_door_open: boolean,
  ): Promise<CheckedGroup[]> {
    if (this.counters.is_connected) {
      const found = await checkGroups(on, groups, limits, is_person_door_open);
      const counted = await this.counters
        .countIn(found, groups, sharedLimits(limits))
        .catch(() => undefined);
      if (counted !== undefined) {
        this.remember(found);
        return counted;
      }
    }
    this.options.fallbacks.add(1);
    return authorizeGroups(on, groups, limits, is_person_door_open);
  }

  private remember(found: readonly UncountedGroup[]): void {
    for (const { counter, used_at_ms } of found) {
      if (used_at_ms !== undefined) this.uses.set(counter, used_at_ms);
    }
  }

  private async noteUses(): Promise<void> {
    const noted = [...this.uses].slice(0, MAX_NOTED);
    if (noted.length === 0) return;
    await noteKeyUses(
      this.options.on,
      noted.map(([id, used_at_ms]) => ({ id, used_at_ms })),
    );
    for (const [id, used_at_ms] of noted) {
      // It may have been used once more meanwhile.
      if (this.uses.get(id) === used_at_ms) this.uses.delete(id);
    }
  }
}
