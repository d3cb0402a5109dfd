import { Purpose } from '@credit/proto/reporting/v1/types';
import { ReportFormat, ReportStatus, ReportType } from '@credit/proto/scoring/v1/scoring';
import { scope } from '../access';
import { operation } from '../operation';
import {
  enumeration,
  freeObject,
  id,
  label,
  named,
  orNull,
  reply,
  request,
  timestamp,
} from '../wire';

const report = named(
  'Report',
  reply({
    id: id('Of the inquiry too that the report was asked for with.'),
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

const pendingExample = {
  id: '0198a1c7-0a10-7b3c-8d4e-5f6a7b8c9d0e',
  subject_id: '0198a1c4-11aa-7e02-8c61-7a5b4c3d2e1f',
  report_type: 'FULL',
  format: 'JSON',
  purpose: 'NEW_CREDIT_APPLICATION',
  status: 'PENDING',
  as_of: '2026-02-03T10:00:00.000Z',
  created_at: '2026-02-03T10:00:00.010Z',
  ready_at: null,
  expires_at: null,
  failure_code: null,
  content_sha256: null,
  content: null,
};

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
  access: scope('reports:request'),
  limit_class: 'STANDARD',
  params: {},
  body: request({
    subject_id: id(),
    report_type: enumeration(ReportType),
    format: enumeration(ReportFormat),
    purpose: enumeration(Purpose, { description: 'Why the file is looked at.' }),
  }),
  status: 201,
  response: report,
  errors: ['NOT_FOUND'],
  examples: {
    body: {
      subject_id: pendingExample.subject_id,
      report_type: 'FULL',
      format: 'JSON',
      purpose: 'NEW_CREDIT_APPLICATION',
    },
    response: pendingExample,
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
  access: scope('reports:request'),
  limit_class: 'STANDARD',
  params: { report_id: id('The report.') },
  status: 200,
  response: report,
  errors: ['NOT_FOUND'],
  examples: {
    params: { report_id: pendingExample.id },
    response: {
      ...pendingExample,
      status: 'READY',
      ready_at: '2026-02-03T10:00:00.300Z',
      expires_at: '2026-03-05T10:00:00.300Z',
      content_sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      content: { credit: { score: 702, grade: 'C' }, trade_lines: [] },
    },
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
  access: scope('reports:request'),
  limit_class: 'STANDARD',
  params: { report_id: id('The report.') },
  status: 200,
  stream: ['application/pdf', 'text/csv', 'application/json'],
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: { params: { report_id: pendingExample.id } },
});
