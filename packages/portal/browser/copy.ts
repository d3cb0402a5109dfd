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
