import { createHash } from 'node:crypto';
import { type CallContext, systemContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { invalid, unavailable } from '@credit/platform/errors';
import { type Logger, toTimestamp } from '@credit/platform/runtime';
import { type Makings, today } from '../commands/evaluate';
import { recordAgeing } from '../commands/record-ageing';
import {
  CURRENT_MODEL,
  dayOfInstant,
  type Model,
  type ModelInput,
  modelInput,
  type Profile,
} from '../domain/model';
import { type FileStatement, type PersonWord, toldStatements } from '../domain/person-word';
import { inputOf, isNews, isOfAnotherModel } from '../domain/snapshot';
import { emptyFile, isWhole, type SubjectFile, takeInWhole } from '../domain/subject-file';
import type { ReportingClient } from '../reporting-client';
import { loadSubjectFile, readSubjectFile } from '../store/subject-files';
import type { CatchUp } from '../workers/catch-up';
import { modelFor } from './model-for';
import { ProfileCache, type ProfileKey } from './profile-cache';

export interface ProfileRequest {
  readonly subject_id: string;
  /** Undefined for the model in force. */
  readonly model_version: string | undefined;
  /** What the profile must include at least. */
  readonly minimum_version: number;
  /** Left out of the score and of the count of inquiries. */
  readonly exclude_inquiry_id: string | undefined;
  /** Of which the profile shows those about records that are told. */
  readonly statements: readonly FileStatement[];
}

export interface PastProfileRequest {
  readonly subject_id: string;
  /** Undefined for the model in force. */
  readonly model_version: string | undefined;
  readonly exclude_inquiry_id: string | undefined;
  /** What had happened by then. */
  readonly as_of: string;
  /** What was on record by then. */
  readonly known_at: string;
}

export interface ProfileAnswer extends Profile {
  readonly model_version: string;
  /** 0 for a past day. */
  readonly subject_version: number;
  readonly calculated_at: string;
  /** Of a past day, to be compared with a snapshot's. */
  readonly input_hash: Buffer | undefined;
  readonly statements: readonly FileStatement[];
}

/** A profile of a past day, with what the person had put on the file by then. */
export type PastProfileAnswer = ProfileAnswer & PersonWord;

export interface ProfileReaderOptions extends Makings {
  readonly db: Database;
  readonly logger: Logger;
  readonly reporting: Pick<ReportingClient, 'readWhole' | 'fileAt'>;
  readonly catchUp: CatchUp;
  /** How many profiles are remembered. */
  readonly profiles_kept: number;
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
  private readonly cache: ProfileCache;

  constructor(private readonly options: ProfileReaderOptions) {
    this.cache = new ProfileCache(options.profiles_kept);
  }

  /** Throws for a model that is not offered today, as a read of it would. */
  refuseUnoffered(model_version: string | undefined): void {
    modelFor(model_version, today(this.options));
  }

  async read(ctx: CallContext, request: ProfileRequest): Promise<ProfileAnswer> {
    const { db } = this.options;
    const { subject_id, minimum_version, exclude_inquiry_id, statements } = request;
    const as_of_day = today(this.options);
    const model = modelFor(request.model_version, as_of_day);
    const key = `${ctx.environment}/${subject_id}`;
    // Which statements are shown depends on the accounts, which then come along.
    const known_revision = statements.length > 0 ? undefined : this.cache.revision(key);
    const known = await readSubjectFile(db.read(ctx), subject_id, as_of_day, known_revision);
    if ((known?.file.head.complete_version ?? 0) < minimum_version) {
      const file = await this.lookUp(ctx, request);
      const input = without(inputOf(file, as_of_day), exclude_inquiry_id);
      return this.present(file, model, model.profile(input), statements);
    }
    if (known === undefined) {
      const file = emptyFile(subject_id, 'INDIVIDUAL');
      return this.present(file, model, model.profile(inputOf(file, as_of_day)), []);
    }
    const { file, accounts_revision } = known;
    const inquiries = [...file.inquiries.values()];
    const cacheKey: ProfileKey = { accounts_revision, as_of_day, inquiries };
    let profile = this.cache.find(key, cacheKey);
    // Its accounts, when they were left out of the read and are needed after all.
    let whole: SubjectFile | undefined = known_revision === accounts_revision ? undefined : file;
    if (profile === undefined) {
      whole ??= await this.reload(ctx, file, as_of_day);
      profile = CURRENT_MODEL.profile(inputOf(whole, as_of_day));
      // What was loaded a moment later may be of another state.
      if (whole === file) this.cache.keep(key, cacheKey, profile);
    }
    if (isWhole(file.head) && (isNews(file.head, profile.score) || isOfAnotherModel(file.head))) {
      await this.noticeAgeing(ctx, whole ?? (await this.reload(ctx, file, as_of_day)));
    }
    const excludes = exclude_inquiry_id !== undefined && file.inquiries.has(exclude_inquiry_id);
    // Only what the model in force makes of the whole file is remembered.
    if (!excludes && model === CURRENT_MODEL) {
      return this.present(whole ?? file, model, profile, statements);
    }
    whole ??= await this.reload(ctx, file, as_of_day);
    const input = without(inputOf(whole, as_of_day), exclude_inquiry_id);
    return this.present(whole, model, model.profile(input), statements);
  }

  /** The profile as it was, from the facts folded again. */
  async readPast(ctx: CallContext, request: PastProfileRequest): Promise<PastProfileAnswer> {
    const { subject_id, exclude_inquiry_id, as_of, known_at } = request;
    const as_of_ms = Date.parse(as_of);
    if (Number.isNaN(as_of_ms)) throw invalid('as_of', 'must be a time');
    const model = modelFor(request.model_version, today(this.options));
    const file = await this.options.reporting.fileAt(ctx, subject_id, as_of, known_at);
    const as_of_day = dayOfInstant(as_of_ms);
    const input = without(modelInput(file, as_of_day), exclude_inquiry_id);
    return {
      ...model.profile(input),
      model_version: model.version,
      subject_version: 0,
      calculated_at: toTimestamp(this.options.clock.now_ms()),
      input_hash: createHash('sha256').update(model.canonicalInput(input)).digest(),
      alerts: file.alerts,
      statements: toldStatements(file.statements, file.accounts, as_of_day),
    };
  }

  private present(
    file: SubjectFile,
    model: Model,
    profile: Profile,
    statements: readonly FileStatement[],
  ): ProfileAnswer {
    const accounts = [...file.accounts.values()].map(({ facts }) => facts);
    return {
      ...profile,
      model_version: model.version,
      subject_version: file.head.complete_version,
      calculated_at: toTimestamp(this.options.clock.now_ms()),
      input_hash: undefined,
      statements: toldStatements(statements, accounts, today(this.options)),
    };
  }

  private async reload(
    ctx: CallContext,
    file: SubjectFile,
    as_of_day: number,
  ): Promise<SubjectFile> {
    const { subject_id } = file.head;
    return (await loadSubjectFile(this.options.db.read(ctx), subject_id, as_of_day)) ?? file;
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
    const look = this.options.reporting
      .readWhole(shared_ctx, subject_id)
      .then((whole) => takeInWhole(emptyFile(subject_id, whole.subject_type), whole))
      .finally(() => this.looks.delete(key));
    this.looks.set(key, look);
    return look;
  }
}

function without(input: ModelInput, inquiry_id: string | undefined): ModelInput {
  return {
    ...input,
    inquiries: input.inquiries.filter((inquiry) => inquiry.inquiry_id !== inquiry_id),
  };
}
