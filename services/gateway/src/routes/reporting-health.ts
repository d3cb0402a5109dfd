import type { Clients } from '../clients';
import type { HandlersOf } from '../handler';

export function reportingHealthRoutes({
  reporting,
}: Clients): HandlersOf<'getReportingHealth' | 'getReportingHealthByDay'> {
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
    getReportingHealthByDay: async ({ ctx }) => {
      const { days } = await reporting.getReportingHealthByDay(ctx, {});
      return days;
    },
  };
}
