import type { Screen, VisitorScreen } from '../screen';
import { accountScreen, accountsScreen } from './accounts';
import { applicationsScreen } from './applications';
import { auditScreen, networkAuditScreen } from './audit';
import { contactRequestsScreen } from './contact-requests';
import { forgotScreen, resetScreen } from './forgotten-password';
import { homeScreen } from './home';
import { institutionScreen } from './institution';
import { institutionsScreen } from './institutions';
import { joinScreen } from './join';
import { keysScreen } from './keys';
import { passwordScreen } from './password';
import { peopleScreen } from './people';
import { reportEventScreen } from './report-event';
import { reportingHealthScreen } from './reporting-health';
import { sessionsScreen } from './sessions';
import { signInScreen } from './sign-in';
import { subjectScreen, subjectsScreen } from './subjects';
import { usersScreen } from './users';
import { webhookScreen, webhooksScreen } from './webhooks';

/** Every screen for whoever is signed in, in the order of the navigation. */
export const SCREENS: readonly Screen[] = [
  homeScreen,
  peopleScreen,
  keysScreen,
  auditScreen,
  institutionScreen,
  subjectsScreen,
  subjectScreen,
  accountsScreen,
  accountScreen,
  reportEventScreen,
  reportingHealthScreen,
  webhooksScreen,
  webhookScreen,
  applicationsScreen,
  institutionsScreen,
  usersScreen,
  contactRequestsScreen,
  networkAuditScreen,
  sessionsScreen,
  passwordScreen,
];

/** Pages that need no session. */
export const VISITOR_SCREENS: readonly VisitorScreen[] = [
  signInScreen,
  joinScreen,
  forgotScreen,
  resetScreen,
];
