import * as accounts from './accounts';
import * as admin from './admin';
import * as api_keys from './api-keys';
import * as audit from './audit';
import * as auth from './auth';
import * as credit from './credit';
import * as disputes from './disputes';
import * as events from './events';
import * as feed from './feed';
import * as institutions from './institutions';
import * as metrics from './network-metrics';
import * as public_operations from './public';
import * as reports from './reports';
import * as sandbox from './sandbox';
import * as subjects from './subjects';
import * as webhooks from './webhooks';

/** Every operation of the API by its id, in the order of the published document. */
export const operations = {
  createSubject: subjects.createSubject,
  createSubjects: subjects.createSubjects,
  searchSubjects: subjects.searchSubjects,
  getSubject: subjects.getSubject,
  updateSubject: subjects.updateSubject,
  getSubjectByGameUuid: subjects.getSubjectByGameUuid,
  recordInquiry: credit.recordInquiry,
  listInquiries: credit.listInquiries,
  getCreditProfile: credit.getCreditProfile,
  listSnapshots: credit.listSnapshots,
  diffSnapshots: credit.diffSnapshots,
  simulateCredit: credit.simulateCredit,
  createReport: reports.createReport,
  listReports: reports.listReports,
  getReport: reports.getReport,
  getReportDocument: reports.getReportDocument,
  createAccount: accounts.createAccount,
  createAccounts: accounts.createAccounts,
  listAccounts: accounts.listAccounts,
  exportAccounts: accounts.exportAccounts,
  getAccountSummary: accounts.getAccountSummary,
  getAccount: accounts.getAccount,
  reportEvent: events.reportEvent,
  reportEvents: events.reportEvents,
  listAccountEvents: events.listAccountEvents,
  proveEvent: events.proveEvent,
  openDispute: disputes.openDispute,
  getOpenedDispute: disputes.getOpenedDispute,
  listDisputes: disputes.listDisputes,
  moveDispute: disputes.moveDispute,
  createPersona: sandbox.createPersona,
  clearSandbox: sandbox.clearSandbox,
  createWebhook: webhooks.createWebhook,
  listWebhooks: webhooks.listWebhooks,
  updateWebhook: webhooks.updateWebhook,
  rotateWebhookSecret: webhooks.rotateWebhookSecret,
  disableWebhook: webhooks.disableWebhook,
  listDeliveries: webhooks.listDeliveries,
  listAttempts: webhooks.listAttempts,
  retryDelivery: webhooks.retryDelivery,
  testWebhook: webhooks.testWebhook,
  replayDeliveries: webhooks.replayDeliveries,
  listFeed: feed.listFeed,
  createApiKey: api_keys.createApiKey,
  listApiKeys: api_keys.listApiKeys,
  revokeApiKey: api_keys.revokeApiKey,
  rotateApiKey: api_keys.rotateApiKey,
  login: auth.login,
  refresh: auth.refresh,
  logout: auth.logout,
  getCaller: auth.getCaller,
  changePassword: auth.changePassword,
  forgotPassword: auth.forgotPassword,
  resetForgottenPassword: auth.resetForgottenPassword,
  listSessions: auth.listSessions,
  endSession: auth.endSession,
  previewInvitation: auth.previewInvitation,
  acceptInvitation: auth.acceptInvitation,
  createInvitation: institutions.createInvitation,
  listInvitations: institutions.listInvitations,
  withdrawInvitation: institutions.withdrawInvitation,
  listMembers: institutions.listMembers,
  updateMember: institutions.updateMember,
  getOwnInstitution: institutions.getOwnInstitution,
  updateOwnInstitution: institutions.updateOwnInstitution,
  getReportingHealth: institutions.getReportingHealth,
  listAuditEvents: audit.listAuditEvents,
  listAuditCheckpoints: audit.listAuditCheckpoints,
  proveAuditEvent: audit.proveAuditEvent,
  proveAuditConsistency: audit.proveAuditConsistency,
  listAuditKeys: audit.listAuditKeys,
  listNetworkAuditEvents: audit.listNetworkAuditEvents,
  listNetworkAuditCheckpoints: audit.listNetworkAuditCheckpoints,
  proveNetworkAuditEvent: audit.proveNetworkAuditEvent,
  proveNetworkAuditConsistency: audit.proveNetworkAuditConsistency,
  getNetworkStats: public_operations.getNetworkStats,
  listMemberInstitutions: public_operations.listMemberInstitutions,
  getStatus: public_operations.getStatus,
  submitContactRequest: public_operations.submitContactRequest,
  submitApplication: public_operations.submitApplication,
  getOpenApi: public_operations.getOpenApi,
  listApplications: admin.listApplications,
  reviewApplication: admin.reviewApplication,
  resendInvitation: admin.resendInvitation,
  listContactRequests: admin.listContactRequests,
  answerContactRequest: admin.answerContactRequest,
  getNetworkMetrics: metrics.getNetworkMetrics,
  createInstitution: admin.createInstitution,
  listInstitutions: admin.listInstitutions,
  getInstitution: admin.getInstitution,
  updateInstitution: admin.updateInstitution,
  listUsers: admin.listUsers,
  createUser: admin.createUser,
  updateUser: admin.updateUser,
  resetPassword: admin.resetPassword,
  revokeSessions: admin.revokeSessions,
};

export type Operations = typeof operations;
export type OperationId = keyof Operations;
