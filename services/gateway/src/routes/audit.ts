import { AUDIT_COLUMNS, type JsonText, type Operations } from '@credit/contract';
import { withRetry } from '@credit/platform/rpc';
import { csvLine, csvText } from '@credit/platform/values';
import type { AuditEvent, Checkpoint } from '@credit/proto/identity/v1/identity';
import type { Clients } from '../clients';
import { csvHeaders, type DownloadSlots, listDownload } from '../download';
import { type Call, type HandlersOf, present } from '../handler';

function auditEvent(event: AuditEvent) {
  const { actor_type, actor_id, actor_name, changes_json, ...others } = event;
  const { target_type, target_id, target_name, ...rest } = others;
  return {
    ...rest,
    actor: { type: actor_type, id: actor_id, name: actor_name },
    target: { type: target_type, id: target_id, name: target_name },
    changes_json: changes_json as JsonText,
  };
}

/** As a hash is written in JSON. */
const hex = (hash: Uint8Array) => Buffer.from(hash).toString('hex');

function checkpoint({ size, root_hash, ...rest }: Checkpoint) {
  return { ...rest, size: Number(size), root_hash: hex(root_hash) };
}

/** That something stands in a log as it was signed. */
export function inclusion(
  { entry, index, path }: { entry: string; index: bigint; path: readonly Uint8Array[] },
  signed: Checkpoint | undefined,
) {
  return {
    entry,
    index: Number(index),
    path: path.map(hex),
    checkpoint: checkpoint(present(signed)),
  };
}

/** The size of a log as the services are told it. */
export const sizeOf = ({ size }: { size?: number | undefined }) =>
  size === undefined ? undefined : BigInt(size);

type AuditOperations =
  | 'listAuditEvents'
  | 'listAuditCheckpoints'
  | 'proveAuditEvent'
  | 'proveAuditConsistency'
  | 'listAuditKeys'
  | 'listNetworkAuditEvents'
  | 'listNetworkAuditCheckpoints'
  | 'proveNetworkAuditEvent'
  | 'proveNetworkAuditConsistency'
  | 'exportAuditEvents'
  | 'exportNetworkAuditEvents';

/** As many as the services give at once. */
const EVENTS_A_PAGE = 100;

type Column = (typeof AUDIT_COLUMNS)[number];

function lineOf(event: AuditEvent): string {
  const { changes_json, ...others } = event;
  const cells = { ...others, changes: changes_json };
  return csvLine(AUDIT_COLUMNS.map((column: Column) => csvText(cells[column] ?? '')));
}

export function auditRoutes(
  { identity }: Clients,
  slots: DownloadSlots,
): HandlersOf<AuditOperations> {
  /** The same of the caller's institution's log and of the network's. */
  const proofs = (network: boolean) => ({
    list: async ({
      ctx,
      query,
    }: Pick<Call<Operations['listAuditCheckpoints']>, 'ctx' | 'query'>) => {
      const { checkpoints, next_cursor } = await identity.listAuditCheckpoints(ctx, {
        ...query,
        network,
      });
      return { items: checkpoints.map(checkpoint), next_cursor };
    },
    event: async ({
      ctx,
      params: { id },
      query,
    }: Pick<Call<Operations['proveAuditEvent']>, 'ctx' | 'params' | 'query'>) => {
      const proof = await identity.proveAuditEvent(ctx, { id, size: sizeOf(query), network });
      return inclusion(proof, proof.checkpoint);
    },
    consistency: async ({
      ctx,
      query: { from, to },
    }: Pick<Call<Operations['proveAuditConsistency']>, 'ctx' | 'query'>) => {
      const wanted = { from: BigInt(from), to: BigInt(to), network };
      const { path } = await identity.proveAuditConsistency(ctx, wanted);
      return { from, to, path: path.map(hex) };
    },
  });
  const file =
    (listing: 'listAuditEvents' | 'listNetworkAuditEvents', name: string) =>
    ({
      ctx,
      query,
      renew,
    }: Pick<Call<Operations['exportAuditEvents']>, 'ctx' | 'query' | 'renew'>) =>
      listDownload(slots, ctx.institution_id, {
        page: (cursor) => {
          const of_page = renew();
          const wanted = { ...query, limit: EVENTS_A_PAGE, cursor };
          return withRetry(of_page, () => identity[listing](of_page, wanted));
        },
        headers: () => csvHeaders(name),
        head: () => csvLine(AUDIT_COLUMNS),
        text: ({ events }) => events.map(lineOf).join(''),
      });
  const own = proofs(false);
  const networks = proofs(true);
  return {
    listAuditEvents: async ({ ctx, query }) => {
      const { events, next_cursor } = await identity.listAuditEvents(ctx, query);
      return { items: events.map(auditEvent), next_cursor };
    },
    listAuditCheckpoints: own.list,
    proveAuditEvent: own.event,
    proveAuditConsistency: own.consistency,
    listAuditKeys: async ({ ctx }) => {
      const { keys } = await identity.listAuditKeys(ctx, {});
      return keys.map(({ public_key, ...key }) => ({
        ...key,
        public_key: Buffer.from(public_key).toString('base64'),
      }));
    },
    listNetworkAuditEvents: async ({ ctx, query }) => {
      const { events, next_cursor } = await identity.listNetworkAuditEvents(ctx, query);
      return { items: events.map(auditEvent), next_cursor };
    },
    listNetworkAuditCheckpoints: networks.list,
    proveNetworkAuditEvent: networks.event,
    proveNetworkAuditConsistency: networks.consistency,
    exportAuditEvents: file('listAuditEvents', 'audit.csv'),
    exportNetworkAuditEvents: file('listNetworkAuditEvents', 'network-audit.csv'),
  };
}
