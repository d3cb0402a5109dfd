import { ENVIRONMENTS, type Environment } from '../context';
import { isUuid } from '../values';

/** The one stream, shared by all services and both environments. */
export const STREAM = 'CREDIT';
const PREFIX = 'credit.v1';

/** All subjects of the stream. */
export const STREAM_SUBJECTS = `${PREFIX}.>`;

/** Where an event goes: `credit.v1.live.p07.account_changed`. */
export function eventSubject(environment: Environment, partition: number, type: string): string {
  return `${PREFIX}.${environment}.p${String(partition).padStart(2, '0')}.${type}`;
}

/** All events of a type. One filter and not a list: nats-server 2.9 knows only one. */
export function typeFilter(type: string): string {
  return `${PREFIX}.*.*.${type}`;
}

/** Where it is told that the stream lost its end: seen by all who may ask about the stream. */
export const LOSS_SUBJECTS = `${PREFIX}.lost.*`;

/** What a stream that lost its end is known by. */
export interface Loss {
  readonly id: string;
  /** Nothing is missing that was published before. */
  readonly since_ms: number;
}

/** Under what a loss is told: `credit.v1.lost.{id}-{since_ms}`. */
export function lossSubject(loss: Loss): string {
  return `${PREFIX}.lost.${loss.id}-${loss.since_ms}`;
}

/** The loss that a subject tells of; undefined when it tells of none. */
export function parseLoss(subject: string): Loss | undefined {
  const [id, since] =
    /^credit\.v1\.lost\.([0-9a-f-]{36})-(\d{1,15})$/.exec(subject)?.slice(1) ?? [];
  if (id === undefined || !isUuid(id)) return undefined;
  return { id, since_ms: Number(since) };
}

/** Name of the durable consumer with which a service takes in a type of event. */
export function durableName(service: string, type: string): string {
  return `${service}-${type}`;
}

/** The parts of an event's subject; undefined when it is none. */
export function parseSubject(
  subject: string,
): { environment: Environment; partition: number; type: string } | undefined {
  const [product, version, name, partition, type, ...rest] = subject.split('.');
  const environment = asEnvironment(name);
  if (`${product}.${version}` !== PREFIX || rest.length > 0) return undefined;
  if (environment === undefined || type === undefined) return undefined;
  if (partition === undefined || !/^p\d\d$/.test(partition)) return undefined;
  return { environment, partition: Number(partition.slice(1)), type };
}

/** Narrows a text to an environment. */
export function asEnvironment(text: string | undefined): Environment | undefined {
  return ENVIRONMENTS.find((environment) => environment === text);
}
