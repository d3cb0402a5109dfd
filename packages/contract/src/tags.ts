/** The parts of the API, in the order of the alphabet, as the document lists them. */
export const TAGS = {
  Accounts: 'Accounts that your institution reports.',
  Administration: 'For those who run the network.',
  'API keys': 'Credentials of workloads, managed by users.',
  Audit: 'Who changed what.',
  Credit: 'Profiles, scores and inquiries.',
  Disputes: 'Contested records.',
  Events: 'Dated facts about accounts: payments, delinquencies, defaults, corrections.',
  Imports: 'Whole files of accounts or events.',
  Public: 'Open to anyone; aggregates and intake only.',
  Reports: 'Durable reports of a whole file, in JSON, CSV or PDF.',
  Sandbox: 'Borrowers to try things with, for test keys.',
  Subjects: 'Individuals and organisations that accounts are reported about.',
  Users: 'Sign-in and the people of an institution.',
  Webhooks: 'Signed events to your own endpoints.',
  'Your file': 'For the person whom a record is about: see it, contest it, guard it.',
} as const;

export type TagName = keyof typeof TAGS;

/** The parts by who works with them, in the order in which a reader needs them. */
export const TAG_GROUPS: readonly { readonly name: string; readonly tags: readonly TagName[] }[] = [
  { name: 'Reporting', tags: ['Subjects', 'Accounts', 'Events', 'Imports', 'Disputes'] },
  { name: 'Reading', tags: ['Credit', 'Reports', 'Webhooks'] },
  { name: 'Your institution', tags: ['API keys', 'Sandbox', 'Users', 'Audit'] },
  { name: 'The person', tags: ['Your file'] },
  { name: 'The network', tags: ['Public', 'Administration'] },
];
