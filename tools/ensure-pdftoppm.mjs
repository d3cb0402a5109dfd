// Prints the path of poppler's pdftoppm, with which tests look at the pages of reports.
import { printPathOf } from './debian-tool.mjs';

printPathOf({
  names: ['pdftoppm'],
  version_args: ['-v'],
  version_says: /pdftoppm/,
  debian_package: 'poppler-utils',
  variable: 'PDFTOPPM',
  purpose: 'the tests that look at reports',
  advice:
    'The tests that look at reports need pdftoppm: install it (Debian: apt-get install ' +
    'poppler-utils; Fedora: dnf install poppler-utils; macOS: brew install poppler), or name one ' +
    'with PDFTOPPM.',
});
