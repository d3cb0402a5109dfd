import type { Operation } from './operation';
import { operations } from './operations';

const lagging = (Object.values(operations) as unknown as Operation[]).filter(
  ({ may_lag }) => may_lag === true,
);

describe('what may be answered by a replica', () => {
  // Each of them by a decision: nobody decides by it, and nobody goes on from where it ended.
  it('is histories, exports, figures and lists of what is over', () => {
    expect(lagging.map(({ id }) => id).sort()).toEqual([
      'exportAccounts',
      'exportAuditEvents',
      'exportNetworkAuditEvents',
      'getAccountPayments',
      'getAccountSummary',
      'getImportFaultsFile',
      'getInquiryPurposes',
      'getInstitutionHealth',
      'getInstitutionHealthAccounts',
      'getInstitutionHealthRejections',
      'getNetworkStats',
      'getNetworkTraffic',
      'getReportingHealth',
      'getReportingHealthAccounts',
      'getReportingHealthByDay',
      'getReportingHealthRejections',
      'listAccountEvents',
      'listAttempts',
      'listAuditEvents',
      'listDeliveries',
      'listImportFaults',
      'listInquiries',
      'listMemberInstitutions',
      'listNetworkAuditEvents',
      'listReports',
    ]);
  });

  it('is read alone, by methods that record nothing', () => {
    for (const { id, method, rpc, paging } of lagging) {
      expect([id, method]).toEqual([id, 'GET']);
      expect([id, rpc.filter((name) => !/Service\/(?:Get|List)/.test(name))]).toEqual([id, []]);
      expect([id, paging]).not.toEqual([id, 'CHANGES_PAGE']);
    }
  });
});
