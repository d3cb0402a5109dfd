// Looks at subjects' files. The caller makes the inquiry's id, so a retried call finds the first.

import type { CallContext } from '@credit/platform/context';
import type { Outcome, Transaction } from '@credit/platform/db';
import { type AppError, conflict, forbidden, invalid } from '@credit/platform/errors';
import { institutionOf, uuidFrom } from '@credit/platform/requests';
import { toTimestamp } from '@credit/platform/runtime';
import {
  type FileRights,
  isFrozenFor,
  NO_RIGHTS,
  standingAt,
  withoutWordsAbout,
} from '../domain/file-entries';

import {
  consentFor,
  DUPLICATE_WINDOW_MS,
  type Inquiry,
  inquiryTypeFor,
  needsOwnAccount,
  needsRequest,
  passesByOwnAccount,
  passesFreeze,
  REQUEST_WINDOW_MS,
  type RefusedInquiry,
} from '../domain/inquiry';
import { standingSubject } from '../domain/standing-subject';
import type { Subject } from '../domain/subject';
import type { InquiryType, Purpose } from '../domain/vocabulary';
import { inquiryRecorded } from '../messages';
import { writeInquiries } from '../store/changes';
import { type Head, lockHeads } from '../store/heads';
import {
  type Look,
  lookersWithAccount,
  type RelevantInquiries,
  relevantInquiries,
} from '../store/inquiries';
import { eventsLeftOut } from '../store/left-out';
import { refusedAmong, writeRefused } from '../store/refused-inquiries';
import { lookersAskedSince } from '../store/subject-requests';
import { attempt, type CommandDeps } from './batch';

/** An inquiry as it came in. */
export interface InquiryItem {
  readonly inquiry_id: string;
  readonly subject_id: string;
  readonly purpose?: Purpose | undefined;
  readonly inquiry_type?: InquiryType | undefined;
  readonly consent_reference?: string | undefined;
}

/** An inquiry on record, and whose file was looked at. */
export interface RecordedInquiry {
  readonly inquiry: Inquiry;
  readonly subject: Subject;
  readonly open_dispute_count: number;
  /** What stood on the file by the person's own word. */
  readonly rights: FileRights;
}

interface CheckedItem extends Look {
  readonly ctx: CallContext;
  readonly purpose: Purpose;
  readonly inquiry_type: InquiryType;
  readonly consent_reference: string | undefined;
}

interface Facts extends RelevantInquiries {
  readonly heads: ReadonlyMap<string, Head>;
  /** Those of the looks that were refused before, by id. */
  readonly refused: ReadonlyMap<string, RefusedInquiry>;
  /** As `subject:institution`; only of purposes that need an own account. */
  readonly withAccount: ReadonlySet<string>;
  /** By whose hand the subject asked, as `subject:institution`; only of purposes that need it. */
  readonly asked: ReadonlySet<string>;
  /** Events that disputes leave out of the files, of accounts that their persons say something about. */
  readonly left_out: ReadonlySet<string>;
}

/**
 * Records the inquiries of several calls; each one's refusal is its own. One that a freeze refuses is
 * on record as refused, so that the same call is refused again.
 */
export async function recordInquiries(
  tx: Transaction,
  deps: CommandDeps,
  calls: readonly { ctx: CallContext; item: InquiryItem }[],
): Promise<Outcome<RecordedInquiry>[]> {
  const now_ms = deps.clock.now_ms();
  const checked = calls.map(({ ctx, item }) => attempt(() => check(ctx, item)));
  const looks = checked.flatMap((outcome) => ('value' in outcome ? [outcome.value] : []));
  if (looks.length === 0)
    return checked.flatMap((outcome) => ('error' in outcome ? [outcome] : []));
  const batch = new InquiryBatch(await loadFacts(tx, looks, now_ms), now_ms);
  const outcomes = checked.map((outcome) =>
    'value' in outcome ? attempt(() => batch.take(outcome.value)) : outcome,
  );
  await batch.write(tx);
  return outcomes;
}

