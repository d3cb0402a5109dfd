import { startThemeButton } from './theme-choice.js';

const button = document.querySelector<HTMLButtonElement>('.theme-button');
if (button !== null) startThemeButton(button);
