import type { Operations, WireOf } from '@credit/contract';
import { attempt, type Faults } from '../attempt';
import {
  Badge,
  Choices,
  Done,
  Field,
  Form,
  Notice,
  Pager,
  Select,
  Submit,
  Table,
  Time,
} from '../components';
import type { Page, View } from '../page';
import { type Screen, withPermission } from '../screen';

type ApiKey = WireOf<Operations['listApiKeys']>[number];
type Scope = ApiKey['scopes'][number];

/** What workloads usually need; a scope more is a scope that can be stolen. */
const PRESETS: Readonly<Record<string, { label: string; hint: string; scopes: readonly Scope[] }>> =
  {
    reporter: {
      label: 'Reports accounts',
      hint: 'Subjects, accounts and events; reads its own.',
      scopes: ['credit:report', 'accounts:write', 'events:write'],
    },
    desk: {
      label: 'Reads profiles',
      hint: 'Profiles, history and reports.',
      scopes: ['credit:read', 'reports:request'],
    },
    webhooks: {
      label: 'Manages webhooks',
      hint: 'Subscriptions, deliveries, the feed.',
      scopes: ['webhooks:manage'],
    },
  };

/** API keys of the page's environment. */
export const keysScreen: Screen = {
  path: '/keys',
  place: { section: 'Institution', label: 'API keys' },
  isFor: withPermission('api_keys.read'),
  by_environment: true,
  show: async (page) => keysPage(page),
  submit: async (page) => {
    const { form } = page;
    const key_id = form.text('key_id');
    switch (form.text('act')) {
      case 'revoke': {
        const outcome = await attempt(() => page.call('revokeApiKey', { params: { key_id } }));
        if ('faults' in outcome) return keysPage(page, outcome.faults);
        return { location: page.href('/keys', { done: 'revoked' }) };
      }
      case 'rotate': {
        const outcome = await attempt(() => page.call('rotateApiKey', { params: { key_id } }));
        if ('faults' in outcome) return keysPage(page, outcome.faults);
        return secretPage(page, outcome.done.value);
      }
      default: {
        const scopes = form.all('preset').flatMap((name) => PRESETS[name]?.scopes ?? []);
        const days = Number(form.text('days'));
        const body = {
          display_name: form.text('display_name'),
          scopes,
          environment: page.environment,
          allowed_ips: form
            .text('allowed_ips')
            .split(/[\s,]+/)
            .filter(Boolean),
          ...(days > 0 && { expires_at: new Date(Date.now() + days * 86_400_000).toISOString() }),
        };
        const outcome = await attempt(() => page.call('createApiKey', { body }));
        if ('faults' in outcome) return keysPage(page, outcome.faults);
        return secretPage(page, outcome.done.value);
      }
    }
  },
};

async function keysPage(page: Page, faults?: Faults): Promise<View> {
  const cursor = page.query('cursor');
  const { value, next_cursor } = await page.call('listApiKeys', {
    query: { limit: '50', cursor },
  });
  const keys = value.filter(({ environment }) => environment === page.environment);
  const may_create = page.may('api_keys.create');
  return {
    title: page.environment === 'test' ? 'API keys for test data' : 'API keys',
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <Done page={page} says={{ revoked: 'The key is revoked: it works nowhere any more.' }} />
        <Table
          caption="API keys"
          rows={keys}
          empty="No keys yet. A key is how a program of yours speaks for your institution."
          columns={[
            {
              name: 'Name',
              cell: (key) => (
                <>
                  {key.display_name}
                  <br />
                  <code>{key.prefix}…</code>
                </>
              ),
            },
            {
              name: 'State',
              cell: (key) =>
                key.active ? <Badge tone="good">Active</Badge> : <Badge>Ended</Badge>,
            },
            { name: 'May', cell: (key) => key.scopes.map((scope) => <div>{scope}</div>) },
            { name: 'Last used', cell: (key) => <Time at={key.last_used_at} /> },
            { name: 'Ends', cell: (key) => <Time at={key.expires_at} /> },
            { name: '', cell: (key) => key.active && <KeyActs page={page} of={key} /> },
          ]}
        />
        <Pager page={page} path="/keys" next={next_cursor} />
        {may_create && (
          <section>
            <h2>New key</h2>
            <Form page={page} faults={faults}>
              <Field
                name="display_name"
                label="Name of the program"
                required
                value={page.form.text('display_name')}
                hint="Not of a person: keys outlive people."
                faults={faults}
              />
              <Choices
                type="checkbox"
                name="preset"
                legend="What it does"
                choices={Object.entries(PRESETS).map(([preset, { label, hint }]) => ({
                  value: preset,
                  label,
                  hint,
                }))}
                chosen={page.form.all('preset')}
                faults={faults}
              />
              <Field
                name="allowed_ips"
                label="Where it calls from"
                hint="Addresses or ranges, with blanks between. Empty allows any."
                value={page.form.text('allowed_ips')}
                faults={faults}
              />
              <Select
                name="days"
                label="Ends after"
                value={page.form.text('days') || '365'}
                choices={[
                  { value: '90', label: '90 days' },
                  { value: '365', label: 'One year' },
                  { value: '0', label: 'Never' },
                ]}
              />
              <Submit>Create the key</Submit>
            </Form>
          </section>
        )}
      </>
    ),
  };
}

const KeyActs = ({ page, of }: { page: Page; of: ApiKey }) => (
  <details>
    <summary>Change</summary>
    {page.may('api_keys.create') && (
      <Form page={page} class="inline">
        <input type="hidden" name="key_id" value={of.id} />
        <p>A new secret; the old one stops at once.</p>
        <Submit quiet name="act" value="rotate">
          Rotate {of.display_name}
        </Submit>
      </Form>
    )}
    {page.may('api_keys.revoke') && (
      <Form page={page} class="inline">
        <input type="hidden" name="key_id" value={of.id} />
        <p>Whatever uses it is refused from then on. It cannot be restored.</p>
        <Submit danger name="act" value="revoke">
          Revoke {of.display_name}
        </Submit>
      </Form>
    )}
  </details>
);

function secretPage(page: Page, key: { display_name: string; secret: string }): View {
  return {
    title: `The secret of ${key.display_name}`,
    status: 201,
    body: (
      <>
        <Notice>
          <p>
            <strong>This is the only time that it is shown.</strong> Put it where your program reads
            its secrets; the network keeps a hash of it and no copy.
          </p>
        </Notice>
        <p>
          <code class="secret">{key.secret}</code>
        </p>
        <p class="row">
          <button type="button" class="quiet" data-copy={key.secret} hidden>
            Copy the secret
          </button>
          <a href={page.href('/keys')}>Back to the keys</a>
        </p>
      </>
    ),
  };
}
