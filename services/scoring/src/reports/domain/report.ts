// What a report is, and when it can be asked for.

export const REPORT_TYPES = ['FULL', 'SUMMARY', 'COMMERCIAL', 'NOTICE'] as const;
export type ReportType = (typeof REPORT_TYPES)[number];

export const REPORT_FORMATS = ['JSON', 'CSV', 'PDF'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** EXPIRED follows from the time and is not stored. */
export type StoredStatus = 'PENDING' | 'READY' | 'FAILED';
export type ReportStatus = StoredStatus | 'EXPIRED';

export type FailureCode = 'SUBJECT_UNKNOWN' | 'TOO_LARGE' | 'BUILD_FAILED';

export const REPORT_DAYS = 30;
/** A longer one would not be read, and costs everyone else their turn. */
export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;
/** A JSON report up to this size is part of the answer. */
export const MAX_INLINE_BYTES = 4 * 1024 * 1024;
export const MAX_ATTEMPTS = 5;

/** Who says a notice, and where its reader turns to. */
export interface NoticeParties {
  /** The institution that decided. */
  readonly institution_name: string;
  readonly network_name: string;
  readonly contact_email?: string | undefined;
  /** Where people find the network's own pages. */
  readonly network_url?: string | undefined;
}

/** A report on record. */
export interface StoredReport {
  readonly id: string;
  readonly institution_id: string;
  readonly subject_id: string;
  readonly report_type: ReportType;
  readonly format: ReportFormat;
  readonly purpose: string;
  /** The look that it shows: of a notice an earlier one, else the one that it was asked for with. */
  readonly inquiry_id: string;
  /** Of a notice alone. */
  readonly parties: NoticeParties | undefined;
  /** Of a notice: what the score was made with that was seen. */
  readonly model_version: string | undefined;
  readonly status: StoredStatus;
  readonly as_of: string;
  readonly created_at: string;
  readonly ready_at: string | undefined;
  readonly expires_at: string | undefined;
  readonly failure_code: FailureCode | undefined;
  readonly content_sha256: Buffer | undefined;
  readonly content_bytes: number | undefined;
}

export function statusAt({ status, expires_at }: StoredReport, now_ms: number): ReportStatus {
  const is_over = expires_at !== undefined && Date.parse(expires_at) <= now_ms;
  return status === 'READY' && is_over ? 'EXPIRED' : status;
}
