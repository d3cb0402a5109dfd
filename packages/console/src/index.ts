export type { Answer, Caller, Given, Invoke } from './api';
export { CONSOLE } from './page';
export { PUBLIC_PATHS, publicRoutes } from './public-routes';
export { type ConsoleDeps, consoleRoutes } from './routes';
