// Runs before the page is first drawn, so that it never flashes in the other colours.
import { chosenTheme } from './theme-choice.js';

const chosen = chosenTheme();
if (chosen !== undefined) document.documentElement.dataset.theme = chosen;
