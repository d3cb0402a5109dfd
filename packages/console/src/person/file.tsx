import { type MyFileContent, meaningsOf } from '@credit/contract';
import { CorrectionChange, Purpose } from '@credit/proto/reporting/v1/types';
import type { FC } from 'hono/jsx';
import { Badge, count, Facts, Id, money, Notice, Table, Time } from '../components';
import { Gauge } from '../pictures';
import { daysPastDue, type Event, effectOfInquiry, eventName, rate, Standing } from '../record';
import { EventFacts, Happened } from '../timeline';
import { words } from '../words';
import { contestLink, LeftOut } from './disputes';
import { FREEZE } from './freeze';
import type { PersonScreen } from './screen';
import { STATEMENTS } from './statement';
import { MY, type PersonVisit } from './visit';

type File = MyFileContent;
type OwnAccount = File['accounts'][number];
type Statement = File['statements'][number];

/** All that the network keeps of the person. */
export const fileScreen: PersonScreen = {
  path: MY,
  show: async (visit) => {
    const { value } = await visit.call('getMyFile');
    const { content_hash, generated_at } = value;
    // What the gateway makes of it; its own type says no more than that it is JSON.
    const file = value.file as File;
    return {
      title: 'Your file',
      body: (
        <>
          <Guarded of={file} />
          <div class="columns">
            <Score of={file.score} />
            <Known of={file.subject} />
          </div>
          <h2>Accounts</h2>
          {file.accounts.length === 0 ? (
            <p class="empty">No lender reports an account of yours.</p>
          ) : (
            file.accounts.map((account) => <OneAccount of={account} statements={file.statements} />)
          )}
          {file.has_more_accounts && <p class="soft">There are more than are shown here.</p>}
          <h2>Who looked</h2>
          <Looks of={file.inquiries} />
          {file.has_more_inquiries && <p class="soft">There are more than are shown here.</p>}
          <h2 id="corrections">What was corrected, and who was told</h2>
          <Corrections of={file.corrections} />
          {file.moves.length > 0 && <Moves of={file.moves} />}
          <p class="soft">
            Put together <Time at={generated_at} />. Content hash <Id of={content_hash} />: the same
            while the file says the same. Keep it as a{' '}
            <a href={`${MY}/file.pdf`}>document to print</a> (PDF) or as a{' '}
            <a href={`${MY}/file.json`}>file</a> (JSON): both name the same hash.
          </p>
        </>
      ),
    };
  },
};

/** The same for programs, as it is hashed. */
export const fileDownload: PersonScreen = {
  path: `${MY}/file.json`,
  show: async (visit) => {
    const { value } = await visit.call('getMyFile');
    return {
      file: {
        name: `credit-file-${value.generated_at.slice(0, 10)}.json`,
        type: 'application/json',
        text: `${JSON.stringify(value, null, 2)}\n`,
      },
    };
  },
};

/** The same to print, under the same hash. */
export const fileDocument: PersonScreen = {
  path: `${MY}/file.pdf`,
  show: (visit) => visit.send('getMyFileDocument'),
};

const Guarded: FC<{ of: File }> = ({ of: { file_freeze, alerts } }) => (
  <>
    {file_freeze.frozen_since !== null && (
      <Notice>
        <p>
          <strong>Your file is frozen</strong> since <Time at={file_freeze.frozen_since} />: nobody
          is shown it for new business. <a href={FREEZE}>Open it, or end the freeze</a>.
        </p>
      </Notice>
    )}
    {alerts.length > 0 && (
      <Notice>
        <p>
          <strong>Readers are warned</strong> that somebody may be borrowing in your name.{' '}
          <a href={FREEZE}>End the alert</a>.
        </p>
      </Notice>
    )}
  </>
);

const Score: FC<{ of: File['score'] }> = ({ of: score }) => (
  <section class="card">
    <h2>Score</h2>
    <Gauge
      score={score.score ?? undefined}
      min={score.score_range.min}
      max={score.score_range.max}
      band={words(score.band)}
    />
    {score.reason_codes.length > 0 && (
      <ul>
        {score.reason_codes.map(({ text, direction }) => (
          <li>
            {direction === 'NEGATIVE' ? 'Costs: ' : 'Helps: '}
            {text}
          </li>
        ))}
      </ul>
    )}
    <p class="soft">
      By <a href="/docs/guides/profiles">rules that are published</a> ({score.model_version}). That
      you look changes nothing.
    </p>
  </section>
);

