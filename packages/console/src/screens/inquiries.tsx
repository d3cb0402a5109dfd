import { Purpose } from '@credit/proto/reporting/v1/types';
import { Badge, Filters, Id, Pager, Select, Table, Time } from '../components';
import { choicesOf, effectOfInquiry } from '../record';
import { type Screen, withPermission } from '../screen';
import { words } from '../words';

const PATH = '/inquiries';

/** Every look of the institution at anybody. */
export const inquiriesScreen: Screen = {
  path: PATH,
  place: { section: 'Record', label: 'Inquiries' },
  isFor: withPermission('credit.read'),
  by_environment: true,
  show: async (page) => {
    const filter = { purpose: page.query('purpose'), subject_id: page.query('subject_id') };
    const { value, next_cursor } = await page.call('listInquiries', {
      query: { ...filter, limit: '25', cursor: page.query('cursor') },
    });
    return {
      title: 'Inquiries',
      body: (
        <>
          <p class="soft">
            Every look at a subject, the latest first: at profiles, reports, scores and what-ifs.
          </p>
          <Filters kept={{ subject_id: filter.subject_id }}>
            <Select
              name="purpose"
              label="Purpose"
              value={filter.purpose}
              choices={[{ value: '', label: 'Any' }, ...choicesOf(Purpose)]}
            />
          </Filters>
          <Table
            caption="Inquiries"
            rows={value}
            empty="Nobody of you has looked at anybody like that."
            columns={[
              { name: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
              {
                name: 'Subject',
                cell: ({ subject_id }) => (
                  <a class="id" href={page.href(`/subjects/${subject_id}`)}>
                    …{subject_id.slice(-8)}
                  </a>
                ),
              },
              { name: 'Purpose', cell: ({ purpose }) => words(purpose) },
              {
                name: 'Kind',
                cell: ({ inquiry_type }) => (
                  <Badge tone={inquiry_type === 'HARD' ? 'warn' : 'plain'}>
                    {words(inquiry_type)}
                  </Badge>
                ),
              },
              {
                name: 'Effect on the score',
                cell: effectOfInquiry,
              },
              { name: 'Consent', cell: ({ consent_reference }) => consent_reference ?? '' },
              { name: 'Inquiry', cell: ({ id }) => <Id of={id} /> },
              ...(page.may('reports.request')
                ? [
                    {
                      name: 'For the subject',
                      // What was refused has shown nothing to give notice of.
                      cell: ({ id, refusal }: { id: string; refusal: string | null }) =>
                        refusal === null && <a href={page.href(`${PATH}/${id}/notice`)}>Notice</a>,
                    },
                  ]
                : []),
            ]}
          />
          <Pager page={page} path={PATH} next={next_cursor} query={filter} />
        </>
      ),
    };
  },
};
