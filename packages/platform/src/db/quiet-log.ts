/**
 * Settings with which a server's log shows the texts of slow statements but nothing of what they
 * were given. Statements here have their values as parameters; what PostgreSQL says of failed ones
 * quotes rows (`Key (email)=(…) already exists`), and their service logs them by code.
 */
export const QUIET_LOG: Readonly<Record<string, string>> = {
  log_statement: 'none',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  // Of errors nothing; LOG lines, such as slow statements, come after them in this order.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  // No DETAIL, CONTEXT and QUERY.
  log_error_verbosity: 'terse',
};

/** Switched on, these print plans and trees, which have the values in them. */
const PRINTS_VALUES = /^(debug_print_\w+|auto_explain\.log_(analyze|verbose|nested_statements))$/;
const OFF = /^(off|false|no|0|none|-1)$/i;

/** What a server with these settings could write of people's data into its log; none when nothing. */
export function logLeaks(settings: Readonly<Record<string, string>>): string[] {
  const leaks = Object.entries(QUIET_LOG)
    .filter(([name, wanted]) => settings[name] !== wanted)
    .map(([name, wanted]) => `${name} is ${settings[name] ?? 'not set'} and must be ${wanted}`);
  for (const [name, value] of Object.entries(settings)) {
    if (PRINTS_VALUES.test(name) && !OFF.test(value)) leaks.push(`${name} prints values`);
    // A plan shows the values that it was made for, whatever the length of parameters.
    if (name === 'auto_explain.log_min_duration' && value !== '-1') {
      leaks.push('auto_explain prints values');
    }
    if (name.startsWith('pgaudit.') && !isQuietAudit(name, value)) {
      leaks.push(`${name} prints values`);
    }
    if (/_preload_libraries$/.test(name) && value.includes('auto_explain')) {
      leaks.push(`${name} loads auto_explain, which prints values`);
    }
  }
  return leaks;
}

/** Of statements of these classes no service has any with data in it: changes of schemas, of roles and rights. */
const AUDITED = ['ddl', 'role', 'none'];

/** pgaudit prints whole statements: of some classes alone, and without what they were given. */
function isQuietAudit(name: string, value: string): boolean {
  if (name === 'pgaudit.log') {
    return value.split(',').every((one) => AUDITED.includes(one.trim().toLowerCase()));
  }
  return !/^pgaudit\.(log_parameter|log_rows|role)$/.test(name) || OFF.test(value);
}
