import type { Operations, WireOf } from '@credit/contract';
import { notFound } from '@credit/platform/errors';
import { EVENT_NAMES } from '@credit/platform/values';
import type { FC } from 'hono/jsx';
import { attempt, type Faults } from '../attempt';
import {
  Badge,
  Choices,
  count,
  Done,
  Facts,
  FaultSummary,
  Field,
  Form,
  Id,
  Notice,
  Pager,
  Select,
  Submit,
  Table,
  Time,
  type Tone,
} from '../components';
import type { Page, View } from '../page';
import { type Screen, withPermission } from '../screen';
import { words } from '../words';

type Webhook = WireOf<Operations['listWebhooks']>[number];
type Delivery = WireOf<Operations['listDeliveries']>[number];
type Attempt = WireOf<Operations['listAttempts']>[number];
type TestSent = NonNullable<WireOf<Operations['testWebhook']>['sent']>;

const PATH = '/webhooks';
const EVENTS = EVENT_NAMES.map((name) => ({ value: name, label: name }));

/** Where the institution hears of things, and how that goes. */
export const webhooksScreen: Screen = {
  path: PATH,
  place: { section: 'Record', label: 'Webhooks' },
  isFor: withPermission('webhooks.manage'),
  by_environment: true,
  show: (page) => listPage(page),
  submit: async (page) => {
    const { form } = page;
    const body = { url: form.text('url').trim(), events: form.all('events') };
    const outcome = await attempt(() => page.call('createWebhook', { body }));
    if ('faults' in outcome) return listPage(page, outcome.faults);
    return secretPage(page, outcome.done.value);
  },
};

/** One endpoint: its deliveries, and what can be done about it. */
export const webhookScreen: Screen = {
  path: `${PATH}/:webhook_id`,
  isFor: withPermission('webhooks.manage'),
  by_environment: true,
  show: (page) => endpointPage(page),
  submit: async (page) => {
    const { form } = page;
    const params = { webhook_id: page.param('webhook_id') };
    const here = (done: string) => ({
      location: page.href(`${PATH}/${params.webhook_id}`, { done }),
    });
    switch (form.text('act')) {
      case 'test': {
        const query = { deliver: 'true' };
        const outcome = await attempt(() => page.call('testWebhook', { params, query }));
        if ('faults' in outcome) return endpointPage(page, outcome.faults);
        return endpointPage(page, undefined, outcome.done.value.sent ?? undefined);
      }
      case 'rotate': {
        const outcome = await attempt(() => page.call('rotateWebhookSecret', { params }));
        if ('faults' in outcome) return endpointPage(page, outcome.faults);
        return secretPage(page, outcome.done.value);
      }
      case 'replay': {
        const body = { from: inUtc(form.text('from')), to: inUtc(form.text('to')) };
        const outcome = await attempt(() => page.call('replayDeliveries', { params, body }));
        if ('faults' in outcome) return endpointPage(page, outcome.faults);
        return endpointPage(page, undefined, undefined, outcome.done.value.deliveries);
      }
      case 'retry': {
        const of = { delivery_id: form.text('delivery_id') };
        const outcome = await attempt(() => page.call('retryDelivery', { params: of }));
        if ('faults' in outcome) return endpointPage(page, outcome.faults);
        return here('retried');
      }
      case 'disable': {
        const outcome = await attempt(() => page.call('disableWebhook', { params }));
        if ('faults' in outcome) return endpointPage(page, outcome.faults);
        return here('disabled');
      }
      case 'enable': {
        const body = { enabled: true };
        const outcome = await attempt(() => page.call('updateWebhook', { params, body }));
        if ('faults' in outcome) return endpointPage(page, outcome.faults);
        return here('saved');
      }
      default: {
        const body = { url: form.text('url').trim(), events: form.all('events') };
        const outcome = await attempt(() => page.call('updateWebhook', { params, body }));
        if ('faults' in outcome) return endpointPage(page, outcome.faults);
        return here('saved');
      }
    }
  },
};

function stateOf({ enabled, health }: Webhook): { tone: Tone; text: string } {
  if (!enabled) {
    return health.disabled_reason === 'GONE'
      ? { tone: 'bad', text: 'Ended: it answered 410' }
      : { tone: 'plain', text: 'Disabled' };
  }
  return health.paused_until === null
    ? { tone: 'good', text: 'Sending' }
    : { tone: 'warn', text: 'Paused after failures' };
}

const State = ({ of }: { of: Webhook }) => {
  const { tone, text } = stateOf(of);
  return <Badge tone={tone}>{text}</Badge>;
};

