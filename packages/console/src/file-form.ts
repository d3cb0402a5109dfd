// Forms with a file: the fields are read first, the file is taken in while it comes.

import { requestError, tooLarge } from '@credit/platform/errors';
import {
  Busboy,
  type BusboyEvents,
  type BusboyFileStream,
  type BusboyInstance,
} from '@fastify/busboy';
import type { Request } from 'express';

/** More than any form with a file has. */
const LIMITS = {
  fields: 20,
  fieldNameSize: 100,
  fieldSize: 2_000,
  files: 1,
  parts: 21,
  headerPairs: 10,
  headerSize: 4_096,
};

/** A file of a form. */
export interface FileGiven {
  /** As the sender's machine calls it. */
  readonly name: string;
  /** To be read once; it throws when the sender has gone. */
  readonly content: AsyncIterable<Buffer>;
}

export interface FileForm {
  readonly fields: Readonly<Record<string, string>>;
  /** Undefined when none was chosen. */
  readonly file: FileGiven | undefined;
  /** Takes nothing more of it: what still comes is read and thrown away. */
  end(): void;
}

export function isFileForm(request: Request): boolean {
  return /^multipart\/form-data *;/i.test(request.get('content-type') ?? '');
}

/**
 * Reads a form up to its file, which must stand behind its fields. Nothing of the file is read before
 * its content is asked for.
 */
export function fileFormOf(request: Request): Promise<FileForm> {
  return new Promise((resolve, reject) => {
    const fields: Record<string, string> = Object.create(null);
    const parser = parserOf(request);
    let content: BusboyFileStream | undefined;
    const end = () => {
      request.unpipe(parser);
      request.resume();
      content?.destroy();
    };
    const fail = (error: Error) => {
      end();
      reject(error);
    };
    const onGone = () => {
      if (request.complete) return;
      const error = new Error('The sender of the file went away.');
      content?.destroy(error);
      reject(error);
    };
    const takeField: BusboyEvents['field'] = (name, value, is_name_cut, is_value_cut) => {
      if (is_name_cut || is_value_cut) fail(tooLarge('The form is too large.'));
      else fields[name] ??= value;
    };
    const takeFile: BusboyEvents['file'] = (_field, stream, name) => {
      content = stream;
      // Whoever reads it hears of it; nobody else needs to.
      stream.on('error', () => {});
      const is_chosen = typeof name === 'string' && name !== '';
      if (!is_chosen) stream.resume();
      // What stands behind the file is not of the form.
      const before = Object.assign(Object.create(null), fields);
      resolve({
        fields: before,
        file: is_chosen ? { name, content: wholeOf(stream) } : undefined,
        end,
      });
    };
    parser.on('field', takeField);
    parser.on('file', takeFile);
    for (const limit of ['partsLimit', 'fieldsLimit'] as const) {
      parser.on(limit, () => fail(tooLarge('The form is too large.')));
    }
    parser.on('finish', () => resolve({ fields, file: undefined, end }));
    parser.on('error', () => {
      content?.destroy(new Error('The form broke off.'));
      fail(requestError('The form cannot be read.'));
    });
    request.on('error', onGone);
    request.on('close', onGone);
    request.pipe(parser);
  });
}

/** What does not come whole is no fault of the network's. */
async function* wholeOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* stream;
  } catch {
    throw requestError('The file broke off: send it again.');
  }
}

function parserOf({ headers }: Request): BusboyInstance {
  try {
    // Its type is looked at before this is called.
    return new Busboy({ headers: headers as { 'content-type': string }, limits: LIMITS });
  } catch {
    throw requestError('The form cannot be read.');
  }
}
