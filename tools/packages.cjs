// What docs/PACKAGES.md says of the packages, compared with their names.

const PAGE = 'docs/PACKAGES.md';

/** What is wrong with a page, given the packages' names: a sentence each. */
function faultsOf(page, names) {
  const lines = page.split('\n').flatMap((line) => {
    const [, text, said] = /^\| `([^`]+)`.*? \| (.*?)\s*\|$/.exec(line) ?? [];
    return text === undefined ? [] : [{ text, said }];
  });
  // A line may be of all whose names begin alike.
  const isOf = (text, name) =>
    text.endsWith('*') ? name.startsWith(text.slice(0, -1)) : name === text;
  return [
    ...names
      .filter((name) => !lines.some(({ text }) => isOf(text, name)))
      .map((name) => `${PAGE} does not say what ${name} is for.`),
    ...lines
      .filter(({ text }) => !names.some((name) => isOf(text, name)))
      .map(({ text }) => `${PAGE} explains ${text}, which no manifest names.`),
    ...lines
      .filter(({ said }) => said === '')
      .map(({ text }) => `${PAGE} gives ${text} no reason.`),
  ];
}

module.exports = { PAGE, faultsOf };
