import {
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node';
import type { Position } from './settings';

/**
 * Decides by chance and not by the trace's id, which a caller can choose so that every trace of
 * its is kept.
 */
export class ChanceSampler implements Sampler {
  constructor(
    private readonly ratio: number,
    private readonly random: () => number = Math.random,
  ) {}

  shouldSample() {
    const kept = this.random() < this.ratio;
    return { decision: kept ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD };
  }

  toString(): string {
    return `ChanceSampler{${this.ratio}}`;
  }
}

/**
 * Keeps a share of the traces that begin here. Inside the network the gateway has decided for
 * everyone; at its edge a caller's wish to have a trace kept, or not, counts for nothing: its
 * traces are kept in the same share.
 */
export function samplerFor(position: Position, ratio: number, random?: () => number): Sampler {
  const chance = new ChanceSampler(ratio, random);
  return new ParentBasedSampler({
    root: new TraceIdRatioBasedSampler(ratio),
    ...(position === 'edge' && { remoteParentSampled: chance, remoteParentNotSampled: chance }),
  });
}
