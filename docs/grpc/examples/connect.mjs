// What the examples share: where the services listen, and how to speak to one of them.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { grpcDefinition } from '@credit/platform/rpc';
import { ChannelCredentials, Metadata, makeGenericClientConstructor } from '@grpc/grpc-js';

/** What `npm start` runs at the moment, as it keeps it beside the data. */
const running = JSON.parse(
  readFileSync(path.join(process.env.DATA_DIR ?? '.data', 'run.json'), 'utf8'),
);

/** `REPORTING_ADDRESS` and its like name another system than the local one. */
export function addressOf(service) {
  return process.env[`${service.toUpperCase()}_ADDRESS`] ?? running.rpc_addresses[service];
}

/**
 * How to reach NATS, whose client takes no password out of an URL. The local system's own URL is the
 * administrator's; a consumer of yours gets a user with the rights that it needs.
 */
export function natsOptions() {
  const url = new URL(process.env.NATS_URL ?? running.nats_url);
  const { username, password } = url;
  const user = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return { servers: url.host, ...(username === '' ? {} : user) };
}

/** Mutual TLS where a certificate is given, as the services have it; plain text on loopback. */
export function credentials() {
  const { TLS_CA_FILE, TLS_KEY_FILE, TLS_CERT_FILE } = process.env;
  if (!TLS_CA_FILE || !TLS_KEY_FILE || !TLS_CERT_FILE) return ChannelCredentials.createInsecure();
  return ChannelCredentials.createSsl(
    ...[TLS_CA_FILE, TLS_KEY_FILE, TLS_CERT_FILE].map((file) => readFileSync(file)),
  );
}

/** A grpc-js client of a generated definition. */
export function clientOf(definition, address) {
  const Client = makeGenericClientConstructor(grpcDefinition(definition), definition.fullName);
  return new Client(address, credentials());
}

/** The institution that the examples act for, and one of its keys. */
export const INSTITUTION = '0198a1c2-6f00-7c3a-9d51-3f0e8b6a2c11';
const KEY = '0198a1c3-0c5e-7d1b-9a42-1b7f6e5d4c33';

/** The call context as metadata: for whom, on which data, at whose request. */
export function callContext(further = {}) {
  const metadata = new Metadata();
  const fields = {
    'credit-environment': 'test',
    'credit-institution': INSTITUTION,
    'credit-actor': `api_key:${KEY}`,
    'x-request-id': `example-${process.pid}`,
    ...further,
  };
  for (const [name, value] of Object.entries(fields)) metadata.set(name, value);
  return metadata;
}

/** One unary call: the answer with its trailers, or the error that gRPC gives. */
export function call(client, method, request, metadata, deadline_at_ms = Date.now() + 5_000) {
  return new Promise((resolve, reject) => {
    let answer;
    const sent = client[method](
      request,
      metadata,
      { deadline: deadline_at_ms },
      (error, response) => {
        if (error) reject(error);
        else answer = response;
      },
    );
    // The trailers come last.
    sent.on('status', ({ metadata: trailers }) => resolve({ answer, trailers: trailers.getMap() }));
  });
}
