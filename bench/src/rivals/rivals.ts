/** What the network is measured against, of `bench/rivals`. */
export interface Rival {
  readonly name: string;
  /** As the results call it. */
  readonly title: string;
  /** How many times its rate is wanted. */
  readonly target: number;
  /** At most this share of its processor time a request, if that is wanted too. */
  readonly processor_target?: Readonly<Record<'event' | 'profile', number>>;
  /** Its entry files below `dist`, without their ending; the last one answers HTTP. */
  readonly processes: readonly string[];
  readonly uses_nats: boolean;
}

const SPLIT = ['identity', 'reporting', 'scoring', 'gateway'] as const;
const split = (folder: string) => SPLIT.map((name) => `${folder}/${name}`);

export const RIVALS: readonly Rival[] = [
  {
    name: 'monolith',
    title: 'a plain monolith of express and pg, one process',
    target: 2,
    processor_target: { event: 0.5, profile: 0.6 },
    processes: ['monolith/main'],
    uses_nats: false,
  },
  {
    name: 'moleculer',
    title: 'Moleculer over NATS, four services',
    target: 3,
    processes: split('moleculer'),
    uses_nats: true,
  },
  {
    name: 'nest',
    title: 'NestJS over gRPC, four services',
    target: 5,
    processes: split('nest'),
    uses_nats: false,
  },
];
