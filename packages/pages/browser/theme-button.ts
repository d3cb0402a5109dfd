// What was chosen before is in force first: the button's name tells of the other.
import './theme.js';
import { startThemeButton } from './theme-choice.js';

const button = document.querySelector<HTMLButtonElement>('.theme-button');
if (button !== null) startThemeButton(button);
