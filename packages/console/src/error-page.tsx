import { ERRORS_URL } from '@credit/contract';
import { type AppError, ERRORS } from '@credit/platform/errors';
import { Notice } from './components';
import type { View, Visit } from './page';

const TITLES: Readonly<Record<number, string>> = {
  403: 'You may not do this',
  404: 'There is nothing here',
  409: 'That cannot be done now',
  413: 'That is too large',
  422: 'Something is not right',
  429: 'One moment',
  500: 'That went wrong',
};

/** What went wrong, for people: the reason with what helps, and what to tell the operator. */
export function errorPage(visit: Visit, error: AppError): View {
  const status = ERRORS[error.code].http_status;
  return {
    title: TITLES[status] ?? 'That cannot be done',
    status,
    body: (
      <Notice kind="bad" alert>
        <p>
          <strong>{error.message}</strong>
        </p>
        {error.required && (
          <p>
            It takes <code>{error.required}</code>: ask an administrator of your institution.
          </p>
        )}
        {error.retry_after_s !== undefined && (
          <p>Try again in {Math.ceil(error.retry_after_s)} seconds.</p>
        )}
        <p class="soft">
          Reason <a href={`${ERRORS_URL}#${error.reason}`}>{error.reason}</a>, request{' '}
          <code>{visit.request_id}</code>
        </p>
      </Notice>
    ),
  };
}
