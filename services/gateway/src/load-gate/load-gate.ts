import { type Operation, PRIORITIES, type Priority, priorityOf } from '@credit/contract';
import { AppError } from '@credit/platform/errors';
import type { Logger } from '@credit/platform/runtime';
import { ClientGone } from '../body';
import { AdaptiveLimit } from './adaptive-limit';

const TICK_MS = 25;
/** How often the limit is thought over. */
const TURN_MS = 200;
const LOG_MS = 10_000;
/** Some have waited all this time: it is no burst that is over in a moment, but overload. */
const STANDING_MS = 1_000;
/** How long a burst may wait, and when there is overload what is dear and what is not. */
const WAIT_MS = { burst: 500, dear: 300, other: 100 };
/** Those that wait are so many times those that are worked on; not fewer than the other. */
const WAITING = { times: 4, fewest: 128 };

/** Of each priority: what a request weighs in its caller's share, and after how many seconds at most it is to be repeated. */
const TERMS: Readonly<
  Record<Priority, { readonly weight: number; readonly retry_within_s: number }>
> = {
  door: { weight: 1, retry_within_s: 2 },
  keyed_write: { weight: 1, retry_within_s: 2 },
  decision: { weight: 1, retry_within_s: 3 },
  read: { weight: 2, retry_within_s: 4 },
  list: { weight: 4, retry_within_s: 6 },
  open: { weight: 4, retry_within_s: 6 },
};
const DEAR: ReadonlySet<Priority> = new Set(['door', 'keyed_write']);

/** By how long they ask to wait; made once, since there is no time for stacks when they are given. */
const REFUSALS = Array.from(
  { length: Math.max(...Object.values(TERMS).map(({ retry_within_s }) => retry_within_s)) },
  (_, at) =>
    new AppError('INTERNAL_ERROR', 'The service is overloaded; nothing of the request was done.', {
      retry_after_s: at + 1,
      reason: 'OVERLOADED',
    }),
);

/** 500: at one time of several, so that not all who were turned away come back at once. */
function refusal(priority: Priority): AppError {
  const at = Math.floor(Math.random() * TERMS[priority].retry_within_s);
  return REFUSALS[at] ?? new AppError('INTERNAL_ERROR', 'The service is overloaded.');
}

/** True of what the gate turns away with. */
export function isTurnedAway(error: unknown): boolean {
  return error instanceof AppError && error.reason === 'OVERLOADED';
}

/** A request before the gate. */
export interface Arrival {
  /** None of a route that does not exist. */
  readonly operation: Operation | undefined;
  /** Whom it counts with. */
  readonly flow: string;
  /** Tells when its client has gone. */
  readonly response: {
    readonly destroyed: boolean;
    once(event: 'close', listener: () => void): unknown;
    off(event: 'close', listener: () => void): unknown;
  };
}

/** A caller, while anything of it is here. */
interface Flow {
  readonly id: string;
  /** What it is having worked on, by weight. */
  weight: number;
  /** Its requests that have been let in, those that wait for their client among them. */
  let_in: number;
  /** What waits, by priority and in order. */
  readonly waiting: readonly Waiting[][];
  waiting_count: number;
  /** When it last had a turn, counted in turns. */
  served_at: number;
}

interface Waiting {
  readonly flow: Flow;
  readonly arrival: Arrival;
  readonly priority: Priority;
  readonly since_ms: number;
  readonly enter: (place: Place) => void;
  readonly refuse: (error: unknown) => void;
}

/** One of the places at which requests are worked on; it is left once, however that ends. */
export class Place {
  readonly #take: (count: 1 | -1) => void;
  readonly #left: (elapsed_ms: number, is_served: boolean) => void;
  #since_ms = performance.now();
  #elapsed_ms = 0;
  #state: 'taken' | 'given back' | 'left' = 'taken';

  constructor(
    take: (count: 1 | -1) => void,
    left: (elapsed_ms: number, is_served: boolean) => void,
  ) {
    this.#take = take;
    this.#left = left;
  }

