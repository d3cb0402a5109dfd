import { ERRORS_URL } from '@credit/contract';
import type { FC, PropsWithChildren } from 'hono/jsx';
import type { Faults } from './attempt';
import type { Content, Visit } from './page';

// --- forms

interface FormProps {
  readonly page: Visit;
  /** Below the console's path; the page's own path when left out. */
  readonly action?: string;
  readonly faults?: Faults | undefined;
  /** How the form calls what the operation names otherwise, by the field's path. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly class?: string;
  /** It has a file, which scripts send more cleverly. */
  readonly file?: FileSending;
}

export type FileSending =
  /** What is large in parts; so much of it is with the network already. */
  | { readonly from_bytes: number }
  /** No more of it than so much. */
  | { readonly head_bytes: number };

/** A form that works without scripts: it names its page's token, and shows what was wrong on top. */
export const Form: FC<PropsWithChildren<FormProps>> = ({
  page,
  action,
  faults,
  labels,
  children,
  file,
  ...rest
}) => (
  <form
    method="post"
    action={action}
    class={rest.class ?? 'form'}
    novalidate
    {...(file && { enctype: 'multipart/form-data', ...sending(file) })}
  >
    <input type="hidden" name="form_token" value={page.form_token} />
    {faults && <FaultSummary faults={faults} page={page} labels={labels} />}
    {children}
  </form>
);

function sending(file: FileSending) {
  return 'from_bytes' in file
    ? { 'data-upload': String(file.from_bytes) }
    : { 'data-head': String(file.head_bytes) };
}

/** What was wrong, with what stands beside no field of the form. */
export const FaultSummary: FC<{
  faults: Faults;
  page: Visit;
  labels?: Readonly<Record<string, string>> | undefined;
}> = ({ faults, page, labels }) => {
  const { error } = faults;
  const is_of_fields = error.code === 'VALIDATION_ERROR';
  return (
    <div class="notice bad" role="alert" tabindex={-1}>
      <p>
        <strong>{is_of_fields ? 'Please look at what is marked.' : error.message}</strong>
      </p>
      {is_of_fields && (
        <ul>
          {faults.details.map(({ path, message }) => (
            <li>
              {path === '' ? '' : `${labels?.[path] ?? label(path)} `}
              {message}.
            </li>
          ))}
        </ul>
      )}
      <p class="soft">
        Reason <a href={`${ERRORS_URL}#${error.reason}`}>{error.reason}</a>, request{' '}
        <code>{page.request_id}</code>
      </p>
    </div>
  );
};

