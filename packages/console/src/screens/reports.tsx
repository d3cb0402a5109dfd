import type { Operations, WireOf } from '@credit/contract';
import { ReportFormat, ReportStatus, ReportType } from '@credit/proto/scoring/v1/scoring';
import { attempt, type Faults } from '../attempt';
import {
  Badge,
  Choices,
  Facts,
  Filters,
  Form,
  Id,
  Notice,
  Pager,
  Select,
  Submit,
  Table,
  Time,
  type Tone,
} from '../components';
import type { Page, View } from '../page';
import { ConsentField, PurposeField } from '../purpose';
import { choicesOf } from '../record';
import { type Screen, withPermission } from '../screen';
import { words } from '../words';

type Report = WireOf<Operations['getReport']>;

export const REPORTS = '/reports';

const TONES: Readonly<Record<string, Tone>> = {
  PENDING: 'accent',
  READY: 'good',
  FAILED: 'bad',
};

const State = ({ of }: { of: string }) => <Badge tone={TONES[of] ?? 'plain'}>{words(of)}</Badge>;

/** The institution's own reports. */
export const reportsScreen: Screen = {
  path: REPORTS,
  place: { section: 'Record', label: 'Reports' },
  isFor: withPermission('credit.read'),
  by_environment: true,
  show: async (page) => {
    const filter = { status: page.query('status'), subject_id: page.query('subject_id') };
    const { value, next_cursor } = await page.call('listReports', {
      query: { ...filter, limit: '25', cursor: page.query('cursor') },
    });
    const opens = page.may('reports.request');
    return {
      title: 'Reports',
      body: (
        <>
          <Filters kept={{ subject_id: filter.subject_id }}>
            <Select
              name="status"
              label="State"
              value={filter.status}
              choices={[{ value: '', label: 'Any' }, ...choicesOf(ReportStatus)]}
            />
          </Filters>
          <Table
            caption="Reports"
            rows={value}
            empty="No report like that. Reports are asked for on a subject's page."
            columns={[
              {
                name: 'Report',
                cell: (report) => {
                  const name = `${words(report.report_type)}, ${report.format}`;
                  return opens ? <a href={page.href(`${REPORTS}/${report.id}`)}>{name}</a> : name;
                },
              },
              {
                name: 'Subject',
                cell: ({ subject_id }) => (
                  <a class="id" href={page.href(`/subjects/${subject_id}`)}>
                    …{subject_id.slice(-8)}
                  </a>
                ),
              },
              { name: 'Purpose', cell: ({ purpose }) => words(purpose) },
              { name: 'State', cell: ({ status }) => <State of={status} /> },
              { name: 'As of', cell: ({ as_of }) => <Time at={as_of} /> },
            ]}
          />
          <Pager page={page} path={REPORTS} next={next_cursor} query={filter} />
        </>
      ),
    };
  },
};

/** Asking for a report, which is a look at the subject. */
export const requestReportScreen: Screen = {
  path: '/subjects/:subject_id/report',
  isFor: withPermission('reports.request'),
  by_environment: true,
  show: (page) => requestPage(page),
  submit: async (page) => {
    const { form } = page;
    const body = {
      subject_id: page.param('subject_id'),
      report_type: form.given('report_type'),
      format: form.given('format'),
      purpose: form.given('purpose'),
      consent_reference: form.given('consent_reference'),
    };
    const outcome = await attempt(() => page.call('createReport', { body }));
    if ('faults' in outcome) return requestPage(page, outcome.faults);
    return { location: page.href(`${REPORTS}/${outcome.done.value.id}`) };
  },
};

async function requestPage(page: Page, faults?: Faults): Promise<View> {
  const { form } = page;
  const params = { subject_id: page.param('subject_id') };
  const { value: subject } = await page.call('getSubject', { params });
  const types = subject.type === 'ORGANISATION' ? ['NOTICE'] : ['COMMERCIAL', 'NOTICE'];
  return {
    title: `A report on ${subject.display_name}`,
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <p>
          <a href={page.href(`/subjects/${subject.id}`)}>Back to the subject</a>
        </p>
        <Notice>
          <p>Asking for a report is recorded as an inquiry, as a look at the profile is.</p>
        </Notice>
        <Form page={page} faults={faults}>
          <Choices
            type="radio"
            name="report_type"
            legend="What it holds"
            choices={choicesOf(ReportType, types)}
            chosen={[form.given('report_type') ?? 'FULL']}
            faults={faults}
          />
          <Choices
            type="radio"
            name="format"
            legend="Format"
            choices={choicesOf(ReportFormat)}
            chosen={[form.given('format') ?? 'PDF']}
            faults={faults}
          />
          <PurposeField page={page} faults={faults} />
          <ConsentField page={page} faults={faults} />
          <Submit>Ask for the report</Submit>
        </Form>
      </>
    ),
  };
}

