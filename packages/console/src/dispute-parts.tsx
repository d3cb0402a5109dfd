import { meaningsOf, type Operations, type WireOf } from '@credit/contract';
import { DisputeReason, DisputeVerdict } from '@credit/proto/disputes/v1/disputes';
import type { FC } from 'hono/jsx';
import { Badge, count, Facts, Id, money, Time, type Tone } from './components';
import type { Page } from './page';
import { type Account, daysPastDue, Standing } from './record';
import { Timeline } from './timeline';
import { words } from './words';

export type Dispute = WireOf<Operations['listDisputes']>[number];
export type Case = WireOf<Operations['getDispute']>;
export type Answer = Case['answers'][number];
type ContestedRecord = NonNullable<Case['record']>;

const DAY_MS = 86_400_000;
const SOON_DAYS = 7;

const REASONS = meaningsOf(DisputeReason)?.values ?? {};
export const VERDICTS = meaningsOf(DisputeVerdict)?.values ?? {};

const STATUS_TONES: Readonly<Record<Dispute['status'], Tone>> = {
  OPEN: 'warn',
  UNDER_REVIEW: 'accent',
  RESOLVED_CORRECTED: 'good',
  RESOLVED_UPHELD: 'plain',
  REJECTED: 'plain',
};

const STATUS_WORDS: Readonly<Record<Dispute['status'], string>> = {
  OPEN: 'Open',
  UNDER_REVIEW: 'Under review',
  RESOLVED_CORRECTED: 'Corrected',
  RESOLVED_UPHELD: 'Upheld',
  REJECTED: 'Rejected',
};

export const Status: FC<{
  of: Pick<Dispute, 'status'> & Partial<Pick<Dispute, 'suppression'>>;
}> = ({ of: { status, suppression } }) => (
  <>
    <Badge tone={STATUS_TONES[status]}>{STATUS_WORDS[status]}</Badge>
    {suppression && (
      <>
        {' '}
        <Badge tone="accent">
          {suppression === 'BLOCK' ? 'Blocked: left out until decided' : 'Overdue: left out'}
        </Badge>
      </>
    )}
  </>
);

/** When a dispute has to be decided, and how near that is. */
export const Due: FC<{ of: Pick<Dispute, 'due_at' | 'overdue' | 'resolved_at'> }> = ({
  of: { due_at, overdue, resolved_at },
}) => {
  if (resolved_at !== null) {
    return (
      <span class="soft">
        decided <Time at={resolved_at} day />
      </span>
    );
  }
  const days = Math.ceil((Date.parse(due_at) - Date.now()) / DAY_MS);
  return (
    <>
      <Time at={due_at} day />{' '}
      {overdue ? (
        <Badge tone="bad">Overdue</Badge>
      ) : (
        days <= SOON_DAYS && <Badge tone="warn">{days === 1 ? '1 day' : `${days} days`}</Badge>
      )}
    </>
  );
};

/** What a list is about, as links: the one that is shown is marked. */
export const Stages: FC<{
  page: Page;
  path: string;
  label: string;
  stages: readonly { readonly value: string; readonly label: string; readonly total?: number }[];
  chosen: string;
}> = ({ page, path, label, stages, chosen }) => (
  <nav class="tabs" aria-label={label}>
    {stages.map(({ value, total, ...stage }) => (
      <a
        href={page.href(path, { stage: value })}
        aria-current={value === chosen ? 'true' : undefined}
      >
        {stage.label}
        {total !== undefined && <span class="count">{total}</span>}
      </a>
    ))}
  </nav>
);

/** What somebody says is wrong. */
export const Claim: FC<{ of: Dispute }> = ({ of }) => (
  <section class="card" aria-labelledby="claim">
    <h2 id="claim">The claim</h2>
    <p>
      <strong>{REASONS[of.reason]}</strong>
    </p>
    <p class="text">{of.description}</p>
    {of.evidence_links.length > 0 && (
      <>
        <h3>Evidence</h3>
        <ul class="links">
          {of.evidence_links.map((link) => (
            <li>
              <a href={link} rel="noreferrer nofollow external">
                {link}
              </a>
            </li>
          ))}
        </ul>
        <p class="soft">Links come from whoever opened the dispute: look before you follow them.</p>
      </>
    )}
    <Facts
      of={[
        ['From', of.opened_by],
        ['Identity', of.identity_known ? 'Known to the network' : 'Not known'],
        // The desk alone is shown it.
        ...(of.contact_email === null ? [] : [['Told at', of.contact_email] as const]),
        ['Opened', <Time at={of.opened_at} />],
        ['Due', <Due of={of} />],
        ['Number', <Id of={of.id} />],
      ]}
    />
    {of.resolution && (
      <>
        <h3>The decision</h3>
        <p class="text">{of.resolution}</p>
      </>
    )}
    {of.correction_pending && <p>The record is wrong, and only its furnisher can put it right.</p>}
  </section>
);

const STEP_WORDS: Readonly<Record<Case['steps'][number]['kind'], string>> = {
  OPENED: 'Opened',
  REVIEW_BEGUN: 'Review begun: what is contested is left out of the score',
  ANSWERED: 'Answered',
  RESOLVED: 'Decided',
};

