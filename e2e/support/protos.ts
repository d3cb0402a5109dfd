import { create, createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import {
  FileDescriptorProtoSchema,
  type FileDescriptorSet,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';
import { fileDescriptors } from '@credit/proto/descriptors';

const HEALTH = create(FileDescriptorProtoSchema, {
  name: 'grpc/health/v1/health.proto',
  package: 'grpc.health.v1',
  syntax: 'proto3',
  messageType: [
    {
      name: 'HealthCheckRequest',
      field: [{ name: 'service', jsonName: 'service', number: 1, type: 9, label: 1 }],
    },
    {
      name: 'HealthCheckResponse',
      field: [{ name: 'status', jsonName: 'status', number: 1, type: 5, label: 1 }],
    },
  ],
  service: [
    {
      name: 'Health',
      method: [
        {
          name: 'Check',
          inputType: '.grpc.health.v1.HealthCheckRequest',
          outputType: '.grpc.health.v1.HealthCheckResponse',
        },
      ],
    },
  ],
});

/** Our protos, and those of gRPC's own that servers offer beside them. */
export const protos = registry();

function registry() {
  const set: FileDescriptorSet = create(FileDescriptorSetSchema, {
    file: [
      ...fileDescriptors().map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes)),
      HEALTH,
    ],
  });
  return createFileRegistry(set);
}
