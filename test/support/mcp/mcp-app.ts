import type { Test } from 'tap';
import { buildTestApp, type TestApp } from '../server/app.js';
import { freePort } from '../server/free-port.js';

type Options = NonNullable<Parameters<typeof buildTestApp>[1]>;

/** The application on its own port, which is in its base URL. It is closed when the test ends. */
export async function listenForMcp(
  t: Test,
  { environment, ...options }: Options = {},
): Promise<TestApp & { baseUrl: string }> {
  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  const api = await buildTestApp(t, { ...options, environment: { BASE_URL: baseUrl, ...environment } });
  await api.app.listen({ host: 'localhost', port });
  return { ...api, baseUrl };
}
