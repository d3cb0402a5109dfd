import type { Rejection } from '@credit/proto/reporting/v1/reporting';
import type { Clients } from '../clients';
import type { HandlersOf } from '../handler';

export function reportingHealthRoutes({
  identity,
  reporting,
}: Clients): HandlersOf<
  | 'getReportingHealth'
  | 'getReportingHealthByDay'
  | 'getReportingHealthAccounts'
  | 'getInstitutionHealth'
  | 'getInstitutionHealthAccounts'
  | 'getReportingHealthRejections'
  | 'getInstitutionHealthRejections'
  | 'getInquiryPurposes'
> {
  return {
    getReportingHealth: async ({ ctx }) => {
      const health = await reporting.getReportingHealth(ctx, {});
      return {
        ...health,
        metrics: health.metrics.map((metric) => ({
          ...metric,
          numerator: Number(metric.numerator),
          denominator: Number(metric.denominator),
        })),
        findings: health.findings.map((finding) => ({
          ...finding,
          account_count: Number(finding.account_count),
        })),
      };
    },
    getInstitutionHealth: async ({ ctx, params: { institution_id } }) => {
      const [{ days }] = await Promise.all([
        reporting.getReportingHealthByDay({ ...ctx, institution_id }, {}),
        // Whose health nobody knows says nothing of whether there is such a member.
        identity.getInstitution(ctx, { institution_id }),
      ]);
      return days;
    },
    getReportingHealthAccounts: ({ ctx, query }) => reporting.listHealthAccounts(ctx, query),
    getInstitutionHealthAccounts: async ({ ctx, params: { institution_id }, query }) => {
      const [found] = await Promise.all([
        reporting.listHealthAccounts({ ...ctx, institution_id }, query),
        identity.getInstitution(ctx, { institution_id }),
      ]);
      return found;
    },
    getReportingHealthRejections: async ({ ctx, query }) =>
      (await reporting.listRejections(ctx, query)).rejections.map(rejectionShown),
    getInstitutionHealthRejections: async ({ ctx, params: { institution_id }, query }) => {
      const [{ rejections }] = await Promise.all([
        reporting.listRejections({ ...ctx, institution_id }, query),
        identity.getInstitution(ctx, { institution_id }),
      ]);
      return rejections.map(rejectionShown);
    },
    getInquiryPurposes: async ({ ctx, params: { institution_id } }) => {
      const [{ purposes }] = await Promise.all([
        reporting.listInquiryPurposes({ ...ctx, institution_id }, {}),
        identity.getInstitution(ctx, { institution_id }),
      ]);
      return purposes.map(({ purpose, inquiry_type, ...counts }) => ({
        purpose,
        inquiry_type,
        shown_30d: Number(counts.shown_30d),
        shown_12m: Number(counts.shown_12m),
        refused_30d: Number(counts.refused_30d),
        refused_12m: Number(counts.refused_12m),
        with_consent_12m: Number(counts.with_consent_12m),
      }));
    },
    getReportingHealthByDay: async ({ ctx }) => {
      const { days } = await reporting.getReportingHealthByDay(ctx, {});
      return days;
    },
  };
}

const rejectionShown = ({ count, ...cause }: Rejection) => ({ ...cause, count: Number(count) });
