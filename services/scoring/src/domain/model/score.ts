// 300 plus the points of six factors, under the ceilings in force. A pure function of the facts
// and the UTC day, in integers only.

import { monthOfDay } from './calendar';
import { type Cap, capsInForce, underCaps } from './caps';
import { derogatory } from './derogatory';
import type { ModelInput } from './facts';
import { fileLength, mixPoints } from './file-age';
import { countedInquiries, newCredit } from './new-credit';
import {
  BANDS,
  type BandName,
  type CapName,
  FACTOR_MAX,
  type FactorName,
  type Grade,
  HIGH_CONFIDENCE_ACCOUNTS,
  HIGH_CONFIDENCE_MONTHS,
  LOW_USE_PER_MILLE,
  OLDEST_CAP_MONTHS,
  type RiskLevel,
  SCORE_MIN,
} from './parameters';
import { countBits, onTime, paymentIndex } from './payments';
import { Losses, positives, type Reason, reason } from './reasons';
import type { AccountView, Rules } from './rules';
import { utilisation } from './utilisation';
import { viewAccounts } from './views';

export interface FactorPoints {
  readonly name: FactorName;
  readonly points: number;
  readonly max: number;
}

export type Confidence = 'LOW' | 'MEDIUM' | 'HIGH';

export interface Score {
  /** Undefined when not rated. */
  readonly score: number | undefined;
  readonly grade: Grade | undefined;
  readonly band: BandName;
  readonly risk_level: RiskLevel;
  readonly confidence: Confidence;
  readonly factors: readonly FactorPoints[];
  readonly reasons: readonly Reason[];
  readonly caps: readonly CapName[];
  /** Organisations with enough payments; undefined for all others. */
  readonly payment_index: number | undefined;
}

export function calculateScore(
  rules: Rules,
  input: ModelInput,
  views: readonly AccountView[] = viewAccounts(rules, input),
): Score {
  const { as_of_day } = input;
  const accounts = views.map(({ account }) => account);
  const payment_index =
    input.subject_type === 'ORGANISATION' ? paymentIndex(views, monthOfDay(as_of_day)) : undefined;
  const undisputed = views.filter((view) => view.items !== undefined).length;
  if (undisputed === 0) {
    return notRated(accounts.length === 0 ? 'NF01' : 'NF02', payment_index);
  }

  const items = views.flatMap((view) => view.items ?? []);
  let on = 0;
  let late = 0;
  for (const { months } of views) {
    on += countBits(months.on);
    late += countBits(months.late);
  }

  const adverse = derogatory(items);
  const paid = onTime(on, late);
  const used = utilisation(rules, views);
  const length = fileLength(accounts, as_of_day);
  const mix = mixPoints(accounts);
  const hunger = newCredit(accounts, countedInquiries(input.inquiries, as_of_day), as_of_day);

  const factors: FactorPoints[] = [
    { name: 'DEROGATORY', points: adverse.points, max: FACTOR_MAX.DEROGATORY },
    { name: 'ON_TIME', points: paid.points, max: FACTOR_MAX.ON_TIME },
    { name: 'UTILISATION', points: used.points, max: FACTOR_MAX.UTILISATION },
    { name: 'LENGTH', points: length.points, max: FACTOR_MAX.LENGTH },
    { name: 'MIX', points: mix, max: FACTOR_MAX.MIX },
    { name: 'NEW_CREDIT', points: hunger.points, max: FACTOR_MAX.NEW_CREDIT },
  ];
  const uncapped = factors.reduce((sum, factor) => sum + factor.points, SCORE_MIN);
  const caps = capsInForce(rules, accounts, items, as_of_day);
  const capped = underCaps(uncapped, caps);

  const losses = new Losses();
  for (const [code, points] of adverse.lost) losses.add(code, points);
  losses.add('PH05', paid.lost_to_late);
  losses.add('UT01', used.lost_to_revolving);
  losses.add('UT02', used.lost_to_instalment);
  losses.add('AG01', length.lost_to_oldest);
  losses.add('AG02', length.lost_to_average);
  losses.add('MX01', FACTOR_MAX.MIX - mix);
  losses.add('NC01', hunger.lost_to_inquiries);
  losses.add('NC02', hunger.lost_to_accounts);
  for (const { code, points } of capped.lost) losses.add(code, points);

  return {
    score: capped.score,
    ...bandOf(capped.score),
    confidence: confidenceOf(caps, undisputed, length.oldest_months),
    factors,
    reasons: [
      ...losses.negatives(),
      ...positives({
        nothing_adverse: items.length === 0 && late === 0,
        low_use: used.use <= LOW_USE_PER_MILLE,
        long_history: length.oldest_months >= OLDEST_CAP_MONTHS,
      }),
    ],
    caps: caps.map(({ name }) => name),
    payment_index,
  };
}

function notRated(code: 'NF01' | 'NF02', payment_index: number | undefined): Score {
  return {
    score: undefined,
    grade: undefined,
    band: 'NOT_RATED',
    risk_level: 'UNKNOWN',
    confidence: 'LOW',
    factors: [],
    reasons: [reason(code, 0)],
    caps: [],
    payment_index,
  };
}

function bandOf(score: number): { grade: Grade; band: BandName; risk_level: RiskLevel } {
  const found = BANDS.find(({ from }) => score >= from);
  if (found === undefined) throw new RangeError(`score ${score} is below the scale`);
  const { grade, band, risk_level } = found;
  return { grade, band, risk_level };
}

function confidenceOf(caps: readonly Cap[], undisputed: number, oldest_months: number): Confidence {
  if (caps.some(({ name }) => name === 'THIN_FILE')) return 'LOW';
  const enough = undisputed >= HIGH_CONFIDENCE_ACCOUNTS && oldest_months >= HIGH_CONFIDENCE_MONTHS;
  return enough ? 'HIGH' : 'MEDIUM';
}
