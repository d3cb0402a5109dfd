import { Purpose } from '@credit/proto/reporting/v1/types';
import type { FC } from 'hono/jsx';
import type { Faults } from './attempt';
import { Choices, Field } from './components';
import type { Visit } from './page';
import { choicesOf } from './record';

/** Why somebody looks: every look at a subject says so. */
export const PurposeField: FC<{
  page: Visit;
  faults?: Faults | undefined;
}> = ({ page, faults }) => (
  <Choices
    type="radio"
    name="purpose"
    legend="Purpose"
    choices={choicesOf(Purpose)}
    chosen={[page.form.text('purpose')]}
    faults={faults}
  />
);

/** Of a hard inquiry: which consent of the person there is. */
export const ConsentField: FC<{
  page: Visit;
  faults?: Faults | undefined;
}> = ({ page, faults }) => (
  <Field
    name="consent_reference"
    label="Consent, of a hard inquiry"
    hint="Where you keep it, such as the number of the application. The person and you alone see it."
    value={page.form.text('consent_reference')}
    faults={faults}
  />
);
