import { buildNotice } from '../domain/notice';
import type { PersonFileToWrite } from '../domain/person-file';
import type { ReportFormat } from '../domain/report';
import { buildContent, type ReportMaterial } from '../domain/report-content';
import { contentCsv } from './csv';
import { contentJson } from './json';
import { noticePdf } from './notice-pdf';
import { contentPdf } from './pdf';
import { personFilePdf } from './person-file-pdf';

/** What a document is made of: a report, or a person's own file. */
export type Material = ReportMaterial | PersonFileToWrite;

/** The whole document; throws a RangeError when it becomes too large. */
export async function writeDocument(material: Material): Promise<Buffer> {
  if ('file_json' in material) return personFilePdf(material);
  if (material.report.report_type === 'NOTICE') {
    const notice = buildNotice(material);
    return material.report.format === 'PDF' ? noticePdf(notice) : Buffer.from(contentJson(notice));
  }
  const content = buildContent(material);
  const format: ReportFormat = material.report.format;
  switch (format) {
    case 'JSON':
      return Buffer.from(contentJson(content));
    case 'CSV':
      return Buffer.from(contentCsv(content));
    case 'PDF':
      return contentPdf(content);
    default:
      return format satisfies never;
  }
}
