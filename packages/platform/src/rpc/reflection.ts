import { fileDescriptors } from '@credit/proto/descriptors';
import type { Server } from '@grpc/grpc-js';
import type { PackageDefinition } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';

import { HEALTH_PACKAGE, HEALTH_SERVICE } from './health';

/** Serves grpc.reflection v1 and v1alpha for the named services and the health service. */
export function addReflection(server: Server, service_names: readonly string[]): void {
  // Only the file descriptors of a package definition are read. Ours are the
  // compiler's own: rebuilding them from parsed messages would lose presence and maps.
  const definition: PackageDefinition = {
    ...HEALTH_PACKAGE,
    credit: {
      format: 'Protocol Buffer 3 DescriptorProto',
      type: {},
      fileDescriptorProtos: fileDescriptors(),
    },
  };
  new ReflectionService(definition, {
    services: [...service_names, HEALTH_SERVICE],
  }).addToServer(server);
}
