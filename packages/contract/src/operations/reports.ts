import { Purpose } from '@credit/proto/reporting/v1/types';
import { ReportFormat, ReportStatus, ReportType } from '@credit/proto/scoring/v1/scoring';
import { scope } from '../access';
import { operation } from '../operation';
import {
  enumeration,
  freeObject,
  id,
  label,
  list,
  named,
  orNull,
  page,
  reply,
  request,
  timestamp,
} from '../wire';
import { consentReference, modelVersion } from './credit';
import recorded from './recorded-answers.json';

const report = named(
  'Report',
  reply({
    id: id(),
    inquiry_id: id(
      'The look that it shows: that of its own request, which has the id of the report; of a NOTICE ' +
        'the one that it is about.',
    ),
    subject_id: id(),
    report_type: enumeration(ReportType),
    format: enumeration(ReportFormat),
    purpose: enumeration(Purpose),
    status: enumeration(ReportStatus, {
      description: 'PENDING, then READY or FAILED; EXPIRED 30 days after READY.',
    }),
    as_of: timestamp('The moment that the report shows.'),
    created_at: timestamp(),
    ready_at: orNull(timestamp()),
    expires_at: orNull(timestamp('When the document goes; the report itself stays.')),
    failure_code: orNull(label('SUBJECT_UNKNOWN, TOO_LARGE or BUILD_FAILED.')),
    content_sha256: orNull(label('SHA-256 of the document, hexadecimal.')),
    content: orNull(
      freeObject('A READY report in JSON of up to 4 MiB; a larger one is fetched as a document.'),
    ),
  }),
);

const pendingExample = recorded.createReport;

export const createReport = operation({
  id: 'createReport',
  method: 'POST',
  path: '/reports',
  tag: 'Reports',
  rpc: ['credit.scoring.v1.ScoringService/CreateReport'],
  summary: 'Request a report',
  description:
    'A durable report of everything on file as of now, built in the background. Asking for it is ' +
    'recorded as an inquiry. COMMERCIAL is for organisations and adds their facts, payments by quarter and exposure.',
  access: scope('reports:request', 'reports.request'),
  limit_class: 'STANDARD',
  params: {},
  body: request({
    subject_id: id(),
    report_type: enumeration(ReportType, { without: ['NOTICE'] }),
    format: enumeration(ReportFormat),
    purpose: enumeration(Purpose, { description: 'Why the file is looked at.' }),
    consent_reference: consentReference(),
  }),
  status: 201,
  response: report,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    body: {
      subject_id: pendingExample.subject_id,
      report_type: 'SUMMARY',
      format: 'JSON',
      purpose: 'NEW_CREDIT_APPLICATION',
    },
    response: recorded.createReport,
  },
});

export const createNotice = operation({
  id: 'createNotice',
  method: 'POST',
  path: '/inquiries/{inquiry_id}/notice',
  tag: 'Reports',
  rpc: [
    'credit.identity.v1.IdentityService/GetCaller',
    'credit.scoring.v1.ScoringService/CreateNotice',
  ],
  summary: 'Request a notice for a subject',
  description:
    'What you give a subject whom you refuse, or offer worse terms, because of what one of your own ' +
    'inquiries showed: the score of that moment with its range and date, up to four factors that cost ' +
    'it most and inquiries as a fifth when they did, the name and address of the network, and the ' +
    "subject's rights. It is a report, built in the background, and no inquiry is recorded. An inquiry " +
    'of anybody else is 404, one of over 60 days ago 422.',
  access: scope('reports:request', 'reports.request'),
  limit_class: 'STANDARD',
  params: {
    inquiry_id: id('The look: the `inquiry_id` of a profile, or the id of a report.'),
  },
  body: request({
    format: enumeration(ReportFormat, { without: ['CSV'] }),
    model_version: modelVersion(
      'The `model_version` of the profile that was read; the current one when left out.',
    ),
  }),
  status: 201,
  response: report,
  errors: ['NOT_FOUND'],
  examples: {
    params: { inquiry_id: recorded.getCreditProfile.inquiry_id },
    body: { format: 'JSON' },
    response: recorded.createNotice,
  },
});

export const listReports = operation({
  id: 'listReports',
  method: 'GET',
  path: '/reports',
  tag: 'Reports',
  rpc: ['credit.scoring.v1.ScoringService/ListReports'],
  summary: 'List reports',
  description:
    'The reports that your institution requested, newest first. `content` is null in a list: read ' +
    'a report, or its document, for what it says.',
  access: scope('reports:request', 'credit.read'),
  limit_class: 'STANDARD',
  may_lag: true,
  params: {},
  query: {
    subject_id: id('Only reports about this subject.').optional(),
    status: enumeration(ReportStatus, { description: 'Only reports in this status.' }).optional(),
    ...page,
  },
  status: 200,
  response: list(report),
  paging: 'PAGE',
  errors: [],
  examples: {
    query: { subject_id: pendingExample.subject_id },
    response: recorded.listReports,
  },
});

export const getReport = operation({
  id: 'getReport',
  method: 'GET',
  path: '/reports/{report_id}',
  tag: 'Reports',
  rpc: ['credit.scoring.v1.ScoringService/GetReport'],
  summary: 'Read a report',
  description: 'For the institution that requested it; to anyone else there is no such report.',
  access: scope('reports:request', 'reports.request'),
  limit_class: 'STANDARD',
  params: { report_id: id('The report.') },
  status: 200,
  response: report,
  errors: ['NOT_FOUND'],
  examples: {
    params: { report_id: pendingExample.id },
    response: recorded.getReport,
  },
});

export const getReportDocument = operation({
  id: 'getReportDocument',
  method: 'GET',
  path: '/reports/{report_id}/document',
  tag: 'Reports',
  rpc: ['credit.scoring.v1.ScoringService/OpenReportDocument'],
  summary: 'Download a report',
  description:
    'The document of a READY report in the format that was asked for, with its SHA-256 in ' +
    '`Repr-Digest`. 409 before it is READY and after it has expired.',
  access: scope('reports:request', 'reports.request'),
  limit_class: 'STANDARD',
  params: { report_id: id('The report.') },
  status: 200,
  stream: ['application/pdf', 'text/csv', 'application/json'],
  digested: true,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: { params: { report_id: pendingExample.id } },
});
