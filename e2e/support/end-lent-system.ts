export { tearDown as default } from './lend-system';
