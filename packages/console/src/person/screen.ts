import type { View } from '../page';
import type { PersonVisit } from './visit';

/** A page of the own file. */
export interface PersonScreen {
  /** The whole path. */
  readonly path: string;
  readonly show: (visit: PersonVisit) => Promise<View>;
  /** Takes the screen's form. */
  readonly submit?: (visit: PersonVisit) => Promise<View>;
}
