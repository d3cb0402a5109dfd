import { Pager, Table } from '../components';
import type { VisitorScreen } from '../screen';

/** Who reports and reads here. */
export const membersScreen: VisitorScreen = {
  path: '/members',
  show: async (visit) => {
    const cursor = visit.query('cursor');
    const members = await visit.call('listMemberInstitutions', { query: { cursor, limit: '50' } });
    return {
      title: 'Members',
      body: (
        <>
          <p>
            Lenders that report here and may read, by name. A member may choose not to be listed.
          </p>
          <Table
            caption="Members"
            rows={members.value}
            empty={
              <p>
                No member is listed yet. <a href="/apply">Apply</a> to be the first.
              </p>
            }
            columns={[
              { name: 'Name', cell: ({ name }) => name },
              {
                name: 'Website',
                cell: ({ website }) =>
                  website === null ? (
                    <span class="soft">–</span>
                  ) : (
                    <a href={website} rel="noreferrer nofollow">
                      {new URL(website).host}
                    </a>
                  ),
              },
            ]}
          />
          <Pager page={visit} path="/members" next={members.next_cursor} />
        </>
      ),
    };
  },
};
