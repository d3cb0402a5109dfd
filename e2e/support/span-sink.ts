import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as it was exported. */
export interface SunkSpan {
  readonly service: string;
  readonly name: string;
  /** As OTLP numbers them: 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly trace_id: string;
  readonly span_id: string;
  /** '' at the root. */
  readonly parent_span_id: string;
}

/** Takes in what services export, as a collector does. */
export interface SpanSink {
  readonly url: string;
  of(trace_id: string): SunkSpan[];
  stop(): Promise<void>;
}

interface ExportedTraces {
  readonly resourceSpans: readonly {
    readonly resource: {
      readonly attributes: readonly { key: string; value: { stringValue?: string } }[];
    };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        name: string;
        kind: number;
      }[];
    }[];
  }[];
}

export async function startSpanSink(): Promise<SpanSink> {
  const spans: SunkSpan[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const exported = JSON.parse(Buffer.concat(chunks).toString('utf8')) as ExportedTraces;
      for (const { resource, scopeSpans } of exported.resourceSpans) {
        const named = resource.attributes.find(({ key }) => key === 'service.name');
        const service = named?.value.stringValue ?? '';
        for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
          spans.push({
            service,
            name: span.name,
            kind: span.kind,
            trace_id: span.traceId,
            span_id: span.spanId,
            parent_span_id: span.parentSpanId ?? '',
          });
        }
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    of: (trace_id) => spans.filter((span) => span.trace_id === trace_id),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