/** `credit_limit` as people write it. */
export function label(name: string): string {
  const words = name.replace(/^.*\./, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly type?: string;
  readonly value?: string | undefined;
  readonly hint?: string;
  readonly faults?: Faults | undefined;
  /** The field's path in the operation's body, when it is not its name. */
  readonly path?: string;
  readonly required?: boolean;
  readonly autocomplete?: string;
  readonly inputmode?: string;
  readonly maxlength?: number;
  readonly autofocus?: boolean;
  readonly placeholder?: string;
  /** A text of several lines. */
  readonly rows?: number;
}

/** A field with its label, what helps, and what was wrong with it. */
export const Field: FC<FieldProps> = (props) => {
  const { name, type = 'text', value, hint, faults, rows } = props;
  const fault = faults?.by_field.get(props.path ?? name);
  const described = [hint && `${name}-hint`, fault && `${name}-fault`].filter(Boolean).join(' ');
  const shared = {
    id: name,
    name,
    required: props.required,
    maxlength: props.maxlength,
    'aria-describedby': described || undefined,
    'aria-invalid': fault ? 'true' : undefined,
  } as const;
  return (
    <div class={fault ? 'field wrong' : 'field'}>
      <label for={name}>
        {props.label}
        {!props.required && type !== 'search' && <span class="soft"> (optional)</span>}
      </label>
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {rows === undefined ? (
        <input
          {...shared}
          type={type}
          value={value}
          autocomplete={props.autocomplete ?? 'off'}
          inputmode={props.inputmode as 'text' | undefined}
          autofocus={props.autofocus}
          placeholder={props.placeholder}
        />
      ) : (
        <textarea {...shared} rows={rows}>
          {value ?? ''}
        </textarea>
      )}
      {fault && (
        <p class="fault" id={`${name}-fault`}>
          {`This ${fault}.`}
        </p>
      )}
    </div>
  );
};

/** The token of a link: a script takes it out of the fragment, and where none runs people type it. */
export const TokenField: FC<
  Required<Pick<FieldProps, 'label' | 'hint'>> & { page: Visit; faults?: Faults | undefined }
> = ({ page, label, hint, faults }) => (
  <Field
    name="token"
    label={label}
    required
    hint={hint}
    value={page.form.text('token')}
    faults={faults}
  />
);

/** A file to choose; it stands behind all other fields of its form. */
export const FileField: FC<{
  name: string;
  label: string;
  hint: string;
  faults?: Faults | undefined;
}> = ({ name, label: text, hint, faults }) => {
  const fault = faults?.by_field.get(name);
  return (
    <div class={fault ? 'field wrong' : 'field'}>
      <label for={name}>{text}</label>
      <p class="hint" id={`${name}-hint`}>
        {hint}
      </p>
      <input
        type="file"
        id={name}
        name={name}
        accept=".csv,.ndjson,.jsonl,text/csv,application/x-ndjson"
        required
        aria-describedby={fault ? `${name}-hint ${name}-fault` : `${name}-hint`}
        aria-invalid={fault ? 'true' : undefined}
      />
      {fault && (
        <p class="fault" id={`${name}-fault`}>
          {`This ${fault}.`}
        </p>
      )}
    </div>
  );
};

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

interface SelectProps {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly value?: string | undefined;
  readonly faults?: Faults | undefined;
  readonly hint?: string;
  /** The field's path in the operation's body, when it is not its name. */
  readonly path?: string;
}

export const Select: FC<SelectProps> = ({ name, path, choices, value, faults, hint, ...rest }) => {
  const fault = faults?.by_field.get(path ?? name);
  const described = [hint && `${name}-hint`, fault && `${name}-fault`].filter(Boolean).join(' ');
  return (
    <div class={fault ? 'field wrong' : 'field'}>
      <label for={name}>{rest.label}</label>
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      <select id={name} name={name} aria-describedby={described || undefined}>
        {choices.map((choice) => (
          <option value={choice.value} selected={choice.value === value}>
            {choice.label}
          </option>
        ))}
      </select>
      {fault && (
        <p class="fault" id={`${name}-fault`}>
          {`This ${fault}.`}
        </p>
      )}
    </div>
  );
};

/** Choices of which one (radio) or several (checkbox) are made, each with what it means. */
export const Choices: FC<{
  type: 'radio' | 'checkbox';
  name: string;
  legend: string;
  choices: readonly Choice[];
  chosen: readonly string[];
  faults?: Faults | undefined;
  /** The field's path in the operation's body, when it is not its name. */
  path?: string;
}> = ({ type, name, legend, choices, chosen, faults, path }) => {
  const fault = faults?.by_field.get(path ?? name);
  return (
    <fieldset class={fault ? 'field wrong' : 'field'}>
      <legend>{legend}</legend>
      {choices.map((choice) => (
        <div class="choice">
          <input
            type={type}
            id={`${name}-${choice.value}`}
            name={name}
            value={choice.value}
            checked={chosen.includes(choice.value)}
          />
          <label for={`${name}-${choice.value}`}>
            {choice.label}
            {choice.hint && <span class="soft">{choice.hint}</span>}
          </label>
        </div>
      ))}
      {fault && <p class="fault">{`This ${fault}.`}</p>}
    </fieldset>
  );
};

/** The form's button; `danger` for what cannot be taken back. */
export const Submit: FC<
  PropsWithChildren<{ danger?: boolean; name?: string; value?: string; quiet?: boolean }>
> = ({ danger, quiet, children, ...rest }) => (
  <button type="submit" class={danger ? 'danger' : quiet ? 'quiet' : undefined} {...rest}>
    {children}
  </button>
);

/** What narrows a list, in its address; `kept` goes along as it is. */
export const Filters: FC<
  PropsWithChildren<{ kept: Readonly<Record<string, string | undefined>> }>
> = ({ kept, children }) => (
  <search>
    <form method="get" class="row">
      {children}
      {Object.entries(kept).map(
        ([name, value]) => value && <input type="hidden" name={name} value={value} />,
      )}
      <Submit quiet>Show</Submit>
    </form>
  </search>
);

// --- what is shown

interface NoticeProps {
  readonly kind?: 'good' | 'bad' | 'plain';
  /** Read out when there is time for it. */
  readonly live?: boolean;
  /** Read out at once: something went wrong. */
  readonly alert?: boolean;
}

export const Notice: FC<PropsWithChildren<NoticeProps>> = ({
  kind = 'plain',
  live,
  alert,
  children,
}) => (
  <div class={`notice ${kind}`} role={alert ? 'alert' : live ? 'status' : undefined}>
    {children}
  </div>
);

/** What was just done, as the page that it led to says it: `done` in its address names it. */
export const Done: FC<{ page: Visit; says: Readonly<Record<string, string>> }> = ({
  page,
  says,
}) => {
  const said = Object.entries(says).find(([name]) => name === page.query('done'))?.[1];
  return said === undefined ? null : (
    <Notice kind="good" live>
      <p>{said}</p>
    </Notice>
  );
};

const TIME = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
});
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

