import type { FC } from 'hono/jsx';
import type { Faults } from './attempt';
import { Field, Notice } from './components';
import type { Form } from './page';

/** Whether the password that a form chooses was typed the same way twice. */
export function isTypedTwice(form: Form, name: string): boolean {
  return form.text(name) === form.text('again');
}

/** Choosing a password, typed twice; `differs` when it was not the same. */
export const NewPassword: FC<{
  name: string;
  label: string;
  faults?: Faults | undefined;
  differs: boolean;
}> = ({ name, label, faults, differs }) => (
  <>
    {differs && (
      <Notice kind="bad" live>
        <p>
          <strong>The two passwords differ.</strong>
        </p>
      </Notice>
    )}
    <Field
      name={name}
      label={label}
      type="password"
      required
      autocomplete="new-password"
      hint="12 to 128 characters. A few words are easier to keep than many signs."
      faults={faults}
    />
    <Field
      name="again"
      label={`${label}, once more`}
      type="password"
      required
      autocomplete="new-password"
    />
  </>
);
