import { tenant } from '../../kit/database/tenants.js';
import { HttpClient, jsonOf } from '../../kit/http/client.js';
import { get } from '../../kit/http/requests.js';
import { ratios } from '../../kit/statistics.js';
import { bar } from '../bars.js';
import type { Context, Scenario } from '../context.js';
import { type DatabaseKind, sizes } from '../databases.js';
import { sampleTable } from '../report/tables.js';
import { measureRounds, type Target } from '../rounds.js';
import { withSetting } from './setting.js';
import { requestTokens } from './tokens.js';

const owner = tenant(1);
const size = 50;

/** Seconds for a hundred requests, whose 99th percentile is used, also of the slowest. */
const seconds = 5;

/** Maximum 99th percentile with a million employees, in relation to that with ten thousand. */
const atMost = 3;

/** Queries of the list, by what they select. `{id}` is the id of an employee. */
const queries = {
  'fifty ids': 'filter[id]={ids}',
  'two statuses': 'filter[status]=active,on_leave',
  'a department': 'filter[department]=Legal',
  'two departments and a status': 'filter[department]=Legal&filter[department]=Sales&filter[status]=on_leave',
  'a location': 'filter[location]=Location 3',
  'a location and a status': 'filter[location]=Location 3&filter[status]=on_leave',
  'a location and a department': 'filter[location]=Location 3&filter[department]=Legal',
  'a job title': 'filter[job_title]=Title 20',
  'a job title and a location': 'filter[job_title]=Title 20&filter[location]=Location 3',
  'a manager': 'filter[manager_id]={id}',
  'a day of hire dates': 'filter[hire_date][gte]=2020-03-02&filter[hire_date][lt]=2020-03-03',
  'half of the hire dates': 'filter[hire_date][gte]=2016-01-01',
  'a month of termination dates':
    'filter[termination_date][gte]=2021-03-01&filter[termination_date][lt]=2021-04-01',
  'an hour of changes':
    'filter[updated_at][gte]=2026-03-01T00:00:00Z&filter[updated_at][lt]=2026-03-01T01:00:00Z',
  'a search': 'filter[search]=ada',
  'a search and a location': 'filter[search]=ada&filter[location]=Location 3',
};

/** Every filter of the list of employees, with a million employees and with ten thousand. */
export const filtersScenario: Scenario = {
  name: 'filters',
  title: `A page of ${size} employees with filters, of ${sizes.filters.employees} employees and of ${sizes.filters_small.employees} (1 connection)`,
  run: (context) =>
    withSetting(context, 'filters_small', async (small) =>
      withSetting(context, 'filters', async (large) => {
        const targets = [
          ...(await targetsOf(context, 'filters_small', small)),
          ...(await targetsOf(context, 'filters', large)),
        ];
        const samples = await measureRounds(context, { targets, connections: 1, seconds });
        const times = (name: string, kind: DatabaseKind) =>
          (samples.get(nameOf(name, kind)) ?? []).map(({ p99 }) => p99);
        return {
          table: sampleTable(samples),
          bars: Object.keys(queries).map((name) =>
            bar(
              `${name}: 99th percentile with ${sizes.filters.employees} ÷ with ${sizes.filters_small.employees} employees`,
              ratios(times(name, 'filters'), times(name, 'filters_small')),
              { atMost },
            ),
          ),
        };
      }),
    ),
};

function nameOf(name: string, kind: DatabaseKind): string {
  return `${name} of ${sizes[kind].employees}`;
}

async function targetsOf(
  { progress }: Context,
  kind: DatabaseKind,
  { database, startOurs }: Parameters<Parameters<typeof withSetting>[2]>[0],
): Promise<Target[]> {
  const service = await startOurs();
  const token = (await requestTokens(service, [owner])).get(owner.accountId) ?? '';
  const client = new HttpClient(service.port);
  const read = async (query: string) => {
    const request = get(`/v1/employees?${encodeURI(query)}&page%5Bsize%5D=${size}`, token);
    const response = await client.send(request);
    if (response.status !== 200) throw new Error(`${query}: ${response.status} ${response.body}`);
    return { request, body: response.body, document: jsonOf(response) };
  };
  const ids: string[] = (await read('page[number]=3')).document.data.map(({ id }: { id: string }) => id);
  const targets: Target[] = [];
  for (const [name, query] of Object.entries(queries)) {
    const found = await read(query.replace('{ids}', ids.join()).replace('{id}', ids[0]));
    progress(`${nameOf(name, kind)}: ${found.document.meta.record_count} employees`);
    const requests = [{ request: found.request, expected: found.body }];
    targets.push({
      name: nameOf(name, kind),
      service,
      database: database.name,
      job: async () => ({ load: 'fixedRequests', input: { requests } }),
    });
  }
  client.close();
  return targets;
}
