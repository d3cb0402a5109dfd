import { createHash, createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Json } from '@credit/local/demo/client';
import { Client } from '@credit/local/demo/client';
import { type Receiver, startReceiver } from '@credit/local/demo/receiver';
import { type System, startSystem } from '@credit/local/spawned-system';
import { apiKeyChecksum } from '@credit/platform/credentials';
import { canonicalJson } from '@credit/platform/signing';
import { answersIn, Story } from '../support/examples-story';

/**
 * What the document shows as answers; UPDATE_EXAMPLES=1 writes what was answered now (`npx biome check --write`
 * then has it in the form of all files).
 */
const RECORDED = path.resolve(
  __dirname,
  '../../packages/contract/src/operations/recorded-answers.json',
);
const SETTINGS = {
  IDENTITY_PROVIDER: 'local',
  AUDIT_CHECKPOINT_POLL_MS: '200',
  RATE_LIMIT_PUBLIC_WRITES_PER_MINUTE: '100',
  // Mails are owed; nobody takes them.
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'Network <no-reply@network.example>',
};

/** What the endpoint of the examples says while it fails. */
const MAINTENANCE = {
  status: 503,
  headers: { 'content-type': 'application/json' },
  body: '{"error":"maintenance"}',
};

let system: System;
let receiver: Receiver;
let document: Json;
let is_failing = false;

beforeAll(async () => {
  system = await startSystem(SETTINGS);
  receiver = await startReceiver(system.data_directory, {
    answer: () => (is_failing ? MAINTENANCE : { status: 204 }),
  });
  document = await new Client(system.base_url).get<Json>('/openapi.json');
}, 240_000);
afterAll(async () => {
  await receiver?.stop();
  await system?.stop();
}, 60_000);

/** Their hashes and signatures are of what stands in them: another id would make them untrue. */
const PROOFS =
  /^(proveEvent|listAuditKeys|(list|prove)(Network)?Audit(Events?|Checkpoints|Consistency))$/;
/** Named by what is secret in them; the other texts of these names are shown as they are. */
const SECRET = /^svc_(?:live|test|at|rt|dt|inv|al|pt|si)_|^whsec_/;
const WORDS = ['Example', 'Another', 'Further'];

/** As long and as well-formed as the secret, and for everyone to see that it is none. */
function madeUp(secret: string, word: string): string {
  const prefix = SECRET.exec(secret)?.[0] ?? '';
  const is_key = /^svc_(live|test)_/.test(prefix);
  const length = secret.length - (is_key ? 6 : 0);
  const text = prefix + word.repeat(10).slice(0, length - prefix.length);
  return is_key ? text + apiKeyChecksum(text) : text;
}

/** Every secret in the answers, with what is shown for it. */
function secretsIn(said: Json): Map<string, string> {
  const shown = new Map<string, string>();
  const seen = new Map<string, number>();
  const visit = (value: unknown, key: string): void => {
    if (typeof value === 'string') {
      if (key === 'temporary_password') {
        const count = seen.get(key) ?? 0;
        seen.set(key, count + 1);
        shown.set(value, shown.get(value) ?? madeUp(value, String(WORDS[count])));
      }
      const prefix = SECRET.exec(value)?.[0];
      if (prefix === undefined || key === 'prefix' || shown.has(value)) return;
      const count = seen.get(prefix) ?? 0;
      seen.set(prefix, count + 1);
      const word = WORDS[count];
      if (word === undefined) throw new Error(`There are more secrets ${prefix}… than words.`);
      shown.set(value, madeUp(value, word));
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, item] of Object.entries(value)) visit(item, name);
    }
  };
  visit(said, '');
  return shown;
}

/** Of a second factor: as long, and for everyone to see that they are none. */
function factorSecrets(said: Record<string, Json>): [string, string][] {
  const codes = ['confirmSecondFactor', 'renewRecoveryCodes'].flatMap(
    (id): string[] => said[id]?.recovery_codes ?? [],
  );
  return [
    [String(said.beginSecondFactor?.secret), 'EXAMPLE2'.repeat(4)],
    ...codes.map((code, index): [string, string] => {
      const letter = String.fromCharCode('A'.charCodeAt(0) + index);
      return [code, `${letter.repeat(4)}-EXAM-PLEC-ODES`];
    }),
  ];
}

