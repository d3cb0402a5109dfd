import { once } from 'node:events';
import PDFDocument from 'pdfkit';
import { MAX_DOCUMENT_BYTES } from '../domain/report';

/** A document on A4 as `draw` makes it; throws a RangeError when it becomes too large. */
export async function writtenPdf(
  info: PDFKit.DocumentInfo,
  margin: number,
  draw: (document: PDFKit.PDFDocument) => void,
): Promise<Buffer> {
  const document = new PDFDocument({
    size: 'A4',
    margin,
    bufferPages: true,
    lang: 'en',
    displayTitle: true,
    info,
  });
  const chunks: Buffer[] = [];
  let bytes = 0;
  document.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_DOCUMENT_BYTES) chunks.push(chunk);
  });
  const ended = once(document, 'end');
  draw(document);
  document.end();
  await ended;
  if (bytes > MAX_DOCUMENT_BYTES) throw new RangeError('The document is too large.');
  return Buffer.concat(chunks);
}
