import { createHash } from 'node:crypto';
import type { CallContext } from '@credit/platform/context';
import { invalid, rateLimited, unavailable } from '@credit/platform/errors';
import { personOf } from '@credit/platform/requests';
import type { DocumentThread } from '../documents/document-thread';
import type { PersonFileToWrite } from '../domain/person-file';

/** They are written one after another, between reports. */
const MAX_AT_ONCE = 8;
const RETRY_AFTER_S = 5;

/** Writes people's files: one of a person at a time, and how many wait is bounded. */
export class PersonFileWriter {
  private readonly waiting = new Set<string>();

  constructor(private readonly documents: Pick<DocumentThread, 'write'>) {}

  /** The caller's own file as a document. */
  async write(ctx: CallContext, file: PersonFileToWrite): Promise<Buffer> {
    const subject_id = personOf(ctx);
    const hash = createHash('sha256').update(file.file_json).digest('hex');
    if (hash !== file.content_hash) throw invalid('content_hash', 'is not that of the file');
    if (this.waiting.has(subject_id)) {
      throw rateLimited('Your file is being written already.', RETRY_AFTER_S, 'EXPORTS_AT_ONCE');
    }
    if (this.waiting.size >= MAX_AT_ONCE) {
      throw unavailable('Too many files are being written; try again.', RETRY_AFTER_S);
    }
    this.waiting.add(subject_id);
    try {
      return (await this.documents.write(file)).content;
    } finally {
      this.waiting.delete(subject_id);
    }
  }
}
