// The numbers of the model, the same in every version that names them. A change that gives the
// same facts another score is another version, with rules and golden profiles of its own.

import type { Curve } from './arithmetic';
import type { DefaultSeverity } from './facts';

export const SCORE_MIN = 300;
export const SCORE_MAX = 850;

export const FACTOR_MAX = {
  DEROGATORY: 132,
  ON_TIME: 60,
  UTILISATION: 165,
  LENGTH: 83,
  MIX: 55,
  NEW_CREDIT: 55,
} as const;
export type FactorName = keyof typeof FACTOR_MAX;

// Severities, in per mille.
export const LATE_SEVERITY = 60;
/** [days past due from, severity], the worst first. */
export const DELINQUENCY_SEVERITY: readonly (readonly [number, number])[] = [
  [120, 560],
  [90, 460],
  [60, 300],
  [30, 160],
];
export const RESTRUCTURED_SEVERITY = 180;
export const DEFAULT_SEVERITY: Readonly<Record<DefaultSeverity, number>> = {
  MINOR: 350,
  MODERATE: 600,
  SEVERE: 800,
  CRITICAL: 1000,
};
export const WRITTEN_OFF_SEVERITY = 900;
export const CURED_PER_MILLE = 700;

/** Weight of an item by its age in days; older than the last point it is ignored. */
export const DECAY: Curve = [
  [180, 1000],
  [365, 800],
  [730, 500],
  [1460, 250],
  [2555, 0],
];
export const OBSOLETE_AFTER_DAYS = 2555;
/** The n-th worst item counts half of the one before; the rest not at all. */
export const COMBINED_ITEMS = 8;

/** Points per mille by use per mille. */
export const UTILISATION_CURVE: Curve = [
  [100, 1000],
  [300, 850],
  [500, 650],
  [750, 400],
  [900, 200],
  [1000, 0],
];
export const REVOLVING_WEIGHT = 2;
export const INSTALMENT_WEIGHT = 1;
/** A loan that is still owed in full counts as half used. */
export const INSTALMENT_SCALE = 500n;

export const OLDEST_CAP_MONTHS = 60;
export const OLDEST_PER_MILLE = 600;
export const AVERAGE_CAP_MONTHS = 36;
export const AVERAGE_PER_MILLE = 400;

/** By number of account types, the last for that many and more. */
export const MIX_PER_MILLE = [0, 600, 850, 1000] as const;

export const INQUIRY_PER_MILLE = 75;
export const NEW_ACCOUNT_PER_MILLE = 120;
export const NEW_ACCOUNT_DAYS = 180;
/** An inquiry counts once in each of these that it falls into. */
export const INQUIRY_SPANS_DAYS = [180, 365] as const;
/** Looks of one purpose within this many days are one search for an offer. */
export const INQUIRY_WINDOW_DAYS = 14;

export const HISTORY_MONTHS = 24;

export const CAPS = {
  WRITE_OFF: 549,
  ACTIVE_DEFAULT: 579,
  ACTIVE_DELINQUENCY: 669,
  THIN_FILE: 719,
} as const;
export type CapName = keyof typeof CAPS;
export const THIN_FILE_ACCOUNTS = 2;
export const THIN_FILE_DAYS = 180;
/** From 1.1.0: an account with fewer payments in its life does not thicken a file. */
export const THIN_FILE_PAYMENTS = 3;

/** From 1.1.0: what was paid off or closed counts for ten years more. */
export const SETTLED_ON_FILE_DAYS = 3652;
/** From 1.1.0: a furnisher's own flag leaves its account out for this long. */
export const FLAG_SUSPENDS_DAYS = 60;

/** From the best. */
export const BANDS = [
  { from: 800, grade: 'A', band: 'EXCEPTIONAL', risk_level: 'LOW' },
  { from: 740, grade: 'B', band: 'VERY_GOOD', risk_level: 'MODERATE' },
  { from: 670, grade: 'C', band: 'GOOD', risk_level: 'ELEVATED' },
  { from: 580, grade: 'D', band: 'FAIR', risk_level: 'HIGH' },
  { from: 300, grade: 'E', band: 'POOR', risk_level: 'SEVERE' },
] as const;
export type Grade = (typeof BANDS)[number]['grade'];
export type BandName = (typeof BANDS)[number]['band'] | 'NOT_RATED';
export type RiskLevel = (typeof BANDS)[number]['risk_level'] | 'UNKNOWN';

/** Enough to trust: this many undisputed accounts, the oldest this old. */
export const HIGH_CONFIDENCE_ACCOUNTS = 3;
export const HIGH_CONFIDENCE_MONTHS = 24;

/** Value of a payment by the days past due it was made at. */
export const PAYMENT_INDEX_CURVE: Curve = [
  [0, 80],
  [14, 70],
  [21, 60],
  [30, 50],
  [60, 40],
  [90, 30],
  [120, 20],
];
export const PAYMENT_INDEX_LEAST_PAYMENTS = 3;

export const NEGATIVE_REASONS = 4;
export const POSITIVE_REASONS = 2;
/** Use per mille up to which it is a strength. */
export const LOW_USE_PER_MILLE = 300;
