import type { FileGiven } from './file-form';
import { type Environment, type Page, permits, type Reader, type View, type Visit } from './page';

/** Groups of the navigation, in their order. */
export const SECTIONS = ['Institution', 'Record', 'Network', 'You'] as const;
export type Section = (typeof SECTIONS)[number];

/** A page that somebody who is signed in can open. */
export interface Screen {
  /** Below the console's path, in express's notation. */
  readonly path: string;
  /** In the navigation, when it stands there. */
  readonly place?: { readonly section: Section; readonly label: string };
  /** Who finds it; everybody else is told that there is no such page. */
  readonly isFor: (me: Reader, environment: Environment) => boolean;
  /** Shows live and test apart; the others are the same in both. */
  readonly by_environment?: true;
  readonly show: (page: Page) => Promise<View>;
  /** Takes the screen's form. */
  readonly submit?: (page: Page) => Promise<View>;
  /** Takes the screen's form when it comes with a file, or could: undefined when none was chosen. */
  readonly upload?: (page: Page, file: FileGiven | undefined) => Promise<View>;
}

export const isMember = (me: Reader): boolean => me.institution !== null;
export const isAdministrator = (me: Reader): boolean => me.platform_role !== null;
export const everybody = (): boolean => true;

/** Members whose role has the permission, on the data that the page is about. */
export function withPermission(permission: Reader['permissions'][number]) {
  return (me: Reader, environment: Environment): boolean => permits(me, permission, environment);
}

/** A page for whoever is not signed in: of the console, or of everybody. */
export interface VisitorScreen {
  readonly path: string;
  readonly show: (visit: Visit) => Promise<View>;
  /** Takes the screen's form. */
  readonly submit?: (visit: Visit) => Promise<View>;
}
