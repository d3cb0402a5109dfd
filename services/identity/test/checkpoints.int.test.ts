import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { OutOfTurn } from '@credit/platform/bus';
import type { CallContext } from '@credit/platform/context';
import { systemContext } from '@credit/platform/context';
import {
  CheckpointKeys,
  eventsOrigin,
  Frontier,
  isConsistent,
  isIncluded,
  leafHash,
  noteOf,
  parseNote,
} from '@credit/platform/merkle';
import { newId } from '@credit/platform/runtime';
import { testLogger } from '@credit/testing';
import { checkpointAudit, checkpointChain } from '../src/commands/checkpoint-audit';
import { recordAuditEvents } from '../src/commands/record-audit-events';
import { signEventLog } from '../src/commands/sign-event-log';
import { recordText } from '../src/domain/audit-chain';
import { auditOrigin } from '../src/domain/audit-origin';
import { verifyAuditCommand } from '../src/operator/verify-audit-command';
import { verifyAuditChains } from '../src/queries/verify-audit-chain';
import { readChain } from '../src/store/audit';
import { auditEntry, codeOf, SIGNING_KEY, useIdentity } from './support/identity';

const identity = useIdentity();
const ctx = systemContext('live');
const keys = new CheckpointKeys(SIGNING_KEY);
const HOUR_MS = 3_600_000;

/** Signs whatever is there, or waits for the hour. */
const deps = (settings: { every_s?: number; checkpoint_keys?: CheckpointKeys } = {}) => ({
  db: identity.database.db,
  clock: { now_ms: () => Date.now() + 1_000 },
  checkpoint_keys: settings.checkpoint_keys ?? keys,
  config: { AUDIT_CHECKPOINT_EVERY_S: settings.every_s ?? 1 },
});

const entry = (chain_id: string, target_id: string, at = new Date().toISOString()) =>
  auditEntry(chain_id, target_id, { at, changes: '{"name":"ä\\u2028"}' });

/** Appends so many entries, in batches as the bus gives them. */
async function append(chain_id: string, count: number, at?: string): Promise<void> {
  for (let done = 0; done < count; done += 500) {
    const batch = Array.from({ length: Math.min(500, count - done) }, (_, index) =>
      entry(chain_id, `target ${done + index}`, at),
    );
    await identity.database.db.transaction(ctx, (tx) => recordAuditEvents(tx, batch));
  }
}

async function chainOf(count: number): Promise<string> {
  const chain_id = newId();
  await append(chain_id, count);
  return chain_id;
}

const sign = (chain_id: string, settings: Parameters<typeof deps>[0] = {}) =>
  checkpointChain(deps(settings), chain_id);

const sizesOf = async (chain_id: string) =>
  (
    await identity.sql<{ size: string }>(
      'SELECT size FROM audit_checkpoints WHERE origin = $1 ORDER BY size',
      [auditOrigin(chain_id)],
    )
  ).map(({ size }) => Number(size));

const report = async (chain_id: string, evidence: object = {}) => {
  const [found] = await verifyAuditChains(identity.database.db, ctx, chain_id, {
    verifier: keys.verifier,
    ...evidence,
  });
  return found;
};

/** Somebody of an institution whose chain it is. */
const reader = (chain_id: string): CallContext => ({
  ...identity.member.owner,
  institution_id: chain_id,
});

/** Writes a chain anew from a place on, as who owns the database can: every hash fits. */
async function rewrite(chain_id: string, change: (records: ReturnType<typeof entry>[]) => unknown) {
  const records = await readChain(identity.database.db.read(ctx), chain_id, 0n, 10_000n, 10_000);
  const entries = records.map(({ sequence: _s, prev_hash: _p, hash: _h, ...rest }) => rest);
  change(entries as ReturnType<typeof entry>[]);
  await identity.sql('DELETE FROM audit_events WHERE chain_id = $1', [chain_id]);
  await identity.sql('DELETE FROM audit_chains WHERE chain_id = $1', [chain_id]);
  await identity.database.db.transaction(ctx, (tx) => recordAuditEvents(tx, entries));
}

