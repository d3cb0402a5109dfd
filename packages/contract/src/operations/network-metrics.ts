import { InstitutionStatus } from '@credit/proto/identity/v1/identity';
import { AccountStatus } from '@credit/proto/reporting/v1/types';
import { platform } from '../access';
import { operation } from '../operation';
import {
  boolean,
  enumeration,
  integer,
  label,
  list,
  named,
  oneOf,
  orNull,
  reply,
  timestamp,
} from '../wire';
import recorded from './recorded-answers.json';

const count = (description?: string) => integer({ min: 0, description });

const waiting = (of: string) =>
  orNull(
    reply({
      count: count(of),
      waiting_since: orNull(timestamp('When the oldest of them came; null when none waits.')),
    }),
  );

const networkMetrics = named(
  'NetworkMetrics',
  reply({
    at: timestamp('When the figures were taken.'),
    institutions: orNull(
      list(reply({ status: enumeration(InstitutionStatus), count: count() }), {
        description: 'A status that no institution has is left out.',
      }),
    ),
    accounts: orNull(
      list(reply({ status: enumeration(AccountStatus), count: count() }), {
        description: 'A status that no account has is left out.',
      }),
    ),
    subjects: orNull(count()),
    events: orNull(
      reply({ total: count(), last_24h: count('Of the current hour and the 23 before it.') }),
    ),
    inquiries: orNull(
      reply({ total: count(), last_24h: count('Of the current hour and the 23 before it.') }),
    ),
    deliveries_24h: orNull(
      reply({
        pending: count(
          'Of deliveries made in 24 hours, by the state they are in; the latest 100,000 of them.',
        ),
        delivered: count(),
        failed: count(),
        cancelled: count(),
      }),
    ),
    applications_waiting: waiting('Applications without a decision.'),
    contact_requests_waiting: waiting('Contact requests without an answer.'),
    disputes: orNull(
      reply({
        open: count('Not resolved, those under review among them.'),
        overdue: count('Open past the time by which they are due.'),
        due_at: orNull(timestamp('When the first of the overdue was due; null when none is.')),
      }),
    ),
    services: list(
      reply({
        name: label(),
        reachable: boolean('False when it did not answer; its figures are then unknown.'),
        outboxes: list(
          reply({
            environment: oneOf(['live', 'test']),
            unpublished: count('Events that wait to be published, counted up to 100,000.'),
            oldest_age_s: count('Age of the oldest of them, in seconds.'),
          }),
        ),
        consumers: list(
          reply({
            name: label(),
            pending: count('Events that wait to be delivered to it.'),
            unacknowledged: count('Events that it has and is not done with.'),
          }),
        ),
        dead_letters: orNull(count('Events that were given up and wait for an operator.')),
      }),
    ),
  }),
);

export const getNetworkMetrics = operation({
  id: 'getNetworkMetrics',
  method: 'GET',
  path: '/admin/network-metrics',
  tag: 'Administration',
  rpc: [
    'credit.identity.v1.IdentityService/GetIdentityTotals',
    'credit.reporting.v1.ReportingService/GetReportingFigures',
    'credit.disputes.v1.DisputesService/ListDisputes',
    'credit.webhooks.v1.WebhooksService/GetDeliveryFigures',
    'credit.operations.v1.OperationsService/GetServiceFigures',
  ],
  summary: 'Network operating metrics',
  description:
    'How large the network is and how well it runs, of live data and now. What a service that ' +
    'does not answer would have said is null.',
  access: platform('PLATFORM_ADMIN'),
  limit_class: 'STANDARD',
  params: {},
  status: 200,
  response: networkMetrics,
  errors: [],
  examples: {
    response: recorded.getNetworkMetrics,
  },
});

const traffic = named(
  'Traffic',
  reply({
    from: timestamp('When the hour or the day begins, in UTC.'),
    accounts: count('First reported then.'),
    events: count('Reported then.'),
    inquiries: count('Recorded then.'),
  }),
);

const deliveryTraffic = named(
  'DeliveryTraffic',
  reply({
    from: timestamp('When the hour or the day begins, in UTC.'),
    delivered: count('Webhook deliveries that arrived then, however old they were.'),
    failed_attempts: count('Attempts that failed then.'),
    given_up: count('Deliveries of which the last attempt failed then.'),
  }),
);

export const getNetworkTraffic = operation({
  id: 'getNetworkTraffic',
  method: 'GET',
  path: '/admin/network-traffic',
  tag: 'Administration',
  rpc: [
    'credit.reporting.v1.ReportingService/GetReportingTraffic',
    'credit.webhooks.v1.WebhooksService/GetDeliveryTraffic',
  ],
  summary: 'Traffic of the network by time',
  description:
    'What came on record of live data: by the hour for the current one and the 23 before it, and ' +
    'by the day, in UTC, for today and the 29 days before it. The oldest first; where nothing came ' +
    'is left out. `deliveries` says the same of webhooks, counted since this was introduced, and is ' +
    'null while their service does not answer.',
  access: platform('PLATFORM_ADMIN'),
  limit_class: 'STANDARD',
  may_lag: true,
  params: {},
  status: 200,
  response: named(
    'NetworkTraffic',
    reply({
      hours: list(traffic),
      days: list(traffic),
      deliveries: orNull(reply({ hours: list(deliveryTraffic), days: list(deliveryTraffic) })),
    }),
  ),
  errors: [],
  examples: { response: recorded.getNetworkTraffic },
});
