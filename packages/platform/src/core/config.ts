import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** A positive whole number from the environment. */
export const count = (fallback: number) => z.coerce.number().int().positive().default(fallback);

/** A comma list from the environment: spaces around entries and empty ones do not count. */
export const commaList = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  );

/** A switch in the environment: `on` or `off`, which it is unless set. */
export const onOff = z
  .enum(['on', 'off'])
  .default('off')
  .transform((word) => word === 'on');

/** What the environment must hold for any service: see docs for each name. */
export const serviceConfig = z.object({
  /** Where this service's gRPC listens, `host:port`. */
  RPC_ADDRESS: z.string().regex(/^.+:\d+$/, 'must be host:port'),
  /** Where health checks alone are answered in plain text, for probes; nowhere unless set. */
  HEALTH_ADDRESS: z
    .string()
    .regex(/^.+:\d+$/, 'must be host:port')
    .optional(),
  NATS_URL: z.string().min(1),
  /** Copies of the event stream, for whoever makes it; more than one needs a JetStream cluster of at
   * least as many servers. */
  NATS_STREAM_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  /** Events of one type that go through NATS as one message at most, 64 unless set; 1 for builds that
   * know of no groups. */
  EVENTS_PER_MESSAGE: z.coerce.number().int().min(1).max(256).optional(),
  DB_POOL_SIZE: count(10),
  /** How old what a replica shows may be, 5 s unless set; beyond it the primary is asked. */
  REPLICA_MAX_LAG_MS: z.coerce.number().int().min(100).max(60_000).optional(),
});

/** A server that follows, for reads that may lag; without it the primary is asked. */
export const replicaUrl = z.string().startsWith('postgres').optional();

/** What the command that looks after the stream reads. */
export const streamConfig = serviceConfig
  .pick({ NATS_URL: true, NATS_STREAM_REPLICAS: true })
  // Longer than the outboxes keep their rows would help nobody.
  .extend({ NATS_STREAM_MAX_AGE_DAYS: z.coerce.number().int().min(1).max(14).default(14) });

/** A service with test and live data: one database role for each. */
export const twoDatabases = z.object({
  DATABASE_URL_LIVE: z.string().startsWith('postgres'),
  DATABASE_URL_TEST: z.string().startsWith('postgres'),
  DATABASE_REPLICA_URL_LIVE: replicaUrl,
  DATABASE_REPLICA_URL_TEST: replicaUrl,
});

/** The configuration is wrong: the message is one sentence for an operator. */
export class ConfigError extends Error {}

/** What ends the name of a variable that names a file with the value of another one. */
const FILE = '_FILE';

/**
 * The variables that a schema asks for, those too whose value is in a file: `NAME_FILE` names it, and a file
 * that is not there counts as not set, as an optional Secret that nobody made. A file is not shown to whoever
 * may look at a process's environment, or at a pod's description.
 */
function withFiles(schema: z.ZodType, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const found: NodeJS.ProcessEnv = { ...environment };
  for (const name of namesOf(schema)) {
    const file = environment[`${name}${FILE}`];
    if (!file) continue;
    if (environment[name]) throw new ConfigError(`${name} is set twice, once by ${name}${FILE}.`);
    try {
      found[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
      throw new ConfigError(`${name}${FILE} names what cannot be read.`);
    }
  }
  return found;
}

function namesOf(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  return schema instanceof z.ZodPipe ? namesOf(schema.in as z.ZodType) : [];
}

/**
 * Reads a service's configuration. Throws {@link ConfigError} naming every
 * variable that is missing or wrong; values are never shown, they may be secret.
 */
export function loadConfig<Schema extends z.ZodType>(
  schema: Schema,
  environment: NodeJS.ProcessEnv = process.env,
): z.output<Schema> {
  // An empty variable counts as not set, as in compose files and manifests.
  const present = Object.fromEntries(
    Object.entries(withFiles(schema, environment)).filter(
      ([, value]) => value !== undefined && value !== '',
    ),
  );
  const parsed = schema.safeParse(present);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => {
    const name = issue.path.join('.');
    const missing = name !== '' && present[name] === undefined;
    return missing ? `${name} is not set` : `${name} ${issue.message}`;
  });
  throw new ConfigError(`The configuration is wrong: ${faults.join('; ')}.`);
}
