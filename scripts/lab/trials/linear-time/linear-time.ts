import { withServer } from '../accounts.js';
import type { Trial } from '../verdict.js';
import { checkLinearTime } from './measure.js';
import { parsers } from './parsers.js';
import { requests } from './requests.js';

/** Hostile texts take every parser of outside text about as long as ordinary texts of the same size. */
export const trial: Trial = async ({ short, verdict }) => {
  await checkLinearTime(parsers(), { short, verdict });
  const environment = { RATE_LIMIT_FAILURES: '0', TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' };
  await withServer(
    { name: 'linear', accounts: 1, employees: 10 },
    { verdict, environment },
    async (running) => {
      const [account] = running.accounts;
      await checkLinearTime(await requests(account, running.send), { short, verdict });
    },
  );
};
