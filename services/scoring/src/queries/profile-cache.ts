import type { InquiryFacts, Profile } from '../domain/model';

/** What a profile was worked out from, beside the accounts. */
export interface ProfileKey {
  readonly accounts_revision: string;
  readonly as_of_day: number;
  /** Those that can count. */
  readonly inquiries: readonly InquiryFacts[];
}

interface Kept {
  readonly accounts_revision: string;
  readonly others: string;
  readonly profile: Profile;
}

/**
 * Profiles as they were last worked out, a few thousand of the latest. Nothing is ever
 * invalidated: a reader says what the database says now, and what was made of anything else is
 * not found.
 */
export class ProfileCache {
  /** The least recently used first. */
  private readonly kept = new Map<string, Kept>();

  constructor(private readonly max_entries: number) {}

  /** The revision of the accounts that something is kept of. */
  revision(subject: string): string | undefined {
    return this.kept.get(subject)?.accounts_revision;
  }

  find(subject: string, key: ProfileKey): Profile | undefined {
    const known = this.kept.get(subject);
    if (known === undefined || known.accounts_revision !== key.accounts_revision) return undefined;
    if (known.others !== othersOf(key)) return undefined;
    this.kept.delete(subject);
    this.kept.set(subject, known);
    return known.profile;
  }

  keep(subject: string, key: ProfileKey, profile: Profile): void {
    const { accounts_revision } = key;
    this.kept.delete(subject);
    this.kept.set(subject, { accounts_revision, others: othersOf(key), profile });
    if (this.kept.size <= this.max_entries) return;
    for (const oldest of this.kept.keys()) {
      this.kept.delete(oldest);
      return;
    }
  }
}

function othersOf({ as_of_day, inquiries }: ProfileKey): string {
  const looks = inquiries
    .filter(({ voided }) => !voided)
    .map(({ inquiry_id, purpose, day }) => `${inquiry_id} ${purpose} ${day}`);
  return [as_of_day, ...looks.sort()].join('\n');
}
