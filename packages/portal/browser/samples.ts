const STORED = 'docs-language';
const FIRST = 'curl';
/** What the server writes into samples, until the page knows better. */
const SAMPLE_ORIGIN = 'https://credit-network.example';
const SAMPLE_KEY = 'svc_test_your_key';

/** The texts of samples as the server wrote them. */
const written = new WeakMap<Text, string>();

function chosenLanguage(): string {
  try {
    return localStorage.getItem(STORED) ?? FIRST;
  } catch {
    // A browser may forbid storage; then the choice lasts for the page.
    return document.documentElement.dataset.language ?? FIRST;
  }
}

function remember(language: string): void {
  document.documentElement.dataset.language = language;
  try {
    localStorage.setItem(STORED, language);
  } catch {
    // As above.
  }
}

function show(root: ParentNode, language: string): void {
  for (const group of root.querySelectorAll<HTMLElement>('.request-samples')) {
    const samples = [...group.querySelectorAll<HTMLElement>('[data-language]')];
    // A choice of an earlier version of the page may be gone.
    const known = samples.some(({ dataset }) => dataset.language === language);
    const shown = known ? language : FIRST;
    for (const sample of samples) sample.hidden = sample.dataset.language !== shown;
    for (const button of group.querySelectorAll<HTMLButtonElement>('[data-choose]')) {
      button.setAttribute('aria-pressed', String(button.dataset.choose === shown));
    }
  }
}

/** The samples of a page in the language that was chosen, with this network's address in them. */
export function startSamples(root: ParentNode, key: string): void {
  for (const group of root.querySelectorAll<HTMLElement>('.request-samples')) {
    const choice = group.querySelector<HTMLElement>('.languages');
    if (choice !== null) choice.hidden = false;
    for (const button of group.querySelectorAll<HTMLButtonElement>('[data-choose]')) {
      button.addEventListener('click', () => {
        // What was pressed stays where it is, though all samples above it change their heights.
        const before_px = button.getBoundingClientRect().top;
        remember(button.dataset.choose ?? FIRST);
        show(document, chosenLanguage());
        scrollBy({ top: button.getBoundingClientRect().top - before_px, behavior: 'instant' });
      });
    }
  }
  show(root, chosenLanguage());
  fillSamples(root, key);
}

/** Writes this network's address, and the key that is being tried, into the samples. */
export function fillSamples(root: ParentNode, key: string): void {
  for (const sample of root.querySelectorAll('.request-samples pre')) {
    const walker = document.createTreeWalker(sample, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = node as Text;
      const original = written.get(text) ?? text.data;
      written.set(text, original);
      const filled = original
        .replaceAll(SAMPLE_ORIGIN, location.origin)
        .replaceAll(SAMPLE_KEY, key === '' ? SAMPLE_KEY : key);
      if (filled !== text.data) text.data = filled;
    }
  }
}
