import { Purpose } from '@credit/proto/reporting/v1/types';
import type { FC } from 'hono/jsx';
import type { Faults } from './attempt';
import { Choices } from './components';
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