/** What has happened, and what is due. */
export const Steps: FC<{
  of: Pick<Case, 'steps' | 'due_at' | 'overdue' | 'resolved_at'>;
  names?: ReadonlyMap<string, string>;
}> = ({ of: { steps, due_at, overdue, resolved_at }, names }) => (
  <ol class="steps">
    {steps.map(({ kind, at, institution_id, status, verdict }, index) => (
      <li class={index === steps.length - 1 ? 'now' : 'past'}>
        <p>
          <strong>{STEP_WORDS[kind]}</strong>
          {verdict && `: ${words(verdict)}`}
          {status && `: ${STATUS_WORDS[status]}`}
          {institution_id !== null && names?.has(institution_id) && (
            <span>, by {names.get(institution_id)}</span>
          )}{' '}
          <span class="soft">
            <Time at={at} />
          </span>
        </p>
      </li>
    ))}
    {resolved_at === null && (
      <li class="ahead">
        <p>
          <strong>{overdue ? 'A decision was due' : 'A decision is due'}</strong>{' '}
          <span class="soft">
            <Time at={due_at} day />
          </span>
        </p>
      </li>
    )}
  </ol>
);

/** The contested record: the account as it stands, and its events with corrections tied both ways. */
export const Contested: FC<{
  page: Page;
  path: string;
  of: ContestedRecord | null;
  event_id: string | null;
}> = ({ page, path, of, event_id }) => {
  const account = of?.accounts.find(({ id }) => id === of.account_id);
  if (of === null || account === undefined) {
    return (
      <section class="card" aria-labelledby="record">
        <h2 id="record">The record</h2>
        <div class="empty">
          {of === null
            ? 'This dispute is about no account.'
            : 'Nothing of what it names is on record.'}
        </div>
      </section>
    );
  }
  const shown = new Set(of.events.map(({ id }) => id));
  const elsewhere = of.contested_events.filter(({ id }) => !shown.has(id));
  const timeline = { page, account, contested_id: event_id };
  return (
    <section class="card" aria-labelledby="record">
      <h2 id="record">The record as it stands</h2>
      {of.accounts.length > 1 && (
        <nav class="tabs" aria-label="Accounts">
          {of.accounts.map(({ id, external_account_id }) => (
            <a
              href={page.href(path, { account_id: id })}
              aria-current={id === account.id ? 'true' : undefined}
            >
              {external_account_id}
            </a>
          ))}
        </nav>
      )}
      {of.has_more_accounts && <p class="soft">There are more; the API lists the first 50 too.</p>}
      <AccountFacts of={account} />
      {elsewhere.length > 0 && (
        <>
          <h3>What is contested</h3>
          <Timeline {...timeline} events={elsewhere.toReversed()} beside={of.events} />
        </>
      )}
      <h3>Its events, the last recorded first</h3>
      <Timeline {...timeline} events={of.events} beside={elsewhere} />
      <div class="pager">
        {page.query('before_sequence') !== undefined && (
          <a href={page.href(path, { account_id: account.id })}>The latest</a>
        )}
        {of.next_before_sequence !== null && (
          <a
            href={page.href(path, {
              account_id: account.id,
              before_sequence: String(of.next_before_sequence),
            })}
          >
            Earlier events
          </a>
        )}
      </div>
    </section>
  );
};

/** How an account stands, or that it does not any more. */
export const StandingNow: FC<{ of: Pick<Account, 'status' | 'suppressed' | 'voided'> }> = ({
  of,
}) =>
  of.voided ? (
    <Badge>Off the file</Badge>
  ) : (
    <>
      <Standing of={of.status} />
      {of.suppressed && (
        <>
          {' '}
          <Badge tone="accent">Left out until decided</Badge>
        </>
      )}
    </>
  );

const AccountFacts: FC<{ of: Account }> = ({ of }) => (
  <Facts
    of={[
      ['Account', of.external_account_id],
      ['Kind', words(of.account_type)],
      ['Standing', <StandingNow of={of} />],
      ['Balance', money(of.current_balance, of.currency)],
      ['Lent', money(of.original_principal, of.currency)],
      ['Opened', <Time at={of.opened_at} day />],
      ['Past due', daysPastDue(of)],
      ['Open disputes', count(of.open_dispute_count)],
    ]}
  />
);

const VERDICT_TONES: Readonly<Record<Answer['verdict'], Tone>> = {
  VERIFIED: 'plain',
  CORRECTED: 'good',
  NOT_OURS: 'warn',
};

/** What an institution has answered: the first of each stands. */
export const Answers: FC<{
  of: readonly Answer[];
  names?: ReadonlyMap<string, string>;
  none: string;
}> = ({ of, names, none }) => {
  if (of.length === 0) return <div class="empty">{none}</div>;
  const stands = new Set(
    [...Map.groupBy(of, ({ institution_id }) => institution_id).values()].map(([first]) => first),
  );
  return (
    <ol class="answers">
      {of.map((answer) => (
        <li class={stands.has(answer) ? undefined : 'off'}>
          <p>
            <Badge tone={VERDICT_TONES[answer.verdict]}>{words(answer.verdict)}</Badge>{' '}
            {names?.get(answer.institution_id)}{' '}
            <span class="soft">
              <Time at={answer.answered_at} />
              {!stands.has(answer) && ', replaced since'}
            </span>
          </p>
          <p class="text">{answer.text}</p>
          {answer.correction_event_ids.length > 0 && (
            <p>
              Corrections:{' '}
              {answer.correction_event_ids.map((id) => (
                <a href={`#event-${id}`}>
                  <code>…{id.slice(-8)}</code>
                </a>
              ))}
            </p>
          )}
        </li>
      ))}
    </ol>
  );
};

/** The reason of a dispute in a few words, as lists show it. */
export const reasonIn = ({ reason }: Pick<Dispute, 'reason'>): string => words(reason);
