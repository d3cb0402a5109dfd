export {
  breakable,
  escaped,
  type Html,
  html,
  type Piece,
  prose,
  slug,
  trusted,
} from './html';
export { filesOf, type PageFile, ServedFiles } from './served-files';
export { PAGE_HEAD, pagePolicy, SHARED_PATH, sharedFiles, THEME_BUTTON } from './shared';
