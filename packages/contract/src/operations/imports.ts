import { MAPPING_NAME, TEXTS } from '@credit/platform/values';
import {
  ImportFailure,
  ImportFormat,
  ImportKind,
  ImportState,
} from '@credit/proto/reporting/v1/imports';
import { scope } from '../access';
import { operation } from '../operation';
import {
  boolean,
  enumeration,
  id,
  integer,
  label,
  list,
  named,
  oneOf,
  orNull,
  page,
  queryFlag,
  queryNumber,
  reply,
  request,
  text,
  texts,
  timestamp,
} from '../wire';
import recorded from './recorded-answers.json';

export const MAX_FILE_BYTES = 1_073_741_824;

/** A file as it is sent. */
const file = {
  types: ['text/csv', 'application/x-ndjson'],
  max_bytes: MAX_FILE_BYTES,
  example: {
    type: 'application/x-ndjson',
    text: '{"external_account_id":"loan-2026-00017","event_type":"PAYMENT_MADE","occurred_at":"2026-04-01T08:00:00Z","amount":143.48,"source_reference":"ledger-90417"}\n',
  },
} as const;

const partial = {
  partial: queryFlag(
    'True when the file goes on in another part. Without it the part is the last one and the file ' +
      'is checked.',
  ),
};

const furnishedImport = named(
  'Import',
  reply({
    id: id(),
    kind: enumeration(ImportKind),
    format: enumeration(ImportFormat),
    state: enumeration(ImportState),
    dry_run: boolean('It stops once it is checked.'),
    received_bytes: integer({ description: 'Of the file, so far: another part begins here.' }),
    sha256: orNull(label('Of the whole file, in hexadecimal, once the check has begun.')),
    checked_rows: integer({ description: 'Rows that were looked at.' }),
    rows: orNull(integer({ description: 'All of them, once every one was looked at.' })),
    applied_rows: integer({ description: '`reported`, `existing` and `refused` together.' }),
    reported: integer({ description: 'Rows that are on file now.' }),
    existing: integer({ description: 'Rows that were on file already, with the same content.' }),
    refused: integer({
      description: 'Rows that the record refused when they were written; their faults say why.',
    }),
    faulty_rows: integer({
      description: 'Rows with faults, of the check or refused. The first 10,000 are kept.',
    }),
    failure: orNull(enumeration(ImportFailure, { description: 'Of one that is FAILED.' })),
    created_at: timestamp(),
    created_by: reply({
      type: oneOf(['user', 'api_key'], 'Who began it.'),
      id: id('Of the user or the API key.'),
    }),
    finished_at: orNull(timestamp('When it came to its end.')),
    expires_at: timestamp('When it and its faults are deleted.'),
    mapping: orNull(
      label('The name of the mapping that it was begun with: it is read as that stood then.'),
    ),
  }),
);

const name = text({
  ...TEXTS.mapping_name,
  pattern: MAPPING_NAME,
  pattern_name: 'of letters, digits, - and _, the first a letter or digit',
  description: 'Your name for the mapping.',
});

const columns = texts({
  min: 1,
  max: 100,
  names: TEXTS.mapping_column,
  values: TEXTS.mapping_field,
  description:
    'Fields by names of columns, as they stand in the header. A dot leads into an object: ' +
    '`subject.game_uuid`. Columns that are not named are left out. Without it, columns are fields ' +
    'by their own names.',
});

const constants = texts({
  max: 50,
  names: TEXTS.mapping_field,
  values: TEXTS.mapping_constant,
  description: 'Texts by fields, for cells that are empty and for fields without a column.',
});

const importMapping = named(
  'ImportMapping',
  reply({
    id: id(),
    name,
    kind: enumeration(ImportKind),
    columns: orNull(columns),
    constants,
    created_at: timestamp(),
    updated_at: timestamp(),
  }),
);

const fault = named(
  'ImportFault',
  reply({
    code: label('A `reason` or `code` as errors have them, or a word for what a row lacks.'),
    field: label('Empty when it is about the whole row.'),
    message: label('The end of a sentence after the field.'),
  }),
);

const faultyRow = named(
  'FaultyRow',
  reply({
    line: integer({ description: 'Where the row ends in the file, from 1.' }),
    faults: list(fault),
  }),
);

const import_id = id('The import.');
const params = { import_id };
const exampleOf = ({ id: import_id }: { readonly id: string }) => ({ params: { import_id } });

