// Shared by the check of alerts and dashboards and by the walk through the runbooks.

const KEYWORDS = new Set(
  'by without on ignoring group_left group_right and or unless bool offset'.split(' '),
);

/** The series that an expression of Prometheus selects. */
function metricsOf(expression) {
  const bare = expression
    .replace(/\{[^}]*\}/g, ' ')
    .replace(/"[^"]*"/g, ' ')
    .replace(/\[[^\]]*\]/g, ' ')
    .replace(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  return [...bare.matchAll(/[a-zA-Z_:][a-zA-Z0-9_:]*(?!\s*\()(?![a-zA-Z0-9_:])/g)]
    .map(([name]) => name)
    .filter((name) => !KEYWORDS.has(name));
}

module.exports = { metricsOf };
