import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';

/**
 * An HTTPS receiver that answers at once, in a process of its own so that it takes
 * nothing from the side that is measured. Its parent asks how much has come.
 */
const [certificate_file = ''] = process.argv.slice(2);
const { cert, key } = JSON.parse(readFileSync(certificate_file, 'utf8')) as {
  cert: string;
  key: string;
};
let count = 0;
const server = createServer({ cert, key }, (request, response) => {
  request.resume();
  request.on('end', () => {
    count += 1;
    response.writeHead(204).end();
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : undefined });
});
process.on('message', () => process.send?.({ count }));
process.on('disconnect', () => process.exit());
