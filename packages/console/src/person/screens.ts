import { fileScreen } from './file';
import type { PersonScreen } from './screen';

/** What a person finds, once in. */
export const PERSON_SCREENS: readonly PersonScreen[] = [fileScreen];
