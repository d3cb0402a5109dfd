import { platform, publicAccess, user } from '../access';
import { operation } from '../operation';
import {
  boolean,
  freeObject,
  id,
  integer,
  label,
  list,
  named,
  oneOf,
  orNull,
  page,
  queryNumber,
  reply,
  text,
  timestamp,
} from '../wire';
import recorded from './recorded-answers.json';

const auditEvent = named(
  'AuditEvent',
  reply({
    id: id(),
    at: timestamp(),
    actor: reply({
      type: label('user, api_key, system or anonymous.'),
      id: label(),
      name: orNull(label('Of a user or key of the log’s own, as it is called now.')),
    }),
    action: label('For example account.created.'),
    target: reply({
      type: label(),
      id: label(),
      name: orNull(label('Of a user, key, invitation, application or institution, as it is now.')),
    }),
    environment: oneOf(['live', 'test']),
    request_id: label(),
    ip: orNull(label()),
    changes: freeObject('What changed; never a secret.'),
  }),
);

const selection = {
  action: text({ max: 100, description: 'Only this action.' }).optional(),
  actor_id: id('Only what this user or key did.').optional(),
  target_id: id('Only what was done to this, alone or in a batch.').optional(),
  from: timestamp('At this time or later.').optional(),
  to: timestamp('Before this time.').optional(),
};
const filters = { ...selection, ...page };

/** The columns of an audit log as a file, in their order. */
export const AUDIT_COLUMNS = [
  'id',
  'at',
  'actor_type',
  'actor_id',
  'actor_name',
  'action',
  'target_type',
  'target_id',
  'target_name',
  'environment',
  'request_id',
  'ip',
  'changes',
] as const;

export const listAuditEvents = operation({
  id: 'listAuditEvents',
  method: 'GET',
  path: '/audit',
  tag: 'Audit',
  rpc: ['credit.identity.v1.IdentityService/ListAuditEvents'],
  summary: 'List audit events',
  description: 'What users, keys and administrators changed at your institution, newest first.',
  access: user('audit.read'),
  limit_class: 'STANDARD',
  may_lag: true,
  params: {},
  query: filters,
  status: 200,
  response: list(auditEvent),
  paging: 'PAGE',
  errors: [],
  examples: {
    query: { action: 'api_key.created' },
    response: recorded.listAuditEvents,
  },
});

export const listNetworkAuditEvents = operation({
  id: 'listNetworkAuditEvents',
  method: 'GET',
  path: '/admin/audit',
  tag: 'Administration',
  rpc: ['credit.identity.v1.IdentityService/ListNetworkAuditEvents'],
  summary: 'List the network’s audit events',
  description:
    'What administrators of the platform did, and what belongs to no institution: their logins, ' +
    'applications, contact requests, public disputes. Newest first. What an administrator did ' +
    'at an institution is in that institution’s log too; what its own people and keys did is ' +
    'in its log only.',
  access: platform('PLATFORM_ADMIN'),
  limit_class: 'STANDARD',
  may_lag: true,
  params: {},
  query: filters,
  status: 200,
  response: list(auditEvent),
  paging: 'PAGE',
  errors: [],
  examples: {
    query: { action: 'application.approved' },
    response: recorded.listNetworkAuditEvents,
  },
});

export const exportAuditEvents = operation({
  id: 'exportAuditEvents',
  method: 'GET',
  path: '/audit.csv',
  tag: 'Audit',
  rpc: ['credit.identity.v1.IdentityService/ListAuditEvents'],
  summary: 'Download your audit log',
  description:
    'What was changed at your institution, or what of it a filter leaves, as CSV (RFC 4180, UTF-8), ' +
    'newest first and as fast as you read. The first line names the columns: ' +
    `${AUDIT_COLUMNS.map((name) => `\`${name}\``).join(', ')}; \`changes\` is JSON, and what is ` +
    'missing is empty. A text that a spreadsheet would take for a formula has an apostrophe before ' +
    'it. A file that breaks off, instead of ending, is not whole: ask again. Two of an institution ' +
    'can be read at once, each for an hour at most.',
  access: user('audit.read'),
  limit_class: 'STANDARD',
  may_lag: true,
  params: {},
  query: selection,
  status: 200,
  stream: ['text/csv'],
  errors: [],
  examples: { query: { action: 'api_key.created' } },
});

export const exportNetworkAuditEvents = operation({
  ...exportAuditEvents,
  id: 'exportNetworkAuditEvents',
  path: '/admin/audit.csv',
  tag: 'Administration',
  rpc: ['credit.identity.v1.IdentityService/ListNetworkAuditEvents'],
  summary: 'Download the network’s audit log',
  description:
    'The network’s own audit log, or what of it a filter leaves, as the file that members get of ' +
    'theirs. Administrators together read two at once.',
  access: platform('PLATFORM_ADMIN'),
});

/** More than any log will have: a query's numbers have nine digits. */
const MAX_SIZE = 999_999_999;

const size = (description: string) => queryNumber({ min: 1, max: MAX_SIZE, description });

export const checkpoint = named(
  'Checkpoint',
  reply({
    origin: label('Which log.'),
    size: integer({ min: 1, description: 'How many entries it covers.' }),
    root_hash: label('The root of the Merkle tree (RFC 6962) over them, hexadecimal.'),
    signed_at: timestamp(),
    key_hash: label('Which of the published keys signed it.'),
    note: label('What was signed and the signature: a C2SP signed note. Keep it.'),
  }),
);