describe('a chain', () => {
  test('without entries has no checkpoint, and one with an entry has one after its time', async () => {
    const chain_id = newId();
    expect(await sign(chain_id)).toBe(false);
    await append(chain_id, 1);
    await checkpointAudit(deps({ every_s: 3_600 }));
    expect(await sizesOf(chain_id)).toEqual([]);
    await checkpointAudit(deps());
    expect(await sizesOf(chain_id)).toEqual([1]);
    // Nothing new, nothing to sign.
    await checkpointAudit(deps());
    expect(await sizesOf(chain_id)).toEqual([1]);
    const old = newId();
    await append(old, 1, new Date(Date.now() - HOUR_MS).toISOString());
    await checkpointAudit(deps({ every_s: 3_600 }));
    expect(await sizesOf(old)).toEqual([1]);
  });

  test('has one at every thousand entries, and none before', async () => {
    const chain_id = await chainOf(999);
    const hourly = deps({ every_s: 3_600 });
    await checkpointAudit(hourly);
    expect(await sizesOf(chain_id)).toEqual([]);
    await append(chain_id, 1);
    await checkpointAudit(hourly);
    expect(await sizesOf(chain_id)).toEqual([1_000]);
    await append(chain_id, 2_001);
    while (await checkpointAudit(hourly)) {
      // Until nothing is due.
    }
    expect(await sizesOf(chain_id)).toEqual([1_000, 2_000, 3_000]);
    await sign(chain_id);
    expect(await sizesOf(chain_id)).toEqual([1_000, 2_000, 3_000, 3_001]);
    expect(await report(chain_id)).toMatchObject({
      verified: 3_001n,
      checkpoints: 4,
      covered: 3_001,
      fault: undefined,
    });
  });

  test('is signed once, however many replicas do it', async () => {
    const chain_id = await chainOf(1_500);
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(Array.from({ length: 4 }, () => sign(chain_id)));
    }
    expect(await sizesOf(chain_id)).toEqual([1_000, 1_500]);
    expect((await report(chain_id))?.fault).toBeUndefined();
  });

  test('goes on where it was when a process died amid a checkpoint', async () => {
    const chain_id = await chainOf(20);
    await sign(chain_id);
    await append(chain_id, 20);
    const dying = new (class extends CheckpointKeys {
      override sign(): never {
        throw new Error('killed');
      }
    })(SIGNING_KEY);
    await expect(sign(chain_id, { checkpoint_keys: dying })).rejects.toThrow('killed');
    expect(await sizesOf(chain_id)).toEqual([20]);
    await append(chain_id, 1);
    await sign(chain_id);
    expect(await sizesOf(chain_id)).toEqual([20, 41]);
    expect((await report(chain_id))?.fault).toBeUndefined();
  });

  test('takes entries while its checkpoint is made', async () => {
    const chain_id = await chainOf(10);
    await identity.database.db.transaction(ctx, async (tx) => {
      await tx.query(
        { name: 'test_lock', text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))' },
        [auditOrigin(chain_id)],
      );
      await append(chain_id, 1);
    });
    await sign(chain_id);
    expect(await sizesOf(chain_id)).toEqual([11]);
  });

  test('that cannot be signed holds up no other', async () => {
    const [broken, whole] = [newId(), newId()].sort() as [string, string];
    await append(broken, 3);
    await append(whole, 3);
    await identity.sql('UPDATE audit_events SET actor_id = $2 WHERE chain_id = $1', [
      broken,
      'eve',
    ]);
    await expect(checkpointAudit(deps())).rejects.toThrow(/is not what was signed: entry 1/);
    expect([await sizesOf(broken), await sizesOf(whole)]).toEqual([[], [3]]);
    await identity.sql('DELETE FROM audit_events WHERE chain_id = $1', [broken]);
    await identity.sql('DELETE FROM audit_chains WHERE chain_id = $1', [broken]);
  });
});

