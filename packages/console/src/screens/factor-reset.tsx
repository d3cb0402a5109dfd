import { Badge, Form, Submit } from '../components';
import type { Page } from '../page';

/** Beside who is asked for a second factor. */
export const FactorMark = () => (
  <>
    {' '}
    <Badge>Second factor</Badge>
  </>
);

/** Takes the factor off somebody who has lost it; the form's `act` is `factor`. */
export const FactorReset = ({
  page,
  of,
}: {
  page: Page;
  of: { readonly id: string; readonly display_name: string };
}) => (
  <Form page={page} class="form">
    <input type="hidden" name="user_id" value={of.id} />
    <p>
      Has {of.display_name} lost the authenticator and the recovery codes? Be sure that it is them
      who asks. The password alone signs in then, and every session ends.
    </p>
    <Submit danger name="act" value="factor">
      Take the second factor off
    </Submit>
  </Form>
);
