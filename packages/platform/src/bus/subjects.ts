import { ENVIRONMENTS, type Environment } from '../context';

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