export const inclusion = named(
  'InclusionProof',
  reply({
    entry: label('The entry as it is hashed: a JSON array.'),
    index: integer({ min: 0, description: 'Where it stands in the log, from 0.' }),
    path: list(label('Hexadecimal.')),
    checkpoint,
  }),
);

const consistency = named(
  'ConsistencyProof',
  reply({ from: integer({ min: 1 }), to: integer({ min: 1 }), path: list(label('Hexadecimal.')) }),
);

export const coveringSize = {
  size: size('Of the checkpoint to prove it against; the newest one when left out.').optional(),
};

const sizes = {
  from: size('Of the checkpoint that you kept.'),
  to: size('Of a newer one.'),
};

export const listAuditKeys = operation({
  id: 'listAuditKeys',
  method: 'GET',
  path: '/public/audit-keys',
  tag: 'Public',
  rpc: ['credit.identity.v1.IdentityService/ListAuditKeys'],
  summary: 'Keys that checkpoints are signed with',
  description:
    'Public keys of the checkpoints of audit logs and of logs of credit events: the one that signs ' +
    'now, those before it, and the next one ahead of its time. Keep them apart from the checkpoints.',
  access: publicAccess,
  limit_class: 'STANDARD',
  params: {},
  status: 200,
  response: list(
    named(
      'AuditKey',
      reply({
        key_hash: label('How checkpoints name it.'),
        algorithm: oneOf(['Ed25519']),
        public_key: label('32 bytes in base64.'),
        current: boolean('New checkpoints are signed with it.'),
      }),
    ),
  ),
  errors: [],
  examples: {
    response: recorded.listAuditKeys,
  },
});

export const listAuditCheckpoints = operation({
  id: 'listAuditCheckpoints',
  method: 'GET',
  path: '/audit/checkpoints',
  tag: 'Audit',
  rpc: ['credit.identity.v1.IdentityService/ListAuditCheckpoints'],
  summary: 'List checkpoints of the audit log',
  description:
    "Signed states of your institution's audit log, newest first: one at least for every hour with " +
    'something new and for every 1,000 entries. Keep one, and nobody can change what it covers ' +
    'without your noticing.',
  access: user('audit.read'),
  limit_class: 'STANDARD',
  params: {},
  query: page,
  status: 200,
  response: list(checkpoint),
  paging: 'PAGE',
  errors: [],
  examples: { response: recorded.listAuditCheckpoints },
});

export const proveAuditEvent = operation({
  id: 'proveAuditEvent',
  method: 'GET',
  path: '/audit/{id}/proof',
  tag: 'Audit',
  rpc: ['credit.identity.v1.IdentityService/ProveAuditEvent'],
  summary: 'Prove that an audit event stands in the log',
  description:
    'The hashes that lead from an audit event to the root of a checkpoint. 404 until a checkpoint ' +
    'covers it, an hour at most.',
  access: user('audit.read'),
  limit_class: 'STANDARD',
  params: { id: id('The audit event.') },
  query: coveringSize,
  status: 200,
  response: inclusion,
  errors: ['NOT_FOUND'],
  examples: {
    params: { id: String(recorded.listAuditEvents[0]?.id) },
    response: recorded.proveAuditEvent,
  },
});

const sizesOf = ({ from, to }: { readonly from: number; readonly to: number }) => ({
  from: `${from}`,
  to: `${to}`,
});

export const proveAuditConsistency = operation({
  id: 'proveAuditConsistency',
  method: 'GET',
  path: '/audit/consistency',
  tag: 'Audit',
  rpc: ['credit.identity.v1.IdentityService/ProveAuditConsistency'],
  summary: 'Prove that the audit log only grew',
  description:
    'The hashes that show that the log of the newer checkpoint begins with all of the older one.',
  access: user('audit.read'),
  limit_class: 'STANDARD',
  params: {},
  query: sizes,
  status: 200,
  response: consistency,
  errors: ['NOT_FOUND'],
  examples: {
    query: sizesOf(recorded.proveAuditConsistency),
    response: recorded.proveAuditConsistency,
  },
});

export const listNetworkAuditCheckpoints = operation({
  ...listAuditCheckpoints,
  id: 'listNetworkAuditCheckpoints',
  path: '/admin/audit/checkpoints',
  tag: 'Administration',
  summary: 'List checkpoints of the network’s audit log',
  description: 'Signed states of the network’s own audit log, newest first.',
  access: platform('PLATFORM_ADMIN'),
  examples: { response: recorded.listNetworkAuditCheckpoints },
});

export const proveNetworkAuditEvent = operation({
  ...proveAuditEvent,
  id: 'proveNetworkAuditEvent',
  path: '/admin/audit/{id}/proof',
  tag: 'Administration',
  summary: 'Prove that an audit event stands in the network’s log',
  description:
    'The hashes that lead from an event of the network’s audit log to the root of a checkpoint. 404 ' +
    'until a checkpoint covers it, an hour at most.',
  access: platform('PLATFORM_ADMIN'),
  examples: {
    params: { id: String(recorded.listNetworkAuditEvents[0]?.id) },
    response: recorded.proveNetworkAuditEvent,
  },
});

export const proveNetworkAuditConsistency = operation({
  ...proveAuditConsistency,
  id: 'proveNetworkAuditConsistency',
  path: '/admin/audit/consistency',
  tag: 'Administration',
  summary: 'Prove that the network’s audit log only grew',
  description:
    'The hashes that show that the network’s log of the newer checkpoint begins with all of the older ' +
    'one.',
  access: platform('PLATFORM_ADMIN'),
  examples: {
    query: sizesOf(recorded.proveNetworkAuditConsistency),
    response: recorded.proveNetworkAuditConsistency,
  },
});
