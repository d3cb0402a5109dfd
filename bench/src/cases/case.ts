// How a case is written: a file in this folder that exports a `BenchCase`, listed in index.ts.
// A case of the REST API is three lines beside its own SQL:
//
//   open: inSharedWorld((world) => ({                  // a system, a member, its accounts
//     unit: 'events',
//     limit_name: 'what it is measured against',
//     system: throughGateway(world, (number) => ({     // CONNECTIONS callers, one request each
//       path: `/accounts/${nth(world.accounts, number).id}/events`,
//       body: { event_type: 'PAYMENT_MADE', … },       // makes it a POST with a fresh key
//     })),
//     limit: againstPgbench(world, { schemas, script }),
//   }))
//
// A case with a set-up of its own writes `open` itself: see webhook-deliveries.ts.

import { randomUUID } from 'node:crypto';
import { SESSION_SETTINGS } from '@credit/platform/db';
import type { Comparison, Contest, Field, Run } from '../interleave';
import { type LoadRequest, load } from '../load';
import { pgbench } from '../pgbench';
import { createWorld, inSchemas, type World } from '../world';

/** A named benchmark. */
export interface BenchCase {
  readonly name: string;
  readonly title: string;
  /** The ratio that is wanted of a contest; a field's comparisons say their own. */
  readonly target?: number;
  /** As long as it may take among all cases, from the start of its system to the end. */
  readonly bound_s: number;
  /** In a run of all cases those of one world come one after another, and have it together. */
  readonly shares_world?: true;
  /** Starts what the contest needs. */
  open(): Promise<OpenCase>;
}

/** A contest that is ready to run. */
export interface OpenCase {
  readonly contest: Contest | Field;
  /** What the started system has printed. */
  output(): string;
  stop(): Promise<void>;
}

export const CONNECTIONS = 32;
export const ACCOUNTS = 500;
/** Until so many clients of pgbench have planned their statements, by what that takes on two cores. */
export function warmUpOf(clients: number): number {
  if (clients > CONNECTIONS) return 9;
  return clients === CONNECTIONS ? 3 : 1;
}

let shared: Promise<World> | undefined;

/** The world of the usual size, for cases that change nothing in it but accounts' histories. */
export async function sharedWorld(): Promise<World> {
  shared ??= createWorld(ACCOUNTS);
  const world = await shared.catch((error: unknown) => {
    // The next case tries again.
    shared = undefined;
    throw error;
  });
  // It is left to the next one, and stopped by whoever runs cases.
  return { ...world, stop: () => Promise.resolve() };
}

/** Stops it, where there is one. */
export async function stopSharedWorld(): Promise<void> {
  const stopped = shared;
  shared = undefined;
  await (await stopped)?.stop();
}

type Prepare = (world: World) => Contest | Field | Promise<Contest | Field>;

/** Opens a case in a world of its own; what `prepare` fails at stops it again. */
export function inWorld(
  prepare: Prepare,
  options: {
    readonly accounts: number;
    /** Of the system. */
    readonly environment?: Record<string, string>;
  },
): () => Promise<OpenCase> {
  return opening(() => createWorld(options.accounts, options.environment), prepare);
}

/** The same in the one that cases share. */
export const inSharedWorld = (prepare: Prepare) => opening(sharedWorld, prepare);

function opening(make: () => Promise<World>, prepare: Prepare): () => Promise<OpenCase> {
  return async () => {
    const world = await make();
    try {
      return {
        contest: await prepare(world),
        output: () => world.system.output(),
        stop: () => world.stop(),
      };
    } catch (error) {
      await world.stop();
      throw error;
    }
  };
}

/** A request of the world's member. */
export interface MemberRequest {
  /** Below /api/v1. */
  readonly path: string;
  /** Makes it a POST, with an Idempotency-Key that no other request has. */
  readonly body?: unknown;
}

/** A payment on an account, told of by itself. */
export function payment(account_id: string, number: number) {
  return {
    path: `/accounts/${account_id}/events`,
    body: {
      event_type: 'PAYMENT_MADE',
      occurred_at: new Date().toISOString(),
      amount: 10,
      balance_after: 1000 + (number % 1000),
    },
  };
}

/** A look at a subject's profile, with its inquiry. */
export const look = (subject_id: string): MemberRequest => ({
  path: `/credit/${subject_id}?purpose=ACCOUNT_REVIEW`,
});

/** The system's side of a contest: its member's requests through the gateway. */
export function throughGateway(
  world: World,
  next: (number: number) => MemberRequest,
  connections = CONNECTIONS,
): Run {
  return asMember({ base_url: world.system.base_url, token: world.token }, next, connections);
}

/**
 * A member's requests, one after another on each connection. `next` gets the request's number, from 1
 * on over all slices.
 */
export function asMember(
  caller: { readonly base_url: string; readonly token: string },
  next: (number: number) => MemberRequest,
  connections = CONNECTIONS,
): Run {
  const url = new URL(caller.base_url);
  const authorization = `Bearer ${caller.token}`;
  const keys = randomUUID();
  let number = 0;
  return (slice_s) =>
    load({
      base_url: url.origin,
      connections,
      slice_s,
      next(): LoadRequest {
        number += 1;
        const { path, body } = next(number);
        const request = { path: `${url.pathname}${path}` };
        if (body === undefined) return { ...request, method: 'GET', headers: { authorization } };
        return {
          ...request,
          method: 'POST',
          headers: {
            authorization,
            'content-type': 'application/json',
            'idempotency-key': `${keys}-${number}`,
          },
          body: JSON.stringify(body),
        };
      },
    });
}

/** The limit's side: a script that pgbench runs in the world's database. */
export function againstPgbench(
  world: World,
  options: { readonly schemas: string; readonly script: string; readonly clients?: number },
): Run {
  // Planned as the services plan them.
  const url = inSchemas(world.admin_url, options.schemas, SESSION_SETTINGS);
  const { script, clients = CONNECTIONS } = options;
  const warm_up_s = warmUpOf(clients);
  return (slice_s) => pgbench({ url, script, clients, slice_s, warm_up_s });
}

/** A limit that is a rate to keep up with, and latencies that are to be kept under. */
export function atRate(rate_per_s: number, p99_ms: number): Run {
  return (slice_s) => Promise.resolve({ count: slice_s * rate_per_s, elapsed_s: slice_s, p99_ms });
}

/** Of what a case reports at a rate: whether the rate is kept, and how late the slowest hundredth is. */
export function latencies({ name, title }: BenchCase): Comparison[] {
  const places = { system: 0, limit: 1 };
  return [
    {
      ...{ name, title, ...places, unit: 'events', measure: 'rate', target: 0.95 },
      limit_name: 'the rate at which they are reported',
    },
    {
      ...{ name: `${name}-p99`, title: `${title}: the slowest hundredth`, ...places },
      ...{ unit: 'ms', measure: 'p99', target: 1 },
      limit_name: 'what is wanted of it',
    },
  ];
}

/** One of a list that is gone through again and again. */
export function nth<T>(list: readonly T[], number: number): T {
  const item = list[number % list.length];
  if (item === undefined) throw new Error('The list is empty.');
  return item;
}