/** A notice of what an inquiry showed, for the subject to be given. */
export const noticeScreen: Screen = {
  path: '/inquiries/:inquiry_id/notice',
  isFor: withPermission('reports.request'),
  by_environment: true,
  show: async (page) => noticePage(page),
  submit: async (page) => {
    const params = { inquiry_id: page.param('inquiry_id') };
    const body = { format: 'PDF', model_version: page.form.given('model_version') };
    const outcome = await attempt(() => page.call('createNotice', { params, body }));
    if ('faults' in outcome) return noticePage(page, outcome.faults);
    return { location: page.href(`${REPORTS}/${outcome.done.value.id}`) };
  },
};

function noticePage(page: Page, faults?: Faults): View {
  return {
    title: 'A notice to print',
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <p>
          Whom you refuse, or offer worse terms, because of what you saw on file, you tell so. The
          notice is a letter of one page: the score that you saw, with its range and date, what cost
          it most, the address of the network, and what the subject may do. It records no inquiry.
        </p>
        <Form page={page} faults={faults}>
          <Submit>Make the notice</Submit>
        </Form>
      </>
    ),
  };
}

const FAILURES: Readonly<Record<string, string>> = {
  SUBJECT_UNKNOWN: 'The subject is not on file any more.',
  TOO_LARGE: 'There is too much on file for this format. Ask for JSON or CSV.',
  BUILD_FAILED: 'It could not be built. Ask for another; if that fails too, write to the network.',
};

/** One report: whether it is ready, and the way to it. */
export const reportScreen: Screen = {
  path: `${REPORTS}/:report_id`,
  isFor: withPermission('reports.request'),
  by_environment: true,
  show: async (page) => {
    const params = { report_id: page.param('report_id') };
    const { value: report } = await page.call('getReport', { params });
    const here = page.href(`${REPORTS}/${report.id}`);
    return {
      title: report.report_type === 'NOTICE' ? 'A notice' : `${words(report.report_type)} report`,
      body: (
        <>
          <p>
            <a href={page.href(`/subjects/${report.subject_id}`)}>To the subject</a>
          </p>
          {/* Until it is ready it asks again; without scripts, one looks again. */}
          <div
            id="report"
            {...(report.status === 'PENDING' && {
              'hx-get': here,
              'hx-trigger': 'load delay:2s',
              'hx-select': '#report',
              'hx-swap': 'outerHTML',
            })}
          >
            <Readiness page={page} of={report} here={here} />
            <Facts
              of={[
                ['State', <State of={report.status} />],
                ['Purpose', words(report.purpose)],
                ['Format', report.format],
                ['As of', <Time at={report.as_of} />],
                ['Ready', <Time at={report.ready_at} none="not yet" />],
                ['Document kept until', <Time at={report.expires_at} none="not yet known" />],
                ['Report', <Id of={report.id} />],
                ...(report.content_sha256 === null
                  ? []
                  : [['SHA-256', <Id of={report.content_sha256} />] as const]),
              ]}
            />
          </div>
        </>
      ),
    };
  },
};

const Readiness = ({ page, of, here }: { page: Page; of: Report; here: string }) => {
  switch (of.status) {
    case 'READY':
      return (
        <p>
          <a class="button" href={page.href(`${REPORTS}/${of.id}/document`)} download>
            Download the {of.format}
          </a>
        </p>
      );
    case 'PENDING':
      return (
        <Notice live>
          <p>
            It is being built, which takes some seconds. <a href={here}>Look again</a>
          </p>
        </Notice>
      );
    case 'FAILED':
      return (
        <Notice kind="bad">
          <p>{FAILURES[of.failure_code ?? ''] ?? 'It could not be built.'}</p>
        </Notice>
      );
    default:
      return (
        <Notice>
          <p>Its document was kept for 30 days and is gone. Ask for another report.</p>
        </Notice>
      );
  }
};

/** The document itself. */
export const reportDocumentScreen: Screen = {
  path: `${REPORTS}/:report_id/document`,
  isFor: withPermission('reports.request'),
  by_environment: true,
  show: (page) =>
    page.send('getReportDocument', { params: { report_id: page.param('report_id') } }),
};
