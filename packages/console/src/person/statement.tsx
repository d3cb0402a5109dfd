import { TEXTS } from '@credit/platform/values';
import { attempt, type Faults } from '../attempt';
import { Field, Form, Submit } from '../components';
import type { View } from '../page';
import type { PersonScreen } from './screen';
import { MY, type PersonVisit } from './visit';

/** Where something is said about records. */
export const STATEMENTS = `${MY}/statements`;

/** The person's own words about one record. */
export const statementScreen: PersonScreen = {
  path: `${STATEMENTS}/:record_id`,
  show: (visit) => statementPage(visit),
  submit: async (visit) => {
    const params = { record_id: visit.param('record_id') };
    const outcome = await attempt<unknown>(() =>
      visit.form.text('act') === 'remove'
        ? visit.call('removeMyStatement', { params })
        : visit.call('setMyStatement', { params, body: { text: visit.form.text('text').trim() } }),
    );
    return 'faults' in outcome ? statementPage(visit, outcome.faults) : { location: MY };
  },
};

async function statementPage(visit: PersonVisit, faults?: Faults): Promise<View> {
  const { value } = await visit.call('listMyStatements');
  const said = value.find(({ record_id }) => record_id === visit.param('record_id'));
  return {
    title: 'Your own words',
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <p>
          What you say here stands beside the record in every profile and report, as you write it:
          leave out what is nobody’s business. It moves no score. What is wrong is put right by a{' '}
          <a href={MY}>dispute</a>, from your file.
        </p>
        <Form page={visit} faults={faults}>
          <Field
            name="text"
            label="What readers should know"
            required
            rows={6}
            maxlength={TEXTS.statement.max}
            hint={`At most ${TEXTS.statement.max} characters.`}
            value={visit.form.text('text') || said?.text}
            faults={faults}
          />
          <div class="row">
            <Submit>Show it to readers</Submit>
            <a href={MY}>Back to your file</a>
          </div>
        </Form>
        {said !== undefined && (
          <Form page={visit}>
            <input type="hidden" name="act" value="remove" />
            <Submit quiet>Take it back</Submit>
          </Form>
        )}
      </>
    ),
  };
}
