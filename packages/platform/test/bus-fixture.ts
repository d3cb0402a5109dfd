// A database and a NATS server of its own for each test of the bus.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type NatsServer, startNatsServer } from '@credit/servers';
import { type TestDatabase, testDatabase, testLogger } from '@credit/testing';
import { type Bus, connectBus } from '../src/bus';
import { systemContext } from '../src/context';
import { auditEvent, type Database, type Statement, statement } from '../src/db';

const MIGRATIONS = path.join(__dirname, '../src/db/test-migrations');
const TABLES = ['outbox', 'outbox_leases', 'outbox_state', 'inbox', 'dead_letters'];
const ENVIRONMENTS = ['live', 'test'] as const;
const START_TIMEOUT_MS = 60_000;

/** What the tests of a file stand on; all but the database and `db` is new for each test. */
export class BusFixture {
  database!: TestDatabase;
  db!: Database;
  directory!: string;
  nats!: NatsServer;
  bus!: Bus;
  /** Run after the test, the last first. */
  stops: Array<() => Promise<void>> = [];

  constructor(private readonly tables: readonly string[]) {}

  async create(extra: Statement<unknown> | undefined): Promise<void> {
    this.database = await testDatabase('platform', MIGRATIONS);
    // One for all tests of the file: its connections stay open for a while after each.
    this.db = this.database.db;
    if (extra !== undefined) await this.everywhere([extra]);
  }

  async begin(): Promise<void> {
    this.stops = [];
    await this.everywhere(
      this.tables.map((table) => statement(`test_clear_${table}`, `DELETE FROM ${table}`)),
    );
    this.directory = await mkdtemp(path.join(tmpdir(), 'bus-nats-'));
    this.nats = await startNatsServer({ data_directory: this.directory });
    this.bus = await this.openBus();
  }

  async end(): Promise<void> {
    for (const stop of this.stops.reverse()) await stop();
    await this.nats.stop();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** Another connection to the same server. */
  async openBus(): Promise<Bus> {
    const opened = await connectBus({ url: this.nats.url, name: 'test', logger: testLogger });
    this.stops.push(() => opened.close());
    return opened;
  }

  /** Starts the server again where it was, with what its folder still holds. */
  async restartNats(): Promise<void> {
    this.nats = await startNatsServer({ data_directory: this.directory, port: this.nats.port });
  }

  private async everywhere(statements: readonly Statement<unknown>[]): Promise<void> {
    for (const environment of ENVIRONMENTS) {
      for (const one of statements) {
        await this.database.db.read(systemContext(environment)).execute(one);
      }
    }
  }
}

/** A fixture that lives as long as the tests of the file; `extra` makes a table of the file's own. */
export function useBus(extra?: {
  readonly table: string;
  readonly create: Statement<unknown>;
}): BusFixture {
  const fixture = new BusFixture(extra === undefined ? TABLES : [...TABLES, extra.table]);
  beforeAll(() => fixture.create(extra?.create), START_TIMEOUT_MS);
  beforeEach(() => fixture.begin(), START_TIMEOUT_MS);
  afterEach(() => fixture.end(), START_TIMEOUT_MS);
  afterAll(() => fixture.database.stop(), START_TIMEOUT_MS);
  return fixture;
}

/** An event that only says its text. */
export function note(text: string, key = 'bank', changes?: Record<string, unknown>) {
  return auditEvent(
    {
      institution_id: key,
      action: text,
      target_type: 'note',
      target_id: text,
      ...(changes === undefined ? {} : { changes }),
      at: '2026-01-01T00:00:00.000Z',
    },
    systemContext('live'),
  );
}