  /** Gives it back while it is the client that is waited for: who is slow keeps nobody else out. */
  giveBack(): void {
    if (this.#state !== 'taken') return;
    this.#state = 'given back';
    this.#elapsed_ms += performance.now() - this.#since_ms;
    this.#take(-1);
  }

  /** Takes one again, at once: the request has been let in. */
  takeAgain(): void {
    if (this.#state !== 'given back') return;
    this.#state = 'taken';
    this.#since_ms = performance.now();
    this.#take(1);
  }

  leave(is_served: boolean): void {
    if (this.#state === 'left') return;
    this.giveBack();
    this.#state = 'left';
    this.#left(this.#elapsed_ms, is_served);
  }
}

export interface LoadGateOptions {
  readonly min_in_flight: number;
  readonly max_in_flight: number;
  readonly logger: Pick<Logger, 'warn'>;
  /** Is told of each request that is turned away. */
  readonly onShed: (priority: Priority) => void;
}

/**
 * Lets in as many requests at once as the network can serve in good time. The others wait, for
 * moments. Whoever has least being worked on is next, and of what the same caller wants the dearest:
 * one caller's flood is its own loss, and of it lists go first and writes with a key last.
 */
export class LoadGate {
  readonly #limit: AdaptiveLimit;
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #onShed: (priority: Priority) => void;
  readonly #flows = new Map<string, Flow>();
  /** Those of which something waits. */
  readonly #waiting_flows = new Set<Flow>();
  #in_flight = 0;
  #waiting_count = 0;
  #turns = 0;
  /** Since when there has always been somebody who waits. */
  #standing_since_ms: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ticked_at_ms = 0;
  #turned_at_ms = 0;
  #logged_at_ms = -LOG_MS;
  #peak = 0;
  #has_waited = false;
  #late_ms = 0;
  #shed: Partial<Record<Priority, number>> = {};

  constructor({ min_in_flight, max_in_flight, logger, onShed }: LoadGateOptions) {
    this.#limit = new AdaptiveLimit({ min: min_in_flight, max: max_in_flight });
    this.#logger = logger;
    this.#onShed = onShed;
  }

  /** Requests that are worked on. */
  get in_flight(): number {
    return this.#in_flight;
  }

  /** Requests that wait for their turn. */
  get waiting(): number {
    return this.#waiting_count;
  }

  /** How many may be worked on at once, by what is known now. */
  get limit(): number {
    return this.#limit.value;
  }

  /** Some have always been waiting for a while: it is no burst. */
  get is_overloaded(): boolean {
    const since_ms = this.#standing_since_ms;
    return since_ms !== undefined && performance.now() - since_ms > STANDING_MS;
  }

  begin(): void {
    const now_ms = performance.now();
    this.#ticked_at_ms = now_ms;
    this.#turned_at_ms = now_ms;
    this.#timer = setInterval(this.#tick, TICK_MS).unref();
  }

  end(): void {
    clearInterval(this.#timer);
  }

  /** A place, at once or after a wait; throws or rejects when the request is turned away. */
  enter(arrival: Arrival): Place | Promise<Place> {
    const priority = arrival.operation === undefined ? 'open' : priorityOf(arrival.operation);
    const flow = this.#flowOf(arrival.flow);
    if (this.#in_flight < this.limit && this.#waiting_count === 0) {
      return this.#place(flow, priority, arrival.operation);
    }
    this.#has_waited = true;
    return new Promise((enter, refuse) => {
      this.#queue(flow, arrival, priority, enter, refuse);
    });
  }

  #flowOf(id: string): Flow {
    let flow = this.#flows.get(id);
    if (flow === undefined) {
      const waiting = PRIORITIES.map((): Waiting[] => []);
      flow = { id, weight: 0, let_in: 0, waiting, waiting_count: 0, served_at: 0 };
      this.#flows.set(id, flow);
    }
    return flow;
  }

  #place(flow: Flow, priority: Priority, operation: Operation | undefined): Place {
    const { weight } = TERMS[priority];
    this.#turns += 1;
    flow.served_at = this.#turns;
    flow.let_in += 1;
    const take = (count: 1 | -1) => {
      this.#in_flight += count;
      this.#peak = Math.max(this.#peak, this.#in_flight);
      flow.weight += count * weight;
      if (count < 0) this.#next();
    };
    take(1);
    return new Place(take, (latency_ms, is_served) => {
      flow.let_in -= 1;
      this.#forget(flow);
      if (operation === undefined) return;
      const { id, batch, upload, stream, paging } = operation;
      const is_sized = [batch, upload, stream, paging].some((size) => size !== undefined);
      this.#limit.record({ operation: id, is_sized, is_served, latency_ms });
    });
  }

  #forget(flow: Flow): void {
    if (flow.let_in === 0 && flow.waiting_count === 0) this.#flows.delete(flow.id);
  }

  #queue(
    flow: Flow,
    arrival: Arrival,
    priority: Priority,
    enter: Waiting['enter'],
    refuse: Waiting['refuse'],
  ): void {
    const onGone = () => {
      this.#remove(waiting);
      refuse(new ClientGone());
    };
    const waiting: Waiting = {
      flow,
      arrival,
      priority,
      since_ms: performance.now(),
      enter: (place) => {
        arrival.response.off('close', onGone);
        enter(place);
      },
      refuse: (error) => {
        arrival.response.off('close', onGone);
        refuse(error);
      },
    };
    arrival.response.once('close', onGone);
    this.#standing_since_ms ??= waiting.since_ms;
    flow.waiting[PRIORITIES.indexOf(priority)]?.push(waiting);
    flow.waiting_count += 1;
    this.#waiting_count += 1;
    this.#waiting_flows.add(flow);
    if (this.#waiting_count > Math.max(WAITING.fewest, WAITING.times * this.limit)) {
      this.#turnAway(this.#leastWorth());
    }
    this.#next();
  }