const Known: FC<{ of: File['subject'] }> = ({ of: subject }) => (
  <section class="card">
    <h2>Who you are here</h2>
    <Facts
      of={[
        ['Name', subject.display_name],
        ['Number of your file', <Id of={subject.id} />],
        ['Game UUID', subject.game_uuid === null ? '–' : <Id of={subject.game_uuid} />],
        ['Forum', subject.forum_id ?? '–'],
        ['On file since', <Time at={subject.created_at} day />],
      ]}
    />
  </section>
);

const OneAccount: FC<{
  of: OwnAccount;
  statements: readonly Statement[];
}> = ({ of: account, statements }) => {
  const { currency } = account;
  return (
    <section class="card" id={`account-${account.id}`}>
      <h3>
        {named(account)} <Standing of={account.status} />{' '}
        {account.voided && <Badge>Taken off the file</Badge>} {account.suppressed && <LeftOut />}
      </h3>
      <Facts
        of={[
          ['Their number', account.external_account_id],
          ['Balance', money(account.current_balance, currency)],
          ['Lent', money(account.original_principal, currency)],
          ['Rate', rate(account.interest_rate_bps) ?? '–'],
          ['Opened', <Time at={account.opened_at} day />],
          ['Days past due', daysPastDue(account)],
        ]}
      />
      <Said about={account.id} of={statements} />
      <p class="row">
        <a href={contestLink('account', account.id)}>This account is wrong</a>
        <a href={`${STATEMENTS}/${account.id}`}>Say something about it</a>
      </p>
      <details>
        <summary>
          {account.events.length === 1 ? '1 event' : `${count(account.events.length)} events`}
        </summary>
        <ol class="timeline" reversed start={account.events[0]?.sequence}>
          {account.events.map((event) => (
            <OneEvent of={event} currency={currency} statements={statements} />
          ))}
        </ol>
        {account.next_cursor !== null && (
          <p>
            <a
              href={`${MY}/accounts/${account.id}?cursor=${encodeURIComponent(account.next_cursor)}`}
            >
              Earlier events
            </a>
          </p>
        )}
      </details>
    </section>
  );
};

const OneEvent: FC<{
  of: Event;
  currency: string;
  statements: readonly Statement[];
}> = ({ of, currency, statements }) => (
  <li id={`event-${of.id}`} class={of.effect === 'EFFECTIVE' ? undefined : 'void'}>
    <p>
      <strong>{eventName(of)}</strong> {of.effect === 'SUPPRESSED' && <LeftOut />}
      {of.effect === 'SUPERSEDED' && <Badge>Superseded</Badge>}
      {of.effect === 'IGNORED' && <Badge>Without effect</Badge>}
    </p>
    <p class="soft">
      <Happened of={of} />, recorded <Time at={of.reported_at} /> · entry <Id of={of.id} />
    </p>
    <EventFacts of={of} currency={currency} />
    {of.correction_reason !== null && <p class="text">{of.correction_reason}</p>}
    <Said about={of.id} of={statements} />
    <p class="row">
      {!of.by_network && <a href={contestLink('event', of.id)}>This is wrong</a>}
      <a href={`${STATEMENTS}/${of.id}`}>Say something about it</a>
    </p>
  </li>
);

const Said: FC<{ about: string; of: readonly Statement[] }> = ({ about, of }) => (
  <>
    {of
      .filter(({ record_id }) => record_id === about)
      .map(({ text, set_at }) => (
        <blockquote>
          <p class="text">{text}</p>
          <p class="soft">
            Your words, since <Time at={set_at} day />: every reader sees them.
          </p>
        </blockquote>
      ))}
  </>
);

