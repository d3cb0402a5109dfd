import { copyFile, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Client } from 'pg';
import {
  CLUSTER,
  logIn,
  PASSWORD_FILE,
  type PostgresServer,
  type PostgresServerOptions,
  SUPERUSER,
  startPostgresServer,
} from './postgres';

/** Whom a standby follows. */
export interface Primary {
  readonly data_directory: string;
  readonly admin_url: string;
}

export interface PostgresStandbyOptions extends PostgresServerOptions {
  readonly primary: Primary;
  /** What it is called in the primary's `synchronous_standby_names`. */
  readonly name: string;
  /** Where it reaches the primary, when not at the primary's own port. */
  readonly primary_port?: number;
}

/**
 * A further server that follows a running one on this machine: a copy of its cluster, and from there
 * on what its log tells. The copy is made as `pg_basebackup` makes one, which the package of the
 * binaries does not have.
 */
export async function startPostgresStandby(
  options: PostgresStandbyOptions,
): Promise<PostgresServer> {
  const { primary, name, primary_port, ...server } = options;
  await copyCluster(primary, server);
  const from = new URL(primary.admin_url);
  const conninfo = [
    `host=${from.hostname}`,
    `port=${primary_port ?? from.port}`,
    `user=${SUPERUSER}`,
    `password=${decodeURIComponent(from.password)}`,
    `application_name=${name}`,
  ].join(' ');
  const cluster = join(resolve(server.data_directory), CLUSTER);
  // The last line of a name counts: what it says of the primary's own former primary is over.
  await writeFile(join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`, {
    flag: 'a',
  });
  await writeFile(join(cluster, 'standby.signal'), '', { mode: 0o600 });
  return startPostgresServer(server);
}

/** Has a standby become a primary; resolves when it takes writes. */
export function promoteStandby({ admin_url }: Pick<PostgresServer, 'admin_url'>): Promise<void> {
  return within(admin_url, async (client) => {
    const { rows } = await client.query<{ done: boolean }>('SELECT pg_promote(true, 60) AS done');
    if (rows[0]?.done !== true) throw new Error('The standby was not promoted in time.');
  });
}

/** Belongs to the server that runs, or is made anew by the one that starts. */
const NOT_COPIED = new Set([
  'postmaster.pid',
  'postmaster.opts',
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]);

async function copyCluster(primary: Primary, to: PostgresServerOptions): Promise<void> {
  const source = resolve(primary.data_directory);
  const target = resolve(to.data_directory);
  const cluster = join(target, CLUSTER);
  await mkdir(cluster, { recursive: true, mode: 0o700 });
  await copyFile(join(source, PASSWORD_FILE), join(target, PASSWORD_FILE));
  const label = await within(primary.admin_url, async (client) => {
    await client.query(`SELECT pg_backup_start('standby', true)`);
    await copyFolder(join(source, CLUSTER), cluster, NOT_COPIED);
    const { rows } = await client.query<{ labelfile: string }>(
      'SELECT labelfile FROM pg_backup_stop(false)',
    );
    return rows[0]?.labelfile ?? '';
  });
  // What the log has since the label is asked of the primary.
  await writeFile(join(cluster, 'backup_label'), label, { mode: 0o600 });
  for (const name of NOT_COPIED) {
    if (name.startsWith('pg_') && name !== 'pg_wal') await mkdir(join(cluster, name));
  }
  if (to.log_directory === undefined) {
    await mkdir(join(cluster, 'pg_wal'));
    return;
  }
  const log = logIn(resolve(to.log_directory));
  await mkdir(log, { recursive: true, mode: 0o700 });
  await symlink(log, join(cluster, 'pg_wal'));
}

async function copyFolder(from: string, to: string, except: ReadonlySet<string>): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (except.has(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      await mkdir(target, { mode: 0o700 });
      await copyFolder(source, target, new Set());
    } else if (entry.isFile()) {
      await copyFile(source, target).catch((error: NodeJS.ErrnoException) => {
        // A table that was dropped meanwhile: the log tells of it.
        if (error.code !== 'ENOENT') throw error;
      });
    }
  }
}

async function within<T>(url: string, run: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await run(client);
  } finally {
    await client.end();
  }
}