/** With the ids that all examples of the document share, and without any secret of this network. */
function inDocument(said: Record<string, Json>): Record<string, Json> {
  const secrets = secretsIn(said);
  const shown = new Map<string, string>([
    ...secrets,
    ...factorSecrets(said),
    ...[...secrets].flatMap(([secret, instead]): [string, string][] =>
      /^svc_(live|test)_/.test(secret) ? [[secret.slice(0, 16), instead.slice(0, 16)]] : [],
    ),
    [said.createSubject?.id, '0198a1c4-11aa-7e02-8c61-7a5b4c3d2e1f'],
    [said.createAccount?.id, '0198a1c5-3a00-7f4e-8b2a-6d5c4b3a2f10'],
    [said.reportEvent?.id, '0198a1c5-3f11-7b02-9e8d-7c6b5a4f3e21'],
    [said.getCreditProfile?.inquiry_id, '0198a1c5-2b7c-7a90-b4e1-9d8c7b6a5f40'],
    [said.createReport?.id, '0198a1c7-0a10-7b3c-8d4e-5f6a7b8c9d0e'],
    [said.getOwnInstitution?.id, '0198a1c2-6f00-7c3a-9d51-3f0e8b6a2c11'],
    [said.getCaller?.id, '0198a1c2-8a44-7f10-b1d3-6c2e9f0a7b21'],
    [said.listSessions?.[0].id, '0198a1c2-9b10-7d22-9f01-1c2d3e4f5a66'],
    [said.createInvitation?.id, '0198a1c2-7d10-7b6e-8f20-5a1d2c3b4e55'],
    [said.updateMember?.id, '0198a1c2-8a44-7f10-b1d3-6c2e9f0a7b22'],
    [said.createUser?.user.id, '0198a1c2-8a44-7f10-b1d3-6c2e9f0a7b23'],
    [said.createApiKey?.id, '0198a1c3-0c5e-7d1b-9a42-1b7f6e5d4c33'],
    [said.submitApplication?.id, '0198a1c1-5e6f-7a0b-8c1d-2e3f4a5b6c7d'],
    [said.submitContactRequest?.id, '0198a1c8-0a1b-7c2d-9e3f-4a5b6c7d8e9f'],
    [said.openDispute?.id, '0198a1c6-5d00-7a1c-9b7e-4c3b2a1f0e99'],
    [said.createWebhook?.id, '0198a1c7-1a2b-7c3d-8e4f-5a6b7c8d9e0f'],
    [said.retryDelivery?.id, '0198a1c7-9f00-7b1a-9c2d-3e4f5a6b7c8d'],
    [said.createImport?.id, '0198a1d1-2b3c-7d4e-8f50-61728394a5b6'],
    [new URL(said.beginMySignIn?.authorization_url).origin, 'https://identity.example'],
    [receiver.url, 'https://hooks.harbour.example'],
    [new URL(system.base_url).origin, 'https://credit-network.example'],
    [
      encodeURIComponent(new URL(system.base_url).origin),
      encodeURIComponent('https://credit-network.example'),
    ],
    ['"127.0.0.1"', '"203.0.113.7"'],
    [system.superadmin.email, 'administrator@credit-network.example'],
  ]);
  const replaced = (answers: Json): Record<string, Json> => {
    let text = JSON.stringify(answers);
    for (const [real, instead] of shown) text = text.replaceAll(real, instead);
    return JSON.parse(text);
  };
  const result: Record<string, Json> = {};
  for (const [id, answer] of Object.entries(said)) {
    result[id] = PROOFS.test(id) ? answer : (replaced({ answer }).answer as Json);
  }
  // It is of what is shown, with the ids that stand there.
  const { file } = result.getMyFile as Json;
  const content_hash = createHash('sha256').update(canonicalJson(file)).digest('hex');
  result.getMyFile = { ...result.getMyFile, content_hash };
  const signature = (timestamp: string, body: string) => {
    const hmac = createHmac('sha256', result.createWebhook?.secret);
    return `v1=${hmac.update(`${timestamp}.${body}`).digest('hex')}`;
  };
  const { headers, body } = result.testWebhook as Json;
  headers['Svc-Signature'] = signature(headers['Svc-Timestamp'], body);
  for (const { request } of result.listAttempts as unknown as Json[]) {
    const header = (wanted: string) =>
      request.headers.find(({ name }: Json) => name === wanted) as Json;
    header('Svc-Signature').value = signature(header('Svc-Timestamp').value, request.body);
  }
  return result;
}

const A_TIME = /^\d{4}-\d\d-\d\dT/;
const AN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Without what another run on another day has otherwise. */
function lasting(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => lasting(item));
  if (typeof value === 'string') {
    if (
      AN_ID.test(value) ||
      (A_TIME.test(value) && /^(created|updated|reported|expires)_at$/.test(key))
    ) {
      return typeof value;
    }
    return value;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, lasting(item, name)]),
  );
}

/** What an object is made of, to any depth. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value !== 'object' || value === null) return 'value';
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shapeOf(item)]));
}

/** What has the same figures on every day. */
const EXACTLY: readonly string[] = [
  'createSubject',
  'createSubjects',
  'getSubject',
  'updateSubject',
  'createAccount',
  'createAccounts',
  'reportEvent',
  'reportEvents',
  'getAccount',
  'listAccountEvents',
  'recordInquiry',
  'listFeed',
  'createInvitation',
  'createUser',
  'updateMember',
  'getInstitution',
];

test('the documented requests give the documented answers', async () => {
  const story = new Story(
    system,
    receiver,
    (is) => {
      is_failing = is;
    },
    document,
  );
  const said = inDocument(await story.tell());
  if (process.env.UPDATE_EXAMPLES === '1') {
    writeFileSync(RECORDED, `${JSON.stringify(said, null, 2)}\n`);
  }
  const documented = answersIn(document);
  // The document itself is too long to be shown in it.
  documented.delete('getOpenApi');
  expect(Object.keys(said).sort()).toEqual([...documented.keys()].sort());
  for (const [id, answer] of documented) {
    const like = EXACTLY.includes(id) ? lasting : shapeOf;
    expect({ id, answer: like(said[id]) }).toEqual({ id, answer: like(answer) });
  }
}, 120_000);
