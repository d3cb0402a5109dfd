import { createHmac } from 'node:crypto';

/**
 * The signature of one attempt: lower-case hexadecimal HMAC-SHA256 over
 * `{timestamp}.{body}`, keyed by the UTF-8 bytes of the whole secret.
 */
export function sign(secret: string, timestamp_s: number, body: string): string {
  const digest = createHmac('sha256', secret).update(`${timestamp_s}.${body}`).digest('hex');
  return `v1=${digest}`;
}

/** Everything a receiver needs to verify and deduplicate a delivery. */
export function deliveryHeaders(delivery: {
  secret: string;
  event_id: string;
  body: string;
  now_ms: number;
}): Record<string, string> {
  const timestamp_s = Math.floor(delivery.now_ms / 1000);
  return {
    'Svc-Timestamp': String(timestamp_s),
    'Svc-Event-ID': delivery.event_id,
    'Svc-Signature': sign(delivery.secret, timestamp_s, delivery.body),
    'Content-Type': 'application/json',
    'User-Agent': 'credit-network-webhooks/1',
  };
}