const Looks: FC<{ of: File['inquiries'] }> = ({ of }) => (
  <Table
    caption="Who looked at your file in two years"
    rows={of}
    empty={<p>Nobody has looked in two years.</p>}
    columns={[
      { name: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
      { name: 'Who', cell: ({ institution }) => institution.name ?? 'A fictional lender' },
      {
        name: 'What for',
        cell: ({ purpose }) => (
          <span title={meaningsOf(Purpose)?.values[purpose]}>{words(purpose)}</span>
        ),
      },
      { name: 'Kind', cell: ({ inquiry_type }) => words(inquiry_type) },
      {
        name: 'Your consent, as it said',
        cell: ({ consent_reference }) => consent_reference ?? '',
      },
      { name: 'Effect on the score', cell: effectOfInquiry },
      {
        name: 'Contest',
        cell: ({ id, refusal, voided_at }) =>
          refusal === null &&
          voided_at === null && <a href={contestLink('look', id)}>This is wrong</a>,
      },
    ]}
  />
);

const Corrections: FC<{ of: File['corrections'] }> = ({ of }) => (
  <Table
    caption="Corrections that others were told of"
    rows={of}
    empty={<p>Nothing was corrected that somebody had to be told of.</p>}
    columns={[
      { name: 'When', cell: ({ told }) => told[0] && <Time at={told[0].at} /> },
      {
        name: 'What',
        cell: ({ event_type, credit_event_id }) => (
          <a href={`#event-${credit_event_id}`}>{words(event_type)}</a>
        ),
      },
      {
        name: 'What became of it',
        cell: ({ change }) => meaningsOf(CorrectionChange)?.values[change] ?? words(change),
      },
      {
        name: 'Told',
        cell: ({ told }) =>
          told.map(({ institution }) => institution.name ?? 'a fictional lender').join(', '),
      },
    ]}
  />
);

const Moves: FC<{ of: File['moves'] }> = ({ of }) => (
  <>
    <h2 id="moves">What was put on your file, or taken off it</h2>
    <Table
      caption="Records that the network moved"
      rows={of}
      empty={undefined}
      columns={[
        { name: 'When', cell: ({ moved_at }) => <Time at={moved_at} /> },
        { name: 'What', cell: happenedBy },
        { name: 'Accounts', cell: ({ account_count }) => count(account_count), number: true },
        { name: 'Looks', cell: ({ inquiry_count }) => count(inquiry_count), number: true },
        { name: 'Disputes', cell: ({ dispute_count }) => count(dispute_count), number: true },
      ]}
    />
    <p class="soft">What came to your file and is not yours you can contest where it stands.</p>
  </>
);

function happenedBy({ kind, came }: File['moves'][number]): string {
  if (kind === 'MERGE') return 'Two files were taken for yours, and put together';
  return came
    ? 'Records were taken for yours, and put here'
    : 'Records were taken off, as not yours';
}

/** Events of an account that the file has no room for. */
export const eventsScreen: PersonScreen = {
  path: `${MY}/accounts/:account_id`,
  show: async (visit) => {
    const account_id = visit.param('account_id');
    const [{ value, next_cursor }, whole] = await Promise.all([
      pageOf(visit, account_id),
      visit.call('getMyFile'),
    ]);
    const { accounts, statements } = whole.value.file as File;
    // A file may have more accounts than it shows.
    const account = accounts.find(({ id }) => id === account_id);
    return {
      title: account === undefined ? 'Events of an account' : `${named(account)}: its events`,
      body: (
        <>
          <p>
            <a href={`${MY}#account-${account_id}`}>Back to your file</a>
          </p>
          <ol class="timeline" reversed start={value[0]?.sequence}>
            {value.map((event) => (
              <OneEvent of={event} currency={account?.currency ?? ''} statements={statements} />
            ))}
          </ol>
          {next_cursor !== undefined && (
            <p>
              <a href={`${visit.request.path}?cursor=${encodeURIComponent(next_cursor)}`}>
                Earlier events
              </a>
            </p>
          )}
        </>
      ),
    };
  },
};

function named({ account_type, furnisher }: OwnAccount): string {
  return `${words(account_type)} at ${furnisher.name ?? 'a fictional lender'}`;
}

function pageOf(visit: PersonVisit, account_id: string) {
  return visit.call('listMyAccountEvents', {
    params: { account_id },
    query: { cursor: visit.query('cursor') },
  });
}
