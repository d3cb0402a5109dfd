export { headerFaults, mappingOf, readMapping } from './check-header';
export {
  type AccountItem,
  type Checked,
  checkAccountRow,
  checkEventRow,
  type EventItem,
  faultsOf,
  LATER,
} from './check-row';
export { FAULT_COLUMNS, type FaultyRow, faultHeader, faultJson, faultLine } from './fault-text';
export { fieldsOfRows, formatOf, templateOf } from './fields';
export { type Header, MAX_ROW_BYTES, type Reading, readHeader, readRows } from './read-rows';
export {
  type Fault,
  type Fields,
  type Format,
  type Kind,
  type Mapping,
  type Place,
  type Row,
  type Source,
  UnreadableFile,
} from './row';
