import { EventEmitter } from 'node:events';
import { type Operation, type OperationId, operations, type Priority } from '@credit/contract';
import type { AppError } from '@credit/platform/errors';
import { ClientGone } from '../body';
import { LoadGate, type Place } from './load-gate';

const declared = operations as unknown as Record<OperationId, Operation>;

/** A request at the gate and what has become of it. */
class Request {
  readonly response = Object.assign(new EventEmitter(), { destroyed: false });
  state: 'waits' | 'in' | 'turned away' | 'gone' = 'waits';
  place: Place | undefined;
  error: AppError | undefined;

  constructor(
    gate: LoadGate,
    readonly flow: string,
    readonly id: OperationId,
  ) {
    const arrival = { operation: declared[id], flow, response: this.response };
    const entered = gate.enter(arrival);
    if (entered instanceof Promise) entered.then(this.#enter, this.#refuse);
    else this.#enter(entered);
  }

  readonly #enter = (place: Place): void => {
    this.state = 'in';
    this.place = place;
  };

  readonly #refuse = (error: unknown): void => {
    this.state = error instanceof ClientGone ? 'gone' : 'turned away';
    this.error = error as AppError;
  };

  leave(): void {
    this.place?.leave(true);
  }
}

let shed: Priority[] = [];
const warn = jest.fn();
let gate: LoadGate;

function open(options: { min: number; max: number }): void {
  gate = new LoadGate({
    min_in_flight: options.min,
    max_in_flight: options.max,
    logger: { warn },
    onShed: (priority) => shed.push(priority),
  });
  gate.begin();
}

function ask(flow: string, id: OperationId, count = 1): Request[] {
  return Array.from({ length: count }, () => new Request(gate, flow, id));
}

const states = (requests: readonly Request[]) => requests.map(({ state }) => state);
const countIn = (requests: readonly Request[]) =>
  requests.filter(({ state }) => state === 'in').length;

beforeEach(() => {
  shed = [];
  warn.mockClear();
  jest.useFakeTimers();
  open({ min: 4, max: 4 });
});

afterEach(() => {
  gate.end();
  jest.useRealTimers();
});

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

test('lets in what there is room for, at once', () => {
  const requests = ask('lender', 'getAccount', 4);
  expect(countIn(requests)).toBe(4);
  expect([gate.in_flight, gate.waiting]).toEqual([4, 0]);
});

test('who waits comes in when a place is left', async () => {
  const first = ask('lender', 'getAccount', 4);
  const [next] = ask('lender', 'getAccount');
  await pass(10);
  expect(next?.state).toBe('waits');
  first[0]?.leave();
  await pass(0);
  expect(next?.state).toBe('in');
  expect(gate.in_flight).toBe(4);
});

test('who waits too long is turned away, with a reason and a time', async () => {
  ask('lender', 'getAccount', 4);
  const late = ask('lender', 'getAccount', 3);
  await pass(450);
  expect(states(late)).toEqual(['waits', 'waits', 'waits']);
  await pass(100);
  expect(states(late)).toEqual(['turned away', 'turned away', 'turned away']);
  expect(late[0]?.error).toMatchObject({ code: 'INTERNAL_ERROR', reason: 'OVERLOADED' });
  for (const { error } of late) {
    expect(error?.retry_after_s).toBeGreaterThanOrEqual(1);
    expect(error?.retry_after_s).toBeLessThanOrEqual(4);
  }
  expect(shed).toEqual(['read', 'read', 'read']);
});

test('of one caller the dearest come first', async () => {
  const first = ask('lender', 'getAccount', 4);
  const asked = (['listAccounts', 'getAccount', 'getCreditProfile', 'reportEvent'] as const).map(
    (id) => ask('lender', id)[0] as Request,
  );
  const order: string[] = [];
  for (const held of first) {
    held.leave();
    await pass(1);
    order.push(
      ...asked.filter(({ state, id }) => state === 'in' && !order.includes(id)).map(({ id }) => id),
    );
  }
  expect(order).toEqual(['reportEvent', 'getCreditProfile', 'getAccount', 'listAccounts']);
});

test('under lasting overload lists and reads are turned away sooner than writes with a key', async () => {
  ask('lender', 'getAccount', 4);
  for (let ms = 0; ms < 1_500; ms += 50) {
    ask('lender', 'getAccount');
    await pass(50);
  }
  expect(gate.is_overloaded).toBe(true);
  const [read] = ask('lender', 'getAccount');
  const [write] = ask('lender', 'reportEvent');
  await pass(150);
  expect([read?.state, write?.state]).toEqual(['turned away', 'waits']);
  await pass(200);
  expect(write?.state).toBe('turned away');
});

