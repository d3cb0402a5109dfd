import type { Screen, VisitorScreen } from '../screen';
import { accountScreen, accountsScreen } from './accounts';
import { applicationsScreen } from './applications';
import { auditFileScreen, auditScreen, networkAuditFileScreen, networkAuditScreen } from './audit';
import { contactRequestsScreen } from './contact-requests';
import { deskDisputeScreen, disputeDeskScreen } from './dispute-desk';
import { disputeScreen, disputesScreen } from './disputes';
import { forgotScreen, resetScreen } from './forgotten-password';
import { homeScreen } from './home';
import { importFaultsScreen, importScreen } from './import';
import { importMappingsScreen } from './import-mappings';
import { importsScreen, newImportScreen, templateScreen } from './imports';
import { inquiriesScreen } from './inquiries';
import { institutionScreen } from './institution';
import { institutionsScreen, memberScreen } from './institutions';
import { joinScreen } from './join';
import { keysScreen } from './keys';
import { mixedFileScreen, mixedFilesScreen } from './mixed-files';
import { passwordScreen } from './password';
import { peopleScreen } from './people';
import { reportEventScreen } from './report-event';
import { reportingHealthScreen } from './reporting-health';
import {
  noticeScreen,
  reportDocumentScreen,
  reportScreen,
  reportsScreen,
  requestReportScreen,
} from './reports';
import { scoreDifferenceScreen, scoreHistoryScreen } from './score-history';
import { secondFactorScreen } from './second-factor';
import { secondStepScreen } from './second-step';
import { sessionsScreen } from './sessions';
import { signInScreen } from './sign-in';
import { simulateScreen } from './simulate';
import { subjectScreen, subjectsScreen } from './subjects';
import { usersScreen } from './users';
import { webhookScreen, webhooksScreen } from './webhooks';

/** Every screen for whoever is signed in, in the order of the navigation. */
export const SCREENS: readonly Screen[] = [
  homeScreen,
  peopleScreen,
  keysScreen,
  auditScreen,
  auditFileScreen,
  institutionScreen,
  subjectsScreen,
  subjectScreen,
  scoreHistoryScreen,
  scoreDifferenceScreen,
  simulateScreen,
  requestReportScreen,
  inquiriesScreen,
  noticeScreen,
  reportsScreen,
  reportScreen,
  reportDocumentScreen,
  accountsScreen,
  accountScreen,
  reportEventScreen,
  disputesScreen,
  disputeScreen,
  reportingHealthScreen,
  importsScreen,
  newImportScreen,
  templateScreen,
  importMappingsScreen,
  importScreen,
  importFaultsScreen,
  webhooksScreen,
  webhookScreen,
  disputeDeskScreen,
  deskDisputeScreen,
  mixedFilesScreen,
  mixedFileScreen,
  applicationsScreen,
  institutionsScreen,
  memberScreen,
  usersScreen,
  contactRequestsScreen,
  networkAuditScreen,
  networkAuditFileScreen,
  sessionsScreen,
  passwordScreen,
  secondFactorScreen,
];

/** Pages that need no session. */
export const VISITOR_SCREENS: readonly VisitorScreen[] = [
  signInScreen,
  secondStepScreen,
  joinScreen,
  forgotScreen,
  resetScreen,
];