describe('what the owner of the database does is found:', () => {
  test('a chain written anew, every hash of it', async () => {
    const chain_id = await chainOf(30);
    await sign(chain_id);
    await rewrite(chain_id, (records) => Object.assign(records[4] ?? {}, { actor_id: 'eve' }));
    expect((await report(chain_id))?.fault).toEqual({ sequence: 30n, problem: 'rewritten' });
    // And it is not signed on top of it.
    await append(chain_id, 1);
    await expect(sign(chain_id)).rejects.toThrow('is not what was signed');
    await identity.sql('DELETE FROM merkle_tiles WHERE log_id = $1', [chain_id]);
    await expect(sign(chain_id)).rejects.toThrow('A tile of the tree is missing.');
    expect(await sizesOf(chain_id)).toEqual([30]);
  });

  test('two records that changed places', async () => {
    const chain_id = await chainOf(30);
    await sign(chain_id);
    await rewrite(chain_id, (records) => records.splice(3, 2, ...records.slice(3, 5).reverse()));
    expect((await report(chain_id))?.fault).toEqual({ sequence: 30n, problem: 'rewritten' });
  });

  test('an end that was cut off, with the head set back', async () => {
    const chain_id = await chainOf(30);
    await sign(chain_id);
    await rewrite(chain_id, (records) => records.splice(20));
    expect((await report(chain_id))?.fault).toEqual({ sequence: 21n, problem: 'truncated' });
    await rewrite(chain_id, (records) => records.splice(0));
    expect((await report(chain_id))?.fault).toEqual({ sequence: 1n, problem: 'truncated' });
  });

  test('all that, with the checkpoints gone too, by a head that was kept', async () => {
    const chain_id = await chainOf(30);
    await sign(chain_id);
    const { checkpoints } = await identity.stub.listAuditCheckpoints(reader(chain_id), {
      limit: 0,
      network: false,
    });
    const kept = [parseNote(checkpoints[0]?.note ?? '')];
    await rewrite(chain_id, (records) => records.splice(20));
    await identity.sql('DELETE FROM audit_checkpoints WHERE origin = $1', [auditOrigin(chain_id)]);
    await sign(chain_id);
    expect((await report(chain_id))?.fault).toBeUndefined();
    expect((await report(chain_id, { kept }))?.fault).toEqual({
      sequence: 21n,
      problem: 'truncated',
    });
    await append(chain_id, 10);
    expect((await report(chain_id, { kept }))?.fault).toEqual({
      sequence: 30n,
      problem: 'rewritten',
    });
  });

  test('a checkpoint that was made without the key', async () => {
    const chain_id = await chainOf(5);
    await sign(chain_id);
    await rewrite(chain_id, (records) => Object.assign(records[0] ?? {}, { ip: '192.0.2.1' }));
    const frontier = new Frontier();
    const on = identity.database.db.read(ctx);
    for (const record of await readChain(on, chain_id, 0n, 10n, 10)) {
      frontier.push(leafHash(recordText(record, record.prev_hash)));
    }
    const forge = 'UPDATE audit_checkpoints SET root_hash = $2 WHERE origin = $1';
    await identity.sql(forge, [auditOrigin(chain_id), frontier.root()]);
    expect((await report(chain_id))?.fault).toEqual({ sequence: 5n, problem: 'forged' });

    const other = new CheckpointKeys(randomBytes(32).toString('base64'));
    await identity.sql('DELETE FROM audit_checkpoints WHERE origin = $1', [auditOrigin(chain_id)]);
    await sign(chain_id, { checkpoint_keys: other });
    expect((await report(chain_id))?.fault).toEqual({ sequence: 5n, problem: 'unknown key' });
  });

  test('checkpoints that were taken away from a log that has gone on for hours', async () => {
    const chain_id = newId();
    await append(chain_id, 2, new Date(Date.now() - 3 * HOUR_MS).toISOString());
    expect((await report(chain_id))?.fault).toBeUndefined();
    await append(chain_id, 1);
    expect((await report(chain_id))?.fault).toEqual({ sequence: 1n, problem: 'unsigned' });
    await sign(chain_id);
    expect((await report(chain_id))?.fault).toBeUndefined();
  });
});

