import { type CallContext, systemContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { unavailable } from '@credit/platform/errors';
import { type Logger, toTimestamp } from '@credit/platform/runtime';
import type { CatchUp, ReadWhole } from '../commands/catch-up';
import { type Makings, today } from '../commands/evaluate';
import { recordAgeing } from '../commands/record-ageing';
import { calculateProfile, type Profile } from '../domain/model';
import { inputOf, isNews } from '../domain/snapshot';
import { emptyFile, isWhole, type SubjectFile, takeInWhole } from '../domain/subject-file';
import { loadSubjectFile } from '../store/subject-files';

export interface ProfileRequest {
  readonly subject_id: string;
  /** What the profile must include at least. */
  readonly minimum_version: number;
  /** Left out of the score and of the count of inquiries. */
  readonly exclude_inquiry_id: string | null;
}

export interface ProfileAnswer extends Profile {
  readonly subject_version: number;
  readonly calculated_at: string;
}

export interface ProfileReaderOptions extends Makings {
  readonly db: Database;
  readonly logger: Logger;
  readonly readWhole: ReadWhole;
  readonly catchUp: CatchUp;
}

/** A look that began before the caller's change can miss it; one begun after it cannot. */
const MAX_LOOKS = 3;
const LOOK_TIMEOUT_MS = 5_000;

/**
 * Reads profiles: from the projection when it is far enough, else from reporting itself. It never
 * waits for a consumer: what reporting says is enough to answer, and the projection follows.
 */
export class ProfileReader {
  private readonly looks = new Map<string, Promise<SubjectFile>>();

  constructor(private readonly options: ProfileReaderOptions) {}

  async read(ctx: CallContext, request: ProfileRequest): Promise<ProfileAnswer> {
    const { clock, db } = this.options;
    const as_of_day = today(this.options);
    const known = await loadSubjectFile(db.read(ctx), request.subject_id, as_of_day);
    const current = (known?.head.complete_version ?? 0) >= request.minimum_version;
    const file = current ? (known ?? unknownSubject(request)) : await this.lookUp(ctx, request);
    const input = inputOf(file, as_of_day);
    let profile = calculateProfile(input);
    if (current && isWhole(file.head) && isNews(file.head, profile.score)) {
      await this.noticeAgeing(ctx, file);
    }
    if (file.inquiries.has(request.exclude_inquiry_id ?? '')) {
      const inquiries = input.inquiries.filter(
        ({ inquiry_id }) => inquiry_id !== request.exclude_inquiry_id,
      );
      profile = calculateProfile({ ...input, inquiries });
    }
    return {
      ...profile,
      subject_version: file.head.complete_version,
      calculated_at: toTimestamp(clock.now_ms()),
    };
  }

  private async noticeAgeing(ctx: CallContext, file: SubjectFile): Promise<void> {
    try {
      await recordAgeing(this.options.db, ctx, file, this.options);
    } catch (error) {
      // The next read finds the same; this one need not fail for it.
      this.options.logger.warn(
        { err: error, subject_id: file.head.subject_id, request_id: ctx.request_id },
        'a snapshot of an aged score was not written',
      );
    }
  }

  /** The whole subject from reporting; callers that need the same subject share one look. */
  private async lookUp(ctx: CallContext, request: ProfileRequest): Promise<SubjectFile> {
    const { subject_id, minimum_version } = request;
    const key = `${ctx.environment}/${subject_id}`;
    for (let tried = 0; tried < MAX_LOOKS; tried += 1) {
      const shared = this.looks.get(key);
      const look = shared ?? this.startLook(ctx, key, subject_id);
      const file = await look;
      if (file.head.complete_version >= minimum_version) {
        this.options.catchUp.expect(ctx.environment, subject_id, file.head.complete_version);
        return file;
      }
    }
    throw unavailable('The credit profile is not up to date yet; try again.');
  }

  private startLook(ctx: CallContext, key: string, subject_id: string): Promise<SubjectFile> {
    // Not the first caller's own bounds: its giving up must not fail the others.
    const shared_ctx = systemContext(ctx.environment, {
      request_id: ctx.request_id,
      traceparent: ctx.traceparent,
      deadline_at_ms: Date.now() + LOOK_TIMEOUT_MS,
    });
    const look = this.options
      .readWhole(shared_ctx, subject_id)
      .then((whole) => takeInWhole(emptyFile(subject_id, whole.subject_type), whole))
      .finally(() => this.looks.delete(key));
    this.looks.set(key, look);
    return look;
  }
}

/** Whether it exists was reporting's question; here it has no accounts. */
function unknownSubject({ subject_id }: ProfileRequest): SubjectFile {
  return emptyFile(subject_id, 'INDIVIDUAL');
}