function check(ctx: CallContext, item: InquiryItem): CheckedItem {
  const institution_id = institutionOf(ctx);
  const inquiry_id = uuidFrom('inquiry_id', item.inquiry_id);
  const subject_id = uuidFrom('subject_id', item.subject_id);
  const { purpose } = item;
  if (purpose === undefined) throw invalid('purpose', 'is required');
  const inquiry_type = inquiryTypeFor(purpose, item.inquiry_type);
  const consent_reference = consentFor(inquiry_type, item.consent_reference);
  const look = { inquiry_id, subject_id, institution_id };
  return { ctx, ...look, purpose, inquiry_type, consent_reference };
}

async function loadFacts(
  tx: Transaction,
  looks: readonly CheckedItem[],
  now_ms: number,
): Promise<Facts> {
  // The lock comes first: what is read after it cannot change until the commit.
  const heads = await lockHeads(tx, [...new Set(looks.map((look) => look.subject_id))]);
  const rightsOf = ({ subject_id }: Look) => heads.get(subject_id)?.rights ?? NO_RIGHTS;
  const needing = looks.filter(
    (look) =>
      needsOwnAccount(look.purpose) ||
      (passesByOwnAccount(look.purpose) &&
        isFrozenFor(rightsOf(look), look.institution_id, now_ms)),
  );
  const at_request = looks.filter(({ purpose }) => needsRequest(purpose));
  // Sent together; nearly no file has ever been frozen, and of those nothing more is read.
  const stated = [...heads.values()].flatMap(({ rights, subject }) => {
    const account_ids = new Set(rights.statements.map(({ account_id }) => account_id));
    return [...account_ids].map((account_id) => ({ subject_id: subject.id, account_id }));
  });
  const [relevant, refused, withAccount, asked, left_out] = await Promise.all([
    relevantInquiries(tx, looks, now_ms - DUPLICATE_WINDOW_MS),
    refusedAmong(
      tx,
      looks.filter((look) => rightsOf(look).sequence > 0),
    ),
    needing.length === 0 ? new Set<string>() : lookersWithAccount(tx, needing),
    at_request.length === 0
      ? new Set<string>()
      : lookersAskedSince(tx, at_request, now_ms - REQUEST_WINDOW_MS),
    eventsLeftOut(tx, stated),
  ]);
  return { heads, ...relevant, refused, withAccount, asked, left_out };
}

/** Decides inquiries one after another, each upon what the ones before left. */
class InquiryBatch {
  private readonly known: Map<string, Inquiry>;
  private readonly originals: Inquiry[];
  private readonly versions = new Map<string, number>();
  private readonly recorded: { ctx: CallContext; inquiry: Inquiry; subject: Subject }[] = [];
  private readonly refused: { ctx: CallContext; inquiry: RefusedInquiry }[] = [];

  constructor(
    private readonly facts: Facts,
    private readonly now_ms: number,
  ) {
    this.known = new Map(facts.known);
    this.originals = [...facts.originals];
  }