async function listPage(page: Page, faults?: Faults): Promise<View> {
  const cursor = page.query('cursor');
  const { value, next_cursor } = await page.call('listWebhooks', {
    query: { limit: '25', cursor },
  });
  return {
    title: 'Webhooks',
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <Table
          caption="Webhooks"
          rows={value}
          empty="No endpoint hears anything yet."
          columns={[
            {
              name: 'Address',
              cell: (webhook) => <a href={page.href(`${PATH}/${webhook.id}`)}>{webhook.url}</a>,
            },
            { name: 'State', cell: (webhook) => <State of={webhook} /> },
            { name: 'Hears', cell: ({ events }) => events.map((event) => <div>{event}</div>) },
            {
              name: 'Failing',
              number: true,
              cell: ({ health }) =>
                health.failure_rate_percent === null ? '–' : `${health.failure_rate_percent} %`,
            },
            { name: 'Last success', cell: ({ health }) => <Time at={health.last_success_at} /> },
          ]}
        />
        <Pager page={page} path={PATH} next={next_cursor} />
        <h2>New endpoint</h2>
        <Form page={page} faults={faults}>
          <UrlAndEvents
            url={page.form.text('url')}
            events={page.form.all('events')}
            faults={faults}
          />
          <Submit>Subscribe</Submit>
        </Form>
      </>
    ),
  };
}

const UrlAndEvents = (given: {
  url: string;
  events: readonly string[];
  faults?: Faults | undefined;
}) => (
  <>
    <Field
      name="url"
      label="Address"
      type="url"
      required
      value={given.url}
      hint="https, reachable from the internet."
      faults={given.faults}
    />
    <Choices
      type="checkbox"
      name="events"
      legend="What it hears"
      choices={EVENTS}
      chosen={given.events}
      faults={given.faults}
    />
  </>
);

const DONE: Readonly<Record<string, string>> = {
  retried: 'The delivery is on its way again.',
  disabled: 'Nothing is sent there any more.',
  saved: 'Saved.',
};

/** More pages of an institution's webhooks than it can have enabled ones, ended ones among them. */
const MOST_PAGES = 20;

/** An endpoint with its health, which the list alone tells. */
async function found(page: Page): Promise<Webhook | undefined> {
  let cursor: string | undefined;
  for (let at = 0; at < MOST_PAGES; at += 1) {
    const query = { limit: '100', cursor };
    const { value, next_cursor } = await page.call('listWebhooks', { query });
    const webhook = value.find(({ id }) => id === page.param('webhook_id'));
    if (webhook !== undefined || next_cursor === undefined) return webhook;
    cursor = next_cursor;
  }
  return undefined;
}

/** What a field of date and time holds, which has no zone, as the API takes it. */
function inUtc(local: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(local) ? `${local}:00Z` : local;
}

/** So many of the latest deliveries are looked through. */
const LATEST = 100;

