import { clientCredentials, get } from '../../kit/http/requests.js';
import { requestToken, type Setup } from '../accounts.js';
import { createMix, employeeIdsOf, ok, type Plan } from '../request-mix.js';

export type Scenarios = Readonly<Record<'list' | 'get' | 'token' | 'mixed', Plan>>;

/** Requests of one kind each, and a mix of all kinds. */
export async function createScenarios(setup: Setup): Promise<Scenarios> {
  const { url, accounts, send, random } = setup;
  const callers = await Promise.all(
    accounts.map(async (account) => ({
      application: account.application,
      token: await requestToken(send, account.application),
      employeeIds: await employeeIdsOf(url, account),
    })),
  );
  const caller = () => random.pick(callers);
  return {
    list: () => ok(get('/v1/employees', caller().token)),
    get: () => {
      const { token, employeeIds } = caller();
      return ok(get(`/v1/employees/${random.pick(employeeIds)}`, token));
    },
    token: () => ok(clientCredentials(caller().application)),
    mixed: await createMix(setup),
  };
}