  take(look: CheckedItem): RecordedInquiry {
    const head = standingSubject(this.facts.heads.get(look.subject_id));
    const { subject, open_dispute_count } = head;
    const rights = withoutWordsAbout(standingAt(head.rights, this.now_ms), this.facts.left_out);
    const known = this.known.get(look.inquiry_id) ?? this.refusedBefore(look.inquiry_id);
    if (known !== undefined) {
      if (!isRepeated(look, known))
        throw conflict('inquiry_id was used for another inquiry.', { reason: 'ID_REUSED' });
      if ('refusal' in known) throw frozen();
      return { inquiry: known, subject, open_dispute_count, rights };
    }
    const looker = `${look.subject_id}:${look.institution_id}`;
    if (needsRequest(look.purpose) && !this.facts.asked.has(looker)) {
      throw forbidden(
        `${look.purpose} is for who was asked: the subject has used no access link of yours in 30 days.`,
        { reason: 'SUBJECT_DID_NOT_ASK' },
      );
    }
    const has_account = this.facts.withAccount.has(looker);
    if (needsOwnAccount(look.purpose) && !has_account) {
      throw forbidden(`${look.purpose} needs an account of your own with the subject.`, {
        reason: 'NEEDS_OWN_ACCOUNT',
      });
    }
    const is_frozen = isFrozenFor(rights, look.institution_id, this.now_ms);
    if (is_frozen && !passesFreeze(look.purpose, has_account)) {
      this.refuse(look);
      throw frozen();
    }
    const version = (this.versions.get(look.subject_id) ?? head.version) + 1;
    const inquiry: Inquiry = {
      id: look.inquiry_id,
      subject_id: look.subject_id,
      institution_id: look.institution_id,
      purpose: look.purpose,
      inquiry_type: look.inquiry_type,
      duplicate_of: this.originals.find((original) => isRepeated(look, original))?.id,
      subject_version: version,
      created_at_ms: this.now_ms,
      consent_reference: look.consent_reference,
    };
    this.versions.set(look.subject_id, version);
    this.known.set(inquiry.id, inquiry);
    if (inquiry.duplicate_of === undefined) this.originals.push(inquiry);
    this.recorded.push({ ctx: look.ctx, inquiry, subject });
    return { inquiry, subject, open_dispute_count, rights };
  }

  private refusedBefore(inquiry_id: string): RefusedInquiry | undefined {
    const now = this.refused.find(({ inquiry }) => inquiry.id === inquiry_id);
    return now === undefined ? this.facts.refused.get(inquiry_id) : now.inquiry;
  }

  private refuse({ ctx, inquiry_id, ...look }: CheckedItem): void {
    const { subject_id, institution_id, purpose, inquiry_type, consent_reference } = look;
    this.refused.push({
      ctx,
      inquiry: {
        id: inquiry_id,
        subject_id,
        institution_id,
        purpose,
        inquiry_type,
        consent_reference,
        refusal: 'FILE_FROZEN',
        created_at_ms: this.now_ms,
      },
    });
  }

  async write(tx: Transaction): Promise<void> {
    writeInquiries(tx, {
      now_ms: this.now_ms,
      heads: this.versions,
      inquiries: this.recorded.map(({ inquiry }) => inquiry),
    });
    for (const { ctx, inquiry, subject } of this.recorded) {
      const payload = inquiryRecorded(inquiry, subject);
      tx.outbox({ partition_key: inquiry.subject_id, payload }, ctx);
      this.audit(tx, ctx, 'inquiry.recorded', inquiry, {});
    }
    writeRefused(
      tx,
      this.refused.map(({ inquiry }) => inquiry),
    );
    for (const { ctx, inquiry } of this.refused) {
      this.audit(tx, ctx, 'inquiry.refused', inquiry, { refusal: inquiry.refusal });
    }
  }

  private audit(
    tx: Transaction,
    ctx: CallContext,
    action: string,
    { id: inquiry_id, subject_id, purpose, inquiry_type }: Inquiry | RefusedInquiry,
    more: Readonly<Record<string, string>>,
  ): void {
    tx.audit(
      {
        at: toTimestamp(this.now_ms),
        action,
        target_type: 'subject',
        target_id: subject_id,
        changes: { inquiry_id, purpose, inquiry_type, ...more },
      },
      ctx,
    );
  }
}

function frozen(): AppError {
  return forbidden('The person has frozen the file: it is not shown for new business.', {
    reason: 'FILE_FROZEN',
  });
}

/** The same institution looks at the same subject for the same reason in the same way. */
function isRepeated(look: CheckedItem, known: Inquiry | RefusedInquiry): boolean {
  return (
    look.subject_id === known.subject_id &&
    look.institution_id === known.institution_id &&
    look.purpose === known.purpose &&
    look.inquiry_type === known.inquiry_type
  );
}
