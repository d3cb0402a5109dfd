// A lender's program against types that openapi-typescript made from docs/openapi.json. Compiled
// by generated-client.test.ts beside the generated `api.d.ts`; never run.
import type { components, paths } from './api';

type Account = components['schemas']['Account'];
type Profile =
  paths['/credit/{subject_id}']['get']['responses'][200]['content']['application/json'];
type Failure = components['responses']['ValidationError']['content']['application/json'];
type DefaultReported = components['schemas']['DefaultReportedEvent'];

/** Paths that take a JSON body, and what it is. */
type PostBody<Path extends keyof paths> = paths[Path] extends {
  post: { requestBody: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;

type Created<Path extends keyof paths> = paths[Path] extends {
  post: { responses: { 201: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;

/** Calls one of the creating operations. */
export async function create<Path extends keyof paths>(
  path: Path,
  body: PostBody<Path>,
  headers: Record<string, string>,
): Promise<Created<Path>> {
  const response = await fetch(`https://credit.example/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (response.status !== 201) throw new Error(reasonOf((await response.json()) as Failure));
  return (await response.json()) as Created<Path>;
}

function reasonOf({ error }: Failure): string {
  const fields = (error.details ?? []).map(({ path, message }) => `${path} ${message}`);
  return `${error.code}: ${error.message} ${fields.join(', ')}`;
}

/** Opens an account and tells its number and what is owed. */
export async function openAccount(subject_id: string): Promise<[string, number]> {
  const account: Account = await create(
    '/accounts',
    {
      subject_id,
      external_account_id: 'loan-2026-00017',
      account_type: 'TERM_LOAN',
      original_principal: 12000,
      opened_at: '2026-01-10T00:00:00Z',
      payment_frequency: 'MONTHLY',
      metadata: { branch: 'north' },
    },
    { 'Idempotency-Key': 'loan-2026-00017-open' },
  );
  return [account.id, account.current_balance];
}

/** What a reader of profiles may rely on. */
export function summary({ credit, risk, reason_codes }: Profile): string {
  const score: number | null = credit.score;
  const codes = reason_codes.map(({ code, direction }) => `${direction}:${code}`);
  return `${score ?? 'not rated'} ${risk.bucket} ${codes.join(' ')}`;
}

/** A webhook's receiver, told apart by the literal of its type. */
export function receive(event: DefaultReported): string {
  const name: 'credit.default.reported' = event.type;
  return `${name} ${event.data.credit_event_id} ${event.data.default_severity}`;
}
