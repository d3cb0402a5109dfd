import { MODEL_VERSION } from '../../src/domain/model';
import { noticePdf } from '../../src/reports/documents/notice-pdf';
import { buildNotice } from '../../src/reports/domain/notice';
import { account, card, daysAgo, episode, inquiry, TODAY } from '../model/facts-for-tests';
import { material } from '../support/report-material';

const PARTIES = {
  institution_name: 'Harbour Loans',
  network_name: 'The network',
  contact_email: 'help@network.example',
  network_url: 'https://network.example',
};

const noticeOf = (file: Parameters<typeof material>[0], parties: object = PARTIES) =>
  buildNotice(
    material(file, {
      report: {
        report_type: 'NOTICE',
        inquiry_id: 'i1',
        parties,
        model_version: MODEL_VERSION,
      } as never,
    }),
  );

describe('a notice', () => {
  test('says what was seen: the score without the look itself, and what cost it most', () => {
    const accounts = [
      account({ opened_day: daysAgo(900), episodes: [episode({ defaulted_day: daysAgo(20) })] }),
      card({ account_id: 'c1', opened_day: daysAgo(40), balance_minor: 99_000n }),
    ];
    const looks = Array.from({ length: 6 }, (_, index) =>
      inquiry({ inquiry_id: `i${index + 1}`, day: TODAY - 15 * index }),
    );
    const notice = noticeOf({ accounts, inquiries: looks });
    expect(notice).toMatchObject(noticeOf({ accounts, inquiries: looks.slice(1) }));
    expect(notice.credit.score_range).toEqual({ min: 300, max: 850 });
    expect(notice.key_factors.length).toBeGreaterThan(3);
    expect(notice.key_factors.length).toBeLessThan(6);
    // Of inquiries too, when they cost points: the law wants them named as a fifth.
    expect(notice.key_factors.map(({ code }) => code)).toContain('NC01');
    expect(notice.key_factors.map(({ code }) => code.slice(0, 2))).not.toContain('PS');
  });

  test('tells where to turn to, as far as the network says so', () => {
    const told = (parties: object) =>
      noticeOf({}, parties)
        .rights.map(({ text }) => text)
        .join(' ');
    expect(told(PARTIES)).toContain('https://network.example/dispute, or write to help@');
    // Where the own file is read and guarded.
    expect(told(PARTIES).match(/see https:\/\/network\.example\/my, or write/g)).toHaveLength(2);
    for (const right of [
      'freeze your file',
      'warned of fraud',
      'in your own words',
      'six months',
    ]) {
      expect(told(PARTIES)).toContain(right);
    }
    const { institution_name, network_name } = PARTIES;
    expect(told({ institution_name, network_name })).toContain('ask Harbour Loans how to reach it');
  });

  test('of somebody without a file says that there is no score', () => {
    const { credit, key_factors } = noticeOf({});
    expect(credit).toMatchObject({ score: undefined, band: 'NOT_RATED' });
    expect(key_factors).toMatchObject([{ code: 'NF01' }]);
  });

  test('is a letter, the same for the same content, however odd the names', async () => {
    const notice = noticeOf({ accounts: [account()] });
    const pdf = await noticePdf(notice);
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    expect(await noticePdf(notice)).toEqual(pdf);
    const long = noticeOf({}, { ...PARTIES, institution_name: 'شركة النور '.repeat(40) });
    expect((await noticePdf(long)).length).toBeGreaterThan(1_000);
  });
});