async function endpointPage(
  page: Page,
  faults?: Faults,
  sent?: TestSent,
  replayed?: number,
): Promise<View> {
  const params = { webhook_id: page.param('webhook_id') };
  const query = { limit: String(LATEST) };
  const { value: latest } = await page.call('listDeliveries', { params, query });
  const state = page.query('state');
  const event = page.query('event');
  const deliveries = latest.filter(
    (one) =>
      (state === undefined || one.status === state) &&
      (event === undefined || one.event_type === event),
  );
  const opened = latest.find(({ id }) => id === page.query('delivery'));
  const attempts =
    opened === undefined
      ? []
      : (await page.call('listAttempts', { params: { delivery_id: opened.id } })).value;
  const webhook = await found(page);
  if (webhook === undefined) throw notFound('There is no such webhook.');
  const { health } = webhook;
  return {
    title: webhook.url,
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <Done page={page} says={DONE} />
        {sent && <Sent of={sent} />}
        {replayed !== undefined && (
          <Notice kind="good" live>
            <p>
              <strong>{count(replayed)} deliveries are on their way again.</strong>
              {replayed === 0 && ' Nothing that it hears happened in that time.'}
            </p>
          </Notice>
        )}
        {faults && <FaultSummary faults={faults} page={page} />}
        {webhook.enabled && health.paused_until !== null && (
          <Notice>
            <p>
              <strong>
                Paused until <Time at={health.paused_until} />
              </strong>{' '}
              after {count(health.consecutive_failures)} failures in a row
              {health.last_error_class !== null && `, the last of them ${health.last_error_class}`}.
              What happens meanwhile waits, and is sent then. A test is sent all the same.
            </p>
          </Notice>
        )}
        <Facts
          of={[
            ['State', <State of={webhook} />],
            ['Paused until', <Time at={health.paused_until} none="not paused" />],
            ['Failures in a row', count(health.consecutive_failures)],
            ['Latest fault', health.last_error_class ?? '–'],
            ['Last success', <Time at={health.last_success_at} />],
            ['Network id', <Id of={webhook.id} />],
          ]}
        />
        <div class="row">
          <Form page={page} class="inline">
            <Submit name="act" value="test">
              Send a test
            </Submit>
          </Form>
          <Form page={page} class="inline">
            {webhook.enabled ? (
              <Submit danger name="act" value="disable">
                Disable
              </Submit>
            ) : (
              <Submit name="act" value="enable">
                Enable
              </Submit>
            )}
          </Form>
        </div>
        {opened && <Attempts of={opened} attempts={attempts} />}
        <h2>Deliveries</h2>
        <form method="get" class="row no-print">
          <Select name="state" label="State" value={state} choices={STATES} />
          <Select name="event" label="Event" value={event} choices={[ANY, ...EVENTS]} />
          <Submit quiet>Show</Submit>
        </form>
        {latest.length === LATEST && <p class="soft">Of the latest {count(LATEST)} deliveries.</p>}
        <Table
          caption="Deliveries"
          rows={deliveries}
          empty={latest.length === 0 ? 'Nothing was sent yet.' : 'None of the latest is like that.'}
          columns={[
            { name: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
            { name: 'Event', cell: ({ event_type }) => event_type },
            { name: 'State', cell: (one) => <DeliveryState of={one} /> },
            {
              name: 'Attempts',
              number: true,
              cell: (one) => (
                <a
                  href={`${page.href(`${PATH}/${webhook.id}`, { state, event, delivery: one.id })}#attempts`}
                >
                  {one.attempts} of {one.max_attempts}
                </a>
              ),
            },
            {
              name: 'Last answer',
              cell: (one) => one.last_response_status ?? one.last_error ?? '–',
            },
            { name: 'Next', cell: (one) => <Time at={one.next_attempt_at} none="–" /> },
            {
              name: '',
              cell: (one) =>
                one.status === 'FAILED' && (
                  <Form page={page} class="inline">
                    <input type="hidden" name="delivery_id" value={one.id} />
                    <Submit quiet name="act" value="retry">
                      Send again<span class="visually-hidden"> what came of {one.created_at}</span>
                    </Submit>
                  </Form>
                ),
            },
          ]}
        />
        <details>
          <summary>Change the address or what it hears</summary>
          <Form page={page} faults={undefined}>
            <UrlAndEvents
              url={page.form.text('url') || webhook.url}
              events={page.form.all('events').length > 0 ? page.form.all('events') : webhook.events}
              faults={faults}
            />
            <Submit>Save</Submit>
          </Form>
        </details>
        <details open={page.form.text('act') === 'replay' && faults !== undefined}>
          <summary>Send past events again</summary>
          <Form page={page}>
            <p>
              Each event of a time that it hears, within the last 30 days and up to 1,000 of them,
              is sent once more, with the id that it had. What is on its way already is left out.
            </p>
            <Field
              name="from"
              label="From (UTC)"
              type="datetime-local"
              required
              value={page.form.text('from')}
              faults={faults}
            />
            <Field
              name="to"
              label="To (UTC)"
              type="datetime-local"
              required
              value={page.form.text('to')}
              faults={faults}
            />
            <Submit name="act" value="replay">
              Send them again
            </Submit>
          </Form>
        </details>
        <details>
          <summary>Another signing secret</summary>
          <Form page={page} class="form">
            <p>
              Messages are signed with the new one from then on. The old one is good for nothing.
            </p>
            <Submit danger name="act" value="rotate">
              Rotate the secret
            </Submit>
          </Form>
        </details>
      </>
    ),
  };
}

const TONES: Readonly<Record<Delivery['status'], Tone>> = {
  PENDING: 'warn',
  DELIVERED: 'good',
  FAILED: 'bad',
  CANCELLED: 'plain',
};

const ANY = { value: '', label: 'any' };
const STATES = [ANY, ...Object.keys(TONES).map((value) => ({ value, label: words(value) }))];

