import './member-meanings';
import './record-meanings';

export { meaningsOf } from './meaning-registry';
