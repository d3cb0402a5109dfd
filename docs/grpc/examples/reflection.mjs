// Asks a server what it serves. No proto of ours is needed: that is what reflection is for.
import { createRequire } from 'node:module';
import path from 'node:path';
import { loadPackageDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { addressOf, credentials } from './connect.mjs';

const require = createRequire(import.meta.url);
const folder = path.dirname(require.resolve('@grpc/reflection/package.json'));
const { grpc } = loadPackageDefinition(
  loadSync('grpc/reflection/v1/reflection.proto', { includeDirs: [`${folder}/build/proto`] }),
);

const client = new grpc.reflection.v1.ServerReflection(addressOf('reporting'), credentials());
const stream = client.ServerReflectionInfo();
stream.on('data', ({ listServicesResponse }) => {
  for (const { name } of listServicesResponse.service) console.log(name);
  stream.end();
});
stream.on('end', () => client.close());
stream.write({ listServices: '' });
