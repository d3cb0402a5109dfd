import { ERRORS_URL, meaningsOf, type Operations, type WireOf } from '@credit/contract';
import { HealthFindingCode } from '@credit/proto/reporting/v1/reporting';
import type { FC } from 'hono/jsx';
import { count, Id, Notice, Stat, Table, Time } from '../components';
import type { Page, View } from '../page';
import { Bar } from '../pictures';
import { isMember, type Screen } from '../screen';
import { words } from '../words';

/** How well the institution reports, and what to do about it. */
export const reportingHealthScreen: Screen = {
  path: '/reporting-health',
  place: { section: 'Record', label: 'Furnishing health' },
  isFor: isMember,
  by_environment: true,
  show: (page) => healthPage(page),
};

async function healthPage(page: Page): Promise<View> {
  const [{ value: health }, freshness, coverage, rejections] = await Promise.all([
    page.call('getReportingHealth'),
    page.call('getReportingHealthAccounts', { query: { metric: 'FRESHNESS' } }),
    page.call('getReportingHealthAccounts', { query: { metric: 'COVERAGE' } }),
    page.call('getReportingHealthRejections'),
  ]);
  const findings = meaningsOf(HealthFindingCode)?.values ?? {};
  return {
    title: 'Furnishing health',
    body: (
      <>
        <div class="stats">
          <Stat name="Grade" value={health.grade ?? '–'} />
          <Stat
            name="Score"
            value={health.score === null ? '–' : `${health.score} of 100`}
            note={health.score === null ? 'Nothing reported yet' : undefined}
          />
        </div>
        <p class="soft">
          From <Time at={health.from} day /> to <Time at={health.to} day />
        </p>
        <Table
          caption="Metrics"
          rows={health.metrics}
          empty="Nothing is measured yet."
          columns={[
            {
              name: 'Metric',
              cell: ({ name, text }) => (
                <>
                  <strong>{words(name)}</strong>
                  <br />
                  <span class="soft">{text}</span>
                </>
              ),
            },
            {
              name: 'Value',
              cell: ({ name, value }) =>
                value === null ? (
                  <span class="soft">nothing to measure</span>
                ) : (
                  <Bar name={words(name)} value={value} max={100} />
                ),
            },
            { name: 'Weight', number: true, cell: ({ weight }) => `${weight} %` },
            {
              name: 'Out of',
              number: true,
              cell: ({ numerator, denominator }) => `${count(numerator)} of ${count(denominator)}`,
            },
          ]}
        />
        <h2>Accounts that lower a metric most</h2>
        <LowAccounts name="FRESHNESS" low={freshness.value} page={page} />
        <LowAccounts name="COVERAGE" low={coverage.value} page={page} />
        <h2>What was refused in 7 days</h2>
        <Rejections of={rejections.value} />
        <h2>What to look at</h2>
        {health.findings.length === 0 ? (
          <Notice kind="good">
            <p>Nothing stands out in your records.</p>
          </Notice>
        ) : (
          health.findings.map(({ code, account_count, accounts }) => (
            <article class="card">
              <h3>
                {words(code)}: {count(account_count)}
              </h3>
              <p>{findings[code]}</p>
              <ul>
                {accounts.map((account) => (
                  <li>
                    <AccountLink of={account} page={page} />
                  </li>
                ))}
              </ul>
            </article>
          ))
        )}
      </>
    ),
  };
}

const Rejections: FC<{ of: WireOf<Operations['getReportingHealthRejections']> }> = ({ of }) => (
  <>
    <Table
      caption="What was refused of your reporting in 7 days"
      rows={of}
      empty="Nothing was refused."
      columns={[
        { name: 'Day', cell: ({ day }) => <Time at={`${day}T12:00:00Z`} day /> },
        {
          name: 'What',
          cell: ({ operation }) => (operation === '' ? 'Further causes' : <code>{operation}</code>),
        },
        {
          name: 'Why',
          cell: ({ reason, field }) =>
            reason === '' ? (
              ''
            ) : (
              <>
                <a href={`${ERRORS_URL}#${reason}`}>{reason}</a>
                {field !== '' && (
                  <>
                    {' '}
                    <code>{field}</code>
                  </>
                )}
              </>
            ),
        },
        { name: 'Items', number: true, cell: (cause) => count(cause.count) },
        { name: 'Last', cell: ({ last_at }) => <Time at={last_at} /> },
        { name: 'Request', cell: ({ request_id }) => <Id of={request_id} /> },
      ]}
    />
    <p class="soft">
      What was sent is not kept: find the request in your own log. Files list their own faults.
    </p>
  </>
);

interface NamedAccount {
  readonly account_id: string;
  readonly external_account_id: string;
}

/** An account by the member's own name for it; the way to it for who may read it. */
const AccountLink: FC<{ of: NamedAccount; page: Page }> = ({ of, page }) =>
  page.may('records.read') ? (
    <a href={page.href(`/accounts/${of.account_id}`)}>{of.external_account_id}</a>
  ) : (
    <span>{of.external_account_id}</span>
  );

const LowAccounts: FC<{
  name: string;
  low: WireOf<Operations['getReportingHealthAccounts']>;
  page: Page;
}> = ({ name, low, page }) => (
  <section>
    <h3>{words(name)}</h3>
    <Table
      caption={`Accounts that lower ${words(name).toLowerCase()} most`}
      rows={low.accounts}
      empty="No account lowers it."
      columns={[
        { name: 'Account', cell: (account) => <AccountLink of={account} page={page} /> },
        { name: 'Why', cell: ({ text }) => text },
      ]}
    />
    <p class="soft">
      Looked at <Time at={low.looked_at} />
    </p>
  </section>
);