/** A moment: scripts show it in the reader's zone, and the exact one on hover. */
export const Time: FC<{ at: string | null | undefined; day?: boolean; none?: string }> = ({
  at,
  day,
  none = 'never',
}) => {
  if (at === null || at === undefined) return <span class="soft">{none}</span>;
  const moment = new Date(at);
  return (
    <time datetime={at} title={at} data-local={day ? 'day' : 'time'}>
      {day ? DAY.format(moment) : `${TIME.format(moment)} UTC`}
    </time>
  );
};

/** An amount in major units, with its currency. */
export function money(amount: number | null | undefined, currency: string): string {
  if (amount === null || amount === undefined) return '–';
  const digits = new Intl.NumberFormat('en-GB', {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  }).format(amount);
  return `${digits} ${currency}`;
}

const COUNT = new Intl.NumberFormat('en-GB');

export function count(number: number): string {
  return COUNT.format(number);
}

/** An id, shortened, with the whole one to copy. */
export const Id: FC<{ of: string }> = ({ of }) => (
  <span class="id">
    <code title={of}>{of.length > 13 ? `…${of.slice(-8)}` : of}</code>
    <button type="button" class="copy" data-copy={of} hidden>
      <span class="visually-hidden">Copy {of}</span>
    </button>
  </span>
);

export type Tone = 'good' | 'bad' | 'warn' | 'plain' | 'accent';

export const Badge: FC<PropsWithChildren<{ tone?: Tone }>> = ({ tone = 'plain', children }) => (
  <span class={`badge ${tone}`}>{children}</span>
);

/** Facts as a list of names and values. */
export const Facts: FC<{ of: readonly (readonly [string, unknown])[] }> = ({ of }) => (
  <dl class="facts">
    {of.map(([name, value]) => (
      <div>
        <dt>{name}</dt>
        <dd>{value as Content}</dd>
      </div>
    ))}
  </dl>
);

/** A figure on a home page, which leads to what it counts. */
export const Stat: FC<
  PropsWithChildren<{
    name: string;
    value: string;
    href?: string | undefined;
    tone?: Tone;
    note?: string;
  }>
> = ({ name, value, href, tone, note, children }) => (
  <div class={`stat ${tone ?? 'plain'}`}>
    <p class="stat-name">{href === undefined ? name : <a href={href}>{name}</a>}</p>
    <p class="stat-value">{value}</p>
    {note && <p class="soft">{note}</p>}
    {children}
  </div>
);

export interface Column<Row> {
  readonly name: string;
  /** Numbers stand under each other. */
  readonly number?: true;
  readonly cell: (row: Row) => unknown;
}

interface TableProps<Row> {
  /** Says what the table holds, for those who do not see it. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** What stands there when there is nothing. */
  readonly empty: unknown;
}

/** A table that scrolls by itself on a narrow screen. */
export function Table<Row>({ caption, columns, rows, empty }: TableProps<Row>) {
  if (rows.length === 0) return <div class="empty">{empty as Content}</div>;
  return (
    <section class="table" tabindex={0} aria-label={caption}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, number }) => (
              <th scope="col" class={number && 'number'}>
                {name === '' ? <span class="visually-hidden">Actions</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {columns.map(({ number, cell }) => (
                <td class={number && 'number'}>{cell(row) as Content}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The way to a list's next page, and back to its first. */
export const Pager: FC<{
  page: Visit;
  path: string;
  next: string | undefined;
  query?: Record<string, string | undefined>;
}> = ({ page, path, next, query }) => {
  const is_first = page.query('cursor') === undefined;
  if (is_first && next === undefined) return null;
  return (
    <nav class="pager" aria-label="Pages of the list">
      {!is_first && <a href={page.href(path, query)}>First page</a>}
      {next !== undefined && <a href={page.href(path, { ...query, cursor: next })}>Next page</a>}
    </nav>
  );
};