test('a new key signs what follows, and both are good while both are published', async () => {
  const chain_id = await chainOf(3);
  await sign(chain_id);
  const seed = randomBytes(32).toString('base64');
  const [first] = keys.published;
  const rotated = new CheckpointKeys(seed, [first?.public_key.toString('base64') ?? '']);
  await append(chain_id, 3);
  await sign(chain_id, { checkpoint_keys: rotated });
  expect((await report(chain_id, { verifier: rotated.verifier }))?.fault).toBeUndefined();
  // A replica that has not been told of the new key signs nothing on top of it.
  await append(chain_id, 1);
  await expect(sign(chain_id)).rejects.toThrow('its last checkpoint has a unknown key');
  const prepared = new CheckpointKeys(SIGNING_KEY, [
    rotated.published[0]?.public_key.toString('base64') ?? '',
  ]);
  await sign(chain_id, { checkpoint_keys: prepared });
  expect((await report(chain_id, { verifier: prepared.verifier }))?.fault).toBeUndefined();

  const stub = await identity.replica({
    AUDIT_SIGNING_KEY: seed,
    AUDIT_PUBLIC_KEYS: first?.public_key.toString('base64') ?? '',
  });
  expect((await stub.listAuditKeys(ctx, {})).keys).toEqual(
    rotated.published.map(({ key_id, ...key }) => ({
      ...key,
      key_hash: key_id,
      algorithm: 'Ed25519',
    })),
  );
});

test('a service without a key, or with what is none, does not start', async () => {
  await expect(identity.replica({ AUDIT_SIGNING_KEY: '' })).rejects.toThrow(
    'AUDIT_SIGNING_KEY is not set',
  );
  await expect(identity.replica({ AUDIT_SIGNING_KEY: 'short' })).rejects.toThrow(
    'AUDIT_SIGNING_KEY and AUDIT_PUBLIC_KEYS must hold 32 bytes each, in base64',
  );
});