test('a caller with little being worked on comes before one with much', async () => {
  const flood = ask('flood', 'reportEvent', 4);
  ask('flood', 'reportEvent', 20);
  const [steady] = ask('steady', 'getAccount');
  await pass(1);
  flood[0]?.leave();
  await pass(1);
  expect(steady?.state).toBe('in');
});

test('callers who want more than there is have equal parts of it', async () => {
  gate.end();
  open({ min: 10, max: 10 });
  const served = { one: 0, other: 0 };
  const working: { request: Request; until_ms: number }[] = [];
  const asked: Request[] = [];
  for (let ms = 0; ms < 5_000; ms += 10) {
    // Twenty for one's five, when there is room for one.
    asked.push(...ask('one', 'getAccount', 20), ...ask('other', 'getAccount', 5));
    await pass(10);
    for (const request of asked.splice(0)) {
      if (request.state === 'waits') asked.push(request);
      if (request.state === 'in') working.push({ request, until_ms: ms + 100 });
    }
    for (const held of working.splice(0)) {
      if (held.until_ms > ms) {
        working.push(held);
      } else {
        held.request.leave();
        served[held.request.flow as keyof typeof served] += 1;
      }
    }
  }
  expect(served.other / served.one).toBeGreaterThan(0.8);
  expect(served.one + served.other).toBeGreaterThan(350);
});

test('what waits is bounded; who wants most loses its cheapest', async () => {
  ask('flood', 'reportEvent', 4);
  const lists = ask('flood', 'listAccounts', 10);
  const writes = ask('flood', 'reportEvent', 300);
  const [other] = ask('other', 'listAccounts');
  await pass(1);
  expect(gate.waiting).toBe(128);
  expect(new Set(states(lists))).toEqual(new Set(['turned away']));
  expect(writes.filter(({ state }) => state === 'waits')).toHaveLength(127);
  expect(other?.state).toBe('waits');
});

test('who goes while waiting leaves nothing behind', async () => {
  const first = ask('lender', 'getAccount', 4);
  const waiting = ask('lender', 'reportEvent', 5);
  for (const { response } of waiting) response.emit('close');
  await pass(1);
  expect(new Set(states(waiting))).toEqual(new Set(['gone']));
  expect(gate.waiting).toBe(0);
  expect(waiting.every(({ response }) => response.listenerCount('close') === 0)).toBe(true);
  for (const held of first) held.leave();
  expect(gate.in_flight).toBe(0);
  expect(shed).toEqual([]);
});

test('who waits for its client has no place meanwhile, and has it again at once', async () => {
  const [slow, ...others] = ask('lender', 'reportEvent', 4);
  slow?.place?.giveBack();
  const [next] = ask('other', 'getAccount');
  expect(next?.state).toBe('in');
  slow?.place?.takeAgain();
  expect(gate.in_flight).toBe(5);
  slow?.leave();
  slow?.leave();
  next?.leave();
  for (const held of others) held.leave();
  expect(gate.in_flight).toBe(0);
});

test('after a flood it serves as before, at once', async () => {
  const held = ask('flood', 'getAccount', 4);
  for (let ms = 0; ms < 3_000; ms += 20) {
    ask('flood', 'listAccounts', 5);
    await pass(20);
  }
  expect(gate.is_overloaded).toBe(true);
  await pass(500);
  for (const one of held) one.leave();
  expect(gate.waiting).toBe(0);
  expect(gate.is_overloaded).toBe(false);
  expect(countIn(ask('steady', 'listAccounts', 4))).toBe(4);
});

test('pages for anyone are turned away under overload alone', async () => {
  expect(() => gate.refuseIfOverloaded()).not.toThrow();
  ask('flood', 'getAccount', 4);
  for (let ms = 0; ms < 1_500; ms += 50) {
    ask('flood', 'getAccount', 2);
    await pass(50);
  }
  expect(() => gate.refuseIfOverloaded()).toThrow('overloaded');
});

test('the log has one line of many that were turned away', async () => {
  await pass(10_000);
  ask('flood', 'getAccount', 4);
  ask('flood', 'getAccount', 50);
  ask('flood', 'reportEvent', 20);
  await pass(1_000);
  expect(shed).toHaveLength(70);
  await pass(9_000);
  expect(warn.mock.calls.length).toBeLessThanOrEqual(2);
  const lines = warn.mock.calls.map(([line]) => line.turned_away);
  const total = (priority: Priority) => lines.reduce((sum, line) => sum + (line[priority] ?? 0), 0);
  expect([total('read'), total('keyed_write')]).toEqual([50, 20]);
});
