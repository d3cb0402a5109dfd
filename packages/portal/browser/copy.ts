const SHOWN_MS = 1_500;

/** Gives each block of code a button that copies it. */
export function startCopyButtons(root: ParentNode): void {
  // Without a secure origin there is no clipboard.
  if (navigator.clipboard === undefined) return;
  for (const frame of root.querySelectorAll('.code')) {
    const pre = frame.querySelector('pre');
    if (pre === null || frame.querySelector('.copy') !== null) continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.setAttribute('aria-label', `Copy: ${pre.getAttribute('aria-label') ?? 'code'}`);
    button.addEventListener('click', async () => {
      const done = await navigator.clipboard.writeText(pre.textContent ?? '').then(
        () => 'Copied',
        () => 'Not allowed',
      );
      button.textContent = done;
      setTimeout(() => {
        button.textContent = 'Copy';
      }, SHOWN_MS);
    });
    (frame.querySelector('.code-bar') ?? frame).append(button);
  }
}

/** The button that copies the whole page as markdown. */
export function startPageCopy(root: ParentNode): void {
  if (navigator.clipboard === undefined) return;
  for (const button of root.querySelectorAll<HTMLButtonElement>('[data-copy-page]')) {
    const label = button.textContent ?? '';
    button.hidden = false;
    button.addEventListener('click', async () => {
      const text = fetch(button.dataset.copyPage ?? '').then((answer) => {
        if (!answer.ok) throw new Error(`The page answered ${answer.status}.`);
        return answer.text();
      });
      button.textContent = await text
        .then((markdown) => navigator.clipboard.writeText(markdown))
        .then(
          () => 'Copied',
          () => 'Not possible',
        );
      setTimeout(() => {
        button.textContent = label;
      }, SHOWN_MS);
    });
  }
}
