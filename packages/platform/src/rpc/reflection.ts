import { fileDescriptors } from '@credit/proto/descriptors';
import { HealthDefinition } from '@credit/proto/grpc/health/v1/health';
import type { Server } from '@grpc/grpc-js';
import type { PackageDefinition } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';

/** Serves grpc.reflection v1 and v1alpha for the named services and the health service. */
export function addReflection(server: Server, service_names: readonly string[]): void {
  // Only the file descriptors of a package definition are read. Ours are the
  // compiler's own: rebuilding them from parsed messages would lose presence and maps.
  const definition: PackageDefinition = {
    credit: {
      format: 'Protocol Buffer 3 DescriptorProto',
      type: {},
      fileDescriptorProtos: fileDescriptors().map((bytes) => Buffer.from(bytes)),
    },
  };
  new ReflectionService(definition, {
    services: [...service_names, HealthDefinition.fullName],
  }).addToServer(server);
}