  #remove(waiting: Waiting): void {
    const { flow, priority } = waiting;
    const queue = flow.waiting[PRIORITIES.indexOf(priority)] ?? [];
    const at = queue.indexOf(waiting);
    if (at < 0) return;
    queue.splice(at, 1);
    flow.waiting_count -= 1;
    this.#waiting_count -= 1;
    if (flow.waiting_count === 0) this.#waiting_flows.delete(flow);
    if (this.#waiting_count === 0) this.#standing_since_ms = undefined;
    this.#forget(flow);
  }

  /** Of the caller that wants most of all: its cheapest, that came last. */
  #leastWorth(): Waiting | undefined {
    const wanted = (flow: Flow) => flow.weight + flow.waiting_count;
    let most: Flow | undefined;
    for (const flow of this.#waiting_flows) {
      if (most === undefined || wanted(flow) > wanted(most)) most = flow;
    }
    return most?.waiting.findLast((queue) => queue.length > 0)?.at(-1);
  }

  #turnAway(waiting: Waiting | undefined): void {
    if (waiting === undefined) return;
    this.#remove(waiting);
    this.noteShed(waiting.priority);
    waiting.refuse(refusal(waiting.priority));
  }

  /** Counts what is turned away; the log has a line of all of it now and then. */
  noteShed(priority: Priority): void {
    this.#shed[priority] = (this.#shed[priority] ?? 0) + 1;
    this.#onShed(priority);
  }

  /** What is for anyone and takes no place, as pages from memory do, is turned away by this. */
  refuseIfOverloaded(): void {
    if (!this.is_overloaded) return;
    this.noteShed('open');
    throw refusal('open');
  }

  /** Lets in who is next, as long as there is room. */
  #next(): void {
    while (this.#waiting_count > 0 && this.#in_flight < this.limit) {
      const waiting = this.#nextOf(this.#leastServed());
      if (waiting === undefined) return;
      const { flow, priority, arrival } = waiting;
      const place = this.#place(flow, priority, arrival.operation);
      this.#remove(waiting);
      waiting.enter(place);
    }
  }

  #leastServed(): Flow | undefined {
    let least: Flow | undefined;
    for (const flow of this.#waiting_flows) {
      const is_less =
        least === undefined ||
        flow.weight < least.weight ||
        (flow.weight === least.weight && flow.served_at < least.served_at);
      if (is_less) least = flow;
    }
    return least;
  }

  #nextOf(flow: Flow | undefined): Waiting | undefined {
    return flow?.waiting.find((queue) => queue.length > 0)?.[0];
  }

  readonly #tick = (): void => {
    const now_ms = performance.now();
    const late_ms = Math.max(0, now_ms - this.#ticked_at_ms - TICK_MS);
    this.#late_ms = Math.max(this.#late_ms, late_ms);
    this.#ticked_at_ms = now_ms;
    // Nobody is turned away for time in which the process was held up.
    if (this.#waiting_count > 0) this.#turnAwayLate(now_ms - late_ms);
    const elapsed_ms = now_ms - this.#turned_at_ms;
    if (elapsed_ms >= TURN_MS) this.#turn(now_ms, elapsed_ms);
    if (now_ms - this.#logged_at_ms >= LOG_MS) this.#log(now_ms);
  };

  #turnAwayLate(now_ms: number): void {
    const is_standing = this.is_overloaded;
    const longest_ms = ({ flow, priority }: Waiting): number => {
      if (!is_standing) return WAIT_MS.burst;
      // Who has nothing being worked on is next, and need not be told to come again.
      return DEAR.has(priority) || flow.weight === 0 ? WAIT_MS.dear : WAIT_MS.other;
    };
    for (const flow of [...this.#waiting_flows]) {
      for (const queue of flow.waiting) {
        for (;;) {
          const [first] = queue;
          if (first === undefined || now_ms - first.since_ms < longest_ms(first)) break;
          this.#turnAway(first);
        }
      }
    }
  }

  #turn(now_ms: number, elapsed_ms: number): void {
    this.#limit.turn({
      elapsed_ms,
      peak: this.#peak,
      has_waited: this.#has_waited,
      late_ms: this.#late_ms,
    });
    this.#turned_at_ms = now_ms;
    this.#peak = this.#in_flight;
    this.#has_waited = this.#waiting_count > 0;
    this.#late_ms = 0;
    this.#next();
  }

  #log(now_ms: number): void {
    if (Object.keys(this.#shed).length === 0) return;
    this.#logged_at_ms = now_ms;
    const { in_flight, limit, waiting } = this;
    this.#logger.warn({ turned_away: this.#shed, in_flight, limit, waiting }, 'overloaded');
    this.#shed = {};
  }
}
