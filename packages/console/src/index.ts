export type { Answer, Caller, Given, Invoke } from './api';
export { CONSOLE } from './page';
export { type ConsoleDeps, consoleRoutes } from './routes';
