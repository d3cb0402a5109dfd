export type Theme = 'light' | 'dark';

const STORED = 'docs-theme';

/** What the reader has chosen; undefined means as the system has it. */
export function chosenTheme(): Theme | undefined {
  try {
    const stored = localStorage.getItem(STORED);
    return stored === 'light' || stored === 'dark' ? stored : undefined;
  } catch {
    // A browser may forbid storage; then the choice lasts for the page.
    return undefined;
  }
}

function currentTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  if (theme === 'light' || theme === 'dark') return theme;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

/** The button in the bar changes to the other colours and remembers that. */
export function startThemeButton(button: HTMLButtonElement): void {
  const name = () => {
    const other = currentTheme() === 'dark' ? 'light' : 'dark';
    button.setAttribute('aria-label', `Change to ${other} colours`);
  };
  button.hidden = false;
  name();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', name);
  button.addEventListener('click', () => {
    const theme = currentTheme() === 'dark' ? 'light' : 'dark';
    document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem(STORED, theme);
    } catch {
      // As above.
    }
    name();
  });
}
