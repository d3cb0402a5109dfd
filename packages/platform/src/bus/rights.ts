import type { EventType } from './consumer';
import { durableName, LOSS_SUBJECTS, STREAM, typeFilter } from './subjects';

/** What a service does on the bus; it is allowed this and no more. */
export interface BusUse {
  readonly publishes: readonly EventType[];
  readonly consumes: readonly EventType[];
  /** Makes the stream when there is none: only who holds the record. */
  readonly makes_stream?: true;
}

/**
 * The services by what they publish and take in. The server's permissions are made of it, so that
 * a service that is taken over can neither forge what another one says nor read what is not for it.
 */
export const BUS_USE = {
  identity: {
    publishes: ['audit_recorded', 'dispute_link_mailed', 'institution_changed', 'subject_asked'],
    consumes: [
      'audit_recorded',
      'dispute_answered',
      'dispute_mail_owed',
      'dispute_opened',
      'dispute_resolved',
      'event_log_grown',
      'inquiry_recorded',
      'record_corrected',
      'subject_records_moved',
    ],
  },
  reporting: {
    publishes: [
      'account_changed',
      'audit_recorded',
      'default_reported',
      'delinquency_reported',
      'event_log_grown',
      'fact_reinserted',
      'fact_voided',
      'inquiry_recorded',
      'record_corrected',
      'subject_merged',
      'subject_records_moved',
      'subject_renamed',
      'subject_split',
    ],
    consumes: ['dispute_opened', 'dispute_resolved', 'subject_asked'],
    makes_stream: true,
  },
  scoring: {
    publishes: ['audit_recorded'],
    consumes: ['account_changed', 'inquiry_recorded', 'subject_records_moved'],
  },
  disputes: {
    publishes: [
      'audit_recorded',
      'dispute_answered',
      'dispute_mail_owed',
      'dispute_opened',
      'dispute_resolved',
    ],
    consumes: ['dispute_link_mailed', 'fact_reinserted', 'subject_records_moved'],
  },
  webhooks: {
    publishes: ['audit_recorded'],
    consumes: [
      'default_reported',
      'delinquency_reported',
      'dispute_answered',
      'dispute_opened',
      'dispute_resolved',
      'fact_voided',
      'institution_changed',
      'record_corrected',
      'subject_merged',
      'subject_renamed',
      'subject_split',
    ],
  },
} as const satisfies Readonly<Record<string, BusUse>>;

/** Makes the stream and changes its settings, from a job that runs before the services. */
export const STREAM_KEEPER = 'stream';

/** Everybody whom a server knows. */
export const BUS_USERS: readonly string[] = [...Object.keys(BUS_USE), STREAM_KEEPER];

/** The subjects that somebody may publish on and subscribe to. */
export interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** What a service does on the bus; undefined for whoever is none. */
export function busUseOf(service: string): BusUse | undefined {
  return Object.hasOwn(BUS_USE, service) ? BUS_USE[service as keyof typeof BUS_USE] : undefined;
}

/** Answers come here. Of each its own: under a common one all could read each other's events. */
export function inboxPrefixOf(user: string): string {
  return `_INBOX.${user}`;
}

/**
 * The least that the bus needs. Whoever is no service looks after the stream. Nobody may delete or
 * purge events, and only the keeper may change the stream.
 */
export function permissionsOf(user: string): Permissions {
  const api = '$JS.API';
  const subscribe = [`${inboxPrefixOf(user)}.>`];
  const info = `${api}.STREAM.INFO.${STREAM}`;
  const create = `${api}.STREAM.CREATE.${STREAM}`;
  const use = busUseOf(user);
  if (use === undefined) {
    return { publish: [info, create, `${api}.STREAM.UPDATE.${STREAM}`], subscribe };
  }
  return {
    publish: [
      ...use.publishes.map(typeFilter),
      LOSS_SUBJECTS,
      info,
      ...(use.makes_stream ? [create] : []),
      ...use.consumes.flatMap((type) => {
        const durable = durableName(user, type);
        return [
          // The server refuses a request whose filter is not the one in its subject.
          `${api}.CONSUMER.CREATE.${STREAM}.${durable}.${typeFilter(type)}`,
          `${api}.CONSUMER.INFO.${STREAM}.${durable}`,
          // To begin again when the stream lost its end: the position may lie behind what comes.
          `${api}.CONSUMER.DELETE.${STREAM}.${durable}`,
          `${api}.CONSUMER.MSG.NEXT.${STREAM}.${durable}`,
          `$JS.ACK.${STREAM}.${durable}.>`,
        ];
      }),
    ],
    subscribe,
  };
}

/** Where a password comes from: written down, or a variable of the server's environment. */
export type ServerPassword = { readonly text: string } | { readonly variable: string };

/**
 * The part of a nats-server's configuration that says who may do what. Without passwords users are
 * known by the names in their certificates. `administrator` may do everything.
 */
export function serverAuthorization(
  passwordOf?: (user: string) => ServerPassword,
  administrator?: { readonly name: string; readonly password: ServerPassword },
): string {
  const named = (user: string, password: ServerPassword | undefined) => [
    `user: ${JSON.stringify(user)}`,
    ...(password === undefined ? [] : [`password: ${written(password)}`]),
  ];
  const list = (subjects: readonly string[]) =>
    `[\n${subjects.map((subject) => `          ${JSON.stringify(subject)}\n`).join('')}        ]`;
  const users = BUS_USERS.map((user) => {
    const { publish, subscribe } = permissionsOf(user);
    const lines = [
      ...named(user, passwordOf?.(user)),
      `permissions: {\n        publish: ${list(publish)}\n        subscribe: ${list(subscribe)}\n      }`,
    ];
    return `    {\n${lines.map((line) => `      ${line}\n`).join('')}    }`;
  });
  if (administrator !== undefined) {
    users.push(`    { ${named(administrator.name, administrator.password).join(', ')} }`);
  }
  return `authorization {\n  users: [\n${users.join('\n')}\n  ]\n}\n`;
}

function written(password: ServerPassword): string {
  return 'text' in password ? JSON.stringify(password.text) : `$${password.variable}`;
}
