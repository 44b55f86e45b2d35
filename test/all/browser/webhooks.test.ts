import type { Page } from 'playwright-core';
import { createScene } from '../../support/oauth/users.js';
import { sendJson } from '../../support/records/send-json.js';
import { createApplication } from '../../support/records/tenant.js';
import type { Test } from '../../support/tap.js';
import { answers, startReceiver } from '../../support/webhooks/receiver.js';
import { main, signIn } from './browser-steps.js';
import { browserTest, isAccessible, type LiveSite } from './chromium.js';

/** A paused endpoint; its receiver responds with an error. */
async function arrange(t: Test, { api }: LiveSite) {
  const { accountId, user } = await createScene(api.database);
  const application = await createApplication(api.database, accountId, { name: 'Payroll bridge' });
  const receiver = await startReceiver(t);
  receiver.answer = answers.status(503, {}, 'Maintenance');
  const token = await api.token(application);
  const body = { url: receiver.url, description: 'Payroll sync' };
  const { id } = (await sendJson(api, { url: '/v1/webhook_endpoints', token, body })).json().data;
  await api.database.prisma.webhookEndpoint.updateMany({
    where: { accountId, id },
    data: { pausedAt: new Date(), pauseReason: 'failing' },
  });
  return { user, application, receiver };
}

async function resumeEndpoint(t: Test, page: Page, site: LiveSite): Promise<void> {
  const { user, application, receiver } = await arrange(t, site);
  await signIn(page, user);
  await page.goto(`/people/settings/oauth_applications/${application.id}`);
  await main(page).getByRole('link', { name: 'Webhooks', exact: true }).click();
  await page.getByRole('link', { name: new URL(receiver.url).host }).click();
  await page.getByText('because every attempt failed for 3 days').waitFor();
  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByText('Test sent.').waitFor();
  t.ok(await page.getByRole('cell', { name: 'Maintenance' }).isVisible());
  await page.getByRole('radio', { name: 'After this event:' }).check();
  await page.getByLabel('Event ID').fill('nothing');
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('alert').getByText('Enter the ID of an event of your account.').waitFor();
  await page.getByRole('radio', { name: 'With the next new event' }).check();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('Endpoint resumed.').waitFor();
  t.ok(await page.getByText('Delivering', { exact: true }).isVisible());
}

browserTest('an administrator tests and resumes an endpoint', resumeEndpoint);

async function manageEndpoint(t: Test, page: Page, site: LiveSite): Promise<void> {
  const { user, application, receiver } = await arrange(t, site);
  await signIn(page, user);
  await page.goto(`/people/settings/oauth_applications/${application.id}/webhooks`);
  await page.getByRole('link', { name: 'Add endpoint' }).click();
  await page.getByLabel('URL').fill('https://192.0.2.1/hook');
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  await page.getByRole('alert').getByText('must have a host with public addresses only').waitFor();
  await page.getByLabel('URL').fill(`${receiver.url}second`);
  await page.getByRole('checkbox', { name: 'employee.created' }).check();
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  const secret = await page.locator('#webhook-secret').textContent();
  t.match(secret, /^whsec_/);
  await page.getByRole('link', { name: 'I have stored the secret' }).click();
  await page.getByRole('link', { name: 'Edit', exact: true }).click();
  t.ok(await page.getByRole('checkbox', { name: 'employee.created' }).isChecked());
  await page.getByLabel('Description').fill('Payroll');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Changes saved.').waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('because an owner or administrator paused it').waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('Delivering', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Replace secret' }).click();
  await page.getByRole('button', { name: 'Replace secret' }).click();
  t.not(await page.locator('#webhook-secret').textContent(), secret);
  await page.getByRole('link', { name: 'I have stored the secret' }).click();
  await page.getByRole('link', { name: 'Delete endpoint' }).click();
  await page.getByRole('button', { name: 'Delete endpoint' }).click();
  await page.getByText('Endpoint deleted.').waitFor();
}

for (const javaScriptEnabled of [true, false]) {
  const title = `an administrator adds, edits, pauses and deletes an endpoint ${javaScriptEnabled ? 'with' : 'without'} JavaScript`;
  browserTest(title, manageEndpoint, { javaScriptEnabled });
}

browserTest('without JavaScript an administrator tests and resumes an endpoint', resumeEndpoint, {
  javaScriptEnabled: false,
});

browserTest('the pages are accessible', async (t, page, site) => {
  const { user, application } = await arrange(t, site);
  await signIn(page, user);
  const list = `/people/settings/oauth_applications/${application.id}/webhooks`;
  await page.goto(`${list}/new`);
  await isAccessible(t, page, 'the form for an endpoint');
  await page.goto(list);
  await isAccessible(t, page, 'the endpoints');
  await main(page).locator('td a').first().click();
  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByText('Test sent.').waitFor();
  await isAccessible(t, page, 'an endpoint');
  await page.getByRole('link', { name: 'Replace secret' }).click();
  await isAccessible(t, page, 'the question before a secret is replaced');
  await page.goBack();
  await page.getByRole('radio', { name: 'After this event:' }).check();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('alert').waitFor();
  await isAccessible(t, page, 'a form with an error');
});
