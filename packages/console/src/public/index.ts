import type { VisitorScreen } from '../screen';
import { applyScreen } from './apply';
import { contactScreen } from './contact';
import { disputeScreen } from './dispute';
import { followScreen } from './follow';
import { frontScreen } from './front';
import { membersScreen } from './members';
import { statusScreen } from './status';

/** What anybody finds without an account. */
export const PUBLIC_SCREENS: readonly VisitorScreen[] = [
  frontScreen,
  disputeScreen,
  followScreen,
  applyScreen,
  membersScreen,
  contactScreen,
  statusScreen,
];
