import { type Counter, metrics } from '@opentelemetry/api';

let losses: Counter | undefined;

/** The stream was found without events that it had acknowledged. */
export function countLoss(): void {
  losses ??= metrics.getMeter('@credit/platform/bus').createCounter('bus.stream_losses', {
    description: 'How often the stream was found without events that it had acknowledged.',
  });
  losses.add(1);
}
