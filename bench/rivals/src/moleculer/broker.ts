import { ServiceBroker, type ServiceSchema } from 'moleculer';
import { serve } from '../shared/process.ts';

/** Starts a service in a process of its own, which meets the others over NATS. */
export async function startService(
  schema: ServiceSchema,
  options: { readonly needs?: readonly string[]; readonly port?: number } = {},
): Promise<void> {
  const broker = new ServiceBroker({
    nodeID: schema.name,
    transporter: { type: 'NATS', options: { url: process.env['NATS_URL'] } },
    logLevel: 'warn',
    requestTimeout: 10_000,
    // Each service runs once here: nobody to choose among, nobody to spare.
    registry: { strategy: 'RoundRobin', preferLocal: true },
    tracing: false,
    metrics: false,
  });
  broker.createService(schema);
  await broker.start();
  if (options.needs !== undefined) await broker.waitForServices([...options.needs], 30_000);
  serve(options.port ?? 0, () => broker.stop());
}