/** What came of each attempt at a delivery. */
const Attempts: FC<{ of: Delivery; attempts: readonly Attempt[] }> = ({ of, attempts }) => (
  <section id="attempts">
    <h2>
      {of.event_type} of <Time at={of.created_at} />
    </h2>
    <Facts
      of={[
        ['State', <DeliveryState of={of} />],
        ['Delivered', <Time at={of.delivered_at} none="not yet" />],
        ['Next attempt', <Time at={of.next_attempt_at} none="none" />],
        ['Event', <Id of={of.event_id} />],
        ['Delivery', <Id of={of.id} />],
      ]}
    />
    <Table
      caption="Attempts"
      rows={attempts}
      empty="It was not tried yet."
      columns={[
        { name: 'Attempt', number: true, cell: ({ attempt: number }) => number },
        { name: 'When', cell: ({ started_at }) => <Time at={started_at} /> },
        { name: 'Took', number: true, cell: ({ duration_ms }) => `${count(duration_ms)} ms` },
        { name: 'Answer', cell: ({ response_status }) => response_status ?? 'none' },
        { name: 'Fault', cell: ({ error_class }) => error_class ?? 'it arrived' },
      ]}
    />
    {attempts.map((one) => (
      <Exchange of={one} open={one === attempts.at(-1)} />
    ))}
    <p class="soft">
      A signature proves who sent a message and opens nothing, so it is shown whole: check it with{' '}
      <a href="/docs/guides/webhooks#verify-a-signature">the guide’s verifier</a>.
    </p>
  </section>
);

/** What an attempt sent, and what came back. */
const Exchange: FC<{ of: Attempt; open: boolean }> = ({ of, open }) => (
  <details open={open}>
    <summary>Attempt {of.attempt}: what was sent and answered</summary>
    {of.request === null ? (
      <p class="soft">What was sent was not kept yet then.</p>
    ) : (
      <Message name={`Sent with attempt ${of.attempt}`} of={of.request} />
    )}
    {of.response === null ? (
      <p class="soft">
        {of.response_status === null
          ? 'No complete answer came.'
          : 'What was answered was not kept yet then.'}
      </p>
    ) : (
      <Answered name={`Answered to attempt ${of.attempt}`} of={of.response} />
    )}
  </details>
);

/** An answer, as far as it is kept. */
const Answered: FC<{ name: string; of: NonNullable<Attempt['response']> }> = ({ name, of }) => (
  <>
    <Message name={name} of={of} />
    {of.truncated && <p class="soft">There was more, which is not kept.</p>}
  </>
);

/** Headers and body of a message, as text whatever it holds. */
const Message: FC<{ name: string; of: NonNullable<Attempt['request']> }> = ({ name, of }) => (
  <section class="message" aria-label={name}>
    <h3>{name}</h3>
    <pre class="note" tabindex={0}>
      {of.headers.map(({ name: header, value }) => `${header}: ${value}\n`).join('')}
    </pre>
    {of.body === '' ? (
      <p class="soft">Without a body.</p>
    ) : (
      <pre class="note" tabindex={0}>
        {of.body}
      </pre>
    )}
  </section>
);

const DeliveryState = ({ of }: { of: Delivery }) => (
  <Badge tone={TONES[of.status]}>{words(of.status)}</Badge>
);

const Sent = ({ of }: { of: TestSent }) => (
  <Notice kind={of.error_class === null ? 'good' : 'bad'} live>
    <p>
      <strong>
        {of.error_class === null
          ? 'The test arrived'
          : `The test did not arrive: ${of.error_class}`}
      </strong>
      , {of.response_status === null ? 'without an answer' : `answer ${of.response_status}`}, after{' '}
      {count(of.duration_ms)} ms.
    </p>
    {of.response && (
      <details>
        <summary>What was answered</summary>
        <Answered name="Answered to the test" of={of.response} />
      </details>
    )}
  </Notice>
);

function secretPage(page: Page, webhook: { id: string; url: string; secret: string }): View {
  return {
    title: 'The signing secret',
    status: 201,
    body: (
      <>
        <Notice>
          <p>
            <strong>This is the only time that it is shown.</strong> With it {webhook.url} checks
            that messages are the network’s: <a href="/docs/guides/webhooks">how</a>.
          </p>
        </Notice>
        <p>
          <code class="secret">{webhook.secret}</code>
        </p>
        <p class="row">
          <button type="button" class="quiet" data-copy={webhook.secret} hidden>
            Copy the secret
          </button>
          <a href={page.href(`${PATH}/${webhook.id}`)}>Go on to the endpoint</a>
        </p>
      </>
    ),
  };
}
