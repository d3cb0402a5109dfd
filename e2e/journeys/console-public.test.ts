import { randomUUID } from 'node:crypto';
import { Client, enrol, logIn, type Member } from '@credit/local/demo/client';
import { type ReceivedMail, SmtpSink, textOf } from '@credit/testing';
import { eventually } from '../support/eventually';
import { useStage } from '../support/stage';

const mails = new SmtpSink();

const stage = useStage(async () => {
  await mails.start();
  return { SMTP_URL: mails.url, MAIL_FROM: 'Network <no-reply@network.example>' };
});

function administrator(): Promise<Client> {
  const { email, password } = stage.system.superadmin;
  return logIn(new Client(stage.system.base_url), email, password);
}

afterAll(() => mails.stop(), 60_000);

test('everybody finds what the network is, who is in it, whether it works', async () => {
  const desk = await stage.desk();
  const { page } = desk;
  expect(await desk.visit('/')).toBe(200);
  await page.getByRole('heading', { name: 'Is something wrong about you?' }).waitFor();
  expect(await desk.examined('front')).toEqual([]);

  await page.getByRole('link', { name: 'Members', exact: true }).click();
  await page.getByText('No member is listed yet.').waitFor();
  expect(await desk.examined('members-none')).toEqual([]);

  await page.getByRole('link', { name: 'Status' }).click();
  await page.getByText('Everything works.').waitFor();
  expect(await desk.examined('status')).toEqual([]);
  expect(desk.faults).toEqual([]);
  await desk.close();
}, 120_000);

test('a lender applies, a reader writes, and what is wrong stands beside its field', async () => {
  const desk = await stage.desk();
  const { page } = desk;
  await desk.visit('/apply');
  await page.getByLabel('Name of your institution').fill('Harbour Lending');
  await page.getByLabel('Website').fill('javascript:alert(1)');
  await page.getByRole('button', { name: 'Send the application' }).click();
  await page.getByText('Please look at what is marked.').waitFor();
  expect(
    await page.locator('[aria-invalid]').evaluateAll((all) => all.map(({ id }) => id)),
  ).toEqual(['website', 'contact_name', 'contact_email']);
  expect(await page.getByLabel('Name of your institution').inputValue()).toBe('Harbour Lending');
  expect(await desk.examined('apply-faults')).toEqual([]);

  await page.getByLabel('Website').fill('https://harbour.example');
  await page.getByLabel('Your name').fill('Ada Owner');
  await page.getByLabel('Your e-mail address').fill('ada@harbour.example');
  await page.getByRole('button', { name: 'Send the application' }).click();
  await page.getByText('an invitation comes to ada@harbour.example').waitFor();
  expect(await desk.examined('apply-done')).toEqual([]);

  await desk.visit('/contact');
  await page.getByLabel('Your name').fill('Grace');
  await page.getByLabel('Your e-mail address').fill('grace@lender.example');
  await page.getByLabel('Message').fill('How long does a review take?');
  expect(await desk.examined('contact')).toEqual([]);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Whoever answers writes to grace@lender.example.').waitFor();

  const network = await administrator();
  expect(await network.expect(200, 'GET', '/admin/applications?status=PENDING')).toMatchObject([
    { institution_name: 'Harbour Lending', website: 'https://harbour.example' },
  ]);
  expect(await network.expect(200, 'GET', '/admin/contact-requests')).toMatchObject([
    { email: 'grace@lender.example' },
  ]);
  expect(desk.faults).toEqual([]);
  await desk.close();
}, 120_000);

describe('a person disputes an entry and follows it', () => {
  const DESCRIPTION = 'I paid the instalment of March on the first, by transfer.';
  let member: Member;

  beforeAll(async () => {
    member = await enrol(new Client(stage.system.base_url), await administrator(), 'Quayside Bank');
  }, 60_000);

  test.each([
    ['with scripts', true],
    ['without scripts', false],
  ])(
    '%s',
    async (_, javaScriptEnabled) => {
      const desk = await stage.desk({ javaScriptEnabled });
      const { page } = desk;
      const subject = await member.key.create('/subjects', {
        type: 'INDIVIDUAL',
        game_uuid: randomUUID(),
        current_username: `stonecutter-${randomUUID().slice(0, 8)}`,
      });
      // As a notice of refusal leads here.
      await desk.visit(`/dispute?subject_id=${subject.id}`);
      await page.getByLabel('What happened').fill('Too short');
      await page.getByRole('button', { name: 'Send the dispute' }).click();
      await page.getByText('Please look at what is marked.').waitFor();
      if (javaScriptEnabled) expect(await desk.examined('dispute-faults')).toEqual([]);

      await page
        .getByLabel('What is wrong')
        .selectOption({ label: 'I paid in time, and it says late' });
      await page.getByLabel('What happened').fill(DESCRIPTION);
      await page.getByLabel('Your name').fill('stonecutter');
      expect(await page.getByLabel('The number of your file').inputValue()).toBe(subject.id);
      await page.getByRole('button', { name: 'Send the dispute' }).click();
      await page.getByRole('heading', { name: 'Your dispute is in' }).waitFor();
      if (javaScriptEnabled) expect(await desk.examined('dispute-receipt')).toEqual([]);
      const link =
        (await page.getByRole('link', { name: 'Your dispute' }).getAttribute('href')) ?? '';
      const secrets = new URLSearchParams(link.slice(link.indexOf('#') + 1));

      await page.getByRole('link', { name: 'Your dispute' }).click();
      if (!javaScriptEnabled) {
        await page.getByLabel('Number').fill(secrets.get('dispute_id') ?? '');
        await page.getByLabel('Token').fill('not-the-token');
        await page.getByRole('button', { name: 'Show it' }).click();
        await page.getByText('do not belong together').waitFor();
        await page.getByLabel('Token').fill(secrets.get('token') ?? '');
        await page.getByRole('button', { name: 'Show it' }).click();
      }
      await page.getByText(DESCRIPTION).waitFor();
      await page.getByText('A decision is due').waitFor();
      // What opens it is in nothing that a server is asked; scripts take it out of the address, too.
      const { pathname, search, hash } = new URL(page.url());
      expect([pathname, search]).toEqual(['/dispute/follow', '']);
      if (javaScriptEnabled) expect(hash).toBe('');
      if (javaScriptEnabled) expect(await desk.examined('dispute-open')).toEqual([]);

      const network = await administrator();
      await network.expect(200, 'PATCH', `/admin/disputes/${secrets.get('dispute_id')}`, {
        body: { status: 'REJECTED', resolution: 'There is no such payment on file.' },
      });
      await page.getByRole('button', { name: 'Look again' }).click();
      await page.getByText('There is no such payment on file.').waitFor();
      if (javaScriptEnabled) expect(await desk.examined('dispute-decided')).toEqual([]);
      expect(desk.faults).toEqual([]);
      await desk.close();
    },
    120_000,
  );
});

