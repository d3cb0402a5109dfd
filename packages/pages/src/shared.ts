import path from 'node:path';
import type { RequestHandler } from 'express';
import { html } from './html';
import { filesOf, ServedFiles } from './served-files';

/** Below it is what all pages share: tokens of style, the theme switch, the icon. */
export const SHARED_PATH = '/static';

/** What stands in the head of every page, before its own. */
export const PAGE_HEAD = html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${SHARED_PATH}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${SHARED_PATH}/base.css">
<script type="module" src="${SHARED_PATH}/theme.js" async blocking="render"></script>
<script type="module" src="${SHARED_PATH}/theme-button.js"></script>`;

/** Changes light and dark; it shows itself where scripts run. */
export const THEME_BUTTON = html`<button type="button" class="theme-button" hidden>
<span class="theme-icon" aria-hidden="true"></span><span class="visually-hidden">Theme</span></button>`;

/** Scripts and styles come from this origin alone; `form_action` says where forms may lead. */
export function pagePolicy(form_action: "'none'" | "'self'"): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${form_action}`,
    "frame-ancestors 'none'",
  ].join('; ');
}

let files: ServedFiles | undefined;

/** Answers `/static/…` and the icon. */
export function sharedFiles(): RequestHandler {
  files ??= new ServedFiles(urls());
  const made = files;
  return (request, response, next) => {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    if (!made.answer(request, response, request.path)) next();
  };
}

function* urls() {
  // The same paths from sources and from the build.
  const directories = [
    path.resolve(__dirname, '../static'),
    path.resolve(__dirname, '../dist/browser'),
  ];
  for (const [name, file] of filesOf(directories)) {
    yield [`${SHARED_PATH}/${name}`, file] as const;
    if (name === 'icon.svg') yield ['/favicon.ico', file] as const;
  }
}
