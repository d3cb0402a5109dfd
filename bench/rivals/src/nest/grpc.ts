import { fileURLToPath } from 'node:url';
import { status as Code, Metadata } from '@grpc/grpc-js';
import { Catch, type RpcExceptionFilter, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type GrpcOptions, Transport } from '@nestjs/microservices';
import { type Observable, throwError } from 'rxjs';
import { serve } from '../shared/process.ts';
import { asRefused, Refused } from '../shared/refused.ts';

/** Where a service listens, and its callers find it. */
export function grpcOptions(port: number): GrpcOptions {
  return {
    transport: Transport.GRPC,
    options: {
      package: 'rivals',
      // Beside the sources: the compiler copies no other files.
      protoPath: fileURLToPath(new URL('../../src/nest/rivals.proto', import.meta.url)),
      url: `127.0.0.1:${port}`,
      // Amounts fit a double exactly.
      loader: { keepCase: true, longs: Number, arrays: true, objects: true, defaults: true },
    },
  };
}

const REFUSAL = 'x-refusal';

/** What a service refuses, as an error of gRPC; what it was refused itself goes on as it came. */
@Catch()
export class RefusalsOverGrpc implements RpcExceptionFilter<unknown> {
  catch(error: unknown): Observable<never> {
    const { status, code, message } = refusalOf(error);
    const metadata = new Metadata();
    metadata.set(REFUSAL, JSON.stringify({ status, code, message }));
    return throwError(() => ({ code: Code.FAILED_PRECONDITION, details: code, metadata }));
  }
}

/** What was refused, here or by a service that was called. */
export function refusalOf(error: unknown): Refused {
  const metadata = (error as { metadata?: unknown }).metadata;
  const [told] = metadata instanceof Metadata ? metadata.get(REFUSAL) : [];
  if (typeof told !== 'string') return asRefused(error);
  const { status, code, message } = JSON.parse(told);
  return new Refused(status, code, message);
}

/** Runs a service in a process of its own. */
export async function startService(module: Type, port: number): Promise<void> {
  const app = await NestFactory.createMicroservice<GrpcOptions>(module, {
    ...grpcOptions(port),
    logger: ['error', 'warn'],
  });
  app.useGlobalFilters(new RefusalsOverGrpc());
  await app.listen();
  serve(port, () => app.close());
}
