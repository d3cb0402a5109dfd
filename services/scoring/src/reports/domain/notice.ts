// What somebody is given whom an institution refused, or gave worse terms, for what it saw on file:
// the score that it saw, what cost it most, and where to turn to.

import { dayOfInstant, MODELS, modelInput, SCORE_MAX, SCORE_MIN } from '../../domain/model';
import type { NoticeParties } from './report';
import type { ReportMaterial } from './report-content';
import type { ReportSubject } from './report-parts';

/** Something that the reader may do or should know, under its heading. */
export interface NoticeParagraph {
  readonly title: string;
  readonly text: string;
}

export interface NoticeContent {
  readonly report: {
    readonly id: string;
    readonly report_type: 'NOTICE';
    readonly purpose: string;
    readonly inquiry_id: string;
    readonly as_of: string;
    readonly given_at: string;
    readonly model_version: string;
  };
  readonly subject: ReportSubject;
  readonly parties: NoticeParties;
  readonly credit: {
    readonly score: number | undefined;
    readonly score_range: { readonly min: number; readonly max: number };
    readonly grade: string | undefined;
    readonly band: string;
  };
  /** What cost the score most, the worst first: four, and inquiries as a fifth. */
  readonly key_factors: readonly {
    readonly code: string;
    readonly factor: string;
    readonly text: string;
  }[];
  readonly rights: readonly NoticeParagraph[];
}

/** The notice, out of the file as it stood at the look. */
export function buildNotice({ report, subject, file }: ReportMaterial): NoticeContent {
  const { parties } = report;
  const model = MODELS.find(({ version }) => version === report.model_version);
  if (parties === undefined || model === undefined) {
    throw new Error(`The notice ${report.id} lacks who says it, or a model that there is.`);
  }
  const as_of_day = dayOfInstant(Date.parse(report.as_of));
  // The look itself was not in what it showed.
  const inquiries = file.inquiries.filter(({ inquiry_id }) => inquiry_id !== report.inquiry_id);
  const { score, grade, band, reasons } = model.score(
    modelInput({ ...file, inquiries }, as_of_day),
  );
  return {
    report: {
      id: report.id,
      report_type: 'NOTICE',
      purpose: report.purpose,
      inquiry_id: report.inquiry_id,
      as_of: report.as_of,
      given_at: report.created_at,
      model_version: model.version,
    },
    subject,
    parties,
    credit: { score, score_range: { min: SCORE_MIN, max: SCORE_MAX }, grade, band },
    key_factors: reasons
      .filter(({ direction }) => direction === 'NEGATIVE')
      .map(({ code, factor, text }) => ({ code, factor, text })),
    rights: rightsOf(parties),
  };
}

function rightsOf(parties: NoticeParties): NoticeParagraph[] {
  const { institution_name, network_name, contact_email, network_url } = parties;
  const mail = contact_email === undefined ? [] : [`write to ${contact_email}`];
  const own = [...(network_url === undefined ? [] : [`see ${network_url}/my`]), ...mail];
  const contest = [...(network_url === undefined ? [] : [`see ${network_url}/dispute`]), ...mail];
  const where = (ways: readonly string[]) =>
    ways.length === 0 ? `ask ${institution_name} how to reach it` : ways.join(', or ');
  return [
    {
      title: 'Who decided',
      text:
        `${institution_name} decided, in whole or in part because of what ${network_name} has on ` +
        `file about you. ${network_name} took no part in the decision and cannot say why it was made.`,
    },
    {
      title: 'Your own file',
      text:
        `Within 60 days of this notice ${network_name} owes you a copy of your file, free of ` +
        `charge: ${where(own)}. It names whoever reports about you and whoever looked.`,
    },
    {
      title: 'What you may do about it',
      text:
        'You may freeze your file, so that it is shown to nobody for new business, have its readers ' +
        `warned of fraud, and say something about a record in your own words: ${where(own)}.`,
    },
    {
      title: 'If something is wrong',
      text:
        'You may dispute whatever is inaccurate or incomplete in your file, free of charge: ' +
        `${where(contest)}. It is looked into, and what cannot be verified goes. Whoever looked at ` +
        'your file in the six months before is told of what was corrected.',
    },
    {
      title: 'What the score is',
      text:
        'A number that is worked out from your file as it stood at that moment. It changes as the ' +
        'file does, and others may use other scores.',
    },
  ];
}
