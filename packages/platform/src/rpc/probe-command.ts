// `node probe-command.js host:port [service]`: exit code 0 when the health server there says that
// it serves. For container engines that, unlike Kubernetes, cannot ask themselves.

import { checkHealth } from './probe';

const [address = '', service = ''] = process.argv.slice(2);
checkHealth(address, service).then(
  (serving) => process.exit(serving ? 0 : 1),
  () => process.exit(1),
);