export const createImport = operation({
  id: 'createImport',
  method: 'POST',
  path: '/imports',
  tag: 'Imports',
  rpc: [
    'credit.reporting.v1.ReportingService/BeginImport',
    'credit.reporting.v1.ReportingService/AppendToImport',
    'credit.reporting.v1.ReportingService/CompleteImport',
  ],
  summary: 'Import a file',
  description:
    'Takes a file of accounts or events, one a row, as CSV with a header or as NDJSON: up to 1 GiB ' +
    'and a million rows. It is checked whole before anything is written; with faults, nothing is. ' +
    'A file of accounts needs a key with `accounts:write` beside the scope below, one of events ' +
    '`events:write`; a user needs the permission alone. At most 5 imports wait or are at work at once, and hold 2 GiB together; more is ' +
    '409. A request takes a minute at most: send larger files in parts.',
  access: scope('credit:report', 'records.write'),
  limit_class: 'STANDARD',
  params: {},
  query: {
    kind: enumeration(ImportKind, { description: 'What the rows are.' }),
    dry_run: queryFlag('True to stop once the file is checked, until it is started.'),
    mapping: text({
      ...TEXTS.mapping_name,
      description: 'The name of a mapping of yours, by which the columns of a CSV file are read.',
    }).optional(),
    ...partial,
  },
  upload: file,
  status: 202,
  response: furnishedImport,
  errors: ['INVALID_STATE_TRANSITION'],
  examples: { query: { kind: 'EVENTS' }, response: recorded.createImport },
});

export const continueImport = operation({
  id: 'continueImport',
  method: 'POST',
  path: '/imports/{import_id}/content',
  tag: 'Imports',
  rpc: [
    'credit.reporting.v1.ReportingService/GetImport',
    'credit.reporting.v1.ReportingService/AppendToImport',
    'credit.reporting.v1.ReportingService/CompleteImport',
  ],
  summary: 'Send the next part of a file',
  description:
    'Goes on with a file that was sent in parts, or whose request broke off. A part that does not ' +
    'begin where the file ends is 409.',
  access: scope('credit:report', 'records.write'),
  limit_class: 'STANDARD',
  params,
  query: {
    from_bytes: queryNumber({
      min: 0,
      max: MAX_FILE_BYTES,
      description: 'How many bytes of the file stand before the part: `received_bytes`.',
    }),
    ...partial,
  },
  upload: file,
  status: 202,
  response: furnishedImport,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    ...exampleOf(recorded.continueImport),
    query: { from_bytes: String(Buffer.byteLength(file.example.text)), partial: 'true' },
    response: recorded.continueImport,
  },
});

export const listImports = operation({
  id: 'listImports',
  method: 'GET',
  path: '/imports',
  tag: 'Imports',
  rpc: ['credit.reporting.v1.ReportingService/ListImports'],
  summary: 'List imports',
  description: 'The imports of your institution, newest first. Ended ones are kept for 30 days.',
  access: scope('credit:report', 'records.read'),
  limit_class: 'STANDARD',
  params: {},
  query: page,
  status: 200,
  response: list(furnishedImport),
  paging: 'PAGE',
  errors: [],
  examples: { response: recorded.listImports },
});

export const getImport = operation({
  id: 'getImport',
  method: 'GET',
  path: '/imports/{import_id}',
  tag: 'Imports',
  rpc: ['credit.reporting.v1.ReportingService/GetImport'],
  summary: 'Read an import',
  description: 'How far an import is, and what has become of its rows.',
  access: scope('credit:report', 'records.read'),
  limit_class: 'STANDARD',
  params,
  status: 200,
  response: furnishedImport,
  errors: ['NOT_FOUND'],
  examples: { ...exampleOf(recorded.getImport), response: recorded.getImport },
});

export const listImportFaults = operation({
  id: 'listImportFaults',
  method: 'GET',
  path: '/imports/{import_id}/faults',
  tag: 'Imports',
  rpc: ['credit.reporting.v1.ReportingService/ListImportFaults'],
  summary: 'List the faults of an import',
  description: 'What is wrong with which row, in the order of the file.',
  access: scope('credit:report', 'records.read'),
  limit_class: 'STANDARD',
  may_lag: true,
  params,
  query: page,
  status: 200,
  response: list(faultyRow),
  paging: 'PAGE',
  errors: ['NOT_FOUND'],
  examples: {
    ...exampleOf(recorded.getImport),
    response: recorded.listImportFaults,
  },
});

export const getImportFaultsFile = operation({
  id: 'getImportFaultsFile',
  method: 'GET',
  path: '/imports/{import_id}/faults.csv',
  tag: 'Imports',
  rpc: ['credit.reporting.v1.ReportingService/ListImportFaults'],
  summary: 'Download the faulty rows of an import',
  description:
    'The rows that have faults, each with what is wrong with it, as a file that can be corrected ' +
    'and sent again as it is: CSV, or NDJSON of an import of NDJSON. Cells that a spreadsheet would ' +
    'calculate begin with an apostrophe, which is taken off again.',
  access: scope('credit:report', 'records.read'),
  limit_class: 'STANDARD',
  may_lag: true,
  params,
  status: 200,
  stream: ['text/csv', 'application/x-ndjson'],
  errors: ['NOT_FOUND'],
  examples: exampleOf(recorded.getImport),
});

