import type { JsonText } from '@credit/contract';
import type { Clients } from '../clients';
import { type HandlersOf, present } from '../handler';
import type { SystemStatus } from '../system-status';

type PublicOperations =
  | 'getNetworkStats'
  | 'listMemberInstitutions'
  | 'getStatus'
  | 'submitContactRequest'
  | 'submitApplication'
  | 'getOpenApi';

/** Counts below it could point at single members. */
const SMALLEST_SHOWN = 10n;

function shown(count: bigint): number | undefined {
  return count < SMALLEST_SHOWN ? undefined : Number(count);
}

export interface PublicParts {
  readonly status: SystemStatus;
  /** The OpenAPI document, as text. */
  readonly openapi: JsonText;
}

export function publicRoutes(
  { identity, reporting }: Clients,
  { status, openapi }: PublicParts,
): HandlersOf<PublicOperations> {
  return {
    getNetworkStats: async ({ ctx }) => {
      const [members, totals] = await Promise.all([
        identity.getIdentityTotals(ctx, {}),
        reporting.getReportingTotals(ctx, {}),
      ]);
      return {
        institutions: shown(members.institutions),
        subjects: shown(totals.subjects),
        accounts: shown(totals.accounts),
        events_30d: shown(totals.events_30d),
      };
    },
    listMemberInstitutions: async ({ ctx, query }) => {
      const { institutions, next_cursor } = await identity.listPublicInstitutions(ctx, query);
      return { items: institutions, next_cursor };
    },
    getStatus: () => status.read(),
    submitContactRequest: ({ ctx, body }) => identity.submitContactRequest(ctx, body),
    submitApplication: async ({ ctx, body }) =>
      present(await identity.submitApplication(ctx, body)),
    getOpenApi: async () => openapi,
  };
}
