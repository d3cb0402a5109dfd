import { createHmac } from 'node:crypto';

/**
 * The signature of one attempt: lower-case hexadecimal HMAC-SHA256 over
 * `{timestamp}.{body}`, keyed by the UTF-8 bytes of the whole secret.
 */
export function sign(secret: string, timestamp_s: number, body: string): string {
  const digest = createHmac('sha256', secret).update(`${timestamp_s}.${body}`).digest('hex');
  return `v1=${digest}`;
}

/** The headers that a delivery is sent with. */
export type DeliveryHeaders = Record<
  'Svc-Timestamp' | 'Svc-Event-ID' | 'Svc-Signature' | 'Content-Type' | 'User-Agent',
  string
>;

/** Everything a receiver needs to verify and deduplicate a delivery. */
export function deliveryHeaders(delivery: {
  secret: string;
  event_id: string;
  body: string;
  now_ms: number;
}): DeliveryHeaders {
  const { event_id, now_ms } = delivery;
  const signature = sign(delivery.secret, secondsOf(now_ms), delivery.body);
  return signedHeaders({ event_id, now_ms, signature });
}

/** The same of a delivery that was signed before: the secret may be another one by now. */
export function signedHeaders(delivery: {
  event_id: string;
  now_ms: number;
  signature: string;
}): DeliveryHeaders {
  return {
    'Svc-Timestamp': String(secondsOf(delivery.now_ms)),
    'Svc-Event-ID': delivery.event_id,
    'Svc-Signature': delivery.signature,
    'Content-Type': 'application/json',
    'User-Agent': 'credit-network-webhooks/1',
  };
}

function secondsOf(time_ms: number): number {
  return Math.floor(time_ms / 1000);
}