export const startImport = operation({
  id: 'startImport',
  method: 'POST',
  path: '/imports/{import_id}/start',
  tag: 'Imports',
  rpc: [
    'credit.reporting.v1.ReportingService/GetImport',
    'credit.reporting.v1.ReportingService/StartImport',
  ],
  summary: 'Start an import that was checked',
  description:
    'Writes the rows of an import that was only to be checked, or goes on with one that FAILED by ' +
    'the network’s own doing. Needs the same scopes as sending the file. 409 in any other state.',
  access: scope('credit:report', 'records.write'),
  limit_class: 'STANDARD',
  params,
  status: 202,
  response: furnishedImport,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: { ...exampleOf(recorded.startImport), response: recorded.startImport },
});

export const cancelImport = operation({
  id: 'cancelImport',
  method: 'POST',
  path: '/imports/{import_id}/cancel',
  tag: 'Imports',
  rpc: ['credit.reporting.v1.ReportingService/CancelImport'],
  summary: 'Cancel an import',
  description:
    'Gives an import up at once. Rows that were written stay: correct them by events. 409 once it ' +
    'has come to its end.',
  access: scope('credit:report', 'records.write'),
  limit_class: 'STANDARD',
  params,
  status: 200,
  response: furnishedImport,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    ...exampleOf(recorded.cancelImport),
    response: recorded.cancelImport,
  },
});

const MAPPING = {
  kind: 'ACCOUNTS',
  columns: {
    'Loan no.': 'external_account_id',
    Borrower: 'subject_id',
    Amount: 'original_principal',
    'Paid out': 'opened_at',
  },
  constants: { account_type: 'TERM_LOAN', currency: 'DCR' },
} as const;
const ofMapping = { params: { name: 'loan-ledger' } };

export const saveImportMapping = operation({
  id: 'saveImportMapping',
  method: 'PUT',
  path: '/import-mappings/{name}',
  tag: 'Imports',
  rpc: ['credit.reporting.v1.ReportingService/SaveImportMapping'],
  summary: 'Keep a mapping of columns',
  description:
    'Keeps how the columns of your files become fields, under a name that imports can give; in ' +
    'place of the mapping of that name, when there is one. What was begun with that goes on as it ' +
    'began. 422 names columns of fields that there are not, fields that two columns have, and ' +
    'fields that every row needs and none has. An institution keeps 50 at most.',
  access: scope('credit:report', 'records.write'),
  limit_class: 'STANDARD',
  params: { name },
  body: request({
    kind: enumeration(ImportKind, { description: 'What the rows are.' }),
    columns: columns.optional(),
    constants: constants.optional(),
  }),
  status: 200,
  response: importMapping,
  errors: ['INVALID_STATE_TRANSITION'],
  examples: { ...ofMapping, body: MAPPING, response: recorded.saveImportMapping },
});

export const listImportMappings = operation({
  id: 'listImportMappings',
  method: 'GET',
  path: '/import-mappings',
  tag: 'Imports',
  rpc: ['credit.reporting.v1.ReportingService/ListImportMappings'],
  summary: 'List mappings of columns',
  description: 'The mappings that your institution keeps, by name.',
  access: scope('credit:report', 'records.read'),
  limit_class: 'STANDARD',
  params: {},
  query: page,
  status: 200,
  response: list(importMapping),
  paging: 'PAGE',
  errors: [],
  examples: { response: recorded.listImportMappings },
});

export const getImportMapping = operation({
  id: 'getImportMapping',
  method: 'GET',
  path: '/import-mappings/{name}',
  tag: 'Imports',
  rpc: ['credit.reporting.v1.ReportingService/GetImportMapping'],
  summary: 'Read a mapping of columns',
  description: 'The mapping that your institution keeps under the name.',
  access: scope('credit:report', 'records.read'),
  limit_class: 'STANDARD',
  params: { name },
  status: 200,
  response: importMapping,
  errors: ['NOT_FOUND'],
  examples: { ...ofMapping, response: recorded.getImportMapping },
});

export const deleteImportMapping = operation({
  id: 'deleteImportMapping',
  method: 'DELETE',
  path: '/import-mappings/{name}',
  tag: 'Imports',
  rpc: ['credit.reporting.v1.ReportingService/DeleteImportMapping'],
  summary: 'Delete a mapping of columns',
  description: 'The mapping is gone. Imports that were begun with it are still read by it.',
  access: scope('credit:report', 'records.write'),
  limit_class: 'STANDARD',
  params: { name },
  status: 204,
  errors: ['NOT_FOUND'],
  examples: ofMapping,
});