describe('a proof', () => {
  test('shows each entry in every checkpoint that covers it, and nobody else’s', async () => {
    const chain_id = await chainOf(40);
    await sign(chain_id);
    await append(chain_id, 30);
    await sign(chain_id);
    await append(chain_id, 1);
    const owner = reader(chain_id);
    const rows = await readChain(identity.database.db.read(ctx), chain_id, 0n, 100n, 100);
    for (const at of [0, 1, 15, 16, 39, 40, 69]) {
      const record = rows[at];
      if (record === undefined) throw new Error('no record');
      for (const size of at < 40 ? [40, 70, undefined] : [70, undefined]) {
        const proof = await identity.stub.proveAuditEvent(owner, {
          id: record.id,
          size: size === undefined ? undefined : BigInt(size),
          network: false,
        });
        const checkpoint = parseNote(proof.checkpoint?.note ?? '');
        if (checkpoint === undefined) throw new Error('no checkpoint');
        expect(keys.verifier.faultOf(checkpoint)).toBeUndefined();
        expect(checkpoint).toMatchObject({ origin: auditOrigin(chain_id), size: size ?? 70 });
        expect(JSON.parse(proof.entry)).toContain(record.id);
        const index = Number(proof.index);
        expect(index).toBe(at);
        expect(isIncluded(leafHash(proof.entry), index, checkpoint, proof.path)).toBe(true);
      }
    }
    const last = { id: rows[70]?.id ?? '', network: false };
    expect(await codeOf(identity.stub.proveAuditEvent(owner, last))).toBe('NOT_FOUND');
    const early = { id: rows[50]?.id ?? '', size: 40n, network: false };
    expect(await codeOf(identity.stub.proveAuditEvent(owner, early))).toBe('NOT_FOUND');
    const never = { id: rows[5]?.id ?? '', size: 41n, network: false };
    expect(await codeOf(identity.stub.proveAuditEvent(owner, never))).toBe('NOT_FOUND');
    const stranger = identity.stub.proveAuditEvent(reader(newId()), {
      id: rows[0]?.id ?? '',
      network: false,
    });
    expect(await codeOf(stranger)).toBe('NOT_FOUND');
    const key = { ...owner, actor: { type: 'api_key' as const, id: newId() } };
    const by_key = identity.stub.proveAuditEvent(key, { id: rows[0]?.id ?? '', network: false });
    expect(await codeOf(by_key)).toBe('INSUFFICIENT_SCOPE');
  });

  test('shows that a log only grew', async () => {
    const chain_id = await chainOf(17);
    await sign(chain_id);
    await append(chain_id, 33);
    await sign(chain_id);
    const owner = reader(chain_id);
    const page = await identity.stub.listAuditCheckpoints(owner, { limit: 1, network: false });
    const { next_cursor: cursor } = page;
    const next = await identity.stub.listAuditCheckpoints(owner, {
      limit: 1,
      cursor,
      network: false,
    });
    const [newer, older] = [...page.checkpoints, ...next.checkpoints].map(({ note }) =>
      parseNote(note),
    );
    if (newer === undefined || older === undefined) throw new Error('no checkpoints');
    expect([older.size, newer.size, next.next_cursor]).toEqual([17, 50, undefined]);
    const { path: proof } = await identity.stub.proveAuditConsistency(owner, {
      from: 17n,
      to: 50n,
      network: false,
    });
    expect(isConsistent(older, newer, proof)).toBe(true);
    const prove = (from: bigint, to: bigint) =>
      codeOf(identity.stub.proveAuditConsistency(owner, { from, to, network: false }));
    expect(await prove(17n, 51n)).toBe('NOT_FOUND');
    expect(await prove(18n, 17n)).toBe('VALIDATION_ERROR');
    expect(await prove(0n, 17n)).toBe('VALIDATION_ERROR');
  });
});

describe('the log of credit events', () => {
  const leaves = Array.from({ length: 60 }, (_, at) => leafHash(`event ${at}`));
  const headOf = (size: number, of: readonly Buffer[] = leaves) => {
    const frontier = new Frontier();
    for (const leaf of of.slice(0, size)) frontier.push(leaf);
    return { size, root: frontier.root() };
  };
  const told = (institution_id: string, from_size: number, size: number, proof: Buffer[] = []) => ({
    environment: 'test' as const,
    institution_id,
    from_size,
    head: headOf(size),
    path: proof,
  });
  const signing = { checkpoint_keys: keys, clock: { now_ms: Date.now } };
  const take = (grown: ReturnType<typeof told>) =>
    identity.database.db.transaction(ctx, (tx) => signEventLog(tx, signing, grown));

  test('is signed state by state, each following on the one before, told once or again', async () => {
    const institution_id = newId();
    const caller = (environment: 'live' | 'test'): CallContext =>
      systemContext(environment, { institution_id });
    expect(await codeOf(identity.stub.getEventLogCheckpoint(caller('test'), {}))).toBe('NOT_FOUND');
    await take(told(institution_id, 0, 32));
    // The old tree is a full one: its neighbour's root is all that there is to prove.
    const right = new Frontier();
    for (const leaf of leaves.slice(32, 60)) right.push(leaf);
    const ahead = told(institution_id, 60, 60, [right.root()]);
    // It comes again for as long as that takes, and is not given up.
    const early = await take(ahead).catch((error) => error);
    expect(early).toBeInstanceOf(OutOfTurn);
    expect(early.message).toContain('is signed up to 32 and not up to 60');
    await take(told(institution_id, 32, 60, [right.root()]));
    await take(told(institution_id, 0, 32));
    const forged = { ...told(institution_id, 0, 32), head: headOf(32, leaves.slice(1)) };
    await expect(take(forged)).rejects.toThrow('another state of 32 entries was signed');

    const { checkpoint } = await identity.stub.getEventLogCheckpoint(caller('test'), {});
    const signed = parseNote(checkpoint?.note ?? '');
    expect(signed).toMatchObject({ ...headOf(60), origin: eventsOrigin('test', institution_id) });
    expect(signed && keys.verifier.faultOf(signed)).toBeUndefined();
    expect(await codeOf(identity.stub.getEventLogCheckpoint(caller('live'), {}))).toBe('NOT_FOUND');
  });

  test('with another past is not signed, whatever is told of it', async () => {
    const institution_id = newId();
    await take(told(institution_id, 0, 32));
    await expect(take(told(institution_id, 32, 60, [leafHash('made up')]))).rejects.toThrow(
      '60 entries do not begin with the 32 signed',
    );
    await expect(take(told(institution_id, 0, 60))).rejects.toThrow('do not begin with');
    const nonsense = { ...told(institution_id, 32, 60), head: { size: 60, root: Buffer.alloc(3) } };
    await expect(take(nonsense)).rejects.toThrow('no state of a log');
  });
});

