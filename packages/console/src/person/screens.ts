import { aboutScreen } from './about';
import { contactScreen } from './contact';
import { contestScreen, disputesScreen, ownDisputeScreen } from './disputes';
import { eventsScreen, fileDocument, fileDownload, fileScreen } from './file';
import { freezeScreen } from './freeze';
import type { PersonScreen } from './screen';
import { statementScreen } from './statement';

/** What a person finds, once in. */
export const PERSON_SCREENS: readonly PersonScreen[] = [
  fileScreen,
  fileDownload,
  fileDocument,
  eventsScreen,
  freezeScreen,
  statementScreen,
  contestScreen,
  disputesScreen,
  ownDisputeScreen,
  contactScreen,
  aboutScreen,
];
