import { createHash } from 'node:crypto';
import { compileEncoder, type JsonText, myFileContent } from '@credit/contract';
import type { CallContext } from '@credit/platform/context';
import { canonicalJson } from '@credit/platform/signing';
import type { GetPersonFileResponse } from '@credit/proto/reporting/v1/person_file';
import type { GetPersonScoreResponse } from '@credit/proto/scoring/v1/scoring';
import type { HeaderList } from '../answer';
import type { Clients } from '../clients';
import { type DownloadSlots, inSlot } from '../download';
import { type HandlersOf, present } from '../handler';
import { institutionNames, type NamedInstitution } from '../institution-names';

const encode = compileEncoder(myFileContent);

/** What people read of their own files. */
export function myFileRoutes(
  clients: Clients,
  slots: DownloadSlots,
): HandlersOf<'getMyFile' | 'getMyFileDocument' | 'listMyAccountEvents'> {
  const { reporting, scoring } = clients;
  const fileOf = async (ctx: CallContext) => {
    const [file, score] = await Promise.all([
      reporting.getPersonFile(ctx, {}),
      scoring.getPersonScore(ctx, {}),
    ]);
    const content = contentOf(file, score, await institutionNames(clients, ctx, namedIn(file)));
    const file_json = canonicalJson(JSON.parse(encode(content))) as JsonText;
    return {
      content_hash: createHash('sha256').update(file_json).digest('hex'),
      generated_at: present(score.credit).calculated_at,
      file_json,
    };
  };
  return {
    getMyFile: ({ ctx }) => fileOf(ctx),
    getMyFileDocument: ({ ctx }) =>
      inSlot(slots, ctx.actor.id, async () => {
        const { pdf } = await scoring.writePersonFile(ctx, await fileOf(ctx));
        return { headers: documentHeaders(pdf), pieces: once(pdf) };
      }),
    listMyAccountEvents: async ({ ctx, params, query }) => {
      const { events, next_cursor } = await reporting.listPersonEvents(ctx, {
        ...params,
        ...query,
      });
      return { items: events, next_cursor };
    },
  };
}

async function* once(piece: Uint8Array): AsyncGenerator<Uint8Array> {
  yield piece;
}

function documentHeaders(pdf: Uint8Array): HeaderList {
  const digest = createHash('sha256').update(pdf).digest('base64');
  return [
    ...['Content-Type', 'application/pdf'],
    ...['Content-Length', String(pdf.length)],
    ...['Content-Disposition', 'attachment; filename="credit-file.pdf"'],
    // RFC 9530.
    ...['Repr-Digest', `sha-256=:${digest}:`],
  ];
}

/** Every institution that the file speaks of. */
function namedIn({ accounts, inquiries, rights, corrections }: GetPersonFileResponse): string[] {
  return [
    ...accounts.map(({ account }) => present(account).institution_id),
    ...inquiries.map(({ institution_id }) => institution_id),
    ...corrections.flatMap(({ told }) => told.map(({ institution_id }) => institution_id)),
    ...present(rights).thaws.flatMap(({ institution_id }) => institution_id ?? []),
  ];
}

function contentOf(
  { subject, rights, ...file }: GetPersonFileResponse,
  { credit, reason_codes }: GetPersonScoreResponse,
  named: (id: string) => NamedInstitution,
) {
  const { frozen_since, thaws, alerts, statements } = present(rights);
  return {
    subject: present(subject),
    score: {
      ...present(credit),
      score_range: present(present(credit).score_range),
      reason_codes,
    },
    accounts: file.accounts.map(({ account, ...rest }) => ({
      ...present(account),
      ...rest,
      furnisher: named(present(account).institution_id),
    })),
    has_more_accounts: file.has_more_accounts,
    inquiries: file.inquiries.map((inquiry) => ({
      ...inquiry,
      institution: named(inquiry.institution_id),
    })),
    has_more_inquiries: file.has_more_inquiries,
    corrections: file.corrections.map(({ told, ...correction }) => ({
      ...correction,
      told: told.map(({ institution_id, at }) => ({ institution: named(institution_id), at })),
    })),
    moves: file.moves,
    file_freeze: {
      frozen_since,
      thaws: thaws.map(({ institution_id, ...thaw }) => ({
        ...thaw,
        institution: institution_id === undefined ? undefined : named(institution_id),
      })),
    },
    alerts,
    statements,
  };
}