test('the command says what it looked at, and fails where a kept head is not kept to', async () => {
  const chain_id = await chainOf(12);
  await sign(chain_id);
  const directory = await mkdtemp(path.join(tmpdir(), 'credit-heads-'));
  const file = (name: string) => path.join(directory, name);
  const { checkpoints } = await identity.stub.listAuditCheckpoints(reader(chain_id), {
    limit: 0,
    network: false,
  });
  await writeFile(file('heads.json'), JSON.stringify(checkpoints.map(({ note }) => ({ note }))));
  const published = keys.published.map(({ public_key }) => ({
    public_key: public_key.toString('base64'),
  }));
  await writeFile(file('keys.json'), JSON.stringify(published));
  const { db } = identity.database;
  const run = async (...args: string[]) => {
    const lines: string[] = [];
    process.exitCode = undefined;
    await verifyAuditCommand({ db, logger: testLogger, verifier: keys.verifier }, args, (line) =>
      lines.push(line),
    );
    const failed = process.exitCode === 1;
    process.exitCode = undefined;
    return { failed, said: lines.join('\n') };
  };
  const options = ['--heads', file('heads.json'), '--keys', file('keys.json')];
  const whole = await run(chain_id, ...options);
  expect(whole).toEqual({
    failed: false,
    said:
      '1 chains with 12 records, 2 checkpoints (1 kept heads among them), ' +
      '0 logs of credit events by their checkpoints alone, against 1 keys: all of it is whole',
  });
  await rewrite(chain_id, (records) => records.pop());
  const cut = await run(chain_id, ...options);
  expect(cut).toMatchObject({ failed: true, said: expect.stringContaining('1 broken') });

  await writeFile(file('bad.json'), '[{"note":"no note"}]');
  await expect(run('--heads', file('bad.json'))).rejects.toThrow('holds what is no checkpoint');
  await writeFile(file('bad.json'), '{');
  await expect(run('--heads', file('bad.json'))).rejects.toThrow('is not what it should be');
  const keyless = { db, logger: testLogger, verifier: new CheckpointKeys(SIGNING_KEY).verifier };
  expect(keyless.verifier.size).toBe(1);
  expect(await readFile(file('keys.json'), 'utf8')).toContain(published[0]?.public_key);
});

test('a note can be read back, and no other text', () => {
  const checkpoint = keys.sign({
    origin: 'credit-network/audit/network',
    size: 7,
    root: leafHash('root'),
    signed_at: '2026-01-12T10:00:00.000Z',
  });
  const note = noteOf(checkpoint);
  expect(parseNote(note)).toEqual(checkpoint);
  for (const other of [
    '',
    note.slice(1),
    note.slice(0, -1),
    `${note}\n`,
    note.replace('\n7\n', '\n07\n'),
    note.replace('\n7\n', '\n-7\n'),
    note.replace('— ', '- '),
  ]) {
    const parsed = parseNote(other);
    expect(parsed === undefined || keys.verifier.faultOf(parsed) === 'forged').toBe(true);
  }
});
