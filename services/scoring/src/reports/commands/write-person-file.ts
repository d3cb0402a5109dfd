import { createHash } from 'node:crypto';
import type { CallContext } from '@credit/platform/context';
import { invalid, unavailable } from '@credit/platform/errors';
import { personOf } from '@credit/platform/requests';
import type { DocumentThread } from '../documents/document-thread';
import type { PersonFileToWrite } from '../domain/person-file';

/** They are written one after another, between reports. */
const MAX_AT_ONCE = 8;
const RETRY_AFTER_S = 5;

/** Writes people's files; how many wait is bounded, of all together and of each. */
export class PersonFileWriter {
  private readonly waiting = new Map<string, { hash: string; pdf: Promise<Buffer> }>();

  constructor(private readonly documents: Pick<DocumentThread, 'write'>) {}

  /** The caller's own file as a document; who asks for the same one again gets the one that is being written. */
  async write(ctx: CallContext, file: PersonFileToWrite): Promise<Buffer> {
    const subject_id = personOf(ctx);
    const hash = createHash('sha256').update(file.file_json).digest('hex');
    if (hash !== file.content_hash) throw invalid('content_hash', 'is not that of the file');
    const earlier = this.waiting.get(subject_id);
    if (earlier?.hash === hash) return earlier.pdf;
    if (earlier !== undefined) {
      // The file has changed since; one of a person is written at a time.
      await earlier.pdf.catch(() => undefined);
      return this.write(ctx, file);
    }
    if (this.waiting.size >= MAX_AT_ONCE) {
      throw unavailable('The file is being written already; try again.', RETRY_AFTER_S);
    }
    const pdf = this.documents.write(file).then(({ content }) => content);
    this.waiting.set(subject_id, { hash, pdf });
    try {
      return await pdf;
    } finally {
      this.waiting.delete(subject_id);
    }
  }
}
