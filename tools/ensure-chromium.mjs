// Prints the path of a Chromium for the tests of /docs.
import { printPathOf } from './debian-tool.mjs';

printPathOf({
  names: ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'],
  version_args: ['--version', '--no-sandbox'],
  version_says: /Chrom/,
  debian_package: 'chromium',
  variable: 'CHROMIUM',
  purpose: 'the browser tests of /docs',
  advice:
    'The browser tests of /docs need Chromium: install it (Debian: apt-get install chromium; ' +
    'Fedora: dnf install chromium; macOS: brew install --cask chromium), or name one with CHROMIUM.',
});
