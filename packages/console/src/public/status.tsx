import { Badge, Notice, Table, Time, type Tone } from '../components';
import type { VisitorScreen } from '../screen';
import { words } from '../words';

const SAYS: Readonly<Record<string, { readonly tone: Tone; readonly text: string }>> = {
  OPERATIONAL: { tone: 'good', text: 'Everything works.' },
  DEGRADED: { tone: 'warn', text: 'A part does not answer. What needs it fails for the moment.' },
  OUTAGE: { tone: 'bad', text: 'Nothing answers for the moment.' },
};

/** Whether it works. */
export const statusScreen: VisitorScreen = {
  path: '/status',
  show: async (visit) => {
    const { value: status } = await visit.call('getStatus');
    return {
      title: 'Status',
      body: (
        <>
          <Notice kind={status.status === 'OPERATIONAL' ? 'good' : 'bad'}>
            <p>
              <strong>{SAYS[status.status]?.text}</strong>
            </p>
          </Notice>
          <Table
            caption="Parts of the network"
            rows={status.components}
            empty="No part is known."
            columns={[
              { name: 'Part', cell: ({ name }) => words(name) },
              {
                name: 'State',
                cell: ({ status: state }) => (
                  <Badge tone={SAYS[state]?.tone ?? 'plain'}>{words(state)}</Badge>
                ),
              },
            ]}
          />
          <p class="soft">
            Seen <Time at={status.time} />, version {status.version}.{' '}
            <a href="/status">Look again</a>
          </p>
        </>
      ),
    };
  },
};
