import { html } from '@credit/pages';
import type { Request } from 'express';

/**
 * Whoever comes from elsewhere, as by a link in a mail, comes without the cookie: the page asks for
 * itself once more, and that time the cookie is there.
 */
export function isFromElsewhere(request: Request): boolean {
  return (
    request.method === 'GET' &&
    request.get('sec-fetch-site') === 'cross-site' &&
    request.get('sec-fetch-mode') === 'navigate' &&
    request.get('sec-fetch-dest') === 'document'
  );
}

export function onceMore(request: Request): string {
  return String(html`<!doctype html>
<html lang="en"><head><title>One moment</title>
<meta http-equiv="refresh" content="0; url=${request.originalUrl}"></head>
<body><p><a href="${request.originalUrl}">Go on</a></p></body></html>
`);
}