/** The mails to an address, by what they are about; waits for as many. */
async function mailsTo(address: string, count: number): Promise<ReceivedMail[]> {
  const found = async () => mails.received.filter(({ to }) => to.includes(address));
  return eventually(found, ({ length }) => length >= count);
}

test('whoever leaves an address is told of receipt and outcome, by links that show the dispute', async () => {
  const desk = await stage.desk();
  const { page } = desk;
  const address = `ada-${randomUUID().slice(0, 8)}@example.org`;
  const description = 'I paid the instalment of April on the first, by transfer.';
  await desk.visit(`/dispute?reported_institution_id=${randomUUID()}`);
  await page
    .getByLabel('What is wrong')
    .selectOption({ label: 'I paid in time, and it says late' });
  await page.getByLabel('What happened').fill(description);
  await page.getByLabel('Your name').fill('<b>Ada</b>');
  await page.getByLabel('Your e-mail address').fill('ada@');
  await page.getByRole('button', { name: 'Send the dispute' }).click();
  await page.getByText('Please look at what is marked.').waitFor();
  expect(
    await page.locator('[aria-invalid]').evaluateAll((all) => all.map(({ id }) => id)),
  ).toEqual(['contact_email']);
  expect(await desk.examined('dispute-contact')).toEqual([]);
  await page.getByLabel('Your e-mail address').fill(address);
  await page.getByRole('button', { name: 'Send the dispute' }).click();
  await page.getByText(`${address} is told of it`).waitFor();
  expect(await desk.examined('dispute-receipt-mailed')).toEqual([]);

  const read = async (mail: ReceivedMail | undefined, told: string, shown: string) => {
    const text = mail === undefined ? '' : textOf(mail);
    expect(text).toContain(`Subject: ${told}`);
    for (const word of ['Ada', description]) expect(text).not.toContain(word);
    const link = new URL(/^ {4}(http\S+)$/m.exec(text)?.[1] ?? '');
    expect(link.origin).toBe(stage.origin);
    // The mail may be faster than what disputes is told of its link.
    await eventually(
      async () => {
        await desk.visit('/dispute');
        await page.goto(link.href);
        await page
          .locator('main')
          .getByText(/do not belong|What you said/)
          .first()
          .waitFor();
        return page.getByText(description).count();
      },
      (count) => count > 0,
    );
    await page.getByText(shown).waitFor();
    return new URLSearchParams(link.hash.slice(1));
  };
  const [receipt] = await mailsTo(address, 1);
  const secrets = await read(receipt, 'Your dispute was received', 'A decision is due');
  const dispute_id = secrets.get('dispute_id');

  const network = await administrator();
  expect(await network.get('/disputes')).toContainEqual(
    expect.objectContaining({ id: dispute_id, contact_email: address }),
  );
  await network.expect(200, 'PATCH', `/admin/disputes/${dispute_id}`, {
    body: { status: 'REJECTED', resolution: 'Nobody can be identified.' },
  });
  const [, outcome] = await mailsTo(address, 2);
  const others = await read(outcome, 'Your dispute was decided', 'Nobody can be identified.');
  expect(others.get('dispute_id')).toBe(dispute_id);
  expect(others.get('token')).not.toBe(secrets.get('token'));
  expect(await mailsTo(address, 2)).toHaveLength(2);
  expect(desk.faults).toEqual([]);
  await desk.close();
}, 120_000);

test('a form from elsewhere is refused, as is one without a token of ours', async () => {
  const send = (headers: Record<string, string>, body: string) =>
    fetch(`${stage.origin}/contact`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body,
    });
  const forged: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example' },
    {},
  ];
  for (const headers of forged) {
    const answer = await send(headers, 'name=a&email=a%40b.example&message=c');
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('FORGED_FORM');
  }
  expect((await send({}, `message=${'a'.repeat(100_000)}`)).status).toBe(413);
});
