// How every service reads what RPC requests have in common: who calls, ids, and pages.
export { countFrom, institutionOf, personOf, requireTest, uuidFrom, uuidIfGiven } from './ids';
export {
  type CountedPage,
  cursorFault,
  idFromCursor,
  type Page,
  type PageRequest,
  pageLimit,
  readPage,
} from './page';
