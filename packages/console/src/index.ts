export type { Answer, Caller, Deliver, FileOnItsWay, Given, Invoke } from './api';
export { CONSOLE } from './page';
export { isPersonPath, personRoutes } from './person/routes';
export { PUBLIC_PATHS, publicRoutes } from './public-routes';
export { type ConsoleDeps, consoleRoutes } from './routes';
export type { Screen } from './screen';
export { SCREENS } from './screens';
