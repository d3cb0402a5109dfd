import type { Screen } from '../screen';
import { homeScreen } from './home';
import { passwordScreen } from './password';

/** Every screen for whoever is signed in, in the order of the navigation. */
export const SCREENS: readonly Screen[] = [homeScreen, passwordScreen];
